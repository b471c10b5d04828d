//===- Shape.cpp - Rearrangements of whole tensors -------------------------===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "../NodeImporter.h"

using namespace mlir;
using namespace lgc;
using Shape = SmallVector<int64_t>;

static void importReshape(NodeImporter &n) {
  Value x = n.operand(0);
  auto wanted = n.constantInts(1, "shape");
  if (!x || !wanted)
    return n.setResult(Value());
  Shape shape(*wanted);
  bool zeroCopies = n.intAttr("allowzero", 0) == 0;
  int64_t known = 1, open = -1;
  for (auto [i, size] : llvm::enumerate(shape)) {
    if (size == 0 && zeroCopies) {
      if (int64_t(i) >= TensorBuilder::rankOf(x)) {
        n.error("a size of 0 copies a dimension that the input doesn't have");
        return;
      }
      size = TensorBuilder::shapeOf(x)[i];
    }
    if (size == -1 && open < 0) {
      open = int64_t(i);
      continue;
    }
    if (size < 0 || llvm::MulOverflow(known, size, known)) {
      n.error("the shape has impossible sizes");
      return;
    }
  }
  int64_t elements = TensorBuilder::typeOf(x).getNumElements();
  if (open >= 0) {
    if (known == 0 || elements % known) {
      n.error("the size -1 in the shape can't be made up: " + Twine(elements) +
              " elements can't be split into parts of " + Twine(known));
      return;
    }
    shape[open] = elements / known;
  }
  n.setResult(n.reshape(x, shape));
}

static void importFlatten(NodeImporter &n) {
  Value x = n.operand(0);
  if (!x)
    return n.setResult(Value());
  int64_t rank = TensorBuilder::rankOf(x), axis = n.intAttr("axis", 1);
  if (axis < -rank || axis > rank) {
    n.error("the axis is out of range");
    return;
  }
  axis = axis < 0 ? axis + rank : axis;
  int64_t rows = 1, columns = 1;
  for (auto [i, size] : llvm::enumerate(TensorBuilder::shapeOf(x)))
    (int64_t(i) < axis ? rows : columns) *= size;
  n.setResult(n.reshape(x, {rows, columns}));
}

static void importSqueeze(NodeImporter &n) {
  Value x = n.operand(0);
  bool failed = false;
  auto given = n.intsFrom("axes", 1, failed);
  if (!x || failed)
    return n.setResult(Value());
  Shape shape;
  auto axes = n.axesIn(given.value_or(Shape()), TensorBuilder::rankOf(x));
  if (!axes)
    return;
  for (auto [i, size] : llvm::enumerate(TensorBuilder::shapeOf(x))) {
    bool chosen = given ? llvm::is_contained(*axes, int64_t(i)) : size == 1;
    if (chosen && size != 1) {
      n.error("dimension " + Twine(i) + " has size " + Twine(size) + ", not 1");
      return;
    }
    if (!chosen)
      shape.push_back(size);
  }
  n.setResult(n.reshape(x, shape));
}

static void importUnsqueeze(NodeImporter &n) {
  Value x = n.operand(0);
  bool failed = false;
  auto given = n.intsFrom("axes", 1, failed);
  if (!x || failed || !given)
    return n.setResult(Value());
  auto axes = n.axesIn(*given, TensorBuilder::rankOf(x) + int64_t(given->size()));
  if (axes)
    n.setResult(n.unsqueeze(x, *axes));
}

static void importTranspose(NodeImporter &n) {
  Value x = n.operand(0);
  if (!x)
    return n.setResult(Value());
  Shape reversed;
  for (int64_t i = TensorBuilder::rankOf(x); i-- > 0;)
    reversed.push_back(i);
  n.setResult(n.transpose(x, n.intsAttr("perm", reversed)));
}

static void importExpand(NodeImporter &n) {
  Value x = n.operand(0);
  auto wanted = n.constantInts(1, "shape");
  if (!x || !wanted)
    return n.setResult(Value());
  auto shape = broadcastShape(TensorBuilder::shapeOf(x), *wanted);
  if (!shape || !elementCount(*shape)) {
    n.error("the input can't be broadcast to the shape");
    return;
  }
  n.setResult(n.broadcastTo(x, *shape));
}

/// Repeats the whole tensor: a new dimension before each, then merged with it.
static void importTile(NodeImporter &n) {
  Value x = n.operand(0);
  auto repeats = n.constantInts(1, "repeats");
  if (!x || !repeats)
    return n.setResult(Value());
  int64_t rank = TensorBuilder::rankOf(x);
  if (int64_t(repeats->size()) != rank || !elementCount(*repeats)) {
    n.error("there must be one number of repeats, not negative, for each dimension");
    return;
  }
  Shape wide, dims, merged;
  for (int64_t i = 0; i < rank; ++i) {
    int64_t size = TensorBuilder::shapeOf(x)[i];
    wide.push_back((*repeats)[i]);
    dims.push_back(int64_t(wide.size()));
    wide.push_back(size);
    int64_t product = 0;
    if (llvm::MulOverflow((*repeats)[i], size, product)) {
      n.error("the result is too large");
      return;
    }
    merged.push_back(product);
  }
  n.setResult(n.reshape(n.broadcastDims(x, wide, dims), merged));
}

