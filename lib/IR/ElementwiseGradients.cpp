//===- ElementwiseGradients.cpp - Gradients of elementwise operations ------ ===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "lgc/IR/LgcOps.h"
#include "lgc/IR/TensorMath.h"
#include <cmath>

using namespace mlir;
using namespace lgc;

using llvm::BitVector;

static RankedTensorType getType(Value value) { return cast<RankedTensorType>(value.getType()); }

//===----------------------------------------------------------------------===//
// One operand
//===----------------------------------------------------------------------===//

/// Defines the gradient of an op of one operand: `x` is the operand, `y` the result, `d` the
/// result's gradient, `t` builds.
#define LGC_UNARY_GRADIENT(OP, EXPRESSION)                                                         \
  SmallVector<Value> OP::buildGradient(OpBuilder &builder, ValueRange resultGradients,             \
                                       const BitVector &) {                                        \
    TensorMath t(builder, getLoc());                                                               \
    [[maybe_unused]] Value x = getOperand(), y = getResult(), d = resultGradients[0];              \
    return {EXPRESSION};                                                                           \
  }

LGC_UNARY_GRADIENT(NegOp, t.neg(d))
LGC_UNARY_GRADIENT(AbsOp, t.mul(d, SignOp::create(builder, getLoc(), x)))
LGC_UNARY_GRADIENT(ExpOp, t.mul(d, y))
LGC_UNARY_GRADIENT(LogOp, t.div(d, x))
LGC_UNARY_GRADIENT(Log1pOp, t.div(d, t.add(x, 1.0)))
LGC_UNARY_GRADIENT(SqrtOp, t.div(t.mul(d, 0.5), y))
LGC_UNARY_GRADIENT(RsqrtOp, t.mul(t.mul(d, -0.5), t.div(y, x)))
LGC_UNARY_GRADIENT(SinOp, t.mul(d, CosOp::create(builder, getLoc(), x)))
LGC_UNARY_GRADIENT(CosOp, t.neg(t.mul(d, SinOp::create(builder, getLoc(), x))))
LGC_UNARY_GRADIENT(TanOp, t.mul(d, t.add(t.mul(y, y), 1.0)))
LGC_UNARY_GRADIENT(AsinOp, t.mul(d, t.rsqrt(t.sub(1.0, t.mul(x, x)))))
LGC_UNARY_GRADIENT(AcosOp, t.neg(t.mul(d, t.rsqrt(t.sub(1.0, t.mul(x, x))))))
LGC_UNARY_GRADIENT(AtanOp, t.div(d, t.add(t.mul(x, x), 1.0)))
LGC_UNARY_GRADIENT(SinhOp, t.mul(d, CoshOp::create(builder, getLoc(), x)))
LGC_UNARY_GRADIENT(CoshOp, t.mul(d, SinhOp::create(builder, getLoc(), x)))
LGC_UNARY_GRADIENT(TanhOp, t.mul(d, t.sub(1.0, t.mul(y, y))))
LGC_UNARY_GRADIENT(AsinhOp, t.mul(d, t.rsqrt(t.add(t.mul(x, x), 1.0))))
LGC_UNARY_GRADIENT(AcoshOp, t.mul(d, t.rsqrt(t.add(t.mul(x, x), -1.0))))
LGC_UNARY_GRADIENT(AtanhOp, t.div(d, t.sub(1.0, t.mul(x, x))))
LGC_UNARY_GRADIENT(ErfOp, t.mul(t.mul(d, 2.0 / std::sqrt(M_PI)), t.exp(t.neg(t.mul(x, x)))))
LGC_UNARY_GRADIENT(LogisticOp, t.mul(d, t.mul(y, t.sub(1.0, y))))
#undef LGC_UNARY_GRADIENT

SmallVector<Value> CastOp::buildGradient(OpBuilder &builder, ValueRange resultGradients,
                                         const BitVector &) {
  Type from = ::getType(getOperand()).getElementType();
  if (!isa<FloatType>(from) || !isa<FloatType>(::getType(getResult()).getElementType()))
    return {Value()};
  return {TensorMath(builder, getLoc()).cast(resultGradients[0], from)};
}

