//===- KernelLoops.h - Loops of the kinds of kernels ------------*- C++ -*-===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//
//
// Each function here emits the loops of one kind of kernel for work items [begin, end).
//
//===----------------------------------------------------------------------===//

#ifndef LGC_LIB_TARGET_CPU_KERNELLOOPS_H
#define LGC_LIB_TARGET_CPU_KERNELLOOPS_H

#include "lgc/Fusion/KernelShape.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/DenseMap.h"

namespace lgc {

/// A kernel being lowered: the function on tensors, and where its values lie.
struct KernelLowering {
  mlir::func::FuncOp kernel;
  KernelShape shape;
  /// Arguments (tensors), and constants of more than one number, to memrefs.
  llvm::DenseMap<mlir::Value, mlir::Value> inputs;
  /// Returned tensors with their memrefs, in order.
  llvm::SmallVector<std::pair<mlir::Value, mlir::Value>> outputs;
  /// Flat i8 memref, or null.
  mlir::Value scratch;
  /// The range of work items, of type index.
  mlir::Value begin, end;
};

/// How the work of a kernel splits: `count` equal items, at least `grain` of which are worth a
/// thread.
struct KernelWork {
  int64_t count = 1;
  int64_t grain = 1;
};

KernelWork emitLoopKernel(mlir::OpBuilder &builder, KernelLowering &lowering);
KernelWork emitReductionKernel(mlir::OpBuilder &builder, KernelLowering &lowering);
KernelWork emitSingleReductionKernel(mlir::OpBuilder &builder, KernelLowering &lowering);
KernelWork emitOwnLoopsKernel(mlir::OpBuilder &builder, KernelLowering &lowering);

/// Emits the loop over the kernel's work items and leaves the builder in its body; the item's
/// number.
mlir::Value enterItemLoop(mlir::OpBuilder &builder, const KernelLowering &lowering);

/// Runs `body` in a nest of loops from 0 to `sizes` with values carried through; returns the last
/// carried values. `body` gets the loop indices and the carried values and returns the next ones.
llvm::SmallVector<mlir::Value>
emitLoopNest(mlir::OpBuilder &builder, mlir::Location loc, llvm::ArrayRef<int64_t> sizes,
             mlir::ValueRange carried,
             llvm::function_ref<llvm::SmallVector<mlir::Value>(mlir::ValueRange indices,
                                                               mlir::ValueRange carried)>
                 body);

/// Estimated cost, in scalar operations, of one element of each op of the kernel together.
int64_t estimatePointCost(mlir::func::FuncOp kernel);

/// The grain for items of the given cost: about 20 microseconds of work.
int64_t getGrain(int64_t itemCost);

} // namespace lgc

#endif // LGC_LIB_TARGET_CPU_KERNELLOOPS_H
