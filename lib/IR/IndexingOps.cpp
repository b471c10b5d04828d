//===- IndexingOps.cpp - Elements picked by computed indices ----------- ===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "ConstantEvaluator.h"
#include "KernelBuffers.h"
#include "OperandCheck.h"
#include "ScalarMath.h"
#include "lgc/IR/LgcOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace lgc;

static RankedTensorType getType(Value value) { return cast<RankedTensorType>(value.getType()); }

/// An index computed by the program, clamped into a dimension.
static Value emitClampedIndex(OpBuilder &builder, Location loc, Value number, int64_t size) {
  Value index = arith::IndexCastOp::create(builder, loc, builder.getIndexType(), number);
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
  Value last = arith::ConstantIndexOp::create(builder, loc, std::max<int64_t>(0, size - 1));
  index = arith::MaxSIOp::create(builder, loc, index, zero);
  return arith::MinSIOp::create(builder, loc, index, last);
}

//===----------------------------------------------------------------------===//
// Gathers
//===----------------------------------------------------------------------===//

/// The type of the slices that `indices` pick along `axis`: what a gather gives and a scatter
/// takes.
static RankedTensorType getSlicesType(RankedTensorType operand, RankedTensorType indices,
                                      int64_t axis) {
  SmallVector<int64_t> shape(operand.getShape().take_front(axis));
  llvm::append_range(shape, indices.getShape());
  llvm::append_range(shape, operand.getShape().drop_front(axis + 1));
  return operand.clone(shape);
}

/// The same for index tuples; none if they don't fit the operand.
static std::optional<RankedTensorType> getNdSlicesType(RankedTensorType operand,
                                                       RankedTensorType indices, int64_t batch) {
  if (indices.getRank() < 1 || batch < 0 || batch >= indices.getRank() ||
      batch + indices.getShape().back() > operand.getRank() ||
      operand.getShape().take_front(batch) != indices.getShape().take_front(batch))
    return std::nullopt;
  SmallVector<int64_t> shape(indices.getShape().drop_back());
  llvm::append_range(shape, operand.getShape().drop_front(batch + indices.getShape().back()));
  return operand.clone(shape);
}

static const char *const tupleMisfit =
    "has index tuples that don't fit the operand: they need equal batch dimensions and no more "
    "numbers than it has dimensions";

LogicalResult GatherOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc,
                                         Adaptor adaptor, SmallVectorImpl<Type> &types) {
  if (failed(checkOperands(loc, adaptor.getOperands())))
    return failure();
  RankedTensorType operand = ::getType(adaptor.getOperand());
  int64_t axis = adaptor.getAxis();
  if (failed(checkDim(loc, "indexes", axis, operand.getRank())))
    return failure();
  types.push_back(getSlicesType(operand, ::getType(adaptor.getIndices()), axis));
  return success();
}

LogicalResult GatherOp::verify() {
  if (::getType(getOperand()).getDimSize(getAxis()) == 0 &&
      ::getType(getResult()).getNumElements() > 0)
    return emitOpError("picks elements of a dimension that has none; give it one at least");
  return success();
}

SmallVector<Value> GatherOp::emitElement(OpBuilder &builder, ValueRange indices,
                                         ElementReader read) {
  int64_t axis = getAxis(), count = ::getType(getIndices()).getRank();
  Value number = read(1, indices.slice(axis, count));
  SmallVector<Value> source(indices.take_front(axis));
  source.push_back(
      emitClampedIndex(builder, getLoc(), number, ::getType(getOperand()).getDimSize(axis)));
  llvm::append_range(source, indices.drop_front(axis + count));
  return {read(0, source)};
}

OpFoldResult GatherOp::fold(FoldAdaptor adaptor) {
  auto indices = dyn_cast_or_null<DenseElementsAttr>(adaptor.getIndices());
  if (!indices || ::getType(getResult()).getNumElements() > maxFoldedElements)
    return {};
  ArrayRef<int64_t> shape = ::getType(getOperand()).getShape();
  int64_t inner = 1, size = shape[getAxis()], count = indices.getNumElements();
  for (int64_t dimension : shape.drop_front(getAxis() + 1))
    inner *= dimension;
  return foldRearrangement(::getType(getResult()), adaptor.getOperand(), [&](int64_t i) {
    int64_t at = i % inner, outer = i / inner / count;
    int64_t index = getElement(indices, i / inner % count).bits.getSExtValue();
    index = std::clamp<int64_t>(index, 0, size - 1);
    return (outer * size + index) * inner + at;
  });
}

LogicalResult GatherNdOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc,
                                           Adaptor adaptor, SmallVectorImpl<Type> &types) {
  if (failed(checkOperands(loc, adaptor.getOperands())))
    return failure();
  std::optional<RankedTensorType> slices = getNdSlicesType(
      ::getType(adaptor.getOperand()), ::getType(adaptor.getIndices()), adaptor.getBatchDims());
  if (!slices)
    return emitOptionalError(loc, tupleMisfit);
  types.push_back(*slices);
  return success();
}

