//===- ShapeFolds.cpp - Folding of rearrangements -------------------------===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "ConstantEvaluator.h"
#include "lgc/IR/LgcOps.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace lgc;

/// Whether the numbers are 0, 1, ..., n - 1 in this order.
static bool isIdentity(ArrayRef<int64_t> numbers) {
  return llvm::equal(numbers, llvm::seq<int64_t>(0, numbers.size()));
}

OpFoldResult ConstantOp::fold(FoldAdaptor) { return getValue(); }

OpFoldResult IotaOp::fold(FoldAdaptor) {
  if (getType().getDimSize(getDim()) != 1 || getType().getNumElements() == 0)
    return {};
  return DenseElementsAttr::get(getType(),
                                Builder(getContext()).getZeroAttr(getType().getElementType()));
}

OpFoldResult ReshapeOp::fold(FoldAdaptor adaptor) {
  if (getOperand().getType() == getType())
    return getOperand();
  if (auto inner = getOperand().getDefiningOp<ReshapeOp>()) {
    if (inner.getOperand().getType() == getType())
      return inner.getOperand();
    getOperandMutable().assign(inner.getOperand());
    return getResult();
  }
  if (auto constant = dyn_cast_or_null<DenseElementsAttr>(adaptor.getOperand()))
    return constant.reshape(getType());
  return {};
}

OpFoldResult TransposeOp::fold(FoldAdaptor adaptor) {
  if (isIdentity(getPermutation()))
    return getOperand();
  if (auto inner = getOperand().getDefiningOp<TransposeOp>()) {
    SmallVector<int64_t> merged;
    for (int64_t dim : getPermutation())
      merged.push_back(inner.getPermutation()[dim]);
    if (isIdentity(merged))
      return inner.getOperand();
    getOperandMutable().assign(inner.getOperand());
    setPermutation(merged);
    return getResult();
  }
  SmallVector<int64_t> strides = getRowMajorStrides(getOperand().getType().getShape());
  StridedBox box;
  for (int64_t dim : getPermutation())
    box.strides.push_back(strides[dim]);
  return foldGather(getType(), adaptor.getOperand(), box);
}

OpFoldResult BroadcastOp::fold(FoldAdaptor adaptor) {
  if (getOperand().getType() == getType())
    return getOperand();
  if (auto inner = getOperand().getDefiningOp<BroadcastOp>()) {
    SmallVector<int64_t> merged;
    for (int64_t dim : inner.getDims())
      merged.push_back(getDims()[dim]);
    getOperandMutable().assign(inner.getOperand());
    setDims(merged);
    return getResult();
  }
  ArrayRef<int64_t> from = getOperand().getType().getShape();
  SmallVector<int64_t> strides = getRowMajorStrides(from);
  StridedBox box;
  box.strides.assign(getType().getRank(), 0);
  for (auto [i, dim] : llvm::enumerate(getDims()))
    if (from[i] != 1)
      box.strides[dim] = strides[i];
  return foldGather(getType(), adaptor.getOperand(), box);
}

/// The slice of a slice is one slice.
static void mergeSlices(SliceOp inner, SliceOp outer) {
  SmallVector<int64_t> starts, limits, steps;
  for (auto [dim, count] : llvm::enumerate(outer.getType().getShape())) {
    int64_t step = count > 1 ? inner.getStrides()[dim] * outer.getStrides()[dim] : 1;
    int64_t start =
        count == 0 ? 0 : inner.getStarts()[dim] + outer.getStarts()[dim] * inner.getStrides()[dim];
    starts.push_back(start);
    limits.push_back(count == 0 ? 0 : start + (count - 1) * step + 1);
    steps.push_back(step);
  }
  outer.getOperandMutable().assign(inner.getOperand());
  outer.setStarts(starts);
  outer.setLimits(limits);
  outer.setStrides(steps);
}

OpFoldResult SliceOp::fold(FoldAdaptor adaptor) {
  if (getOperand().getType() == getType())
    return getOperand();
  if (auto inner = getOperand().getDefiningOp<SliceOp>()) {
    mergeSlices(inner, *this);
    return getResult();
  }
  StridedBox box;
  SmallVector<int64_t> strides = getRowMajorStrides(getOperand().getType().getShape());
  for (auto [dim, stride] : llvm::enumerate(strides)) {
    box.offset += getStarts()[dim] * stride;
    // The stride of a single element may be any number.
    box.strides.push_back(getType().getDimSize(dim) > 1 ? getStrides()[dim] * stride : 0);
  }
  return foldGather(getType(), adaptor.getOperand(), box);
}

OpFoldResult PadOp::fold(FoldAdaptor adaptor) {
  if (getOperand().getType() == getType())
    return getOperand();
  auto constant = dyn_cast_or_null<DenseElementsAttr>(adaptor.getOperand());
  if (!constant)
    return {};
  if (constant.isSplat() && constant.getSplatValue<Attribute>() == getValue())
    return constant.resizeSplat(getType());
  StridedBox box;
  for (auto [dim, stride] : llvm::enumerate(getRowMajorStrides(getType().getShape()))) {
    box.offset += getLow()[dim] * stride;
    box.strides.push_back(
        getOperand().getType().getDimSize(dim) > 1 ? (getInterior()[dim] + 1) * stride : 0);
  }
  return foldScatter(getType(), getValue(), adaptor.getOperand(), box);
}

OpFoldResult ConcatOp::fold(FoldAdaptor adaptor) {
  SmallVector<int64_t> strides = getRowMajorStrides(getType().getShape());
  SmallVector<Value> filled;
  SmallVector<Attribute> constants;
  SmallVector<StridedBox> boxes;
  int64_t at = 0;
  for (auto [operand, constant] : llvm::zip_equal(getOperands(), adaptor.getOperands())) {
    int64_t size = cast<RankedTensorType>(operand.getType()).getDimSize(getDim());
    if (size == 0)
      continue;
    filled.push_back(operand);
    constants.push_back(constant);
    boxes.push_back({at * strides[getDim()], strides});
    at += size;
  }
  if (filled.empty())
    return getOperands().front();
  if (filled.size() == 1)
    return filled.front();
  if (Attribute folded = foldScatter(getType(), /*padding=*/{}, constants, boxes))
    return folded;
  if (filled.size() == getOperands().size())
    return {};
  getOperandsMutable().assign(filled);
  return getResult();
}

OpFoldResult ReverseOp::fold(FoldAdaptor adaptor) {
  ArrayRef<int64_t> shape = getType().getShape();
  if (llvm::all_of(getDims(), [&](int64_t dim) { return shape[dim] <= 1; }))
    return getOperand();
  StridedBox box{0, getRowMajorStrides(shape)};
  for (int64_t dim : getDims()) {
    box.offset += (shape[dim] - 1) * box.strides[dim];
    box.strides[dim] = -box.strides[dim];
  }
  return foldGather(getType(), adaptor.getOperand(), box);
}
