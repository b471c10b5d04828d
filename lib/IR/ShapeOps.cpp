//===- ShapeOps.cpp - Constants and rearrangements ------------------------===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "ConstantEvaluator.h"
#include "ScalarMath.h"
#include "lgc/IR/LgcOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace lgc;

static RankedTensorType getType(Value value) { return cast<RankedTensorType>(value.getType()); }

static Value emitIndex(OpBuilder &builder, Location loc, int64_t value) {
  return arith::ConstantIndexOp::create(builder, loc, value);
}

static SmallVector<int64_t> getStrides(ArrayRef<int64_t> shape) {
  SmallVector<int64_t> strides(shape.size(), 1);
  for (size_t i = shape.size(); i-- > 1;)
    strides[i - 1] = strides[i] * shape[i];
  return strides;
}

/// Splits a linear row-major index.
static SmallVector<int64_t> delinearize(int64_t linear, ArrayRef<int64_t> shape) {
  SmallVector<int64_t> index(shape.size());
  for (size_t i = shape.size(); i-- > 0;) {
    index[i] = linear % shape[i];
    linear /= shape[i];
  }
  return index;
}

/// Whether the numbers are 0, 1, ..., n - 1 in this order.
static bool isIdentity(ArrayRef<int64_t> numbers) {
  return llvm::equal(numbers, llvm::seq<int64_t>(0, numbers.size()));
}

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

OpFoldResult ConstantOp::fold(FoldAdaptor) { return getValue(); }

SmallVector<Value> IotaOp::emitElement(OpBuilder &builder, ValueRange indices, ElementReader) {
  Type element = getResult().getType().getElementType();
  Value index = indices[getDim()];
  Value number =
      arith::IndexCastOp::create(builder, getLoc(), builder.getI64Type(), index);
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

namespace {
/// Neighbouring dimensions of operand and result that hold the same elements.
struct ReshapeGroup {
  SmallVector<int64_t> from, to;
};
} // namespace

/// Splits two shapes of equal size into the smallest runs of dimensions with equal products.
static SmallVector<ReshapeGroup> getReshapeGroups(ArrayRef<int64_t> from, ArrayRef<int64_t> to) {
  SmallVector<ReshapeGroup> groups;
  size_t i = 0, j = 0;
  while (i < from.size() || j < to.size()) {
    ReshapeGroup group;
    int64_t a = 1, b = 1;
    do {
      if (j >= to.size() || (a <= b && i < from.size())) {
        a *= from[i];
        group.from.push_back(i++);
      } else {
        b *= to[j];
        group.to.push_back(j++);
      }
    } while (a != b && (i < from.size() || j < to.size()));
    groups.push_back(group);
  }
  return groups;
}

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

LogicalResult ReshapeOp::verify() {
  if (getOperand().getType().getNumElements() != getResult().getType().getNumElements())
    return emitOpError("makes ")
           << getResult().getType().getNumElements() << " elements of "
           << getOperand().getType().getNumElements() << "; both shapes must hold the same number";
  if (getOperand().getType().getElementType() != getResult().getType().getElementType())
    return emitOpError("changes the element type; use lgc.cast for that");
  return success();
}

OpFoldResult ReshapeOp::fold(FoldAdaptor adaptor) {
  if (getOperand().getType() == getResult().getType())
    return getOperand();
  if (auto inner = getOperand().getDefiningOp<ReshapeOp>()) {
    getOperandMutable().assign(inner.getOperand());
    return getResult();
  }
  if (auto constant = dyn_cast_or_null<DenseElementsAttr>(adaptor.getOperand()))
    return constant.reshape(getResult().getType());
  return {};
}

void ReshapeOp::getCanonicalizationPatterns(RewritePatternSet &, MLIRContext *) {}

//===----------------------------------------------------------------------===//
// Transpose
//===----------------------------------------------------------------------===//

LogicalResult TransposeOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc,
                                            Adaptor adaptor, SmallVectorImpl<Type> &types) {
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

LogicalResult TransposeOp::verify() { return success(); }

SmallVector<Value> TransposeOp::emitElement(OpBuilder &, ValueRange indices, ElementReader read) {
  SmallVector<Value> source(indices.size());
  for (auto [i, dim] : llvm::enumerate(getPermutation()))
    source[dim] = indices[i];
  return {read(0, source)};
}

OpFoldResult TransposeOp::fold(FoldAdaptor adaptor) {
  if (isIdentity(getPermutation()))
    return getOperand();
  if (auto inner = getOperand().getDefiningOp<TransposeOp>()) {
    SmallVector<int64_t> merged;
    for (int64_t dim : getPermutation())
      merged.push_back(inner.getPermutation()[dim]);
    getOperandMutable().assign(inner.getOperand());
    setPermutation(merged);
    return getResult();
  }
  ArrayRef<int64_t> from = getOperand().getType().getShape(), to = getResult().getType().getShape();
  SmallVector<int64_t> strides = getStrides(from);
  return foldRearrangement(getResult().getType(), adaptor.getOperand(), [&](int64_t i) {
    SmallVector<int64_t> index = delinearize(i, to);
    int64_t source = 0;
    for (auto [dim, at] : llvm::zip_equal(getPermutation(), index))
      source += strides[dim] * at;
    return source;
  });
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

OpFoldResult BroadcastOp::fold(FoldAdaptor adaptor) {
  if (getOperand().getType() == getResult().getType())
    return getOperand();
  if (auto inner = getOperand().getDefiningOp<BroadcastOp>()) {
    SmallVector<int64_t> merged;
    for (int64_t dim : inner.getDims())
      merged.push_back(getDims()[dim]);
    getOperandMutable().assign(inner.getOperand());
    setDims(merged);
    return getResult();
  }
  auto constant = dyn_cast_or_null<DenseElementsAttr>(adaptor.getOperand());
  if (constant && constant.isSplat() && getResult().getType().getNumElements() > 0)
    return DenseElementsAttr::get(getResult().getType(), constant.getSplatValue<Attribute>());
  ArrayRef<int64_t> from = getOperand().getType().getShape(), to = getResult().getType().getShape();
  SmallVector<int64_t> strides = getStrides(from);
  return foldRearrangement(getResult().getType(), adaptor.getOperand(), [&](int64_t i) {
    SmallVector<int64_t> index = delinearize(i, to);
    int64_t source = 0;
    for (auto [d, dim] : llvm::enumerate(getDims()))
      source += from[d] == 1 ? 0 : strides[d] * index[dim];
    return source;
  });
}

namespace {

/// broadcast(reshape(x)), the reshape only adding or dropping dimensions of size 1, reads x itself.
struct BroadcastOfUnitReshape : OpRewritePattern<BroadcastOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(BroadcastOp op, PatternRewriter &rewriter) const override {
    auto reshape = op.getOperand().getDefiningOp<ReshapeOp>();
    if (!reshape)
      return failure();
    ArrayRef<int64_t> from = reshape.getOperand().getType().getShape();
    ArrayRef<int64_t> to = reshape.getType().getShape();
    SmallVector<int64_t> fromKept, toKept;
    for (auto [dim, size] : llvm::enumerate(from))
      if (size != 1)
        fromKept.push_back(dim);
    for (auto [dim, size] : llvm::enumerate(to))
      if (size != 1)
        toKept.push_back(dim);
    if (fromKept.size() != from.size() || fromKept.size() != toKept.size())
      return failure();
    SmallVector<int64_t> dims;
    for (auto [f, t] : llvm::zip_equal(fromKept, toKept)) {
      if (from[f] != to[t])
        return failure();
      dims.push_back(op.getDims()[t]);
    }
    rewriter.replaceOpWithNewOp<BroadcastOp>(op, op.getType(), reshape.getOperand(), dims);
    return success();
  }
};

} // namespace

void BroadcastOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<BroadcastOfUnitReshape>(context);
}

