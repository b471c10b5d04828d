//===- Import.cpp - ONNX models as lgc modules ----------------------------===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "lgc/Import/Import.h"
#include "GraphImporter.h"
#include "GraphInputs.h"
#include "NodeImporter.h"
#include "SupportCheck.h"
#include "TensorData.h"
#include "mlir/IR/Verifier.h"

using namespace mlir;
using namespace lgc;

namespace {

/// One model on its way to a module.
class ModelImporter {
public:
  ModelImporter(const Model &model, const ImportOptions &options, MLIRContext &context)
      : model(model), options(options), builder(&context),
        loc(NameLoc::get(
            builder.getStringAttr(model.fileName.empty() ? "model" : StringRef(model.fileName)))) {}

  FailureOr<OwningOpRef<ModuleOp>> import();

private:
  struct Function {
    func::FuncOp op;
    std::map<unsigned, Value> stateValues;
  };

  FailureOr<Function> importFunction(StringRef name, Mode mode);
  Scope bindNames(GraphImporter &graph, Block &body);
  void declareArguments(func::FuncOp function);
  FailureOr<SmallVector<Value>> collectOutputs(const Scope &scope);
  void declareParameters();
  void removeUnused(ArrayRef<func::FuncOp> functions);

  const Model &model;
  const ImportOptions &options;
  OpBuilder builder;
  Location loc;
  ModuleOp module;
  ParameterPlan plan;
  std::vector<GraphInput> inputs;
};

} // namespace

void ModelImporter::declareParameters() {
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(module.getBody());
  for (const PlannedParameter &parameter : plan.parameters)
    ParameterOp::create(builder, NameLoc::get(builder.getStringAttr(parameter.name)),
                        builder.getStringAttr(parameter.name),
                        RoleAttr::get(builder.getContext(), parameter.role),
                        TypeAttr::get(parameter.type), parameter.initial,
                        parameter.frozen ? builder.getUnitAttr() : UnitAttr(),
                        parameter.initializers, StringAttr());
}

void ModelImporter::declareArguments(func::FuncOp function) {
  unsigned number = 0;
  auto declare = [&](StringRef name, Role role) {
    function.setArgAttr(number, LgcDialect::kNameAttr, builder.getStringAttr(name));
    function.setArgAttr(number++, LgcDialect::kRoleAttr, RoleAttr::get(builder.getContext(), role));
  };
  for (const GraphInput &input : inputs)
    declare(input.name, Role::Input);
  for (const PlannedParameter &parameter : plan.parameters)
    declare(parameter.name, parameter.role);
  declare("lgc.seed", Role::Scalar);
  declare("lgc.step", Role::Scalar);
}

Scope ModelImporter::bindNames(GraphImporter &graph, Block &body) {
  Scope scope;
  scope.opsets = &model.opsets;
  unsigned number = 0;
  for (const GraphInput &input : inputs)
    scope.values[input.name] = Value(body.getArgument(number++));
  for (size_t i = 0; i < plan.parameters.size(); ++i)
    graph.parameterArguments.push_back(body.getArgument(number++));
  graph.seed = body.getArgument(number++);
  graph.step = body.getArgument(number++);
  for (const auto &[name, bytes] : options.boundInputs) {
    onnx::TensorProto tensor;
    if (tensor.ParseFromString(bytes))
      scope.values[name] = graph.importConstant(tensor, loc);
  }
  for (const onnx::TensorProto &tensor : model.proto.graph().initializer()) {
    if (options.boundInputs.count(tensor.name()))
      continue;
    Location name = NameLoc::get(builder.getStringAttr(tensor.name()));
    auto view = plan.views.find(tensor.name());
    scope.values[tensor.name()] = view == plan.views.end()
                                      ? graph.importConstant(tensor, name)
                                      : ImportedValue(graph.viewParameter(view->second, name));
  }
  return scope;
}

/// What a file says about an output must be true, or one of both was misread.
static LogicalResult checkStatedType(const onnx::ValueInfoProto &output, Type type, Location loc) {
  auto tensor = cast<RankedTensorType>(type);
  const auto &stated = output.type().tensor_type();
  if (!output.type().has_tensor_type())
    return success();
  Type element = elementTypeOf(*type.getContext(), stated.elem_type());
  bool fits = stated.elem_type() == 0 || element == tensor.getElementType();
  if (stated.has_shape()) {
    fits &= stated.shape().dim_size() == tensor.getRank();
    for (int i = 0; fits && i < stated.shape().dim_size(); ++i)
      fits = !stated.shape().dim(i).has_dim_value() ||
             stated.shape().dim(i).dim_value() == tensor.getDimSize(i);
  }
  if (fits)
    return success();
  std::string text;
  llvm::raw_string_ostream(text) << tensor;
  return emitError(loc, "output '" + output.name() + "' is a " + text +
                            ", which isn't the type or shape that the model states for it; "
                            "export the model again");
}

