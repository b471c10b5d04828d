//===- OffsetsTest.cpp - Tests of the layout of memory blocks -------------===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "lgc/Offsets/Offsets.h"
#include "lgc/Offsets/Validation.h"
#include <algorithm>
#include <fstream>
#include <gtest/gtest.h>
#include <random>

using namespace lgc;

namespace {

/// Of exact searches that should end.
constexpr int64_t manySteps = 2000000000;

std::vector<LiveBlock> makeRandomBlocks(std::mt19937 &random, size_t count, int64_t moments) {
  std::vector<LiveBlock> blocks;
  for (size_t i = 0; i < count; ++i) {
    int64_t first = random() % moments, last = std::min<int64_t>(moments - 1, first + random() % 8);
    blocks.push_back({static_cast<int64_t>(random() % 500), first, last});
  }
  return blocks;
}

Layout assignOffsets(const std::vector<LiveBlock> &blocks, int64_t alignment) {
  return solveOffsets({blocks, alignment});
}

/// Moment by moment and byte by byte, with nothing clever.
void expectValid(const std::vector<LiveBlock> &blocks, const Layout &layout, int64_t alignment) {
  ASSERT_EQ(layout.offsets.size(), blocks.size());
  int64_t moments = 0;
  for (const LiveBlock &block : blocks)
    moments = std::max(moments, block.last + 1);
  for (size_t i = 0; i < blocks.size(); ++i) {
    EXPECT_EQ(layout.offsets[i] % alignment, 0);
    EXPECT_GE(layout.offsets[i], 0);
    EXPECT_LE(layout.offsets[i] + blocks[i].bytes, layout.bytes);
  }
  for (int64_t moment = 0; moment < moments; ++moment) {
    std::vector<int> owner(layout.bytes, -1);
    for (size_t i = 0; i < blocks.size(); ++i) {
      if (moment < blocks[i].first || moment > blocks[i].last)
        continue;
      for (int64_t byte = 0; byte < blocks[i].bytes; ++byte) {
        int &at = owner[layout.offsets[i] + byte];
        ASSERT_EQ(at, -1) << "blocks " << at << " and " << i << " share a byte";
        at = static_cast<int>(i);
      }
    }
  }
}

/// The best that first-fit placement reaches over all orders: for few blocks it is the optimum.
int64_t findBest(const std::vector<LiveBlock> &blocks, int64_t alignment) {
  std::vector<size_t> order(blocks.size());
  for (size_t i = 0; i < order.size(); ++i)
    order[i] = i;
  int64_t best = INT64_MAX;
  do {
    std::vector<int64_t> offsets(blocks.size(), -1);
    int64_t end = 0;
    for (size_t i : order) {
      auto rounded = [&](size_t block) {
        return (blocks[block].bytes + alignment - 1) / alignment * alignment;
      };
      int64_t offset = 0;
      for (bool moved = true; moved;) {
        moved = false;
        for (size_t j = 0; j < blocks.size(); ++j) {
          bool meets = offsets[j] >= 0 && blocks[j].first <= blocks[i].last &&
                       blocks[i].first <= blocks[j].last;
          if (meets && offset < offsets[j] + rounded(j) && offsets[j] < offset + rounded(i)) {
            offset = offsets[j] + rounded(j);
            moved = true;
          }
        }
      }
      offsets[i] = offset;
      end = std::max(end, offset + rounded(i));
    }
    best = std::min(best, end);
  } while (std::next_permutation(order.begin(), order.end()));
  return best;
}

} // namespace

TEST(Offsets, Nothing) {
  Layout layout = assignOffsets({}, 64);
  EXPECT_EQ(layout.bytes, 0);
  EXPECT_EQ(layout.lowerBound, 0);
}

TEST(Offsets, BlocksThatNeverMeetShareMemory) {
  Layout layout = assignOffsets({{100, 0, 1}, {100, 2, 3}, {100, 4, 5}}, 64);
  EXPECT_EQ(layout.bytes, 128);
  EXPECT_EQ(layout.lowerBound, 128);
}

TEST(Offsets, BothEndsOfALifeCount) {
  Layout layout = assignOffsets({{64, 0, 1}, {64, 1, 2}}, 64);
  EXPECT_EQ(layout.bytes, 128);
}

TEST(Offsets, EmptyBlocksTakeNoMemory) {
  Layout layout = assignOffsets({{0, 0, 9}, {64, 0, 9}}, 64);
  EXPECT_EQ(layout.bytes, 64);
}

TEST(Offsets, FillsGaps) {
  // The small block fits between two that live on, where the first one was.
  Layout layout = assignOffsets({{64, 0, 1}, {256, 0, 5}, {64, 2, 5}}, 64);
  EXPECT_EQ(layout.bytes, 320);
}

