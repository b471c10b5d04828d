//===- ExactSearch.cpp - Plans of least cost, for small problems ----------===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "ExactSearch.h"
#include "Profile.h"
#include <algorithm>
#include <map>
#include <queue>

using namespace lgc::recomputation;

namespace {

/// States that are reached at most, and sets of tensors that are tried; about half a second.
constexpr size_t kMostStates = 100000, kMostSets = 2000000;
constexpr size_t kMostTensors = 64;
constexpr unsigned kNone = ~0u;

using Set = uint64_t;

struct State {
  unsigned done;
  Set alive;
  bool operator<(const State &other) const {
    return std::tie(done, alive) < std::tie(other.done, other.alive);
  }
};

/// How a state was reached.
struct Entry {
  int64_t cost;
  State before;
  unsigned step;
};

struct Reached {
  int64_t cost;
  State state;
  /// The cheaper comes first, then what is nearer to the end.
  bool operator<(const Reached &other) const {
    return cost != other.cost ? cost > other.cost : state.done < other.state.done;
  }
};

/// A run of a step as sets of the tensors that don't live always.
struct Run {
  Set reads = 0, writes = 0;
  /// Tensors that live always and are read.
  std::vector<unsigned> readsAlways;
  const Step *step = nullptr;
};

class ExactSearch {
public:
  ExactSearch(const Problem &problem, int64_t limit, int64_t cost);
  ExactPlan run();

private:
  Run makeRun(const Step &step) const;
  Set makeSet(const std::vector<unsigned> &tensors) const;
  int64_t getBytes(Set set) const;
  Set findUseful(unsigned done) const;
  bool isReadable(const Run &run, State state) const;
  void visit(State state, int64_t cost);
  void extend(State state, unsigned number, int64_t cost);
  void keepMost(Set kept, Set candidates, int64_t room, Set fixed);
  std::vector<unsigned> trace(State state) const;

  const Problem &problem;
  int64_t limit, leastCost;
  Profile profile;
  /// Bits of the tensors that don't live always; kNone for others.
  std::vector<unsigned> bits;
  std::vector<int64_t> bytes;
  std::vector<Run> firsts, repetitions;
  /// When tensors that live always are destroyed: the step that does, or kNone.
  std::vector<unsigned> destroyers;
  Set needed = 0;
  /// By the number of steps that are done.
  std::vector<Set> useful;
  std::map<State, Entry> entries;
  std::priority_queue<Reached> queue;
  std::vector<Set> choices;
  size_t numSets = 0;
};

} // namespace

ExactSearch::ExactSearch(const Problem &problem, int64_t limit, int64_t cost)
    : problem(problem), limit(limit), leastCost(cost), profile(problem),
      bits(problem.tensors.size(), kNone), destroyers(problem.tensors.size(), kNone) {
  for (size_t tensor = 0; tensor < problem.tensors.size(); ++tensor)
    if (!problem.tensors[tensor].livesAlways) {
      bits[tensor] = static_cast<unsigned>(bytes.size());
      bytes.push_back(problem.tensors[tensor].bytes);
    }
  if (bytes.size() > kMostTensors)
    return;
  for (unsigned number = 0; number < problem.steps.size(); ++number) {
    firsts.push_back(makeRun(problem.steps[number]));
    repetitions.push_back(makeRun(profile.getRepetition(number)));
    for (unsigned tensor : problem.steps[number].destroys)
      destroyers[tensor] = std::min(destroyers[tensor], number);
  }
  for (size_t tensor = 0; tensor < problem.tensors.size(); ++tensor)
    if (problem.tensors[tensor].isNeededAtEnd && bits[tensor] != kNone)
      needed |= Set(1) << bits[tensor];
  for (unsigned done = 0; done <= problem.steps.size(); ++done)
    useful.push_back(findUseful(done));
}

Set ExactSearch::makeSet(const std::vector<unsigned> &tensors) const {
  Set set = 0;
  for (unsigned tensor : tensors)
    if (bits[tensor] != kNone)
      set |= Set(1) << bits[tensor];
  return set;
}

Run ExactSearch::makeRun(const Step &step) const {
  Run run;
  run.step = &step;
  run.reads = makeSet(step.reads);
  run.writes = makeSet(step.writes);
  for (unsigned tensor : step.reads)
    if (bits[tensor] == kNone)
      run.readsAlways.push_back(tensor);
  return run;
}

