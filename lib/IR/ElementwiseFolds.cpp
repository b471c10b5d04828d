//===- ElementwiseFolds.cpp - Folding of elementwise operations -----------===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "ConstantEvaluator.h"
#include "lgc/IR/LgcOps.h"
#include "mlir/IR/Matchers.h"
#include <cmath>

using namespace mlir;
using namespace lgc;

using llvm::APInt;

static RankedTensorType getType(Value value) { return cast<RankedTensorType>(value.getType()); }

static bool isUnsignedElement(Type type) {
  return type.isUnsignedInteger() || type.isInteger(1);
}

/// Whether a constant is the same number everywhere.
static bool isSplat(Attribute operand, double number) {
  auto constant = dyn_cast_or_null<DenseElementsAttr>(operand);
  if (!constant || !constant.isSplat())
    return false;
  ConstantElement element = getElement(constant, 0);
  if (isa<FloatType>(constant.getElementType()))
    return element.number == number && !std::signbit(element.number);
  return element.bits == APInt(element.bits.getBitWidth(), static_cast<uint64_t>(number));
}

//===----------------------------------------------------------------------===//
// One operand
//===----------------------------------------------------------------------===//

/// Functions of numbers fold on floating-point constants only.
static OpFoldResult foldFunction(Value operand, Attribute constant, double (*function)(double)) {
  RankedTensorType type = getType(operand);
  if (!isa<FloatType>(type.getElementType()))
    return {};
  return foldElements(type, constant, [&](ArrayRef<ConstantElement> x) {
    return ConstantElement{function(x[0].number), APInt()};
  });
}

#define LGC_FOLD_FUNCTION(OP, EXPRESSION)                                                         \
  OpFoldResult OP::fold(FoldAdaptor adaptor) {                                                    \
    return foldFunction(getOperand(), adaptor.getOperand(),                                       \
                        [](double x) -> double { return EXPRESSION; });                           \
  }

LGC_FOLD_FUNCTION(ExpOp, std::exp(x))
LGC_FOLD_FUNCTION(LogOp, std::log(x))
LGC_FOLD_FUNCTION(Log1pOp, std::log1p(x))
LGC_FOLD_FUNCTION(SqrtOp, std::sqrt(x))
LGC_FOLD_FUNCTION(RsqrtOp, 1.0 / std::sqrt(x))
LGC_FOLD_FUNCTION(SinOp, std::sin(x))
LGC_FOLD_FUNCTION(CosOp, std::cos(x))
LGC_FOLD_FUNCTION(TanOp, std::tan(x))
LGC_FOLD_FUNCTION(AsinOp, std::asin(x))
LGC_FOLD_FUNCTION(AcosOp, std::acos(x))
LGC_FOLD_FUNCTION(AtanOp, std::atan(x))
LGC_FOLD_FUNCTION(SinhOp, std::sinh(x))
LGC_FOLD_FUNCTION(CoshOp, std::cosh(x))
LGC_FOLD_FUNCTION(TanhOp, std::tanh(x))
LGC_FOLD_FUNCTION(AsinhOp, std::asinh(x))
LGC_FOLD_FUNCTION(AcoshOp, std::acosh(x))
LGC_FOLD_FUNCTION(AtanhOp, std::atanh(x))
LGC_FOLD_FUNCTION(ErfOp, std::erf(x))
LGC_FOLD_FUNCTION(LogisticOp, 1.0 / (1.0 + std::exp(-x)))
LGC_FOLD_FUNCTION(CeilOp, std::ceil(x))
LGC_FOLD_FUNCTION(FloorOp, std::floor(x))
LGC_FOLD_FUNCTION(RoundEvenOp, std::nearbyint(x))
#undef LGC_FOLD_FUNCTION

OpFoldResult NegOp::fold(FoldAdaptor adaptor) {
  if (auto inner = getOperand().getDefiningOp<NegOp>())
    return inner.getOperand();
  return foldElements(cast<RankedTensorType>(getResult().getType()), adaptor.getOperand(), [](ArrayRef<ConstantElement> x) {
    return ConstantElement{-x[0].number, -x[0].bits};
  });
}

