//===- ParameterPlan.cpp - What becomes of a model's initializers ---------===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "ParameterPlan.h"
#include "InitializerFacts.h"
#include "TensorData.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace lgc;
using onnx::NodeProto;

std::string lgc::modulePathOf(const NodeProto &node) {
  std::string scopes = metadataOf(node.metadata_props(), "pkg.torch.onnx.name_scopes");
  if (!scopes.empty()) {
    // ['', 'model', 'model.layer', 'operation']: the last but one is the module.
    SmallVector<StringRef> parts;
    StringRef(scopes).split(parts, '\'');
    // Quoted strings are the odd parts.
    SmallVector<StringRef> names;
    for (size_t i = 1; i < parts.size(); i += 2)
      names.push_back(parts[i]);
    return names.size() >= 2 ? names[names.size() - 2].str() : std::string();
  }
  // The older exporter: /layer1/layer1.0/conv1/Conv.
  StringRef name = node.name();
  if (!name.starts_with("/"))
    return {};
  std::string path = name.drop_front().rsplit('/').first.str();
  if (path.size() + 1 == name.size())
    return {};
  std::replace(path.begin(), path.end(), '/', '.');
  return path;
}

bool lgc::usesBatchStatistics(const NodeProto &node, const ImportOptions &options) {
  for (const onnx::AttributeProto &attribute : node.attribute())
    if (attribute.name() == "training_mode")
      return attribute.i() != 0 || options.batchnormTrain;
  // Before opset 14 the training outputs tell.
  return node.output_size() > 1 || options.batchnormTrain;
}

namespace {

/// Puts the plan together.
class Planner {
public:
  Planner(const Model &model, MLIRContext &context, const ImportOptions &options)
      : model(model), builder(&context), options(options), facts(collectFacts(model)),
        fileTellsKinds(tellsKinds(facts)) {}

  FailureOr<ParameterPlan> run();

private:
  using Uses = SmallVector<InitializerUse>;

  Location at(StringRef name) { return NameLoc::get(builder.getStringAttr(name)); }
  std::string unique(std::string name);
  FailureOr<Attribute> initialValue(const onnx::TensorProto &tensor, RankedTensorType type);
  FailureOr<unsigned> addParameter(const InitializerFacts &fact, std::string name, Role role);
  LogicalResult planStatistics(const InitializerFacts &fact);
  LogicalResult planParameter(const InitializerFacts &fact);
  bool isTiedCopy(const InitializerFacts &fact);
  bool isRepeatedRow(const InitializerFacts &fact, InitializerBytes &bytes);
  llvm::MapVector<StringRef, Uses> usesByModule(const InitializerFacts &fact,
                                                std::vector<std::string> &modules);
  bool wasMerged(const InitializerFacts &fact);
  void restoreBias(const NodeProto &node);
  void tellFoldedNormalizations();
  void tellFrozenStatistics();

  const Model &model;
  OpBuilder builder;
  const ImportOptions &options;
  std::vector<InitializerFacts> facts;
  bool fileTellsKinds;
  llvm::StringSet<> names;
  ParameterPlan plan;
};

} // namespace

std::string Planner::unique(std::string name) {
  if (name == "forward" || name == "training_forward" || name == "train_step")
    name += ".parameter";
  std::string candidate = name;
  for (unsigned i = 1; !names.insert(candidate).second; ++i)
    candidate = name + "." + std::to_string(i);
  return candidate;
}

