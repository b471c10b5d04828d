//===- ScalarMath.h - Arithmetic on elements --------------------*- C++ -*-===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//
//
// Scalar code for the dialect's element types: picks the floating-point, signed or unsigned
// operation, and defines what the machine leaves undefined (division by zero, long shifts,
// conversions out of range).
//
//===----------------------------------------------------------------------===//

#ifndef LGC_LIB_IR_SCALARMATH_H
#define LGC_LIB_IR_SCALARMATH_H

#include "lgc/IR/LgcInterfaces.h"
#include "mlir/IR/Builders.h"

namespace lgc {

/// Emits arithmetic on scalars of the compute type of `elementType`.
class ScalarMath {
public:
  ScalarMath(mlir::OpBuilder &builder, mlir::Location loc, mlir::Type elementType)
      : builder(builder), loc(loc), elementType(elementType), type(getComputeType(elementType)) {}

  mlir::Value constant(double value);
  mlir::Value zero() { return constant(0.0); }
  mlir::Value neg(mlir::Value x);
  mlir::Value abs(mlir::Value x);
  mlir::Value sign(mlir::Value x);
  mlir::Value bitNot(mlir::Value x);
  mlir::Value add(mlir::Value x, mlir::Value y);
  mlir::Value sub(mlir::Value x, mlir::Value y);
  mlir::Value mul(mlir::Value x, mlir::Value y);
  mlir::Value div(mlir::Value x, mlir::Value y);
  mlir::Value rem(mlir::Value x, mlir::Value y);
  mlir::Value pow(mlir::Value x, mlir::Value y);
  mlir::Value max(mlir::Value x, mlir::Value y);
  mlir::Value min(mlir::Value x, mlir::Value y);
  mlir::Value shiftLeft(mlir::Value x, mlir::Value y);
  mlir::Value shiftRight(mlir::Value x, mlir::Value y);
  mlir::Value compare(ComparePredicate predicate, mlir::Value x, mlir::Value y);

  /// As add and mul, where the order of a reduction is free.
  mlir::Value accumulateSum(mlir::Value x, mlir::Value y);
  mlir::Value accumulateProduct(mlir::Value x, mlir::Value y);

  /// The largest (smallest) value of the type; for floating point, the infinities.
  mlir::Value largest();
  mlir::Value smallest();

  template <typename Op> mlir::Value unary(mlir::Value x) { return Op::create(builder, loc, x); }
  template <typename Op> mlir::Value binary(mlir::Value x, mlir::Value y) {
    return Op::create(builder, loc, x, y);
  }

private:
  bool isFloat() const { return mlir::isa<mlir::FloatType>(type); }
  /// Booleans count as unsigned.
  bool isUnsigned() const { return isUnsignedElement(elementType); }
  unsigned getWidth() const { return type.getIntOrFloatBitWidth(); }
  mlir::Value integer(const llvm::APInt &value);

  mlir::OpBuilder &builder;
  mlir::Location loc;
  mlir::Type elementType, type;
};

/// Converts a scalar between the compute types of two element types, as `lgc.cast` does.
mlir::Value emitCast(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value scalar,
                     mlir::Type from, mlir::Type to, bool saturate);

} // namespace lgc

#endif // LGC_LIB_IR_SCALARMATH_H