//===----------------------------------------------------------------------===//
// Slice
//===----------------------------------------------------------------------===//

LogicalResult SliceOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc,
                                        Adaptor adaptor, SmallVectorImpl<Type> &types) {
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
    shape.push_back((limit - start + stride - 1) / stride);
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

OpFoldResult SliceOp::fold(FoldAdaptor adaptor) {
  if (getOperand().getType() == getResult().getType())
    return getOperand();
  SmallVector<int64_t> strides = ::getStrides(getOperand().getType().getShape());
  return foldRearrangement(getResult().getType(), adaptor.getOperand(), [&](int64_t i) {
    int64_t source = 0;
    for (auto [dim, at] : llvm::enumerate(delinearize(i, getResult().getType().getShape())))
      source += strides[dim] * (getStarts()[dim] + at * getStrides()[dim]);
    return source;
  });
}

//===----------------------------------------------------------------------===//
// Pad
//===----------------------------------------------------------------------===//

LogicalResult PadOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc, Adaptor adaptor,
                                      SmallVectorImpl<Type> &types) {
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
    int64_t size = operand.getDimSize(dim);
    shape.push_back(low[dim] + size + interior[dim] * std::max<int64_t>(0, size - 1) + high[dim]);
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
        builder, loc,
        FloatAttr::get(getComputeType(number.getType()), number.getValueAsDouble()));
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
    if (getInterior()[dim] != 0) {
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
    source.push_back(
        arith::SelectOp::create(builder, loc, fits, at, emitIndex(builder, loc, 0)));
  }
  return {arith::SelectOp::create(builder, loc, inside, read(0, source), padding)};
}

OpFoldResult PadOp::fold(FoldAdaptor) {
  return getOperand().getType() == getResult().getType() ? OpFoldResult(getOperand()) : OpFoldResult();
}

//===----------------------------------------------------------------------===//
// Concat
//===----------------------------------------------------------------------===//

LogicalResult ConcatOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc,
                                         Adaptor adaptor, SmallVectorImpl<Type> &types) {
  if (adaptor.getOperands().empty())
    return emitOptionalError(loc, "has nothing to put together; give at least one operand");
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

OpFoldResult ConcatOp::fold(FoldAdaptor adaptor) {
  if (getOperands().size() == 1)
    return getOperands().front();
  if (getResult().getType().getNumElements() > maxFoldedElements)
    return {};
  SmallVector<Attribute> elements(getResult().getType().getNumElements());
  SmallVector<int64_t> strides = getStrides(getResult().getType().getShape());
  int64_t offset = 0;
  for (Attribute operand : adaptor.getOperands()) {
    auto constant = dyn_cast_or_null<DenseElementsAttr>(operand);
    if (!constant)
      return {};
    ArrayRef<int64_t> shape = constant.getType().getShape();
    for (auto [i, value] : llvm::enumerate(constant.getValues<Attribute>())) {
      int64_t to = offset * strides[getDim()];
      for (auto [stride, at] : llvm::zip_equal(strides, delinearize(i, shape)))
        to += stride * at;
      elements[to] = value;
    }
    offset += shape[getDim()];
  }
  return DenseElementsAttr::get(getResult().getType(), elements);
}

//===----------------------------------------------------------------------===//
// Reverse
//===----------------------------------------------------------------------===//

LogicalResult ReverseOp::verify() {
  for (int64_t dim : getDims())
    if (dim < 0 || dim >= getResult().getType().getRank())
      return emitOpError("reverses dimension ") << dim << ", which the operand lacks; name one of "
                                                << getResult().getType().getRank();
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
