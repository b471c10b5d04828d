//===- OffsetsTest.cpp - Tests of the layout of memory blocks -------------===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "lgc/Memory/Offsets.h"
#include <algorithm>
#include <gtest/gtest.h>
#include <random>

using namespace lgc;

namespace {

std::vector<LiveBlock> makeRandomBlocks(std::mt19937 &random, size_t count, int64_t moments) {
  std::vector<LiveBlock> blocks;
  for (size_t i = 0; i < count; ++i) {
    int64_t first = random() % moments, last = std::min<int64_t>(moments - 1, first + random() % 8);
    blocks.push_back({static_cast<int64_t>(random() % 500), first, last});
  }
  return blocks;
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
