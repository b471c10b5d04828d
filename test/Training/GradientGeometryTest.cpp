//===- GradientGeometryTest.cpp - Gradients of operations of random shape -===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//
//
// Operations whose gradient depends on their geometry (dimensions, windows, indices), each with
// many random ones: sizes of 1, repeated indices, padding beyond the input, windows that skip
// elements. A failure names its seed.
//
//===----------------------------------------------------------------------===//

#include "GradientCheck.h"

using namespace lgc;

namespace {

using Ints = std::vector<int64_t>;

class Generator {
public:
  explicit Generator(unsigned seed) : engine(seed) {}

  int64_t between(int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(engine);
  }
  Ints ints(size_t count, int64_t low, int64_t high) {
    Ints result(count);
    for (int64_t &value : result)
      value = between(low, high);
    return result;
  }
  Ints permutation(size_t count) {
    Ints result(count);
    for (size_t i = 0; i < count; ++i)
      result[i] = i;
    std::shuffle(result.begin(), result.end(), engine);
    return result;
  }
  /// Some of `count` dimensions in order, at least `least` of them.
  Ints dims(size_t count, size_t least = 0) {
    Ints result = permutation(count);
    result.resize(between(least, count));
    std::sort(result.begin(), result.end());
    return result;
  }

private:
  std::mt19937 engine;
};

std::string list(const Ints &values) {
  std::string text = "[";
  for (size_t i = 0; i < values.size(); ++i)
    text += (i ? ", " : "") + std::to_string(values[i]);
  return text + "]";
}

std::string shape(const Ints &sizes) {
  std::string text;
  for (int64_t size : sizes)
    text += std::to_string(size) + "x";
  return text;
}

std::string tensor(const Ints &sizes, const std::string &element = "f64") {
  return "tensor<" + shape(sizes) + element + ">";
}

Ints pick(const Ints &from, const Ints &dims) {
  Ints result;
  for (int64_t dim : dims)
    result.push_back(from[dim]);
  return result;
}

GradientCase makeDot(Generator &g) {
  size_t batch = g.between(0, 2), contract = g.between(0, 2);
  size_t lhsRank = batch + contract + g.between(0, 2), rhsRank = batch + contract + g.between(0, 2);
  Ints lhs = g.ints(lhsRank, 1, 3), rhs = g.ints(rhsRank, 1, 3);
  Ints lhsOrder = g.permutation(lhsRank), rhsOrder = g.permutation(rhsRank);
  lhsOrder.resize(batch + contract), rhsOrder.resize(batch + contract);
  for (size_t i = 0; i < batch + contract; ++i)
    rhs[rhsOrder[i]] = lhs[lhsOrder[i]];
  auto part = [&](const Ints &order, bool batched) {
    return list(batched ? Ints(order.begin(), order.begin() + batch)
                        : Ints(order.begin() + batch, order.end()));
  };
  return {"dot",
          {shape(lhs), shape(rhs)},
          "%r = lgc.dot %a0, %a1 batch = " + part(lhsOrder, true) + " x " + part(rhsOrder, true) +
              " contract = " + part(lhsOrder, false) + " x " + part(rhsOrder, false) + " : " +
              tensor(lhs) + ", " + tensor(rhs)};
}

/// Windows over spatial dimensions, and the size they leave.
struct Windows {
  Windows(Generator &g, size_t rank)
      : input(g.ints(rank, 3, 6)), kernel(g.ints(rank, 1, 3)), strides(g.ints(rank, 1, 3)),
        dilations(g.ints(rank, 1, 2)), low(g.ints(rank, 0, 2)), high(g.ints(rank, 0, 2)) {
    for (size_t i = 0; i < rank; ++i) {
      int64_t reach = (kernel[i] - 1) * dilations[i] + 1;
      // The window fits into the padded input.
      high[i] += std::max<int64_t>(0, reach - (input[i] + low[i] + high[i]));
      output.push_back((input[i] + low[i] + high[i] - reach) / strides[i] + 1);
    }
  }
  std::string text() const {
    return "strides = " + list(strides) + " dilations = " + list(dilations) +
           " low = " + list(low) + " high = " + list(high) + " ";
  }
  Ints input, kernel, strides, dilations, low, high, output;
};

Ints join(Ints front, const Ints &back) {
  front.insert(front.end(), back.begin(), back.end());
  return front;
}

GradientCase makeConvolution(Generator &g) {
  Windows windows(g, g.between(1, 3));
  int64_t groups = g.between(1, 2), channels = g.between(1, 2), filters = g.between(1, 2);
  int64_t samples = g.between(1, 2);
  Ints input = join({samples, groups * channels}, windows.input);
  Ints filter = join({groups * filters, channels}, windows.kernel);
  Ints output = join({samples, groups * filters}, windows.output);
  std::string geometry = windows.text() + "groups = " + std::to_string(groups) + " : ";
  switch (g.between(0, 2)) {
  case 0:
    return {"convolution",
            {shape(input), shape(filter)},
            "%r = lgc.convolution %a0, %a1 " + geometry + tensor(input) + ", " + tensor(filter)};
  case 1:
    return {"convolution_input",
            {shape(output), shape(filter)},
            "%r = lgc.convolution_input %a0, %a1 " + geometry + tensor(output) + ", " +
                tensor(filter) + " to " + tensor(input)};
  default:
    return {"convolution_filter",
            {shape(input), shape(output)},
            "%r = lgc.convolution_filter %a0, %a1 " + geometry + tensor(input) + ", " +
                tensor(output) + " to " + tensor(filter)};
  }
}

GradientCase makeWindow(Generator &g) {
  size_t rank = g.between(1, 3);
  Windows windows(g, rank);
  Ints input = join(g.ints(2, 1, 2), windows.input);
  bool max = g.between(0, 1);
  // A window all in padding has no greatest element.
  if (max) {
    windows.low.assign(rank, 0), windows.high.assign(rank, 0);
    for (size_t i = 0; i < rank; ++i)
      windows.kernel[i] = std::min<int64_t>(windows.kernel[i], 2);
  }
  return {"reduce_window",
          {shape(input)},
          std::string("%r = lgc.reduce_window ") + (max ? "max" : "sum") + " %a0 window = " +
              list(windows.kernel) + " " + windows.text() + ": " + tensor(input)};
}

GradientCase makeReduction(Generator &g) {
  Ints sizes = g.ints(g.between(1, 4), 1, 4);
  const char *kinds[] = {"sum", "max", "min", "product"};
  return {"reduce",
          {shape(sizes)},
          std::string("%r = lgc.reduce ") + kinds[g.between(0, 3)] +
              " %a0 dims = " + list(g.dims(sizes.size())) + " : " + tensor(sizes)};
}

GradientCase makeBroadcast(Generator &g) {
  Ints result = g.ints(g.between(1, 4), 1, 3), dims = g.dims(result.size());
  Ints sizes = pick(result, dims);
  for (int64_t &size : sizes)
    if (g.between(0, 1))
      size = 1;
  return {"broadcast",
          {shape(sizes)},
          "%r = lgc.broadcast %a0 dims = " + list(dims) + " : " + tensor(sizes) + " to " +
              tensor(result)};
}

GradientCase makeTranspose(Generator &g) {
  Ints sizes = g.ints(g.between(1, 5), 1, 3);
  return {"transpose",
          {shape(sizes)},
          "%r = lgc.transpose %a0 permutation = " + list(g.permutation(sizes.size())) + " : " +
              tensor(sizes)};
}

GradientCase makeSlice(Generator &g) {
  Ints sizes = g.ints(g.between(1, 3), 1, 7), starts, limits;
  for (int64_t size : sizes) {
    starts.push_back(g.between(0, size - 1));
    limits.push_back(g.between(starts.back() + 1, size));
  }
  return {"slice",
          {shape(sizes)},
          "%r = lgc.slice %a0 starts = " + list(starts) + " limits = " + list(limits) +
              " strides = " + list(g.ints(sizes.size(), 1, 4)) + " : " + tensor(sizes)};
}

GradientCase makePad(Generator &g) {
  size_t rank = g.between(1, 3);
  Ints sizes = g.ints(rank, 1, 4);
  return {"pad",
          {shape(sizes)},
          "%r = lgc.pad %a0 value = 0.5 : f64 low = " + list(g.ints(rank, 0, 2)) +
              " high = " + list(g.ints(rank, 0, 2)) + " interior = " + list(g.ints(rank, 0, 2)) +
              " : " + tensor(sizes)};
}

GradientCase makeConcat(Generator &g) {
  Ints sizes = g.ints(g.between(1, 3), 1, 3);
  size_t dim = g.between(0, sizes.size() - 1), count = g.between(1, 4);
  GradientCase c{"concat", {}, "%r = lgc.concat ", -2.0, 2.0};
  std::string types;
  for (size_t i = 0; i < count; ++i) {
    sizes[dim] = g.between(1, 3);
    c.shapes.push_back(shape(sizes));
    c.body += (i ? ", %a" : "%a") + std::to_string(i);
    types += (i ? ", " : "") + tensor(sizes);
  }
  c.body += " dim = " + std::to_string(dim) + " : " + types;
  return c;
}

/// Indices, some equal.
std::string indices(const Ints &sizes, const Ints &values) {
  std::string flat = tensor({int64_t(values.size())}, "i64");
  return "%f = lgc.constant dense<" + list(values) + "> : " + flat +
         "\n%i = lgc.reshape %f : " + flat + " to " + tensor(sizes, "i64") + "\n";
}

GradientCase makeGather(Generator &g) {
  Ints sizes = g.ints(g.between(1, 3), 1, 4);
  size_t axis = g.between(0, sizes.size() - 1);
  Ints picks = g.ints(g.between(1, 2), 1, 3);
  int64_t count = picks.size() == 1 ? picks[0] : picks[0] * picks[1];
  return {"gather",
          {shape(sizes)},
          indices(picks, g.ints(count, 0, sizes[axis] - 1)) + "%r = lgc.gather %a0, %i axis = " +
              std::to_string(axis) + " : " + tensor(sizes) + ", " + tensor(picks, "i64")};
}

GradientCase makeScatter(Generator &g) {
  Ints sizes = g.ints(g.between(1, 3), 1, 4), updates = sizes;
  size_t axis = g.between(0, sizes.size() - 1);
  updates[axis] = g.between(1, 4);
  return {"scatter",
          {shape(sizes), shape(updates)},
          indices({updates[axis]}, g.ints(updates[axis], 0, sizes[axis] - 1)) +
              "%r = lgc.scatter add %a0, %i, %a1 axis = " + std::to_string(axis) + " : " +
              tensor(sizes) + ", " + tensor({updates[axis]}, "i64") + ", " + tensor(updates)};
}

GradientCase makeNormalization(Generator &g) {
  Ints sizes = g.ints(g.between(1, 4), 1, 4);
  bool mean = g.between(0, 1);
  return {"normalize",
          {shape(sizes)},
          std::string(mean ? "%r, %m, %s = lgc.normalize" : "%r, %s = lgc.rms_normalize") +
              " %a0 dims = " + list(g.dims(sizes.size(), 1)) +
              " epsilon = 1.0e-1 : " + tensor(sizes)};
}

GradientCase makeSoftmax(Generator &g) {
  Ints sizes = g.ints(g.between(1, 4), 1, 4);
  return {"softmax",
          {shape(sizes)},
          std::string("%r = lgc.") + (g.between(0, 1) ? "softmax" : "log_softmax") + " %a0 dim = " +
              std::to_string(g.between(0, sizes.size() - 1)) + " : " + tensor(sizes)};
}

GradientCase makeCrossEntropy(Generator &g) {
  Ints sizes = g.ints(g.between(1, 3), 1, 4), positions = sizes;
  size_t dim = g.between(0, sizes.size() - 1);
  positions.erase(positions.begin() + dim);
  int64_t count = 1;
  for (int64_t size : positions)
    count *= size;
  // -1 is ignored.
  return {"cross_entropy",
          {shape(sizes)},
          indices(positions, g.ints(count, -1, sizes[dim] - 1)) +
              "%r, %l = lgc.cross_entropy %a0, %i dim = " + std::to_string(dim) +
              " ignore_index = -1 : " + tensor(sizes) + ", " + tensor(positions, "i64")};
}

GradientCase makeAttention(Generator &g) {
  Ints heads = g.ints(g.between(0, 2), 1, 2);
  int64_t queries = g.between(1, 4), keys = g.between(1, 4), width = g.between(1, 3);
  Ints query = join(heads, {queries, width}), key = join(heads, {keys, width});
  Ints value = join(heads, {keys, g.between(1, 3)});
  return {"attention",
          {shape(query), shape(key), shape(value)},
          std::string("%r, %l = lgc.attention %a0, %a1, %a2 scale = 0.7 ") +
              (g.between(0, 1) ? "causal : " : ": ") + tensor(query) + ", " + tensor(key) + ", " +
              tensor(value)};
}

GradientCase makeCumulative(Generator &g) {
  Ints sizes = g.ints(g.between(1, 3), 1, 5);
  return {"cumulative",
          {shape(sizes)},
          "%r = lgc.cumulative sum %a0 dim = " + std::to_string(g.between(0, sizes.size() - 1)) +
              (g.between(0, 1) ? " exclusive" : "") + (g.between(0, 1) ? " reverse" : "") + " : " +
              tensor(sizes)};
}

using Maker = GradientCase (*)(Generator &);
const std::pair<const char *, Maker> families[] = {
    {"Dot", makeDot},
    {"Convolution", makeConvolution},
    {"Window", makeWindow},
    {"Reduction", makeReduction},
    {"Broadcast", makeBroadcast},
    {"Transpose", makeTranspose},
    {"Slice", makeSlice},
    {"Pad", makePad},
    {"Concat", makeConcat},
    {"Gather", makeGather},
    {"Scatter", makeScatter},
    {"Normalization", makeNormalization},
    {"Softmax", makeSoftmax},
    {"CrossEntropy", makeCrossEntropy},
    {"Attention", makeAttention},
    {"Cumulative", makeCumulative},
};

class GradientGeometry : public testing::TestWithParam<std::pair<const char *, Maker>> {};

} // namespace

TEST_P(GradientGeometry, EqualsCentralDifferences) {
  for (unsigned seed = 1; seed <= 8; ++seed) {
    Generator generator(seed);
    SCOPED_TRACE("seed " + std::to_string(seed));
    checkGradient(GetParam().second(generator));
    if (HasFatalFailure())
      return;
  }
}

INSTANTIATE_TEST_SUITE_P(Random, GradientGeometry, testing::ValuesIn(families),
                         [](const auto &info) { return info.param.first; });
