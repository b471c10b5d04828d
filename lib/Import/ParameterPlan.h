//===- ParameterPlan.h - What becomes of a model's initializers -*- C++ -*-===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//
//
// An exporter flattens parameters, buffers and constants into one list of initializers, merges
// equal ones, and transposes copies. The plan undoes that before anything is translated: see
// docs/import.md for the rules.
//
//===----------------------------------------------------------------------===//

#ifndef LGC_LIB_IMPORT_PARAMETERPLAN_H
#define LGC_LIB_IMPORT_PARAMETERPLAN_H

#include "ModelReader.h"
#include "lgc/IR/LgcAttributes.h"
#include "lgc/Import/Import.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/DenseMap.h"

namespace lgc {

/// A parameter or state that the program will have.
struct PlannedParameter {
  std::string name;
  Role role = Role::Parameter;
  bool frozen = false;
  mlir::RankedTensorType type;
  mlir::Attribute initial;
  mlir::ArrayAttr initializers;
};

/// How a parameter is seen where an initializer stood: permuted, then repeated along dimensions of
/// size 1.
struct ParameterView {
  unsigned parameter;                     ///< in ParameterPlan::parameters
  llvm::SmallVector<int64_t> permutation; ///< empty where nothing is permuted
  llvm::SmallVector<int64_t> shape;       ///< of the initializer
};

struct ParameterPlan {
  std::vector<PlannedParameter> parameters;
  /// Initializers that are parameters or states; all others are constants.
  llvm::StringMap<ParameterView> views;
  /// Operands whose initializer stood for several parameters: node and operand number.
  llvm::DenseMap<std::pair<const onnx::NodeProto *, unsigned>, ParameterView> operands;
  /// Nodes whose all-zero bias the exporter removed.
  llvm::DenseMap<const onnx::NodeProto *, ParameterView> restoredBiases;
};

/// Decides over all initializers of the main graph.
mlir::FailureOr<ParameterPlan> planParameters(const Model &model, mlir::MLIRContext &context,
                                              const ImportOptions &options);

/// A node's module: the innermost of `pkg.torch.onnx.name_scopes`, or empty.
std::string modulePathOf(const onnx::NodeProto &node);

/// Whether a BatchNormalization updates its running statistics in training.
bool usesBatchStatistics(const onnx::NodeProto &node, const ImportOptions &options);

} // namespace lgc

#endif // LGC_LIB_IMPORT_PARAMETERPLAN_H
