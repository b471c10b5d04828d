//===- Pooling.cpp - Pooling -----------------------------------------------===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "WindowGeometry.h"

using namespace mlir;
using namespace lgc;
using Shape = SmallVector<int64_t>;

static SmallVector<NamedAttribute> geometryOf(NodeImporter &n, const WindowGeometry &window) {
  return {n.ints("window", window.kernel), n.ints("strides", window.strides),
          n.ints("dilations", window.dilations), n.ints("low", window.low),
          n.ints("high", window.high)};
}

static Value pool(NodeImporter &n, ReductionKind kind, Value x, const WindowGeometry &window) {
  SmallVector<NamedAttribute> attributes = geometryOf(n, window);
  attributes.push_back(n.kind(kind));
  return n.create<ReduceWindowOp>({x}, attributes);
}

static std::optional<WindowGeometry> readPooling(NodeImporter &n, Value x) {
  if (!x)
    return std::nullopt;
  if (TensorBuilder::rankOf(x) < 3) {
    n.error("the input must have a batch, a channel and some spatial dimensions");
    return std::nullopt;
  }
  return readGeometry(n, n.intsAttr("kernel_shape", {}), TensorBuilder::shapeOf(x).drop_front(2));
}

/// Indices count elements of the whole input, in the order of rows or, with `storage_order`, of
/// columns.
static Value wholeIndices(NodeImporter &n, Value x, Value spatialIndex) {
  ArrayRef<int64_t> shape = TensorBuilder::shapeOf(x);
  int64_t area = 1;
  for (int64_t size : shape.drop_front(2))
    area *= size;
  ArrayRef<int64_t> result = TensorBuilder::shapeOf(spatialIndex);
  if (n.intAttr("storage_order", 0) && shape.size() == 4) {
    Value width = n.splatInt(shape[3], n.i64(), result);
    Value height = n.splatInt(shape[2], n.i64(), result);
    Value row = n.create<DivOp>({spatialIndex, width});
    Value column = n.create<RemOp>({spatialIndex, width});
    spatialIndex = n.add(n.mul(column, height), row);
  }
  Value batch = n.iota(result, 0, n.i64()), channel = n.iota(result, 1, n.i64());
  Value plane = n.add(n.mul(batch, double(shape[1])), channel);
  return n.add(n.mul(plane, double(area)), spatialIndex);
}

static void importMaxPool(NodeImporter &n) {
  Value x = n.operand(0);
  auto window = readPooling(n, x);
  if (!window)
    return n.setResult(Value());
  // The maximum that has a gradient, also where the indices are wanted.
  n.setResult(0, pool(n, ReductionKind::Max, x, *window));
  if (!n.wantsResult(1))
    return;
  SmallVector<Value> largest = n.createAll<WindowArgmaxOp>({x}, geometryOf(n, *window));
  if (largest[1])
    n.setResult(1, wholeIndices(n, x, largest[1]));
}

/// For each window along one dimension, how many of its positions count for the mean.
static Shape countPositions(const WindowGeometry &window, int64_t dim, int64_t size,
                            int64_t countedLow, int64_t countedHigh) {
  Shape counts;
  for (int64_t o = 0; o < window.outputs(dim, size); ++o) {
    int64_t count = 0;
    for (int64_t k = 0; k < window.kernel[dim]; ++k) {
      int64_t position = o * window.strides[dim] - window.low[dim] + k * window.dilations[dim];
      count += position >= -countedLow && position < size + countedHigh;
    }
    counts.push_back(count);
  }
  return counts;
}

/// The number of positions that count in each window, as [1, 1, outputs...].
static Value divisors(NodeImporter &n, Value x, const WindowGeometry &window,
                      ArrayRef<int64_t> padsHigh) {
  bool includePads = n.intAttr("count_include_pad", 0) != 0;
  ArrayRef<int64_t> spatial = TensorBuilder::shapeOf(x).drop_front(2);
  SmallVector<double> numbers = {1.0};
  Shape shape = {1, 1};
  for (int64_t i = 0; i < window.rank(); ++i) {
    Shape counts = countPositions(window, i, spatial[i], includePads ? window.low[i] : 0,
                                  includePads ? padsHigh[i] : 0);
    SmallVector<double> wider;
    for (double number : numbers)
      for (int64_t count : counts)
        wider.push_back(number * double(count));
    numbers = std::move(wider);
    shape.push_back(int64_t(counts.size()));
  }
  Type element = TensorBuilder::elementOf(x);
  SmallVector<Attribute> values;
  for (double number : numbers)
    values.push_back(n.numberAttr(element, std::max(number, 1.0)));
  return n.constant(DenseElementsAttr::get(RankedTensorType::get(shape, element), values));
}

