//===- Report.h - What the driver prints in the end -------------*- C++ -*-===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef LGC_LIB_DRIVER_REPORT_H
#define LGC_LIB_DRIVER_REPORT_H

#include "llvm/Support/JSON.h"
#include <chrono>
#include <string>
#include <vector>

namespace lgc {

/// How long each part of a compilation took.
class Stopwatch {
public:
  void lap(const char *name) {
    auto now = std::chrono::steady_clock::now();
    laps.push_back({name, std::chrono::duration<double>(now - last).count()});
    last = now;
  }
  double total() const {
    double sum = 0;
    for (const Lap &lap : laps)
      sum += lap.seconds;
    return sum;
  }
  struct Lap {
    const char *name;
    double seconds;
  };
  const std::vector<Lap> &getLaps() const { return laps; }

private:
  std::chrono::steady_clock::time_point last = std::chrono::steady_clock::now();
  std::vector<Lap> laps;
};

/// The compact table, on standard output.
void printTable(const llvm::json::Object &summary, llvm::StringRef output, const Stopwatch &watch);
/// The same as one JSON object.
void printJson(const llvm::json::Object &summary, llvm::StringRef output, const Stopwatch &watch);

} // namespace lgc

#endif // LGC_LIB_DRIVER_REPORT_H