//===----------------------------------------------------------------------===//
// Two operands
//===----------------------------------------------------------------------===//

/// Defines the gradients of an op of two operands `x` and `y` with result `z`; each expression is
/// built only where it is wanted.
#define LGC_BINARY_GRADIENT(OP, LHS, RHS)                                                          \
  SmallVector<Value> OP::buildGradient(OpBuilder &builder, ValueRange resultGradients,             \
                                       const BitVector &wanted) {                                  \
    TensorMath t(builder, getLoc());                                                               \
    [[maybe_unused]] Value x = getLhs(), y = getRhs(), z = getResult(), d = resultGradients[0];    \
    return {wanted[0] ? Value(LHS) : Value(), wanted[1] ? Value(RHS) : Value()};                   \
  }

/// The part of the gradient that the chosen operand of a maximum or minimum gets.
static Value getChosen(TensorMath &t, ComparePredicate wins, Value x, Value y, Value d) {
  Value zero = t.zerosLike(d);
  Value tied = t.select(t.compare(ComparePredicate::EQ, x, y), t.mul(d, 0.5), zero);
  return t.select(t.compare(wins, x, y), d, tied);
}

/// y x^(y - 1), 0 where y is 0 (also at x = 0).
static Value getPowerGradient(TensorMath &t, Value x, Value y, Value d) {
  Value power = t.mul(y, t.pow(x, t.add(y, -1.0)));
  Value isZero = t.compare(ComparePredicate::EQ, y, t.zerosLike(y));
  return t.mul(d, t.select(isZero, t.zerosLike(y), power));
}

/// x^y log(x), 0 where x is 0 and the power is too.
static Value getExponentGradient(TensorMath &t, Value x, Value y, Value z, Value d) {
  Value isZero = t.compare(ComparePredicate::EQ, x, t.zerosLike(x));
  Value safe = t.select(isZero, t.splatLike(x, 1.0), x);
  return t.mul(d, t.mul(z, t.log(safe)));
}

LGC_BINARY_GRADIENT(AddOp, d, d)
LGC_BINARY_GRADIENT(SubOp, d, t.neg(d))
LGC_BINARY_GRADIENT(MulOp, t.mul(d, y), t.mul(d, x))
LGC_BINARY_GRADIENT(DivOp, t.div(d, y), t.neg(t.div(t.mul(d, z), y)))
LGC_BINARY_GRADIENT(PowOp, getPowerGradient(t, x, y, d), getExponentGradient(t, x, y, z, d))
LGC_BINARY_GRADIENT(Atan2Op, t.div(t.mul(d, y), t.add(t.mul(x, x), t.mul(y, y))),
                    t.neg(t.div(t.mul(d, x), t.add(t.mul(x, x), t.mul(y, y)))))
LGC_BINARY_GRADIENT(MaxOp, getChosen(t, ComparePredicate::GT, x, y, d),
                    getChosen(t, ComparePredicate::GT, y, x, d))
LGC_BINARY_GRADIENT(MinOp, getChosen(t, ComparePredicate::LT, x, y, d),
                    getChosen(t, ComparePredicate::LT, y, x, d))
// x - truncate(x / y) y; the truncated quotient is (x - z) / y.
LGC_BINARY_GRADIENT(RemOp, d, t.neg(t.mul(d, t.div(t.sub(x, z), y))))
#undef LGC_BINARY_GRADIENT

SmallVector<Value> SelectOp::buildGradient(OpBuilder &builder, ValueRange resultGradients,
                                           const BitVector &wanted) {
  TensorMath t(builder, getLoc());
  Value d = resultGradients[0], zero = t.zerosLike(d);
  return {Value(), wanted[1] ? t.select(getCondition(), d, zero) : Value(),
          wanted[2] ? t.select(getCondition(), zero, d) : Value()};
}