static void importAveragePool(NodeImporter &n) {
  Value x = n.operand(0);
  auto window = readPooling(n, x);
  if (!window)
    return n.setResult(Value());
  // Positions that only rounding up reaches never count.
  size_t rank = size_t(window->rank());
  Shape pads = n.intsAttr("pads", Shape(2 * rank, 0));
  Shape padsHigh(pads.begin() + rank, pads.end());
  if (n.stringAttr("auto_pad", "NOTSET") != "NOTSET")
    padsHigh = window->high;
  Value sum = pool(n, ReductionKind::Sum, x, *window);
  n.setResult(n.div(sum, divisors(n, x, *window, padsHigh)));
}

static void importLpPool(NodeImporter &n) {
  Value x = n.operand(0);
  auto window = readPooling(n, x);
  if (!window)
    return n.setResult(Value());
  double p = double(n.intAttr("p", 2));
  Value powers = p == 2 ? n.mul(x, x) : n.binary<PowOp>(n.unary<AbsOp>(x), p);
  Value sum = pool(n, ReductionKind::Sum, p == 1 ? n.unary<AbsOp>(x) : powers, *window);
  n.setResult(p == 2 ? n.unary<SqrtOp>(sum) : n.binary<PowOp>(sum, 1.0 / p));
}

static std::optional<Shape> spatialDims(NodeImporter &n, Value x) {
  if (!x)
    return std::nullopt;
  if (TensorBuilder::rankOf(x) < 3) {
    n.error("the input must have a batch, a channel and some spatial dimensions");
    return std::nullopt;
  }
  Shape dims;
  for (int64_t i = 2; i < TensorBuilder::rankOf(x); ++i)
    dims.push_back(i);
  return dims;
}

static void importGlobalAveragePool(NodeImporter &n) {
  Value x = n.operand(0);
  if (auto dims = spatialDims(n, x))
    n.setResult(n.mean(x, *dims, /*keepDims=*/true));
}

static void importGlobalMaxPool(NodeImporter &n) {
  Value x = n.operand(0);
  if (auto dims = spatialDims(n, x))
    n.setResult(n.reduce(ReductionKind::Max, x, *dims, /*keepDims=*/true));
}

static void importGlobalLpPool(NodeImporter &n) {
  Value x = n.operand(0);
  auto dims = spatialDims(n, x);
  if (!dims)
    return n.setResult(Value());
  double p = double(n.intAttr("p", 2));
  Value sum = n.reduce(ReductionKind::Sum, n.binary<PowOp>(n.unary<AbsOp>(x), p), *dims,
                       /*keepDims=*/true);
  n.setResult(n.binary<PowOp>(sum, 1.0 / p));
}

/// Puts each element where its index, counted over the whole result, says.
static void importMaxUnpool(NodeImporter &n) {
  Value x = n.operand(0), index = n.operand(1);
  if (!x || !index)
    return n.setResult(Value());
  size_t rank = size_t(TensorBuilder::rankOf(x));
  Shape kernel = n.intsAttr("kernel_shape", {});
  Shape strides = n.intsAttr("strides", Shape(kernel.size(), 1));
  Shape pads = n.intsAttr("pads", Shape(2 * kernel.size(), 0));
  if (rank != kernel.size() + 2 || strides.size() != kernel.size() ||
      pads.size() != 2 * kernel.size() ||
      TensorBuilder::shapeOf(x) != TensorBuilder::shapeOf(index)) {
    n.error("input, indices, kernel, strides and pads don't fit together");
    return;
  }
  Shape inferred(TensorBuilder::shapeOf(x));
  for (size_t i = 0; i < kernel.size(); ++i)
    inferred[i + 2] =
        (inferred[i + 2] - 1) * strides[i] + kernel[i] - pads[i] - pads[i + kernel.size()];
  // A larger result than that only has a border behind it.
  Shape border(rank, 0);
  if (n.hasOperand(2)) {
    auto given = n.constantInts(2, "output shape");
    if (!given)
      return;
    for (size_t i = 0; i < rank && given->size() == rank; ++i)
      border[i] = (*given)[i] - inferred[i];
  }
  auto elements = elementCount(inferred);
  if (!elements || llvm::any_of(border, [](int64_t size) { return size < 0; })) {
    n.error("the output has impossible sizes");
    return;
  }
  int64_t count = TensorBuilder::typeOf(x).getNumElements();
  Value zeros = n.splat(0.0, TensorBuilder::elementOf(x), {*elements});
  Value result = n.createTyped<ScatterOp>(zeros.getType(),
                                          {zeros, n.reshape(index, {count}), n.reshape(x, {count})},
                                          {n.kind(ScatterKind::Replace), n.integer("axis", 0)});
  n.setResult(n.pad(n.reshape(result, inferred), Shape(rank, 0), border, 0.0));
}

void lgc::registerPoolingOps(OpTable &table) {
  table["MaxPool"] = importMaxPool;
  table["AveragePool"] = importAveragePool;
  table["LpPool"] = importLpPool;
  table["GlobalAveragePool"] = importGlobalAveragePool;
  table["GlobalMaxPool"] = importGlobalMaxPool;
  table["GlobalLpPool"] = importGlobalLpPool;
  table["MaxUnpool"] = importMaxUnpool;
}
