//===- ModelFunction.h - Named arguments and results ------------*- C++ -*-===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef LGC_LIB_TRAINING_MODELFUNCTION_H
#define LGC_LIB_TRAINING_MODELFUNCTION_H

#include "lgc/IR/LgcOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include <optional>

namespace lgc {

/// A function of the model seen by the names of its arguments and results.
class ModelFunction {
public:
  explicit ModelFunction(mlir::func::FuncOp function) : function(function) {}

  mlir::func::FuncOp get() const { return function; }
  mlir::func::ReturnOp getReturn() const {
    return mlir::cast<mlir::func::ReturnOp>(function.getBody().front().getTerminator());
  }

  llvm::StringRef getName(mlir::BlockArgument argument) const;
  std::optional<Role> getRole(mlir::BlockArgument argument) const;
  /// Empty if a result has no name (an update).
  llvm::StringRef getResultName(unsigned result) const;
  /// The name of the parameter or state that a result updates, or empty.
  llvm::StringRef getUpdated(unsigned result) const;

  /// Null if there is none.
  mlir::Value findArgument(llvm::StringRef name) const;
  mlir::Value findOutput(llvm::StringRef name) const;

  /// The names of the outputs, for messages.
  std::string listOutputs() const;

  /// Adds an argument behind those whose role doesn't come after `role`.
  mlir::BlockArgument addArgument(llvm::StringRef name, Role role, mlir::Type type);
  /// Finds a scalar or adds it.
  mlir::Value getScalar(llvm::StringRef name, mlir::Type element);
  void addResult(mlir::Value value, llvm::StringRef attribute, llvm::StringRef name);
  /// Drops all results and their attributes.
  void clearResults();

private:
  mutable mlir::func::FuncOp function;
};

} // namespace lgc

#endif // LGC_LIB_TRAINING_MODELFUNCTION_H
