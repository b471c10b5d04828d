//===- Offsets.h - Where blocks of memory lie -------------------*- C++ -*-===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//
//
// The problem known as dynamic storage allocation, on plain numbers: blocks that live at the
// same time must not overlap, and the end of the last one should lie as low as it can.
// docs/offsets.md describes the algorithm.
//
//===----------------------------------------------------------------------===//

#ifndef LGC_OFFSETS_OFFSETS_H
#define LGC_OFFSETS_OFFSETS_H

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace lgc {

/// A block of memory and the moments, both included, between which it is needed.
struct LiveBlock {
  int64_t bytes;
  int64_t first, last;
  /// The offset is a multiple of this, and of the problem's alignment.
  int64_t alignment = 1;
  /// Where the block lies, if that is given. It need not be aligned.
  std::optional<int64_t> fixed = std::nullopt;
};

struct OffsetProblem {
  std::vector<LiveBlock> blocks;
  /// Of all offsets, in bytes. All sizes but those of fixed blocks are rounded up to it.
  int64_t alignment = 1;
};

struct OffsetOptions {
  /// Of the exact search: visits of a block or of a section of time, some 200 million a second.
  /// Zero for none; without any limit there are heuristics only. The same problem gets the same
  /// layout with the same limit.
  int64_t stepLimit = 0;
  /// Of the exact search, in seconds; zero for none. Where it strikes, layouts may differ from run
  /// to run.
  double timeLimit = 0;
  /// The first layout of this many bytes or fewer is taken.
  int64_t capacity = 0;
};

struct Layout {
  /// One for each block.
  std::vector<int64_t> offsets;
  /// The end of the highest block.
  int64_t bytes = 0;
  /// No layout is smaller.
  int64_t lowerBound = 0;
  /// Nodes of the exact search.
  int64_t nodes = 0;
  double seconds = 0;

  bool isOptimal() const { return bytes == lowerBound; }
};

/// What makes a problem meaningless, if anything does: a negative size or offset, a life that ends
/// before it begins, an alignment that isn't positive, sizes whose sum is over 2^61, fixed blocks
/// that overlap.
std::optional<std::string> findFault(const OffsetProblem &problem);

/// The smallest layout found: that of the best of several heuristics, or what the exact search
/// makes of it within its limits. The problem must have no fault.
Layout solveOffsets(const OffsetProblem &problem, const OffsetOptions &options = {});

} // namespace lgc

#endif // LGC_OFFSETS_OFFSETS_H
