//===- WindowOps.cpp - Pooling ------------------------------------------- ===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "OperandCheck.h"
#include "ReductionKinds.h"
#include "lgc/IR/LgcOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace lgc;

static RankedTensorType getType(Value value) { return cast<RankedTensorType>(value.getType()); }

namespace {
/// What window ops have in common.
struct Geometry {
  ArrayRef<int64_t> window, strides, dilations, low, high;
};
} // namespace

template <typename Op> static Geometry getGeometry(Op &&op) {
  return {op.getWindow(), op.getStrides(), op.getDilations(), op.getLow(), op.getHigh()};
}

/// The shape of the windows over [batch, channels, spatial...]; none if the geometry doesn't fit.
static std::optional<SmallVector<int64_t>> getWindowsShape(RankedTensorType operand,
                                                           const Geometry &g) {
  size_t spatial = operand.getRank() < 2 ? 0 : operand.getRank() - 2;
  if (operand.getRank() < 2 || g.window.size() != spatial || g.strides.size() != spatial ||
      g.dilations.size() != spatial || g.low.size() != spatial || g.high.size() != spatial)
    return std::nullopt;
  SmallVector<int64_t> shape(operand.getShape());
  // So that no product below overflows.
  constexpr int64_t most = int64_t(1) << 30;
  for (size_t i = 0; i < spatial; ++i) {
    if (g.window[i] < 1 || g.strides[i] < 1 || g.dilations[i] < 1 || g.low[i] < 0 ||
        std::abs(g.high[i]) > most ||
        std::max({g.window[i], g.strides[i], g.dilations[i], g.low[i], shape[i + 2]}) > most)
      return std::nullopt;
    int64_t room = shape[i + 2] + g.low[i] + g.high[i] - (g.window[i] - 1) * g.dilations[i] - 1;
    if (room < 0)
      return std::nullopt;
    shape[i + 2] = room / g.strides[i] + 1;
  }
  return shape;
}

template <typename Adaptor>
static LogicalResult inferWindows(std::optional<Location> loc, Adaptor adaptor, Type element,
                                  SmallVectorImpl<Type> &types) {
  std::optional<SmallVector<int64_t>> shape =
      getWindowsShape(::getType(adaptor.getOperand()), getGeometry(adaptor));
  if (!shape)
    return emitOptionalError(loc, "has windows that don't fit [batch, channels, spatial...]; give "
                                  "positive window, strides and dilations for each spatial "
                                  "dimension, no larger than the padded operand");
  types.push_back(RankedTensorType::get(*shape, element));
  return success();
}

/// Position of the operand at a point of the windows and an offset in the window, and whether it
/// is inside; outside, the position is clamped to 0.
static std::pair<SmallVector<Value>, Value> emitWindowPosition(OpBuilder &builder, Location loc,
                                                               const Geometry &g,
                                                               ArrayRef<int64_t> shape,
                                                               ValueRange at, ValueRange offsets) {
  SmallVector<Value> source(at.take_front(2));
  Value inside = arith::ConstantOp::create(builder, loc, builder.getBoolAttr(true));
  auto number = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(builder, loc, value);
  };
  for (size_t i = 0; i < g.window.size(); ++i) {
    Value position = arith::MulIOp::create(builder, loc, at[i + 2], number(g.strides[i]));
    Value step = arith::MulIOp::create(builder, loc, offsets[i], number(g.dilations[i]));
    position = arith::AddIOp::create(builder, loc, position, step);
    position = arith::SubIOp::create(builder, loc, position, number(g.low[i]));
    Value fits = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult, position,
                                       number(shape[i + 2]));
    inside = arith::AndIOp::create(builder, loc, inside, fits);
    source.push_back(arith::SelectOp::create(builder, loc, fits, position, number(0)));
  }
  return {source, inside};
}

LogicalResult ReduceWindowOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc,
                                               Adaptor adaptor, SmallVectorImpl<Type> &types) {
  if (failed(checkOperands(loc, adaptor.getOperands())))
    return failure();
  return inferWindows(loc, adaptor, ::getType(adaptor.getOperand()).getElementType(), types);
}

LogicalResult ReduceWindowOp::verify() {
  if (!isDefined(getKind(), ::getType(getOperand()).getElementType()))
    return emitOpError("reduces elements by a kind that their type doesn't have; use and or or "
                       "for bits, the others for numbers");
  return success();
}

SmallVector<int64_t> ReduceWindowOp::getReductionShape() {
  return SmallVector<int64_t>(getWindow());
}

SmallVector<Value> ReduceWindowOp::emitElement(OpBuilder &builder, ValueRange indices,
                                               ElementReader read) {
  RankedTensorType type = ::getType(getOperand());
  ScalarMath s(builder, getLoc(), type.getElementType());
  if (type.getNumElements() == 0)
    return {emitNeutral(s, getKind())};
  auto [source, inside] =
      emitWindowPosition(builder, getLoc(), getGeometry(*this), type.getShape(),
                         indices.take_front(type.getRank()), indices.drop_front(type.getRank()));
  return {arith::SelectOp::create(builder, getLoc(), inside, read(0, source),
                                  emitNeutral(s, getKind()))};
}

