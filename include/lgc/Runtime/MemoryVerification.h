//===- MemoryVerification.h - Proof that the plan holds ---------*- C++ -*-===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef LGC_RUNTIME_MEMORYVERIFICATION_H
#define LGC_RUNTIME_MEMORYVERIFICATION_H

#include "lgc/Runtime/Arena.h"
#include "lgc/Runtime/Training.h"

#include <string>
#include <vector>

namespace lgc::runtime {

/// Runs every step twice from the same state: as it is, and with all memory that the plan
/// holds for dead overwritten by NaN. Counts what is allocated beside the arena meanwhile.
class MemoryVerification {
public:
  MemoryVerification(const Manifest &manifest, const ProgramFunctions &functions,
                     const Arena &arena);

  /// Runs a step. Throws Error where a parameter, state or result differs in a bit.
  void runStep(int64_t step);

  /// One sentence on what was found.
  std::string summary() const;

private:
  using Contents = std::vector<std::vector<std::byte>>;
  Contents copyOf(const std::vector<const Buffer *> &buffers) const;

  const ProgramFunctions &functions;
  const Arena &arena;
  /// What a step reads, and what it must leave the same.
  std::vector<const Buffer *> read, left;
  int64_t steps = 0, allocations = 0, allocatedBytes = 0;
};

/// Counts calls of malloc and its relatives, of all threads and libraries of the process, while
/// it lives. Only one may live at a time.
class AllocationCount {
public:
  AllocationCount();
  ~AllocationCount();
  int64_t calls() const;
  int64_t bytes() const;
};

} // namespace lgc::runtime

#endif // LGC_RUNTIME_MEMORYVERIFICATION_H
