//===- SampleOrder.h - Which sample comes when ------------------*- C++ -*-===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef LGC_RUNTIME_SAMPLEORDER_H
#define LGC_RUNTIME_SAMPLEORDER_H

#include <cstdint>

namespace lgc::runtime {

/// A stateless order of samples: position p of the endless sequence lies in epoch
/// p / count, and every epoch visits each sample once. Nothing is stored, so resuming
/// needs the position alone.
///
/// A shuffled epoch is the permutation that an eight-round Feistel network makes of
/// [0, count): its domain is the next power of 4, and values outside of the range are
/// mapped again until they fall inside. Its keys come from the seed and the epoch.
class SampleOrder {
public:
  SampleOrder(int64_t count, bool shuffled, uint64_t seed);

  int64_t at(int64_t position) const;

private:
  int64_t count;
  bool shuffled;
  uint64_t seed;
  unsigned halfBits;
};

/// A well mixed function of 64 bits (SplitMix64's finalizer).
uint64_t mix(uint64_t value);

} // namespace lgc::runtime

#endif // LGC_RUNTIME_SAMPLEORDER_H
