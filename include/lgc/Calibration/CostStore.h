//===- CostStore.h - Costs of kernels that were measured --------*- C++ -*-===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//
//
// A JSON file of nanoseconds per launch, by machine (processor, threads, compiler) and by kernel:
//
//   {"format": "lgc kernel costs", "version": 1,
//    "machines": {"AMD EPYC 7B13; 2 threads; lgc 0.1.0, LLVM 22.1.8": {"0f3c...": 18250}}}
//
//===----------------------------------------------------------------------===//

#ifndef LGC_CALIBRATION_COSTSTORE_H
#define LGC_CALIBRATION_COSTSTORE_H

#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"
#include <optional>
#include <string>

namespace lgc {

/// What costs depend on besides the kernel: the processor's model, the threads that kernels use
/// and the compiler's version.
std::string describeMachine();

/// The measured costs of one machine's kernels, in a file with those of others.
class CostStore {
public:
  /// `$XDG_CACHE_HOME/lgc/costs.json`, or below `~/.cache`; empty where neither is known.
  static std::string getDefaultPath();

  /// Reads a file; one that is absent is empty. What can't be read, or isn't such a file, is
  /// ignored, and `getWarning` says so.
  static CostStore load(llvm::StringRef path, llvm::StringRef machine);

  const std::string &getWarning() const { return warning; }

  /// Nanoseconds of a launch, at least 1.
  std::optional<int64_t> find(llvm::StringRef kernel) const;
  void set(llvm::StringRef kernel, int64_t nanoseconds);

  /// Replaces the file at once, so that a reader finds the old or the new one. Refuses to
  /// overwrite what isn't a file of costs, except at the default path.
  llvm::Error write() const;

private:
  void read();

  std::string path, machine, warning;
  llvm::json::Object machines;
};

} // namespace lgc

#endif // LGC_CALIBRATION_COSTSTORE_H
