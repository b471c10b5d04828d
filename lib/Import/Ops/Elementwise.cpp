//===- Elementwise.cpp - Arithmetic on elements ----------------------------===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "../NodeImporter.h"
#include "../TensorData.h"

using namespace mlir;
using namespace lgc;

template <typename OpTy> static void unary(NodeImporter &n) {
  n.setResult(n.unary<OpTy>(n.operand(0)));
}

template <typename OpTy> static void binary(NodeImporter &n) {
  Value lhs = n.operand(0), rhs = n.operand(1);
  n.setResult(n.binary<OpTy>(lhs, rhs));
}

/// An operation over any number of tensors, applied from the left.
template <typename OpTy> static Value fold(NodeImporter &n) {
  SmallVector<Value> operands = n.allOperands();
  if (operands.empty())
    return {};
  Value result = operands.front();
  for (Value operand : llvm::drop_begin(operands))
    result = n.binary<OpTy>(result, operand);
  return result;
}

template <typename OpTy> static void variadic(NodeImporter &n) { n.setResult(fold<OpTy>(n)); }

static void importMean(NodeImporter &n) {
  Value sum = fold<AddOp>(n);
  n.setResult(n.binary<DivOp>(sum, double(n.operandCount())));
}

static void importReciprocal(NodeImporter &n) {
  Value x = n.operand(0);
  n.setResult(n.div(n.like(x, 1.0), x));
}

/// The exponent may have another type than the base, which gives the result's.
static void importPow(NodeImporter &n) {
  Value base = n.operand(0), exponent = n.operand(1);
  if (!base || !exponent)
    return n.setResult(Value());
  Type element = TensorBuilder::elementOf(base);
  // A square is by far the most frequent power, and its gradient needs no logarithm.
  if (auto known = n.constantOf(exponent);
      known && known.isSplat() && known.getNumElements() == 1 && TensorBuilder::isFloat(base)) {
    auto power = n.constantNumber(1, "exponent");
    if (power && *power == 2.0) {
      auto shape = broadcastShape(TensorBuilder::shapeOf(base), known.getType().getShape());
      return n.setResult(n.broadcastTo(n.mul(base, base), *shape));
    }
  }
  if (!TensorBuilder::isFloat(base) && TensorBuilder::isFloat(exponent)) {
    Type wide = TensorBuilder::elementOf(exponent);
    Value power = n.binary<PowOp>(n.convert(base, wide), exponent);
    return n.setResult(n.convert(power, element));
  }
  n.setResult(n.binary<PowOp>(base, n.convert(exponent, element)));
}

/// Whether integers are divided by a 0 that is known now: in shape arithmetic, a fault of the
/// model.
static bool dividesByZero(NodeImporter &n, Value lhs, Value rhs) {
  DenseElementsAttr divisor = n.constantOf(rhs);
  if (!divisor || !n.constantOf(lhs) || !isa<IntegerType>(divisor.getElementType()))
    return false;
  bool hasZero = llvm::any_of(divisor.getValues<APInt>(), [](APInt x) { return x.isZero(); });
  if (hasZero)
    n.error("a size or another integer is divided by 0");
  return hasZero;
}

static void importDiv(NodeImporter &n) {
  Value lhs = n.operand(0), rhs = n.operand(1);
  if (lhs && rhs && !dividesByZero(n, lhs, rhs))
    n.setResult(n.div(lhs, rhs));
}

/// Without `fmod`, the remainder has the sign of the divisor.
static void importMod(NodeImporter &n) {
  Value lhs = n.operand(0), rhs = n.operand(1);
  if (!lhs || !rhs || dividesByZero(n, lhs, rhs) || !n.broadcastTogether(lhs, rhs))
    return n.setResult(Value());
  Value remainder = n.create<RemOp>({lhs, rhs});
  Type element = TensorBuilder::elementOf(lhs);
  if (n.intAttr("fmod", 0) || element.isUnsignedInteger())
    return n.setResult(remainder);
  Value zero = n.like(lhs, 0.0);
  Value isNegative = n.compare(ComparePredicate::LT, remainder, zero);
  Value divisorIsNegative = n.compare(ComparePredicate::LT, rhs, zero);
  Value differs = n.create<XorOp>({isNegative, divisorIsNegative});
  Value isWhole = n.compare(ComparePredicate::EQ, remainder, zero);
  Value corrected = n.select(differs, n.add(remainder, rhs), remainder);
  n.setResult(n.select(isWhole, remainder, corrected));
}

