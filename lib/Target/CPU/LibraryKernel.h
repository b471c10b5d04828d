//===- LibraryKernel.h - Kernels that a library computes --------*- C++ -*-===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef LGC_LIB_TARGET_CPU_LIBRARYKERNEL_H
#define LGC_LIB_TARGET_CPU_LIBRARYKERNEL_H

#include "KernelLoops.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace lgc {

/// Writes into the function's attributes which library function to call, with which descriptor
/// (an array of 64-bit words) and which of its arguments, in the library's order; -1 stands
/// for null.
mlir::LogicalResult describeLibraryCall(KernelLowering &lowering, mlir::func::FuncOp function);

} // namespace lgc

#endif // LGC_LIB_TARGET_CPU_LIBRARYKERNEL_H