OpFoldResult AbsOp::fold(FoldAdaptor adaptor) {
  bool isUnsigned = isUnsignedElement(::getType(getResult()).getElementType());
  return foldElements(cast<RankedTensorType>(getResult().getType()), adaptor.getOperand(), [&](ArrayRef<ConstantElement> x) {
    return ConstantElement{std::fabs(x[0].number), isUnsigned ? x[0].bits : x[0].bits.abs()};
  });
}

OpFoldResult SignOp::fold(FoldAdaptor adaptor) {
  bool isUnsigned = isUnsignedElement(::getType(getResult()).getElementType());
  return foldElements(cast<RankedTensorType>(getResult().getType()), adaptor.getOperand(), [&](ArrayRef<ConstantElement> x) {
    double number = x[0].number;
    APInt bits = x[0].bits;
    if (!bits.isZero())
      bits = !isUnsigned && bits.isNegative() ? APInt::getAllOnes(bits.getBitWidth())
                                              : APInt(bits.getBitWidth(), 1);
    return ConstantElement{number > 0 ? 1.0 : number < 0 ? -1.0 : number, bits};
  });
}

OpFoldResult NotOp::fold(FoldAdaptor adaptor) {
  if (auto inner = getOperand().getDefiningOp<NotOp>())
    return inner.getOperand();
  return foldElements(cast<RankedTensorType>(getResult().getType()), adaptor.getOperand(), [](ArrayRef<ConstantElement> x) {
    return ConstantElement{0.0, ~x[0].bits};
  });
}

OpFoldResult CastOp::fold(FoldAdaptor adaptor) {
  if (getOperand().getType() == getType())
    return getOperand();
  Type from = ::getType(getOperand()).getElementType(), to = ::getType(getResult()).getElementType();
  return foldElements(
      cast<RankedTensorType>(getResult().getType()), adaptor.getOperand(),
      [&](ArrayRef<ConstantElement> x) -> std::optional<ConstantElement> {
        const ConstantElement &element = x[0];
        if (isa<FloatType>(from) && isa<FloatType>(to))
          return ConstantElement{element.number, APInt()};
        if (isa<FloatType>(to))
          return ConstantElement{element.bits.roundToDouble(!isUnsignedElement(from)), APInt()};
        unsigned width = to.getIntOrFloatBitWidth();
        if (to.isInteger(1))
          return ConstantElement{0.0, APInt(1, isa<FloatType>(from) ? element.number != 0.0
                                                                    : !element.bits.isZero())};
        if (isa<FloatType>(from)) {
          // Only what is in range whatever the type; the rest is left to the target.
          if (!(std::fabs(element.number) < std::ldexp(1.0, std::min(width, 63u) - 1)) ||
              (element.number < 0 && isUnsignedElement(to)))
            return std::nullopt;
          return ConstantElement{
              0.0, APInt(64, static_cast<int64_t>(element.number), true).sextOrTrunc(width)};
        }
        if (getSaturate())
          return std::nullopt;
        return ConstantElement{0.0, isUnsignedElement(from) ? element.bits.zextOrTrunc(width)
                                                            : element.bits.sextOrTrunc(width)};
      });
}

//===----------------------------------------------------------------------===//
// Two operands
//===----------------------------------------------------------------------===//

/// Folds with one function for floating point and one for integers.
static Attribute
foldBinary(RankedTensorType type, Attribute lhs, Attribute rhs,
           llvm::function_ref<double(double, double)> onNumbers,
           llvm::function_ref<std::optional<APInt>(const APInt &, const APInt &)> onBits) {
  bool isFloat = isa<FloatType>(type.getElementType());
  return foldElements(type, {lhs, rhs},
                      [&](ArrayRef<ConstantElement> x) -> std::optional<ConstantElement> {
                        if (isFloat)
                          return ConstantElement{onNumbers(x[0].number, x[1].number), APInt()};
                        std::optional<APInt> bits = onBits(x[0].bits, x[1].bits);
                        if (!bits)
                          return std::nullopt;
                        return ConstantElement{0.0, *bits};
                      });
}

