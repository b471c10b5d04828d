//===- MatmulTest.cpp - Matrix products against three loops ---------------===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "lgc/Runtime/Kernels.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

namespace {
std::vector<float> randomValues(size_t count, unsigned seed) {
  std::mt19937 generator(seed);
  std::uniform_real_distribution<float> distribution(-1, 1);
  std::vector<float> values(count);
  for (float &value : values)
    value = distribution(generator);
  return values;
}

int64_t extent(const lgc_matmul_descriptor &d, int64_t rows, int64_t columns,
               const int64_t *strides, const int64_t *batchStrides) {
  int64_t last = (rows - 1) * strides[0] + (columns - 1) * strides[1];
  for (int64_t i = 0; i < d.batch_rank; ++i)
    last += (d.batch[i] - 1) * batchStrides[i];
  return last + 1;
}

std::vector<float> reference(const lgc_matmul_descriptor &d, const std::vector<float> &a,
                             const std::vector<float> &b, const float *bias,
                             const std::vector<float> &initial) {
  std::vector<double> sums(initial.size(), NAN);
  int64_t matrices = 1;
  for (int64_t i = 0; i < d.batch_rank; ++i)
    matrices *= d.batch[i];
  for (int64_t index = 0; index < matrices; ++index) {
    int64_t rest = index, offsetA = 0, offsetB = 0, offsetC = 0;
    for (int64_t i = d.batch_rank - 1; i >= 0; --i) {
      int64_t position = rest % d.batch[i];
      rest /= d.batch[i];
      offsetA += position * d.a_batch_strides[i];
      offsetB += position * d.b_batch_strides[i];
      offsetC += position * d.c_batch_strides[i];
    }
    for (int64_t i = 0; i < d.m; ++i)
      for (int64_t j = 0; j < d.n; ++j) {
        double &sum = sums[size_t(offsetC + i * d.c_strides[0] + j * d.c_strides[1])];
        if (std::isnan(sum)) {
          sum = bias ? double(bias[j]) : 0.0;
          if (d.accumulate)
            sum += initial[size_t(offsetC + i * d.c_strides[0] + j * d.c_strides[1])];
        }
        for (int64_t k = 0; k < d.k; ++k)
          sum += d.alpha * a[size_t(offsetA + i * d.a_strides[0] + k * d.a_strides[1])] *
                 b[size_t(offsetB + k * d.b_strides[0] + j * d.b_strides[1])];
      }
  }
  std::vector<float> result(initial);
  for (size_t i = 0; i < result.size(); ++i)
    if (!std::isnan(sums[i]))
      result[i] = float(sums[i]);
  return result;
}

void check(lgc_matmul_descriptor d, bool withBias = false) {
  auto a = randomValues(size_t(extent(d, d.m, d.k, d.a_strides, d.a_batch_strides)), 1);
  auto b = randomValues(size_t(extent(d, d.k, d.n, d.b_strides, d.b_batch_strides)), 2);
  auto c = randomValues(size_t(extent(d, d.m, d.n, d.c_strides, d.c_batch_strides)), 3);
  auto bias = randomValues(size_t(d.n), 4);
  auto expected = reference(d, a, b, withBias ? bias.data() : nullptr, c);
  int64_t scratchBytes = lgc_matmul_scratch_bytes(&d);
  ASSERT_GE(scratchBytes, 0);
  d.scratch_bytes = scratchBytes;
  std::vector<float> scratch(size_t(scratchBytes) / sizeof(float));
  if (withBias)
    lgc_matmul_bias(&d, a.data(), b.data(), bias.data(), c.data(), scratch.data());
  else
    lgc_matmul(&d, a.data(), b.data(), c.data(), scratch.data());
  for (size_t i = 0; i < c.size(); ++i)
    ASSERT_NEAR(c[i], expected[i], 1e-4 * std::sqrt(double(d.k) + 1)) << "element " << i;
}

/// A dense product with the given batch; `transposeA` says that A lies as k x m.
lgc_matmul_descriptor dense(std::vector<int64_t> batch, int64_t m, int64_t n, int64_t k,
                            bool transposeA, bool transposeB) {
  lgc_matmul_descriptor d = {};
  d.m = m;
  d.n = n;
  d.k = k;
  d.alpha = 1;
  d.batch_rank = int64_t(batch.size());
  d.a_strides[0] = transposeA ? 1 : k;
  d.a_strides[1] = transposeA ? m : 1;
  d.b_strides[0] = transposeB ? 1 : n;
  d.b_strides[1] = transposeB ? k : 1;
  d.c_strides[0] = n;
  d.c_strides[1] = 1;
  int64_t matrices = 1;
  for (size_t i = batch.size(); i-- > 0;) {
    d.batch[i] = batch[i];
    d.a_batch_strides[i] = matrices * m * k;
    d.b_batch_strides[i] = matrices * k * n;
    d.c_batch_strides[i] = matrices * m * n;
    matrices *= batch[i];
  }
  return d;
}
} // namespace

