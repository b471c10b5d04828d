//===- Indexing.cpp - Elements picked and put by computed indices ----------===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "../NodeImporter.h"

using namespace mlir;
using namespace lgc;
using Shape = SmallVector<int64_t>;

/// Negative indices count from the end.
static Value countFromStart(NodeImporter &n, Value indices, int64_t size) {
  if (!indices)
    return {};
  if (!TensorBuilder::elementOf(indices).isInteger(32) &&
      !TensorBuilder::elementOf(indices).isInteger(64))
    return n.error("indices must be 32- or 64-bit integers");
  if (DenseElementsAttr known = n.constantOf(indices))
    for (APInt index : known.getValues<APInt>())
      if (index.getSExtValue() < -size || index.getSExtValue() >= size)
        return n.error("index " + Twine(index.getSExtValue()) + " is out of range for " +
                       Twine(size) + " elements");
  Value isNegative = n.compare(ComparePredicate::LT, indices, 0.0);
  return n.select(isNegative, n.add(indices, double(size)), indices);
}

static std::optional<int64_t> axisOf(NodeImporter &n, Value x) {
  return x ? n.axisIn(n.intAttr("axis", 0), TensorBuilder::rankOf(x)) : std::nullopt;
}

static void importGather(NodeImporter &n) {
  Value x = n.operand(0), indices = n.operand(1);
  auto axis = axisOf(n, x);
  if (axis)
    n.setResult(n.gather(x, countFromStart(n, indices, TensorBuilder::shapeOf(x)[*axis]), *axis));
}

static void importGatherElements(NodeImporter &n) {
  Value x = n.operand(0), indices = n.operand(1);
  auto axis = axisOf(n, x);
  if (axis)
    n.setResult(n.create<GatherElementsOp>(
        {x, countFromStart(n, indices, TensorBuilder::shapeOf(x)[*axis])},
        {n.integer("axis", *axis)}));
}

/// Tuples of indices with negative ones counted from the end of their dimensions.
static Value tuplesFromStart(NodeImporter &n, Value x, Value indices, int64_t batchDims) {
  if (!x || !indices)
    return {};
  int64_t rank = TensorBuilder::rankOf(indices);
  int64_t length = rank ? TensorBuilder::shapeOf(indices).back() : 0;
  if (rank == 0 || batchDims < 0 || batchDims >= rank ||
      length > TensorBuilder::rankOf(x) - batchDims)
    return n.error("index tuples are longer than the input has dimensions");
  Value sizes = n.vectorI64(TensorBuilder::shapeOf(x).slice(batchDims, length));
  sizes = n.broadcastTo(n.convert(sizes, TensorBuilder::elementOf(indices)),
                        TensorBuilder::shapeOf(indices));
  Value isNegative = n.compare(ComparePredicate::LT, indices, 0.0);
  return n.select(isNegative, n.add(indices, sizes), indices);
}

static void importGatherNd(NodeImporter &n) {
  Value x = n.operand(0), indices = n.operand(1);
  int64_t batch = n.intAttr("batch_dims", 0);
  n.setResult(n.create<GatherNdOp>({x, tuplesFromStart(n, x, indices, batch)},
                                   {n.integer("batch_dims", batch)}));
}

static std::optional<ScatterKind> scatterKind(NodeImporter &n) {
  std::string reduction = n.stringAttr("reduction", "none");
  if (reduction == "none")
    return ScatterKind::Replace;
  if (reduction == "add")
    return ScatterKind::Add;
  if (reduction == "mul")
    return ScatterKind::Multiply;
  if (reduction == "max")
    return ScatterKind::Max;
  if (reduction == "min")
    return ScatterKind::Min;
  n.error("the reduction '" + reduction + "' isn't supported");
  return std::nullopt;
}

static void importScatterElements(NodeImporter &n) {
  Value x = n.operand(0), indices = n.operand(1), updates = n.operand(2);
  auto axis = axisOf(n, x);
  auto kind = scatterKind(n);
  if (!axis || !kind)
    return n.setResult(Value());
  n.setResult(n.createTyped<ScatterElementsOp>(
      x.getType(), {x, countFromStart(n, indices, TensorBuilder::shapeOf(x)[*axis]), updates},
      {n.kind(*kind), n.integer("axis", *axis)}));
}

static void importScatterNd(NodeImporter &n) {
  Value x = n.operand(0), indices = n.operand(1), updates = n.operand(2);
  auto kind = scatterKind(n);
  if (!x || !kind)
    return n.setResult(Value());
  n.setResult(n.createTyped<ScatterNdOp>(x.getType(),
                                         {x, tuplesFromStart(n, x, indices, 0), updates},
                                         {n.kind(*kind), n.integer("batch_dims", 0)}));
}

