//===- ExactSearch.h - Plans of least cost, for small problems --*- C++ -*-===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef LGC_LIB_RECOMPUTATION_EXACTSEARCH_H
#define LGC_LIB_RECOMPUTATION_EXACTSEARCH_H

#include "lgc/Recomputation/Recomputation.h"

namespace lgc::recomputation {

enum class Exactness {
  /// `sequence` is a plan of least cost.
  Solved,
  /// No plan that costs less than the given one keeps the limit.
  NoneBetter,
  /// The problem is too large, or the work was spent.
  Unknown,
};

struct ExactPlan {
  Exactness exactness = Exactness::Unknown;
  std::vector<unsigned> sequence;
};

/// Dijkstra's algorithm over how many steps have run and which tensors are alive. Tensors die only
/// where they must, to make room for a step, and no more of them than that takes: whoever keeps
/// more, can do what others can. Plans that cost at least `cost` nanoseconds are left out.
ExactPlan findCheapest(const Problem &problem, int64_t limit, int64_t cost);

} // namespace lgc::recomputation

#endif // LGC_LIB_RECOMPUTATION_EXACTSEARCH_H