static void importConcat(NodeImporter &n) {
  SmallVector<Value> operands = n.allOperands();
  if (operands.empty())
    return n.setResult(Value());
  int64_t rank = TensorBuilder::rankOf(operands.front());
  auto axis = n.axisIn(n.intAttr("axis", 1), rank);
  if (!axis)
    return n.setResult(Value());
  // Operands without elements add nothing; shape arithmetic has them.
  SmallVector<Value> filled;
  for (Value operand : operands)
    if (TensorBuilder::rankOf(operand) != rank || TensorBuilder::shapeOf(operand)[*axis] != 0)
      filled.push_back(operand);
  n.setResult(filled.empty() ? operands.front() : n.concat(filled, *axis));
}

/// The sizes of the parts of a split: given, or as equal as possible.
static std::optional<Shape> splitSizes(NodeImporter &n, int64_t size) {
  bool failed = false;
  auto given = n.intsFrom("split", 1, failed);
  if (failed)
    return std::nullopt;
  if (given) {
    int64_t sum = 0;
    for (int64_t part : *given)
      sum += std::clamp<int64_t>(part, -1, size + 1);
    if (sum != size || given->size() != n.resultCount() ||
        llvm::any_of(*given, [](int64_t part) { return part < 0; })) {
      n.error("the sizes of the parts don't add up to " + Twine(size));
      return std::nullopt;
    }
    return given;
  }
  int64_t parts = n.intAttr("num_outputs", int64_t(n.resultCount()));
  if (parts != int64_t(n.resultCount()) || parts < 1) {
    n.error("the number of parts differs from the number of outputs");
    return std::nullopt;
  }
  int64_t part = (size + parts - 1) / parts;
  Shape sizes;
  for (int64_t i = 0, rest = size; i < parts; ++i) {
    sizes.push_back(std::min(part, rest));
    rest -= sizes.back();
  }
  return sizes;
}

static void importSplit(NodeImporter &n) {
  Value x = n.operand(0);
  if (!x)
    return n.setResult(Value());
  auto axis = n.axisIn(n.intAttr("axis", 0), TensorBuilder::rankOf(x));
  auto sizes = axis ? splitSizes(n, TensorBuilder::shapeOf(x)[*axis]) : std::nullopt;
  if (!sizes)
    return;
  int64_t start = 0;
  for (auto [i, size] : llvm::enumerate(*sizes)) {
    n.setResult(unsigned(i), n.sliceDim(x, *axis, start, start + size));
    start += size;
  }
}

/// Whether a tensor is [batch, channels, height, width] with sizes that blocks divide.
static bool isImage(NodeImporter &n, Value x, int64_t block, int64_t channels, int64_t spatial) {
  if (!x)
    return false;
  ArrayRef<int64_t> shape = TensorBuilder::shapeOf(x);
  if (shape.size() == 4 && block > 0 && block < (1 << 20) && shape[1] % channels == 0 &&
      shape[2] % spatial == 0 && shape[3] % spatial == 0)
    return true;
  n.error("the input must have four dimensions that the block size divides");
  return false;
}

static void importDepthToSpace(NodeImporter &n) {
  Value x = n.operand(0);
  int64_t b = n.intAttr("blocksize", 1);
  if (!isImage(n, x, b, std::max<int64_t>(b, 1) * b, 1))
    return n.setResult(Value());
  ArrayRef<int64_t> s = TensorBuilder::shapeOf(x);
  int64_t channels = s[1] / (b * b);
  Value split, moved;
  if (n.stringAttr("mode", "DCR") == "DCR") {
    split = n.reshape(x, {s[0], b, b, channels, s[2], s[3]});
    moved = n.transpose(split, {0, 3, 4, 1, 5, 2});
  } else {
    split = n.reshape(x, {s[0], channels, b, b, s[2], s[3]});
    moved = n.transpose(split, {0, 1, 4, 2, 5, 3});
  }
  n.setResult(n.reshape(moved, {s[0], channels, s[2] * b, s[3] * b}));
}

static void importSpaceToDepth(NodeImporter &n) {
  Value x = n.operand(0);
  int64_t b = n.intAttr("blocksize", 1);
  if (!isImage(n, x, b, 1, std::max<int64_t>(b, 1)))
    return n.setResult(Value());
  ArrayRef<int64_t> s = TensorBuilder::shapeOf(x);
  Value split = n.reshape(x, {s[0], s[1], s[2] / b, b, s[3] / b, b});
  bool channelsLast = n.stringAttr("mode", "DCR") == "DCR";
  Value moved = channelsLast ? n.transpose(split, {0, 3, 5, 1, 2, 4})
                             : n.transpose(split, {0, 1, 3, 5, 2, 4});
  n.setResult(n.reshape(moved, {s[0], s[1] * b * b, s[2] / b, s[3] / b}));
}

void lgc::registerShapeOps(OpTable &table) {
  table["Reshape"] = importReshape;
  table["Flatten"] = importFlatten;
  table["Squeeze"] = importSqueeze;
  table["Unsqueeze"] = importUnsqueeze;
  table["Transpose"] = importTranspose;
  table["Expand"] = importExpand;
  table["Tile"] = importTile;
  table["Concat"] = importConcat;
  table["Split"] = importSplit;
  table["DepthToSpace"] = importDepthToSpace;
  table["SpaceToDepth"] = importSpaceToDepth;
}
