//===- IndexingGradients.cpp - Gradients of gathers and scatters ---------- ===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "lgc/IR/LgcOps.h"
#include "lgc/IR/TensorMath.h"

using namespace mlir;
using namespace lgc;

using llvm::BitVector;

SmallVector<Value> GatherOp::buildGradient(OpBuilder &builder, ValueRange resultGradients,
                                           const BitVector &) {
  Value zero = TensorMath(builder, getLoc()).zerosLike(getOperand());
  return {ScatterOp::create(builder, getLoc(), zero.getType(), ScatterKind::Add, zero, getIndices(),
                            resultGradients[0], getAxis()),
          Value()};
}

SmallVector<Value> GatherNdOp::buildGradient(OpBuilder &builder, ValueRange resultGradients,
                                             const BitVector &) {
  Value zero = TensorMath(builder, getLoc()).zerosLike(getOperand());
  return {ScatterNdOp::create(builder, getLoc(), zero.getType(), ScatterKind::Add, zero,
                              getIndices(), resultGradients[0], getBatchDims()),
          Value()};
}

SmallVector<Value> GatherElementsOp::buildGradient(OpBuilder &builder, ValueRange resultGradients,
                                                   const BitVector &) {
  Value zero = TensorMath(builder, getLoc()).zerosLike(getOperand());
  return {ScatterElementsOp::create(builder, getLoc(), zero.getType(), ScatterKind::Add, zero,
                                    getIndices(), resultGradients[0], getAxis()),
          Value()};
}

/// The gradients of a scatter: the operand keeps its gradient where nothing replaced it, and the
/// updates get that of their places. `scatter` builds the same scatter of other tensors and
/// `gather` picks elements at its places.
static SmallVector<Value> getScatterGradients(OpBuilder &builder, Operation *op, ScatterKind kind,
                                              Value operand, Value updates, Value d,
                                              const BitVector &wanted,
                                              llvm::function_ref<Value(Value, Value)> scatter,
                                              llvm::function_ref<Value(Value)> gather) {
  if (kind != ScatterKind::Add && kind != ScatterKind::Replace) {
    op->emitOpError("has no gradient for this kind; only replacing and adding have one");
    return {Value(), Value(), Value()};
  }
  TensorMath t(builder, op->getLoc());
  Value toOperand;
  if (wanted[0])
    toOperand = kind == ScatterKind::Add ? d : scatter(d, t.zerosLike(updates));
  return {toOperand, Value(), wanted[2] ? gather(d) : Value()};
}

SmallVector<Value> ScatterOp::buildGradient(OpBuilder &builder, ValueRange resultGradients,
                                            const BitVector &wanted) {
  return getScatterGradients(
      builder, *this, getKind(), getOperand(), getUpdates(), resultGradients[0], wanted,
      [&](Value into, Value updates) -> Value {
        return ScatterOp::create(builder, getLoc(), into.getType(), getKind(), into, getIndices(),
                                 updates, getAxis());
      },
      [&](Value from) -> Value {
        return GatherOp::create(builder, getLoc(), from, getIndices(), getAxis());
      });
}

SmallVector<Value> ScatterNdOp::buildGradient(OpBuilder &builder, ValueRange resultGradients,
                                              const BitVector &wanted) {
  return getScatterGradients(
      builder, *this, getKind(), getOperand(), getUpdates(), resultGradients[0], wanted,
      [&](Value into, Value updates) -> Value {
        return ScatterNdOp::create(builder, getLoc(), into.getType(), getKind(), into, getIndices(),
                                   updates, getBatchDims());
      },
      [&](Value from) -> Value {
        return GatherNdOp::create(builder, getLoc(), from, getIndices(), getBatchDims());
      });
}

SmallVector<Value> ScatterElementsOp::buildGradient(OpBuilder &builder, ValueRange resultGradients,
                                                    const BitVector &wanted) {
  return getScatterGradients(
      builder, *this, getKind(), getOperand(), getUpdates(), resultGradients[0], wanted,
      [&](Value into, Value updates) -> Value {
        return ScatterElementsOp::create(builder, getLoc(), into.getType(), getKind(), into,
                                         getIndices(), updates, getAxis());
      },
      [&](Value from) -> Value {
        return GatherElementsOp::create(builder, getLoc(), from, getIndices(), getAxis());
      });
}
