//===- CompositeGradients.cpp - Gradients of composites ----------------- ===//
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

SmallVector<Value> SoftmaxOp::buildGradient(OpBuilder &builder, ValueRange resultGradients,
                                            const BitVector &) {
  TensorMath t(builder, getLoc());
  Value d = resultGradients[0], y = getResult();
  int64_t dim = getDim();
  Value inner = t.sum(t.mul(d, y), dim);
  return {t.mul(y, t.sub(d, t.restore(inner, y, dim)))};
}

SmallVector<Value> LogSoftmaxOp::buildGradient(OpBuilder &builder, ValueRange resultGradients,
                                               const BitVector &) {
  TensorMath t(builder, getLoc());
  Value d = resultGradients[0], y = getResult();
  int64_t dim = getDim();
  return {t.sub(d, t.mul(t.exp(y), t.restore(t.sum(d, dim), y, dim)))};
}

SmallVector<Value> NormalizeOp::buildGradient(OpBuilder &builder, ValueRange resultGradients,
                                              const BitVector &) {
  TensorMath t(builder, getLoc());
  Type element = ::getType(getOperand()).getElementType();
  Value x = t.cast(getOperand(), getComputeType(element));
  ArrayRef<int64_t> dims = getDims();
  auto restore = [&](Value value) { return t.restore(value, x, dims); };
  Value rstd = getRstd();
  Value normal = t.mul(t.sub(x, restore(getMean())), restore(rstd));
  Value gradient;
  auto add = [&](Value part) { gradient = gradient ? t.add(gradient, part) : part; };
  if (resultGradients[0]) {
    Value d = t.cast(resultGradients[0], getComputeType(element));
    Value centred = t.sub(d, restore(t.mean(d, dims)));
    Value along = t.mul(normal, restore(t.mean(t.mul(d, normal), dims)));
    add(t.mul(restore(rstd), t.sub(centred, along)));
  }
  double share = static_cast<double>(::getType(getMean()).getNumElements()) /
                 static_cast<double>(::getType(getOperand()).getNumElements());
  if (resultGradients[1])
    add(restore(t.mul(resultGradients[1], share)));
  if (resultGradients[2]) {
    // d rstd / dx = -rstd^2 normal / n.
    Value scale = t.mul(t.mul(resultGradients[2], t.mul(rstd, rstd)), -share);
    add(t.mul(normal, restore(scale)));
  }
  return {t.cast(gradient, element)};
}

SmallVector<Value> RmsNormalizeOp::buildGradient(OpBuilder &builder, ValueRange resultGradients,
                                                 const BitVector &) {
  TensorMath t(builder, getLoc());
  Type element = ::getType(getOperand()).getElementType();
  Value x = t.cast(getOperand(), getComputeType(element));
  ArrayRef<int64_t> dims = getDims();
  auto restore = [&](Value value) { return t.restore(value, x, dims); };
  Value rstd = getRstd();
  Value normal = t.mul(x, restore(rstd));
  Value gradient;
  if (resultGradients[0]) {
    Value d = t.cast(resultGradients[0], getComputeType(element));
    Value along = t.mul(normal, restore(t.mean(t.mul(d, normal), dims)));
    gradient = t.mul(restore(rstd), t.sub(d, along));
  }
  if (resultGradients[1]) {
    // d rstd / dx = -rstd^2 normal / n.
    double share = static_cast<double>(::getType(rstd).getNumElements()) /
                   static_cast<double>(::getType(getOperand()).getNumElements());
    Value scale = t.mul(t.mul(resultGradients[1], t.mul(rstd, rstd)), -share);
    Value part = t.mul(normal, restore(scale));
    gradient = gradient ? t.add(gradient, part) : part;
  }
  return {t.cast(gradient, element)};
}

