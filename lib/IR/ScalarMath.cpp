//===- ScalarMath.cpp - Arithmetic on elements ----------------------------===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "ScalarMath.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace lgc;

Value ScalarMath::integer(const llvm::APInt &value) {
  return arith::ConstantOp::create(builder, loc, IntegerAttr::get(type, value));
}

Value ScalarMath::constant(double value) {
  if (isFloat())
    return arith::ConstantOp::create(builder, loc, FloatAttr::get(type, value));
  return integer(llvm::APInt(getWidth(), static_cast<uint64_t>(static_cast<int64_t>(value)),
                             /*isSigned=*/true, /*implicitTrunc=*/true));
}

Value ScalarMath::neg(Value x) {
  return isFloat() ? unary<arith::NegFOp>(x) : binary<arith::SubIOp>(zero(), x);
}

Value ScalarMath::abs(Value x) {
  if (isFloat())
    return unary<math::AbsFOp>(x);
  return isUnsigned() ? x : unary<math::AbsIOp>(x);
}

Value ScalarMath::sign(Value x) {
  auto select = [&](ComparePredicate predicate, Value onTrue, Value onFalse) -> Value {
    return arith::SelectOp::create(builder, loc, compare(predicate, x, zero()), onTrue, onFalse);
  };
  // NaN stays NaN.
  Value otherwise = isFloat() ? x : zero();
  if (!isUnsigned())
    otherwise = select(ComparePredicate::LT, constant(-1.0), otherwise);
  return select(ComparePredicate::GT, constant(1.0), otherwise);
}

Value ScalarMath::bitNot(Value x) {
  return binary<arith::XOrIOp>(x, integer(llvm::APInt::getAllOnes(getWidth())));
}

Value ScalarMath::add(Value x, Value y) {
  return isFloat() ? binary<arith::AddFOp>(x, y) : binary<arith::AddIOp>(x, y);
}

Value ScalarMath::sub(Value x, Value y) {
  return isFloat() ? binary<arith::SubFOp>(x, y) : binary<arith::SubIOp>(x, y);
}

Value ScalarMath::mul(Value x, Value y) {
  return isFloat() ? binary<arith::MulFOp>(x, y) : binary<arith::MulIOp>(x, y);
}

Value ScalarMath::accumulateSum(Value x, Value y) {
  if (!isFloat())
    return add(x, y);
  return arith::AddFOp::create(builder, loc, x, y, arith::FastMathFlags::reassoc);
}

Value ScalarMath::accumulateProduct(Value x, Value y) {
  if (!isFloat())
    return mul(x, y);
  return arith::MulFOp::create(builder, loc, x, y, arith::FastMathFlags::reassoc);
}

Value ScalarMath::div(Value x, Value y) {
  if (isFloat())
    return binary<arith::DivFOp>(x, y);
  Value isZero = compare(ComparePredicate::EQ, y, zero());
  Value divisor = arith::SelectOp::create(builder, loc, isZero, constant(1.0), y);
  Value quotient;
  if (isUnsigned()) {
    quotient = binary<arith::DivUIOp>(x, divisor);
  } else {
    // The smallest integer divided by -1 overflows: that's a negation.
    Value isMinusOne = compare(ComparePredicate::EQ, y, constant(-1.0));
    Value safe = arith::SelectOp::create(builder, loc, isMinusOne, constant(1.0), divisor);
    quotient =
        arith::SelectOp::create(builder, loc, isMinusOne, neg(x), binary<arith::DivSIOp>(x, safe));
  }
  return arith::SelectOp::create(builder, loc, isZero, zero(), quotient);
}

Value ScalarMath::rem(Value x, Value y) {
  if (isFloat())
    return binary<arith::RemFOp>(x, y);
  Value isZero = compare(ComparePredicate::EQ, y, zero());
  Value divisor = arith::SelectOp::create(builder, loc, isZero, constant(1.0), y);
  if (!isUnsigned()) {
    Value isMinusOne = compare(ComparePredicate::EQ, y, constant(-1.0));
    divisor = arith::SelectOp::create(builder, loc, isMinusOne, constant(1.0), divisor);
  }
  return isUnsigned() ? binary<arith::RemUIOp>(x, divisor) : binary<arith::RemSIOp>(x, divisor);
}

Value ScalarMath::pow(Value x, Value y) {
  if (isFloat())
    return binary<math::PowFOp>(x, y);
  // Through f64, exact for results below 2^53.
  Type f64 = builder.getF64Type();
  Value base = emitCast(builder, loc, x, elementType, f64, /*saturate=*/false);
  Value exponent = emitCast(builder, loc, y, elementType, f64, /*saturate=*/false);
  Value result = math::PowFOp::create(builder, loc, base, exponent);
  return emitCast(builder, loc, result, f64, elementType, /*saturate=*/false);
}

