//===- Validation.h - Checks a plan of recomputation ------------*- C++ -*-===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//
//
// Replays a plan on a set of live tensors, without any code of the search.
//
//===----------------------------------------------------------------------===//

#ifndef LGC_RECOMPUTATION_VALIDATION_H
#define LGC_RECOMPUTATION_VALIDATION_H

#include "lgc/Recomputation/Recomputation.h"
#include <string>

namespace lgc::recomputation {

struct Replay {
  /// What is wrong with the sequence; empty if nothing is.
  std::string error;
  /// Bytes and nanoseconds, as in a plan.
  int64_t peak = 0, extraCost = 0;
};

Replay replay(const Problem &problem, const std::vector<unsigned> &sequence);

} // namespace lgc::recomputation

#endif // LGC_RECOMPUTATION_VALIDATION_H