int64_t ExactSearch::getBytes(Set set) const {
  int64_t sum = 0;
  for (size_t bit = 0; bit < bytes.size(); ++bit)
    if (set >> bit & 1)
      sum += bytes[bit];
  return sum;
}

/// What a step after so many could read, directly or to run another again.
Set ExactSearch::findUseful(unsigned done) const {
  Set found = needed;
  for (unsigned number = done; number < problem.steps.size(); ++number)
    found |= firsts[number].reads;
  for (bool isChanged = true; isChanged;) {
    isChanged = false;
    for (unsigned number = 0; number < done; ++number)
      if (problem.steps[number].mayRepeat && (repetitions[number].writes & found) &&
          (repetitions[number].reads & ~found)) {
        found |= repetitions[number].reads;
        isChanged = true;
      }
  }
  return found;
}

bool ExactSearch::isReadable(const Run &run, State state) const {
  if (run.reads & ~state.alive)
    return false;
  return std::all_of(run.readsAlways.begin(), run.readsAlways.end(), [&](unsigned tensor) {
    return destroyers[tensor] == kNone || destroyers[tensor] >= state.done;
  });
}

/// Collects the largest sets of candidates for which there is room beside what is kept and what is
/// fixed, which has its place already.
void ExactSearch::keepMost(Set kept, Set candidates, int64_t room, Set fixed) {
  if (++numSets > kMostSets)
    return;
  if (int64_t all = getBytes(candidates & ~fixed); all <= room) {
    kept |= candidates;
    // Larger sets come first.
    if (std::none_of(choices.begin(), choices.end(),
                     [&](Set other) { return (kept & ~other) == 0; }))
      choices.push_back(kept);
    return;
  }
  Set first = candidates & -candidates;
  int64_t size = getBytes(first & ~fixed);
  if (size <= room)
    keepMost(kept | first, candidates & ~first, room - size, fixed);
  keepMost(kept, candidates & ~first, room, fixed);
}

void ExactSearch::extend(State state, unsigned number, int64_t cost) {
  bool isFirst = number == state.done;
  const Run &run = isFirst ? firsts[number] : repetitions[number];
  if (!isReadable(run, state))
    return;
  int64_t after = cost + (isFirst ? 0 : problem.steps[number].cost);
  if (after >= leastCost)
    return;
  // What is read and written has its place whatever is kept, but for operands that die in place.
  Set inPlace = 0;
  for (auto [operand, result] : run.step->inPlace)
    if (bits[operand] != kNone)
      inPlace |= Set(1) << bits[operand];
  Set fixed = (run.reads | run.writes) & ~inPlace;
  int64_t room = limit - run.step->scratchBytes - getBytes(fixed);
  if (room < 0)
    return;
  unsigned done = state.done + isFirst;
  choices.clear();
  keepMost(0, state.alive & useful[done] & ~run.writes, room, fixed);
  for (Set kept : choices) {
    State next{done, kept | run.writes};
    auto [at, isNew] = entries.try_emplace(next, Entry{after, state, number});
    if (!isNew && at->second.cost <= after)
      continue;
    at->second = {after, state, number};
    queue.push({after, next});
  }
}

std::vector<unsigned> ExactSearch::trace(State state) const {
  std::vector<unsigned> sequence;
  while (state.done > 0) {
    const Entry &entry = entries.at(state);
    sequence.push_back(entry.step);
    state = entry.before;
  }
  std::reverse(sequence.begin(), sequence.end());
  return sequence;
}

ExactPlan ExactSearch::run() {
  if (bytes.size() > kMostTensors)
    return {};
  State start{0, 0};
  entries[start] = {0, start, kNone};
  queue.push({0, start});
  while (!queue.empty()) {
    int64_t cost = queue.top().cost;
    State state = queue.top().state;
    queue.pop();
    if (cost > entries[state].cost)
      continue;
    if (state.done == problem.steps.size() && (needed & ~state.alive) == 0)
      return {Exactness::Solved, trace(state)};
    for (unsigned number = 0; number <= state.done && number < problem.steps.size(); ++number)
      if (number == state.done || problem.steps[number].mayRepeat)
        extend(state, number, cost);
    if (entries.size() > kMostStates || numSets > kMostSets)
      return {};
  }
  return {Exactness::NoneBetter, {}};
}

ExactPlan lgc::recomputation::findCheapest(const Problem &problem, int64_t limit, int64_t cost) {
  return ExactSearch(problem, limit, cost).run();
}
