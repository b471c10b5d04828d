//===- Slice.cpp - Parts of tensors and what surrounds them ----------------===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "../NodeImporter.h"

using namespace mlir;
using namespace lgc;
using Shape = SmallVector<int64_t>;

namespace {
/// The box of a Slice in lgc's terms, along each dimension.
struct Box {
  Shape starts, limits, strides, reversed;
};
} // namespace

/// Adds a dimension to a box; a negative step takes the elements in the opposite order.
static void addRange(Box &box, int64_t dim, int64_t size, int64_t start, int64_t end,
                     int64_t step) {
  auto count = [&](int64_t index) { return index < 0 ? index + size : index; };
  if (step > 0) {
    box.starts[dim] = std::clamp<int64_t>(count(start), 0, size);
    box.limits[dim] = std::max(box.starts[dim], std::clamp<int64_t>(count(end), 0, size));
    box.strides[dim] = std::min(step, std::max<int64_t>(size, 1));
    return;
  }
  // From `first` down to above `last`: in the reversed tensor, index i is size - 1 - i.
  int64_t first = std::clamp<int64_t>(count(start), -1, size - 1);
  int64_t last = end < -size ? -1 : std::clamp<int64_t>(count(end), -1, size - 1);
  box.starts[dim] = size - 1 - first;
  box.limits[dim] = std::max(box.starts[dim], size - 1 - last);
  box.strides[dim] = step < -size ? std::max<int64_t>(size, 1) : -step;
  box.reversed.push_back(dim);
}

static void importSlice(NodeImporter &n) {
  Value x = n.operand(0);
  bool failed[4] = {};
  auto starts = n.intsFrom("starts", 1, failed[0]), ends = n.intsFrom("ends", 2, failed[1]),
       axes = n.intsFrom("axes", 3, failed[2]), steps = n.intsFrom("steps", 4, failed[3]);
  if (!x || llvm::is_contained(failed, true) || !starts || !ends)
    return n.setResult(Value());
  if (!axes) {
    axes = Shape();
    for (size_t i = 0; i < starts->size(); ++i)
      axes->push_back(int64_t(i));
  }
  if (!steps)
    steps = Shape(starts->size(), 1);
  auto dims = n.axesIn(*axes, TensorBuilder::rankOf(x));
  if (!dims)
    return;
  if (starts->size() != dims->size() || ends->size() != dims->size() ||
      steps->size() != dims->size() || llvm::is_contained(*steps, 0)) {
    n.error("there must be one start, end and step other than 0 for each axis");
    return;
  }
  Box box{Shape(TensorBuilder::rankOf(x), 0),
          Shape(TensorBuilder::shapeOf(x)),
          Shape(TensorBuilder::rankOf(x), 1),
          {}};
  for (auto [i, dim] : llvm::enumerate(*dims))
    addRange(box, dim, TensorBuilder::shapeOf(x)[dim], (*starts)[i], (*ends)[i], (*steps)[i]);
  n.setResult(n.slice(n.reverse(x, box.reversed), box.starts, box.limits, box.strides));
}

//===----------------------------------------------------------------------===//
// Padding
//===----------------------------------------------------------------------===//

/// Where the element at `index`, counted from the first one of the input, comes from.
static int64_t sourceOf(int64_t index, int64_t size, StringRef mode) {
  if (mode == "edge")
    return std::clamp<int64_t>(index, 0, size - 1);
  if (mode == "wrap")
    return ((index % size) + size) % size;
  // Reflection without the edge itself.
  int64_t period = std::max<int64_t>(2 * (size - 1), 1);
  int64_t place = ((index % period) + period) % period;
  return place < size ? place : period - place;
}

static Value padByCopies(NodeImporter &n, Value x, ArrayRef<int64_t> low, ArrayRef<int64_t> high,
                         StringRef mode) {
  for (int64_t dim = 0; x && dim < TensorBuilder::rankOf(x); ++dim) {
    if (low[dim] == 0 && high[dim] == 0)
      continue;
    int64_t size = TensorBuilder::shapeOf(x)[dim];
    if (size == 0)
      return n.error("an empty dimension can't be padded with its elements");
    Shape sources;
    for (int64_t i = -low[dim]; i < size + high[dim]; ++i)
      sources.push_back(sourceOf(i, size, mode));
    x = n.gather(x, n.vectorI64(sources), dim);
  }
  return x;
}

