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

LogicalResult lgc::checkDim(std::optional<Location> loc, StringRef what, int64_t dim,
                            int64_t rank) {
  if (dim < 0 || dim >= rank)
    return emitOptionalError(loc, what, " dimension ", dim, " of a tensor of rank ", rank,
                             "; name one of its dimensions");
  return success();
}

LogicalResult lgc::checkDims(std::optional<Location> loc, StringRef what, ArrayRef<int64_t> dims,
                             int64_t rank) {
  int64_t last = -1;
  for (int64_t dim : dims) {
    if (dim <= last || dim >= rank)
      return emitOptionalError(loc, what, " dims that don't increase within the rank ", rank,
                               "; list increasing dimensions");
    last = dim;
  }
  return success();
}
