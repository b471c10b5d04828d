//===- Convolution.cpp - Convolutions --------------------------------------===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "WindowGeometry.h"

using namespace mlir;
using namespace lgc;
using Shape = SmallVector<int64_t>;

static SmallVector<NamedAttribute> geometryOf(NodeImporter &n, const WindowGeometry &window,
                                              int64_t groups) {
  return {n.ints("strides", window.strides), n.ints("dilations", window.dilations),
          n.ints("low", window.low), n.ints("high", window.high), n.integer("groups", groups)};
}

/// The kernel of a filter, checked against the input and the attribute.
static std::optional<Shape> kernelOf(NodeImporter &n, Value x, Value filter) {
  int64_t rank = TensorBuilder::rankOf(x);
  if (rank < 3 || TensorBuilder::rankOf(filter) != rank) {
    n.error("input and filter must both have a batch, a channel and some spatial dimensions");
    return std::nullopt;
  }
  Shape kernel(TensorBuilder::shapeOf(filter).drop_front(2));
  if (n.intsAttr("kernel_shape", kernel) != kernel) {
    n.error("'kernel_shape' differs from the filter's shape");
    return std::nullopt;
  }
  return kernel;
}

static Value addBias(NodeImporter &n, Value y, Value bias) {
  if (!y || !bias)
    return y;
  if (TensorBuilder::rankOf(bias) != 1)
    return n.error("the bias must have one dimension");
  return n.add(y, n.broadcastDims(bias, TensorBuilder::shapeOf(y), {1}));
}

static void importConv(NodeImporter &n) {
  Value x = n.operand(0), filter = n.operand(1);
  auto kernel = x && filter ? kernelOf(n, x, filter) : std::nullopt;
  if (!kernel)
    return n.setResult(Value());
  auto window = readGeometry(n, *kernel, TensorBuilder::shapeOf(x).drop_front(2));
  if (!window)
    return;
  Value y = n.create<ConvolutionOp>({x, filter}, geometryOf(n, *window, n.intAttr("group", 1)));
  n.setResult(addBias(n, y, n.optionalOperand(2)));
}

namespace {
/// The geometry of a transposed convolution, and its output with what lies behind the last window.
struct Transposed {
  WindowGeometry window;
  Shape spatial; ///< of the output
  Shape extra;   ///< zeros after the output where no window reaches
};
} // namespace

/// Pads may follow from the output's size: what windows span beyond it is split in halves.
static bool placeTransposed(NodeImporter &n, ArrayRef<int64_t> spatial, Transposed &result) {
  WindowGeometry &window = result.window;
  size_t rank = spatial.size();
  Shape extra = n.intsAttr("output_padding", Shape(rank, 0));
  auto wanted = n.intsAttr("output_shape");
  std::string automatic = n.stringAttr("auto_pad", "NOTSET");
  bool same = automatic == "SAME_UPPER" || automatic == "SAME_LOWER";
  if (extra.size() != rank || (wanted && wanted->size() != rank)) {
    n.error("'output_padding' and 'output_shape' must have one entry for each spatial dimension");
    return false;
  }
  result.spatial.assign(rank, 0);
  result.extra.assign(rank, 0);
  for (size_t i = 0; i < rank; ++i) {
    int64_t reach = (spatial[i] - 1) * window.strides[i] + window.span(int64_t(i)) + extra[i];
    if (wanted || same) {
      int64_t size = wanted ? (*wanted)[i] : spatial[i] * window.strides[i];
      int64_t total = std::max<int64_t>(reach - size, 0);
      result.extra[i] = std::max<int64_t>(size - reach, 0);
      window.low[i] = automatic == "SAME_UPPER" ? total / 2 : total - total / 2;
      window.high[i] = total - window.low[i];
    }
    result.spatial[i] = reach - window.low[i] - window.high[i];
    if (result.spatial[i] < 1 || extra[i] < 0) {
      n.error("the pads leave nothing of the output");
      return false;
    }
    // lgc's convolution of the output must give the input's size back.
    window.high[i] -= std::min(extra[i], window.high[i]);
  }
  return true;
}

static void importConvTranspose(NodeImporter &n) {
  Value x = n.operand(0), filter = n.operand(1);
  auto kernel = x && filter ? kernelOf(n, x, filter) : std::nullopt;
  if (!kernel)
    return n.setResult(Value());
  Shape spatial(TensorBuilder::shapeOf(x).drop_front(2));
  // The windows lie on the output: nothing here is bounded by the input's size.
  auto window = readGeometry(n, *kernel, Shape(spatial.size(), int64_t(1) << 32));
  Transposed placed;
  if (!window)
    return;
  placed.window = *window;
  if (!placeTransposed(n, spatial, placed))
    return;
  int64_t groups = n.intAttr("group", 1);
  Shape shape = {TensorBuilder::shapeOf(x)[0], TensorBuilder::shapeOf(filter)[1] * groups};
  shape.append(placed.spatial);
  auto type = RankedTensorType::get(shape, TensorBuilder::elementOf(x));
  Value y =
      n.createTyped<ConvolutionInputOp>(type, {x, filter}, geometryOf(n, placed.window, groups));
  Shape high(2, 0);
  high.append(placed.extra);
  y = n.pad(y, Shape(shape.size(), 0), high, 0.0);
  n.setResult(addBias(n, y, n.optionalOperand(2)));
}

void lgc::registerConvolutionOps(OpTable &table) {
  table["Conv"] = importConv;
  table["ConvTranspose"] = importConvTranspose;
}
