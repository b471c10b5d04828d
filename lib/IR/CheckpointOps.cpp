//===- CheckpointOps.cpp - Recomputation and what shows it ----------------===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "lgc/IR/LgcOps.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace lgc;

Value lgc::getRoot(Value value) {
  while (auto view = value.getDefiningOp<ViewOpInterface>())
    value = view.getViewed(cast<OpResult>(value).getResultNumber()).get();
  return value;
}

//===----------------------------------------------------------------------===//
// CheckpointOp
//===----------------------------------------------------------------------===//

LogicalResult CheckpointOp::verifyRegions() {
  Block &body = getBody().front();
  if (body.getArgumentTypes() != getInputs().getTypes())
    return emitOpError("has a body whose arguments aren't its inputs; give one for each");
  auto yield = dyn_cast<YieldOp>(body.getTerminator());
  if (!yield || yield.getOperandTypes() != getResultTypes())
    return emitOpError("has a body that doesn't yield its results");
  return success();
}

//===----------------------------------------------------------------------===//
// BarrierOp
//===----------------------------------------------------------------------===//

LogicalResult BarrierOp::verify() {
  if (getValues().getTypes() != getResultTypes())
    return emitOpError("has results of other types than its values; make them equal");
  return success();
}

OpOperand &BarrierOp::getViewed(unsigned result) { return getValuesMutable()[result]; }

/// Drops values that nothing uses behind the barrier, so that they aren't kept for it.
LogicalResult BarrierOp::canonicalize(BarrierOp op, PatternRewriter &rewriter) {
  SmallVector<Value> values;
  SmallVector<OpResult> used;
  for (auto [value, result] : llvm::zip_equal(op.getValues(), op->getResults()))
    if (!result.use_empty()) {
      values.push_back(value);
      used.push_back(result);
    }
  if (used.size() == op->getNumResults())
    return failure();
  auto smaller = BarrierOp::create(rewriter, op.getLoc(), ValueRange(values).getTypes(), values,
                                   op.getAfter());
  for (auto [from, to] : llvm::zip_equal(used, smaller.getResults()))
    rewriter.replaceAllUsesWith(from, to);
  rewriter.eraseOp(op);
  return success();
}

//===----------------------------------------------------------------------===//
// EchoOp
//===----------------------------------------------------------------------===//

OpOperand &EchoOp::getViewed(unsigned) { return getOperandMutable(); }

SmallVector<Value> EchoOp::buildGradient(OpBuilder &, ValueRange resultGradients,
                                         const BitVector &) {
  return {resultGradients[0]};
}