SmallVector<Value> CrossEntropyOp::buildGradient(OpBuilder &builder, ValueRange resultGradients,
                                                 const BitVector &) {
  TensorMath t(builder, getLoc());
  int64_t dim = getDim();
  Type element = ::getType(getLogits()).getElementType();
  Value logits = t.cast(getLogits(), getComputeType(element));
  Value softmax = t.exp(t.sub(logits, t.restore(getLogSumExp(), logits, dim)));
  Value gradient;
  if (resultGradients[0]) {
    Value d = t.cast(resultGradients[0], getComputeType(element));
    if (std::optional<uint64_t> ignored = getIgnoreIndex()) {
      Value isIgnored = t.compare(ComparePredicate::EQ, getLabels(),
                                  t.splatLike(getLabels(), static_cast<int64_t>(*ignored)));
      d = t.select(isIgnored, t.zerosLike(d), d);
    }
    auto numbers = ::getType(logits).clone(::getType(getLabels()).getElementType());
    Value classes = IotaOp::create(builder, getLoc(), numbers, dim);
    Value isLabel = t.compare(ComparePredicate::EQ, classes, t.restore(getLabels(), classes, dim));
    Value difference = t.select(isLabel, t.add(softmax, -1.0), softmax);
    gradient = t.mul(difference, t.restore(d, logits, dim));
  }
  if (resultGradients[1]) {
    Value part = t.mul(softmax, t.restore(resultGradients[1], logits, dim));
    gradient = gradient ? t.add(gradient, part) : part;
  }
  return {t.cast(gradient, element), Value()};
}

SmallVector<Value> AttentionOp::buildGradient(OpBuilder &builder, ValueRange resultGradients,
                                              const BitVector &wanted) {
  TensorMath t(builder, getLoc());
  int64_t rank = ::getType(getQuery()).getRank();
  auto batch = llvm::to_vector(llvm::seq<int64_t>(0, rank - 2));
  auto dot = [&](Value x, Value y, int64_t contractX, int64_t contractY) -> Value {
    return DotOp::create(builder, getLoc(), x, y, batch, batch, ArrayRef<int64_t>{contractX},
                         ArrayRef<int64_t>{contractY});
  };
  // The weights again, from the scores and the logarithm of their sum.
  Value scores = emitAttentionScores(builder, *this);
  Value weights = t.exp(t.sub(scores, t.restore(getLogSumExp(), scores, rank - 1)));
  Value toScores, toValue;
  if (Value d = resultGradients[0]) {
    toValue = dot(weights, d, rank - 2, rank - 2);
    Value toWeights = dot(d, getValue(), rank - 1, rank - 1);
    Value inner = t.sum(t.mul(d, getResult()), rank - 1);
    toScores = t.mul(weights, t.sub(toWeights, t.restore(inner, weights, rank - 1)));
  }
  if (resultGradients[1]) {
    Value part = t.mul(weights, t.restore(resultGradients[1], weights, rank - 1));
    toScores = toScores ? t.add(toScores, part) : part;
  }
  SmallVector<Value> gradients(getNumOperands());
  Value scaled = t.mul(toScores, getScale().convertToDouble());
  if (wanted[0])
    gradients[0] = dot(scaled, getKey(), rank - 1, rank - 2);
  if (wanted[1])
    gradients[1] = dot(scaled, getQuery(), rank - 2, rank - 2);
  if (wanted[2])
    gradients[2] = toValue;
  if (getBias() && wanted[3]) {
    // Sum over the dimensions that the bias repeats along.
    RankedTensorType bias = ::getType(getBias()), type = ::getType(scores);
    SmallVector<int64_t> repeated;
    int64_t leading = type.getRank() - bias.getRank();
    for (int64_t dim = 0; dim < type.getRank(); ++dim)
      if (dim < leading || bias.getDimSize(dim - leading) != type.getDimSize(dim))
        repeated.push_back(dim);
    Value sum = repeated.empty() ? toScores : t.sum(toScores, repeated);
    gradients[3] = t.reshape(sum, bias.getShape());
  }
  return gradients;
}
