//===- OperandCheck.cpp - Before types are inferred -----------------------===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "OperandCheck.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Diagnostics.h"

using namespace mlir;

LogicalResult lgc::checkOperands(std::optional<Location> loc, ValueRange operands) {
  for (auto [i, operand] : llvm::enumerate(operands)) {
    auto tensor = dyn_cast<RankedTensorType>(operand.getType());
    if (!tensor || !tensor.hasStaticShape())
      return emitOptionalError(loc, "operand ", i, " has type ", operand.getType(),
                               "; give a tensor of static shape");
  }
  return success();
}
