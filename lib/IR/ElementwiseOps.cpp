//===- ElementwiseOps.cpp - One element in, one element out ---------------===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "OperandCheck.h"
#include "ScalarMath.h"
#include "lgc/IR/LgcOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace lgc;

static Type getElementType(Value value) {
  return cast<RankedTensorType>(value.getType()).getElementType();
}

//===----------------------------------------------------------------------===//
// One operand
//===----------------------------------------------------------------------===//

/// Defines emitElement for an op of one operand; `x` is its scalar, `s` emits.
#define LGC_EMIT_UNARY(OP, EXPRESSION)                                                             \
  SmallVector<Value> OP::emitElement(OpBuilder &builder, ValueRange indices, ElementReader read) { \
    ScalarMath s(builder, getLoc(), getElementType(getOperand()));                                 \
    Value x = read(0, indices);                                                                    \
    return {EXPRESSION};                                                                           \
  }

LGC_EMIT_UNARY(NegOp, s.neg(x))
LGC_EMIT_UNARY(AbsOp, s.abs(x))
LGC_EMIT_UNARY(SignOp, s.sign(x))
LGC_EMIT_UNARY(ExpOp, s.unary<math::ExpOp>(x))
LGC_EMIT_UNARY(LogOp, s.unary<math::LogOp>(x))
LGC_EMIT_UNARY(Log1pOp, s.unary<math::Log1pOp>(x))
LGC_EMIT_UNARY(SqrtOp, s.unary<math::SqrtOp>(x))
LGC_EMIT_UNARY(RsqrtOp, s.div(s.constant(1.0), s.unary<math::SqrtOp>(x)))
LGC_EMIT_UNARY(SinOp, s.unary<math::SinOp>(x))
LGC_EMIT_UNARY(CosOp, s.unary<math::CosOp>(x))
LGC_EMIT_UNARY(TanOp, s.unary<math::TanOp>(x))
LGC_EMIT_UNARY(AsinOp, s.unary<math::AsinOp>(x))
LGC_EMIT_UNARY(AcosOp, s.unary<math::AcosOp>(x))
LGC_EMIT_UNARY(AtanOp, s.unary<math::AtanOp>(x))
LGC_EMIT_UNARY(SinhOp, s.unary<math::SinhOp>(x))
LGC_EMIT_UNARY(CoshOp, s.unary<math::CoshOp>(x))
LGC_EMIT_UNARY(TanhOp, s.unary<math::TanhOp>(x))
LGC_EMIT_UNARY(AsinhOp, s.unary<math::AsinhOp>(x))
LGC_EMIT_UNARY(AcoshOp, s.unary<math::AcoshOp>(x))
LGC_EMIT_UNARY(AtanhOp, s.unary<math::AtanhOp>(x))
LGC_EMIT_UNARY(ErfOp, s.unary<math::ErfOp>(x))
LGC_EMIT_UNARY(LogisticOp,
               s.div(s.constant(1.0), s.add(s.constant(1.0), s.unary<math::ExpOp>(s.neg(x)))))
LGC_EMIT_UNARY(CeilOp, s.unary<math::CeilOp>(x))
LGC_EMIT_UNARY(FloorOp, s.unary<math::FloorOp>(x))
LGC_EMIT_UNARY(RoundEvenOp, s.unary<math::RoundEvenOp>(x))
LGC_EMIT_UNARY(NotOp, s.bitNot(x))
LGC_EMIT_UNARY(IsNanOp, s.compare(ComparePredicate::NE, x, x))
#undef LGC_EMIT_UNARY

SmallVector<Value> IsInfOp::emitElement(OpBuilder &builder, ValueRange indices,
                                        ElementReader read) {
  ScalarMath s(builder, getLoc(), getElementType(getOperand()));
  Value x = read(0, indices);
  double infinity = std::numeric_limits<double>::infinity();
  Value result = arith::ConstantOp::create(builder, getLoc(), builder.getBoolAttr(false));
  if (getDetectPositive())
    result = arith::OrIOp::create(builder, getLoc(), result,
                                  s.compare(ComparePredicate::EQ, x, s.constant(infinity)));
  if (getDetectNegative())
    result = arith::OrIOp::create(builder, getLoc(), result,
                                  s.compare(ComparePredicate::EQ, x, s.constant(-infinity)));
  return {result};
}

