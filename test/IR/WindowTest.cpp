//===- WindowTest.cpp - Pooling, run --------------------------------------===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Execution.h"

using namespace lgc::test;

namespace {

struct Windows {
  std::vector<int64_t> window, strides, dilations, low, high;

  std::string text() const {
    return " window = " + list(window) + " strides = " + list(strides) +
           " dilations = " + list(dilations) + " low = " + list(low) + " high = " + list(high);
  }
  Shape getShape(Shape shape) const {
    for (size_t i = 0; i < window.size(); ++i)
      shape[i + 2] =
          (shape[i + 2] + low[i] + high[i] - (window[i] - 1) * dilations[i] - 1) / strides[i] + 1;
    return shape;
  }
  /// Calls `body` with each pair of a window and a position of the operand in it.
  void forEachPair(const Shape &operand,
                   const std::function<void(const Index &, const Index &)> &body) const {
    forEachIndex(getShape(operand), [&](const Index &at) {
      forEachIndex(window, [&](const Index &offset) {
        Index position = at;
        for (size_t i = 0; i < window.size(); ++i) {
          position[i + 2] = at[i + 2] * strides[i] - low[i] + offset[i] * dilations[i];
          if (position[i + 2] < 0 || position[i + 2] >= operand[i + 2])
            return;
        }
        body(at, position);
      });
    });
  }
};

int64_t getSpatialIndex(const Shape &shape, const Index &position) {
  int64_t at = 0;
  for (size_t i = 2; i < shape.size(); ++i)
    at = at * shape[i] + position[i];
  return at;
}

template <typename T> void checkWindows(const Shape &shape, const Windows &w) {
  SCOPED_TRACE(tensorType(shape, elementName<T>()) + w.text());
  Tensor<T> x = Tensor<T>::random(shape);
  T lowest = std::is_floating_point_v<T> ? -std::numeric_limits<T>::infinity()
                                         : std::numeric_limits<T>::lowest();
  Tensor<T> sum(w.getShape(shape)), max(sum.shape, lowest);
  Tensor<int64_t> index(sum.shape, -1);
  w.forEachPair(shape, [&](const Index &at, const Index &position) {
    sum[at] += x[position];
    if (x[position] > max[at]) {
      max[at] = x[position];
      index[at] = getSpatialIndex(shape, position);
    }
  });
  Execution run({sum.type(), max.type(), max.type(), index.type()},
                "%r0 = lgc.reduce_window sum %a0" + w.text() + " : " + x.type() +
                    "\n%r1 = lgc.reduce_window max %a0" + w.text() + " : " + x.type() +
                    "\n%r2, %r3 = lgc.window_argmax %a0" + w.text() + " : " + x.type(),
                x);
  expectClose(run.get<T>(0), sum.values, 64);
  expectClose(run.get<T>(1), max.values);
  expectClose(run.get<T>(2), max.values);
  expectClose(run.get<int64_t>(3), index.values);
}

template <typename T> void checkScatter(const Shape &shape, const Windows &w) {
  SCOPED_TRACE(tensorType(shape, elementName<T>()) + w.text());
  Tensor<T> updates = Tensor<T>::random(w.getShape(shape));
  Tensor<int64_t> indices(updates.shape, -1);
  Tensor<T> chosen(shape), all(shape);
  // Each window chooses the last of its positions.
  w.forEachPair(shape, [&](const Index &at, const Index &position) {
    indices[at] = getSpatialIndex(shape, position);
    all[position] += updates[at];
  });
  w.forEachPair(shape, [&](const Index &at, const Index &position) {
    if (indices[at] == getSpatialIndex(shape, position))
      chosen[position] += updates[at];
  });
  Execution run({chosen.type(), all.type()},
                "%r0 = lgc.window_scatter %a0 at %a1" + w.text() + " : " + updates.type() + ", " +
                    indices.type() + " to " + chosen.type() + "\n%r1 = lgc.window_scatter %a0" +
                    w.text() + " : " + updates.type() + " to " + all.type(),
                updates, indices);
  expectClose(run.get<T>(0), chosen.values, 64);
  expectClose(run.get<T>(1), all.values, 64);
}

const std::vector<std::pair<Shape, Windows>> geometries = {
    {{2, 3, 8}, {{2}, {2}, {1}, {0}, {0}}},
    {{1, 2, 7, 6}, {{3, 2}, {2, 1}, {1, 1}, {1, 0}, {1, 1}}},
    {{2, 1, 9, 9}, {{2, 3}, {3, 2}, {2, 3}, {1, 2}, {2, 3}}},
    {{1, 1, 1, 1}, {{3, 3}, {1, 1}, {1, 1}, {1, 1}, {1, 1}}},
    {{1, 2, 4, 5, 3}, {{2, 2, 2}, {2, 2, 1}, {1, 1, 1}, {0, 0, 0}, {1, 1, 0}}},
    // Some windows lie wholly outside.
    {{1, 1, 2}, {{1}, {1}, {1}, {3}, {3}}},
    {{2, 0, 4}, {{2}, {2}, {1}, {0}, {0}}},
};

TEST(Window, SumMaxAndArgmax) {
  for (const auto &[shape, windows] : geometries) {
    checkWindows<float>(shape, windows);
    checkWindows<double>(shape, windows);
  }
  checkWindows<int8_t>(geometries[1].first, geometries[1].second);
  checkWindows<uint8_t>(geometries[1].first, geometries[1].second);
}

TEST(Window, Scatter) {
  for (const auto &[shape, windows] : geometries) {
    checkScatter<float>(shape, windows);
    checkScatter<double>(shape, windows);
  }
}

TEST(Window, NothingInside) { checkWindows<float>({1, 1, 0}, {{2}, {1}, {1}, {2}, {2}}); }

TEST(Window, FirstLargestAndFirstNan) {
  float nan = std::numeric_limits<float>::quiet_NaN();
  Windows w{{4}, {4}, {1}, {0}, {0}};
  Tensor<float> x({1, 1, 8}, {1, 5, 5, 2, 1, nan, 7, nan});
  Execution run({"tensor<1x1x2xf32>", "tensor<1x1x2xi64>"},
                "%r0, %r1 = lgc.window_argmax %a0" + w.text() + " : " + x.type(), x);
  expectClose(run.get<float>(0), {5, nan});
  expectClose(run.get<int64_t>(1), {1, 5});
}

} // namespace
