//===- MicroBatchForward.h - @forward over micro-batches --------*- C++ -*-===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef LGC_LIB_TRAINING_MICROBATCHFORWARD_H
#define LGC_LIB_TRAINING_MICROBATCHFORWARD_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace lgc {

/// Makes @forward run over all micro-batches: its inputs grow `microBatches`-fold along dimension
/// 0, as those of @train_step do, and of its results the loss is left.
mlir::LogicalResult growForward(mlir::func::FuncOp forward, int64_t microBatches);

} // namespace lgc

#endif // LGC_LIB_TRAINING_MICROBATCHFORWARD_H
