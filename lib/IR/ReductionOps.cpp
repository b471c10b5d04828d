//===- ReductionOps.cpp - Reductions and scans ----------------------------===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "ConstantEvaluator.h"
#include "KernelBuffers.h"
#include "OperandCheck.h"
#include "ReductionKinds.h"
#include "ScalarMath.h"
#include "lgc/IR/LgcOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace lgc;

static RankedTensorType getType(Value value) { return cast<RankedTensorType>(value.getType()); }

//===----------------------------------------------------------------------===//
// ReduceOp
//===----------------------------------------------------------------------===//

LogicalResult ReduceOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc,
                                         Adaptor adaptor, SmallVectorImpl<Type> &types) {
  if (failed(checkOperands(loc, adaptor.getOperands())))
    return failure();
  RankedTensorType operand = ::getType(adaptor.getOperand());
  if (failed(checkDims(loc, "reduces", adaptor.getDims(), operand.getRank())))
    return failure();
  SmallVector<int64_t> shape;
  for (int64_t dim = 0; dim < operand.getRank(); ++dim)
    if (!llvm::is_contained(adaptor.getDims(), dim))
      shape.push_back(operand.getDimSize(dim));
  types.push_back(operand.clone(shape));
  return success();
}

LogicalResult ReduceOp::verify() {
  if (!isDefined(getKind(), ::getType(getResult()).getElementType()))
    return emitOpError("reduces elements by a kind that their type doesn't have; use and or or "
                       "for bits, the others for numbers");
  return success();
}

OpFoldResult ReduceOp::fold(FoldAdaptor adaptor) {
  if (getDims().empty())
    return getOperand();
  auto constant = dyn_cast_or_null<DenseElementsAttr>(adaptor.getOperand());
  RankedTensorType from = ::getType(getOperand()), to = ::getType(getResult());
  if (!constant || !isa<IntegerType>(from.getElementType()) ||
      from.getNumElements() > maxFoldedElements || from.getNumElements() == 0)
    return {};
  bool isUnsigned = isUnsignedElement(from.getElementType());
  auto reduce = [&](const llvm::APInt &x, const llvm::APInt &y) {
    switch (getKind()) {
    case ReductionKind::Sum:
      return x + y;
    case ReductionKind::Product:
      return x * y;
    case ReductionKind::Max:
      return (isUnsigned ? x.ugt(y) : x.sgt(y)) ? x : y;
    case ReductionKind::Min:
      return (isUnsigned ? x.ult(y) : x.slt(y)) ? x : y;
    case ReductionKind::And:
      return x & y;
    case ReductionKind::Or:
      return x | y;
    }
    return x;
  };
  SmallVector<std::optional<llvm::APInt>> results(to.getNumElements());
  for (int64_t i = 0, e = from.getNumElements(); i < e; ++i) {
    int64_t rest = i, at = 0, stride = 1;
    for (int64_t dim = from.getRank() - 1; dim >= 0; --dim) {
      if (!llvm::is_contained(getDims(), dim)) {
        at += stride * (rest % from.getDimSize(dim));
        stride *= from.getDimSize(dim);
      }
      rest /= from.getDimSize(dim);
    }
    llvm::APInt bits = getElement(constant, i).bits;
    results[at] = results[at] ? reduce(*results[at], bits) : bits;
  }
  SmallVector<Attribute> elements;
  for (const std::optional<llvm::APInt> &result : results)
    elements.push_back(IntegerAttr::get(to.getElementType(), *result));
  return DenseElementsAttr::get(to, elements);
}

SmallVector<int64_t> ReduceOp::getReductionShape() {
  SmallVector<int64_t> shape;
  for (int64_t dim : getDims())
    shape.push_back(::getType(getOperand()).getDimSize(dim));
  return shape;
}

SmallVector<Value> ReduceOp::emitElement(OpBuilder &, ValueRange indices, ElementReader read) {
  SmallVector<Value> source;
  size_t kept = 0, reduced = ::getType(getResult()).getRank();
  for (int64_t dim = 0; dim < ::getType(getOperand()).getRank(); ++dim)
    source.push_back(indices[llvm::is_contained(getDims(), dim) ? reduced++ : kept++]);
  return {read(0, source)};
}

SmallVector<Value> ReduceOp::emitInit(OpBuilder &builder) {
  ScalarMath s(builder, getLoc(), ::getType(getResult()).getElementType());
  return {emitNeutral(s, getKind())};
}

SmallVector<Value> ReduceOp::emitCombine(OpBuilder &builder, ValueRange accumulators,
                                         ValueRange elements) {
  ScalarMath s(builder, getLoc(), ::getType(getResult()).getElementType());
  return {emitReduced(s, getKind(), accumulators[0], elements[0])};
}

//===----------------------------------------------------------------------===//
// ArgReduceOp
//===----------------------------------------------------------------------===//

