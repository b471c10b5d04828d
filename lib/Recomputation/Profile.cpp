//===- Profile.cpp - Memory of a sequence over time -----------------------===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Profile.h"
#include <algorithm>

using namespace lgc::recomputation;

namespace {
constexpr int64_t kNotMade = -1, kDestroyed = -2;
} // namespace

/// A step without what only its first run does.
static Step makeRepetition(const Step &step) {
  Step repetition = step;
  auto remove = [](std::vector<unsigned> &from, const std::vector<unsigned> &what) {
    auto isIn = [&](unsigned tensor) {
      return std::find(what.begin(), what.end(), tensor) != what.end();
    };
    from.erase(std::remove_if(from.begin(), from.end(), isIn), from.end());
    return isIn;
  };
  auto isUnread = remove(repetition.reads, step.onceReads);
  auto isUnwritten = remove(repetition.writes, step.onceWrites);
  repetition.inPlace.erase(std::remove_if(repetition.inPlace.begin(), repetition.inPlace.end(),
                                          [&](std::pair<unsigned, unsigned> pair) {
                                            return isUnread(pair.first) || isUnwritten(pair.second);
                                          }),
                           repetition.inPlace.end());
  repetition.destroys.clear();
  return repetition;
}

Profile::Profile(const Problem &problem) : problem(problem) {
  for (const Step &step : problem.steps)
    repetitions.push_back(makeRepetition(step));
}

bool Profile::compute(const std::vector<unsigned> &sequence) {
  copies.clear();
  inPlace.clear();
  current.assign(problem.tensors.size(), kNotMade);
  isDone.assign(problem.steps.size(), false);
  for (size_t at = 0; at < sequence.size(); ++at) {
    unsigned number = sequence[at];
    const Step &step = isDone[number] ? repetitions[number] : problem.steps[number];
    isDone[number] = true;
    int64_t position = static_cast<int64_t>(at);
    for (unsigned tensor : step.reads) {
      if (problem.tensors[tensor].livesAlways) {
        if (current[tensor] == kDestroyed)
          return false;
        continue;
      }
      if (current[tensor] < 0)
        return false;
      copies[current[tensor]].last = position;
    }
    for (unsigned tensor : step.destroys)
      current[tensor] = kDestroyed;
    for (auto [operand, result] : step.inPlace)
      if (!problem.tensors[operand].livesAlways)
        inPlace.push_back({position, current[operand]});
    for (unsigned tensor : step.writes) {
      current[tensor] = static_cast<int64_t>(copies.size());
      copies.push_back({tensor, position, position});
    }
  }
  for (size_t tensor = 0; tensor < problem.tensors.size(); ++tensor)
    if (problem.tensors[tensor].isNeededAtEnd && !problem.tensors[tensor].livesAlways) {
      if (current[tensor] < 0)
        return false;
      copies[current[tensor]].last = static_cast<int64_t>(sequence.size());
    }
  addUp(sequence);
  return true;
}

void Profile::addUp(const std::vector<unsigned> &sequence) {
  bytes.assign(sequence.size() + 2, 0);
  for (const Copy &copy : copies) {
    bytes[copy.first] += problem.tensors[copy.tensor].bytes;
    bytes[copy.last + 1] -= problem.tensors[copy.tensor].bytes;
  }
  for (size_t at = 1; at < bytes.size(); ++at)
    bytes[at] += bytes[at - 1];
  bytes.resize(sequence.size());
  for (size_t at = 0; at < sequence.size(); ++at)
    bytes[at] += problem.steps[sequence[at]].scratchBytes;
  for (auto [position, copy] : inPlace)
    if (copies[copy].last == position)
      bytes[position] -= problem.tensors[copies[copy].tensor].bytes;
  peak = bytes.empty() ? 0 : *std::max_element(bytes.begin(), bytes.end());
}

int64_t Profile::getExcess(int64_t limit) const {
  int64_t excess = 0;
  for (int64_t here : bytes)
    excess += std::max<int64_t>(0, here - limit);
  return excess;
}
