//===- CompositeOps.cpp - Composites and what they stand for ------------- ===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "OperandCheck.h"
#include "lgc/IR/LgcOps.h"
#include "lgc/IR/TensorMath.h"

using namespace mlir;
using namespace lgc;

static RankedTensorType getType(Value value) { return cast<RankedTensorType>(value.getType()); }

static SmallVector<int64_t> dropDims(ArrayRef<int64_t> shape, ArrayRef<int64_t> dims) {
  SmallVector<int64_t> kept;
  for (auto [dim, size] : llvm::enumerate(shape))
    if (!llvm::is_contained(dims, static_cast<int64_t>(dim)))
      kept.push_back(size);
  return kept;
}

//===----------------------------------------------------------------------===//
// Softmax
//===----------------------------------------------------------------------===//

LogicalResult SoftmaxOp::verify() {
  return checkDim(getLoc(), "goes along", getDim(), ::getType(getOperand()).getRank());
}

namespace {
/// The exponentials of x less its largest element along a dimension, which never overflow, and
/// their sum: what softmax and the logarithm of its denominator are made of.
struct ShiftedExponential {
  ShiftedExponential(TensorMath &t, Value x, int64_t dim) {
    most = t.reduce(ReductionKind::Max, x, dim);
    shifted = t.sub(x, t.restore(most, x, dim));
    exponential = t.exp(shifted);
    sum = t.reduce(ReductionKind::Sum, exponential, dim);
  }

  Value most, shifted, exponential, sum;
};
} // namespace

SmallVector<Value> SoftmaxOp::decompose(OpBuilder &builder) {
  TensorMath t(builder, getLoc());
  ShiftedExponential e(t, getOperand(), getDim());
  Value result = t.div(e.exponential, t.restore(e.sum, getOperand(), getDim()));
  if (getSafe()) {
    Value isNan = IsNanOp::create(builder, getLoc(), result);
    result = t.select(isNan, t.zerosLike(result), result);
  }
  return {result};
}

LogicalResult LogSoftmaxOp::verify() {
  return checkDim(getLoc(), "goes along", getDim(), ::getType(getOperand()).getRank());
}

SmallVector<Value> LogSoftmaxOp::decompose(OpBuilder &builder) {
  TensorMath t(builder, getLoc());
  ShiftedExponential e(t, getOperand(), getDim());
  return {t.sub(e.shifted, t.restore(t.log(e.sum), getOperand(), getDim()))};
}

//===----------------------------------------------------------------------===//
// Normalisation
//===----------------------------------------------------------------------===//

/// The type of statistics over dimensions: at least f32.
static RankedTensorType getStatisticsType(RankedTensorType operand, ArrayRef<int64_t> dims) {
  return RankedTensorType::get(dropDims(operand.getShape(), dims),
                               getComputeType(operand.getElementType()));
}

LogicalResult NormalizeOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc,
                                            Adaptor adaptor, SmallVectorImpl<Type> &types) {
  if (failed(checkOperands(loc, adaptor.getOperands())))
    return failure();
  RankedTensorType operand = ::getType(adaptor.getOperand());
  if (failed(checkDims(loc, "has", adaptor.getDims(), operand.getRank())))
    return failure();
  RankedTensorType statistics = getStatisticsType(operand, adaptor.getDims());
  types.assign({operand, statistics, statistics});
  return success();
}

LogicalResult NormalizeOp::verify() { return success(); }

SmallVector<Value> NormalizeOp::decompose(OpBuilder &builder) {
  TensorMath t(builder, getLoc());
  RankedTensorType type = ::getType(getOperand());
  Value x = t.cast(getOperand(), getComputeType(type.getElementType()));
  ArrayRef<int64_t> dims = getDims();
  Value mean = t.mean(x, dims);
  Value centred = t.sub(x, t.restore(mean, x, dims));
  Value variance = t.mean(t.mul(centred, centred), dims);
  Value rstd = t.rsqrt(t.add(variance, getEpsilon().convertToDouble()));
  Value result = t.mul(centred, t.restore(rstd, x, dims));
  return {t.cast(result, type.getElementType()), mean, rstd};
}