FailureOr<Attribute> Planner::initialValue(const onnx::TensorProto &tensor, RankedTensorType type) {
  Location loc = at(tensor.name());
  int64_t bytes = type.getNumElements() * type.getElementTypeBitWidth() / 8;
  bool isExternal = tensor.data_location() == onnx::TensorProto::EXTERNAL;
  if (isExternal) {
    FailureOr<ExternalRange> range = externalRange(tensor, model.directory, loc);
    if (failed(range))
      return failure();
    if (bytes > options.largestInline)
      return Attribute(
          ExternalDataAttr::get(builder.getContext(), range->file, range->offset, range->length));
  }
  auto position = model.rawData.find(tensor.name());
  if (!isExternal && bytes > options.largestInline && position != model.rawData.end() &&
      position->second.second == bytes)
    return Attribute(
        ExternalDataAttr::get(builder.getContext(), model.fileName, position->second.first, bytes));
  FailureOr<DenseElementsAttr> elements = elementsOf(tensor, model.directory, loc);
  if (failed(elements))
    return failure();
  return Attribute(*elements);
}

FailureOr<unsigned> Planner::addParameter(const InitializerFacts &fact, std::string name,
                                          Role role) {
  PlannedParameter parameter;
  FailureOr<RankedTensorType> type = tensorTypeOf(*fact.tensor, at(fact.tensor->name()));
  if (failed(type))
    return failure();
  FailureOr<Attribute> initial = initialValue(*fact.tensor, *type);
  if (failed(initial))
    return failure();
  parameter.name = unique(std::move(name));
  parameter.role = role;
  parameter.type = *type;
  parameter.initial = *initial;
  parameter.initializers =
      builder.getArrayAttr(builder.getArrayAttr(builder.getStringAttr(fact.tensor->name())));
  plan.parameters.push_back(std::move(parameter));
  return unsigned(plan.parameters.size() - 1);
}

static ParameterView wholeView(unsigned parameter, RankedTensorType type) {
  return {parameter, {}, SmallVector<int64_t>(type.getShape())};
}

/// A running mean or variance: one state for each BatchNormalization that updates it. The ones
/// that none updates are parameters that training leaves alone.
LogicalResult Planner::planStatistics(const InitializerFacts &fact) {
  bool first = true;
  for (const InitializerUse &use : fact.uses) {
    bool updates = usesBatchStatistics(*use.node, options);
    std::string module = modulePathOf(*use.node);
    std::string name = fact.tensor->name();
    if (!first && !module.empty())
      name = module + (use.operand == 3 ? ".running_mean" : ".running_var");
    FailureOr<unsigned> number = addParameter(fact, name, updates ? Role::State : Role::Parameter);
    if (failed(number))
      return failure();
    PlannedParameter &parameter = plan.parameters[*number];
    parameter.frozen = !updates;
    plan.operands[{use.node, use.operand}] = wholeView(*number, parameter.type);
    first = false;
  }
  return success();
}

/// What a parameter is to the operation that uses it.
static StringRef leafName(const InitializerUse &use, StringRef name) {
  StringRef op = use.node->op_type();
  bool isLayer = op == "LayerNormalization" || op == "Gemm" || op == "Conv" ||
                 op == "ConvTranspose" || op == "BatchNormalization" ||
                 op == "InstanceNormalization" || op == "GroupNormalization" ||
                 op == "RMSNormalization";
  if (isLayer && use.operand == 1)
    return "weight";
  if ((isLayer && use.operand == 2) || op == "Add")
    return "bias";
  StringRef leaf = name.rsplit('.').second;
  return leaf.empty() ? name : leaf;
}

llvm::MapVector<StringRef, Planner::Uses> Planner::usesByModule(const InitializerFacts &fact,
                                                                std::vector<std::string> &modules) {
  modules.clear();
  modules.reserve(fact.uses.size());
  StringRef owner = StringRef(fact.tensor->name()).rsplit('.').first;
  llvm::MapVector<StringRef, Uses> groups;
  for (const InitializerUse &use : fact.uses) {
    modules.push_back(modulePathOf(*use.node));
    StringRef module = modules.back().empty() ? owner : StringRef(modules.back());
    groups[module].push_back(use);
  }
  return groups;
}

