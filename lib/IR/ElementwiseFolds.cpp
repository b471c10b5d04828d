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

static RankedTensorType getTensor(Value value) { return cast<RankedTensorType>(value.getType()); }

static bool isFloat(Value value) { return isa<FloatType>(getTensor(value).getElementType()); }

static bool isUnsigned(Value value) { return isUnsignedElement(getTensor(value).getElementType()); }

/// Whether a constant is the same number everywhere.
static bool isSplat(Attribute operand, double number) {
  auto constant = dyn_cast_or_null<DenseElementsAttr>(operand);
  if (!constant || !constant.isSplat())
    return false;
  ConstantElement element = getElement(constant, 0);
  if (isa<FloatType>(constant.getElementType()))
    return element.number == number && std::signbit(element.number) == std::signbit(number);
  return element.bits == APInt(element.bits.getBitWidth(), static_cast<uint64_t>(number));
}

/// Whether each bit of each element is set.
static bool isAllOnes(Attribute operand) {
  auto constant = dyn_cast_or_null<DenseElementsAttr>(operand);
  return constant && constant.isSplat() && getElement(constant, 0).bits.isAllOnes();
}

//===----------------------------------------------------------------------===//
// One operand
//===----------------------------------------------------------------------===//

/// Functions of numbers fold on floating-point constants only.
static OpFoldResult foldFunction(Value result, Attribute constant, double (*function)(double)) {
  return foldElements(getTensor(result), constant, [&](ArrayRef<ConstantElement> x) {
    return ConstantElement{function(x[0].number), APInt()};
  });
}

#define LGC_FOLD_FUNCTION(OP, EXPRESSION)                                                          \
  OpFoldResult OP::fold(FoldAdaptor adaptor) {                                                     \
    return foldFunction(getResult(), adaptor.getOperand(),                                         \
                        [](double x) -> double { return EXPRESSION; });                            \
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
  return foldElements(
      getTensor(getResult()), adaptor.getOperand(),
      [](ArrayRef<ConstantElement> x) { return ConstantElement{-x[0].number, -x[0].bits}; });
}

OpFoldResult AbsOp::fold(FoldAdaptor adaptor) {
  bool hasNoSign = isUnsigned(getResult());
  return foldElements(
      getTensor(getResult()), adaptor.getOperand(), [&](ArrayRef<ConstantElement> x) {
        return ConstantElement{std::fabs(x[0].number), hasNoSign ? x[0].bits : x[0].bits.abs()};
      });
}

OpFoldResult SignOp::fold(FoldAdaptor adaptor) {
  bool hasNoSign = isUnsigned(getResult());
  return foldElements(
      getTensor(getResult()), adaptor.getOperand(), [&](ArrayRef<ConstantElement> x) {
        double number = x[0].number;
        APInt bits = x[0].bits;
        if (!bits.isZero())
          bits = !hasNoSign && bits.isNegative() ? APInt::getAllOnes(bits.getBitWidth())
                                                 : APInt(bits.getBitWidth(), 1);
        return ConstantElement{number > 0 ? 1.0 : number < 0 ? -1.0 : number, bits};
      });
}

OpFoldResult NotOp::fold(FoldAdaptor adaptor) {
  if (auto inner = getOperand().getDefiningOp<NotOp>())
    return inner.getOperand();
  return foldElements(getTensor(getResult()), adaptor.getOperand(),
                      [](ArrayRef<ConstantElement> x) { return ConstantElement{0.0, ~x[0].bits}; });
}

OpFoldResult IsNanOp::fold(FoldAdaptor adaptor) {
  return foldElements(getTensor(getResult()), adaptor.getOperand(),
                      [](ArrayRef<ConstantElement> x) {
                        return ConstantElement{0.0, APInt(1, std::isnan(x[0].number))};
                      });
}