Value ScalarMath::max(Value x, Value y) {
  if (isFloat())
    return binary<arith::MaximumFOp>(x, y);
  return isUnsigned() ? binary<arith::MaxUIOp>(x, y) : binary<arith::MaxSIOp>(x, y);
}

Value ScalarMath::min(Value x, Value y) {
  if (isFloat())
    return binary<arith::MinimumFOp>(x, y);
  return isUnsigned() ? binary<arith::MinUIOp>(x, y) : binary<arith::MinSIOp>(x, y);
}

/// A shift by the width or more gives `beyond`.
static Value emitShift(OpBuilder &builder, Location loc, Value isShort, Value shifted,
                       Value beyond) {
  return arith::SelectOp::create(builder, loc, isShort, shifted, beyond);
}

Value ScalarMath::shiftLeft(Value x, Value y) {
  Value width = integer(llvm::APInt(getWidth(), getWidth()));
  Value isShort = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult, y, width);
  Value amount = arith::SelectOp::create(builder, loc, isShort, y, zero());
  return emitShift(builder, loc, isShort, binary<arith::ShLIOp>(x, amount), zero());
}

Value ScalarMath::shiftRight(Value x, Value y) {
  Value width = integer(llvm::APInt(getWidth(), getWidth()));
  Value isShort = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult, y, width);
  Value last = integer(llvm::APInt(getWidth(), getWidth() - 1));
  Value amount = arith::SelectOp::create(builder, loc, isShort, y, last);
  if (!isUnsigned())
    return binary<arith::ShRSIOp>(x, amount);
  return emitShift(builder, loc, isShort, binary<arith::ShRUIOp>(x, amount), zero());
}

Value ScalarMath::compare(ComparePredicate predicate, Value x, Value y) {
  if (isFloat()) {
    static constexpr arith::CmpFPredicate predicates[] = {
        arith::CmpFPredicate::OEQ, arith::CmpFPredicate::UNE, arith::CmpFPredicate::OLT,
        arith::CmpFPredicate::OLE, arith::CmpFPredicate::OGT, arith::CmpFPredicate::OGE};
    return arith::CmpFOp::create(builder, loc, predicates[static_cast<unsigned>(predicate)], x, y);
  }
  using Predicate = arith::CmpIPredicate;
  static constexpr Predicate isSigned[] = {Predicate::eq,  Predicate::ne,  Predicate::slt,
                                           Predicate::sle, Predicate::sgt, Predicate::sge};
  static constexpr Predicate noSign[] = {Predicate::eq,  Predicate::ne,  Predicate::ult,
                                         Predicate::ule, Predicate::ugt, Predicate::uge};
  auto at = static_cast<unsigned>(predicate);
  return arith::CmpIOp::create(builder, loc, isUnsigned() ? noSign[at] : isSigned[at], x, y);
}

Value ScalarMath::largest() {
  if (isFloat())
    return constant(std::numeric_limits<double>::infinity());
  return integer(isUnsigned() ? llvm::APInt::getMaxValue(getWidth())
                              : llvm::APInt::getSignedMaxValue(getWidth()));
}

Value ScalarMath::smallest() {
  if (isFloat())
    return constant(-std::numeric_limits<double>::infinity());
  return integer(isUnsigned() ? llvm::APInt::getMinValue(getWidth())
                              : llvm::APInt::getSignedMinValue(getWidth()));
}

//===----------------------------------------------------------------------===//
// Conversions
//===----------------------------------------------------------------------===//

/// Truncates a number (not NaN) towards zero and clamps it to the range of an integer type.
static Value emitClampedInteger(OpBuilder &builder, Location loc, Value x, unsigned width,
                                bool isUnsigned) {
  auto type = builder.getIntegerType(width);
  auto number = [&](double value) -> Value {
    return arith::ConstantOp::create(builder, loc, FloatAttr::get(x.getType(), value));
  };
  double low = isUnsigned ? 0.0 : -std::ldexp(1.0, width - 1);
  double beyond = std::ldexp(1.0, isUnsigned ? width : width - 1);
  Value fits = arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OLT, x, number(beyond));
  x = arith::SelectOp::create(builder, loc, fits, x, number(0.0));
  x = arith::MaximumFOp::create(builder, loc, x, number(low));
  Value result = isUnsigned ? Value(arith::FPToUIOp::create(builder, loc, type, x))
                            : Value(arith::FPToSIOp::create(builder, loc, type, x));
  llvm::APInt most =
      isUnsigned ? llvm::APInt::getMaxValue(width) : llvm::APInt::getSignedMaxValue(width);
  Value mostValue = arith::ConstantOp::create(builder, loc, IntegerAttr::get(type, most));
  return arith::SelectOp::create(builder, loc, fits, result, mostValue);
}

