//===- Search.cpp - Exact search for a layout that fits -------------------===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Search.h"
#include <algorithm>
#include <numeric>
#include <random>
#include <tuple>

using namespace lgc;

/// Of the table of subproblems known to be impossible.
static constexpr size_t hashBits = 20;
/// Steps before the next order gets its turn; each round has a quarter more.
static constexpr int64_t firstShare = 1000000;
/// Between looks at the clock.
static constexpr int64_t stepsPerLook = 3000000;

OffsetSearch::OffsetSearch(const std::vector<LiveBlock> &blocks) : offsets(blocks.size(), 0) {
  makeSections(blocks);
  makeItems();
  makeOrders();
  placed.assign(items.size(), 0);
  lowest.assign(items.size(), 0);
  load.assign(sectionCount, 0);
  for (size_t i = 0; i < items.size(); ++i) {
    stack.push_back(static_cast<int>(i));
    lowest[i] = findPlace(items[i], 0);
  }
  rootBound = computeBound({0, items.size()});
  for (const Obstacle &obstacle : obstacles)
    rootBound = std::max(rootBound, obstacle.offset + obstacle.bytes);
}

/// Only moments matter at which the set of live blocks is contained in no other one: those where
/// a block begins and the next thing that happens is that one ends.
void OffsetSearch::makeSections(const std::vector<LiveBlock> &blocks) {
  // Ends are sorted behind beginnings of the same moment.
  std::vector<std::pair<std::pair<int64_t, int>, size_t>> events;
  for (size_t i = 0; i < blocks.size(); ++i) {
    if (blocks[i].bytes == 0)
      continue;
    events.push_back({{blocks[i].first, 0}, i});
    events.push_back({{blocks[i].last, 1}, i});
  }
  std::sort(events.begin(), events.end());
  std::vector<int> first(blocks.size()), last(blocks.size());
  bool growing = false;
  for (const auto &[moment, block] : events) {
    if (moment.second == 0) {
      growing = true;
      first[block] = sectionCount;
      continue;
    }
    sectionCount += growing;
    growing = false;
    last[block] = sectionCount - 1;
  }
  for (size_t i = 0; i < blocks.size(); ++i) {
    const LiveBlock &block = blocks[i];
    if (block.bytes == 0) {
      offsets[i] = block.fixed.value_or(0);
    } else if (block.fixed) {
      obstacles.push_back({block.bytes, *block.fixed, first[i], last[i]});
      offsets[i] = *block.fixed;
    } else {
      items.push_back({block.bytes, block.alignment, first[i], last[i], -1, {}, i});
    }
  }
}

void OffsetSearch::makeItems() {
  auto key = [&](const Item &item) {
    return std::make_tuple(item.first, item.last, item.bytes, item.alignment, item.block);
  };
  std::sort(items.begin(), items.end(),
            [&](const Item &a, const Item &b) { return key(a) < key(b); });
  for (size_t i = 0; i < items.size(); ++i) {
    Item &item = items[i];
    if (i > 0 && items[i - 1].first == item.first && items[i - 1].last == item.last &&
        items[i - 1].bytes == item.bytes && items[i - 1].alignment == item.alignment)
      item.twin = static_cast<int>(i - 1);
    for (const Obstacle &obstacle : obstacles)
      if (obstacle.first <= item.last && item.first <= obstacle.last)
        item.obstacles.push_back({obstacle.offset, obstacle.offset + obstacle.bytes});
    std::sort(item.obstacles.begin(), item.obstacles.end());
  }
}