SmallVector<Value> ReduceWindowOp::emitInit(OpBuilder &builder) {
  ScalarMath s(builder, getLoc(), ::getType(getOperand()).getElementType());
  return {emitNeutral(s, getKind())};
}

SmallVector<Value> ReduceWindowOp::emitCombine(OpBuilder &builder, ValueRange accumulators,
                                               ValueRange elements) {
  ScalarMath s(builder, getLoc(), ::getType(getOperand()).getElementType());
  return {emitReduced(s, getKind(), accumulators[0], elements[0])};
}

LogicalResult WindowArgmaxOp::inferReturnTypes(MLIRContext *context, std::optional<Location> loc,
                                               Adaptor adaptor, SmallVectorImpl<Type> &types) {
  if (failed(checkOperands(loc, adaptor.getOperands())))
    return failure();
  Type element = ::getType(adaptor.getOperand()).getElementType();
  if (failed(inferWindows(loc, adaptor, element, types)))
    return failure();
  types.push_back(cast<RankedTensorType>(types.front()).clone(IntegerType::get(context, 64)));
  return success();
}

LogicalResult WindowArgmaxOp::verify() { return success(); }

SmallVector<int64_t> WindowArgmaxOp::getReductionShape() {
  return SmallVector<int64_t>(getWindow());
}

SmallVector<Value> WindowArgmaxOp::emitElement(OpBuilder &builder, ValueRange indices,
                                               ElementReader read) {
  Location loc = getLoc();
  RankedTensorType type = ::getType(getOperand());
  if (type.getNumElements() == 0)
    return emitInit(builder);
  auto [source, inside] =
      emitWindowPosition(builder, loc, getGeometry(*this), type.getShape(),
                         indices.take_front(type.getRank()), indices.drop_front(type.getRank()));
  Value index = arith::ConstantIndexOp::create(builder, loc, 0);
  for (int64_t dim = 2; dim < type.getRank(); ++dim) {
    Value size = arith::ConstantIndexOp::create(builder, loc, type.getDimSize(dim));
    index = arith::AddIOp::create(builder, loc, arith::MulIOp::create(builder, loc, index, size),
                                  source[dim]);
  }
  Value number = arith::IndexCastOp::create(builder, loc, builder.getI64Type(), index);
  // Positions outside of the operand have no index and never win.
  Value none = arith::ConstantOp::create(builder, loc, builder.getI64IntegerAttr(-1));
  ScalarMath s(builder, loc, type.getElementType());
  return {arith::SelectOp::create(builder, loc, inside, read(0, source), s.smallest()),
          arith::SelectOp::create(builder, loc, inside, number, none)};
}

SmallVector<Value> WindowArgmaxOp::emitInit(OpBuilder &builder) {
  ScalarMath s(builder, getLoc(), ::getType(getOperand()).getElementType());
  Value none = arith::ConstantOp::create(builder, getLoc(), builder.getI64IntegerAttr(-1));
  return {s.smallest(), none};
}

SmallVector<Value> WindowArgmaxOp::emitCombine(OpBuilder &builder, ValueRange accumulators,
                                               ValueRange elements) {
  Location loc = getLoc();
  Type element = ::getType(getOperand()).getElementType();
  ScalarMath s(builder, loc, element);
  auto isNone = [&](Value index) -> Value {
    Value none = arith::ConstantOp::create(builder, loc, builder.getI64IntegerAttr(-1));
    return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, index, none);
  };
  Value takes = s.compare(ComparePredicate::GT, elements[0], accumulators[0]);
  takes = arith::OrIOp::create(builder, loc, takes, isNone(accumulators[1]));
  if (isa<FloatType>(element)) {
    Value isNan = s.compare(ComparePredicate::NE, elements[0], elements[0]);
    Value wasNumber = s.compare(ComparePredicate::EQ, accumulators[0], accumulators[0]);
    takes = arith::OrIOp::create(builder, loc, takes,
                                 arith::AndIOp::create(builder, loc, isNan, wasNumber));
  }
  return {arith::SelectOp::create(builder, loc, takes, elements[0], accumulators[0]),
          arith::SelectOp::create(builder, loc, takes, elements[1], accumulators[1])};
}

//===----------------------------------------------------------------------===//
// WindowScatterOp
//===----------------------------------------------------------------------===//

LogicalResult WindowScatterOp::verify() {
  std::optional<SmallVector<int64_t>> shape =
      getWindowsShape(::getType(getResult()), getGeometry(*this));
  if (!shape || ArrayRef(*shape) != ::getType(getUpdates()).getShape())
    return emitOpError(
        "has updates that aren't one for each window of its result; give them the windows' shape");
  if (getIndices() && ::getType(getIndices()).getShape() != ::getType(getUpdates()).getShape())
    return emitOpError("has indices that aren't one for each update; give them the updates' shape");
  return success();
}