TEST(Offsets, SameBlocksSameLayout) {
  std::mt19937 random(7);
  std::vector<LiveBlock> blocks = makeRandomBlocks(random, 60, 30);
  EXPECT_EQ(assignOffsets(blocks, 64).offsets, assignOffsets(blocks, 64).offsets);
}

TEST(Offsets, RandomBlocksNeverOverlap) {
  std::mt19937 random(1);
  for (int round = 0; round < 100; ++round) {
    std::vector<LiveBlock> blocks = makeRandomBlocks(random, 1 + random() % 40, 25);
    int64_t alignment = round % 2 ? 64 : 1;
    Layout layout = assignOffsets(blocks, alignment);
    expectValid(blocks, layout, alignment);
    EXPECT_GE(layout.bytes, layout.lowerBound);
  }
}

TEST(Offsets, NearTheOptimumOfFewBlocks) {
  std::mt19937 random(2);
  double planned = 0, best = 0;
  for (int round = 0; round < 60; ++round) {
    std::vector<LiveBlock> blocks = makeRandomBlocks(random, 6, 10);
    Layout layout = assignOffsets(blocks, 64);
    int64_t optimum = findBest(blocks, 64);
    EXPECT_GE(layout.bytes, optimum);
    EXPECT_LE(layout.lowerBound, optimum);
    planned += static_cast<double>(layout.bytes);
    best += static_cast<double>(optimum);
  }
  EXPECT_LE(planned, 1.02 * best);
}

namespace {

/// Tries every order of the blocks, each at every free place above, below or at the end of another
/// one: where all blocks have sunk as far as they can, each lies at zero, on a placed one or on a
/// fixed one.
int64_t findOptimum(const OffsetProblem &problem) {
  std::vector<size_t> order;
  int64_t best = INT64_MAX;
  for (size_t i = 0; i < problem.blocks.size(); ++i)
    if (!problem.blocks[i].fixed)
      order.push_back(i);
  do {
    std::vector<std::pair<size_t, int64_t>> placed;
    int64_t end = 0;
    for (size_t i = 0; i < problem.blocks.size(); ++i)
      if (problem.blocks[i].fixed)
        placed.push_back({i, *problem.blocks[i].fixed});
    for (auto [block, offset] : placed)
      end = std::max(end, offset + problem.blocks[block].bytes);
    for (size_t i : order) {
      const LiveBlock &block = problem.blocks[i];
      for (int64_t offset = 0;; offset += block.alignment) {
        bool free = true;
        for (auto [j, other] : placed) {
          const LiveBlock &against = problem.blocks[j];
          free &= against.last < block.first || block.last < against.first ||
                  other + against.bytes <= offset || offset + block.bytes <= other;
        }
        if (!free)
          continue;
        placed.push_back({i, offset});
        end = std::max(end, offset + block.bytes);
        break;
      }
    }
    best = std::min(best, end);
  } while (std::next_permutation(order.begin(), order.end()));
  return best;
}

/// Cuts a rectangle of memory and time into blocks, so that the optimum is its height.
void cut(std::mt19937 &random, LiveBlock whole, int depth, std::vector<LiveBlock> &blocks) {
  bool inTime = random() % 2;
  if (depth == 0 || (inTime ? whole.first == whole.last : whole.bytes == 1)) {
    blocks.push_back(whole);
    return;
  }
  LiveBlock one = whole, other = whole;
  if (inTime) {
    one.last = whole.first + static_cast<int64_t>(random()) % (whole.last - whole.first);
    other.first = one.last + 1;
  } else {
    one.bytes = 1 + static_cast<int64_t>(random()) % (whole.bytes - 1);
    other.bytes = whole.bytes - one.bytes;
  }
  cut(random, one, depth - 1, blocks);
  cut(random, other, depth - 1, blocks);
}

std::vector<LiveBlock> readMinimalloc(const std::string &name) {
  std::ifstream file(std::string(LGC_MINIMALLOC_FOLDER) + "/" + name + ".1048576.csv");
  std::string header;
  std::getline(file, header);
  std::vector<LiveBlock> blocks;
  int64_t id, lower, upper, size;
  char comma;
  while (file >> id >> comma >> lower >> comma >> upper >> comma >> size)
    blocks.push_back({size, lower, upper - 1});
  return blocks;
}

class Minimalloc : public testing::TestWithParam<const char *> {};

} // namespace