/// The low and high pads of all dimensions, from pads of some axes.
static bool readPads(NodeImporter &n, int64_t rank, Shape &low, Shape &high) {
  bool failed = false, axesFailed = false;
  auto pads = n.intsFrom("pads", 1, failed);
  std::optional<Shape> axes;
  if (n.hasOperand(3))
    axes = n.intsFrom("axes", 3, axesFailed);
  if (failed || axesFailed || !pads)
    return false;
  if (!axes) {
    axes = Shape();
    for (int64_t i = 0; i < rank; ++i)
      axes->push_back(i);
  }
  auto dims = n.axesIn(*axes, rank);
  if (!dims)
    return false;
  if (pads->size() != 2 * dims->size() ||
      llvm::any_of(*pads, [](int64_t pad) { return std::abs(pad) > (int64_t(1) << 40); })) {
    n.error("there must be two pads, of possible sizes, for each axis");
    return false;
  }
  low.assign(rank, 0);
  high.assign(rank, 0);
  for (auto [i, dim] : llvm::enumerate(*dims)) {
    low[dim] = (*pads)[i];
    high[dim] = (*pads)[i + dims->size()];
  }
  return true;
}

/// Negative pads take elements away.
static Value crop(NodeImporter &n, Value x, Shape &low, Shape &high) {
  Shape starts, limits;
  for (auto [i, size] : llvm::enumerate(TensorBuilder::shapeOf(x))) {
    starts.push_back(std::max<int64_t>(-low[i], 0));
    limits.push_back(size - std::max<int64_t>(-high[i], 0));
    if (starts.back() > limits.back())
      return n.error("more elements would be taken away than there are");
    low[i] = std::max<int64_t>(low[i], 0);
    high[i] = std::max<int64_t>(high[i], 0);
  }
  return n.slice(x, starts, limits);
}

static void importPad(NodeImporter &n) {
  Value x = n.operand(0);
  Shape low, high;
  if (!x || !readPads(n, TensorBuilder::rankOf(x), low, high))
    return n.setResult(Value());
  std::string mode = n.stringAttr("mode", "constant");
  x = crop(n, x, low, high);
  if (mode == "edge" || mode == "wrap" || mode == "reflect")
    return n.setResult(padByCopies(n, x, low, high, mode));
  if (mode != "constant") {
    n.error("the mode '" + mode + "' isn't supported");
    return;
  }
  std::optional<double> value = n.floatAttr("value", 0.0);
  if (n.hasOperand(2))
    value = n.constantNumber(2, "padding value");
  if (value)
    n.setResult(n.pad(x, low, high, *value));
}

//===----------------------------------------------------------------------===//
// Triangles
//===----------------------------------------------------------------------===//

static void importTrilu(NodeImporter &n) {
  Value x = n.operand(0);
  if (!x)
    return n.setResult(Value());
  int64_t rank = TensorBuilder::rankOf(x);
  std::optional<int64_t> k = 0;
  if (n.hasOperand(1))
    k = n.constantInt(1, "diagonal");
  if (!k)
    return;
  if (rank < 2) {
    n.error("the input must have two dimensions or more");
    return;
  }
  ArrayRef<int64_t> shape = TensorBuilder::shapeOf(x);
  Shape matrix(shape.take_back(2));
  int64_t bound = std::clamp<int64_t>(*k, -matrix[0] - 1, matrix[1] + 1);
  Value row = n.add(n.iota(matrix, 0, n.i64()), double(bound));
  Value column = n.iota(matrix, 1, n.i64());
  bool upper = n.intAttr("upper", 1) != 0;
  Value kept = n.compare(upper ? ComparePredicate::GE : ComparePredicate::LE, column, row);
  n.setResult(n.select(n.broadcastTo(kept, shape), x, n.like(x, 0.0)));
}

void lgc::registerSliceOps(OpTable &table) {
  table["Slice"] = importSlice;
  table["Pad"] = importPad;
  table["Trilu"] = importTrilu;
}
