//===- ShardingRuleBuilder.h - Builds sharding rules ---------------------===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef LGC_LIB_IR_SHARDINGRULEBUILDER_H
#define LGC_LIB_IR_SHARDINGRULEBUILDER_H

#include "lgc/IR/LgcAttributes.h"
#include "mlir/IR/BuiltinTypes.h"

namespace lgc {

/// The factors of one dimension, from the slowest to the fastest; none for size 1.
using DimFactors = llvm::SmallVector<int64_t, 2>;
/// One entry for each dimension of a tensor.
using TensorFactors = llvm::SmallVector<DimFactors, 4>;

/// Collects factors and the tensors made of them. Operands and results are added in their order.
class ShardingRuleBuilder {
public:
  explicit ShardingRuleBuilder(mlir::MLIRContext *context) : context(context) {}

  /// A new factor; size 1 needs none.
  DimFactors passThrough(int64_t size) { return add(size, nullptr); }
  /// A new factor whose splitting leaves partial sums.
  DimFactors reduction(int64_t size) { return add(size, &reductionFactors); }
  /// A new factor that must stay whole.
  DimFactors whole(int64_t size) { return add(size, &wholeFactors); }

  /// New factors for each dimension of a tensor: whole for `wholeDims`, the rest passed through.
  TensorFactors tensor(mlir::Type type, llvm::ArrayRef<int64_t> wholeDims = {});

  void addOperand(const TensorFactors &factors) { operands.push_back(getTensor(factors)); }
  void addResult(const TensorFactors &factors) { results.push_back(getTensor(factors)); }

  ShardingRuleAttr build() const;

private:
  DimFactors add(int64_t size, llvm::SmallVectorImpl<int64_t> *list);
  mlir::Attribute getTensor(const TensorFactors &factors) const;

  mlir::MLIRContext *context;
  llvm::SmallVector<mlir::Attribute> operands, results;
  llvm::SmallVector<int64_t> sizes, reductionFactors, wholeFactors;
};

} // namespace lgc

#endif // LGC_LIB_IR_SHARDINGRULEBUILDER_H
