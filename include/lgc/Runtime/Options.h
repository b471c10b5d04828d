//===- Options.h - The command line of an emitted program -------*- C++ -*-===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef LGC_RUNTIME_OPTIONS_H
#define LGC_RUNTIME_OPTIONS_H

#include "lgc/Runtime/Manifest.h"
#include "lgc/Runtime/Schedule.h"

namespace lgc::runtime {

struct Options {
  std::vector<std::string> data;
  std::optional<int64_t> steps;
  std::optional<Schedule> schedule;
  std::optional<double> learningRate;
  std::optional<int64_t> seed;
  std::optional<bool> shuffle;
  std::string log;
  std::vector<std::string> validate;
  std::optional<int64_t> validateEvery;
  std::string save;
  std::optional<int64_t> saveEvery;
  std::string resume;
  std::string exportPath;
  bool verifyMemory = false;
};

/// Reads the command line. Throws UsageError; nothing is returned after --help and
/// --version, which print.
std::optional<Options> parseOptions(int argc, const char *const *argv, const Manifest &manifest);

} // namespace lgc::runtime

#endif // LGC_RUNTIME_OPTIONS_H
