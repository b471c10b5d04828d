//===- RecomputationTest.cpp - Plans against exhaustive search ------------===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "lgc/Recomputation/Recomputation.h"
#include "lgc/Recomputation/Validation.h"
#include <chrono>
#include <gtest/gtest.h>
#include <map>
#include <queue>
#include <random>

using namespace lgc::recomputation;

namespace {

/// Runs out a chain of layers forward and back: each gradient reads its layer's input.
Problem makeChain(unsigned numLayers, int64_t bytes) {
  Problem problem;
  problem.tensors.push_back({bytes, /*livesAlways=*/true, false});
  for (unsigned layer = 0; layer < numLayers; ++layer) {
    problem.steps.push_back({10, 0, true, {layer}, {layer + 1}, {}, {}});
    problem.tensors.push_back({bytes, false, false});
  }
  unsigned gradient = numLayers;
  for (unsigned layer = numLayers; layer-- > 0;) {
    unsigned next = problem.tensors.size();
    problem.steps.push_back({20, 0, true, {layer, gradient}, {next}, {}, {}});
    problem.tensors.push_back({bytes, false, layer == 0});
    gradient = next;
  }
  return problem;
}

/// A few steps that read earlier results, mostly near ones, and sometimes have two.
Problem makeRandom(std::mt19937 &random, unsigned numSteps) {
  auto pick = [&](unsigned bound) { return static_cast<unsigned>(random() % bound); };
  Problem problem;
  problem.tensors.push_back({0, /*livesAlways=*/true, false});
  for (unsigned number = 0; number < numSteps; ++number) {
    Step step;
    step.cost = 1 + pick(20);
    step.scratchBytes = 64 * pick(2);
    step.mayRepeat = pick(8) != 0;
    for (unsigned read = 0, count = 1 + pick(3); read < count; ++read) {
      unsigned tensor = pick(problem.tensors.size());
      if (std::find(step.reads.begin(), step.reads.end(), tensor) == step.reads.end())
        step.reads.push_back(tensor);
    }
    for (unsigned write = 0, count = 1 + (pick(5) == 0); write < count; ++write) {
      step.writes.push_back(problem.tensors.size());
      problem.tensors.push_back({64 * int64_t(1 + pick(6)), false, pick(6) == 0});
    }
    if (step.writes.size() > 1 && pick(2)) {
      step.onceWrites.push_back(step.writes.back());
      if (step.reads.size() > 1)
        step.onceReads.push_back(step.reads.back());
    }
    for (unsigned tensor : step.reads)
      if (step.inPlace.empty() && !problem.tensors[tensor].livesAlways && pick(2) &&
          problem.tensors[tensor].bytes == problem.tensors[step.writes[0]].bytes)
        step.inPlace.push_back({tensor, step.writes[0]});
    problem.steps.push_back(step);
  }
  problem.tensors.back().isNeededAtEnd = true;
  return problem;
}

/// Dijkstra's algorithm over how many steps have run and which tensors live.
class Exhaustive {
public:
  Exhaustive(const Problem &problem, int64_t limit) : problem(problem), limit(limit) {}

  std::optional<int64_t> findCost() {
    push({0, 0}, 0);
    while (!queue.empty()) {
      auto [cost, state] = queue.top();
      queue.pop();
      if (cost > costs[state])
        continue;
      auto [done, live] = state;
      if (done == problem.steps.size() && hasOutputs(live))
        return cost;
      for (unsigned number = 0; number <= done && number < problem.steps.size(); ++number)
        if (number == done || problem.steps[number].mayRepeat)
          run(number, done, live, cost + (number == done ? 0 : problem.steps[number].cost));
    }
    return std::nullopt;
  }

private:
  using State = std::pair<unsigned, uint32_t>;

  bool isLive(uint32_t live, unsigned tensor) const {
    return problem.tensors[tensor].livesAlways || (live >> tensor & 1);
  }
  bool hasOutputs(uint32_t live) const {
    for (unsigned tensor = 0; tensor < problem.tensors.size(); ++tensor)
      if (problem.tensors[tensor].isNeededAtEnd && !isLive(live, tensor))
        return false;
    return true;
  }
  /// Before a step any tensors may die that it doesn't read, and at it any that it reads.
  void run(unsigned number, unsigned done, uint32_t live, int64_t cost) {
    const Step &step = problem.steps[number];
    uint32_t reads = 0, writes = 0;
    auto isLeftOut = [&](const std::vector<unsigned> &once, unsigned tensor) {
      return number < done && std::find(once.begin(), once.end(), tensor) != once.end();
    };
    for (unsigned tensor : step.reads) {
      if (isLeftOut(step.onceReads, tensor))
        continue;
      if (!isLive(live, tensor))
        return;
      reads |= problem.tensors[tensor].livesAlways ? 0 : 1u << tensor;
    }
    for (unsigned tensor : step.writes)
      if (!isLeftOut(step.onceWrites, tensor))
        writes |= 1u << tensor;
    for (uint32_t kept = live;; kept = (kept - 1) & live) {
      // Tensors in `kept` live on; what is read and not kept dies here.
      int64_t bytes = step.scratchBytes;
      for (unsigned tensor = 0; tensor < problem.tensors.size(); ++tensor)
        if ((kept | reads | writes) >> tensor & 1)
          bytes += problem.tensors[tensor].bytes;
      for (auto [operand, result] : step.inPlace)
        if (!(kept >> operand & 1) && (reads >> operand & 1) && (writes >> result & 1))
          bytes -= problem.tensors[operand].bytes;
      if (bytes <= limit)
        push({done + (number == done), kept | writes}, cost);
      if (kept == 0)
        return;
    }
  }
  void push(State state, int64_t cost) {
    auto [at, isNew] = costs.try_emplace(state, cost);
    if (!isNew && at->second <= cost)
      return;
    at->second = cost;
    queue.push({cost, state});
  }

