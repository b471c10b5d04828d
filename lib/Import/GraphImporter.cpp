//===- GraphImporter.cpp - Translates graphs into one function ------------===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "GraphImporter.h"
#include "InitializerFacts.h"
#include "NodeImporter.h"
#include "TensorData.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;
using namespace lgc;
using onnx::AttributeProto;
using onnx::NodeProto;

/// How many nodes functions and loops may expand to.
static constexpr unsigned kMostNodes = 250000;

Location GraphImporter::locationOf(const NodeProto &node) {
  StringRef name = node.name();
  if (name.empty() && node.output_size())
    name = node.output(0);
  if (name.empty())
    name = node.op_type();
  Location loc = NameLoc::get(builder.getStringAttr(name));
  SmallVector<Location> locs{loc};
  if (std::string module = modulePathOf(node); !module.empty())
    locs.push_back(NameLoc::get(builder.getStringAttr(module)));
  // The region that the file wants the node in is read by lgc-form-checkpoints.
  std::string region = metadataOf(node.metadata_props(), "lgc.checkpoint");
  if (locs.size() == 1 && region.empty())
    return loc;
  return FusedLoc::get(locs, region.empty() ? Attribute() : builder.getStringAttr(region),
                       builder.getContext());
}

bool GraphImporter::mayEnter(Location loc) {
  constexpr unsigned deepest = 64;
  if (depth < deepest)
    return true;
  emitError(loc, "functions and subgraphs are nested more than " + Twine(deepest) +
                     " deep; a function probably calls itself");
  return false;
}

ImportedValue GraphImporter::importConstant(const onnx::TensorProto &tensor, Location loc) {
  FailureOr<DenseElementsAttr> elements = elementsOf(tensor, model.directory, loc);
  if (mlir::failed(elements))
    return ImportedValue::failed();
  ImportedValue value(Value(ConstantOp::create(builder, loc, elements->getType(), *elements)));
  value.isPacked = tensor.data_type() == onnx::TensorProto::INT4 ||
                   tensor.data_type() == onnx::TensorProto::UINT4;
  return value;
}

bool GraphImporter::mayImportNode(Location loc) {
  if (++nodesImported == kMostNodes)
    emitError(loc, "functions and loops expand to more than " + Twine(kMostNodes) +
                       " nodes, more than can be compiled");
  failed |= nodesImported >= kMostNodes;
  return nodesImported < kMostNodes;
}

Value GraphImporter::viewParameter(const ParameterView &view, Location loc) {
  Value value = parameterArguments[view.parameter];
  if (auto updated = stateValues.find(view.parameter); updated != stateValues.end())
    value = updated->second;
  TensorBuilder build(builder, loc);
  if (!view.permutation.empty())
    value = build.transpose(value, view.permutation);
  return build.broadcastTo(value, view.shape);
}

