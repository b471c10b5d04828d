//===- Scratch.h - Scratch memory of kernels --------------------*- C++ -*-===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef LGC_TARGET_CPU_SCRATCH_H
#define LGC_TARGET_CPU_SCRATCH_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace lgc {

/// Bytes of scratch memory that the CPU target needs to run a kernel (a function on tensors, as
/// fusion outlines it), 64-byte aligned; memory planning gives each of its launches a block.
int64_t getCpuScratchBytes(mlir::func::FuncOp kernel);

} // namespace lgc

#endif // LGC_TARGET_CPU_SCRATCH_H
