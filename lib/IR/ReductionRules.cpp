//===- ReductionRules.cpp - Splitting of reductions and indexing ---------===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "ShardingRuleBuilder.h"
#include "lgc/IR/LgcOps.h"

using namespace mlir;
using namespace lgc;

ShardingRuleAttr ReduceOp::getShardingRule() {
  ShardingRuleBuilder rule(getContext());
  TensorFactors operand, result;
  for (auto [dim, size] :
       llvm::enumerate(cast<RankedTensorType>(getOperand().getType()).getShape())) {
    if (!llvm::is_contained(getDims(), static_cast<int64_t>(dim))) {
      operand.push_back(rule.passThrough(size));
      result.push_back(operand.back());
      continue;
    }
    // Only partial sums are put together by a sum.
    operand.push_back(getKind() == ReductionKind::Sum ? rule.reduction(size) : rule.whole(size));
  }
  rule.addOperand(operand);
  rule.addResult(result);
  return rule.build();
}

ShardingRuleAttr ArgReduceOp::getShardingRule() {
  ShardingRuleBuilder rule(getContext());
  TensorFactors factors = rule.tensor(getOperand().getType(), {static_cast<int64_t>(getDim())});
  rule.addOperand(factors);
  factors.erase(factors.begin() + getDim());
  rule.addResult(factors);
  rule.addResult(factors);
  return rule.build();
}

/// All operands and results have one shape; `dim` stays whole.
static ShardingRuleAttr getRuleAlong(Operation *op, int64_t dim) {
  ShardingRuleBuilder rule(op->getContext());
  TensorFactors factors = rule.tensor(op->getResult(0).getType(), {dim});
  for (unsigned i = 0; i < op->getNumOperands(); ++i)
    rule.addOperand(factors);
  for (unsigned i = 0; i < op->getNumResults(); ++i)
    rule.addResult(factors);
  return rule.build();
}

ShardingRuleAttr CumulativeOp::getShardingRule() { return getRuleAlong(*this, getDim()); }
ShardingRuleAttr SortOp::getShardingRule() { return getRuleAlong(*this, getDim()); }

//===----------------------------------------------------------------------===//
// Windows
//===----------------------------------------------------------------------===//

/// Batch and channels pass through; windows reach over spatial dimensions.
static ShardingRuleAttr getWindowRule(Operation *op) {
  ShardingRuleBuilder rule(op->getContext());
  auto like = cast<RankedTensorType>(op->getResult(0).getType());
  DimFactors batch = rule.passThrough(like.getDimSize(0));
  DimFactors channels = rule.passThrough(like.getDimSize(1));
  auto map = [&](Type type) {
    TensorFactors factors{batch, channels};
    for (int64_t size : cast<RankedTensorType>(type).getShape().drop_front(2))
      factors.push_back(rule.whole(size));
    return factors;
  };
  for (Type type : op->getOperandTypes())
    rule.addOperand(map(type));
  for (Type type : op->getResultTypes())
    rule.addResult(map(type));
  return rule.build();
}

ShardingRuleAttr ReduceWindowOp::getShardingRule() { return getWindowRule(*this); }
ShardingRuleAttr WindowArgmaxOp::getShardingRule() { return getWindowRule(*this); }
ShardingRuleAttr WindowScatterOp::getShardingRule() { return getWindowRule(*this); }

//===----------------------------------------------------------------------===//
// Indexing
//===----------------------------------------------------------------------===//

ShardingRuleAttr GatherOp::getShardingRule() {
  ShardingRuleBuilder rule(getContext());
  auto axis = static_cast<int64_t>(getAxis());
  TensorFactors operand = rule.tensor(getOperand().getType(), {axis});
  TensorFactors indices = rule.tensor(getIndices().getType());
  rule.addOperand(operand);
  rule.addOperand(indices);
  TensorFactors result(operand.begin(), operand.begin() + axis);
  result.append(indices.begin(), indices.end());
  result.append(operand.begin() + axis + 1, operand.end());
  rule.addResult(result);
  return rule.build();
}
