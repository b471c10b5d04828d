//===- LgcInterfaces.cpp - What every lgc operation declares --------------===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "lgc/IR/LgcInterfaces.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/OpDefinition.h"

using namespace mlir;
using namespace lgc;

#include "lgc/IR/LgcInterfaces.cpp.inc"

Type lgc::getComputeType(Type elementType) {
  if (elementType.isF16() || elementType.isBF16())
    return Float32Type::get(elementType.getContext());
  if (auto integer = dyn_cast<IntegerType>(elementType))
    return IntegerType::get(elementType.getContext(), integer.getWidth());
  return elementType;
}

int64_t lgc::getElementBytes(Type elementType) {
  return std::max(1u, elementType.getIntOrFloatBitWidth() / 8);
}

int64_t lgc::getTensorBytes(TypeRange types) {
  int64_t bytes = 0;
  for (Type type : types) {
    auto tensor = cast<ShapedType>(type);
    bytes += tensor.getNumElements() * getElementBytes(tensor.getElementType());
  }
  return bytes;
}

bool lgc::isUnsignedElement(Type elementType) {
  return elementType.isUnsignedInteger() || elementType.isInteger(1);
}

int64_t lgc::getDefaultFlops(Operation *op) {
  if (op->getNumResults() == 0)
    return 0;
  int64_t points = cast<ShapedType>(op->getResult(0).getType()).getNumElements();
  if (auto elemental = dyn_cast<ElementalOpInterface>(op))
    for (int64_t size : elemental.getReductionShape())
      points *= size;
  return points;
}

ShardingRuleAttr lgc::getDefaultShardingRule(Operation *op) {
  Builder builder(op->getContext());
  SmallVector<int64_t> sizes, whole;
  bool elementwise = op->hasTrait<mlir::OpTrait::Elementwise>();
  auto mapTensor = [&](Type type) -> Attribute {
    SmallVector<Attribute> dims;
    for (auto [dim, size] : llvm::enumerate(cast<ShapedType>(type).getShape())) {
      int64_t factor = dim;
      if (!elementwise || dim >= sizes.size()) {
        factor = sizes.size();
        sizes.push_back(size);
        if (!elementwise)
          whole.push_back(factor);
      }
      dims.push_back(builder.getDenseI64ArrayAttr({factor}));
    }
    return builder.getArrayAttr(dims);
  };
  SmallVector<Attribute> operands, results;
  for (Type type : op->getOperandTypes())
    operands.push_back(mapTensor(type));
  for (Type type : op->getResultTypes())
    results.push_back(mapTensor(type));
  return ShardingRuleAttr::get(op->getContext(), builder.getArrayAttr(operands),
                               builder.getArrayAttr(results), sizes, /*reductionFactors=*/{},
                               whole);
}
