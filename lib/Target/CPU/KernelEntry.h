//===- KernelEntry.h - The uniform entry of each kernel ---------*- C++ -*-===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//
//
// Every kernel is entered as `void entry(ptr buffers, i64 begin, i64 end)`, the form that
// `lgc_parallel_for` calls; the entry loads the addresses and calls the loops, or the library.
//
//===----------------------------------------------------------------------===//

#ifndef LGC_LIB_TARGET_CPU_KERNELENTRY_H
#define LGC_LIB_TARGET_CPU_KERNELENTRY_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/MapVector.h"

namespace lgc {

struct KernelEntry {
  mlir::StringAttr name;
  /// Addresses in the array.
  int64_t numBuffers = 0;
  int64_t count = 1, grain = 1;
  /// For a library call: the function, its descriptor and arguments (see LibraryKernel.h).
  mlir::StringAttr library;
  mlir::DenseI64ArrayAttr descriptor, arguments;
};

/// By the kernel's name, in the order of the module.
using KernelEntries = llvm::MapVector<mlir::StringAttr, KernelEntry>;

/// Reads the entries off the lowered kernels, and removes the bodies of library calls.
KernelEntries collectKernelEntries(mlir::ModuleOp module);

/// Emits the entries into a module in the LLVM dialect.
void emitKernelEntries(mlir::ModuleOp module, const KernelEntries &entries);

} // namespace lgc

#endif // LGC_LIB_TARGET_CPU_KERNELENTRY_H
