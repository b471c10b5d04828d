//===- MemoryVerification.cpp - Proof that the plan holds -----------------===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "lgc/Runtime/MemoryVerification.h"

#include "lgc/Runtime/Error.h"

#include <algorithm>
#include <cstring>

using namespace lgc::runtime;

MemoryVerification::MemoryVerification(const Manifest &manifest, const ProgramFunctions &functions,
                                       const Arena &arena)
    : functions(functions), arena(arena) {
  std::vector<std::string> results = manifest.trainMetrics;
  results.push_back(manifest.trainLoss);
  for (const Buffer &buffer : manifest.buffers) {
    if (buffer.role != Role::Output)
      read.push_back(&buffer);
    if (buffer.role == Role::Parameter || buffer.role == Role::State ||
        std::find(results.begin(), results.end(), buffer.name) != results.end())
      left.push_back(&buffer);
  }
}

MemoryVerification::Contents
MemoryVerification::copyOf(const std::vector<const Buffer *> &buffers) const {
  Contents contents;
  for (const Buffer *buffer : buffers)
    contents.emplace_back(arena.at(*buffer), arena.at(*buffer) + buffer->bytes);
  return contents;
}

void MemoryVerification::runStep(int64_t step) {
  Contents before = copyOf(read);
  {
    AllocationCount counter;
    functions.trainStep(arena.data());
    allocations += counter.calls();
    allocatedBytes += counter.bytes();
  }
  Contents expected = copyOf(left);
  for (size_t i = 0; i < read.size(); ++i)
    std::memcpy(arena.at(*read[i]), before[i].data(), before[i].size());
  functions.trainStepPoisoned(arena.data());
  for (size_t i = 0; i < left.size(); ++i)
    if (std::memcmp(arena.at(*left[i]), expected[i].data(), expected[i].size()) != 0)
      raise("step ", step, " gives another ", quote(left[i]->name),
            " when dead memory is overwritten: the memory plan is wrong; report the model, and "
            "compile it with --fusion=off meanwhile");
  ++steps;
}

std::string MemoryVerification::summary() const {
  std::string text = concat("memory verified: ", steps,
                            " steps gave the same bits with dead memory "
                            "overwritten; beside the arena ");
  if (allocations == 0)
    return text + "nothing was allocated";
  return concat(text, allocations / std::max<int64_t>(steps, 1), " times a step, ",
                allocatedBytes / std::max<int64_t>(steps, 1), " bytes in all, was allocated");
}
