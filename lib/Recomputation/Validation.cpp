//===- Validation.cpp - Checks a plan of recomputation --------------------===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "lgc/Recomputation/Validation.h"
#include <algorithm>
#include <set>

using namespace lgc::recomputation;

/// What a step is at each position: of repetitions, only what they do.
static std::vector<Step> findRuns(const Problem &problem, const std::vector<unsigned> &sequence) {
  std::vector<Step> runs;
  std::set<unsigned> done;
  for (unsigned number : sequence) {
    Step run = problem.steps[number];
    if (!done.insert(number).second) {
      std::set<unsigned> reads(run.reads.begin(), run.reads.end());
      std::set<unsigned> writes(run.writes.begin(), run.writes.end());
      for (unsigned tensor : run.onceReads)
        reads.erase(tensor);
      for (unsigned tensor : run.onceWrites)
        writes.erase(tensor);
      run.reads.assign(reads.begin(), reads.end());
      run.writes.assign(writes.begin(), writes.end());
      run.destroys.clear();
      auto pairs = std::move(run.inPlace);
      run.inPlace.clear();
      for (auto pair : pairs)
        if (reads.count(pair.first) && writes.count(pair.second))
          run.inPlace.push_back(pair);
    }
    runs.push_back(std::move(run));
  }
  return runs;
}

/// For each position the tensors that are read at or after it before they are written again.
static std::vector<std::set<unsigned>> findWanted(const Problem &problem,
                                                  const std::vector<Step> &runs) {
  std::vector<std::set<unsigned>> wanted(runs.size() + 1);
  for (unsigned tensor = 0; tensor < problem.tensors.size(); ++tensor)
    if (problem.tensors[tensor].isNeededAtEnd)
      wanted.back().insert(tensor);
  for (size_t at = runs.size(); at-- > 0;) {
    wanted[at] = wanted[at + 1];
    for (unsigned tensor : runs[at].writes)
      wanted[at].erase(tensor);
    for (unsigned tensor : runs[at].reads)
      wanted[at].insert(tensor);
  }
  return wanted;
}

Replay lgc::recomputation::replay(const Problem &problem, const std::vector<unsigned> &sequence) {
  Replay result;
  std::set<unsigned> readable, done;
  for (unsigned tensor = 0; tensor < problem.tensors.size(); ++tensor)
    if (problem.tensors[tensor].livesAlways)
      readable.insert(tensor);
  for (unsigned number : sequence)
    if (number >= problem.steps.size())
      return {"step " + std::to_string(number) + " doesn't exist", 0, 0};
  std::vector<Step> runs = findRuns(problem, sequence);
  std::vector<std::set<unsigned>> wanted = findWanted(problem, runs);
  for (size_t at = 0; at < sequence.size(); ++at) {
    const Step &step = runs[at];
    bool isFirst = done.insert(sequence[at]).second;
    if (!isFirst && !step.mayRepeat)
      return {"step " + std::to_string(sequence[at]) + " may not run again", 0, 0};
    if (isFirst && done.size() != sequence[at] + 1)
      return {"step " + std::to_string(sequence[at]) + " is out of order", 0, 0};
    result.extraCost += isFirst ? 0 : step.cost;
    for (unsigned tensor : step.reads)
      if (!readable.count(tensor))
        return {"tensor " + std::to_string(tensor) + " is read while it isn't alive", 0, 0};
    for (unsigned tensor : step.destroys)
      readable.erase(tensor);
    // What lives during the step: what is wanted before it, what it writes, what is wanted
    // after it.
    std::set<unsigned> live = wanted[at];
    live.insert(step.writes.begin(), step.writes.end());
    live.insert(wanted[at + 1].begin(), wanted[at + 1].end());
    int64_t bytes = step.scratchBytes;
    for (unsigned tensor : live)
      bytes += problem.tensors[tensor].livesAlways ? 0 : problem.tensors[tensor].bytes;
    for (auto [operand, result] : step.inPlace)
      if (!wanted[at + 1].count(operand) && !problem.tensors[operand].livesAlways)
        bytes -= problem.tensors[operand].bytes;
    result.peak = std::max(result.peak, bytes);
    readable.insert(step.writes.begin(), step.writes.end());
  }
  if (done.size() != problem.steps.size())
    return {"a step never runs", 0, 0};
  for (unsigned tensor = 0; tensor < problem.tensors.size(); ++tensor)
    if (problem.tensors[tensor].isNeededAtEnd && !readable.count(tensor))
      return {"tensor " + std::to_string(tensor) + " is missing at the end", 0, 0};
  return result;
}
