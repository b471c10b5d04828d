//===- ShapeOps.cpp - Constants and rearrangements ------------------------===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "OperandCheck.h"
#include "ReshapeGroups.h"
#include "ScalarMath.h"
#include "lgc/IR/LgcOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace lgc;

static RankedTensorType getType(Value value) { return cast<RankedTensorType>(value.getType()); }

static Value emitIndex(OpBuilder &builder, Location loc, int64_t value) {
  return arith::ConstantIndexOp::create(builder, loc, value);
}

/// Whether the numbers are 0, 1, ..., n - 1 in this order.
static bool isIdentity(ArrayRef<int64_t> numbers) {
  return llvm::equal(numbers, llvm::seq<int64_t>(0, numbers.size()));
}

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

SmallVector<Value> IotaOp::emitElement(OpBuilder &builder, ValueRange indices, ElementReader) {
  Type element = getResult().getType().getElementType();
  Value index = indices[getDim()];
  Value number = arith::IndexCastOp::create(builder, getLoc(), builder.getI64Type(), index);
  return {emitCast(builder, getLoc(), number, builder.getI64Type(), element, /*saturate=*/false)};
}

LogicalResult IotaOp::verify() {
  int64_t rank = getResult().getType().getRank();
  if (static_cast<int64_t>(getDim()) < 0 || static_cast<int64_t>(getDim()) >= rank)
    return emitOpError("counts along dimension ")
           << getDim() << " of a tensor of rank " << rank << "; name one of its dimensions";
  return success();
}

//===----------------------------------------------------------------------===//
// Reshape
//===----------------------------------------------------------------------===//

SmallVector<Value> ReshapeOp::emitElement(OpBuilder &builder, ValueRange indices,
                                          ElementReader read) {
  Location loc = getLoc();
  ArrayRef<int64_t> from = getOperand().getType().getShape();
  ArrayRef<int64_t> to = getResult().getType().getShape();
  SmallVector<Value> source(from.size());
  for (const ReshapeGroup &group : getReshapeGroups(from, to)) {
    SmallVector<int64_t> inner, outer;
    for (int64_t dim : group.from)
      (from[dim] == 1 ? outer : inner).push_back(dim);
    for (int64_t dim : outer)
      source[dim] = emitIndex(builder, loc, 0);
    // The linear index within the group.
    Value linear;
    for (int64_t dim : group.to) {
      if (to[dim] == 1)
        continue;
      if (!linear) {
        linear = indices[dim];
        continue;
      }
      Value scaled = arith::MulIOp::create(builder, loc, linear, emitIndex(builder, loc, to[dim]));
      linear = arith::AddIOp::create(builder, loc, scaled, indices[dim]);
    }
    if (!linear)
      linear = emitIndex(builder, loc, 0);
    for (size_t i = inner.size(); i-- > 0;) {
      if (i == 0) {
        source[inner[0]] = linear;
        break;
      }
      Value size = emitIndex(builder, loc, from[inner[i]]);
      source[inner[i]] = arith::RemUIOp::create(builder, loc, linear, size);
      linear = arith::DivUIOp::create(builder, loc, linear, size);
    }
  }
  return {read(0, source)};
}

OpOperand &ReshapeOp::getViewed(unsigned) { return getOperandMutable(); }

LogicalResult ReshapeOp::verify() {
  if (getOperand().getType().getNumElements() != getResult().getType().getNumElements())
    return emitOpError("makes ") << getResult().getType().getNumElements() << " elements of "
                                 << getOperand().getType().getNumElements()
                                 << "; both shapes must hold the same number";
  if (getOperand().getType().getElementType() != getResult().getType().getElementType())
    return emitOpError("changes the element type; use lgc.cast for that");
  return success();
}

//===----------------------------------------------------------------------===//
// Transpose
//===----------------------------------------------------------------------===//

