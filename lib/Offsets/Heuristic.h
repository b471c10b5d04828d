//===- Heuristic.h - Layouts by placing one block after another -*- C++ -*-===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef LGC_LIB_OFFSETS_HEURISTIC_H
#define LGC_LIB_OFFSETS_HEURISTIC_H

#include "lgc/Offsets/Offsets.h"

namespace lgc {

/// Places blocks one after another, each into the smallest gap that holds it among those it lives
/// together with, in several orders (by size, by size times life, by life, from the start, from the
/// end), and gives the best result, or the first of at most `enough` bytes. Sizes are rounded
/// already; the lower bound is left open.
Layout placeGreedily(const std::vector<LiveBlock> &blocks, int64_t enough);

} // namespace lgc

#endif // LGC_LIB_OFFSETS_HEURISTIC_H
