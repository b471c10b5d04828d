//===- ShardingRuleBuilder.cpp - Builds sharding rules -------------------===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "ShardingRuleBuilder.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace lgc;

DimFactors ShardingRuleBuilder::add(int64_t size, SmallVectorImpl<int64_t> *list) {
  if (size == 1)
    return {};
  int64_t factor = sizes.size();
  sizes.push_back(size);
  if (list)
    list->push_back(factor);
  return {factor};
}

TensorFactors ShardingRuleBuilder::tensor(Type type, ArrayRef<int64_t> wholeDims) {
  TensorFactors factors;
  for (auto [dim, size] : llvm::enumerate(cast<ShapedType>(type).getShape()))
    factors.push_back(llvm::is_contained(wholeDims, static_cast<int64_t>(dim)) ? whole(size)
                                                                               : passThrough(size));
  return factors;
}

Attribute ShardingRuleBuilder::getTensor(const TensorFactors &factors) const {
  SmallVector<Attribute> dims;
  for (const DimFactors &dim : factors)
    dims.push_back(DenseI64ArrayAttr::get(context, dim));
  return ArrayAttr::get(context, dims);
}

ShardingRuleAttr ShardingRuleBuilder::build() const {
  return ShardingRuleAttr::get(context, ArrayAttr::get(context, operands),
                               ArrayAttr::get(context, results), sizes, reductionFactors,
                               wholeFactors);
}
