//===- CompositeTest.cpp - Composites, run ---------------------------------===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Execution.h"
#include <algorithm>

using namespace lgc::test;

namespace {

/// Composites as few kernels and, for comparison, as one kernel for each operation.
class Composite : public testing::TestWithParam<bool> {
protected:
  void SetUp() override { fuseOperations = GetParam(); }
  void TearDown() override { fuseOperations = true; }
};

INSTANTIATE_TEST_SUITE_P(Fusion, Composite, testing::Bool(),
                         [](const auto &info) { return info.param ? "On" : "Off"; });

Shape withSize(Shape shape, int64_t dim, int64_t size) {
  shape[dim] = size;
  return shape;
}

Shape dropDim(Shape shape, int64_t dim) {
  shape.erase(shape.begin() + dim);
  return shape;
}

/// Calls `body` with a function that gives the i-th index along `dim`, for each row.
void forEachRow(const Shape &shape, int64_t dim,
                const std::function<void(const std::function<Index(int64_t)> &)> &body) {
  forEachIndex(withSize(shape, dim, 1),
               [&](const Index &row) { body([&](int64_t i) { return withSize(row, dim, i); }); });
}

template <typename T>
double getLogSum(const Tensor<T> &x, int64_t dim, const std::function<Index(int64_t)> &at) {
  double most = -std::numeric_limits<double>::infinity(), sum = 0;
  for (int64_t i = 0; i < x.shape[dim]; ++i)
    most = std::max<double>(most, x[at(i)]);
  for (int64_t i = 0; i < x.shape[dim]; ++i)
    sum += std::exp(x[at(i)] - most);
  return most + std::log(sum);
}

template <typename T> void checkSoftmax(Tensor<T> x, int64_t dim, T scale) {
  for (T &value : x.values)
    value *= scale;
  Tensor<T> softmax(x.shape), logSoftmax(x.shape);
  forEachRow(x.shape, dim, [&](const auto &at) {
    double logSum = getLogSum(x, dim, at);
    for (int64_t i = 0; i < x.shape[dim]; ++i) {
      logSoftmax[at(i)] = x[at(i)] - logSum;
      softmax[at(i)] = std::exp(x[at(i)] - logSum);
    }
  });
  std::string suffix = " %a0 dim = " + std::to_string(dim) + " : " + x.type();
  SCOPED_TRACE(suffix);
  Execution run({x.type(), x.type()},
                "%r0 = lgc.softmax" + suffix + "\n%r1 = lgc.log_softmax" + suffix, x);
  expectClose(run.get<T>(0), softmax.values, 64);
  expectClose(run.get<T>(1), logSoftmax.values, 64);
}

TEST_P(Composite, Softmax) {
  checkSoftmax(Tensor<float>::random({4, 37}), 1, 1.0f);
  checkSoftmax(Tensor<double>::random({3, 5, 2}), 1, 10.0);
  checkSoftmax(Tensor<double>::random({6, 3}), 0, 1.0);
  checkSoftmax(Tensor<float>::random({2, 1}), 1, 1.0f);
  // Exponentials of these overflow.
  checkSoftmax(Tensor<float>::random({2, 8}), 1, 1000.0f);
}

TEST_P(Composite, SafeSoftmax) {
  Tensor<float> x = Tensor<float>::random({3, 4});
  std::fill_n(x.values.begin() + 4, 4, -std::numeric_limits<float>::infinity());
  Execution run({x.type(), x.type()},
                "%r0 = lgc.softmax %a0 dim = 1 safe : " + x.type() +
                    "\n%r1 = lgc.softmax %a0 dim = 1 : " + x.type(),
                x);
  std::vector<float> expected = run.get<float>(1);
  EXPECT_TRUE(std::isnan(expected[4]));
  std::fill_n(expected.begin() + 4, 4, 0.0f);
  EXPECT_EQ(run.get<float>(0), expected);
}

template <typename T>
void checkNormalize(const Shape &shape, const std::vector<int64_t> &dims, double offset) {
  Tensor<T> x = Tensor<T>::random(shape);
  for (T &value : x.values)
    value += static_cast<T>(offset);
  Shape kept;
  auto project = [&](const Index &at) {
    Index index;
    for (size_t dim = 0; dim < at.size(); ++dim)
      if (!std::count(dims.begin(), dims.end(), dim))
        index.push_back(at[dim]);
    return index;
  };
  double epsilon = 1e-5;
  Tensor<double> mean(project(shape)), variance(mean.shape), square(mean.shape);
  double count = countElements(shape) / std::max<double>(1, countElements(mean.shape));
  forEachIndex(shape, [&](const Index &at) { mean[project(at)] += x[at] / count; });
  forEachIndex(shape, [&](const Index &at) {
    double centred = x[at] - mean[project(at)];
    variance[project(at)] += centred * centred / count;
    square[project(at)] += static_cast<double>(x[at]) * x[at] / count;
  });
  Tensor<T> normal(shape), rms(shape), meanT(mean.shape), rstd(mean.shape), rmsRstd(mean.shape);
  forEachIndex(mean.shape, [&](const Index &at) {
    meanT[at] = mean[at];
    rstd[at] = 1 / std::sqrt(variance[at] + epsilon);
    rmsRstd[at] = 1 / std::sqrt(square[at] + epsilon);
  });
  forEachIndex(shape, [&](const Index &at) {
    normal[at] = (x[at] - mean[project(at)]) * rstd[project(at)];
    rms[at] = x[at] * rmsRstd[project(at)];
  });
  std::string suffix = " %a0 dims = " + list(dims) + " epsilon = 1.0e-5 : " + x.type();
  SCOPED_TRACE(suffix);
  Execution run(
      {x.type(), meanT.type(), rstd.type(), x.type(), rstd.type()},
      "%r0, %r1, %r2 = lgc.normalize" + suffix + "\n%r3, %r4 = lgc.rms_normalize" + suffix, x);
  double terms = 64 + 512 * std::abs(offset);
  expectClose(run.get<T>(0), normal.values, terms);
  expectClose(run.get<T>(1), meanT.values, 64);
  expectClose(run.get<T>(2), rstd.values, terms);
  expectClose(run.get<T>(3), rms.values, 64);
  expectClose(run.get<T>(4), rmsRstd.values, 64);
}

TEST_P(Composite, Normalize) {
  checkNormalize<double>({4, 33}, {1}, 0);
  checkNormalize<float>({4, 33}, {1}, 0);
  checkNormalize<double>({3, 4, 5, 2}, {0, 2, 3}, 0);
  checkNormalize<float>({3, 4, 5, 2}, {0, 2, 3}, 0);
  checkNormalize<double>({2, 3, 4}, {1, 2}, 0);
  // A mean that is large beside the deviation: a one-pass variance would be wrong.
  checkNormalize<float>({4, 64}, {1}, 100);
}

template <typename T, typename I>
void checkCrossEntropy(const Shape &shape, int64_t dim, const std::string &ignore) {
  Tensor<T> x = Tensor<T>::random(shape);
  Tensor<I> labels(dropDim(shape, dim));
  for (size_t i = 0; i < labels.values.size(); ++i)
    labels.values[i] = i % 3 == 2 ? -100 : (i * 5) % shape[dim];
  Tensor<T> loss(labels.shape), logSum(labels.shape);
  forEachRow(shape, dim, [&](const auto &at) {
    Index row = dropDim(at(0), dim);
    double sum = getLogSum(x, dim, at);
    bool isIgnored = labels[row] == -100;
    logSum[row] = sum;
    // A label outside of the classes chooses no logit.
    loss[row] = isIgnored ? (ignore.empty() ? sum : 0) : sum - x[at(labels[row])];
  });
  std::string text = "%r0, %r1 = lgc.cross_entropy %a0, %a1 dim = " + std::to_string(dim) + ignore +
                     " : " + x.type() + ", " + labels.type();
  SCOPED_TRACE(text);
  Execution run({loss.type(), logSum.type()}, text, x, labels);
  expectClose(run.get<T>(0), loss.values, 64);
  expectClose(run.get<T>(1), logSum.values, 64);
}

TEST_P(Composite, CrossEntropy) {
  checkCrossEntropy<float, int64_t>({7, 10}, 1, " ignore_index = -100");
  checkCrossEntropy<double, int64_t>({2, 5, 3, 2}, 1, " ignore_index = -100");
  checkCrossEntropy<double, int32_t>({4, 6}, 1, "");
}

struct Attention {
  Shape batch;
  int64_t queries, keys, width, valueWidth;
  bool causal;
  /// The bias's shape; none if it doesn't start with a number.
  Shape bias;
  bool hasBias;
};

template <typename T> void checkAttention(const Attention &c) {
  auto extend = [&](int64_t rows, int64_t columns) {
    Shape shape = c.batch;
    shape.insert(shape.end(), {rows, columns});
    return shape;
  };
  Tensor<T> query = Tensor<T>::random(extend(c.queries, c.width), 1);
  Tensor<T> key = Tensor<T>::random(extend(c.keys, c.width), 2);
  Tensor<T> value = Tensor<T>::random(extend(c.keys, c.valueWidth), 3);
  Tensor<T> bias = Tensor<T>::random(c.bias, 4);
  // A masked key.
  if (c.hasBias)
    bias.values[0] = -std::numeric_limits<T>::infinity();
  Tensor<T> result(extend(c.queries, c.valueWidth)),
      logSum(dropDim(result.shape, result.shape.size() - 1));
  const double scale = 0.25;
  forEachIndex(logSum.shape, [&](const Index &row) {
    Index batch(row.begin(), row.end() - 1);
    auto at = [&](int64_t i, int64_t j) {
      Index index = batch;
      index.insert(index.end(), {i, j});
      return index;
    };
    int64_t i = row.back();
    std::vector<double> scores(c.keys);
    double most = -std::numeric_limits<double>::infinity(), sum = 0;
    for (int64_t j = 0; j < c.keys; ++j) {
      for (int64_t d = 0; d < c.width; ++d)
        scores[j] += scale * query[at(i, d)] * key[at(j, d)];
      if (c.hasBias) {
        Index full = at(i, j), place(full.end() - c.bias.size(), full.end());
        for (size_t dim = 0; dim < place.size(); ++dim)
          if (c.bias[dim] == 1)
            place[dim] = 0;
        scores[j] += bias[place];
      }
      if (c.causal && j > i + c.keys - c.queries)
        scores[j] = -std::numeric_limits<double>::infinity();
      most = std::max(most, scores[j]);
    }
    if (std::isinf(most))
      return;
    for (double score : scores)
      sum += std::exp(score - most);
    logSum[row] = most + std::log(sum);
    for (int64_t j = 0; j < c.keys; ++j)
      for (int64_t e = 0; e < c.valueWidth; ++e)
        result[at(i, e)] += std::exp(scores[j] - most) / sum * value[at(j, e)];
  });
  std::string text = std::string("%r0, %r1 = lgc.attention %a0, %a1, %a2 ") +
                     (c.hasBias ? "bias %a3 " : "") + "scale = 2.5e-1 " +
                     (c.causal ? "causal " : "") + ": " + query.type() + ", " + key.type() + ", " +
                     value.type() + (c.hasBias ? ", " + bias.type() : "");
  SCOPED_TRACE(text);
  Execution run({result.type(), logSum.type()}, text, query, key, value, bias);
  expectClose(run.get<T>(0), result.values, 128);
  expectClose(run.get<T>(1), logSum.values, 128);
}

TEST_P(Composite, Attention) {
  for (const Attention &c : std::vector<Attention>{
           {{2, 3}, 5, 5, 4, 4, false, {}, false},
           {{2, 3}, 5, 5, 4, 4, true, {}, false},
           {{}, 3, 6, 2, 5, true, {3, 6}, true},
           {{2}, 3, 4, 2, 2, false, {1, 4}, true},
           {{2, 2}, 3, 4, 2, 2, false, {2, 1, 1, 4}, true},
           // The first query sees no key.
           {{1}, 3, 2, 4, 3, true, {}, false},
           {{1}, 1, 1, 1, 1, false, {1, 1, 1}, true},
       }) {
    checkAttention<double>(c);
    checkAttention<float>(c);
  }
}

} // namespace
