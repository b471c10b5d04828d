//===- CastFolds.cpp - Folding of conversions -----------------------------===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "ConstantEvaluator.h"
#include "lgc/IR/LgcOps.h"
#include "llvm/ADT/APSInt.h"

using namespace mlir;
using namespace lgc;

using llvm::APFloat;
using llvm::APInt;
using llvm::APSInt;

static RankedTensorType getTensor(Value value) { return cast<RankedTensorType>(value.getType()); }

/// Whether each value of one element type is a value of the other.
static bool isLossless(Type from, Type to) {
  auto fromFloat = dyn_cast<FloatType>(from), toFloat = dyn_cast<FloatType>(to);
  if (fromFloat && toFloat) {
    const llvm::fltSemantics &x = fromFloat.getFloatSemantics(), &y = toFloat.getFloatSemantics();
    return APFloat::semanticsPrecision(x) <= APFloat::semanticsPrecision(y) &&
           APFloat::semanticsMaxExponent(x) <= APFloat::semanticsMaxExponent(y) &&
           APFloat::semanticsMinExponent(x) >= APFloat::semanticsMinExponent(y);
  }
  if (fromFloat || to.isInteger(1))
    return from == to;
  unsigned bits = from.getIntOrFloatBitWidth() - !isUnsignedElement(from);
  if (toFloat)
    return bits <= toFloat.getFPMantissaWidth() &&
           bits <=
               static_cast<unsigned>(APFloat::semanticsMaxExponent(toFloat.getFloatSemantics()));
  if (isUnsignedElement(to) && !isUnsignedElement(from))
    return false;
  return bits <= to.getIntOrFloatBitWidth() - !isUnsignedElement(to);
}

/// Truncates towards zero and clamps to the range; NaN becomes 0.
static APInt truncateToInteger(double number, unsigned width, bool isUnsigned) {
  APSInt result(width, isUnsigned);
  bool isExact;
  APFloat(number).convertToInteger(result, APFloat::rmTowardZero, &isExact);
  return result;
}

static APInt convertToInteger(double number, Type to, bool saturate) {
  unsigned width = to.getIntOrFloatBitWidth();
  if (saturate)
    return truncateToInteger(number, width, isUnsignedElement(to));
  bool isUnsigned = width == 64 && isUnsignedElement(to) && !(number < 0);
  return truncateToInteger(number, 64, isUnsigned).trunc(width);
}

static APInt clampInteger(const APInt &value, Type from, Type to) {
  unsigned width = to.getIntOrFloatBitWidth();
  unsigned wide = std::max(value.getBitWidth(), width) + 1;
  APInt x = isUnsignedElement(from) ? value.zext(wide) : value.sext(wide);
  bool isUnsigned = isUnsignedElement(to);
  APInt low = isUnsigned ? APInt(wide, 0) : APInt::getSignedMinValue(width).sext(wide);
  APInt high = isUnsigned ? APInt::getMaxValue(width).zext(wide)
                          : APInt::getSignedMaxValue(width).sext(wide);
  return (x.slt(low) ? low : x.sgt(high) ? high : x).trunc(width);
}

/// What `lgc.cast` makes of an element; the scalar code does the same.
static ConstantElement convert(const ConstantElement &element, Type from, Type to, bool saturate) {
  bool fromFloat = isa<FloatType>(from);
  if (isa<FloatType>(to))
    return {fromFloat ? element.number : element.bits.roundToDouble(!isUnsignedElement(from)),
            APInt()};
  if (to.isInteger(1))
    return {0.0, APInt(1, fromFloat ? element.number != 0.0 : !element.bits.isZero())};
  if (fromFloat)
    return {0.0, convertToInteger(element.number, to, saturate)};
  if (saturate)
    return {0.0, clampInteger(element.bits, from, to)};
  unsigned width = to.getIntOrFloatBitWidth();
  return {0.0, isUnsignedElement(from) ? element.bits.zextOrTrunc(width)
                                       : element.bits.sextOrTrunc(width)};
}

OpFoldResult CastOp::fold(FoldAdaptor adaptor) {
  if (getOperand().getType() == getResult().getType())
    return getOperand();
  Type from = getTensor(getOperand()).getElementType(),
       to = getTensor(getResult()).getElementType();
  if (auto inner = getOperand().getDefiningOp<CastOp>()) {
    if (isLossless(getTensor(inner.getOperand()).getElementType(), from)) {
      if (inner.getOperand().getType() == getResult().getType())
        return inner.getOperand();
      getOperandMutable().assign(inner.getOperand());
      return getResult();
    }
  }
  return foldElements(
      getTensor(getResult()), adaptor.getOperand(),
      [&](ArrayRef<ConstantElement> x) { return convert(x[0], from, to, getSaturate()); });
}

OpFoldResult BitcastOp::fold(FoldAdaptor adaptor) {
  if (getOperand().getType() == getResult().getType())
    return getOperand();
  if (auto constant = dyn_cast_or_null<DenseElementsAttr>(adaptor.getOperand()))
    return constant.bitcast(getTensor(getResult()).getElementType());
  return {};
}