/// Whether an initializer stands for parameters of several modules that happened to be equal. A
/// tensor of one number everywhere is how layers start; other equal tensors are copies of a layer
/// if the same operation uses them, and else, or in look-ups, a tie that is meant.
bool Planner::wasMerged(const InitializerFacts &fact) {
  StringRef op = fact.uses.front().node->op_type();
  unsigned operand = fact.uses.front().operand;
  if (op != "Gather" && llvm::all_of(fact.uses, [&](const InitializerUse &use) {
        return use.node->op_type() == op && use.operand == operand;
      }))
    return true;
  InitializerBytes data(model, *fact.tensor);
  StringRef bytes = data.bytes();
  size_t width = fact.tensor->data_type() == onnx::TensorProto::DOUBLE  ? 8
                 : fact.tensor->data_type() == onnx::TensorProto::FLOAT ? 4
                                                                        : 2;
  if (bytes.size() < 2 * width)
    return !bytes.empty();
  return bytes.drop_front(width) == bytes.drop_back(width);
}

/// Ties an initializer that is another one, permuted, to it.
bool Planner::isTiedCopy(const InitializerFacts &fact) {
  if (options.keepCuts || fact.tensor->dims_size() != 2)
    return false;
  int64_t rows = fact.tensor->dims(0), columns = fact.tensor->dims(1);
  size_t width = fact.tensor->data_type() == onnx::TensorProto::DOUBLE  ? 8
                 : fact.tensor->data_type() == onnx::TensorProto::FLOAT ? 4
                                                                        : 2;
  InitializerBytes own(model, *fact.tensor);
  if (own.bytes().size() != size_t(rows * columns) * width || rows * columns < 4)
    return false;
  for (const InitializerFacts &other : facts) {
    if (&other == &fact || other.tensor->data_type() != fact.tensor->data_type() ||
        other.tensor->dims_size() != 2 || other.tensor->dims(0) != columns ||
        other.tensor->dims(1) != rows)
      continue;
    auto view = plan.views.find(other.tensor->name());
    if (view == plan.views.end() || !view->second.permutation.empty())
      continue;
    InitializerBytes theirs(model, *other.tensor);
    if (theirs.bytes().size() != own.bytes().size())
      continue;
    // A tensor of one number everywhere says nothing.
    bool equal = own.bytes().drop_front(width) != own.bytes().drop_back(width);
    for (int64_t row = 0; equal && row < rows; ++row)
      for (int64_t column = 0; equal && column < columns; ++column)
        equal = own.bytes().substr(size_t(row * columns + column) * width, width) ==
                theirs.bytes().substr(size_t(column * rows + row) * width, width);
    if (!equal)
      continue;
    PlannedParameter &parameter = plan.parameters[view->second.parameter];
    plan.views[fact.tensor->name()] = {view->second.parameter, {1, 0}, {rows, columns}};
    SmallVector<Attribute> initializers(parameter.initializers.begin(),
                                        parameter.initializers.end());
    initializers.push_back(builder.getArrayAttr(
        {builder.getStringAttr(fact.tensor->name()), builder.getDenseI64ArrayAttr({1, 0})}));
    parameter.initializers = builder.getArrayAttr(initializers);
    emitRemark(at(fact.tensor->name()),
               "'" + fact.tensor->name() + "' is a transposed copy of '" + other.tensor->name() +
                   "' and is trained as one parameter with it; --keep-cuts leaves them apart");
    return true;
  }
  return false;
}

/// Whether the exporter repeated one row over the batch: `expand` of a class token.
bool Planner::isRepeatedRow(const InitializerFacts &fact, InitializerBytes &bytes) {
  if (!StringRef(fact.tensor->name()).starts_with("expand") || fact.tensor->dims_size() < 2 ||
      fact.tensor->dims(0) < 2)
    return false;
  size_t row = bytes.bytes().size() / size_t(fact.tensor->dims(0));
  return row > 0 && bytes.bytes().drop_front(row) == bytes.bytes().drop_back(row);
}

/// The name that a user knows a parameter by.
static std::string givenName(const InitializerFacts &fact) {
  return fact.foldedFrom.size() == 1 && fact.kind.empty() ? fact.foldedFrom.front()
                                                          : fact.tensor->name();
}

