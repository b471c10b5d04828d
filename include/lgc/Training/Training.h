//===- Training.h - From a forward function to a training step --*- C++ -*-===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef LGC_TRAINING_TRAINING_H
#define LGC_TRAINING_TRAINING_H

#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/Error.h"
#include <string>

namespace lgc {

#define GEN_PASS_DECL
#include "lgc/Training/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "lgc/Training/Passes.h.inc"

/// What a user asks of training; see the passes for the forms of the specifications.
struct TrainingOptions {
  /// Empty for the model's only scalar output.
  std::string loss;
  std::string optimizer = "adamw";
  /// The largest global norm of the gradients; 0 for no limit.
  double clipNorm = 0.0;
  int64_t microBatches = 1;
  /// Comma-separated glob patterns of parameters that aren't trained.
  std::string frozen;
  /// Comma-separated patterns of node names or module paths: what they match is recomputed. Empty
  /// for the regions that the file asks for.
  std::string checkpoint;
  /// Whether activations may be recomputed at all.
  bool mayCheckpoint = true;
};

/// Whether specifications are well-formed, by themselves: a sentence on what is wrong otherwise.
llvm::Error checkOptimizer(llvm::StringRef specification);
llvm::Error checkLoss(llvm::StringRef specification);

/// From the module after Import to the module after Training.
void buildTrainingPipeline(mlir::OpPassManager &manager, const TrainingOptions &options);

} // namespace lgc

#endif // LGC_TRAINING_TRAINING_H