FailureOr<SmallVector<Value>> ModelImporter::collectOutputs(const Scope &scope) {
  SmallVector<Value> values;
  for (const onnx::ValueInfoProto &output : model.proto.graph().output()) {
    const ImportedValue *value = scope.find(output.name());
    if (!value)
      return emitError(loc, "no node computes the output '" + output.name() + "'");
    if (value->isFailed())
      return failure();
    if (!value->isTensor())
      return emitError(loc, "output '" + output.name() +
                                "' is a sequence or an optional, but only tensors can leave a "
                                "model; choose one of its elements as the output");
    if (failed(checkStatedType(output, value->tensor.getType(), loc)))
      return failure();
    values.push_back(value->tensor);
  }
  return values;
}

FailureOr<ModelImporter::Function> ModelImporter::importFunction(StringRef name, Mode mode) {
  SmallVector<Type> types;
  for (const GraphInput &input : inputs)
    types.push_back(input.type);
  for (const PlannedParameter &parameter : plan.parameters)
    types.push_back(parameter.type);
  types.append(2, RankedTensorType::get({}, builder.getI64Type()));
  builder.setInsertionPointToEnd(module.getBody());
  auto function = func::FuncOp::create(builder, loc, name, builder.getFunctionType(types, {}));
  declareArguments(function);
  Block &body = *function.addEntryBlock();
  builder.setInsertionPointToStart(&body);

  GraphImporter graph(model, options, plan, mode, builder);
  Scope scope = bindNames(graph, body);
  graph.importNodes(model.proto.graph().node(), scope);
  if (graph.failed)
    return failure();
  FailureOr<SmallVector<Value>> results = collectOutputs(scope);
  if (failed(results))
    return failure();
  Function imported{function, {}};
  SmallVector<DictionaryAttr> attributes;
  for (const onnx::ValueInfoProto &output : model.proto.graph().output())
    attributes.push_back(builder.getDictionaryAttr(
        builder.getNamedAttr(LgcDialect::kNameAttr, builder.getStringAttr(output.name()))));
  for (auto &[parameter, value] : graph.stateValues) {
    results->push_back(value);
    attributes.push_back(builder.getDictionaryAttr(builder.getNamedAttr(
        LgcDialect::kUpdatesAttr, builder.getStringAttr(plan.parameters[parameter].name))));
  }
  func::ReturnOp::create(builder, loc, *results);
  function.setType(builder.getFunctionType(types, ValueRange(*results).getTypes()));
  function.setAllResultAttrs(attributes);
  return imported;
}

/// Removes operations without a use, then scalars without one from each function, and parameters
/// without one from all.
void ModelImporter::removeUnused(ArrayRef<func::FuncOp> functions) {
  for (func::FuncOp function : functions)
    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(function.getBody().front())))
      if (isOpTriviallyDead(&op))
        op.erase();
  SymbolTable symbols(module);
  for (unsigned i = plan.parameters.size(); i-- > 0;) {
    unsigned number = unsigned(inputs.size()) + i;
    if (llvm::any_of(functions, [&](func::FuncOp function) {
          return !function.getArgument(number).use_empty();
        }))
      continue;
    for (func::FuncOp function : functions)
      (void)function.eraseArgument(number);
    if (Operation *symbol = symbols.lookup(plan.parameters[i].name))
      symbols.erase(symbol);
  }
  for (func::FuncOp function : functions)
    for (int64_t number = function.getNumArguments(); number-- > 0;) {
      auto role = function.getArgAttrOfType<RoleAttr>(unsigned(number), LgcDialect::kRoleAttr);
      if (role.getValue() == Role::Scalar && function.getArgument(unsigned(number)).use_empty())
        (void)function.eraseArgument(unsigned(number));
    }
}

FailureOr<OwningOpRef<ModuleOp>> ModelImporter::import() {
  if (failed(checkSupport(model, loc)))
    return failure();
  FailureOr<std::vector<GraphInput>> bound = bindInputs(model, options, loc);
  FailureOr<ParameterPlan> planned = planParameters(model, *builder.getContext(), options);
  if (failed(bound) || failed(planned))
    return failure();
  inputs = std::move(*bound);
  plan = std::move(*planned);
  OwningOpRef<ModuleOp> owner = ModuleOp::create(loc);
  module = *owner;
  FailureOr<Function> forward = importFunction("forward", Mode::Inference);
  if (failed(forward))
    return failure();
  FailureOr<Function> training = importFunction("training_forward", Mode::Training);
  if (failed(training))
    return failure();
  declareParameters();
  removeUnused({forward->op, training->op});
  if (failed(verify(module)))
    return failure();
  return owner;
}

//===----------------------------------------------------------------------===//
// Entry points
//===----------------------------------------------------------------------===//

static FailureOr<OwningOpRef<ModuleOp>>
importModel(MLIRContext &context, std::unique_ptr<Model> model, const ImportOptions &options) {
  if (!model)
    return failure();
  context.loadDialect<LgcDialect, func::FuncDialect>();
  return ModelImporter(*model, options, context).import();
}

FailureOr<OwningOpRef<ModuleOp>> lgc::importOnnx(MLIRContext &context, StringRef path,
                                                 const ImportOptions &options) {
  return importModel(context, readModel(path, context), options);
}

FailureOr<OwningOpRef<ModuleOp>> lgc::importOnnxBytes(MLIRContext &context, StringRef bytes,
                                                      const ImportOptions &options) {
  return importModel(context, readModelBytes(bytes, context), options);
}