LogicalResult RmsNormalizeOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc,
                                               Adaptor adaptor, SmallVectorImpl<Type> &types) {
  if (failed(checkOperands(loc, adaptor.getOperands())))
    return failure();
  RankedTensorType operand = ::getType(adaptor.getOperand());
  if (failed(checkDims(loc, "has", adaptor.getDims(), operand.getRank())))
    return failure();
  types.assign({operand, getStatisticsType(operand, adaptor.getDims())});
  return success();
}

LogicalResult RmsNormalizeOp::verify() { return success(); }

SmallVector<Value> RmsNormalizeOp::decompose(OpBuilder &builder) {
  TensorMath t(builder, getLoc());
  RankedTensorType type = ::getType(getOperand());
  Value x = t.cast(getOperand(), getComputeType(type.getElementType()));
  Value square = t.mean(t.mul(x, x), getDims());
  Value rstd = t.rsqrt(t.add(square, getEpsilon().convertToDouble()));
  Value result = t.mul(x, t.restore(rstd, x, getDims()));
  return {t.cast(result, type.getElementType()), rstd};
}

//===----------------------------------------------------------------------===//
// Cross-entropy
//===----------------------------------------------------------------------===//

LogicalResult CrossEntropyOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc,
                                               Adaptor adaptor, SmallVectorImpl<Type> &types) {
  if (failed(checkOperands(loc, adaptor.getOperands())))
    return failure();
  RankedTensorType logits = ::getType(adaptor.getLogits());
  int64_t dim = adaptor.getDim();
  if (failed(checkDim(loc, "goes along", dim, logits.getRank())))
    return failure();
  SmallVector<int64_t> shape = dropDims(logits.getShape(), dim);
  if (::getType(adaptor.getLabels()).getShape() != ArrayRef(shape))
    return emitOptionalError(loc, "has labels of type ", adaptor.getLabels().getType(),
                             "; they need the shape of the logits without dimension ", dim);
  types.assign({logits.clone(shape), getStatisticsType(logits, dim)});
  return success();
}

LogicalResult CrossEntropyOp::verify() { return success(); }

SmallVector<Value> CrossEntropyOp::decompose(OpBuilder &builder) {
  TensorMath t(builder, getLoc());
  Type element = ::getType(getLogits()).getElementType();
  Value logits = t.cast(getLogits(), getComputeType(element));
  RankedTensorType type = ::getType(logits);
  int64_t dim = getDim();
  ShiftedExponential e(t, logits, dim);
  Value logSumExp = t.add(t.log(e.sum), e.most);
  // The label's logit is the sum of those whose class is the label.
  Type labelElement = ::getType(getLabels()).getElementType();
  Value classes = IotaOp::create(builder, getLoc(), type.clone(labelElement), dim);
  Value isLabel = t.compare(ComparePredicate::EQ, classes, t.restore(getLabels(), classes, dim));
  Value chosen = t.select(isLabel, logits, t.zerosLike(logits));
  Value loss = t.sub(logSumExp, t.reduce(ReductionKind::Sum, chosen, dim));
  if (std::optional<uint64_t> ignored = getIgnoreIndex()) {
    Value isIgnored = t.compare(ComparePredicate::EQ, getLabels(),
                                t.splatLike(getLabels(), static_cast<int64_t>(*ignored)));
    loss = t.select(isIgnored, t.zerosLike(loss), loss);
  }
  return {t.cast(loss, element), logSumExp};
}

//===----------------------------------------------------------------------===//
// Attention
//===----------------------------------------------------------------------===//

LogicalResult AttentionOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc,
                                            Adaptor adaptor, SmallVectorImpl<Type> &types) {
  if (failed(checkOperands(loc, adaptor.getOperands())))
    return failure();
  RankedTensorType query = ::getType(adaptor.getQuery()), key = ::getType(adaptor.getKey());
  RankedTensorType value = ::getType(adaptor.getValue());
  int64_t rank = query.getRank();
  if (rank < 2 || key.getRank() != rank || value.getRank() != rank ||
      query.getShape().drop_back(2) != key.getShape().drop_back(2) ||
      query.getShape().drop_back(2) != value.getShape().drop_back(2) ||
      query.getDimSize(rank - 1) != key.getDimSize(rank - 1) ||
      key.getDimSize(rank - 2) != value.getDimSize(rank - 2))
    return emitOptionalError(loc, "has query, key and value that don't fit: they are "
                                  "[batch..., Q, D], [batch..., K, D] and [batch..., K, E]");
  if (key.getElementType() != query.getElementType() ||
      value.getElementType() != query.getElementType())
    return emitOptionalError(loc, "has query, key and value of different element types; cast them "
                                  "to one");
  SmallVector<int64_t> shape(query.getShape());
  types.push_back(nullptr);
  types.push_back(query.clone(ArrayRef(shape).drop_back()));
  shape.back() = value.getShape().back();
  types.front() = query.clone(shape);
  return success();
}

