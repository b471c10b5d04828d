//===- GraphImporter.h - Translates graphs into one function ----*- C++ -*-===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef LGC_LIB_IMPORT_GRAPHIMPORTER_H
#define LGC_LIB_IMPORT_GRAPHIMPORTER_H

#include "ImportedValue.h"
#include "OpTable.h"
#include "ParameterPlan.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"

#include <onnx/defs/schema.h>

namespace lgc {

/// Whether a function computes what the model computes when it is used or when it is trained.
enum class Mode { Inference, Training };

/// A new value of a state (a running statistic).
struct StateUpdate {
  unsigned parameter;
  mlir::Value value;
};

/// Translates the nodes of a model into a function's body.
class GraphImporter {
public:
  GraphImporter(const Model &model, const ImportOptions &options, const ParameterPlan &plan,
                Mode mode, mlir::OpBuilder &builder)
      : model(model), options(options), plan(plan), mode(mode), builder(builder) {}

  /// Translates the nodes in their order, and goes on after one that fails.
  void importNodes(const google::protobuf::RepeatedPtrField<onnx::NodeProto> &nodes, Scope &scope);

  /// Translates a subgraph in the scope around it; gives its outputs, or nothing if one is missing.
  std::optional<std::vector<ImportedValue>> importSubgraph(const onnx::GraphProto &graph,
                                                           const Scope &outer,
                                                           llvm::ArrayRef<ImportedValue> inputs,
                                                           mlir::Location loc);

  /// Translates a call of a function; gives its outputs, or nothing on failure.
  std::optional<std::vector<ImportedValue>> importFunction(const onnx::FunctionProto &function,
                                                           const onnx::NodeProto &call,
                                                           const onnx::OpSchema *schema,
                                                           llvm::ArrayRef<ImportedValue> operands,
                                                           mlir::Location loc);

  /// Names an initializer of any graph as a constant.
  ImportedValue importConstant(const onnx::TensorProto &tensor, mlir::Location loc);

  mlir::Value viewParameter(const ParameterView &view, mlir::Location loc);
  /// The parameter or state that a value is, if it is one unchanged.
  std::optional<unsigned> parameterOf(mlir::Value value) const;
  /// The value that a state will have after the step.
  void updateState(unsigned parameter, mlir::Value value) { stateValues[parameter] = value; }

  mlir::Location locationOf(const onnx::NodeProto &node);

  /// Whether another graph or function may be entered: a bound for the stack.
  bool mayEnter(mlir::Location loc);

  const Model &model;
  const ImportOptions &options;
  const ParameterPlan &plan;
  const Mode mode;
  mlir::OpBuilder &builder;

  /// The function's arguments for parameters, in the plan's order, and its scalars.
  llvm::SmallVector<mlir::Value> parameterArguments;
  mlir::Value seed, step;
  int64_t nextStream = 0;
  /// New values of states, by parameter number.
  std::map<unsigned, mlir::Value> stateValues;
  bool failed = false;

private:
  void importNode(const onnx::NodeProto &node, Scope &scope);
  std::optional<std::vector<ImportedValue>> translate(const onnx::NodeProto &node, Scope &scope,
                                                      llvm::ArrayRef<ImportedValue> operands,
                                                      mlir::Location loc);
  ImportedValue operandOf(const onnx::NodeProto &node, int number, const Scope &scope,
                          mlir::Location loc);

  /// Counts a node; false, and once an error, when functions expand to more than any model has.
  bool mayImportNode(mlir::Location loc);

  unsigned depth = 0;
  unsigned nodesImported = 0;
};

/// The function body of an operator's schema for a node with these operands, if there is one.
std::optional<onnx::FunctionProto> schemaFunction(const onnx::NodeProto &node, int64_t version,
                                                  llvm::ArrayRef<ImportedValue> operands);
/// The schema of a node's operator, if ONNX has it.
const onnx::OpSchema *schemaOf(const onnx::NodeProto &node, const Opsets &opsets);

} // namespace lgc

#endif // LGC_LIB_IMPORT_GRAPHIMPORTER_H