/// How many windows at most see a position, along one dimension.
static int64_t countCandidates(const Geometry &g, size_t i) {
  return g.dilations[i] == 1 ? llvm::divideCeil(g.window[i], g.strides[i]) : g.window[i];
}

SmallVector<int64_t> WindowScatterOp::getReductionShape() {
  Geometry g = getGeometry(*this);
  SmallVector<int64_t> shape;
  for (size_t i = 0; i < g.window.size(); ++i)
    shape.push_back(countCandidates(g, i));
  return shape;
}

namespace {
/// Finds the windows that see a position of the operand.
class WindowFinder {
public:
  WindowFinder(OpBuilder &builder, Location loc, const Geometry &g)
      : builder(builder), loc(loc), g(g),
        sees(arith::ConstantOp::create(builder, loc, builder.getBoolAttr(true))) {}

  Value number(int64_t value) { return arith::ConstantIndexOp::create(builder, loc, value); }

  /// The window of a candidate along a dimension, clamped to 0 where `sees` doesn't hold.
  Value find(size_t i, Value position, Value candidate, int64_t windows) {
    Value start = arith::AddIOp::create(builder, loc, position, number(g.low[i]));
    Value stride = number(g.strides[i]), window;
    if (g.dilations[i] == 1) {
      // Candidates go back from the last window that starts at or before the position.
      Value last = arith::DivUIOp::create(builder, loc, start, stride);
      Value rest = arith::RemUIOp::create(builder, loc, start, stride);
      Value offset = arith::AddIOp::create(builder, loc, rest,
                                           arith::MulIOp::create(builder, loc, candidate, stride));
      require(arith::CmpIPredicate::slt, offset, number(g.window[i]));
      window = arith::SubIOp::create(builder, loc, last, candidate);
    } else {
      // Candidates are offsets k in the window: o * stride = position + low - k * dilation.
      Value step = arith::MulIOp::create(builder, loc, candidate, number(g.dilations[i]));
      start = arith::SubIOp::create(builder, loc, start, step);
      Value rest = arith::RemSIOp::create(builder, loc, start, stride);
      require(arith::CmpIPredicate::eq, rest, number(0));
      require(arith::CmpIPredicate::sge, start, number(0));
      window = arith::DivSIOp::create(builder, loc, start, stride);
    }
    Value fits = require(arith::CmpIPredicate::ult, window, number(windows));
    return arith::SelectOp::create(builder, loc, fits, window, number(0));
  }

  Value require(arith::CmpIPredicate predicate, Value x, Value y) {
    Value holds = arith::CmpIOp::create(builder, loc, predicate, x, y);
    sees = arith::AndIOp::create(builder, loc, sees, holds);
    return holds;
  }

  /// Whether all that was required holds.
  Value getSees() const { return sees; }

private:
  OpBuilder &builder;
  Location loc;
  const Geometry &g;
  Value sees;
};
} // namespace

SmallVector<Value> WindowScatterOp::emitElement(OpBuilder &builder, ValueRange indices,
                                                ElementReader read) {
  Location loc = getLoc();
  RankedTensorType windows = ::getType(getUpdates()), type = ::getType(getResult());
  ScalarMath s(builder, loc, type.getElementType());
  if (windows.getNumElements() == 0)
    return {s.zero()};
  Geometry g = getGeometry(*this);
  WindowFinder finder(builder, loc, g);
  ValueRange at = indices.take_front(type.getRank());
  SmallVector<Value> source(at.take_front(2));
  Value linear = finder.number(0);
  for (size_t i = 0; i < g.window.size(); ++i) {
    source.push_back(
        finder.find(i, at[i + 2], indices[type.getRank() + i], windows.getDimSize(i + 2)));
    Value size = finder.number(type.getDimSize(i + 2));
    linear = arith::AddIOp::create(builder, loc, arith::MulIOp::create(builder, loc, linear, size),
                                   at[i + 2]);
  }
  if (getIndices()) {
    Value chosen = read(1, source);
    Value here = arith::IndexCastOp::create(builder, loc, chosen.getType(), linear);
    finder.require(arith::CmpIPredicate::eq, chosen, here);
  }
  return {arith::SelectOp::create(builder, loc, finder.getSees(), read(0, source), s.zero())};
}

SmallVector<Value> WindowScatterOp::emitInit(OpBuilder &builder) {
  return {ScalarMath(builder, getLoc(), ::getType(getResult()).getElementType()).zero()};
}

SmallVector<Value> WindowScatterOp::emitCombine(OpBuilder &builder, ValueRange accumulators,
                                                ValueRange elements) {
  ScalarMath s(builder, getLoc(), ::getType(getResult()).getElementType());
  return {s.accumulateSum(accumulators[0], elements[0])};
}