LogicalResult ArgReduceOp::inferReturnTypes(MLIRContext *context, std::optional<Location> loc,
                                            Adaptor adaptor, SmallVectorImpl<Type> &types) {
  if (failed(checkOperands(loc, adaptor.getOperands())))
    return failure();
  RankedTensorType operand = ::getType(adaptor.getOperand());
  int64_t dim = adaptor.getDim();
  if (failed(checkDim(loc, "searches", dim, operand.getRank())))
    return failure();
  SmallVector<int64_t> shape(operand.getShape());
  shape.erase(shape.begin() + dim);
  types.push_back(operand.clone(shape));
  types.push_back(RankedTensorType::get(shape, IntegerType::get(context, 64)));
  return success();
}

LogicalResult ArgReduceOp::verify() {
  if (getKind() != ReductionKind::Max && getKind() != ReductionKind::Min)
    return emitOpError("searches by a kind without an index; use max or min");
  return success();
}

SmallVector<int64_t> ArgReduceOp::getReductionShape() {
  return {::getType(getOperand()).getDimSize(getDim())};
}

SmallVector<Value> ArgReduceOp::emitElement(OpBuilder &builder, ValueRange indices,
                                            ElementReader read) {
  SmallVector<Value> source(indices.drop_back());
  source.insert(source.begin() + getDim(), indices.back());
  Value index = arith::IndexCastOp::create(builder, getLoc(), builder.getI64Type(), indices.back());
  return {read(0, source), index};
}

SmallVector<Value> ArgReduceOp::emitInit(OpBuilder &builder) {
  ScalarMath s(builder, getLoc(), ::getType(getValue()).getElementType());
  Value none = arith::ConstantOp::create(builder, getLoc(), builder.getI64IntegerAttr(-1));
  return {emitNeutral(s, getKind()), none};
}

SmallVector<Value> ArgReduceOp::emitCombine(OpBuilder &builder, ValueRange accumulators,
                                            ValueRange elements) {
  Location loc = getLoc();
  Type element = ::getType(getValue()).getElementType();
  ScalarMath s(builder, loc, element);
  bool isMax = getKind() == ReductionKind::Max;
  ComparePredicate strict = isMax ? ComparePredicate::GT : ComparePredicate::LT;
  ComparePredicate loose = isMax ? ComparePredicate::GE : ComparePredicate::LE;
  Value takes = s.compare(getLast() ? loose : strict, elements[0], accumulators[0]);
  // The first element is taken whatever it is; NaN beats numbers, and the first NaN stays.
  Value none = arith::ConstantOp::create(builder, loc, builder.getI64IntegerAttr(-1));
  Value isFirst =
      arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, accumulators[1], none);
  takes = arith::OrIOp::create(builder, loc, takes, isFirst);
  if (isa<FloatType>(element)) {
    Value isNan = s.compare(ComparePredicate::NE, elements[0], elements[0]);
    Value wasNumber = s.compare(ComparePredicate::EQ, accumulators[0], accumulators[0]);
    Value beats = arith::AndIOp::create(builder, loc, isNan, wasNumber);
    takes = arith::OrIOp::create(builder, loc, takes, beats);
  }
  return {arith::SelectOp::create(builder, loc, takes, elements[0], accumulators[0]),
          arith::SelectOp::create(builder, loc, takes, elements[1], accumulators[1])};
}

//===----------------------------------------------------------------------===//
// CumulativeOp
//===----------------------------------------------------------------------===//

LogicalResult CumulativeOp::verify() {
  int64_t rank = ::getType(getOperand()).getRank();
  if (static_cast<int64_t>(getDim()) < 0 || static_cast<int64_t>(getDim()) >= rank)
    return emitOpError("goes along dimension ")
           << static_cast<int64_t>(getDim()) << " of a tensor of rank " << rank
           << "; name one of its dimensions";
  if (!isDefined(getKind(), ::getType(getOperand()).getElementType()))
    return emitOpError("reduces elements by a kind that their type doesn't have; use and or or "
                       "for bits, the others for numbers");
  return success();
}

void CumulativeOp::emitKernel(OpBuilder &builder, ValueRange operands, ValueRange results, Value) {
  Location loc = getLoc();
  RankedTensorType type = ::getType(getOperand());
  KernelBuffers buffers(builder, loc);
  SmallVector<int64_t> outer(type.getShape());
  int64_t length = outer[getDim()];
  outer[getDim()] = 1;
  ScalarMath s(builder, loc, type.getElementType());
  buffers.forEach(outer, [&](ValueRange at) {
    Value zero = buffers.index(0), one = buffers.index(1), size = buffers.index(length);
    auto loop = scf::ForOp::create(builder, loc, zero, size, one, emitNeutral(s, getKind()));
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    SmallVector<Value> indices(at);
    Value step = loop.getInductionVar();
    indices[getDim()] =
        getReverse() ? Value(arith::SubIOp::create(builder, loc, buffers.index(length - 1), step))
                     : step;
    Value before = loop.getRegionIterArg(0);
    Value element = buffers.load(operands[0], indices);
    Value after = emitReduced(s, getKind(), before, element);
    buffers.store(getExclusive() ? before : after, results[0], indices);
    scf::YieldOp::create(builder, loc, after);
  });
}
