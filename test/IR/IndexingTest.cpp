//===- IndexingTest.cpp - Gathers and scatters, run -----------------------===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Execution.h"
#include <algorithm>

using namespace lgc::test;

namespace {

/// Indices in [low, high), of any order and with repetitions.
template <typename I>
Tensor<I> randomIndices(const Shape &shape, int64_t low, int64_t high, uint32_t seed = 7) {
  Tensor<I> indices(shape);
  for (I &index : indices.values) {
    seed = seed * 1664525u + 1013904223u;
    index = static_cast<I>(low + (seed >> 8) % (high - low));
  }
  return indices;
}

Index concat(std::initializer_list<Index> parts) {
  Index all;
  for (const Index &part : parts)
    all.insert(all.end(), part.begin(), part.end());
  return all;
}

Index head(const Index &index, int64_t count) {
  return Index(index.begin(), index.begin() + count);
}
Index tail(const Index &index, int64_t from) { return Index(index.begin() + from, index.end()); }

const std::vector<std::string> scatterKinds = {"replace", "add", "multiply", "max", "min"};

template <typename T> void applyUpdate(const std::string &kind, T &slot, T update) {
  slot = kind == "replace"    ? update
         : kind == "add"      ? static_cast<T>(slot + update)
         : kind == "multiply" ? static_cast<T>(slot * update)
         : kind == "max"      ? std::max(slot, update)
                              : std::min(slot, update);
}

template <typename T, typename I>
void checkSlices(const Shape &shape, const Shape &indexShape, int64_t axis) {
  Tensor<T> x = Tensor<T>::random(shape);
  Tensor<I> indices = randomIndices<I>(indexShape, 0, shape[axis]);
  int64_t count = indexShape.size();
  Tensor<T> picked(concat({head(shape, axis), indexShape, tail(shape, axis + 1)}));
  auto getPlace = [&](const Index &at) {
    Index number(at.begin() + axis, at.begin() + axis + count);
    return concat(
        {head(at, axis), {static_cast<int64_t>(indices[number])}, tail(at, axis + count)});
  };
  forEachIndex(picked.shape, [&](const Index &at) { picked[at] = x[getPlace(at)]; });
  std::string suffix = " axis = " + std::to_string(axis) + " : " + x.type() + ", " + indices.type();
  Execution gather({picked.type()}, "%r0 = lgc.gather %a0, %a1" + suffix, x, indices);
  expectClose(gather.get<T>(), picked.values, 0);
  Tensor<T> updates = Tensor<T>::random(picked.shape, 3);
  for (const std::string &kind : scatterKinds) {
    Tensor<T> expected = x;
    forEachIndex(updates.shape,
                 [&](const Index &at) { applyUpdate(kind, expected[getPlace(at)], updates[at]); });
    SCOPED_TRACE(kind + suffix);
    Execution scatter(
        {x.type()}, "%r0 = lgc.scatter " + kind + " %a0, %a1, %a2" + suffix + ", " + updates.type(),
        x, indices, updates);
    expectClose(scatter.get<T>(), expected.values, 64);
  }
}

TEST(Gather, SlicesAndTheirScatter) {
  checkSlices<float, int64_t>({5, 4}, {3, 2}, 0);
  checkSlices<double, int32_t>({3, 4, 2}, {5}, 1);
  checkSlices<int32_t, int64_t>({3, 4}, {}, 1);
  checkSlices<uint8_t, int32_t>({2, 3, 4}, {2, 2}, 2);
  checkSlices<float, int64_t>({5, 4}, {0}, 0);
  checkSlices<float, int64_t>({1}, {4}, 0);
}

TEST(Gather, NeverReadsOutside) {
  Tensor<float> x({3}, {1, 2, 3});
  Tensor<int64_t> indices(
      {4}, {-1, 3, std::numeric_limits<int64_t>::max(), std::numeric_limits<int64_t>::min()});
  Execution run({"tensor<4xf32>"},
                "%r0 = lgc.gather %a0, %a1 axis = 0 : tensor<3xf32>, tensor<4xi64>", x, indices);
  EXPECT_EQ(run.get<float>(), (std::vector<float>{1, 3, 3, 1}));
}

TEST(Scatter, DropsWhatIsOutside) {
  Tensor<float> x({3}, {1, 2, 3}), updates({4}, {10, 20, 30, 40});
  Tensor<int32_t> indices({4}, {-1, 3, 1, std::numeric_limits<int32_t>::min()});
  std::string types = " : tensor<3xf32>, tensor<4xi32>, tensor<4xf32>";
  Execution add({x.type()}, "%r0 = lgc.scatter add %a0, %a1, %a2 axis = 0" + types, x, indices,
                updates);
  EXPECT_EQ(add.get<float>(), (std::vector<float>{1, 32, 3}));
  Execution single({x.type()}, "%r0 = lgc.scatter_elements replace %a0, %a1, %a2 axis = 0" + types,
                   x, indices, updates);
  EXPECT_EQ(single.get<float>(), (std::vector<float>{1, 30, 3}));
  Tensor<int64_t> tuples({4, 1}, {-1, 3, 1, 7});
  Execution tuple({x.type()},
                  "%r0 = lgc.scatter_nd add %a0, %a1, %a2 batch_dims = 0 : tensor<3xf32>, "
                  "tensor<4x1xi64>, tensor<4xf32>",
                  x, tuples, updates);
  EXPECT_EQ(tuple.get<float>(), (std::vector<float>{1, 32, 3}));
}

template <typename T>
void checkTuples(const Shape &shape, const Shape &positions, int64_t batch, int64_t width) {
  Tensor<T> x = Tensor<T>::random(shape);
  Tensor<int64_t> tuples(concat({positions, {width}}));
  for (int64_t i = 0; i < countElements(tuples.shape); ++i)
    tuples.values[i] = (i * 7 + i / 3) % shape[batch + i % width];
  int64_t rank = positions.size();
  auto getPlace = [&](const Index &at) {
    Index place = head(at, batch);
    for (int64_t i = 0; i < width; ++i)
      place.push_back(tuples[concat({head(at, rank), {i}})]);
    return concat({place, tail(at, rank)});
  };
  Tensor<T> picked(concat({positions, tail(shape, batch + width)}));
  forEachIndex(picked.shape, [&](const Index &at) { picked[at] = x[getPlace(at)]; });
  std::string suffix =
      " batch_dims = " + std::to_string(batch) + " : " + x.type() + ", " + tuples.type();
  Execution gather({picked.type()}, "%r0 = lgc.gather_nd %a0, %a1" + suffix, x, tuples);
  expectClose(gather.get<T>(), picked.values, 0);
  Tensor<T> updates = Tensor<T>::random(picked.shape, 3);
  for (const std::string &kind : scatterKinds) {
    Tensor<T> expected = x;
    forEachIndex(updates.shape,
                 [&](const Index &at) { applyUpdate(kind, expected[getPlace(at)], updates[at]); });
    SCOPED_TRACE(kind + suffix);
    Execution scatter({x.type()},
                      "%r0 = lgc.scatter_nd " + kind + " %a0, %a1, %a2" + suffix + ", " +
                          updates.type(),
                      x, tuples, updates);
    expectClose(scatter.get<T>(), expected.values, 64);
  }
}

TEST(GatherNd, TuplesAndTheirScatter) {
  checkTuples<float>({3, 4, 5}, {6}, 0, 1);
  checkTuples<double>({3, 4, 5}, {2, 3}, 0, 2);
  checkTuples<int64_t>({3, 4}, {4}, 0, 2);
  checkTuples<float>({2, 3, 4}, {2, 3}, 1, 1);
  checkTuples<float>({2, 3, 4}, {2}, 1, 2);
}

template <typename T, typename I>
void checkElements(const Shape &shape, const Shape &indexShape, int64_t axis) {
  Tensor<T> x = Tensor<T>::random(shape), updates = Tensor<T>::random(indexShape, 3);
  Tensor<I> indices = randomIndices<I>(indexShape, 0, shape[axis]);
  auto getPlace = [&](Index at) {
    at[axis] = indices[at];
    return at;
  };
  Tensor<T> picked(indexShape);
  forEachIndex(indexShape, [&](const Index &at) { picked[at] = x[getPlace(at)]; });
  std::string suffix = " axis = " + std::to_string(axis) + " : " + x.type() + ", " + indices.type();
  Execution gather({picked.type()}, "%r0 = lgc.gather_elements %a0, %a1" + suffix, x, indices);
  expectClose(gather.get<T>(), picked.values, 0);
  for (const std::string &kind : scatterKinds) {
    Tensor<T> expected = x;
    forEachIndex(indexShape,
                 [&](const Index &at) { applyUpdate(kind, expected[getPlace(at)], updates[at]); });
    SCOPED_TRACE(kind + suffix);
    Execution scatter({x.type()},
                      "%r0 = lgc.scatter_elements " + kind + " %a0, %a1, %a2" + suffix + ", " +
                          updates.type(),
                      x, indices, updates);
    expectClose(scatter.get<T>(), expected.values, 64);
  }
}

TEST(GatherElements, SingleOnesAndTheirScatter) {
  checkElements<float, int64_t>({3, 4}, {3, 4}, 0);
  checkElements<double, int32_t>({3, 4}, {2, 6}, 1);
  checkElements<int8_t, int64_t>({4, 3, 2}, {1, 5, 2}, 1);
  checkElements<float, int64_t>({4}, {0}, 0);
}

TEST(Scatter, WorksInTheBufferOfAValueThatEndsThere) {
  Tensor<float> x({4}, {1, 2, 3, 4}), updates({3}, {10, 20, 30});
  Tensor<int64_t> indices({3}, {1, 3, 1});
  std::string types = " axis = 0 : tensor<4xf32>, tensor<3xi64>, tensor<3xf32>\n";
  // The first scatter's operand is read again, the second one's isn't.
  Execution run({x.type(), x.type()},
                "%negative = lgc.neg %a0 : tensor<4xf32>\n"
                "%first = lgc.scatter add %negative, %a1, %a2" +
                    types + "%r1 = lgc.scatter add %first, %a1, %a2" + types +
                    "%r0 = lgc.exp %negative : tensor<4xf32>",
                x, indices, updates);
  expectClose(run.get<float>(0),
              {std::exp(-1.0f), std::exp(-2.0f), std::exp(-3.0f), std::exp(-4.0f)});
  expectClose(run.get<float>(1), {-1, 78, -3, 36});
}

TEST(Scatter, HalvesAreAddedInSingle) {
  Tensor<float> x({2}, {0.5f, 1.0f}), updates({3}, {0.25f, 2.0f, -1.0f});
  Tensor<int64_t> indices({3}, {1, 0, 1});
  Execution run({"tensor<2xf32>"},
                "%x = lgc.cast %a0 : tensor<2xf32> to tensor<2xbf16>\n"
                "%u = lgc.cast %a2 : tensor<3xf32> to tensor<3xbf16>\n"
                "%s = lgc.scatter add %x, %a1, %u axis = 0 : tensor<2xbf16>, tensor<3xi64>, "
                "tensor<3xbf16>\n"
                "%r0 = lgc.cast %s : tensor<2xbf16> to tensor<2xf32>",
                x, indices, updates);
  EXPECT_EQ(run.get<float>(), (std::vector<float>{2.5f, 0.25f}));
}

} // namespace