/// Truncates towards zero; a value out of range wraps around (or, saturating, goes to the nearest
/// bound), NaN becomes 0.
static Value emitFloatToInteger(OpBuilder &builder, Location loc, Value x, Type to, bool saturate) {
  auto integer = cast<IntegerType>(getComputeType(to));
  unsigned width = integer.getWidth();
  bool isUnsigned = isUnsignedElement(to);
  Value zero = arith::ConstantOp::create(builder, loc, FloatAttr::get(x.getType(), 0.0));
  Value isNumber = arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::ORD, x, x);
  x = arith::SelectOp::create(builder, loc, isNumber, x, zero);
  if (saturate)
    return emitClampedInteger(builder, loc, x, width, isUnsigned);
  // Wraps by way of i64.
  Value wide = emitClampedInteger(builder, loc, x, 64, /*isUnsigned=*/false);
  if (width < 64)
    return arith::TruncIOp::create(builder, loc, integer, wide);
  if (!isUnsigned)
    return wide;
  Value isNegative = arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OLT, x, zero);
  Value positive = emitClampedInteger(builder, loc, x, 64, /*isUnsigned=*/true);
  return arith::SelectOp::create(builder, loc, isNegative, wide, positive);
}

static Value emitIntegerToInteger(OpBuilder &builder, Location loc, Value x, Type from, Type to,
                                  bool saturate) {
  auto target = cast<IntegerType>(getComputeType(to));
  unsigned fromWidth = x.getType().getIntOrFloatBitWidth(), width = target.getWidth();
  bool fromUnsigned = isUnsignedElement(from), toUnsigned = isUnsignedElement(to);
  if (saturate) {
    // Compare in a type that holds both ranges.
    auto wide = builder.getIntegerType(std::max(fromWidth, width) + 1);
    Value value = fromUnsigned ? Value(arith::ExtUIOp::create(builder, loc, wide, x))
                               : Value(arith::ExtSIOp::create(builder, loc, wide, x));
    llvm::APInt low = toUnsigned ? llvm::APInt::getMinValue(width).zext(wide.getWidth())
                                 : llvm::APInt::getSignedMinValue(width).sext(wide.getWidth());
    llvm::APInt high = toUnsigned ? llvm::APInt::getMaxValue(width).zext(wide.getWidth())
                                  : llvm::APInt::getSignedMaxValue(width).sext(wide.getWidth());
    auto number = [&](const llvm::APInt &bound) -> Value {
      return arith::ConstantOp::create(builder, loc, IntegerAttr::get(wide, bound));
    };
    value = arith::MaxSIOp::create(builder, loc, value, number(low));
    value = arith::MinSIOp::create(builder, loc, value, number(high));
    return arith::TruncIOp::create(builder, loc, target, value);
  }
  if (width == fromWidth)
    return x;
  if (width < fromWidth)
    return arith::TruncIOp::create(builder, loc, target, x);
  return fromUnsigned ? Value(arith::ExtUIOp::create(builder, loc, target, x))
                      : Value(arith::ExtSIOp::create(builder, loc, target, x));
}

static Value emitFloatToFloat(OpBuilder &builder, Location loc, Value x, Type to) {
  Type compute = getComputeType(to);
  // Round to the element type even where computation goes on in a wider one.
  if (to.getIntOrFloatBitWidth() < x.getType().getIntOrFloatBitWidth())
    x = arith::TruncFOp::create(builder, loc, to, x);
  if (x.getType() != compute)
    x = arith::ExtFOp::create(builder, loc, compute, x);
  return x;
}

Value lgc::emitCast(OpBuilder &builder, Location loc, Value x, Type from, Type to, bool saturate) {
  if (from == to)
    return x;
  if (to.isInteger(1))
    return ScalarMath(builder, loc, from)
        .compare(ComparePredicate::NE, x, ScalarMath(builder, loc, from).zero());
  if (isa<FloatType>(from))
    return isa<FloatType>(to) ? emitFloatToFloat(builder, loc, x, to)
                              : emitFloatToInteger(builder, loc, x, to, saturate);
  if (isa<IntegerType>(to))
    return emitIntegerToInteger(builder, loc, x, from, to, saturate);
  Type compute = getComputeType(to);
  Value number = isUnsignedElement(from) ? Value(arith::UIToFPOp::create(builder, loc, compute, x))
                                         : Value(arith::SIToFPOp::create(builder, loc, compute, x));
  return emitFloatToFloat(builder, loc, number, to);
}
