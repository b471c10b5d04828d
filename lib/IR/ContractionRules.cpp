//===- ContractionRules.cpp - Splitting and cost of contractions ---------===//
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

ShardingRuleAttr DotOp::getShardingRule() {
  ShardingRuleBuilder rule(getContext());
  RankedTensorType lhs = getTensor(getLhs()), rhs = getTensor(getRhs());
  TensorFactors left(lhs.getRank()), right(rhs.getRank()), result;
  for (auto [l, r] : llvm::zip_equal(getLhsBatch(), getRhsBatch())) {
    left[l] = right[r] = rule.passThrough(lhs.getDimSize(l));
    result.push_back(left[l]);
  }
  for (auto [l, r] : llvm::zip_equal(getLhsContract(), getRhsContract()))
    left[l] = right[r] = rule.reduction(lhs.getDimSize(l));
  auto addFree = [&](RankedTensorType type, ArrayRef<int64_t> batch, ArrayRef<int64_t> contract,
                     TensorFactors &factors) {
    for (int64_t dim = 0; dim < type.getRank(); ++dim) {
      if (llvm::is_contained(batch, dim) || llvm::is_contained(contract, dim))
        continue;
      factors[dim] = rule.passThrough(type.getDimSize(dim));
      result.push_back(factors[dim]);
    }
  };
  addFree(lhs, getLhsBatch(), getLhsContract(), left);
  addFree(rhs, getRhsBatch(), getRhsContract(), right);
  rule.addOperand(left);
  rule.addOperand(right);
  rule.addResult(result);
  return rule.build();
}

int64_t DotOp::getFlops() {
  int64_t terms = 1;
  for (int64_t dim : getLhsContract())
    terms *= getTensor(getLhs()).getDimSize(dim);
  return 2 * getTensor(getResult()).getNumElements() * terms;
}

namespace {

/// The factors of the three tensors of a convolution. The channels of a group are one factor, the
/// groups another; what is reduced depends on which tensor is the result.
struct ConvolutionFactors {
  enum class Result { Output, Input, Filter };

  ConvolutionFactors(ShardingRuleBuilder &rule, RankedTensorType inputType,
                     RankedTensorType filterType, RankedTensorType outputType, int64_t groups,
                     Result of) {
    auto get = [&](int64_t size, Result without) {
      return of == without ? rule.reduction(size) : rule.passThrough(size);
    };
    DimFactors batch = get(inputType.getDimSize(0), Result::Filter);
    DimFactors group = rule.passThrough(groups);
    DimFactors inputChannels = get(filterType.getDimSize(1), Result::Output);
    DimFactors outputChannels = get(filterType.getDimSize(0) / groups, Result::Input);
    auto inGroups = [&](const DimFactors &channels) {
      DimFactors factors = group;
      llvm::append_range(factors, channels);
      return factors;
    };
    input = {batch, inGroups(inputChannels)};
    filter = {inGroups(outputChannels), inputChannels};
    output = {batch, inGroups(outputChannels)};
    for (auto [type, factors] : {std::pair(inputType, &input), std::pair(filterType, &filter),
                                 std::pair(outputType, &output)})
      for (int64_t size : type.getShape().drop_front(2))
        factors->push_back(rule.whole(size));
  }

  TensorFactors input, filter, output;
};

} // namespace

ShardingRuleAttr ConvolutionOp::getShardingRule() {
  ShardingRuleBuilder rule(getContext());
  ConvolutionFactors factors(rule, getTensor(getInput()), getTensor(getFilter()),
                             getTensor(getResult()), getGroups(),
                             ConvolutionFactors::Result::Output);
  rule.addOperand(factors.input);
  rule.addOperand(factors.filter);
  rule.addResult(factors.output);
  return rule.build();
}

ShardingRuleAttr ConvolutionInputOp::getShardingRule() {
  ShardingRuleBuilder rule(getContext());
  ConvolutionFactors factors(rule, getTensor(getResult()), getTensor(getFilter()),
                             getTensor(getOutputGradient()), getGroups(),
                             ConvolutionFactors::Result::Input);
  rule.addOperand(factors.output);
  rule.addOperand(factors.filter);
  rule.addResult(factors.input);
  return rule.build();
}

ShardingRuleAttr ConvolutionFilterOp::getShardingRule() {
  ShardingRuleBuilder rule(getContext());
  ConvolutionFactors factors(rule, getTensor(getInput()), getTensor(getResult()),
                             getTensor(getOutputGradient()), getGroups(),
                             ConvolutionFactors::Result::Filter);
  rule.addOperand(factors.input);
  rule.addOperand(factors.output);
  rule.addResult(factors.filter);
  return rule.build();
}

/// Each output element is a sum of products over the channels of a group and the kernel; both
/// gradients have as many.
static int64_t getConvolutionFlops(Value filter, Value output) {
  RankedTensorType type = getTensor(filter);
  int64_t terms = 1;
  for (int64_t size : type.getShape().drop_front())
    terms *= size;
  return 2 * getTensor(output).getNumElements() * terms;
}

int64_t ConvolutionOp::getFlops() { return getConvolutionFlops(getFilter(), getResult()); }
int64_t ConvolutionInputOp::getFlops() {
  return getConvolutionFlops(getFilter(), getOutputGradient());
}
int64_t ConvolutionFilterOp::getFlops() {
  return getConvolutionFlops(getResult(), getOutputGradient());
}
