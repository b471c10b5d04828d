//===- Training.h - A run of an emitted program -----------------*- C++ -*-===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef LGC_RUNTIME_TRAINING_H
#define LGC_RUNTIME_TRAINING_H

#include "lgc/Runtime/Options.h"

namespace lgc::runtime {

/// The functions of the emitted object code; null where it has none.
struct ProgramFunctions {
  void (*trainStep)(uint8_t *arena);
  void (*forward)(uint8_t *arena);
  void (*trainStepPoisoned)(uint8_t *arena);
};

/// Does what the options ask. Files are relative to `folder` where the manifest names
/// them. Returns the exit status, and throws Error.
int runProgram(const Manifest &manifest, const ProgramFunctions &functions, const Options &options,
               const std::string &folder);

} // namespace lgc::runtime

#endif // LGC_RUNTIME_TRAINING_H
