//===- InProcess.h - Compile and run in this process ------------*- C++ -*-===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//
//
// For tests: the whole compiler behind Training, and its result loaded. Nothing touches the
// disk.
//
//===----------------------------------------------------------------------===//

#ifndef LGC_DRIVER_INPROCESS_H
#define LGC_DRIVER_INPROCESS_H

#include "lgc/Driver/Pipeline.h"
#include "lgc/Target/CPU/Jit.h"

namespace lgc {

struct InProcessOptions {
  BackendOptions backend;
  CpuTargetOptions target;

  /// Fast compilation rather than fast code.
  InProcessOptions() { target.optimizationLevel = 1; }
};

/// Compiles a module of entry functions (any names) on tensors, and consumes it. An argument
/// without `lgc.name` becomes the input "arg0", "arg1", ..., a result the output "result0", ...
/// Errors are emitted at their operations.
mlir::FailureOr<std::unique_ptr<CompiledProgram>>
compileInProcess(mlir::ModuleOp module, const InProcessOptions &options = {});

/// Parses a module and compiles it. The context needs the dialects of `registerDialects`.
mlir::FailureOr<std::unique_ptr<CompiledProgram>>
compileInProcess(mlir::MLIRContext &context, llvm::StringRef text,
                 const InProcessOptions &options = {});

} // namespace lgc

#endif // LGC_DRIVER_INPROCESS_H