std::optional<unsigned> GraphImporter::parameterOf(Value value) const {
  for (auto [i, argument] : llvm::enumerate(parameterArguments))
    if (argument == value)
      return unsigned(i);
  for (auto &[parameter, updated] : stateValues)
    if (updated == value)
      return parameter;
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Graphs
//===----------------------------------------------------------------------===//

void GraphImporter::importNodes(const google::protobuf::RepeatedPtrField<NodeProto> &nodes,
                                Scope &scope) {
  for (const NodeProto &node : nodes) {
    if (!mayImportNode(locationOf(node)))
      return;
    importNode(node, scope);
  }
}

std::optional<std::vector<ImportedValue>>
GraphImporter::importSubgraph(const onnx::GraphProto &graph, const Scope &outer,
                              ArrayRef<ImportedValue> inputs, Location loc) {
  if (!mayEnter(loc))
    return std::nullopt;
  llvm::SaveAndRestore<unsigned> deeper(depth, depth + 1);
  Scope scope;
  scope.parent = &outer;
  scope.opsets = outer.opsets;
  scope.attributes = outer.attributes;
  for (const onnx::TensorProto &tensor : graph.initializer())
    scope.values[tensor.name()] = importConstant(tensor, loc);
  for (auto [i, input] : llvm::enumerate(graph.input()))
    if (i < inputs.size())
      scope.values[input.name()] = inputs[i];
  importNodes(graph.node(), scope);
  std::vector<ImportedValue> outputs;
  for (const onnx::ValueInfoProto &output : graph.output()) {
    const ImportedValue *value = scope.find(output.name());
    if (!value) {
      emitError(loc, "no node computes the subgraph's output '" + output.name() + "'");
      return std::nullopt;
    }
    if (value->isFailed())
      return std::nullopt;
    outputs.push_back(*value);
  }
  return outputs;
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

/// What the attributes of a function stand for in a call: the call's own, else their defaults.
static llvm::StringMap<const AttributeProto *> bindAttributes(const onnx::FunctionProto &function,
                                                              const NodeProto &call,
                                                              const onnx::OpSchema *schema) {
  llvm::StringMap<const AttributeProto *> bound;
  if (schema)
    for (const auto &[name, attribute] : schema->attributes())
      if (attribute.default_value.type() != AttributeProto::UNDEFINED)
        bound[name] = &attribute.default_value;
  for (const AttributeProto &attribute : function.attribute_proto())
    bound[attribute.name()] = &attribute;
  for (const AttributeProto &attribute : call.attribute())
    bound[attribute.name()] = &attribute;
  return bound;
}

std::optional<std::vector<ImportedValue>>
GraphImporter::importFunction(const onnx::FunctionProto &function, const NodeProto &call,
                              const onnx::OpSchema *schema, ArrayRef<ImportedValue> operands,
                              Location loc) {
  if (!mayEnter(loc))
    return std::nullopt;
  if (call.input_size() > function.input_size()) {
    emitError(loc, "the function '" + function.name() + "' takes " + Twine(function.input_size()) +
                       " inputs, but is called with " + Twine(call.input_size()));
    return std::nullopt;
  }
  llvm::SaveAndRestore<unsigned> deeper(depth, depth + 1);
  Opsets opsets = readOpsets(function.opset_import());
  opsets.insert(model.opsets.begin(), model.opsets.end());
  auto attributes = bindAttributes(function, call, schema);
  Scope scope;
  scope.opsets = &opsets;
  scope.attributes = &attributes;
  for (auto [i, input] : llvm::enumerate(function.input()))
    scope.values[input] = i < operands.size() ? operands[i] : ImportedValue();
  importNodes(function.node(), scope);
  std::vector<ImportedValue> outputs;
  for (int i = 0; i < call.output_size(); ++i) {
    bool wanted = !call.output(i).empty();
    const ImportedValue *value =
        i < function.output_size() ? scope.find(function.output(i)) : nullptr;
    if (wanted && !value && nodesImported < kMostNodes) {
      emitError(loc, "the function '" + function.name() + "' doesn't compute output " + Twine(i));
      return std::nullopt;
    }
    if (wanted && (!value || value->isFailed()))
      return std::nullopt;
    outputs.push_back(wanted ? *value : ImportedValue());
  }
  return outputs;
}

const onnx::OpSchema *lgc::schemaOf(const NodeProto &node, const Opsets &opsets) {
  std::string domain = node.domain() == "ai.onnx" ? "" : node.domain();
  auto version = opsets.find(domain);
  if (version == opsets.end())
    return nullptr;
  return onnx::OpSchemaRegistry::Schema(node.op_type(), int(version->second), domain);
}

static onnx::TypeProto onnxType(const ImportedValue &value) {
  onnx::TypeProto type;
  if (!value.isTensor())
    return type;
  auto tensor = cast<RankedTensorType>(value.tensor.getType());
  type.mutable_tensor_type()->set_elem_type(onnxTypeOf(tensor.getElementType()));
  type.mutable_tensor_type()->mutable_shape();
  for (int64_t size : tensor.getShape())
    type.mutable_tensor_type()->mutable_shape()->add_dim()->set_dim_value(size);
  return type;
}

std::optional<onnx::FunctionProto> lgc::schemaFunction(const NodeProto &node, int64_t version,
                                                       ArrayRef<ImportedValue> operands) {
  std::string domain = node.domain() == "ai.onnx" ? "" : node.domain();
  const onnx::OpSchema *schema =
      onnx::OpSchemaRegistry::Schema(node.op_type(), int(version), domain);
  if (!schema)
    return std::nullopt;
  try {
    if (schema->HasContextDependentFunction()) {
      std::vector<onnx::TypeProto> types;
      for (const ImportedValue &operand : operands)
        types.push_back(onnxType(operand));
      onnx::FunctionBodyBuildContextImpl context(node, types);
      onnx::FunctionProto function;
      if (schema->BuildContextDependentFunction(context, function, int(version)))
        return function;
    }
    if (const onnx::FunctionProto *function = schema->GetFunction(int(version)))
      return *function;
  } catch (const std::exception &) {
    // The schema has no body for this combination.
  }
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Nodes
//===----------------------------------------------------------------------===//

/// The node with references to the attributes of the function around it replaced by what they are
/// bound to; an unbound one is left out.
static NodeProto resolveReferences(const NodeProto &node, const Scope &scope) {
  NodeProto resolved(node);
  resolved.clear_attribute();
  for (const AttributeProto &attribute : node.attribute()) {
    if (attribute.ref_attr_name().empty()) {
      *resolved.add_attribute() = attribute;
      continue;
    }
    auto bound = scope.attributes->find(attribute.ref_attr_name());
    if (bound == scope.attributes->end())
      continue;
    AttributeProto &copy = *resolved.add_attribute();
    copy = *bound->second;
    copy.set_name(attribute.name());
  }
  return resolved;
}

ImportedValue GraphImporter::operandOf(const NodeProto &node, int number, const Scope &scope,
                                       Location loc) {
  const std::string &name = node.input(number);
  if (name.empty())
    return {};
  if (auto view = plan.operands.find({&node, unsigned(number)}); view != plan.operands.end())
    return viewParameter(view->second, loc);
  const ImportedValue *value = scope.find(name);
  if (value) {
    // A state may have a new value since the name was bound.
    auto view = plan.views.find(name);
    if (view != plan.views.end() && stateValues.count(view->second.parameter) && !scope.attributes)
      return viewParameter(view->second, loc);
    return *value;
  }
  emitError(loc, node.op_type() + ": no node before this one computes its input '" + name +
                     "'; the nodes must be sorted, and none may depend on itself");
  return ImportedValue::failed();
}

std::optional<std::vector<ImportedValue>> GraphImporter::translate(const NodeProto &node,
                                                                   Scope &scope,
                                                                   ArrayRef<ImportedValue> operands,
                                                                   Location loc) {
  std::string domain = node.domain() == "ai.onnx" ? "" : node.domain();
  auto local = model.functions.find(functionKey(domain, node.op_type(), node.overload()));
  if (local != model.functions.end())
    return importFunction(*local->second, node, nullptr, operands, loc);
  auto found = scope.opsets->find(domain);
  int64_t version = found == scope.opsets->end() ? 1 : found->second;
  const OpTable &table = opTable();
  auto handler = table.find(domain.empty() ? node.op_type() : domain + ":" + node.op_type());
  NodeImporter importer(*this, node, scope, version, operands, loc);
  bool readsPacked = node.op_type() == "DequantizeLinear" || node.op_type() == "Cast" ||
                     node.op_type() == "Identity" || node.op_type() == "Constant";
  if (!readsPacked && llvm::any_of(operands, [](const ImportedValue &v) { return v.isPacked; })) {
    importer.error("integers of 4 bits are only supported where they are dequantised or cast");
    return std::nullopt;
  }
  if (handler != table.end()) {
    handler->second(importer);
    return importer.takeResults();
  }
  if (auto function = schemaFunction(node, version, operands))
    return importFunction(*function, node, schemaOf(node, *scope.opsets), operands, loc);
  importer.error("this operator isn't supported");
  return std::nullopt;
}

void GraphImporter::importNode(const NodeProto &original, Scope &scope) {
  std::optional<NodeProto> resolved;
  if (scope.attributes)
    resolved = resolveReferences(original, scope);
  const NodeProto &node = resolved ? *resolved : original;
  Location loc = locationOf(node);
  SmallVector<ImportedValue> operands;
  bool blocked = false;
  for (const AttributeProto &attribute : node.attribute())
    if (!scope.attributes && !attribute.ref_attr_name().empty()) {
      emitError(loc, node.op_type() + ": attribute '" + attribute.name() +
                         "' refers to an attribute of a function, but is in none");
      blocked = true;
    }
  for (int i = 0; i < node.input_size(); ++i) {
    operands.push_back(operandOf(original, i, scope, loc));
    blocked |= operands.back().isFailed();
  }
  auto bias = plan.restoredBiases.find(&original);
  if (!blocked && bias != plan.restoredBiases.end()) {
    operands.resize(2);
    operands.push_back(viewParameter(bias->second, loc));
  }
  std::optional<std::vector<ImportedValue>> results;
  if (!blocked) {
    unsigned errors = 0;
    ScopedDiagnosticHandler count(builder.getContext(), [&](Diagnostic &diagnostic) {
      errors += diagnostic.getSeverity() == DiagnosticSeverity::Error;
      return mlir::failure();
    });
    results = translate(node, scope, operands, loc);
    for (int i = 0; results && i < node.output_size(); ++i) {
      bool missing = i >= int(results->size()) || (*results)[i].isAbsent();
      if (!errors && !node.output(i).empty() && missing && node.op_type() != "Optional" &&
          node.op_type() != "If")
        emitError(loc, node.op_type() + ": output " + Twine(i) + " isn't supported");
    }
    if (errors)
      results = std::nullopt;
  }
  failed |= !results;
  for (int i = 0; i < node.output_size(); ++i) {
    if (node.output(i).empty())
      continue;
    ImportedValue value = results && i < int(results->size()) ? (*results)[i] : ImportedValue();
    failed |= value.isFailed();
    scope.values[node.output(i)] = results ? value : ImportedValue::failed();
  }
}