LogicalResult Planner::planParameter(const InitializerFacts &fact) {
  const std::string &name = fact.tensor->name();
  InitializerBytes bytes(model, *fact.tensor);
  if (isRepeatedRow(fact, bytes)) {
    onnx::TensorProto row;
    row.set_name(name);
    row.set_data_type(fact.tensor->data_type());
    for (int i = 0; i < fact.tensor->dims_size(); ++i)
      row.add_dims(i == 0 ? 1 : fact.tensor->dims(i));
    row.set_raw_data(bytes.bytes().take_front(bytes.bytes().size() / fact.tensor->dims(0)).str());
    InitializerFacts one{&row, fact.uses, fact.kind, fact.foldedFrom};
    FailureOr<unsigned> number = addParameter(one, name, Role::Parameter);
    if (failed(number))
      return failure();
    plan.views[name] = {
        *number, {}, SmallVector<int64_t>(fact.tensor->dims().begin(), fact.tensor->dims().end())};
    emitRemark(at(name), "'" + name + "' repeats one row " + Twine(fact.tensor->dims(0)) +
                             " times; it is trained as one row");
    return success();
  }
  std::vector<std::string> modules;
  auto groups = usesByModule(fact, modules);
  if (groups.size() < 2 || options.keepTies || !wasMerged(fact)) {
    FailureOr<unsigned> number = addParameter(fact, givenName(fact), Role::Parameter);
    if (failed(number))
      return failure();
    plan.views[name] = wholeView(*number, plan.parameters[*number].type);
    return success();
  }
  StringRef owner = StringRef(name).rsplit('.').first;
  for (auto &[module, uses] : groups) {
    std::string copy = module == owner ? name : (module + "." + leafName(uses.front(), name)).str();
    FailureOr<unsigned> number = addParameter(fact, copy, Role::Parameter);
    if (failed(number))
      return failure();
    ParameterView view = wholeView(*number, plan.parameters[*number].type);
    if (!plan.views.count(name) || module == owner)
      plan.views[name] = view;
    for (const InitializerUse &use : uses)
      plan.operands[{use.node, use.operand}] = view;
  }
  emitRemark(at(name), "the exporter merged equal parameters of " + Twine(groups.size()) +
                           " modules into '" + name +
                           "'; each module gets its own, --keep-ties leaves them one");
  return success();
}

/// Puts back a bias that the exporter removed because it was zero everywhere.
void Planner::restoreBias(const NodeProto &node) {
  std::string rule = metadataOf(node.metadata_props(), "pkg.onnxscript.rewriter.rule_name");
  bool isGemm = node.op_type() == "Gemm" && StringRef(rule).contains("RemoveOptionalBiasFromGemm");
  bool isConv = node.op_type() == "Conv" && StringRef(rule).contains("RemoveOptionalBiasFromConv");
  if ((!isGemm && !isConv) || node.input_size() != 2)
    return;
  // A convolution without a bias loses the zeros that an earlier step of the export gave it.
  std::string traced = metadataOf(node.metadata_props(), "pkg.torch.onnx.fx_node");
  if (isConv && !StringRef(traced).contains("bias"))
    return;
  const onnx::TensorProto *weight = nullptr;
  for (const InitializerFacts &fact : facts)
    if (fact.tensor->name() == node.input(1))
      weight = fact.tensor;
  int wanted = isConv ? 4 : 2;
  if (!weight || (isGemm && weight->dims_size() != wanted) || weight->dims_size() < 2)
    return;
  bool transposed = isConv;
  for (const onnx::AttributeProto &attribute : node.attribute())
    transposed |= attribute.name() == "transB" && attribute.i() != 0;
  PlannedParameter bias;
  Type element = elementTypeOf(*builder.getContext(), weight->data_type());
  if (!element || !isa<FloatType>(element))
    return;
  std::string module = modulePathOf(node);
  bias.name = unique((module.empty() ? node.name() : module) + ".bias");
  bias.type = RankedTensorType::get({weight->dims(transposed ? 0 : 1)}, element);
  bias.initial = builder.getFloatAttr(element, 0.0);
  plan.restoredBiases[&node] = wholeView(unsigned(plan.parameters.size()), bias.type);
  emitRemark(at(bias.name), "the exporter removed the bias of '" + node.name() +
                                "' because it is zero; it is put back as '" + bias.name +
                                "' and trained");
  plan.parameters.push_back(std::move(bias));
}