  const Problem &problem;
  int64_t limit;
  std::map<State, int64_t> costs;
  std::priority_queue<std::pair<int64_t, State>, std::vector<std::pair<int64_t, State>>,
                      std::greater<>>
      queue;
};

Plan planAndCheck(const Problem &problem, int64_t limit) {
  Plan plan = planRecomputation(problem, limit);
  Replay replayed = replay(problem, plan.sequence);
  EXPECT_EQ(replayed.error, "");
  EXPECT_EQ(replayed.peak, plan.peak);
  EXPECT_EQ(replayed.extraCost, plan.extraCost);
  return plan;
}

TEST(Recomputation, NothingRunsAgainWithinTheLimit) {
  Problem problem = makeChain(6, 64);
  Plan plan = planAndCheck(problem, INT64_MAX);
  EXPECT_EQ(plan.sequence.size(), problem.steps.size());
  EXPECT_EQ(planAndCheck(problem, plan.peak).extraCost, 0);
}

TEST(Recomputation, CheapStepsComeFirst) {
  // Both a dear and a cheap tensor live through the peak.
  Problem problem;
  problem.tensors = {{64, true, false},
                     {64, false, false},
                     {64, false, false},
                     {256, false, false},
                     {64, false, true}};
  problem.steps = {{1000, 0, true, {0}, {1}, {}, {}},
                   {1, 0, true, {0}, {2}, {}, {}},
                   {5, 0, true, {0}, {3}, {}, {}},
                   {5, 0, true, {3}, {4}, {}, {}},
                   {5, 0, true, {1, 2, 4}, {}, {}, {}}};
  Plan plan = planAndCheck(problem, 448 - 64);
  EXPECT_EQ(plan.extraCost, 1);
  EXPECT_EQ(plan.sequence, (std::vector<unsigned>{0, 1, 2, 3, 1, 4}));
}

TEST(Recomputation, ChainsBecomeSegments) {
  Problem problem = makeChain(64, 64);
  int64_t whole = planAndCheck(problem, INT64_MAX).peak;
  // One more pass over the layers pays for memory of the order of the root.
  Plan plan = planAndCheck(problem, whole / 3);
  EXPECT_LE(plan.peak, whole / 3);
  EXPECT_LE(plan.extraCost, 2 * 64 * 10);
  EXPECT_LE(findMinimumPeak(problem).peak, whole / 4);
}

TEST(Recomputation, NothingReadsWhatIsOverwritten) {
  // The parameter is written over before the only read of what could be dropped.
  Problem problem;
  problem.tensors = {{64, true, false}, {64, false, false}, {256, false, false}, {64, false, true}};
  problem.steps = {{1, 0, true, {0}, {1}, {}, {}},
                   {1, 0, true, {}, {2}, {}, {}},
                   {1, 0, false, {2, 0}, {}, {0}, {}},
                   {1, 0, true, {1}, {3}, {}, {}}};
  EXPECT_EQ(findMinimumPeak(problem).peak, 320);
  EXPECT_NE(replay(problem, {0, 1, 2, 0, 3}).error, "");
}

TEST(Recomputation, ValidatorRefusesWrongSequences) {
  Problem problem = makeChain(2, 64);
  problem.steps[0].mayRepeat = false;
  EXPECT_EQ(replay(problem, {0, 1, 2, 3}).error, "");
  EXPECT_EQ(replay(problem, {0, 1, 0, 2, 3}).error, "step 0 may not run again");
  EXPECT_EQ(replay(problem, {0, 1, 2}).error, "a step never runs");
  EXPECT_EQ(replay(problem, {1, 0, 2, 3}).error, "step 1 is out of order");
  EXPECT_EQ(replay(problem, {0, 1, 2, 7}).error, "step 7 doesn't exist");
}

TEST(Recomputation, OptimalOnSmallProblems) {
  std::mt19937 random(7);
  unsigned numSolvable = 0, numRepeating = 0;
  for (unsigned round = 0; round < 200; ++round) {
    Problem problem = makeRandom(random, 4 + round % 5);
    int64_t whole = planAndCheck(problem, INT64_MAX).peak, least = whole;
    for (int64_t limit = whole - 64; limit > whole / 2; limit -= 64) {
      Plan plan = planAndCheck(problem, limit);
      std::optional<int64_t> optimum = Exhaustive(problem, limit).findCost();
      if (!optimum) {
        EXPECT_GT(plan.peak, limit);
        continue;
      }
      ++numSolvable;
      least = limit;
      numRepeating += *optimum > 0;
      EXPECT_LE(plan.peak, limit);
      EXPECT_EQ(plan.extraCost, *optimum);
      EXPECT_EQ(plan.lowerBound, *optimum);
    }
    if (least > whole / 2 + 64)
      EXPECT_EQ(findMinimumPeak(problem).peak, least);
  }
  EXPECT_GT(numSolvable, 400u);
  EXPECT_GT(numRepeating, 400u);
}

TEST(Recomputation, LargeProblemsTakeSeconds) {
  Problem problem = makeChain(500, 4096);
  auto start = std::chrono::steady_clock::now();
  Plan plan = planAndCheck(problem, 4096 * 300);
  std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  EXPECT_LE(plan.peak, 4096 * 300);
  EXPECT_LT(seconds.count(), 20);
}

} // namespace
