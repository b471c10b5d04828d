//===- Compilation.h - The stages from end to end ---------------*- C++ -*-===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef LGC_LIB_DRIVER_COMPILATION_H
#define LGC_LIB_DRIVER_COMPILATION_H

#include "ProgramFacts.h"
#include "lgc/Import/Import.h"
#include "lgc/Training/Training.h"
#include <optional>
#include <string>

namespace lgc {

struct CompilationRequest {
  /// The model's path.
  std::string input;
  ImportOptions import;
  TrainingOptions training;
  /// Samples of a step, in all its micro-batches.
  std::optional<int64_t> batch;
  /// No training step, and a loss only if one is asked for.
  bool isInference = false;
  bool fuse = true;
  /// Bytes that the arena may have.
  std::optional<int64_t> memoryLimit;
  /// Whether launches may run again to keep that limit.
  bool mayRecompute = true;
  /// Measured costs of kernels; estimates alone if empty.
  std::string costsFile;
  /// Whether to measure the kernels first, and write that file.
  bool calibrate = false;
  /// Where the module goes after every stage; nowhere if empty.
  std::string dumpFolder;
};

/// A model after Memory, with what only earlier stages knew.
struct Compilation {
  mlir::OwningOpRef<mlir::ModuleOp> module;
  ProgramFacts facts;
};

/// Runs Import to Memory. Errors are diagnostics of the context.
mlir::FailureOr<Compilation> compile(mlir::MLIRContext &context, const CompilationRequest &request);

/// The same for a model in memory (`request.input` is only its name).
mlir::FailureOr<Compilation> compileBytes(mlir::MLIRContext &context, llvm::StringRef model,
                                          const CompilationRequest &request);

} // namespace lgc

#endif // LGC_LIB_DRIVER_COMPILATION_H
