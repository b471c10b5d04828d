//===- TensorMath.cpp - Shorthand for building tensor code ---------------- ===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "lgc/IR/TensorMath.h"

using namespace mlir;
using namespace lgc;

Value TensorMath::splat(RankedTensorType type, double number) {
  Type element = type.getElementType();
  Attribute value;
  if (isa<FloatType>(element))
    value = FloatAttr::get(element, number);
  else
    value =
        IntegerAttr::get(element, llvm::APInt(element.getIntOrFloatBitWidth(),
                                              static_cast<uint64_t>(static_cast<int64_t>(number)),
                                              /*isSigned=*/true, /*implicitTrunc=*/true));
  return ConstantOp::create(builder, loc, type, DenseElementsAttr::get(type, value));
}

Value TensorMath::cast(Value x, Type element) {
  if (getType(x).getElementType() == element)
    return x;
  return CastOp::create(builder, loc, getType(x).clone(element), x, /*saturate=*/false);
}

Value TensorMath::mean(Value x, ArrayRef<int64_t> dims) {
  double count = 1.0;
  for (int64_t dim : dims)
    count *= getType(x).getDimSize(dim);
  return mul(sum(x, dims), 1.0 / count);
}

Value TensorMath::restore(Value reduced, Value like, ArrayRef<int64_t> dims) {
  SmallVector<int64_t> kept;
  for (int64_t dim = 0; dim < getType(like).getRank(); ++dim)
    if (!llvm::is_contained(dims, dim))
      kept.push_back(dim);
  auto type = getType(like).clone(getType(reduced).getElementType());
  return BroadcastOp::create(builder, loc, type, reduced, kept);
}

Value TensorMath::broadcastTo(Value x, Value like) {
  RankedTensorType from = getType(x), to = getType(like);
  if (from.getShape() == to.getShape())
    return x;
  SmallVector<int64_t> dims;
  for (int64_t dim = to.getRank() - from.getRank(); dim < to.getRank(); ++dim)
    dims.push_back(dim);
  return BroadcastOp::create(builder, loc, to.clone(from.getElementType()), x, dims);
}

Value TensorMath::reshape(Value x, ArrayRef<int64_t> shape) {
  if (getType(x).getShape() == shape)
    return x;
  return ReshapeOp::create(builder, loc, getType(x).clone(shape), x);
}
