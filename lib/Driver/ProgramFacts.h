//===- ProgramFacts.h - What a program's manifest says ----------*- C++ -*-===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef LGC_LIB_DRIVER_PROGRAMFACTS_H
#define LGC_LIB_DRIVER_PROGRAMFACTS_H

#include "lgc/IR/LgcOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/JSON.h"
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace lgc {

/// What the runtime must know of an input before it fills it.
struct InputFacts {
  std::optional<int64_t> batchDim;
  /// For integers that are used as indices: the least and the greatest one allowed, and others.
  std::optional<std::pair<int64_t, int64_t>> range;
  std::vector<int64_t> alsoAllowed;
};

/// Facts about a program that are read off the module while it is on tensors.
struct ProgramFacts {
  int64_t batch = 1, microBatches = 1;
  double learningRate = 0;
  std::map<std::string, InputFacts> inputs;
  std::set<std::string> trainable;
  std::optional<llvm::json::Object> classification;
  /// Launches of entry functions, and kernels that they share.
  int64_t numLaunches = 0, numKernels = 0;
  /// Launches that run again to save memory, and their estimated time relative to that of the
  /// step without them.
  int64_t numRecomputed = 0;
  double recomputedShare = 0;
  /// Nanoseconds of a step by its launches' costs, the kernels that it runs, how many of those
  /// have measured costs, and the seconds that measuring took in this run.
  double stepNanoseconds = 0;
  int64_t numStepKernels = 0, numMeasured = 0;
  double calibrationSeconds = 0;
};

/// Reads the facts off a module after Training, before composites are decomposed. `batch` is the
/// global batch if the user gave it.
ProgramFacts collectFacts(mlir::ModuleOp module, std::optional<int64_t> batch);

/// The range of values that an integer argument may have, so that no look-up leaves its tensor.
InputFacts findIndexRange(mlir::BlockArgument argument);

} // namespace lgc

#endif // LGC_LIB_DRIVER_PROGRAMFACTS_H