/// The bounds were attributes before opset 11. At a bound the gradient passes, as in PyTorch.
static void importClip(NodeImporter &n) {
  Value x = n.operand(0);
  if (!x)
    return n.setResult(Value());
  Value low = n.optionalOperand(1), high = n.optionalOperand(2);
  if (n.version < 11) {
    if (n.hasAttribute("min"))
      low = n.splat(n.floatAttr("min", 0), TensorBuilder::elementOf(x));
    if (n.hasAttribute("max"))
      high = n.splat(n.floatAttr("max", 0), TensorBuilder::elementOf(x));
  }
  ArrayRef<int64_t> shape = TensorBuilder::shapeOf(x);
  auto scalar = [&](Value bound) { return n.broadcastTo(n.reshape(bound, {}), shape); };
  if (low) {
    Value bound = scalar(low);
    x = n.select(n.compare(ComparePredicate::LT, x, bound), bound, x);
  }
  if (high) {
    Value bound = scalar(high);
    x = n.select(n.compare(ComparePredicate::GT, x, bound), bound, x);
  }
  n.setResult(x);
}

//===----------------------------------------------------------------------===//
// Conversions
//===----------------------------------------------------------------------===//

static void importCast(NodeImporter &n) {
  int64_t target = n.intAttr("to", 0);
  Type element = elementTypeOf(*n.builder.getContext(), int32_t(target));
  if (!element || target == onnx::TensorProto::INT4 || target == onnx::TensorProto::UINT4) {
    n.error("the element type " + onnxTypeName(int32_t(target)) + " isn't supported");
    return;
  }
  n.setResult(n.convert(n.operand(0), element));
}

static void importCastLike(NodeImporter &n) {
  Value like = n.operand(1);
  if (like)
    n.setResult(n.convert(n.operand(0), TensorBuilder::elementOf(like)));
}

static void importBitCast(NodeImporter &n) {
  Value x = n.operand(0);
  Type element = elementTypeOf(*n.builder.getContext(), int32_t(n.intAttr("to", 0)));
  if (!x || !element) {
    if (x)
      n.error("the element type isn't supported");
    return;
  }
  if (element.getIntOrFloatBitWidth() != TensorBuilder::elementOf(x).getIntOrFloatBitWidth()) {
    n.error("only types of the same width can stand for each other's bits");
    return;
  }
  n.setResult(n.createTyped<BitcastOp>(TensorBuilder::typeOf(x).clone(element), {x}));
}

void lgc::registerElementwiseOps(OpTable &table) {
  table["Abs"] = unary<AbsOp>;
  table["Neg"] = unary<NegOp>;
  table["Sign"] = unary<SignOp>;
  table["Ceil"] = unary<CeilOp>;
  table["Floor"] = unary<FloorOp>;
  table["Round"] = unary<RoundEvenOp>;
  table["Reciprocal"] = importReciprocal;
  table["Add"] = binary<AddOp>;
  table["Sub"] = binary<SubOp>;
  table["Mul"] = binary<MulOp>;
  table["Div"] = importDiv;
  table["Pow"] = importPow;
  table["Mod"] = importMod;
  table["Sum"] = variadic<AddOp>;
  table["Max"] = variadic<MaxOp>;
  table["Min"] = variadic<MinOp>;
  table["Mean"] = importMean;
  table["Clip"] = importClip;
  table["Cast"] = importCast;
  table["CastLike"] = importCastLike;
  table["BitCast"] = importBitCast;
}
