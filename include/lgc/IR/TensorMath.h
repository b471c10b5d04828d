//===- TensorMath.h - Shorthand for building tensor code --------*- C++ -*-===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//
//
// Decompositions and gradients are formulas; this makes them read like ones.
//
//===----------------------------------------------------------------------===//

#ifndef LGC_IR_TENSORMATH_H
#define LGC_IR_TENSORMATH_H

#include "lgc/IR/LgcOps.h"
#include "mlir/IR/Builders.h"

namespace lgc {

/// Builds ops of the dialect at a builder's insertion point. Where a formula has a number, it is
/// a splat of the other operand's type.
class TensorMath {
public:
  TensorMath(mlir::OpBuilder &builder, mlir::Location loc) : builder(builder), loc(loc) {}

  using Value = mlir::Value;

  Value splat(mlir::RankedTensorType type, double number);
  Value splatLike(Value like, double number) { return splat(getType(like), number); }
  Value zerosLike(Value like) { return splatLike(like, 0.0); }

  Value neg(Value x) { return NegOp::create(builder, loc, x); }
  Value abs(Value x) { return AbsOp::create(builder, loc, x); }
  Value exp(Value x) { return ExpOp::create(builder, loc, x); }
  Value log(Value x) { return LogOp::create(builder, loc, x); }
  Value sqrt(Value x) { return SqrtOp::create(builder, loc, x); }
  Value rsqrt(Value x) { return RsqrtOp::create(builder, loc, x); }
  Value add(Value x, Value y) { return AddOp::create(builder, loc, x, y); }
  Value sub(Value x, Value y) { return SubOp::create(builder, loc, x, y); }
  Value mul(Value x, Value y) { return MulOp::create(builder, loc, x, y); }
  Value div(Value x, Value y) { return DivOp::create(builder, loc, x, y); }
  Value pow(Value x, Value y) { return PowOp::create(builder, loc, x, y); }
  Value add(Value x, double y) { return add(x, splatLike(x, y)); }
  Value sub(double x, Value y) { return sub(splatLike(y, x), y); }
  Value mul(Value x, double y) { return mul(x, splatLike(x, y)); }
  Value div(double x, Value y) { return div(splatLike(y, x), y); }
  Value compare(ComparePredicate predicate, Value x, Value y) {
    return CompareOp::create(builder, loc, predicate, x, y);
  }
  Value select(Value condition, Value x, Value y) {
    return SelectOp::create(builder, loc, condition, x, y);
  }
  /// The value itself if it has the element type already.
  Value cast(Value x, mlir::Type element);

  Value reduce(ReductionKind kind, Value x, llvm::ArrayRef<int64_t> dims) {
    return ReduceOp::create(builder, loc, kind, x, dims);
  }
  Value sum(Value x, llvm::ArrayRef<int64_t> dims) { return reduce(ReductionKind::Sum, x, dims); }
  /// The sum divided by the number of elements.
  Value mean(Value x, llvm::ArrayRef<int64_t> dims);
  /// Repeats the result of a reduction over `dims` to the shape of `like`.
  Value restore(Value reduced, Value like, llvm::ArrayRef<int64_t> dims);
  /// Repeats x to the shape of `like` as NumPy does: dimensions align at the end.
  Value broadcastTo(Value x, Value like);
  /// The value itself if it has the shape already.
  Value reshape(Value x, llvm::ArrayRef<int64_t> shape);
  Value transpose(Value x, llvm::ArrayRef<int64_t> permutation) {
    return TransposeOp::create(builder, loc, x, permutation);
  }

private:
  static mlir::RankedTensorType getType(Value x) {
    return mlir::cast<mlir::RankedTensorType>(x.getType());
  }

  mlir::OpBuilder &builder;
  mlir::Location loc;
};

/// The scores of an attention before softmax: scaled, biased, masked.
mlir::Value emitAttentionScores(mlir::OpBuilder &builder, AttentionOp op);

} // namespace lgc

#endif // LGC_IR_TENSORMATH_H
