//===- PartialKernel.h - A kernel without some results ----------*- C++ -*-===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef LGC_LIB_MEMORY_PARTIALKERNEL_H
#define LGC_LIB_MEMORY_PARTIALKERNEL_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/BitVector.h"

namespace lgc {

/// The arguments of a kernel on tensors that some of its results depend on.
llvm::BitVector findNeededArguments(mlir::func::FuncOp kernel, const llvm::BitVector &results);

/// A kernel beside this one that gives only those results, from only the arguments they need. Two
/// calls with the same results give the same kernel.
mlir::func::FuncOp getPartialKernel(mlir::func::FuncOp kernel, const llvm::BitVector &results);

} // namespace lgc

#endif // LGC_LIB_MEMORY_PARTIALKERNEL_H
