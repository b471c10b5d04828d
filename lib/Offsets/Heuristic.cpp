//===- Heuristic.cpp - Layouts by placing one block after another ---------===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Heuristic.h"
#include <algorithm>
#include <numeric>

using namespace lgc;

namespace {

using Order = std::vector<size_t>;

/// A block with its place, in the order of offsets.
struct Placed {
  int64_t offset, end, first, last;
};

int64_t alignUp(int64_t offset, int64_t alignment) {
  return (offset + alignment - 1) / alignment * alignment;
}

bool liesLower(const Placed &a, const Placed &b) { return a.offset < b.offset; }

/// Places the blocks in this order; gives up once `limit` bytes are reached.
Layout place(const std::vector<LiveBlock> &blocks, const Order &order, int64_t limit) {
  Layout layout;
  layout.offsets.assign(blocks.size(), 0);
  std::vector<Placed> placed;
  placed.reserve(blocks.size());
  for (size_t i = 0; i < blocks.size(); ++i) {
    if (!blocks[i].fixed)
      continue;
    int64_t offset = layout.offsets[i] = *blocks[i].fixed, end = offset + blocks[i].bytes;
    layout.bytes = std::max(layout.bytes, end);
    if (blocks[i].bytes > 0)
      placed.push_back({offset, end, blocks[i].first, blocks[i].last});
  }
  std::sort(placed.begin(), placed.end(), liesLower);
  for (size_t index : order) {
    const LiveBlock &block = blocks[index];
    if (block.bytes == 0 || block.fixed)
      continue;
    int64_t best = -1, bestGap = INT64_MAX, end = 0;
    for (const Placed &other : placed) {
      if (other.first > block.last || other.last < block.first)
        continue;
      int64_t gap = other.offset - end;
      if (gap >= block.bytes && gap < bestGap) {
        best = end;
        bestGap = gap;
      }
      if (other.end > end)
        end = alignUp(other.end, block.alignment);
    }
    int64_t offset = best >= 0 ? best : end;
    layout.offsets[index] = offset;
    layout.bytes = std::max(layout.bytes, offset + block.bytes);
    if (layout.bytes >= limit)
      return layout;
    Placed entry = {offset, offset + block.bytes, block.first, block.last};
    placed.insert(std::upper_bound(placed.begin(), placed.end(), entry, liesLower), entry);
  }
  return layout;
}

template <typename Key> Order sortedBy(size_t count, Key key) {
  Order order(count);
  std::iota(order.begin(), order.end(), size_t(0));
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    auto keyA = key(a), keyB = key(b);
    return keyA != keyB ? keyA < keyB : a < b;
  });
  return order;
}

std::vector<Order> makeOrders(const std::vector<LiveBlock> &blocks) {
  auto life = [&](size_t i) { return blocks[i].last - blocks[i].first + 1; };
  size_t count = blocks.size();
  return {
      sortedBy(count, [&](size_t i) { return std::make_pair(-blocks[i].bytes, -life(i)); }),
      sortedBy(count,
               [&](size_t i) {
                 return -static_cast<double>(blocks[i].bytes) * static_cast<double>(life(i));
               }),
      sortedBy(count, [&](size_t i) { return std::make_pair(-life(i), -blocks[i].bytes); }),
      sortedBy(count, [&](size_t i) { return std::make_pair(blocks[i].first, -blocks[i].bytes); }),
      sortedBy(count, [&](size_t i) { return std::make_pair(-blocks[i].last, -blocks[i].bytes); }),
  };
}

} // namespace

Layout lgc::placeGreedily(const std::vector<LiveBlock> &blocks, int64_t enough) {
  Layout best;
  best.bytes = INT64_MAX;
  for (const Order &order : makeOrders(blocks)) {
    Layout layout = place(blocks, order, best.bytes);
    if (layout.bytes < best.bytes)
      best = std::move(layout);
    if (best.bytes <= enough)
      break;
  }
  return best;
}