LogicalResult GatherNdOp::verify() {
  if (::getType(getOperand()).getNumElements() == 0 && ::getType(getResult()).getNumElements() > 0)
    return emitOpError("picks elements of an operand that has none; give it one at least");
  return success();
}

SmallVector<Value> GatherNdOp::emitElement(OpBuilder &builder, ValueRange indices,
                                           ElementReader read) {
  RankedTensorType operand = ::getType(getOperand()), tuples = ::getType(getIndices());
  int64_t batch = getBatchDims(), positions = tuples.getRank() - 1;
  SmallVector<Value> source(indices.take_front(batch));
  for (int64_t i = 0; i < tuples.getShape().back(); ++i) {
    SmallVector<Value> at(indices.take_front(positions));
    at.push_back(arith::ConstantIndexOp::create(builder, getLoc(), i));
    source.push_back(
        emitClampedIndex(builder, getLoc(), read(1, at), operand.getDimSize(batch + i)));
  }
  llvm::append_range(source, indices.drop_front(positions));
  return {read(0, source)};
}

LogicalResult GatherElementsOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc,
                                                 Adaptor adaptor, SmallVectorImpl<Type> &types) {
  if (failed(checkOperands(loc, adaptor.getOperands())))
    return failure();
  RankedTensorType operand = ::getType(adaptor.getOperand());
  RankedTensorType indices = ::getType(adaptor.getIndices());
  if (failed(checkDim(loc, "indexes", adaptor.getAxis(), operand.getRank())))
    return failure();
  if (indices.getRank() != operand.getRank())
    return emitOptionalError(loc, "has indices of another rank than the operand; make them equal");
  for (int64_t dim = 0; dim < operand.getRank(); ++dim)
    if (dim != static_cast<int64_t>(adaptor.getAxis()) &&
        indices.getDimSize(dim) > operand.getDimSize(dim))
      return emitOptionalError(loc, "has more indices in dimension ", dim,
                               " than the operand; slice them to its size");
  types.push_back(operand.clone(indices.getShape()));
  return success();
}

LogicalResult GatherElementsOp::verify() {
  if (::getType(getOperand()).getNumElements() == 0 && ::getType(getResult()).getNumElements() > 0)
    return emitOpError("picks elements of an operand that has none; give it one at least");
  return success();
}

SmallVector<Value> GatherElementsOp::emitElement(OpBuilder &builder, ValueRange indices,
                                                 ElementReader read) {
  SmallVector<Value> source(indices);
  source[getAxis()] = emitClampedIndex(builder, getLoc(), read(1, indices),
                                       ::getType(getOperand()).getDimSize(getAxis()));
  return {read(0, source)};
}

//===----------------------------------------------------------------------===//
// Scatters
//===----------------------------------------------------------------------===//

namespace {
/// Applies updates to a buffer where their place is inside of it.
class ScatterEmitter {
public:
  ScatterEmitter(OpBuilder &builder, Operation *op, ScatterKind kind)
      : buffers(builder, op->getLoc()), builder(builder), loc(op->getLoc()), kind(kind),
        elementType(cast<RankedTensorType>(op->getResult(0).getType()).getElementType()) {
    isInside = arith::ConstantOp::create(builder, loc, builder.getBoolAttr(true));
  }

  /// An index, of which must hold that it is within the dimension.
  Value getPlace(Value number, int64_t size) {
    Value index = buffers.toIndex(number);
    Value fits =
        arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult, index, buffers.index(size));
    isInside = arith::AndIOp::create(builder, loc, isInside, fits);
    return index;
  }

  /// Emits `body` where all places asked for are inside of the buffer.
  void ifInside(llvm::function_ref<void()> body) {
    auto guard = scf::IfOp::create(builder, loc, isInside, /*withElseRegion=*/false);
    OpBuilder::InsertionGuard insertion(builder);
    builder.setInsertionPointToStart(guard.thenBlock());
    body();
  }

  void update(Value element, Value buffer, ValueRange place) {
    ScalarMath s(builder, loc, elementType);
    if (kind != ScatterKind::Replace) {
      Value old = buffers.load(buffer, place);
      element = kind == ScatterKind::Add        ? s.add(old, element)
                : kind == ScatterKind::Multiply ? s.mul(old, element)
                : kind == ScatterKind::Max      ? s.max(old, element)
                                                : s.min(old, element);
    }
    buffers.store(element, buffer, place);
  }

private:
  KernelBuffers buffers;
  OpBuilder &builder;
  Location loc;
  ScatterKind kind;
  Type elementType;
  Value isInside;
};
} // namespace

/// The result starts as the operand; in the operand's own buffer it does already.
static void copyOperand(KernelBuffers &buffers, Value operand, Value result) {
  if (operand != result)
    buffers.copy(operand, result);
}

