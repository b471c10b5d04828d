//===- SampleOrder.cpp - Which sample comes when --------------------------===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "lgc/Runtime/SampleOrder.h"

using namespace lgc::runtime;

uint64_t lgc::runtime::mix(uint64_t value) {
  value += 0x9e3779b97f4a7c15u;
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9u;
  value = (value ^ (value >> 27)) * 0x94d049bb133111ebu;
  return value ^ (value >> 31);
}

SampleOrder::SampleOrder(int64_t count, bool shuffled, uint64_t seed)
    : count(count), shuffled(shuffled), seed(seed), halfBits(1) {
  while (halfBits < 31 && (int64_t(1) << (2 * halfBits)) < count)
    ++halfBits;
}

int64_t SampleOrder::at(int64_t position) const {
  int64_t within = position % count;
  if (!shuffled)
    return within;
  constexpr unsigned rounds = 8;
  uint64_t epochKey = mix(seed ^ mix(uint64_t(position / count)));
  uint64_t keys[rounds];
  for (unsigned round = 0; round < rounds; ++round)
    keys[round] = mix(epochKey + round);
  uint64_t half = (uint64_t(1) << halfBits) - 1;
  auto value = static_cast<uint64_t>(within);
  do {
    uint64_t left = value >> halfBits, right = value & half;
    for (uint64_t key : keys) {
      uint64_t next = left ^ (mix(right ^ key) & half);
      left = right;
      right = next;
    }
    value = left << halfBits | right;
  } while (value >= static_cast<uint64_t>(count));
  return static_cast<int64_t>(value);
}