OpFoldResult AddOp::fold(FoldAdaptor adaptor) {
  // For floating point, x + 0 is x but for -0, whose sign no loss depends on but which a
  // division might show: fold integers only.
  if (!isa<FloatType>(::getType(getResult()).getElementType()) && isSplat(adaptor.getRhs(), 0))
    return getLhs();
  return foldBinary(
      cast<RankedTensorType>(getResult().getType()), adaptor.getLhs(), adaptor.getRhs(), [](double x, double y) { return x + y; },
      [](const APInt &x, const APInt &y) { return x + y; });
}

OpFoldResult SubOp::fold(FoldAdaptor adaptor) {
  if (isSplat(adaptor.getRhs(), 0))
    return getLhs();
  return foldBinary(
      cast<RankedTensorType>(getResult().getType()), adaptor.getLhs(), adaptor.getRhs(), [](double x, double y) { return x - y; },
      [](const APInt &x, const APInt &y) { return x - y; });
}

OpFoldResult MulOp::fold(FoldAdaptor adaptor) {
  if (isSplat(adaptor.getRhs(), 1))
    return getLhs();
  if (isSplat(adaptor.getLhs(), 1))
    return getRhs();
  return foldBinary(
      cast<RankedTensorType>(getResult().getType()), adaptor.getLhs(), adaptor.getRhs(), [](double x, double y) { return x * y; },
      [](const APInt &x, const APInt &y) { return x * y; });
}

OpFoldResult DivOp::fold(FoldAdaptor adaptor) {
  if (isSplat(adaptor.getRhs(), 1))
    return getLhs();
  bool isUnsigned = isUnsignedElement(::getType(getResult()).getElementType());
  return foldBinary(
      cast<RankedTensorType>(getResult().getType()), adaptor.getLhs(), adaptor.getRhs(), [](double x, double y) { return x / y; },
      [&](const APInt &x, const APInt &y) {
        if (y.isZero())
          return APInt(x.getBitWidth(), 0);
        return isUnsigned ? x.udiv(y) : x.sdiv(y);
      });
}

OpFoldResult RemOp::fold(FoldAdaptor adaptor) {
  bool isUnsigned = isUnsignedElement(::getType(getResult()).getElementType());
  return foldBinary(
      cast<RankedTensorType>(getResult().getType()), adaptor.getLhs(), adaptor.getRhs(),
      [](double x, double y) { return std::fmod(x, y); },
      [&](const APInt &x, const APInt &y) {
        if (y.isZero())
          return APInt(x.getBitWidth(), 0);
        return isUnsigned ? x.urem(y) : x.srem(y);
      });
}

OpFoldResult PowOp::fold(FoldAdaptor adaptor) {
  if (isSplat(adaptor.getRhs(), 1))
    return getLhs();
  return foldBinary(
      cast<RankedTensorType>(getResult().getType()), adaptor.getLhs(), adaptor.getRhs(),
      [](double x, double y) { return std::pow(x, y); },
      [](const APInt &, const APInt &) { return std::optional<APInt>(); });
}

OpFoldResult Atan2Op::fold(FoldAdaptor adaptor) {
  return foldBinary(
      cast<RankedTensorType>(getResult().getType()), adaptor.getLhs(), adaptor.getRhs(),
      [](double x, double y) { return std::atan2(x, y); },
      [](const APInt &, const APInt &) { return std::optional<APInt>(); });
}