OpFoldResult IsInfOp::fold(FoldAdaptor adaptor) {
  return foldElements(getTensor(getResult()), adaptor.getOperand(),
                      [&](ArrayRef<ConstantElement> x) {
                        bool wanted = x[0].number < 0 ? getDetectNegative() : getDetectPositive();
                        return ConstantElement{0.0, APInt(1, std::isinf(x[0].number) && wanted)};
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
  // Floating point keeps x + 0, which is 0 and not -0 for x = -0.
  double neutral = isFloat(getResult()) ? -0.0 : 0.0;
  if (isSplat(adaptor.getRhs(), neutral))
    return getLhs();
  if (isSplat(adaptor.getLhs(), neutral))
    return getRhs();
  return foldBinary(
      getTensor(getResult()), adaptor.getLhs(), adaptor.getRhs(),
      [](double x, double y) { return x + y; },
      [](const APInt &x, const APInt &y) { return x + y; });
}

OpFoldResult SubOp::fold(FoldAdaptor adaptor) {
  if (isSplat(adaptor.getRhs(), 0.0))
    return getLhs();
  return foldBinary(
      getTensor(getResult()), adaptor.getLhs(), adaptor.getRhs(),
      [](double x, double y) { return x - y; },
      [](const APInt &x, const APInt &y) { return x - y; });
}

OpFoldResult MulOp::fold(FoldAdaptor adaptor) {
  if (isSplat(adaptor.getRhs(), 1.0))
    return getLhs();
  if (isSplat(adaptor.getLhs(), 1.0))
    return getRhs();
  // NaN, infinity and -0 times 0 aren't 0: integers only.
  for (Attribute operand : {adaptor.getLhs(), adaptor.getRhs()})
    if (!isFloat(getResult()) && isSplat(operand, 0.0))
      return operand;
  return foldBinary(
      getTensor(getResult()), adaptor.getLhs(), adaptor.getRhs(),
      [](double x, double y) { return x * y; },
      [](const APInt &x, const APInt &y) { return x * y; });
}

OpFoldResult DivOp::fold(FoldAdaptor adaptor) {
  if (isSplat(adaptor.getRhs(), 1.0))
    return getLhs();
  bool hasNoSign = isUnsigned(getResult());
  return foldBinary(
      getTensor(getResult()), adaptor.getLhs(), adaptor.getRhs(),
      [](double x, double y) { return x / y; },
      [&](const APInt &x, const APInt &y) {
        if (y.isZero())
          return APInt(x.getBitWidth(), 0);
        return hasNoSign ? x.udiv(y) : x.sdiv(y);
      });
}

OpFoldResult RemOp::fold(FoldAdaptor adaptor) {
  bool hasNoSign = isUnsigned(getResult());
  return foldBinary(
      getTensor(getResult()), adaptor.getLhs(), adaptor.getRhs(),
      [](double x, double y) { return std::fmod(x, y); },
      [&](const APInt &x, const APInt &y) {
        if (y.isZero())
          return APInt(x.getBitWidth(), 0);
        return hasNoSign ? x.urem(y) : x.srem(y);
      });
}

/// As the scalar code does, through f64; none where that rounds.
static std::optional<APInt> powIntegers(const APInt &x, const APInt &y, bool hasNoSign) {
  double power = std::pow(x.roundToDouble(!hasNoSign), y.roundToDouble(!hasNoSign));
  constexpr double exact = 9007199254740992.0; // 2^53
  if (!(std::fabs(power) < exact))
    return std::nullopt;
  return APInt(64, static_cast<uint64_t>(static_cast<int64_t>(power))).sextOrTrunc(x.getBitWidth());
}

OpFoldResult PowOp::fold(FoldAdaptor adaptor) {
  if (isSplat(adaptor.getRhs(), 1.0))
    return getLhs();
  bool hasNoSign = isUnsigned(getResult());
  return foldBinary(
      getTensor(getResult()), adaptor.getLhs(), adaptor.getRhs(),
      [](double x, double y) { return std::pow(x, y); },
      [&](const APInt &x, const APInt &y) { return powIntegers(x, y, hasNoSign); });
}

OpFoldResult Atan2Op::fold(FoldAdaptor adaptor) {
  return foldBinary(
      getTensor(getResult()), adaptor.getLhs(), adaptor.getRhs(),
      [](double x, double y) { return std::atan2(x, y); },
      [](const APInt &, const APInt &) { return std::optional<APInt>(); });
}

/// NaN if either is; -0 counts as less than 0.
static double getLarger(double x, double y) {
  if (std::isnan(x) || x > y || (x == y && std::signbit(y)))
    return x;
  return y;
}

OpFoldResult MaxOp::fold(FoldAdaptor adaptor) {
  if (getLhs() == getRhs())
    return getLhs();
  bool hasNoSign = isUnsigned(getResult());
  return foldBinary(
      getTensor(getResult()), adaptor.getLhs(), adaptor.getRhs(), getLarger,
      [&](const APInt &x, const APInt &y) { return (hasNoSign ? x.ugt(y) : x.sgt(y)) ? x : y; });
}

OpFoldResult MinOp::fold(FoldAdaptor adaptor) {
  if (getLhs() == getRhs())
    return getLhs();
  bool hasNoSign = isUnsigned(getResult());
  return foldBinary(
      getTensor(getResult()), adaptor.getLhs(), adaptor.getRhs(),
      [](double x, double y) { return -getLarger(-x, -y); },
      [&](const APInt &x, const APInt &y) { return (hasNoSign ? x.ult(y) : x.slt(y)) ? x : y; });
}

/// Bitwise operations have integer operands only.
static OpFoldResult foldBits(Value result, Attribute lhs, Attribute rhs,
                             APInt (*function)(const APInt &, const APInt &)) {
  return foldBinary(
      getTensor(result), lhs, rhs, [](double, double) { return 0.0; },
      [&](const APInt &x, const APInt &y) { return function(x, y); });
}

OpFoldResult AndOp::fold(FoldAdaptor adaptor) {
  if (getLhs() == getRhs() || isAllOnes(adaptor.getRhs()))
    return getLhs();
  if (isAllOnes(adaptor.getLhs()))
    return getRhs();
  for (Attribute operand : {adaptor.getLhs(), adaptor.getRhs()})
    if (isSplat(operand, 0.0))
      return operand;
  return foldBits(getResult(), adaptor.getLhs(), adaptor.getRhs(),
                  [](const APInt &x, const APInt &y) { return x & y; });
}

OpFoldResult OrOp::fold(FoldAdaptor adaptor) {
  if (getLhs() == getRhs() || isSplat(adaptor.getRhs(), 0.0))
    return getLhs();
  if (isSplat(adaptor.getLhs(), 0.0))
    return getRhs();
  for (Attribute operand : {adaptor.getLhs(), adaptor.getRhs()})
    if (isAllOnes(operand))
      return operand;
  return foldBits(getResult(), adaptor.getLhs(), adaptor.getRhs(),
                  [](const APInt &x, const APInt &y) { return x | y; });
}

OpFoldResult XorOp::fold(FoldAdaptor adaptor) {
  if (isSplat(adaptor.getRhs(), 0.0))
    return getLhs();
  if (isSplat(adaptor.getLhs(), 0.0))
    return getRhs();
  return foldBits(getResult(), adaptor.getLhs(), adaptor.getRhs(),
                  [](const APInt &x, const APInt &y) { return x ^ y; });
}

OpFoldResult ShiftLeftOp::fold(FoldAdaptor adaptor) {
  return foldBits(getResult(), adaptor.getLhs(), adaptor.getRhs(),
                  [](const APInt &x, const APInt &y) { return x.shl(y); });
}

OpFoldResult ShiftRightOp::fold(FoldAdaptor adaptor) {
  bool hasNoSign = isUnsigned(getResult());
  return foldBinary(
      getTensor(getResult()), adaptor.getLhs(), adaptor.getRhs(),
      [](double, double) { return 0.0; },
      [&](const APInt &x, const APInt &y) { return hasNoSign ? x.lshr(y) : x.ashr(y); });
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
  Type element = getTensor(getLhs()).getElementType();
  return foldElements(getTensor(getResult()), {adaptor.getLhs(), adaptor.getRhs()},
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
  return foldElements(getTensor(getResult()),
                      {adaptor.getCondition(), adaptor.getOnTrue(), adaptor.getOnFalse()},
                      [](ArrayRef<ConstantElement> x) { return x[0].bits.isZero() ? x[2] : x[1]; });
}
