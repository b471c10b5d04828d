//===- ReshapeGroups.cpp - What a reshape does to dimensions --------------===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "ReshapeGroups.h"

using namespace llvm;
using namespace lgc;

SmallVector<ReshapeGroup> lgc::getReshapeGroups(ArrayRef<int64_t> from, ArrayRef<int64_t> to) {
  SmallVector<ReshapeGroup> groups;
  size_t i = 0, j = 0;
  while (i < from.size() || j < to.size()) {
    ReshapeGroup group;
    int64_t a = 1, b = 1;
    do {
      if (j >= to.size() || (a <= b && i < from.size())) {
        a *= from[i];
        group.from.push_back(i++);
      } else {
        b *= to[j];
        group.to.push_back(j++);
      }
    } while (a != b && (i < from.size() || j < to.size()));
    groups.push_back(group);
  }
  return groups;
}
