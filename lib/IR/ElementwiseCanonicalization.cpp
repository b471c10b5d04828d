//===- ElementwiseCanonicalization.cpp - Cheaper equal expressions --------===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "ConstantEvaluator.h"
#include "lgc/IR/LgcOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace lgc;

/// The number that a constant is everywhere.
static std::optional<ConstantElement> getSplat(Value value) {
  DenseElementsAttr constant;
  if (!matchPattern(value, m_Constant(&constant)) || !constant.isSplat())
    return std::nullopt;
  return getElement(constant, 0);
}

static bool isFloat(Value value) {
  return isa<FloatType>(cast<RankedTensorType>(value.getType()).getElementType());
}

static Value createSplat(OpBuilder &builder, Location loc, Value like, Attribute number) {
  auto type = cast<RankedTensorType>(like.getType());
  return ConstantOp::create(builder, loc, type, DenseElementsAttr::get(type, number));
}

namespace {

/// x^2 and x^3 are products, as exporters write squares and GELU.
struct PowToProduct : OpRewritePattern<PowOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(PowOp op, PatternRewriter &rewriter) const override {
    std::optional<ConstantElement> exponent = getSplat(op.getRhs());
    if (!exponent)
      return failure();
    double number = isFloat(op.getRhs()) ? exponent->number : exponent->bits.roundToDouble();
    if (number != 2.0 && number != 3.0)
      return failure();
    Value x = op.getLhs();
    Value product = MulOp::create(rewriter, op.getLoc(), x, x);
    if (number == 3.0)
      product = MulOp::create(rewriter, op.getLoc(), product, x);
    rewriter.replaceOp(op, product);
    return success();
  }
};

/// Division by a power of two is multiplication by its inverse, to the bit.
struct DivToProduct : OpRewritePattern<DivOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(DivOp op, PatternRewriter &rewriter) const override {
    std::optional<ConstantElement> divisor = getSplat(op.getRhs());
    if (!divisor || !isFloat(op.getRhs()))
      return failure();
    auto number = cast<FloatAttr>(
        getElementAttr(cast<RankedTensorType>(op.getRhs().getType()).getElementType(), *divisor));
    llvm::APFloat inverse(0.0);
    if (!number.getValue().getExactInverse(&inverse))
      return failure();
    Value factor =
        createSplat(rewriter, op.getLoc(), op.getRhs(), FloatAttr::get(number.getType(), inverse));
    rewriter.replaceOpWithNewOp<MulOp>(op, op.getLhs(), factor);
    return success();
  }
};

/// 1 / sqrt(x), as exporters write it, has an operation of its own.
struct DivToRsqrt : OpRewritePattern<DivOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(DivOp op, PatternRewriter &rewriter) const override {
    std::optional<ConstantElement> dividend = getSplat(op.getLhs());
    auto root = op.getRhs().getDefiningOp<SqrtOp>();
    if (!dividend || !root || !root->hasOneUse() || dividend->number != 1.0)
      return failure();
    rewriter.replaceOpWithNewOp<RsqrtOp>(op, root.getOperand());
    return success();
  }
};

struct SelectOfNot : OpRewritePattern<SelectOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(SelectOp op, PatternRewriter &rewriter) const override {
    auto complement = op.getCondition().getDefiningOp<NotOp>();
    if (!complement)
      return failure();
    rewriter.replaceOpWithNewOp<SelectOp>(op, complement.getOperand(), op.getOnFalse(),
                                          op.getOnTrue());
    return success();
  }
};

/// Exporters write attention with a guard against rows that are masked as a whole. As a part of
/// softmax it has a gradient that needs nothing but the result.
struct SelectToSafeSoftmax : OpRewritePattern<SelectOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(SelectOp op, PatternRewriter &rewriter) const override {
    auto isNan = op.getCondition().getDefiningOp<IsNanOp>();
    auto softmax = op.getOnFalse().getDefiningOp<SoftmaxOp>();
    std::optional<ConstantElement> replacement = getSplat(op.getOnTrue());
    if (!isNan || !softmax || isNan.getOperand() != softmax.getResult() || !replacement ||
        replacement->number != 0.0)
      return failure();
    rewriter.replaceOpWithNewOp<SoftmaxOp>(op, softmax.getOperand(), softmax.getDim(),
                                           /*safe=*/true);
    return success();
  }
};

} // namespace

void PowOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<PowToProduct>(context);
}

void DivOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<DivToProduct, DivToRsqrt>(context);
}

void SelectOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<SelectOfNot, SelectToSafeSoftmax>(context);
}
