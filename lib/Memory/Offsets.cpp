//===- Offsets.cpp - Where blocks of memory lie ---------------------------===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "lgc/Memory/Offsets.h"
#include <algorithm>
#include <map>
#include <numeric>

using namespace lgc;

namespace {

using Order = std::vector<size_t>;

/// The blocks with sizes that are multiples of the alignment.
std::vector<LiveBlock> roundUp(const std::vector<LiveBlock> &blocks, int64_t alignment) {
  std::vector<LiveBlock> rounded = blocks;
  for (LiveBlock &block : rounded)
    block.bytes = (block.bytes + alignment - 1) / alignment * alignment;
  return rounded;
}

int64_t computeLowerBound(const std::vector<LiveBlock> &blocks) {
  std::map<int64_t, int64_t> changes;
  for (const LiveBlock &block : blocks) {
    changes[block.first] += block.bytes;
    changes[block.last + 1] -= block.bytes;
  }
  int64_t live = 0, most = 0;
  for (auto [moment, change] : changes) {
    live += change;
    most = std::max(most, live);
  }
  return most;
}

/// A block with its place, in the order of offsets.
struct Placed {
  int64_t offset, end, first, last;
};

/// Places the blocks in this order; gives up once `limit` bytes are reached.
Layout place(const std::vector<LiveBlock> &blocks, const Order &order, int64_t limit) {
  Layout layout;
  layout.offsets.assign(blocks.size(), 0);
  std::vector<Placed> placed;
  placed.reserve(blocks.size());
  for (size_t index : order) {
    const LiveBlock &block = blocks[index];
    if (block.bytes == 0)
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
      end = std::max(end, other.end);
    }
    int64_t offset = best >= 0 ? best : end;
    layout.offsets[index] = offset;
    layout.bytes = std::max(layout.bytes, offset + block.bytes);
    if (layout.bytes >= limit)
      return layout;
    Placed entry = {offset, offset + block.bytes, block.first, block.last};
    auto at =
        std::upper_bound(placed.begin(), placed.end(), entry,
                         [](const Placed &a, const Placed &b) { return a.offset < b.offset; });
    placed.insert(at, entry);
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

Layout lgc::assignOffsets(const std::vector<LiveBlock> &unrounded, int64_t alignment) {
  std::vector<LiveBlock> blocks = roundUp(unrounded, alignment);
  int64_t lowerBound = computeLowerBound(blocks);
  Layout best;
  best.offsets.assign(blocks.size(), 0);
  best.bytes = blocks.empty() ? 0 : INT64_MAX;
  for (const Order &order : makeOrders(blocks)) {
    if (best.bytes <= lowerBound)
      break;
    Layout layout = place(blocks, order, best.bytes);
    if (layout.bytes < best.bytes)
      best = std::move(layout);
  }
  best.lowerBound = lowerBound;
  return best;
}
