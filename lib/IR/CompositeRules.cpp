//===- CompositeRules.cpp - Splitting and cost of composites -------------===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "ShardingRuleBuilder.h"
#include "lgc/IR/LgcOps.h"

using namespace mlir;
using namespace lgc;

static RankedTensorType getTensor(Value value) { return cast<RankedTensorType>(value.getType()); }

/// The dimensions `dims` of the first operand stay whole. Other operands and results have its
/// shape, or its shape without them.
static ShardingRuleAttr getRuleOver(Operation *op, ArrayRef<int64_t> dims) {
  ShardingRuleBuilder rule(op->getContext());
  TensorFactors full = rule.tensor(op->getOperand(0).getType(), dims), kept;
  for (auto [dim, factors] : llvm::enumerate(full))
    if (!llvm::is_contained(dims, static_cast<int64_t>(dim)))
      kept.push_back(factors);
  auto map = [&](Type type) -> const TensorFactors & {
    return cast<RankedTensorType>(type).getRank() == static_cast<int64_t>(full.size()) ? full
                                                                                       : kept;
  };
  for (Type type : op->getOperandTypes())
    rule.addOperand(map(type));
  for (Type type : op->getResultTypes())
    rule.addResult(map(type));
  return rule.build();
}

ShardingRuleAttr SoftmaxOp::getShardingRule() {
  return getRuleOver(*this, {static_cast<int64_t>(getDim())});
}
ShardingRuleAttr LogSoftmaxOp::getShardingRule() {
  return getRuleOver(*this, {static_cast<int64_t>(getDim())});
}
ShardingRuleAttr NormalizeOp::getShardingRule() { return getRuleOver(*this, getDims()); }
ShardingRuleAttr RmsNormalizeOp::getShardingRule() { return getRuleOver(*this, getDims()); }
ShardingRuleAttr CrossEntropyOp::getShardingRule() {
  return getRuleOver(*this, {static_cast<int64_t>(getDim())});
}

ShardingRuleAttr AttentionOp::getShardingRule() {
  ShardingRuleBuilder rule(getContext());
  RankedTensorType query = getTensor(getQuery()), key = getTensor(getKey());
  RankedTensorType value = getTensor(getValue());
  int64_t batchRank = query.getRank() - 2;
  TensorFactors batch;
  for (int64_t dim = 0; dim < batchRank; ++dim)
    batch.push_back(rule.passThrough(query.getDimSize(dim)));
  // A causal mask depends on the query's position in the whole sequence.
  int64_t numQueries = query.getDimSize(batchRank);
  DimFactors queries = getCausal() ? rule.whole(numQueries) : rule.passThrough(numQueries);
  DimFactors keys = rule.whole(key.getDimSize(batchRank));
  DimFactors depth = rule.whole(query.getDimSize(batchRank + 1));
  DimFactors features = rule.passThrough(value.getDimSize(batchRank + 1));
  auto join = [&](std::initializer_list<DimFactors> dims) {
    TensorFactors factors = batch;
    llvm::append_range(factors, dims);
    return factors;
  };
  rule.addOperand(join({queries, depth}));
  rule.addOperand(join({keys, depth}));
  rule.addOperand(join({keys, features}));
  if (Value bias = getBias()) {
    RankedTensorType type = getTensor(bias);
    TensorFactors scores = join({queries, keys}), factors;
    for (int64_t dim = 0; dim < type.getRank(); ++dim)
      factors.push_back(type.getDimSize(dim) == 1 ? DimFactors()
                                                  : scores[scores.size() - type.getRank() + dim]);
    rule.addOperand(factors);
  }
  rule.addResult(join({queries, features}));
  rule.addResult(join({queries}));
  return rule.build();
}

//===----------------------------------------------------------------------===//
// Cost
//===----------------------------------------------------------------------===//

/// What the decomposition does for each element of the first operand.
static int64_t getFlopsPerElement(Operation *op, int64_t flops) {
  return flops * getTensor(op->getOperand(0)).getNumElements();
}

int64_t SoftmaxOp::getFlops() { return getFlopsPerElement(*this, 5); }
int64_t LogSoftmaxOp::getFlops() { return getFlopsPerElement(*this, 5); }
int64_t NormalizeOp::getFlops() { return getFlopsPerElement(*this, 6); }
int64_t RmsNormalizeOp::getFlops() { return getFlopsPerElement(*this, 3); }
int64_t CrossEntropyOp::getFlops() { return getFlopsPerElement(*this, 4); }

int64_t AttentionOp::getFlops() {
  RankedTensorType query = getTensor(getQuery()), value = getTensor(getValue());
  int64_t depth = query.getShape().back(), features = value.getShape().back();
  if (depth == 0)
    return 0;
  int64_t keys = value.getDimSize(value.getRank() - 2);
  int64_t scores = query.getNumElements() / depth * keys;
  // Two products, and softmax with its scale.
  return scores * (2 * depth + 2 * features + 6);
}
