//===- ReshapeGroups.h - What a reshape does to dimensions ---------------===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef LGC_LIB_IR_RESHAPEGROUPS_H
#define LGC_LIB_IR_RESHAPEGROUPS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

namespace lgc {

/// Neighbouring dimensions of a reshape's operand and result that hold the same elements.
struct ReshapeGroup {
  llvm::SmallVector<int64_t> from, to;
};

/// Splits the dimensions of two shapes of equal size into the smallest groups, in order: from
/// 4x6x1x5 to 2x2x6x5 the groups are {4 | 2, 2}, {6 | 6}, {1 | }, {5 | 5}.
llvm::SmallVector<ReshapeGroup> getReshapeGroups(llvm::ArrayRef<int64_t> from,
                                                 llvm::ArrayRef<int64_t> to);

} // namespace lgc

#endif // LGC_LIB_IR_RESHAPEGROUPS_H
