//===- ReductionTest.cpp - Reductions, scans and sorting, run ------------===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Execution.h"
#include <algorithm>
#include <numeric>

using namespace lgc::test;

namespace {

template <typename T> T combine(const std::string &kind, T x, T y) {
  if (kind == "sum")
    return static_cast<T>(x + y);
  if (kind == "product")
    return static_cast<T>(x * y);
  if (x != x || y != y)
    return x != x ? x : y;
  return kind == "max" ? std::max(x, y) : std::min(x, y);
}

template <typename T> T neutral(const std::string &kind) {
  using Limits = std::numeric_limits<T>;
  if (kind == "sum" || kind == "product")
    return kind == "product" ? T(1) : T(0);
  if (std::is_floating_point_v<T>)
    return kind == "max" ? -Limits::infinity() : Limits::infinity();
  return kind == "max" ? Limits::lowest() : Limits::max();
}

Shape dropDims(const Shape &shape, const std::vector<int64_t> &dims) {
  Shape kept;
  for (size_t dim = 0; dim < shape.size(); ++dim)
    if (std::find(dims.begin(), dims.end(), dim) == dims.end())
      kept.push_back(shape[dim]);
  return kept;
}

template <typename T>
void checkReduce(const std::string &kind, const Tensor<T> &x, const std::vector<int64_t> &dims) {
  Tensor<T> expected(dropDims(x.shape, dims), neutral<T>(kind));
  forEachIndex(x.shape, [&](const Index &at) {
    T &slot = expected[dropDims(at, dims)];
    slot = combine(kind, slot, x[at]);
  });
  SCOPED_TRACE(kind + " " + x.type() + " over " + list(dims));
  Execution run({expected.type()},
                "%r0 = lgc.reduce " + kind + " %a0 dims = " + list(dims) + " : " + x.type(), x);
  expectClose(run.get<T>(), expected.values, 64);
}

TEST(Reduce, EveryKindAndType) {
  for (const char *kind : {"sum", "product", "max", "min"}) {
    checkReduce(kind, Tensor<float>::random({3, 4, 5}), {1});
    checkReduce(kind, Tensor<double>::random({3, 4, 5}), {0, 2});
    checkReduce(kind, Tensor<int64_t>::random({3, 4}), {0});
    checkReduce(kind, Tensor<int8_t>::random({4, 9}), {1});
    checkReduce(kind, Tensor<uint8_t>::random({4, 9}), {1});
  }
}

TEST(Reduce, EdgeShapes) {
  checkReduce("sum", Tensor<float>::random({1, 7, 1}), {0, 1, 2});
  checkReduce("sum", Tensor<float>::random({4, 0}), {1});
  checkReduce("max", Tensor<float>::random({4, 0}), {1});
  checkReduce("min", Tensor<int32_t>::random({0, 3}), {0});
  checkReduce("sum", Tensor<float>::random({0, 3}), {1});
  checkReduce("sum", Tensor<double>::random({257, 33}), {0});
  checkReduce("sum", Tensor<float>::random({5, 1000}), {1});
  checkReduce("sum", Tensor<float>::random({2, 3, 4, 5}), {0, 2});
}

TEST(Reduce, SumsOfHalvesAccumulateInSingle) {
  Tensor<float> x({4096}, 1.0f);
  Execution run({"tensor<f32>"},
                "%h = lgc.cast %a0 : tensor<4096xf32> to tensor<4096xf16>\n"
                "%s = lgc.reduce sum %h dims = [0] : tensor<4096xf16>\n"
                "%r0 = lgc.cast %s : tensor<f16> to tensor<f32>",
                x);
  expectClose(run.get<float>(), {4096.0f});
}

TEST(Reduce, NanGoesThroughMaxAndMin) {
  float nan = std::numeric_limits<float>::quiet_NaN();
  Tensor<float> x({2, 3}, {1, nan, 2, 3, 4, 5});
  checkReduce("max", x, {1});
  checkReduce("min", x, {1});
}

TEST(Reduce, Booleans) {
  Tensor<float> numbers({3, 2}, {1, 1, 0, 1, 0, 0});
  Execution run({"tensor<3xi8>", "tensor<3xi8>"},
                "%b = lgc.cast %a0 : tensor<3x2xf32> to tensor<3x2xi1>\n"
                "%all = lgc.reduce and %b dims = [1] : tensor<3x2xi1>\n"
                "%any = lgc.reduce or %b dims = [1] : tensor<3x2xi1>\n"
                "%r0 = lgc.cast %all : tensor<3xi1> to tensor<3xi8>\n"
                "%r1 = lgc.cast %any : tensor<3xi1> to tensor<3xi8>",
                numbers);
  EXPECT_EQ(run.get<int8_t>(0), (std::vector<int8_t>{1, 0, 0}));
  EXPECT_EQ(run.get<int8_t>(1), (std::vector<int8_t>{1, 1, 0}));
}

template <typename T> void checkArgReduce(bool isMax, bool last, const Tensor<T> &x, int64_t dim) {
  Shape shape = dropDims(x.shape, {dim});
  Tensor<T> value(shape);
  Tensor<int64_t> index(shape, -1);
  forEachIndex(x.shape, [&](const Index &at) {
    Index slot = dropDims(at, {dim});
    T candidate = x[at], &best = value[slot];
    bool beats = isMax ? candidate > best : candidate < best;
    bool takes = index[slot] < 0 || beats || (last && candidate == best) ||
                 (candidate != candidate && best == best);
    if (takes) {
      best = candidate;
      index[slot] = at[dim];
    }
  });
  Execution run({value.type(), index.type()},
                std::string("%r0, %r1 = lgc.arg_reduce ") + (isMax ? "max" : "min") +
                    " %a0 dim = " + std::to_string(dim) + (last ? " last" : "") + " : " + x.type(),
                x);
  expectClose(run.get<T>(0), value.values);
  expectClose(run.get<int64_t>(1), index.values);
}

TEST(ArgReduce, FirstAndLast) {
  for (bool isMax : {false, true})
    for (bool last : {false, true}) {
      checkArgReduce(isMax, last, Tensor<int32_t>::random({3, 40}), 1);
      checkArgReduce(isMax, last, Tensor<float>::random({5, 3, 2}), 0);
      checkArgReduce(isMax, last, Tensor<double>({4}, {1, 2, 2, 1}), 0);
      checkArgReduce(isMax, last, Tensor<uint8_t>({2, 2}, {0, 0, 255, 255}), 1);
    }
}

TEST(ArgReduce, FirstNanWins) {
  float nan = std::numeric_limits<float>::quiet_NaN();
  checkArgReduce(true, false, Tensor<float>({4}, {1, nan, 3, nan}), 0);
  checkArgReduce(false, false, Tensor<float>({4}, {1, nan, 3, nan}), 0);
  float infinity = std::numeric_limits<float>::infinity();
  checkArgReduce(true, false, Tensor<float>({2}, {-infinity, -infinity}), 0);
}

template <typename T>
void checkCumulative(const std::string &kind, const Tensor<T> &x, int64_t dim, bool exclusive,
                     bool reverse) {
  Tensor<T> expected(x.shape);
  Shape rows = x.shape;
  rows[dim] = 1;
  forEachIndex(rows, [&](Index at) {
    T total = neutral<T>(kind);
    for (int64_t i = 0; i < x.shape[dim]; ++i) {
      at[dim] = reverse ? x.shape[dim] - 1 - i : i;
      T next = combine(kind, total, x[at]);
      expected[at] = exclusive ? total : next;
      total = next;
    }
  });
  Execution run({x.type()},
                "%r0 = lgc.cumulative " + kind + " %a0 dim = " + std::to_string(dim) +
                    (exclusive ? " exclusive" : "") + (reverse ? " reverse" : "") + " : " +
                    x.type(),
                x);
  expectClose(run.get<T>(), expected.values, 64);
}

TEST(Cumulative, DirectionsAndKinds) {
  for (bool exclusive : {false, true})
    for (bool reverse : {false, true}) {
      checkCumulative("sum", Tensor<float>::random({3, 5, 2}), 1, exclusive, reverse);
      checkCumulative("product", Tensor<double>::random({4, 3}), 0, exclusive, reverse);
      checkCumulative("sum", Tensor<int32_t>::random({7}), 0, exclusive, reverse);
    }
  checkCumulative("max", Tensor<float>::random({2, 9}), 1, false, false);
  checkCumulative("sum", Tensor<float>::random({2, 0}), 1, true, true);
  checkCumulative("sum", Tensor<float>::random({0, 2}), 1, true, true);
}

template <typename T> void checkSort(const Tensor<T> &x, int64_t dim, bool descending) {
  Tensor<T> values(x.shape);
  Tensor<int64_t> indices(x.shape);
  Shape rows = x.shape;
  rows[dim] = 1;
  auto isLess = [](T a, T b) { return a < b || (a == a && b != b); };
  forEachIndex(rows, [&](Index at) {
    std::vector<int64_t> order(x.shape[dim]);
    std::iota(order.begin(), order.end(), 0);
    auto get = [&](int64_t i) {
      Index from = at;
      from[dim] = i;
      return x[from];
    };
    std::sort(order.begin(), order.end(), [&](int64_t i, int64_t j) {
      T first = get(descending ? j : i), second = get(descending ? i : j);
      return isLess(first, second) || (!isLess(second, first) && i < j);
    });
    for (size_t i = 0; i < order.size(); ++i) {
      at[dim] = i;
      values[at] = get(order[i]);
      indices[at] = order[i];
    }
  });
  Execution run({values.type(), indices.type()},
                "%r0, %r1 = lgc.sort %a0 dim = " + std::to_string(dim) +
                    (descending ? " descending" : "") + " : " + x.type(),
                x);
  expectClose(run.get<T>(0), values.values, 0);
  expectClose(run.get<int64_t>(1), indices.values);
}

TEST(Sort, IsStableInBothDirections) {
  for (bool descending : {false, true}) {
    for (int64_t length : {1, 2, 3, 7, 8, 9, 100})
      checkSort(Tensor<int32_t>::random({length}, length), 0, descending);
    checkSort(Tensor<float>::random({3, 17, 2}), 1, descending);
    checkSort(Tensor<double>::random({6, 4}), 0, descending);
    checkSort(Tensor<uint8_t>({5}, {255, 0, 128, 127, 0}), 0, descending);
    float nan = std::numeric_limits<float>::quiet_NaN();
    checkSort(Tensor<float>({5}, {nan, 1, nan, -1, 3}), 0, descending);
  }
  checkSort(Tensor<float>::random({0, 3}), 0, false);
}

} // namespace
