//===- ShapeGradients.cpp - Gradients of rearrangements ---------------- ===//
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

SmallVector<Value> ReshapeOp::buildGradient(OpBuilder &builder, ValueRange resultGradients,
                                            const BitVector &) {
  return {TensorMath(builder, getLoc())
              .reshape(resultGradients[0], ::getType(getOperand()).getShape())};
}

SmallVector<Value> TransposeOp::buildGradient(OpBuilder &builder, ValueRange resultGradients,
                                              const BitVector &) {
  SmallVector<int64_t> inverse(getPermutation().size());
  for (auto [i, dim] : llvm::enumerate(getPermutation()))
    inverse[dim] = i;
  return {TensorMath(builder, getLoc()).transpose(resultGradients[0], inverse)};
}

SmallVector<Value> BroadcastOp::buildGradient(OpBuilder &builder, ValueRange resultGradients,
                                              const BitVector &) {
  TensorMath t(builder, getLoc());
  ArrayRef<int64_t> from = ::getType(getOperand()).getShape();
  ArrayRef<int64_t> to = ::getType(getResult()).getShape();
  SmallVector<int64_t> repeated;
  for (int64_t dim = 0, e = to.size(); dim < e; ++dim) {
    auto *at = llvm::find(getDims(), dim);
    if (at == getDims().end() || from[at - getDims().begin()] != to[dim])
      repeated.push_back(dim);
  }
  Value sum = repeated.empty() ? resultGradients[0] : t.sum(resultGradients[0], repeated);
  return {t.reshape(sum, from)};
}

static Attribute getZero(OpBuilder &builder, Type element) {
  if (isa<FloatType>(element))
    return FloatAttr::get(element, 0.0);
  return IntegerAttr::get(element, llvm::APInt(element.getIntOrFloatBitWidth(), 0));
}

SmallVector<Value> SliceOp::buildGradient(OpBuilder &builder, ValueRange resultGradients,
                                          const BitVector &) {
  Value d = resultGradients[0];
  RankedTensorType from = ::getType(getOperand()), to = ::getType(d);
  if (to.getNumElements() == 0)
    return {TensorMath(builder, getLoc()).zerosLike(getOperand())};
  SmallVector<int64_t> low(getStarts()), high, interior;
  for (int64_t dim = 0; dim < from.getRank(); ++dim) {
    int64_t stride = getStrides()[dim];
    interior.push_back(stride - 1);
    high.push_back(from.getDimSize(dim) - low[dim] - (to.getDimSize(dim) - 1) * stride - 1);
  }
  auto zero = cast<TypedAttr>(getZero(builder, from.getElementType()));
  return {PadOp::create(builder, getLoc(), d, zero, low, high, interior)};
}

SmallVector<Value> PadOp::buildGradient(OpBuilder &builder, ValueRange resultGradients,
                                        const BitVector &) {
  RankedTensorType from = ::getType(getOperand());
  SmallVector<int64_t> limits, strides;
  for (int64_t dim = 0; dim < from.getRank(); ++dim) {
    int64_t stride = getInterior()[dim] + 1, size = from.getDimSize(dim);
    strides.push_back(stride);
    limits.push_back(getLow()[dim] + (size == 0 ? 0 : (size - 1) * stride + 1));
  }
  return {SliceOp::create(builder, getLoc(), resultGradients[0], getLow(), limits, strides)};
}

SmallVector<Value> ConcatOp::buildGradient(OpBuilder &builder, ValueRange resultGradients,
                                           const BitVector &wanted) {
  RankedTensorType type = ::getType(getResult());
  SmallVector<int64_t> starts(type.getRank(), 0), limits(type.getShape()),
      strides(type.getRank(), 1);
  SmallVector<Value> gradients;
  int64_t offset = 0;
  for (auto [i, operand] : llvm::enumerate(getOperands())) {
    starts[getDim()] = offset;
    offset += ::getType(operand).getDimSize(getDim());
    limits[getDim()] = offset;
    gradients.push_back(wanted[i] ? Value(SliceOp::create(builder, getLoc(), resultGradients[0],
                                                          starts, limits, strides))
                                  : Value());
  }
  return gradients;
}

SmallVector<Value> ReverseOp::buildGradient(OpBuilder &builder, ValueRange resultGradients,
                                            const BitVector &) {
  return {ReverseOp::create(builder, getLoc(), resultGradients[0], getDims())};
}