void Planner::tellFoldedNormalizations() {
  unsigned folded = 0;
  for (const NodeProto &node : model.proto.graph().node())
    folded += StringRef(metadataOf(node.metadata_props(), "pkg.onnxscript.rewriter.rule_name"))
                  .contains("FuseBatchNormIntoConv");
  if (folded)
    emitWarning(at(model.proto.graph().name()),
                "the exporter folded " + Twine(folded) +
                    " batch normalisations into convolutions: nothing is left of them to train; "
                    "to keep them, export with torch.onnx.export(..., dynamo=True, "
                    "optimize=False) or with dynamo=False and training=TrainingMode.TRAINING");
}

void Planner::tellFrozenStatistics() {
  unsigned frozen = 0;
  for (const NodeProto &node : model.proto.graph().node())
    frozen += node.op_type() == "BatchNormalization" && !usesBatchStatistics(node, options);
  if (frozen && !options.asWritten)
    emitRemark(at(model.proto.graph().name()),
               "the model was exported for use, not for training: " + Twine(frozen) +
                   " batch normalisations keep their running statistics; --batchnorm=train "
                   "normalises by each batch");
}

FailureOr<ParameterPlan> Planner::run() {
  auto isStatistic = [](const InitializerUse &use) {
    return use.node->op_type() == "BatchNormalization" && use.operand >= 3;
  };
  // Initializers that others may be copies of come first.
  auto isFolded = [](const InitializerFacts &fact) { return !fact.foldedFrom.empty(); };
  for (bool copies : {false, true}) {
    for (const InitializerFacts &fact : facts) {
      if (isFolded(fact) != copies || options.boundInputs.count(fact.tensor->name()))
        continue;
      if (!fact.uses.empty() && llvm::all_of(fact.uses, isStatistic)) {
        if (failed(planStatistics(fact)))
          return failure();
      } else if (isTrainable(fact, fileTellsKinds) && !isTiedCopy(fact)) {
        if (failed(planParameter(fact)))
          return failure();
      }
    }
  }
  for (const NodeProto &node : model.proto.graph().node())
    restoreBias(node);
  tellFoldedNormalizations();
  tellFrozenStatistics();
  return std::move(plan);
}

/// Puts parameters before states, each in the order that they had.
static void orderByRole(ParameterPlan &plan) {
  std::vector<PlannedParameter> ordered;
  SmallVector<unsigned> numbers(plan.parameters.size());
  for (Role role : {Role::Parameter, Role::State})
    for (auto [old, parameter] : llvm::enumerate(plan.parameters))
      if (parameter.role == role) {
        numbers[old] = ordered.size();
        ordered.push_back(std::move(parameter));
      }
  plan.parameters = std::move(ordered);
  for (auto &entry : plan.views)
    entry.second.parameter = numbers[entry.second.parameter];
  for (auto &entry : plan.operands)
    entry.second.parameter = numbers[entry.second.parameter];
  for (auto &entry : plan.restoredBiases)
    entry.second.parameter = numbers[entry.second.parameter];
}

FailureOr<ParameterPlan> lgc::planParameters(const Model &model, MLIRContext &context,
                                             const ImportOptions &options) {
  FailureOr<ParameterPlan> plan = Planner(model, context, options).run();
  if (succeeded(plan))
    orderByRole(*plan);
  return plan;
}