LogicalResult TransposeOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc,
                                            Adaptor adaptor, SmallVectorImpl<Type> &types) {
  if (failed(checkOperands(loc, adaptor.getOperands())))
    return failure();
  RankedTensorType operand = ::getType(adaptor.getOperand());
  ArrayRef<int64_t> permutation = adaptor.getPermutation();
  SmallVector<int64_t> sorted(permutation);
  llvm::sort(sorted);
  if (static_cast<int64_t>(permutation.size()) != operand.getRank() || !isIdentity(sorted))
    return emitOptionalError(loc, "the permutation doesn't name each of the ", operand.getRank(),
                             " dimensions once; list them in their new order");
  SmallVector<int64_t> shape;
  for (int64_t dim : permutation)
    shape.push_back(operand.getDimSize(dim));
  types.push_back(operand.clone(shape));
  return success();
}

SmallVector<Value> TransposeOp::emitElement(OpBuilder &, ValueRange indices, ElementReader read) {
  SmallVector<Value> source(indices.size());
  for (auto [i, dim] : llvm::enumerate(getPermutation()))
    source[dim] = indices[i];
  return {read(0, source)};
}

//===----------------------------------------------------------------------===//
// Broadcast
//===----------------------------------------------------------------------===//

LogicalResult BroadcastOp::verify() {
  RankedTensorType from = getOperand().getType(), to = getType();
  if (from.getElementType() != to.getElementType())
    return emitOpError("changes the element type; use lgc.cast for that");
  if (static_cast<int64_t>(getDims().size()) != from.getRank())
    return emitOpError("maps ") << getDims().size() << " dimensions of an operand of rank "
                                << from.getRank() << "; give one number for each";
  int64_t last = -1;
  for (auto [i, dim] : llvm::enumerate(getDims())) {
    if (dim <= last || dim >= to.getRank())
      return emitOpError("has dims that don't increase within the result's rank ")
             << to.getRank() << "; list increasing dimensions";
    last = dim;
    if (from.getDimSize(i) != 1 && from.getDimSize(i) != to.getDimSize(dim))
      return emitOpError("can't repeat dimension ")
             << i << " of size " << from.getDimSize(i) << " to size " << to.getDimSize(dim)
             << "; only size 1 repeats";
  }
  return success();
}

SmallVector<Value> BroadcastOp::emitElement(OpBuilder &builder, ValueRange indices,
                                            ElementReader read) {
  SmallVector<Value> source;
  for (auto [i, dim] : llvm::enumerate(getDims()))
    source.push_back(getOperand().getType().getDimSize(i) == 1 ? emitIndex(builder, getLoc(), 0)
                                                               : indices[dim]);
  return {read(0, source)};
}

//===----------------------------------------------------------------------===//
// Slice
//===----------------------------------------------------------------------===//

LogicalResult SliceOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc, Adaptor adaptor,
                                        SmallVectorImpl<Type> &types) {
  if (failed(checkOperands(loc, adaptor.getOperands())))
    return failure();
  RankedTensorType operand = ::getType(adaptor.getOperand());
  size_t rank = operand.getRank();
  if (adaptor.getStarts().size() != rank || adaptor.getLimits().size() != rank ||
      adaptor.getStrides().size() != rank)
    return emitOptionalError(loc, "starts, limits and strides need one number for each of the ",
                             rank, " dimensions");
  SmallVector<int64_t> shape;
  for (size_t dim = 0; dim < rank; ++dim) {
    int64_t start = adaptor.getStarts()[dim], limit = adaptor.getLimits()[dim];
    int64_t stride = adaptor.getStrides()[dim];
    if (start < 0 || limit < start || limit > operand.getDimSize(dim) || stride < 1)
      return emitOptionalError(loc, "the slice ", start, ":", limit, ":", stride,
                               " leaves dimension ", dim, " of size ", operand.getDimSize(dim),
                               "; choose 0 <= start <= limit <= size and a stride of 1 or more");
    shape.push_back(limit == start ? 0 : (limit - start - 1) / stride + 1);
  }
  types.push_back(operand.clone(shape));
  return success();
}

LogicalResult SliceOp::verify() { return success(); }

SmallVector<Value> SliceOp::emitElement(OpBuilder &builder, ValueRange indices,
                                        ElementReader read) {
  SmallVector<Value> source;
  for (auto [dim, index] : llvm::enumerate(indices)) {
    Value at = index;
    if (getStrides()[dim] != 1)
      at = arith::MulIOp::create(builder, getLoc(), at,
                                 emitIndex(builder, getLoc(), getStrides()[dim]));
    if (getStarts()[dim] != 0)
      at = arith::AddIOp::create(builder, getLoc(), at,
                                 emitIndex(builder, getLoc(), getStarts()[dim]));
    source.push_back(at);
  }
  return {read(0, source)};
}