OpFoldResult MaxOp::fold(FoldAdaptor adaptor) {
  bool isUnsigned = isUnsignedElement(::getType(getResult()).getElementType());
  return foldBinary(
      cast<RankedTensorType>(getResult().getType()), adaptor.getLhs(), adaptor.getRhs(),
      [](double x, double y) { return std::isnan(x) || x > y ? x : y; },
      [&](const APInt &x, const APInt &y) { return (isUnsigned ? x.ugt(y) : x.sgt(y)) ? x : y; });
}

OpFoldResult MinOp::fold(FoldAdaptor adaptor) {
  bool isUnsigned = isUnsignedElement(::getType(getResult()).getElementType());
  return foldBinary(
      cast<RankedTensorType>(getResult().getType()), adaptor.getLhs(), adaptor.getRhs(),
      [](double x, double y) { return std::isnan(x) || x < y ? x : y; },
      [&](const APInt &x, const APInt &y) { return (isUnsigned ? x.ult(y) : x.slt(y)) ? x : y; });
}

/// Bitwise operations have integer operands only.
#define LGC_FOLD_BITS(OP, EXPRESSION)                                                             \
  OpFoldResult OP::fold(FoldAdaptor adaptor) {                                                    \
    return foldBinary(                                                                            \
        cast<RankedTensorType>(getResult().getType()), adaptor.getLhs(), adaptor.getRhs(), [](double, double) { return 0.0; },        \
        [](const APInt &x, const APInt &y) { return EXPRESSION; });                               \
  }

LGC_FOLD_BITS(AndOp, x & y)
LGC_FOLD_BITS(OrOp, x | y)
LGC_FOLD_BITS(XorOp, x ^ y)
LGC_FOLD_BITS(ShiftLeftOp, x.shl(y))
#undef LGC_FOLD_BITS

OpFoldResult ShiftRightOp::fold(FoldAdaptor adaptor) {
  bool isUnsigned = isUnsignedElement(::getType(getResult()).getElementType());
  return foldBinary(
      cast<RankedTensorType>(getResult().getType()), adaptor.getLhs(), adaptor.getRhs(), [](double, double) { return 0.0; },
      [&](const APInt &x, const APInt &y) { return isUnsigned ? x.lshr(y) : x.ashr(y); });
}

template <typename T>
static bool compareNumbers(ComparePredicate predicate, const T &x, const T &y) {
  switch (predicate) {
  case ComparePredicate::EQ:
    return x == y;
  case ComparePredicate::NE:
    return x != y;
  case ComparePredicate::LT:
    return x < y;
  case ComparePredicate::LE:
    return x <= y;
  case ComparePredicate::GT:
    return x > y;
  case ComparePredicate::GE:
    return x >= y;
  }
  return false;
}

OpFoldResult CompareOp::fold(FoldAdaptor adaptor) {
  Type element = ::getType(getLhs()).getElementType();
  return foldElements(
      ::getType(getResult()), {adaptor.getLhs(), adaptor.getRhs()},
      [&](ArrayRef<ConstantElement> x) {
        bool result;
        if (isa<FloatType>(element))
          result = compareNumbers(getPredicate(), x[0].number, x[1].number);
        else if (isUnsignedElement(element))
          result = compareNumbers(getPredicate(), x[0].bits.getZExtValue(),
                                  x[1].bits.getZExtValue());
        else
          result = compareNumbers(getPredicate(), x[0].bits.getSExtValue(),
                                  x[1].bits.getSExtValue());
        return ConstantElement{0.0, APInt(1, result)};
      });
}

OpFoldResult SelectOp::fold(FoldAdaptor adaptor) {
  if (getOnTrue() == getOnFalse())
    return getOnTrue();
  if (auto condition = dyn_cast_or_null<DenseElementsAttr>(adaptor.getCondition()))
    if (condition.isSplat())
      return condition.getSplatValue<bool>() ? getOnTrue() : getOnFalse();
  return foldElements(::getType(getResult()),
                      {adaptor.getCondition(), adaptor.getOnTrue(), adaptor.getOnFalse()},
                      [](ArrayRef<ConstantElement> x) { return x[0].bits.isZero() ? x[2] : x[1]; });
}
