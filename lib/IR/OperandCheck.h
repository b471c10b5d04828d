//===- OperandCheck.h - Before types are inferred ---------------*- C++ -*-===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef LGC_LIB_IR_OPERANDCHECK_H
#define LGC_LIB_IR_OPERANDCHECK_H

#include "mlir/IR/Location.h"
#include "mlir/IR/ValueRange.h"

namespace lgc {

/// Emits an error unless all operands are tensors of static shape. Result types are inferred before
/// operands are verified, so inference must not trust them.
llvm::LogicalResult checkOperands(std::optional<mlir::Location> loc, mlir::ValueRange operands);

/// Emits an error unless `dim` is a dimension of a tensor of the rank. `what` says what the
/// operation does with it: "sorts along", "indexes".
llvm::LogicalResult checkDim(std::optional<mlir::Location> loc, llvm::StringRef what, int64_t dim,
                             int64_t rank);

/// Emits an error unless `dims` increase within the rank. `what` is "has" or "reduces".
llvm::LogicalResult checkDims(std::optional<mlir::Location> loc, llvm::StringRef what,
                              llvm::ArrayRef<int64_t> dims, int64_t rank);

} // namespace lgc

#endif // LGC_LIB_IR_OPERANDCHECK_H