//===----------------------------------------------------------------------===//
// Pad
//===----------------------------------------------------------------------===//

LogicalResult PadOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc, Adaptor adaptor,
                                      SmallVectorImpl<Type> &types) {
  if (failed(checkOperands(loc, adaptor.getOperands())))
    return failure();
  RankedTensorType operand = ::getType(adaptor.getOperand());
  size_t rank = operand.getRank();
  ArrayRef<int64_t> low = adaptor.getLow(), high = adaptor.getHigh();
  ArrayRef<int64_t> interior = adaptor.getInterior();
  if (low.size() != rank || high.size() != rank || interior.size() != rank)
    return emitOptionalError(loc, "low, high and interior need one number for each of the ", rank,
                             " dimensions");
  auto isNegative = [](int64_t padding) { return padding < 0; };
  if (llvm::any_of(low, isNegative) || llvm::any_of(high, isNegative) ||
      llvm::any_of(interior, isNegative))
    return emitOptionalError(loc, "padding is negative; use lgc.slice to drop elements");
  SmallVector<int64_t> shape;
  for (size_t dim = 0; dim < rank; ++dim) {
    int64_t between = std::max<int64_t>(0, operand.getDimSize(dim) - 1), size = 0;
    if (llvm::MulOverflow(interior[dim], between, size) ||
        llvm::AddOverflow(size, operand.getDimSize(dim), size) ||
        llvm::AddOverflow(size, low[dim], size) || llvm::AddOverflow(size, high[dim], size))
      return emitOptionalError(loc, "padding makes dimension ", dim,
                               " larger than any tensor; choose smaller numbers");
    shape.push_back(size);
  }
  types.push_back(operand.clone(shape));
  return success();
}

LogicalResult PadOp::verify() {
  if (getValue().getType() != getResult().getType().getElementType())
    return emitOpError("pads with a value of another type than its elements'; convert it");
  return success();
}

/// The constant of an attribute, of compute type.
static Value emitScalar(OpBuilder &builder, Location loc, Attribute value) {
  if (auto number = dyn_cast<FloatAttr>(value))
    return arith::ConstantOp::create(
        builder, loc, FloatAttr::get(getComputeType(number.getType()), number.getValueAsDouble()));
  auto integer = cast<IntegerAttr>(value);
  return arith::ConstantOp::create(
      builder, loc, IntegerAttr::get(getComputeType(integer.getType()), integer.getValue()));
}

SmallVector<Value> PadOp::emitElement(OpBuilder &builder, ValueRange indices, ElementReader read) {
  Location loc = getLoc();
  ArrayRef<int64_t> shape = getOperand().getType().getShape();
  Value padding = emitScalar(builder, loc, getValue());
  if (getOperand().getType().getNumElements() == 0)
    return {padding};
  Value inside = arith::ConstantOp::create(builder, loc, builder.getBoolAttr(true));
  SmallVector<Value> source;
  for (auto [dim, index] : llvm::enumerate(indices)) {
    Value at = index;
    if (getLow()[dim] == 0 && getHigh()[dim] == 0 && getInterior()[dim] == 0) {
      source.push_back(at);
      continue;
    }
    // Below zero is beyond every size, seen as unsigned.
    at = arith::SubIOp::create(builder, loc, at, emitIndex(builder, loc, getLow()[dim]));
    auto require = [&](arith::CmpIPredicate predicate, Value x, Value y) {
      Value holds = arith::CmpIOp::create(builder, loc, predicate, x, y);
      inside = arith::AndIOp::create(builder, loc, inside, holds);
    };
    if (getInterior()[dim] != 0 && shape[dim] > 1) {
      Value step = emitIndex(builder, loc, getInterior()[dim] + 1);
      require(arith::CmpIPredicate::eq, arith::RemSIOp::create(builder, loc, at, step),
              emitIndex(builder, loc, 0));
      // Rounds towards zero: keep what is below zero there.
      Value isBelow = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt, at,
                                            emitIndex(builder, loc, 0));
      Value divided = arith::DivSIOp::create(builder, loc, at, step);
      at = arith::SelectOp::create(builder, loc, isBelow, at, divided);
    }
    Value size = emitIndex(builder, loc, shape[dim]);
    Value fits = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult, at, size);
    inside = arith::AndIOp::create(builder, loc, inside, fits);
    source.push_back(arith::SelectOp::create(builder, loc, fits, at, emitIndex(builder, loc, 0)));
  }
  return {arith::SelectOp::create(builder, loc, inside, read(0, source), padding)};
}

