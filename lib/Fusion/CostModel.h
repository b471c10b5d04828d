//===- CostModel.h - What a kernel costs ------------------------*- C++ -*-===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef LGC_LIB_FUSION_COSTMODEL_H
#define LGC_LIB_FUSION_COSTMODEL_H

#include "lgc/Fusion/KernelShape.h"

namespace lgc {

/// Whether an operation is worth repeating in each of its users rather than keeping its result:
/// constants, counters and what they become by comparisons and casts, and rearrangements, all of
/// which vanish into index arithmetic.
bool isCheap(mlir::Operation *op);

/// Estimated nanoseconds of one launch of a kernel: a fixed part, the bytes that it reads and
/// writes, and its arithmetic, where an element that a broadcast repeats, or that several
/// stages of a reduction kernel need, counts as often as it is computed. Only meant to
/// compare ways to group the same operations.
double estimateKernelCost(llvm::ArrayRef<mlir::Operation *> ops,
                          llvm::ArrayRef<mlir::Value> outputs, const KernelShape &shape);

/// Estimated nanoseconds of one launch of an outlined kernel on tensors, with the work of
/// libraries and of loops that fusion leaves as they are.
int64_t estimateLaunchTime(mlir::func::FuncOp kernel);

} // namespace lgc

#endif // LGC_LIB_FUSION_COSTMODEL_H
