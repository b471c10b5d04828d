//===- FunctionPlan.h - Which tensors share memory --------------*- C++ -*-===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//
//
// Planning a function gives each of its tensors a block of memory. Several tensors share one
// where they are views of each other or take it over from each other; the blocks' live ranges
// then decide about their offsets.
//
//===----------------------------------------------------------------------===//

#ifndef LGC_LIB_MEMORY_FUNCTIONPLAN_H
#define LGC_LIB_MEMORY_FUNCTIONPLAN_H

#include "lgc/IR/LgcOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/MapVector.h"
#include <vector>

namespace lgc {

/// A tensor with a place of its own that all entry functions agree on.
struct NamedBuffer {
  Role role;
  mlir::RankedTensorType type;
  int64_t offset = 0;
};
using NamedBuffers = llvm::MapVector<mlir::StringAttr, NamedBuffer>;

struct MemoryBlock {
  int64_t bytes = 0;
  /// The first and last moment at which it is needed.
  int64_t first = INT64_MAX, last = -1;
  /// The named buffer whose memory this is, or null.
  mlir::StringAttr named;
  /// The output that lies here until the function has returned, or null.
  mlir::StringAttr output;
  mlir::RankedTensorType outputType;
  /// Whether it holds a value carried by the loop that is being planned.
  bool isCarried = false;
  int64_t offset = 0;

  /// Whether a result may take it over from a dying operand.
  bool isTemporary() const { return !named && !output && !isCarried; }
};

/// Where a tensor lies: at the start of a block or, for the piece of a micro-batch, at the loop's
/// counter times the piece's size.
struct Place {
  unsigned block = 0;
  MicroBatchesOp loop;
  int64_t pieceBytes = 0;
};

/// A copy of one tensor that runs before an operation.
struct PlannedCopy {
  mlir::Operation *before;
  Place from, to;
  /// What is copied, and what it is called there: the same, or a value carried by a loop.
  mlir::Value value, becomes;
};

struct FunctionPlan {
  std::vector<MemoryBlock> blocks;
  llvm::DenseMap<mlir::Value, Place> places;
  llvm::DenseMap<mlir::Operation *, unsigned> scratch;
  /// In the order in which they run, for each operation that they run before.
  std::vector<PlannedCopy> copies;
};

/// Adds the arguments of an entry function to the named buffers, and outputs that another function
/// has, too. Errors are emitted at the function.
mlir::LogicalResult collectNamedBuffers(mlir::ArrayRef<mlir::func::FuncOp> functions,
                                        NamedBuffers &named);

/// Plans an entry function of launches, reshapes and loops over micro-batches.
mlir::FailureOr<FunctionPlan> planFunction(mlir::func::FuncOp function, const NamedBuffers &named);

/// Replaces a planned function, whose blocks have their offsets, by one on the arena.
void emitPlannedFunction(mlir::func::FuncOp function, const FunctionPlan &plan, int64_t arenaBytes,
                         mlir::SymbolTable &symbols);

} // namespace lgc

#endif // LGC_LIB_MEMORY_FUNCTIONPLAN_H
