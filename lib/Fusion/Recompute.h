//===- Recompute.h - Values computed again where they are read --*- C++ -*-===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef LGC_LIB_FUSION_RECOMPUTE_H
#define LGC_LIB_FUSION_RECOMPUTE_H

#include "Groups.h"

namespace lgc {

/// Drops outputs of kernels that all their readers can compute from what is in memory anyway, where
/// that is cheaper than to write and read them: mostly what a forward kernel would keep for the
/// backward pass. A reader then gets a copy of the operations. No value that wasn't in memory
/// before stays longer than the dropped one would, unless it is smaller.
void recomputeCheapOutputs(mlir::Block &block, Groups &groups);

} // namespace lgc

#endif // LGC_LIB_FUSION_RECOMPUTE_H