/// Ones (or `values[1]`) at the indices along a new axis; indices out of range leave zeros.
static void importOneHot(NodeImporter &n) {
  Value indices = n.operand(0), values = n.operand(2);
  auto depth = n.constantNumber(1, "depth");
  if (!indices || !values || !depth)
    return n.setResult(Value());
  int64_t rank = TensorBuilder::rankOf(indices) + 1, size = int64_t(*depth);
  auto axis = n.axisIn(n.intAttr("axis", -1), rank);
  if (!axis)
    return;
  if (size < 1 || TensorBuilder::shapeOf(values) != ArrayRef<int64_t>({2})) {
    n.error("the depth must be positive, and there must be two values");
    return;
  }
  Shape shape(TensorBuilder::shapeOf(indices));
  shape.insert(shape.begin() + *axis, size);
  Value whole = n.convert(indices, n.i64());
  whole = n.select(n.compare(ComparePredicate::LT, whole, 0.0), n.add(whole, double(size)), whole);
  Value place = n.broadcastTo(n.unsqueeze(whole, {*axis}), shape);
  Value chosen = n.compare(ComparePredicate::EQ, place, n.iota(shape, *axis, n.i64()));
  auto value = [&](int64_t i) {
    return n.broadcastTo(n.reshape(n.sliceDim(values, 0, i, i + 1), {}), shape);
  };
  n.setResult(n.select(chosen, value(1), value(0)));
}

/// The places whose condition holds; how many there are must be known now.
static void importCompress(NodeImporter &n) {
  Value x = n.operand(0);
  auto condition = n.constantNumbers(1, "condition");
  if (!x || !condition)
    return n.setResult(Value());
  Shape places;
  for (auto [i, holds] : llvm::enumerate(*condition))
    if (holds)
      places.push_back(int64_t(i));
  int64_t axis = 0;
  if (!n.hasAttribute("axis")) {
    x = n.reshape(x, {TensorBuilder::typeOf(x).getNumElements()});
  } else {
    auto counted = axisOf(n, x);
    if (!counted)
      return;
    axis = *counted;
  }
  if (int64_t(condition->size()) > TensorBuilder::shapeOf(x)[axis]) {
    n.error("there are more conditions than elements");
    return;
  }
  n.setResult(n.gather(x, n.vectorI64(places), axis));
}

/// Indices of elements other than 0, of a tensor that is known now.
static void importNonZero(NodeImporter &n) {
  DenseElementsAttr known = n.constantTensor(0, "input");
  if (!known)
    return;
  ArrayRef<int64_t> shape = TensorBuilder::shapeOf(n.operand(0));
  int64_t rank = int64_t(shape.size());
  SmallVector<Shape> places(rank);
  for (auto [i, number] : llvm::enumerate(NodeImporter::numbersOf(known))) {
    if (number == 0)
      continue;
    int64_t rest = int64_t(i);
    for (int64_t dim = rank; dim-- > 0;) {
      places[dim].push_back(rest % shape[dim]);
      rest /= shape[dim];
    }
  }
  Shape all;
  for (const Shape &dim : places)
    all.append(dim);
  n.setResult(n.reshape(n.vectorI64(all), {rank, rank ? int64_t(places.front().size()) : 0}));
}

/// Turns the first elements of each sequence around, as many as `sequence_lens` says.
static void importReverseSequence(NodeImporter &n) {
  Value x = n.operand(0), lengths = n.operand(1);
  if (!x || !lengths)
    return n.setResult(Value());
  auto time = n.axisIn(n.intAttr("time_axis", 0), TensorBuilder::rankOf(x));
  auto batch = n.axisIn(n.intAttr("batch_axis", 1), TensorBuilder::rankOf(x));
  if (!time || !batch)
    return;
  ArrayRef<int64_t> shape = TensorBuilder::shapeOf(x);
  Value length = n.broadcastDims(n.convert(lengths, n.i64()), shape, {*batch});
  Value position = n.iota(shape, *time, n.i64());
  Value mirrored = n.add(n.sub(length, position), -1.0);
  Value inside = n.compare(ComparePredicate::LT, position, length);
  n.setResult(n.create<GatherElementsOp>({x, n.select(inside, mirrored, position)},
                                         {n.integer("axis", *time)}));
}

void lgc::registerIndexingOps(OpTable &table) {
  table["Gather"] = importGather;
  table["GatherElements"] = importGatherElements;
  table["GatherND"] = importGatherNd;
  table["Scatter"] = importScatterElements;
  table["ScatterElements"] = importScatterElements;
  table["ScatterND"] = importScatterNd;
  table["OneHot"] = importOneHot;
  table["Compress"] = importCompress;
  table["NonZero"] = importNonZero;
  table["ReverseSequence"] = importReverseSequence;
}