//===----------------------------------------------------------------------===//
// Concat
//===----------------------------------------------------------------------===//

LogicalResult ConcatOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc,
                                         Adaptor adaptor, SmallVectorImpl<Type> &types) {
  if (adaptor.getOperands().empty())
    return emitOptionalError(loc, "has nothing to put together; give at least one operand");
  if (failed(checkOperands(loc, adaptor.getOperands())))
    return failure();
  RankedTensorType first = ::getType(adaptor.getOperands().front());
  int64_t dim = adaptor.getDim();
  if (dim < 0 || dim >= first.getRank())
    return emitOptionalError(loc, "joins along dimension ", dim, " of tensors of rank ",
                             first.getRank(), "; name one of their dimensions");
  SmallVector<int64_t> shape(first.getShape());
  shape[dim] = 0;
  for (Value operand : adaptor.getOperands()) {
    RankedTensorType type = ::getType(operand);
    if (type.getRank() != first.getRank() || type.getElementType() != first.getElementType())
      return emitOptionalError(loc, "joins tensors of different rank or element type");
    for (int64_t d = 0; d < type.getRank(); ++d)
      if (d != dim && type.getDimSize(d) != shape[d])
        return emitOptionalError(loc, "joins tensors whose sizes differ in dimension ", d,
                                 "; only dimension ", dim, " may differ");
    shape[dim] += type.getDimSize(dim);
  }
  types.push_back(first.clone(shape));
  return success();
}

LogicalResult ConcatOp::verify() { return success(); }

SmallVector<Value> ConcatOp::emitElement(OpBuilder &builder, ValueRange indices,
                                         ElementReader read) {
  Location loc = getLoc();
  Value index = indices[getDim()];
  Value result;
  int64_t offset = 0;
  for (auto [i, operand] : llvm::enumerate(getOperands())) {
    int64_t size = ::getType(operand).getDimSize(getDim());
    if (size == 0)
      continue;
    // Reads are clamped into the operand; the right one is selected.
    SmallVector<Value> source(indices);
    Value at = arith::SubIOp::create(builder, loc, index, emitIndex(builder, loc, offset));
    at = arith::MaxSIOp::create(builder, loc, at, emitIndex(builder, loc, 0));
    at = arith::MinSIOp::create(builder, loc, at, emitIndex(builder, loc, size - 1));
    source[getDim()] = at;
    Value element = read(i, source);
    if (!result) {
      result = element;
    } else {
      Value isHere = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::sge, index,
                                           emitIndex(builder, loc, offset));
      result = arith::SelectOp::create(builder, loc, isHere, element, result);
    }
    offset += size;
  }
  // Without elements no index exists; the value is never used.
  if (!result)
    result = arith::ConstantOp::create(
        builder, loc, builder.getZeroAttr(getComputeType(getResult().getType().getElementType())));
  return {result};
}

//===----------------------------------------------------------------------===//
// Reverse
//===----------------------------------------------------------------------===//

LogicalResult ReverseOp::verify() {
  int64_t last = -1;
  for (int64_t dim : getDims()) {
    if (dim <= last || dim >= getResult().getType().getRank())
      return emitOpError("has dims that don't increase within the rank ")
             << getResult().getType().getRank() << "; list increasing dimensions";
    last = dim;
  }
  return success();
}

SmallVector<Value> ReverseOp::emitElement(OpBuilder &builder, ValueRange indices,
                                          ElementReader read) {
  SmallVector<Value> source(indices);
  for (int64_t dim : getDims()) {
    Value last = emitIndex(builder, getLoc(), getResult().getType().getDimSize(dim) - 1);
    source[dim] = arith::SubIOp::create(builder, getLoc(), last, source[dim]);
  }
  return {read(0, source)};
}
