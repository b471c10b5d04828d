//===- ContractionGradients.cpp - Gradients of products and convolutions ---- ===//
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

/// The gradient of one operand of a product: the result's gradient times the other operand, over
/// the other's free dimensions, with the dimensions put back in the operand's order.
static Value getOperandGradient(OpBuilder &builder, DotOp op, Value d, bool isLhs) {
  TensorMath t(builder, op.getLoc());
  Value self = isLhs ? op.getLhs() : op.getRhs(), other = isLhs ? op.getRhs() : op.getLhs();
  ArrayRef<int64_t> selfBatch = isLhs ? op.getLhsBatch() : op.getRhsBatch();
  ArrayRef<int64_t> otherBatch = isLhs ? op.getRhsBatch() : op.getLhsBatch();
  ArrayRef<int64_t> selfContract = isLhs ? op.getLhsContract() : op.getRhsContract();
  ArrayRef<int64_t> otherContract = isLhs ? op.getRhsContract() : op.getLhsContract();
  auto getFree = [](Value value, ArrayRef<int64_t> batch, ArrayRef<int64_t> contract) {
    SmallVector<int64_t> dims;
    for (int64_t dim = 0; dim < getType(value).getRank(); ++dim)
      if (!llvm::is_contained(batch, dim) && !llvm::is_contained(contract, dim))
        dims.push_back(dim);
    return dims;
  };
  SmallVector<int64_t> selfFree = getFree(self, selfBatch, selfContract);
  SmallVector<int64_t> otherFree = getFree(other, otherBatch, otherContract);

  // The gradient's dimensions: batch, free of lhs, free of rhs.
  int64_t batch = selfBatch.size();
  int64_t otherStart = batch + (isLhs ? selfFree.size() : 0);
  auto batchDims = llvm::to_vector(llvm::seq<int64_t>(0, batch));
  auto contractDims =
      llvm::to_vector(llvm::seq<int64_t>(otherStart, otherStart + otherFree.size()));
  // [batch, self's free, other's contracted in the other's order].
  Value product =
      DotOp::create(builder, op.getLoc(), d, other, batchDims, otherBatch, contractDims, otherFree);
  // Where each dimension of the operand is in the product.
  SmallVector<int64_t> permutation(getType(self).getRank());
  for (auto [i, dim] : llvm::enumerate(selfBatch))
    permutation[dim] = i;
  for (auto [i, dim] : llvm::enumerate(selfFree))
    permutation[dim] = batch + i;
  SmallVector<int64_t> sorted(otherContract);
  llvm::sort(sorted);
  for (auto [selfDim, otherDim] : llvm::zip_equal(selfContract, otherContract))
    permutation[selfDim] =
        batch + selfFree.size() + (llvm::find(sorted, otherDim) - sorted.begin());
  if (llvm::equal(permutation, llvm::seq<int64_t>(0, permutation.size())))
    return product;
  return t.transpose(product, permutation);
}

SmallVector<Value> DotOp::buildGradient(OpBuilder &builder, ValueRange resultGradients,
                                        const BitVector &wanted) {
  Value d = resultGradients[0];
  return {wanted[0] ? getOperandGradient(builder, *this, d, /*isLhs=*/true) : Value(),
          wanted[1] ? getOperandGradient(builder, *this, d, /*isLhs=*/false) : Value()};
}

namespace {
/// Builds the three convolutions of one geometry.
template <typename Op> struct ConvolutionBuilder {
  OpBuilder &builder;
  Op op;

  Value forward(Value input, Value filter) {
    return ConvolutionOp::create(builder, op.getLoc(), input, filter, op.getStrides(),
                                 op.getDilations(), op.getLow(), op.getHigh(), op.getGroups());
  }
  Value toInput(Type type, Value output, Value filter) {
    return ConvolutionInputOp::create(builder, op.getLoc(), type, output, filter, op.getStrides(),
                                      op.getDilations(), op.getLow(), op.getHigh(), op.getGroups());
  }
  Value toFilter(Type type, Value input, Value output) {
    return ConvolutionFilterOp::create(builder, op.getLoc(), type, input, output, op.getStrides(),
                                       op.getDilations(), op.getLow(), op.getHigh(),
                                       op.getGroups());
  }
};
} // namespace

SmallVector<Value> ConvolutionOp::buildGradient(OpBuilder &builder, ValueRange resultGradients,
                                                const BitVector &wanted) {
  ConvolutionBuilder<ConvolutionOp> c{builder, *this};
  Value d = resultGradients[0];
  return {wanted[0] ? c.toInput(getInput().getType(), d, getFilter()) : Value(),
          wanted[1] ? c.toFilter(getFilter().getType(), getInput(), d) : Value()};
}

SmallVector<Value> ConvolutionInputOp::buildGradient(OpBuilder &builder, ValueRange resultGradients,
                                                     const BitVector &wanted) {
  ConvolutionBuilder<ConvolutionInputOp> c{builder, *this};
  Value d = resultGradients[0];
  return {wanted[0] ? c.forward(d, getFilter()) : Value(),
          wanted[1] ? c.toFilter(getFilter().getType(), d, getOutputGradient()) : Value()};
}

SmallVector<Value> ConvolutionFilterOp::buildGradient(OpBuilder &builder,
                                                      ValueRange resultGradients,
                                                      const BitVector &wanted) {
  ConvolutionBuilder<ConvolutionFilterOp> c{builder, *this};
  Value d = resultGradients[0];
  return {wanted[0] ? c.toInput(getInput().getType(), getOutputGradient(), d) : Value(),
          wanted[1] ? c.forward(getInput(), d) : Value()};
}