LogicalResult AttentionOp::verify() {
  if (!getBias())
    return success();
  RankedTensorType bias = ::getType(getBias()), query = ::getType(getQuery());
  SmallVector<int64_t> scores(query.getShape());
  scores.back() = ::getType(getKey()).getDimSize(query.getRank() - 2);
  int64_t leading = query.getRank() - bias.getRank();
  bool fits = leading >= 0 && bias.getElementType() == query.getElementType();
  for (int64_t dim = 0; fits && dim < bias.getRank(); ++dim)
    fits = bias.getDimSize(dim) == 1 || bias.getDimSize(dim) == scores[dim + leading];
  if (!fits)
    return emitOpError("has a bias of type ")
           << bias << "; it must be broadcastable to " << query.clone(scores);
  return success();
}

Value lgc::emitAttentionScores(OpBuilder &builder, AttentionOp op) {
  TensorMath t(builder, op.getLoc());
  int64_t rank = ::getType(op.getQuery()).getRank();
  auto batch = llvm::to_vector(llvm::seq<int64_t>(0, rank - 2));
  Value scores = DotOp::create(builder, op.getLoc(), op.getQuery(), op.getKey(), batch, batch,
                               ArrayRef<int64_t>{rank - 1}, ArrayRef<int64_t>{rank - 1});
  scores = t.mul(scores, op.getScale().convertToDouble());
  if (op.getBias())
    scores = t.add(scores, t.broadcastTo(op.getBias(), scores));
  if (op.getCausal()) {
    RankedTensorType type = ::getType(scores);
    RankedTensorType numbers = type.clone(builder.getI64Type());
    Value row = IotaOp::create(builder, op.getLoc(), numbers, rank - 2);
    Value column = IotaOp::create(builder, op.getLoc(), numbers, rank - 1);
    int64_t offset = type.getDimSize(rank - 1) - type.getDimSize(rank - 2);
    Value last = t.add(row, static_cast<double>(offset));
    Value isSeen = t.compare(ComparePredicate::LE, column, last);
    Value never = t.splatLike(scores, -std::numeric_limits<double>::infinity());
    scores = t.select(isSeen, scores, never);
  }
  return scores;
}

SmallVector<Value> AttentionOp::decompose(OpBuilder &builder) {
  TensorMath t(builder, getLoc());
  Value scores = emitAttentionScores(builder, *this);
  int64_t rank = ::getType(scores).getRank();
  Value most = t.reduce(ReductionKind::Max, scores, rank - 1);
  // A query that sees no key has weights of zero; its log_sum_exp of 0 makes the gradient's, too.
  Value never = t.splatLike(most, -std::numeric_limits<double>::infinity());
  Value seesNone = t.compare(ComparePredicate::EQ, most, never);
  most = t.select(seesNone, t.zerosLike(most), most);
  Value exponential = t.exp(t.sub(scores, t.restore(most, scores, rank - 1)));
  Value sum = t.reduce(ReductionKind::Sum, exponential, rank - 1);
  sum = t.select(seesNone, t.splatLike(sum, 1.0), sum);
  Value weights = t.div(exponential, t.restore(sum, scores, rank - 1));
  auto batch = llvm::to_vector(llvm::seq<int64_t>(0, rank - 2));
  Value result = DotOp::create(builder, getLoc(), weights, getValue(), batch, batch,
                               ArrayRef<int64_t>{rank - 1}, ArrayRef<int64_t>{rank - 2});
  return {result, t.add(t.log(sum), most)};
}