TEST(Offsets, ExactSearchFindsTheOptimum) {
  std::mt19937 random(3);
  for (int round = 0; round < 1500; ++round) {
    OffsetProblem problem;
    size_t count = 2 + random() % 5;
    int64_t fixedEnd = 0;
    for (size_t i = 0; i < count; ++i) {
      int64_t first = random() % 8, last = first + random() % 5;
      LiveBlock block = {1 + static_cast<int64_t>(random() % 12), first, last};
      if (round % 2)
        block.alignment = int64_t(1) << random() % 4;
      if (round % 3 == 0 && random() % 3 == 0) {
        block.fixed = fixedEnd + random() % 8;
        fixedEnd = *block.fixed + block.bytes;
      }
      problem.blocks.push_back(block);
    }
    OffsetOptions options;
    options.stepLimit = manySteps;
    Layout layout = solveOffsets(problem, options);
    EXPECT_EQ(validateLayout(problem, layout), std::nullopt);
    EXPECT_TRUE(layout.isOptimal());
    ASSERT_EQ(layout.bytes, findOptimum(problem)) << "round " << round;
  }
}

TEST(Offsets, PerfectPackingsAreFound) {
  std::mt19937 random(4);
  for (int round = 0; round < 30; ++round) {
    OffsetProblem problem;
    cut(random, {4096, 0, 63}, 6, problem.blocks);
    std::shuffle(problem.blocks.begin(), problem.blocks.end(), random);
    OffsetOptions options;
    options.stepLimit = manySteps;
    Layout layout = solveOffsets(problem, options);
    EXPECT_EQ(validateLayout(problem, layout), std::nullopt);
    EXPECT_EQ(layout.bytes, 4096);
    EXPECT_TRUE(layout.isOptimal());
  }
}

TEST_P(Minimalloc, FitsItsCapacity) {
  OffsetProblem problem{readMinimalloc(GetParam())};
  ASSERT_GT(problem.blocks.size(), 100u);
  OffsetOptions options;
  options.stepLimit = manySteps;
  options.capacity = 1048576;
  Layout layout = solveOffsets(problem, options);
  EXPECT_EQ(validateLayout(problem, layout), std::nullopt);
  EXPECT_LE(layout.bytes, options.capacity);
}

INSTANTIATE_TEST_SUITE_P(Offsets, Minimalloc,
                         testing::Values("A", "B", "C", "D", "F", "G", "H", "J", "K"));

TEST(Offsets, AStepLimitGivesTheSameLayoutAgainAndAValidBound) {
  OffsetProblem problem{readMinimalloc("E")};
  OffsetOptions options;
  options.stepLimit = 20000000;
  Layout one = solveOffsets(problem, options), two = solveOffsets(problem, options);
  EXPECT_EQ(one.offsets, two.offsets);
  EXPECT_EQ(one.nodes, two.nodes);
  EXPECT_EQ(validateLayout(problem, one), std::nullopt);
  EXPECT_GE(one.lowerBound, 1048576 - 1);
  EXPECT_LE(one.bytes, solveOffsets(problem).bytes);
}

TEST(Offsets, FaultsAreFound) {
  EXPECT_NE(findFault({{{-1, 0, 1}}}), std::nullopt);
  EXPECT_NE(findFault({{{1, 1, 0}}}), std::nullopt);
  EXPECT_NE(findFault({{{1, 0, 1, 0}}}), std::nullopt);
  EXPECT_NE(findFault({{{1, 0, 1}}, 0}), std::nullopt);
  EXPECT_NE(findFault({{{INT64_MAX, 0, 1}, {INT64_MAX, 0, 1}}}), std::nullopt);
  EXPECT_NE(findFault({{{4, 0, 1, 1, 0}, {4, 1, 2, 1, 3}}}), std::nullopt);
  EXPECT_EQ(findFault({{{4, 0, 1, 1, 0}, {4, 1, 2, 1, 4}}}), std::nullopt);
}

TEST(Validation, CatchesCorruptedLayouts) {
  OffsetProblem problem{{{64, 0, 1}, {64, 1, 2}, {64, 1, 3, 1, 128}}, 64};
  Layout layout = solveOffsets(problem);
  ASSERT_EQ(validateLayout(problem, layout), std::nullopt);
  auto corrupt = [&](auto change) {
    Layout wrong = layout;
    change(wrong);
    EXPECT_NE(validateLayout(problem, wrong), std::nullopt);
  };
  corrupt([](Layout &wrong) { wrong.offsets[0] = wrong.offsets[1]; });
  corrupt([](Layout &wrong) { wrong.offsets[0] += 1; });
  corrupt([](Layout &wrong) { wrong.offsets[0] = -64; });
  corrupt([](Layout &wrong) { wrong.offsets[2] = 192; });
  corrupt([](Layout &wrong) { wrong.bytes -= 1; });
  corrupt([](Layout &wrong) { wrong.lowerBound = wrong.bytes + 1; });
  corrupt([](Layout &wrong) { wrong.offsets.pop_back(); });
}
