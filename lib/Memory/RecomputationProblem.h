//===- RecomputationProblem.h - Launches as plain steps ---------*- C++ -*-===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef LGC_LIB_MEMORY_RECOMPUTATIONPROBLEM_H
#define LGC_LIB_MEMORY_RECOMPUTATIONPROBLEM_H

#include "lgc/IR/LgcOps.h"
#include "lgc/Recomputation/Recomputation.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/MapVector.h"

namespace lgc {

/// Bytes that a tensor takes in an arena of 64-byte places.
int64_t getPlacedBytes(mlir::Type type);

/// The body of an entry function, or of its loop over micro-batches, as a problem of
/// recomputation. Launches, loops and echoes are steps; views are none.
class BlockProblem {
public:
  explicit BlockProblem(mlir::Block &block);

  recomputation::Problem problem;
  /// The operations of the steps.
  llvm::SmallVector<mlir::Operation *> operations;

  /// Makes the block what the plan says: launches that run again are cloned, without new values of
  /// parameters and states, and reads mean the latest copy. Views are made where they are read.
  void apply(const recomputation::Plan &plan);

private:
  unsigned getTensor(mlir::Value root);
  void addStep(mlir::Operation *op);
  void addLaunch(LaunchOp launch, recomputation::Step &step);
  void addTerminator();
  void overwrite(mlir::OpResult result, mlir::Value old);
  void separateRepetition(unsigned number);
  mlir::Operation *repeat(unsigned number, llvm::SmallVectorImpl<mlir::Value> &originals);

  mlir::Block &block;
  llvm::DenseMap<mlir::Value, unsigned> tensors;
  llvm::DenseMap<mlir::Operation *, unsigned> steps;
};

} // namespace lgc

#endif // LGC_LIB_MEMORY_RECOMPUTATIONPROBLEM_H
