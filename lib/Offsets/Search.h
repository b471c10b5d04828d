//===- Search.h - Exact search for a layout that fits -----------*- C++ -*-===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//
//
// Depth-first over canonical layouts. Blocks are placed in the order of their offsets, each at the
// lowest place that lies no lower than the one before, above all placed blocks that it meets in
// time, and clear of fixed ones.
//
// Every problem that can be solved has such a solution: as long as a block can move to a lower free
// place, move it; this ends, and then no block has a free place below its own. Blocks placed later
// lie higher and can't be in the way of a lower place. The argument doesn't ask what keeps a place
// from being free, so it holds for fixed blocks and alignments too.
//
//===----------------------------------------------------------------------===//

#ifndef LGC_LIB_OFFSETS_SEARCH_H
#define LGC_LIB_OFFSETS_SEARCH_H

#include "lgc/Offsets/Offsets.h"
#include <array>
#include <chrono>
#include <utility>

namespace lgc {

class OffsetSearch {
public:
  enum class Outcome { Found, Impossible, Stopped };

  /// Sizes are rounded already.
  explicit OffsetSearch(const std::vector<LiveBlock> &blocks);

  /// What no layout goes below, from the sums of live bytes and the places of fixed blocks.
  int64_t getRootBound() const { return rootBound; }

  /// Looks for a layout of at most so many bytes, for `limit` steps or until a moment. Several
  /// orders of candidates take turns.
  Outcome run(int64_t atMost, int64_t limit,
              std::optional<std::chrono::steady_clock::time_point> until);

  /// After Outcome::Found, one for each block.
  const std::vector<int64_t> &getOffsets() const { return offsets; }
  /// After Outcome::Impossible: no layout is smaller.
  int64_t getNextCapacity() const { return nextCapacity; }
  int64_t getNodes() const { return nodes; }
  int64_t getSteps() const { return steps; }

private:
  /// A block that isn't fixed; lives are in sections.
  struct Item {
    int64_t bytes, alignment;
    int first, last;
    /// The block with the same life and size before this one, or -1.
    int twin = -1;
    /// Fixed blocks that it meets, from the lowest: where they begin and end.
    std::vector<std::pair<int64_t, int64_t>> obstacles;
    size_t block;
  };
  struct Obstacle {
    int64_t bytes, offset;
    int first, last;
  };
  using Range = std::pair<size_t, size_t>;
  using Hash = std::pair<uint64_t, uint64_t>;

  void makeSections(const std::vector<LiveBlock> &blocks);
  void makeItems();
  void makeOrders();
  int64_t findPlace(const Item &item, int64_t from) const;
  int64_t computeBound(Range range);
  bool fits(Range range);
  bool solveFromRoot();
  bool solve(Range range);
  bool tryCandidate(Range range, int candidate);
  void raise(Range range, int refuted);
  void splitInto(Range range, std::vector<Range> &parts);
  void findCandidates(Range range);
  bool outOfSteps();
  Hash hash(Range range) const;

  std::vector<Item> items;
  std::vector<Obstacle> obstacles;
  int sectionCount = 0;
  /// Among candidates of one place the one of the lowest rank comes first: a list for each order.
  std::vector<std::vector<int>> ranks;
  std::vector<int> rank;

  int64_t capacity = 0, rootBound = 0, nextCapacity = 0;
  int64_t nodes = 0, steps = 0, stepLimit = 0, nextClock = 0;
  std::optional<std::chrono::steady_clock::time_point> deadline;
  bool stopped = false;
  std::vector<int64_t> offsets;
  std::vector<char> placed;
  /// The lowest place where a block may still lie.
  std::vector<int64_t> lowest;
  /// Blocks of the open subproblems, and what their `lowest` was.
  std::vector<int> stack;
  std::vector<int64_t> saved;
  std::vector<int> candidates;
  std::vector<int64_t> load;
  std::vector<std::pair<int64_t, int>> byPlace;
  std::vector<Hash> impossible;
};

} // namespace lgc

#endif // LGC_LIB_OFFSETS_SEARCH_H
