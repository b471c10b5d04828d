//===- ReductionGradients.cpp - Gradients of reductions, scans and windows -- ===//
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

static RankedTensorType getType(Value value) { return cast<RankedTensorType>(value.getType()); }

/// The gradient of a largest or smallest element, shared equally by those that have its value.
static Value getSharedGradient(TensorMath &t, ReduceOp op, Value d) {
  Value x = op.getOperand();
  Value isChosen = t.compare(ComparePredicate::EQ, x, t.restore(op.getResult(), x, op.getDims()));
  Value chosen = t.select(isChosen, t.splatLike(x, 1.0), t.zerosLike(x));
  Value share = t.div(d, t.sum(chosen, op.getDims()));
  return t.mul(chosen, t.restore(share, x, op.getDims()));
}

/// The product of the other elements, exact where elements are zero: the quotient by a nonzero
/// element; where one element is zero, the product of the others for it; 0 with more zeros.
static Value getProductGradient(TensorMath &t, ReduceOp op, Value d) {
  Value x = op.getOperand();
  ArrayRef<int64_t> dims = op.getDims();
  Value isZero = t.compare(ComparePredicate::EQ, x, t.zerosLike(x));
  Value safe = t.select(isZero, t.splatLike(x, 1.0), x);
  Value zeros = t.sum(t.select(isZero, t.splatLike(x, 1.0), t.zerosLike(x)), dims);
  Value product = t.restore(t.mul(d, t.reduce(ReductionKind::Product, safe, dims)), x, dims);
  Value count = t.restore(zeros, x, dims);
  // An element counts if all zeros among the elements are itself.
  Value own = t.select(isZero, t.splatLike(x, 1.0), t.zerosLike(x));
  Value counts = t.compare(ComparePredicate::EQ, count, own);
  return t.select(counts, t.div(product, safe), t.zerosLike(x));
}

SmallVector<Value> ReduceOp::buildGradient(OpBuilder &builder, ValueRange resultGradients,
                                           const BitVector &) {
  TensorMath t(builder, getLoc());
  Value d = resultGradients[0];
  switch (getKind()) {
  case ReductionKind::Sum:
    return {t.restore(d, getOperand(), getDims())};
  case ReductionKind::Product:
    return {getProductGradient(t, *this, d)};
  case ReductionKind::Max:
  case ReductionKind::Min:
    return {getSharedGradient(t, *this, d)};
  case ReductionKind::And:
  case ReductionKind::Or:
    return {Value()};
  }
  return {Value()};
}

SmallVector<Value> CumulativeOp::buildGradient(OpBuilder &builder, ValueRange resultGradients,
                                               const BitVector &) {
  if (getKind() != ReductionKind::Sum) {
    emitOpError("has no gradient for this kind; only a cumulative sum has one");
    return {Value()};
  }
  return {CumulativeOp::create(builder, getLoc(), getKind(), resultGradients[0], getDim(),
                               getExclusive(), !getReverse())};
}

SmallVector<Value> SortOp::buildGradient(OpBuilder &builder, ValueRange resultGradients,
                                         const BitVector &) {
  if (!resultGradients[0])
    return {Value()};
  Value zero = TensorMath(builder, getLoc()).zerosLike(getOperand());
  return {ScatterElementsOp::create(builder, getLoc(), zero.getType(), ScatterKind::Replace, zero,
                                    getIndices(), resultGradients[0], getDim())};
}

SmallVector<Value> ReduceWindowOp::buildGradient(OpBuilder &builder, ValueRange resultGradients,
                                                 const BitVector &) {
  Value indices;
  if (getKind() == ReductionKind::Max) {
    indices = WindowArgmaxOp::create(builder, getLoc(), getOperand(), getWindow(), getStrides(),
                                     getDilations(), getLow(), getHigh())
                  .getIndex();
  } else if (getKind() != ReductionKind::Sum) {
    emitOpError("has no gradient for this kind; only sum and max have one");
    return {Value()};
  }
  return {WindowScatterOp::create(builder, getLoc(), getOperand().getType(), resultGradients[0],
                                  indices, getWindow(), getStrides(), getDilations(), getLow(),
                                  getHigh())};
}

SmallVector<Value> WindowScatterOp::buildGradient(OpBuilder &builder, ValueRange resultGradients,
                                                  const BitVector &wanted) {
  if (getIndices()) {
    // Each update goes to one place: pick that place's gradient.
    TensorMath t(builder, getLoc());
    RankedTensorType from = ::getType(getResult()), to = ::getType(getUpdates());
    auto flatten = [&](RankedTensorType type) {
      int64_t size = 1;
      for (int64_t dimension : type.getShape().drop_front(2))
        size *= dimension;
      return SmallVector<int64_t>{type.getDimSize(0), type.getDimSize(1), size};
    };
    Value flat = t.reshape(resultGradients[0], flatten(from));
    Value indices = t.reshape(getIndices(), flatten(to));
    Value picked = GatherElementsOp::create(builder, getLoc(), flat, indices, /*axis=*/2);
    return {t.reshape(picked, to.getShape()), Value()};
  }
  return {ReduceWindowOp::create(builder, getLoc(), ReductionKind::Sum, resultGradients[0],
                                 getWindow(), getStrides(), getDilations(), getLow(), getHigh())};
}
