//===- Resize.cpp - Interpolation to another size --------------------------===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

// Every mode but the nearest neighbour is, along one dimension, a matrix product with weights that
// are known at import, so gradients come for free.

#include "../NodeImporter.h"

#include <cmath>

using namespace mlir;
using namespace lgc;
using Shape = SmallVector<int64_t>;

namespace {

/// How one dimension changes.
struct Axis {
  int64_t dim;
  int64_t from, to;
  double scale;
  double roiStart = 0, roiEnd = 1;
};

/// The attributes of a Resize.
struct Resize {
  explicit Resize(NodeImporter &n) : n(n) {}

  bool readAttributes();
  bool readAxes(Value x);
  bool readRegion(Value x, ArrayRef<int64_t> dims);
  void keepAspectRatio(StringRef policy);

  double source(const Axis &axis, int64_t index) const;
  int64_t nearest(const Axis &axis, int64_t index) const;
  /// Adds the weights of the inputs that make up one output.
  void addWeights(const Axis &axis, int64_t index, MutableArrayRef<double> row) const;
  bool isOutside(const Axis &axis, int64_t index) const {
    double place = source(axis, index);
    return coordinates == "tf_crop_and_resize" && (place < 0 || place > double(axis.from - 1));
  }
  Value apply(Value x) const;
  Value applyAxis(Value x, const Axis &axis) const;
  Value fillOutside(Value x) const;

  NodeImporter &n;
  std::string mode, coordinates, rounding;
  double cubic = -0.75, extrapolation = 0;
  bool excludeOutside = false, antialias = false;
  std::vector<Axis> axes;
};

} // namespace

bool Resize::readAttributes() {
  mode = n.stringAttr("mode", "nearest");
  bool isOld = n.version < 11;
  coordinates = n.stringAttr("coordinate_transformation_mode", isOld ? "asymmetric" : "half_pixel");
  rounding = n.stringAttr("nearest_mode", isOld ? "floor" : "round_prefer_floor");
  cubic = n.floatAttr("cubic_coeff_a", -0.75);
  extrapolation = n.floatAttr("extrapolation_value", 0.0);
  excludeOutside = n.intAttr("exclude_outside", 0) != 0;
  antialias = n.intAttr("antialias", 0) != 0;
  if (mode != "nearest" && mode != "linear" && mode != "cubic")
    return n.error("the mode '" + mode + "' isn't supported"), false;
  for (StringRef known : {"half_pixel", "half_pixel_symmetric", "pytorch_half_pixel",
                          "align_corners", "asymmetric", "tf_crop_and_resize"})
    if (coordinates == known)
      return true;
  return n.error("the coordinates '" + coordinates + "' aren't supported"), false;
}

/// The place in the input, in elements, of an output's element.
double Resize::source(const Axis &axis, int64_t index) const {
  // Coordinates refer to the size before it was rounded down.
  double i = double(index), from = double(axis.from), to = axis.scale * from;
  if (coordinates == "asymmetric")
    return i / axis.scale;
  if (coordinates == "align_corners")
    return to == 1 ? 0.0 : i * (from - 1) / (to - 1);
  if (coordinates == "pytorch_half_pixel")
    return to == 1 ? 0.0 : (i + 0.5) / axis.scale - 0.5;
  if (coordinates == "tf_crop_and_resize")
    return to == 1 ? 0.5 * (axis.roiStart + axis.roiEnd) * (from - 1)
                   : axis.roiStart * (from - 1) +
                         i * (axis.roiEnd - axis.roiStart) * (from - 1) / (to - 1);
  if (coordinates == "half_pixel_symmetric") {
    double adjustment = double(axis.to) / to;
    return from / 2 * (1 - adjustment) + (i + 0.5) / axis.scale - 0.5;
  }
  return (i + 0.5) / axis.scale - 0.5;
}

int64_t Resize::nearest(const Axis &axis, int64_t index) const {
  double place = source(axis, index);
  double rounded = rounding == "floor"               ? std::floor(place)
                   : rounding == "ceil"              ? std::ceil(place)
                   : rounding == "round_prefer_ceil" ? std::floor(place + 0.5)
                                                     : std::ceil(place - 0.5);
  return std::clamp<int64_t>(int64_t(rounded), 0, axis.from - 1);
}

/// Keys' cubic convolution.
static double cubicWeight(double x, double a) {
  x = std::abs(x);
  if (x <= 1)
    return ((a + 2) * x - (a + 3)) * x * x + 1;
  return x < 2 ? ((a * x - 5 * a) * x + 8 * a) * x - 4 * a : 0.0;
}

void Resize::addWeights(const Axis &axis, int64_t index, MutableArrayRef<double> row) const {
  double place = source(axis, index);
  // To shrink without aliasing, the kernel is widened to cover all elements.
  double stretch = antialias ? std::min(axis.scale, 1.0) : 1.0;
  double reach = (mode == "cubic" ? 2.0 : 1.0) / stretch;
  // Where the place falls on an element, one neighbour has no weight.
  int64_t first = int64_t(std::floor(place - reach)) + 1,
          last = int64_t(std::ceil(place + reach)) - 1;
  double total = 0;
  SmallVector<std::pair<int64_t, double>> weights;
  for (int64_t i = first; i <= last; ++i) {
    double distance = (place - double(i)) * stretch;
    double weight =
        mode == "cubic" ? cubicWeight(distance, cubic) : std::max(0.0, 1.0 - std::abs(distance));
    bool outside = i < 0 || i >= axis.from;
    if (excludeOutside && outside)
      weight = 0;
    total += weight;
    weights.push_back({std::clamp<int64_t>(i, 0, axis.from - 1), weight});
  }
  for (auto [i, weight] : weights)
    row[size_t(i)] += weight / (excludeOutside || antialias ? total : 1.0);
}

