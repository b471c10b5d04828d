//===- MeanLoss.cpp - The quotient of a loss's sum and count --------------===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "MeanLoss.h"
#include "lgc/IR/LgcOps.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace lgc;

Value lgc::buildDivisor(TensorMath &t, Value count) {
  Value isZero = t.compare(ComparePredicate::EQ, count, t.zerosLike(count));
  return t.select(isZero, t.splatLike(count, 1.0), count);
}

Value lgc::buildMeanLoss(TensorMath &t, const LossParts &parts) {
  return t.div(parts.sum, buildDivisor(t, parts.count));
}

std::optional<LossParts> lgc::matchQuotient(TensorMath &t, Value loss) {
  if (auto quotient = loss.getDefiningOp<DivOp>())
    return LossParts{quotient.getLhs(), quotient.getRhs()};
  auto product = loss.getDefiningOp<MulOp>();
  DenseFPElementsAttr factor;
  llvm::APFloat inverse(0.0);
  if (!product || !matchPattern(product.getRhs(), m_Constant(&factor)) || !factor.isSplat() ||
      !factor.getSplatValue<llvm::APFloat>().getExactInverse(&inverse))
    return std::nullopt;
  return LossParts{product.getLhs(), t.splatLike(loss, inverse.convertToDouble())};
}

std::optional<LossParts> lgc::matchMeanLoss(Value loss) {
  auto quotient = loss.getDefiningOp<DivOp>();
  if (!quotient)
    return std::nullopt;
  auto divisor = quotient.getRhs().getDefiningOp<SelectOp>();
  // A constant count has been folded with its guard.
  return LossParts{quotient.getLhs(), divisor ? divisor.getOnFalse() : quotient.getRhs()};
}