LogicalResult ScatterOp::verify() {
  RankedTensorType operand = ::getType(getOperand());
  if (failed(checkDim(getLoc(), "indexes", getAxis(), operand.getRank())))
    return failure();
  RankedTensorType slices = getSlicesType(operand, ::getType(getIndices()), getAxis());
  if (::getType(getUpdates()) != slices)
    return emitOpError("has updates of type ")
           << getUpdates().getType() << " where " << slices << " fits";
  return success();
}

void ScatterOp::emitKernel(OpBuilder &builder, ValueRange operands, ValueRange results, Value) {
  KernelBuffers buffers(builder, getLoc());
  copyOperand(buffers, operands[0], results[0]);
  int64_t axis = getAxis(), count = ::getType(getIndices()).getRank();
  ArrayRef<int64_t> shape = ::getType(getUpdates()).getShape();
  buffers.forEach(shape.take_front(axis + count), [&](ValueRange outer) {
    ScatterEmitter scatter(builder, *this, getKind());
    Value index = scatter.getPlace(buffers.load(operands[1], outer.drop_front(axis)),
                                   ::getType(getOperand()).getDimSize(axis));
    scatter.ifInside([&] {
      buffers.forEach(shape.drop_front(axis + count), [&](ValueRange inner) {
        SmallVector<Value> from(outer), to(outer.take_front(axis));
        to.push_back(index);
        llvm::append_range(from, inner);
        llvm::append_range(to, inner);
        scatter.update(buffers.load(operands[2], from), results[0], to);
      });
    });
  });
}

LogicalResult ScatterNdOp::verify() {
  std::optional<RankedTensorType> slices =
      getNdSlicesType(::getType(getOperand()), ::getType(getIndices()), getBatchDims());
  if (!slices)
    return emitOpError(tupleMisfit);
  if (::getType(getUpdates()) != *slices)
    return emitOpError("has updates of type ")
           << getUpdates().getType() << " where " << *slices << " fits";
  return success();
}

void ScatterNdOp::emitKernel(OpBuilder &builder, ValueRange operands, ValueRange results, Value) {
  KernelBuffers buffers(builder, getLoc());
  copyOperand(buffers, operands[0], results[0]);
  RankedTensorType tuples = ::getType(getIndices());
  int64_t batch = getBatchDims(), positions = tuples.getRank() - 1;
  ArrayRef<int64_t> shape = ::getType(getUpdates()).getShape();
  buffers.forEach(shape.take_front(positions), [&](ValueRange outer) {
    ScatterEmitter scatter(builder, *this, getKind());
    SmallVector<Value> slice(outer.take_front(batch));
    for (int64_t i = 0; i < tuples.getShape().back(); ++i) {
      SmallVector<Value> tuple(outer);
      tuple.push_back(buffers.index(i));
      slice.push_back(scatter.getPlace(buffers.load(operands[1], tuple),
                                       ::getType(getOperand()).getDimSize(batch + i)));
    }
    scatter.ifInside([&] {
      buffers.forEach(shape.drop_front(positions), [&](ValueRange inner) {
        SmallVector<Value> from(outer), to(slice);
        llvm::append_range(from, inner);
        llvm::append_range(to, inner);
        scatter.update(buffers.load(operands[2], from), results[0], to);
      });
    });
  });
}

LogicalResult ScatterElementsOp::verify() {
  RankedTensorType operand = ::getType(getOperand()), indices = ::getType(getIndices());
  if (failed(checkDim(getLoc(), "indexes", getAxis(), operand.getRank())))
    return failure();
  if (indices.getShape() != ::getType(getUpdates()).getShape() ||
      indices.getRank() != operand.getRank())
    return emitOpError("needs indices and updates of one shape, of the operand's rank");
  if (::getType(getUpdates()).getElementType() != operand.getElementType())
    return emitOpError("has updates of another element type than its operand; cast them");
  for (int64_t dim = 0; dim < operand.getRank(); ++dim)
    if (dim != static_cast<int64_t>(getAxis()) && indices.getDimSize(dim) > operand.getDimSize(dim))
      return emitOpError("has more indices in dimension ")
             << dim << " than the operand; slice them to its size";
  return success();
}

void ScatterElementsOp::emitKernel(OpBuilder &builder, ValueRange operands, ValueRange results,
                                   Value) {
  KernelBuffers buffers(builder, getLoc());
  copyOperand(buffers, operands[0], results[0]);
  buffers.forEach(::getType(getUpdates()).getShape(), [&](ValueRange at) {
    ScatterEmitter scatter(builder, *this, getKind());
    SmallVector<Value> place(at);
    place[getAxis()] = scatter.getPlace(buffers.load(operands[1], at),
                                        ::getType(getOperand()).getDimSize(getAxis()));
    scatter.ifInside([&] { scatter.update(buffers.load(operands[2], at), results[0], place); });
  });
}
