//===- Codegen.h - Object code for the host ---------------------*- C++ -*-===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef LGC_TARGET_CPU_CODEGEN_H
#define LGC_TARGET_CPU_CODEGEN_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Support/LLVM.h"
#include "llvm/ADT/SmallVector.h"
#include <string>

namespace lgc {

struct CpuTargetOptions {
  /// 0 to 3, as compilers have it.
  unsigned optimizationLevel = 3;
  /// LLVM's name of the processor; empty for this machine's, with all its features.
  std::string cpu;
  /// Polynomials for f32 functions, which vectorise, rather than calls of the C library.
  bool approximateMath = true;
};

/// An object file, position-independent.
using ObjectCode = llvm::SmallVector<char, 0>;

/// Lowers a module after Memory to the LLVM dialect, in place. Errors are emitted at their ops.
mlir::LogicalResult lowerToLLVM(mlir::ModuleOp module, const CpuTargetOptions &options);

/// Compiles a module in the LLVM dialect. `manifest`, unless empty, becomes the NUL-terminated
/// global `lgc_manifest`.
mlir::FailureOr<ObjectCode> emitObject(mlir::ModuleOp module, llvm::StringRef manifest,
                                       const CpuTargetOptions &options);

} // namespace lgc

#endif // LGC_TARGET_CPU_CODEGEN_H
