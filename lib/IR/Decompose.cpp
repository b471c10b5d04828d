//===- Decompose.cpp - Composites replaced by what they stand for ---------===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "lgc/IR/LgcOps.h"
#include "lgc/IR/Passes.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace lgc;

namespace lgc {
#define GEN_PASS_DEF_DECOMPOSEPASS
#include "lgc/IR/Passes.h.inc"
} // namespace lgc

/// The operation that adds updates to zeros and gives them to one user only, as the gradient of
/// a look-up does; null if the value is something else.
template <typename Scatter> static Scatter getScatterIntoZeros(Value value) {
  auto scatter = value.getDefiningOp<Scatter>();
  Attribute zeros;
  if (!scatter || scatter.getKind() != ScatterKind::Add || !scatter->hasOneUse() ||
      !matchPattern(scatter.getOperand(), m_Constant(&zeros)))
    return {};
  return matchPattern(zeros, m_AnyZeroFloat()) ? scatter : Scatter();
}

/// Makes a sum with such a scatter one scatter into the other summand.
template <typename Scatter> static bool addIntoSummand(AddOp add) {
  for (unsigned side : {0, 1}) {
    auto scatter = getScatterIntoZeros<Scatter>(add->getOperand(side));
    if (!scatter)
      continue;
    OpBuilder builder(add);
    IRMapping mapping;
    mapping.map(scatter.getOperand(), add->getOperand(1 - side));
    add.replaceAllUsesWith(builder.clone(*scatter, mapping)->getResult(0));
    add.erase();
    scatter.erase();
    return true;
  }
  return false;
}

namespace {

struct DecomposePass : lgc::impl::DecomposePassBase<DecomposePass> {
  void runOnOperation() override {
    SmallVector<DecompositionOpInterface> composites;
    getOperation()->walk([&](DecompositionOpInterface op) { composites.push_back(op); });
    for (DecompositionOpInterface op : composites) {
      OpBuilder builder(op);
      SmallVector<Value> results = op.decompose(builder);
      op->replaceAllUsesWith(results);
      op->erase();
    }
    SmallVector<AddOp> sums;
    getOperation()->walk([&](AddOp op) { sums.push_back(op); });
    for (AddOp sum : sums)
      if (!addIntoSummand<ScatterOp>(sum) && !addIntoSummand<ScatterNdOp>(sum))
        addIntoSummand<ScatterElementsOp>(sum);
  }
};

} // namespace