Value Resize::applyAxis(Value x, const Axis &axis) const {
  bool isIdentity =
      axis.from == axis.to && axis.scale == 1.0 && coordinates != "tf_crop_and_resize";
  if (isIdentity || !x)
    return x;
  if (mode == "nearest") {
    Shape places;
    for (int64_t i = 0; i < axis.to; ++i)
      places.push_back(nearest(axis, i));
    return n.gather(x, n.vectorI64(places), axis.dim);
  }
  Type element = TensorBuilder::elementOf(x);
  std::vector<Attribute> weights;
  SmallVector<double> row(size_t(axis.from), 0.0);
  for (int64_t i = 0; i < axis.to; ++i) {
    std::fill(row.begin(), row.end(), 0.0);
    addWeights(axis, i, row);
    for (double weight : row)
      weights.push_back(n.numberAttr(element, weight));
  }
  auto type = RankedTensorType::get({axis.to, axis.from}, element);
  Value product =
      n.dot(x, n.constant(DenseElementsAttr::get(type, weights)), {}, {}, {axis.dim}, {1});
  // The new dimension is the last; put it back in its place.
  Shape permutation;
  int64_t rank = TensorBuilder::rankOf(x);
  for (int64_t i = 0; i < rank; ++i)
    permutation.push_back(i < axis.dim ? i : i == axis.dim ? rank - 1 : i - 1);
  return n.transpose(product, permutation);
}

/// What lies outside of the region's input has a fixed value.
Value Resize::fillOutside(Value x) const {
  if (!x || coordinates != "tf_crop_and_resize")
    return x;
  for (const Axis &axis : axes) {
    SmallVector<bool> outside;
    for (int64_t i = 0; i < axis.to; ++i)
      outside.push_back(isOutside(axis, i));
    if (!llvm::is_contained(outside, true))
      continue;
    auto type = RankedTensorType::get({axis.to}, n.i1());
    Value mask = n.constant(DenseElementsAttr::get(type, ArrayRef<bool>(outside)));
    x = n.select(n.broadcastDims(mask, TensorBuilder::shapeOf(x), {axis.dim}),
                 n.like(x, extrapolation), x);
  }
  return x;
}

Value Resize::apply(Value x) const {
  Type element = TensorBuilder::elementOf(x);
  // Weights of integers are fractions.
  bool widened = mode != "nearest" && !isa<FloatType>(element);
  if (widened)
    x = n.convert(x, n.f32());
  for (const Axis &axis : axes)
    x = applyAxis(x, axis);
  x = fillOutside(x);
  return widened ? n.convert(x, element) : x;
}

//===----------------------------------------------------------------------===//
// Sizes
//===----------------------------------------------------------------------===//

void Resize::keepAspectRatio(StringRef policy) {
  double chosen = policy == "not_larger" ? std::numeric_limits<double>::infinity() : 0;
  for (const Axis &axis : axes)
    chosen = policy == "not_larger" ? std::min(chosen, axis.scale) : std::max(chosen, axis.scale);
  for (Axis &axis : axes) {
    axis.scale = chosen;
    axis.to = int64_t(std::floor(chosen * double(axis.from) + 0.5));
  }
}

bool Resize::readRegion(Value x, ArrayRef<int64_t> dims) {
  if (coordinates != "tf_crop_and_resize")
    return true;
  auto region = n.constantNumbers(1, "region");
  if (!region || region->size() != 2 * dims.size())
    return region ? (n.error("the region must have a start and an end for each axis"), false)
                  : false;
  for (size_t i = 0; i < axes.size(); ++i) {
    axes[i].roiStart = (*region)[i];
    axes[i].roiEnd = (*region)[i + axes.size()];
  }
  return true;
}

/// Scales are operand 1 before opset 11, then operand 2; sizes are operand 3.
bool Resize::readAxes(Value x) {
  Shape dims = n.intsAttr("axes", {});
  int64_t rank = TensorBuilder::rankOf(x);
  if (dims.empty())
    for (int64_t i = 0; i < rank; ++i)
      dims.push_back(i);
  auto counted = n.axesIn(dims, rank);
  if (!counted)
    return false;
  unsigned scalesAt = n.version < 11 ? 1 : 2;
  bool bySizes = n.hasOperand(3) && n.version >= 11;
  std::optional<SmallVector<double>> numbers;
  if (bySizes)
    numbers = n.constantNumbers(3, "sizes");
  else if (n.node.op_type() == "Upsample" && n.version < 9)
    numbers = n.floatsAttr("scales");
  else
    numbers = n.constantNumbers(scalesAt, "scales");
  if (!numbers)
    return false;
  if (numbers->size() != counted->size())
    return n.error("there must be one scale or size for each axis"), false;
  for (auto [dim, number] : llvm::zip(*counted, *numbers)) {
    int64_t from = TensorBuilder::shapeOf(x)[dim];
    double to = bySizes ? number : std::floor(double(from) * number);
    if (!(to >= 1 && to < 1e9 && from >= 1))
      return n.error("a size would be 0 or absurdly large"), false;
    axes.push_back({dim, from, int64_t(to), bySizes ? to / double(from) : number});
  }
  std::string policy = n.stringAttr("keep_aspect_ratio_policy", "stretch");
  if (bySizes && policy != "stretch")
    keepAspectRatio(policy);
  return readRegion(x, *counted);
}

static void importResize(NodeImporter &n) {
  Value x = n.operand(0);
  Resize resize(n);
  if (x && resize.readAttributes() && resize.readAxes(x))
    n.setResult(resize.apply(x));
}

void lgc::registerResizeOps(OpTable &table) {
  table["Resize"] = importResize;
  table["Upsample"] = importResize;
}
