//===- SupportCheck.cpp - Tells all unsupported operators at once ---------===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "SupportCheck.h"
#include "GraphImporter.h"
#include "OpTable.h"

#include <onnx/defs/schema.h>

using namespace mlir;
using namespace lgc;
using onnx::NodeProto;

const OpTable &lgc::opTable() {
  static const OpTable table = [] {
    OpTable entries;
    for (auto registerOps :
         {registerElementwiseOps,   registerMathOps,        registerActivationOps,
          registerComparisonOps,    registerIntegerOps,     registerConstantOps,
          registerShapeOps,         registerSliceOps,       registerReductionOps,
          registerMatmulOps,        registerConvolutionOps, registerPoolingOps,
          registerNormalizationOps, registerIndexingOps,    registerRandomOps,
          registerSortingOps,       registerSequenceOps,    registerEinsumOps,
          registerControlFlowOps,   registerLossOps,        registerQuantizationOps,
          registerRecurrentOps,     registerOptimizerOps,   registerResizeOps})
      registerOps(entries);
    return entries;
  }();
  return table;
}

namespace {

/// Unsupported operators and some of the nodes that use each.
class Unsupported {
public:
  explicit Unsupported(const Model &model) : model(model) {}

  void visit(const google::protobuf::RepeatedPtrField<NodeProto> &nodes, const Opsets &opsets,
             unsigned depth = 0) {
    for (const NodeProto &node : nodes) {
      if (!isSupported(node, opsets))
        users[name(node)].push_back(node.name().empty() && node.output_size() ? node.output(0)
                                                                              : node.name());
      for (const onnx::AttributeProto &attribute : node.attribute())
        if (attribute.has_g() && depth < 64)
          visit(attribute.g().node(), opsets, depth + 1);
    }
  }

  LogicalResult report(Location loc) {
    if (users.empty())
      return success();
    std::string list;
    for (auto &[op, nodes] : users) {
      list += (list.empty() ? "" : ", ") + op + " (" + std::to_string(nodes.size()) + ": '" +
              nodes.front() + "'" + (nodes.size() > 1 ? ", ..." : "") + ")";
    }
    return emitError(loc, "the model uses operators that aren't supported: " + list +
                              "; docs/onnx-support.md lists those that are");
  }

private:
  const Model &model;
  std::map<std::string, std::vector<std::string>> users;

  static std::string name(const NodeProto &node) {
    return (node.domain().empty() ? "" : node.domain() + ".") + node.op_type();
  }

  bool isSupported(const NodeProto &node, const Opsets &opsets) {
    std::string domain = node.domain() == "ai.onnx" ? "" : node.domain();
    if (model.functions.count(functionKey(domain, node.op_type(), node.overload())) ||
        opTable().count(domain.empty() ? node.op_type() : domain + ":" + node.op_type()))
      return true;
    const onnx::OpSchema *schema = schemaOf(node, opsets);
    return schema && (schema->HasFunction() || schema->HasContextDependentFunction());
  }
};

} // namespace

LogicalResult lgc::checkSupport(const Model &model, Location loc) {
  Unsupported unsupported(model);
  unsupported.visit(model.proto.graph().node(), model.opsets);
  for (const onnx::FunctionProto &function : model.proto.functions()) {
    Opsets opsets = readOpsets(function.opset_import());
    opsets.insert(model.opsets.begin(), model.opsets.end());
    unsupported.visit(function.node(), opsets);
  }
  return unsupported.report(loc);
}