void OffsetSearch::makeOrders() {
  std::vector<int64_t> total(sectionCount, 0);
  for (const Item &item : items)
    for (int section = item.first; section <= item.last; ++section)
      total[section] += item.bytes;
  std::vector<std::array<double, 3>> keys;
  for (const Item &item : items) {
    double width = item.last - item.first + 1;
    double most = *std::max_element(total.begin() + item.first, total.begin() + item.last + 1);
    keys.push_back({most, width * item.bytes, width});
  }
  using Keys = std::array<int, 3>;
  for (Keys order : {Keys{2, 1, 0}, {0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {2, 0, 1}}) {
    std::vector<int> sorted(items.size()), rankOf(items.size());
    std::iota(sorted.begin(), sorted.end(), 0);
    std::sort(sorted.begin(), sorted.end(), [&](int a, int b) {
      for (int key : order)
        if (keys[a][key] != keys[b][key])
          return keys[a][key] > keys[b][key];
      return a < b;
    });
    for (size_t i = 0; i < sorted.size(); ++i)
      rankOf[sorted[i]] = static_cast<int>(i);
    ranks.push_back(std::move(rankOf));
  }
}

int64_t OffsetSearch::findPlace(const Item &item, int64_t from) const {
  auto align = [&](int64_t at) {
    return (at + item.alignment - 1) / item.alignment * item.alignment;
  };
  int64_t place = item.alignment == 1 ? from : align(from);
  for (auto [begin, end] : item.obstacles)
    if (end > place && begin < place + item.bytes)
      place = align(end);
  return place;
}

/// For each section: the blocks that can't lie below x, and all those that can't lie lower than
/// they, have to fit between x and the end.
int64_t OffsetSearch::computeBound(Range range) {
  byPlace.clear();
  int first = INT32_MAX, last = -1;
  for (size_t i = range.first; i < range.second; ++i) {
    int item = stack[i];
    byPlace.push_back({lowest[item], item});
    first = std::min(first, items[item].first);
    last = std::max(last, items[item].last);
  }
  for (size_t i = 0; i < obstacles.size(); ++i)
    if (obstacles[i].first <= last && first <= obstacles[i].last)
      byPlace.push_back({obstacles[i].offset, -1 - static_cast<int>(i)});
  std::sort(byPlace.begin(), byPlace.end(), std::greater<>());
  std::fill(load.begin() + std::min(first, last + 1), load.begin() + last + 1, 0);
  int64_t bound = 0;
  for (auto [place, index] : byPlace) {
    int from = index >= 0 ? items[index].first : std::max(first, obstacles[-1 - index].first);
    int to = index >= 0 ? items[index].last : std::min(last, obstacles[-1 - index].last);
    int64_t bytes = index >= 0 ? items[index].bytes : obstacles[-1 - index].bytes;
    int64_t most = 0;
    for (int section = from; section <= to; ++section) {
      load[section] += bytes;
      most = std::max(most, load[section]);
    }
    steps += to - from + 1;
    bound = std::max(bound, place + most);
  }
  return bound;
}

bool OffsetSearch::fits(Range range) {
  int64_t bound = computeBound(range);
  if (bound > capacity)
    nextCapacity = std::min(nextCapacity, bound);
  return bound <= capacity;
}

bool OffsetSearch::outOfSteps() {
  if (steps >= stepLimit)
    stopped = true;
  if (deadline && steps >= nextClock) {
    nextClock = steps + stepsPerLook;
    if (std::chrono::steady_clock::now() >= *deadline)
      stopped = true;
  }
  return stopped;
}

static uint64_t mix(uint64_t x) {
  x ^= x >> 31;
  x *= 0x9e3779b97f4a7c15;
  x ^= x >> 29;
  x *= 0xd6e8feb86659fd93;
  return x ^ (x >> 32);
}

/// Of the blocks of a subproblem and the lowest places where they may lie, which determine it.
OffsetSearch::Hash OffsetSearch::hash(Range range) const {
  Hash sum = {range.second - range.first, 1};
  for (size_t i = range.first; i < range.second; ++i) {
    uint64_t item = stack[i], place = lowest[item];
    uint64_t one = mix(place + (item + 1) * 0xa0761d6478bd642f);
    sum.first += one;
    sum.second += mix(one ^ 0x5bf03635f0935ad1) ^ (place << 7);
  }
  return sum;
}

/// Pushes candidates on `candidates`. A block is none if another one would fit below it, where it
/// could be moved afterwards, or if one just like it comes first.
void OffsetSearch::findCandidates(Range range) {
  int64_t leastEnd = INT64_MAX;
  for (size_t i = range.first; i < range.second; ++i)
    leastEnd = std::min(leastEnd, lowest[stack[i]] + items[stack[i]].bytes);
  size_t begin = candidates.size();
  for (size_t i = range.first; i < range.second; ++i) {
    int item = stack[i], twin = items[item].twin;
    if (lowest[item] < leastEnd && (twin < 0 || placed[twin]))
      candidates.push_back(item);
  }
  std::sort(candidates.begin() + begin, candidates.end(), [&](int a, int b) {
    return std::make_pair(lowest[a], rank[a]) < std::make_pair(lowest[b], rank[b]);
  });
}

/// Pushes the blocks of a range that aren't placed, and gives the parts that meet nowhere.
void OffsetSearch::splitInto(Range range, std::vector<Range> &parts) {
  int end = -1;
  for (size_t i = range.first; i < range.second; ++i) {
    int item = stack[i];
    if (placed[item])
      continue;
    if (items[item].first > end)
      parts.push_back({stack.size(), stack.size()});
    end = std::max(end, items[item].last);
    stack.push_back(item);
    parts.back().second = stack.size();
  }
  std::sort(parts.begin(), parts.end(), [](Range a, Range b) {
    return std::make_pair(a.second - a.first, a.first) <
           std::make_pair(b.second - b.first, b.first);
  });
}

/// After the search with this block at its lowest place, as the next one placed, has failed: what
/// is tried afterwards lies no lower, so that in a canonical layout this block lies higher only
/// because another one that it meets lies below.
void OffsetSearch::raise(Range range, int refuted) {
  const Item &item = items[refuted];
  int64_t from = capacity;
  for (size_t i = range.first; i < range.second; ++i) {
    int other = stack[i];
    if (other != refuted && items[other].first <= item.last && item.first <= items[other].last)
      from = std::min(from, lowest[other] + items[other].bytes);
  }
  steps += range.second - range.first;
  if (lowest[refuted] < from)
    lowest[refuted] = findPlace(item, from);
}

/// Places a block, and solves what that leaves of the range.
bool OffsetSearch::tryCandidate(Range range, int candidate) {
  const Item &item = items[candidate];
  int64_t place = lowest[candidate], end = place + item.bytes;
  size_t savedBegin = saved.size(), stackBegin = stack.size();
  for (size_t i = range.first; i < range.second; ++i) {
    int other = stack[i];
    saved.push_back(lowest[other]);
    bool meets = items[other].first <= item.last && item.first <= items[other].last;
    int64_t from = meets ? end : place;
    if (lowest[other] < from)
      lowest[other] = findPlace(items[other], from);
  }
  lowest[candidate] = place;
  steps += range.second - range.first;
  placed[candidate] = 1;
  std::vector<Range> parts;
  splitInto(range, parts);
  bool solved = fits({stackBegin, stack.size()});
  for (size_t i = 0; solved && i < parts.size(); ++i)
    solved = solve(parts[i]);
  if (solved)
    offsets[item.block] = place;
  placed[candidate] = 0;
  for (size_t i = range.first; i < range.second; ++i)
    lowest[stack[i]] = saved[savedBegin + i - range.first];
  saved.resize(savedBegin);
  stack.resize(stackBegin);
  return solved;
}

bool OffsetSearch::solve(Range range) {
  // That a single block fits was part of the bound.
  if (range.second - range.first == 1) {
    int item = stack[range.first];
    offsets[items[item].block] = lowest[item];
    return true;
  }
  Hash state = hash(range);
  Hash &known = impossible[state.first >> (64 - hashBits)];
  if (known == state)
    return false;
  ++nodes;
  size_t begin = candidates.size();
  findCandidates(range);
  size_t end = candidates.size();
  bool solved = false;
  for (size_t i = begin; i < end && !outOfSteps(); ++i) {
    solved = tryCandidate(range, candidates[i]);
    if (solved || stopped)
      break;
    raise(range, candidates[i]);
    if (!fits(range))
      break;
  }
  candidates.resize(begin);
  if (!solved && !stopped)
    known = state;
  return solved;
}

bool OffsetSearch::solveFromRoot() {
  std::vector<Range> parts;
  std::vector<int64_t> root = lowest;
  size_t count = stack.size();
  splitInto({0, count}, parts);
  bool solved = true;
  for (size_t i = 0; solved && i < parts.size(); ++i)
    solved = solve(parts[i]);
  stack.resize(count);
  lowest = std::move(root);
  return solved;
}

OffsetSearch::Outcome
OffsetSearch::run(int64_t atMost, int64_t limit,
                  std::optional<std::chrono::steady_clock::time_point> until) {
  capacity = atMost;
  deadline = until;
  nextCapacity = rootBound;
  if (rootBound > capacity)
    return Outcome::Impossible;
  nextCapacity = INT64_MAX;
  impossible.assign(size_t(1) << hashBits, Hash{0, 0});
  int64_t end = limit > INT64_MAX - steps ? INT64_MAX : steps + limit;
  std::mt19937 random(1);
  for (int64_t share = firstShare;; share += share / 4) {
    for (const std::vector<int> &order : ranks) {
      rank = order;
      // The first round takes the orders as they are.
      if (share > firstShare)
        for (int &place : rank)
          place += static_cast<int>(random() % (1 + items.size() / 4));
      stopped = false;
      stepLimit = std::min(end, steps + share);
      if (solveFromRoot())
        return Outcome::Found;
      if (!stopped)
        return Outcome::Impossible;
      if (steps >= end || (deadline && std::chrono::steady_clock::now() >= *deadline))
        return Outcome::Stopped;
    }
  }
}
