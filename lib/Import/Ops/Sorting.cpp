//===- Sorting.cpp - Sorting and what follows from it ----------------------===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "../NodeImporter.h"

using namespace mlir;
using namespace lgc;

/// The first k of the sorted elements; k was an attribute before opset 10.
static void importTopK(NodeImporter &n) {
  Value x = n.operand(0);
  if (!x)
    return n.setResult(Value());
  std::optional<int64_t> k = n.intAttr("k", 0);
  if (n.version >= 10)
    k = n.constantInt(1, "number of elements");
  auto axis = n.axisIn(n.intAttr("axis", -1), TensorBuilder::rankOf(x));
  if (!k || !axis)
    return;
  if (*k < 0 || *k > TensorBuilder::shapeOf(x)[*axis]) {
    n.error("there aren't " + Twine(*k) + " elements along axis " + Twine(*axis));
    return;
  }
  SmallVector<NamedAttribute> attributes = {n.integer("dim", *axis)};
  if (n.intAttr("largest", 1))
    attributes.push_back(n.unit("descending"));
  SmallVector<Value> sorted = n.createAll<SortOp>({x}, attributes);
  n.setResult(0, n.sliceDim(sorted[0], *axis, 0, *k));
  n.setResult(1, n.sliceDim(sorted[1], *axis, 0, *k));
}

void lgc::registerSortingOps(OpTable &table) { table["TopK"] = importTopK; }
