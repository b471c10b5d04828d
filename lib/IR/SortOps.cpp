//===- SortOps.cpp - Sorting -------------------------------------------- ===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "KernelBuffers.h"
#include "OperandCheck.h"
#include "ScalarMath.h"
#include "lgc/IR/LgcOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace lgc;

static RankedTensorType getType(Value value) { return cast<RankedTensorType>(value.getType()); }

LogicalResult SortOp::inferReturnTypes(MLIRContext *context, std::optional<Location> loc,
                                       Adaptor adaptor, SmallVectorImpl<Type> &types) {
  if (failed(checkOperands(loc, adaptor.getOperands())))
    return failure();
  RankedTensorType operand = ::getType(adaptor.getOperand());
  if (failed(checkDim(loc, "sorts along", adaptor.getDim(), operand.getRank())))
    return failure();
  types.push_back(operand);
  types.push_back(operand.clone(IntegerType::get(context, 64)));
  return success();
}

LogicalResult SortOp::verify() { return success(); }

/// Two arrays of indices.
int64_t SortOp::getScratchBytes() { return 2 * 8 * ::getType(getOperand()).getDimSize(getDim()); }

namespace {

/// Sorts the indices of one row by merging runs of doubling width (a stable merge sort), from one
/// scratch array to the other and back.
class MergeSortEmitter {
public:
  MergeSortEmitter(OpBuilder &builder, SortOp op, Value operand, ValueRange row, Value scratch)
      : builder(builder), buffers(builder, op.getLoc()), loc(op.getLoc()), op(op), operand(operand),
        row(row), length(::getType(op.getOperand()).getDimSize(op.getDim())) {
    auto type = MemRefType::get({length}, builder.getI64Type());
    for (int64_t half : {0, 1})
      arrays[half] = memref::ViewOp::create(builder, loc, type, scratch,
                                            buffers.index(half * 8 * length), ValueRange());
  }

  /// Emits the sort and returns the array that holds the sorted indices.
  Value emit() {
    buffers.forEach({length}, [&](ValueRange at) {
      Value index = arith::IndexCastOp::create(builder, loc, builder.getI64Type(), at[0]);
      memref::StoreOp::create(builder, loc, index, arrays[0], at);
    });
    unsigned from = 0;
    for (int64_t width = 1; width < length; width *= 2, from ^= 1) {
      int64_t runs = (length + 2 * width - 1) / (2 * width);
      buffers.forEach({runs}, [&](ValueRange run) {
        Value start = arith::MulIOp::create(builder, loc, run[0], buffers.index(2 * width));
        mergeRun(start, width, arrays[from], arrays[from ^ 1]);
      });
    }
    return arrays[from];
  }

private:
  Value min(Value x, int64_t y) {
    return arith::MinSIOp::create(builder, loc, x, buffers.index(y));
  }
  Value add(Value x, int64_t y) { return arith::AddIOp::create(builder, loc, x, buffers.index(y)); }
  Value isLess(Value x, Value y) {
    return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt, x, y);
  }

  Value loadElement(Value index) {
    SmallVector<Value> at(row);
    at[op.getDim()] = buffers.toIndex(index);
    return buffers.load(operand, at);
  }

  /// Whether y must come before x, which stands before it.
  Value mustSwap(Value x, Value y) {
    Type element = ::getType(op.getOperand()).getElementType();
    ScalarMath s(builder, loc, element);
    Value low = op.getDescending() ? x : y, high = op.getDescending() ? y : x;
    Value swap = s.compare(ComparePredicate::LT, low, high);
    if (!isa<FloatType>(element))
      return swap;
    // NaN counts as largest.
    Value highIsNan = s.compare(ComparePredicate::NE, high, high);
    Value lowIsNumber = s.compare(ComparePredicate::EQ, low, low);
    return arith::OrIOp::create(builder, loc, swap,
                                arith::AndIOp::create(builder, loc, highIsNan, lowIsNumber));
  }

  void mergeRun(Value start, int64_t width, Value from, Value to) {
    Value middle = min(add(start, width), length), end = min(add(start, 2 * width), length);
    auto loop =
        scf::ForOp::create(builder, loc, start, end, buffers.index(1), ValueRange{start, middle});
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    Value left = loop.getRegionIterArg(0), right = loop.getRegionIterArg(1);
    // Where a run is used up its index is clamped, and what it gives isn't taken.
    Value leftIndex = memref::LoadOp::create(builder, loc, from, min(left, length - 1));
    Value rightIndex = memref::LoadOp::create(builder, loc, from, min(right, length - 1));
    Value swap = mustSwap(loadElement(leftIndex), loadElement(rightIndex));
    Value hasLeft = isLess(left, middle), hasRight = isLess(right, end);
    // Takes the right one if it must come first or the left run is used up.
    Value takesRight = arith::SelectOp::create(
        builder, loc, hasLeft, arith::AndIOp::create(builder, loc, hasRight, swap), hasRight);
    Value index = arith::SelectOp::create(builder, loc, takesRight, rightIndex, leftIndex);
    memref::StoreOp::create(builder, loc, index, to, loop.getInductionVar());
    Value nextLeft = arith::SelectOp::create(builder, loc, takesRight, left, add(left, 1));
    Value nextRight = arith::SelectOp::create(builder, loc, takesRight, add(right, 1), right);
    scf::YieldOp::create(builder, loc, ValueRange{nextLeft, nextRight});
  }

  OpBuilder &builder;
  KernelBuffers buffers;
  Location loc;
  SortOp op;
  Value operand;
  SmallVector<Value> row;
  int64_t length;
  Value arrays[2];
};

} // namespace

void SortOp::emitKernel(OpBuilder &builder, ValueRange operands, ValueRange results,
                        Value scratch) {
  RankedTensorType type = ::getType(getOperand());
  if (type.getNumElements() == 0)
    return;
  KernelBuffers buffers(builder, getLoc());
  SmallVector<int64_t> rows(type.getShape());
  rows[getDim()] = 1;
  buffers.forEach(rows, [&](ValueRange row) {
    Value sorted = MergeSortEmitter(builder, *this, operands[0], row, scratch).emit();
    buffers.forEach({type.getDimSize(getDim())}, [&](ValueRange place) {
      Value index = memref::LoadOp::create(builder, getLoc(), sorted, place);
      SmallVector<Value> to(row), from(row);
      to[getDim()] = place[0];
      from[getDim()] = buffers.toIndex(index);
      buffers.store(buffers.load(operands[0], from), results[0], to);
      buffers.store(index, results[1], to);
    });
  });
}