SmallVector<Value> CastOp::emitElement(OpBuilder &builder, ValueRange indices, ElementReader read) {
  return {emitCast(builder, getLoc(), read(0, indices), getElementType(getOperand()),
                   getElementType(getResult()), getSaturate())};
}

SmallVector<Value> BitcastOp::emitElement(OpBuilder &builder, ValueRange indices,
                                          ElementReader read) {
  // Elements of 16-bit floating point come as f32: back to their own bits first.
  Value x = read(0, indices);
  auto getBits = [](Type type) {
    return isa<FloatType>(type) ? type
                                : IntegerType::get(type.getContext(), type.getIntOrFloatBitWidth());
  };
  Type from = getBits(getElementType(getOperand())), to = getBits(getElementType(getResult()));
  if (x.getType() != from)
    x = arith::TruncFOp::create(builder, getLoc(), from, x);
  if (from != to)
    x = arith::BitcastOp::create(builder, getLoc(), to, x);
  if (getComputeType(to) != to)
    x = arith::ExtFOp::create(builder, getLoc(), getComputeType(to), x);
  return {x};
}

LogicalResult BitcastOp::verify() {
  if (getElementType(getOperand()).getIntOrFloatBitWidth() !=
      getElementType(getResult()).getIntOrFloatBitWidth())
    return emitOpError("changes the width of its elements; use lgc.cast to convert them");
  return success();
}

//===----------------------------------------------------------------------===//
// Two operands
//===----------------------------------------------------------------------===//

#define LGC_EMIT_BINARY(OP, EXPRESSION)                                                            \
  SmallVector<Value> OP::emitElement(OpBuilder &builder, ValueRange indices, ElementReader read) { \
    ScalarMath s(builder, getLoc(), getElementType(getLhs()));                                     \
    Value x = read(0, indices), y = read(1, indices);                                              \
    return {EXPRESSION};                                                                           \
  }

LGC_EMIT_BINARY(AddOp, s.add(x, y))
LGC_EMIT_BINARY(SubOp, s.sub(x, y))
LGC_EMIT_BINARY(MulOp, s.mul(x, y))
LGC_EMIT_BINARY(DivOp, s.div(x, y))
LGC_EMIT_BINARY(RemOp, s.rem(x, y))
LGC_EMIT_BINARY(PowOp, s.pow(x, y))
LGC_EMIT_BINARY(Atan2Op, s.binary<math::Atan2Op>(x, y))
LGC_EMIT_BINARY(MaxOp, s.max(x, y))
LGC_EMIT_BINARY(MinOp, s.min(x, y))
LGC_EMIT_BINARY(AndOp, s.binary<arith::AndIOp>(x, y))
LGC_EMIT_BINARY(OrOp, s.binary<arith::OrIOp>(x, y))
LGC_EMIT_BINARY(XorOp, s.binary<arith::XOrIOp>(x, y))
LGC_EMIT_BINARY(ShiftLeftOp, s.shiftLeft(x, y))
LGC_EMIT_BINARY(ShiftRightOp, s.shiftRight(x, y))
LGC_EMIT_BINARY(CompareOp, s.compare(getPredicate(), x, y))
#undef LGC_EMIT_BINARY

SmallVector<Value> SelectOp::emitElement(OpBuilder &builder, ValueRange indices,
                                         ElementReader read) {
  return {arith::SelectOp::create(builder, getLoc(), read(0, indices), read(1, indices),
                                  read(2, indices))};
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

static LogicalResult inferBoolResult(std::optional<Location> loc, Value operand,
                                     SmallVectorImpl<Type> &types) {
  if (failed(checkOperands(loc, operand)))
    return failure();
  auto tensor = cast<RankedTensorType>(operand.getType());
  types.push_back(tensor.clone(IntegerType::get(tensor.getContext(), 1)));
  return success();
}

LogicalResult IsNanOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc, Adaptor adaptor,
                                        SmallVectorImpl<Type> &types) {
  return inferBoolResult(loc, adaptor.getOperand(), types);
}

LogicalResult IsInfOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc, Adaptor adaptor,
                                        SmallVectorImpl<Type> &types) {
  return inferBoolResult(loc, adaptor.getOperand(), types);
}

LogicalResult CompareOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc,
                                          Adaptor adaptor, SmallVectorImpl<Type> &types) {
  return inferBoolResult(loc, adaptor.getLhs(), types);
}
