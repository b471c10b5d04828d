//===- Offsets.cpp - Where blocks of memory lie ---------------------------===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "lgc/Offsets/Offsets.h"
#include "Heuristic.h"
#include "Search.h"
#include <algorithm>
#include <numeric>

using namespace lgc;

namespace {

using Clock = std::chrono::steady_clock;

/// Sums of sizes stay below it, so that none overflows.
constexpr int64_t largestSum = int64_t(1) << 61;

/// Of the exact search, whose memory grows with the square: some 400 MB for so many.
constexpr size_t mostBlocks = 8000;

/// Blocks with sizes that are multiples of the problem's alignment, and with all of theirs.
std::vector<LiveBlock> roundUp(const OffsetProblem &problem) {
  std::vector<LiveBlock> rounded = problem.blocks;
  for (LiveBlock &block : rounded) {
    if (block.fixed)
      continue;
    block.bytes = (block.bytes + problem.alignment - 1) / problem.alignment * problem.alignment;
    block.alignment = std::lcm(block.alignment, problem.alignment);
  }
  return rounded;
}

/// Lets the search look for smaller and smaller layouts. The bound itself is tried first. A
/// capacity proven to be too small raises the bound; one that gives no answer in its share of the
/// limits is left, and a larger one tried.
class Minimization {
public:
  Minimization(OffsetSearch &search, const std::vector<LiveBlock> &blocks,
               const OffsetOptions &options, Clock::time_point start, Layout &layout)
      : search(search), blocks(blocks), options(options), start(start), layout(layout) {}

  void run();

private:
  using Outcome = OffsetSearch::Outcome;
  Outcome look(int64_t capacity, int64_t part);

  OffsetSearch &search;
  const std::vector<LiveBlock> &blocks;
  const OffsetOptions &options;
  Clock::time_point start;
  Layout &layout;
};

} // namespace

/// With one part of so many of what the limits leave.
OffsetSearch::Outcome Minimization::look(int64_t capacity, int64_t part) {
  int64_t steps = options.stepLimit == 0 ? INT64_MAX : options.stepLimit - search.getSteps();
  std::optional<Clock::time_point> deadline;
  if (options.timeLimit > 0) {
    std::chrono::duration<double> limit(options.timeLimit), spent = Clock::now() - start;
    deadline = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                  (limit - spent) / static_cast<double>(part));
  }
  Outcome outcome = search.run(capacity, steps / part, deadline);
  if (outcome == Outcome::Impossible)
    layout.lowerBound =
        std::min(layout.bytes, std::max(layout.lowerBound, search.getNextCapacity()));
  if (outcome == Outcome::Found) {
    layout.offsets = search.getOffsets();
    layout.bytes = 0;
    for (size_t i = 0; i < blocks.size(); ++i)
      layout.bytes = std::max(layout.bytes, layout.offsets[i] + blocks[i].bytes);
  }
  return outcome;
}

void Minimization::run() {
  int64_t unanswered = -1;
  while (true) {
    int64_t goal = std::max(layout.lowerBound, options.capacity);
    if (layout.bytes <= goal)
      return;
    int64_t capacity = goal;
    if (unanswered >= goal)
      capacity = unanswered + (layout.bytes - unanswered) / 2;
    bool last = unanswered >= goal && capacity >= layout.bytes - 1;
    if (last)
      capacity = std::min(capacity, layout.bytes - 1);
    Outcome outcome = look(capacity, last ? 1 : 2);
    if (outcome == Outcome::Stopped && last)
      return;
    if (outcome == Outcome::Stopped)
      unanswered = capacity;
  }
}

std::optional<std::string> lgc::findFault(const OffsetProblem &problem) {
  if (problem.alignment < 1)
    return "the alignment is not positive";
  int64_t sum = 0;
  for (size_t i = 0; i < problem.blocks.size(); ++i) {
    const LiveBlock &block = problem.blocks[i];
    std::string name = "block " + std::to_string(i);
    if (block.bytes < 0 || block.fixed.value_or(0) < 0)
      return name + " has a negative size or offset";
    if (block.last < block.first)
      return name + " ends before it begins";
    if (block.alignment < 1)
      return name + " has an alignment that is not positive";
    constexpr int64_t largestAlignment = int64_t(1) << 30;
    if (block.alignment > largestAlignment || problem.alignment > largestAlignment)
      return name + " has an alignment of more than 2^30";
    int64_t alignment = std::lcm(block.alignment, problem.alignment);
    for (int64_t part : {block.bytes, block.fixed.value_or(0), 2 * alignment}) {
      if (part > largestSum - sum)
        return "the sizes sum up to more than 2^61, " + name + " included";
      sum += part;
    }
  }
  std::vector<size_t> fixed;
  for (size_t i = 0; i < problem.blocks.size(); ++i)
    if (problem.blocks[i].fixed && problem.blocks[i].bytes > 0)
      fixed.push_back(i);
  auto at = [&](size_t i) -> const LiveBlock & { return problem.blocks[i]; };
  std::sort(fixed.begin(), fixed.end(),
            [&](size_t a, size_t b) { return *at(a).fixed < *at(b).fixed; });
  for (size_t i = 0; i < fixed.size(); ++i)
    for (size_t j = i + 1; j < fixed.size(); ++j) {
      const LiveBlock &low = at(fixed[i]), &high = at(fixed[j]);
      if (*high.fixed >= *low.fixed + low.bytes)
        break;
      if (low.first <= high.last && high.first <= low.last)
        return "the fixed blocks " + std::to_string(fixed[i]) + " and " + std::to_string(fixed[j]) +
               " overlap";
    }
  return std::nullopt;
}

Layout lgc::solveOffsets(const OffsetProblem &problem, const OffsetOptions &options) {
  Clock::time_point start = Clock::now();
  std::vector<LiveBlock> blocks = roundUp(problem);
  OffsetSearch search(blocks);
  int64_t lowerBound = search.getRootBound();
  Layout layout = placeGreedily(blocks, std::max(lowerBound, options.capacity));
  layout.lowerBound = lowerBound;
  if (blocks.size() <= mostBlocks && (options.stepLimit > 0 || options.timeLimit > 0))
    Minimization(search, blocks, options, start, layout).run();
  layout.nodes = search.getNodes();
  layout.seconds = std::chrono::duration<double>(Clock::now() - start).count();
  return layout;
}