TEST(Matmul, TransposesOfBothOperands) {
  for (bool transposeA : {false, true})
    for (bool transposeB : {false, true})
      for (auto [m, n, k] : std::vector<std::array<int64_t, 3>>{
               {1, 1, 1}, {3, 5, 7}, {1, 9, 4}, {9, 1, 4}, {4, 6, 1}, {65, 33, 129}})
        check(dense({}, m, n, k, transposeA, transposeB));
}

TEST(Matmul, Batches) {
  for (bool transposeA : {false, true})
    for (bool transposeB : {false, true}) {
      check(dense({3}, 4, 5, 6, transposeA, transposeB));
      check(dense({2, 3, 1, 2}, 7, 3, 5, transposeA, transposeB));
      check(dense({1, 2, 1, 2, 1, 2}, 2, 3, 4, transposeA, transposeB));
      check(dense({3}, 80, 80, 80, transposeA, transposeB));
    }
}

TEST(Matmul, AccumulateAlphaBias) {
  for (bool withBias : {false, true})
    for (int64_t accumulate : {0, 1}) {
      auto d = dense({2, 2}, 5, 6, 7, false, true);
      d.accumulate = accumulate;
      d.alpha = 0.25;
      check(d, withBias);
    }
}

TEST(Matmul, BroadcastOperands) {
  auto d = dense({3, 2}, 4, 5, 6, false, false);
  d.b_batch_strides[0] = d.b_batch_strides[1] = 0; // one weight: becomes a 2-d product
  check(d);
  d = dense({3, 2}, 4, 5, 6, true, false);
  d.b_batch_strides[0] = d.b_batch_strides[1] = 0; // rows of A aren't contiguous
  check(d);
  d = dense({3, 2}, 4, 5, 6, false, true);
  d.a_batch_strides[0] = 0;
  d.a_batch_strides[1] = 24;
  check(d);
  d = dense({3}, 1, 5, 6, false, true);
  d.a_batch_strides[0] = d.b_batch_strides[0] = 0;
  check(d);
}

TEST(Matmul, SumOverBatch) {
  auto d = dense({3, 2}, 4, 5, 6, true, false);
  d.c_batch_strides[0] = d.c_batch_strides[1] = 0; // a weight's gradient: k becomes 36
  check(d);
  d = dense({3, 2}, 4, 5, 6, false, false);
  d.c_batch_strides[0] = 0;
  d.c_batch_strides[1] = 20;
  check(d);
  d.accumulate = 1;
  check(d, /*withBias=*/true);
}

TEST(Matmul, HeadsOfAttentionInPlace) {
  // [batch, length, heads, width] operands, without transposing them in memory.
  int64_t batch = 2, length = 5, heads = 3, width = 4;
  auto d = dense({batch, heads}, length, length, width, false, false);
  d.a_strides[0] = heads * width;
  d.b_strides[0] = 1;
  d.b_strides[1] = heads * width;
  for (int64_t *strides : {d.a_batch_strides, d.b_batch_strides}) {
    strides[0] = length * heads * width;
    strides[1] = width;
  }
  check(d);
}

TEST(Matmul, StridesThatNeedACopy) {
  auto d = dense({2, 2}, 4, 5, 6, false, false);
  d.a_strides[0] = 13;
  d.a_strides[1] = 2;
  d.a_batch_strides[1] = 52;
  d.a_batch_strides[0] = 104;
  EXPECT_GT(lgc_matmul_scratch_bytes(&d), 0);
  check(d);
  d.b_strides[0] = 0; // every row of B is the same
  check(d);
  d.b_batch_strides[0] = 0;
  check(d);
}

TEST(Matmul, SparseOutput) {
  auto d = dense({3}, 4, 5, 6, false, false);
  d.c_strides[0] = 11;
  d.c_batch_strides[0] = 50;
  check(d);
}

TEST(Matmul, EmptyDimensions) {
  float value = 3;
  auto d = dense({}, 1, 1, 0, false, false);
  d.scratch_bytes = lgc_matmul_scratch_bytes(&d);
  lgc_matmul(&d, &value, &value, &value, nullptr);
  EXPECT_EQ(value, 0);
  value = 3;
  d.accumulate = 1;
  lgc_matmul(&d, &value, &value, &value, nullptr);
  EXPECT_EQ(value, 3);
  d = dense({0}, 1, 1, 1, false, false);
  lgc_matmul(&d, &value, &value, &value, nullptr);
  EXPECT_EQ(value, 3);
}

TEST(Matmul, RefusesWhatItCannotRun) {
  auto d = dense({}, 2, 3, 4, false, false);
  d.c_strides[1] = 2;
  EXPECT_EQ(lgc_matmul_scratch_bytes(&d), -1);
  d = dense({}, 2, 3, 4, false, false);
  d.batch_rank = 7;
  EXPECT_EQ(lgc_matmul_scratch_bytes(&d), -1);
  d = dense({}, -2, 3, 4, false, false);
  EXPECT_EQ(lgc_matmul_scratch_bytes(&d), -1);
}
