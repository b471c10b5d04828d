//===- Offsets.h - Where blocks of memory lie -------------------*- C++ -*-===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//
//
// The problem known as dynamic storage allocation, on plain numbers: blocks that live at the
// same time must not overlap, and the end of the last one should lie as low as it can.
//
//===----------------------------------------------------------------------===//

#ifndef LGC_MEMORY_OFFSETS_H
#define LGC_MEMORY_OFFSETS_H

#include <cstdint>
#include <vector>

namespace lgc {

/// A block of memory and the moments, both included, between which it is needed.
struct LiveBlock {
  int64_t bytes;
  int64_t first, last;
};

struct Layout {
  /// One for each block.
  std::vector<int64_t> offsets;
  /// The end of the highest block.
  int64_t bytes = 0;
  /// The largest sum of bytes that live at one moment: no layout is smaller.
  int64_t lowerBound = 0;
};

/// Places blocks one after another, each into the smallest gap that holds it among those it lives
/// together with, in several orders (by size, by size times life, by time), and keeps the best
/// result. All offsets are multiples of `alignment`, and sizes are rounded up to it. The same
/// blocks always get the same layout.
Layout assignOffsets(const std::vector<LiveBlock> &blocks, int64_t alignment);

} // namespace lgc

#endif // LGC_MEMORY_OFFSETS_H
