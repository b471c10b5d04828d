//===- WindowGeometry.cpp - Where windows lie on an input ------------------===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "WindowGeometry.h"

using namespace mlir;
using namespace lgc;
using Shape = SmallVector<int64_t>;

/// Pads so that there is one output for each `stride` inputs.
static void padSame(WindowGeometry &window, ArrayRef<int64_t> spatial, bool extraFirst) {
  for (int64_t i = 0; i < window.rank(); ++i) {
    int64_t outputs = (spatial[i] + window.strides[i] - 1) / window.strides[i];
    int64_t total =
        std::max<int64_t>((outputs - 1) * window.strides[i] + window.span(i) - spatial[i], 0);
    window.low[i] = extraFirst ? total - total / 2 : total / 2;
    window.high[i] = total - window.low[i];
  }
}

/// Extends the high pads to the last window, unless that would start behind the input.
static void roundUp(WindowGeometry &window, ArrayRef<int64_t> spatial) {
  for (int64_t i = 0; i < window.rank(); ++i) {
    int64_t room = spatial[i] + window.low[i] + window.high[i] - window.span(i);
    int64_t outputs = (room + window.strides[i] - 1) / window.strides[i] + 1;
    if ((outputs - 1) * window.strides[i] >= spatial[i] + window.low[i])
      --outputs;
    int64_t needed =
        (outputs - 1) * window.strides[i] + window.span(i) - spatial[i] - window.low[i];
    window.high[i] = std::max(window.high[i], needed);
  }
}

static bool isPossible(NodeImporter &n, const WindowGeometry &window) {
  constexpr int64_t large = int64_t(1) << 31;
  auto inRange = [](ArrayRef<int64_t> values, int64_t least) {
    return llvm::all_of(values, [&](int64_t v) { return v >= least && v < large; });
  };
  if (inRange(window.kernel, 1) && inRange(window.strides, 1) && inRange(window.dilations, 1) &&
      inRange(window.low, 0) && inRange(window.high, 0))
    return true;
  n.error("kernel, strides and dilations must be positive, and pads not negative");
  return false;
}

std::optional<WindowGeometry> lgc::readGeometry(NodeImporter &n, ArrayRef<int64_t> kernel,
                                                ArrayRef<int64_t> spatial) {
  size_t rank = spatial.size();
  WindowGeometry window;
  window.kernel.assign(kernel.begin(), kernel.end());
  window.strides = n.intsAttr("strides", Shape(rank, 1));
  window.dilations = n.intsAttr("dilations", Shape(rank, 1));
  Shape pads = n.intsAttr("pads", Shape(2 * rank, 0));
  if (kernel.size() != rank || window.strides.size() != rank || window.dilations.size() != rank ||
      pads.size() != 2 * rank) {
    n.error("kernel, strides, dilations and pads must have one entry (two pads) for each of " +
            Twine(rank) + " spatial dimensions");
    return std::nullopt;
  }
  window.low.assign(pads.begin(), pads.begin() + rank);
  window.high.assign(pads.begin() + rank, pads.end());
  if (!isPossible(n, window))
    return std::nullopt;
  std::string automatic = n.stringAttr("auto_pad", "NOTSET");
  if (automatic == "SAME_UPPER" || automatic == "SAME_LOWER")
    padSame(window, spatial, automatic == "SAME_LOWER");
  else if (automatic == "VALID")
    window.low = window.high = Shape(rank, 0);
  else if (automatic != "NOTSET" && !automatic.empty()) {
    n.error("'auto_pad' can't be '" + automatic + "'");
    return std::nullopt;
  }
  for (size_t i = 0; i < rank; ++i)
    if (spatial[i] + window.low[i] + window.high[i] < window.span(int64_t(i))) {
      n.error("the window is larger than the padded input");
      return std::nullopt;
    }
  if (n.intAttr("ceil_mode", 0))
    roundUp(window, spatial);
  return window;
}
