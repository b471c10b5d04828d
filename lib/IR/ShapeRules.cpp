//===- ShapeRules.cpp - Splitting and cost of rearrangements -------------===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "ReshapeGroups.h"
#include "ShardingRuleBuilder.h"
#include "lgc/IR/LgcOps.h"

using namespace mlir;
using namespace lgc;

int64_t ConstantOp::getFlops() { return 0; }
int64_t ReshapeOp::getFlops() { return 0; }
int64_t TransposeOp::getFlops() { return 0; }
int64_t BroadcastOp::getFlops() { return 0; }
int64_t SliceOp::getFlops() { return 0; }
int64_t PadOp::getFlops() { return 0; }
int64_t ConcatOp::getFlops() { return 0; }
int64_t ReverseOp::getFlops() { return 0; }

ShardingRuleAttr ConstantOp::getShardingRule() {
  ShardingRuleBuilder rule(getContext());
  rule.addResult(rule.tensor(getType()));
  return rule.build();
}

ShardingRuleAttr IotaOp::getShardingRule() {
  ShardingRuleBuilder rule(getContext());
  rule.addResult(rule.tensor(getType(), {static_cast<int64_t>(getDim())}));
  return rule.build();
}

/// Splits both sides of a group into common factors; without them every dimension stays whole.
static void addGroupFactors(ShardingRuleBuilder &rule, const ReshapeGroup &group,
                            ArrayRef<int64_t> from, ArrayRef<int64_t> to, TensorFactors &operand,
                            TensorFactors &result) {
  struct Factor {
    size_t from, to;
    int64_t size;
  };
  SmallVector<Factor> factors;
  size_t i = 0, j = 0;
  int64_t a = 1, b = 1;
  bool divides = true;
  while (divides) {
    while (a == 1 && i < group.from.size())
      a = from[group.from[i++]];
    while (b == 1 && j < group.to.size())
      b = to[group.to[j++]];
    if (a == 1 && b == 1)
      break;
    int64_t common = std::min(a, b);
    divides = common > 1 && a % common == 0 && b % common == 0;
    if (divides) {
      factors.push_back({i - 1, j - 1, common});
      a /= common;
      b /= common;
    }
  }
  if (divides) {
    for (const Factor &factor : factors) {
      int64_t number = rule.passThrough(factor.size).front();
      operand[group.from[factor.from]].push_back(number);
      result[group.to[factor.to]].push_back(number);
    }
    return;
  }
  for (int64_t dim : group.from)
    operand[dim] = rule.whole(from[dim]);
  for (int64_t dim : group.to)
    result[dim] = rule.whole(to[dim]);
}

ShardingRuleAttr ReshapeOp::getShardingRule() {
  ShardingRuleBuilder rule(getContext());
  ArrayRef<int64_t> from = getOperand().getType().getShape(), to = getType().getShape();
  TensorFactors operand(from.size()), result(to.size());
  for (const ReshapeGroup &group : getReshapeGroups(from, to))
    addGroupFactors(rule, group, from, to, operand, result);
  rule.addOperand(operand);
  rule.addResult(result);
  return rule.build();
}

ShardingRuleAttr TransposeOp::getShardingRule() {
  ShardingRuleBuilder rule(getContext());
  TensorFactors operand = rule.tensor(getOperand().getType()), result;
  for (int64_t dim : getPermutation())
    result.push_back(operand[dim]);
  rule.addOperand(operand);
  rule.addResult(result);
  return rule.build();
}

ShardingRuleAttr BroadcastOp::getShardingRule() {
  ShardingRuleBuilder rule(getContext());
  TensorFactors result = rule.tensor(getType()), operand;
  for (auto [i, dim] : llvm::enumerate(getDims()))
    operand.push_back(getOperand().getType().getDimSize(i) == 1 ? DimFactors() : result[dim]);
  rule.addOperand(operand);
  rule.addResult(result);
  return rule.build();
}

/// Dimensions that `isKept` holds for pass through; others are whole on both sides.
static ShardingRuleAttr getPartialRule(RankedTensorType operand, RankedTensorType result,
                                       llvm::function_ref<bool(size_t)> isKept) {
  ShardingRuleBuilder rule(operand.getContext());
  TensorFactors from, to;
  for (int64_t dim = 0; dim < operand.getRank(); ++dim) {
    bool kept = isKept(dim);
    from.push_back(kept ? rule.passThrough(operand.getDimSize(dim))
                        : rule.whole(operand.getDimSize(dim)));
    to.push_back(kept ? from.back() : rule.whole(result.getDimSize(dim)));
  }
  rule.addOperand(from);
  rule.addResult(to);
  return rule.build();
}

ShardingRuleAttr SliceOp::getShardingRule() {
  return getPartialRule(getOperand().getType(), getType(), [&](size_t dim) {
    return getStarts()[dim] == 0 && getStrides()[dim] == 1 &&
           getLimits()[dim] == getOperand().getType().getDimSize(dim);
  });
}

ShardingRuleAttr PadOp::getShardingRule() {
  return getPartialRule(getOperand().getType(), getType(), [&](size_t dim) {
    return getLow()[dim] == 0 && getHigh()[dim] == 0 && getInterior()[dim] == 0;
  });
}

ShardingRuleAttr ReverseOp::getShardingRule() {
  return getPartialRule(getOperand().getType(), getType(), [&](size_t dim) {
    return !llvm::is_contained(getDims(), static_cast<int64_t>(dim));
  });
}

ShardingRuleAttr ConcatOp::getShardingRule() {
  ShardingRuleBuilder rule(getContext());
  TensorFactors result = rule.tensor(getType(), {static_cast<int64_t>(getDim())});
  for (Value operand : getOperands()) {
    TensorFactors factors = result;
    factors[getDim()] = rule.whole(cast<RankedTensorType>(operand.getType()).getDimSize(getDim()));
    rule.addOperand(factors);
  }
  rule.addResult(result);
  return rule.build();
}
