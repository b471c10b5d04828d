//===- ShapeCanonicalization.cpp - Fewer rearrangements -------------------===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "lgc/IR/LgcOps.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace lgc;

/// Marks a dimension of size 1, which may go anywhere.
constexpr int64_t anywhere = -1;

/// Where a reshape that only adds and drops dimensions of size 1 puts each dimension of its
/// operand; none for another reshape.
static std::optional<SmallVector<int64_t>> getUnitReshapeDims(ReshapeOp op) {
  ArrayRef<int64_t> from = op.getOperand().getType().getShape(), to = op.getType().getShape();
  SmallVector<int64_t> dims;
  size_t at = 0;
  for (int64_t size : from) {
    if (size == 1) {
      dims.push_back(anywhere);
      continue;
    }
    while (at < to.size() && to[at] == 1)
      ++at;
    if (at == to.size() || to[at] != size)
      return std::nullopt;
    dims.push_back(at++);
  }
  return dims;
}

/// Gives the dimensions that may go anywhere a place, so that all increase below `rank`.
static bool placeUnitDims(MutableArrayRef<int64_t> dims, int64_t rank) {
  int64_t last = -1;
  for (int64_t &dim : dims) {
    if (dim == anywhere)
      dim = last + 1;
    if (dim <= last || dim >= rank)
      return false;
    last = dim;
  }
  return true;
}

static bool hasOneElement(Value value) {
  return cast<RankedTensorType>(value.getType()).getNumElements() == 1;
}

namespace {

/// broadcast(reshape(x)), the reshape only adding or dropping dimensions of size 1, reads x itself.
struct BroadcastOfUnitReshape : OpRewritePattern<BroadcastOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(BroadcastOp op, PatternRewriter &rewriter) const override {
    auto reshape = op.getOperand().getDefiningOp<ReshapeOp>();
    if (!reshape)
      return failure();
    std::optional<SmallVector<int64_t>> dims = getUnitReshapeDims(reshape);
    if (!dims)
      return failure();
    for (int64_t &dim : *dims)
      if (dim != anywhere)
        dim = op.getDims()[dim];
    if (!placeUnitDims(*dims, op.getType().getRank()))
      return failure();
    rewriter.replaceOpWithNewOp<BroadcastOp>(op, op.getType(), reshape.getOperand(), *dims);
    return success();
  }
};

/// A broadcast that repeats nothing only adds dimensions of size 1: a reshape.
struct BroadcastToReshape : OpRewritePattern<BroadcastOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(BroadcastOp op, PatternRewriter &rewriter) const override {
    if (op.getType().getNumElements() != op.getOperand().getType().getNumElements() ||
        op.getType().getNumElements() == 0)
      return failure();
    rewriter.replaceOpWithNewOp<ReshapeOp>(op, op.getType(), op.getOperand());
    return success();
  }
};

/// reshape(broadcast(x)), the reshape only adding or dropping dimensions of size 1, is a broadcast.
struct UnitReshapeOfBroadcast : OpRewritePattern<ReshapeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ReshapeOp op, PatternRewriter &rewriter) const override {
    auto broadcast = op.getOperand().getDefiningOp<BroadcastOp>();
    if (!broadcast)
      return failure();
    std::optional<SmallVector<int64_t>> moved = getUnitReshapeDims(op);
    if (!moved)
      return failure();
    SmallVector<int64_t> dims;
    for (int64_t dim : broadcast.getDims())
      dims.push_back((*moved)[dim]);
    if (!placeUnitDims(dims, op.getType().getRank()))
      return failure();
    rewriter.replaceOpWithNewOp<BroadcastOp>(op, op.getType(), broadcast.getOperand(), dims);
    return success();
  }
};

/// However one element is repeated, it is repeated.
struct ReshapeOfRepeatedElement : OpRewritePattern<ReshapeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ReshapeOp op, PatternRewriter &rewriter) const override {
    auto broadcast = op.getOperand().getDefiningOp<BroadcastOp>();
    if (!broadcast || !hasOneElement(broadcast.getOperand()) || hasOneElement(op))
      return failure();
    RankedTensorType scalar = op.getType().clone(ArrayRef<int64_t>());
    Value element = broadcast.getOperand();
    if (element.getType() != scalar)
      element = ReshapeOp::create(rewriter, op.getLoc(), scalar, element);
    rewriter.replaceOpWithNewOp<BroadcastOp>(op, op.getType(), element, ArrayRef<int64_t>());
    return success();
  }
};

/// A transpose that moves only dimensions of size 1 keeps the order of elements: a reshape.
struct TransposeToReshape : OpRewritePattern<TransposeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(TransposeOp op, PatternRewriter &rewriter) const override {
    SmallVector<int64_t> kept;
    for (int64_t dim : op.getPermutation())
      if (op.getOperand().getType().getDimSize(dim) != 1)
        kept.push_back(dim);
    if (!llvm::is_sorted(kept))
      return failure();
    rewriter.replaceOpWithNewOp<ReshapeOp>(op, op.getType(), op.getOperand());
    return success();
  }
};

} // namespace

void ReshapeOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<UnitReshapeOfBroadcast, ReshapeOfRepeatedElement>(context);
}

void TransposeOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<TransposeToReshape>(context);
}

void BroadcastOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<BroadcastOfUnitReshape, BroadcastToReshape>(context);
}
