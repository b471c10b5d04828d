//===- KernelTest.cpp - Kernels of every kind against plain loops ---------===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "TestProgram.h"
#include <cmath>
#include <random>

using namespace lgc::test;

namespace {

template <typename T = float> std::vector<T> makeNumbers(size_t count, unsigned seed = 1) {
  std::mt19937 generator(seed);
  std::uniform_real_distribution<double> distribution(-2.0, 2.0);
  std::vector<T> numbers(count);
  for (T &number : numbers)
    number = static_cast<T>(distribution(generator));
  return numbers;
}

template <typename T>
void expectNear(const std::vector<T> &actual, const std::vector<T> &expected,
                double tolerance = 2e-6) {
  ASSERT_EQ(actual.size(), expected.size());
  for (size_t i = 0; i < actual.size(); ++i)
    ASSERT_NEAR(actual[i], expected[i], tolerance * (1.0 + std::fabs(expected[i]))) << "at " << i;
}

std::string tensor(const std::vector<int64_t> &shape, const std::string &type = "f32") {
  std::string text = "tensor<";
  for (int64_t size : shape)
    text += std::to_string(size) + "x";
  return text + type + ">";
}

} // namespace

TEST(LoopKernel, SeveralResultsOfOneDomain) {
  std::string type = tensor({3, 17});
  TestProgram program({type, type}, {type, type},
                      "%0 = lgc.mul %a0, %a1 : " + type + "\n%1 = lgc.tanh %0 : " + type +
                          "\nreturn %0, %1 : " + type + ", " + type);
  ASSERT_TRUE(program);
  auto x = makeNumbers(51), y = makeNumbers(51, 2);
  program.set("a0", x);
  program.set("a1", y);
  program.run();
  std::vector<float> product(51), tanh(51);
  for (size_t i = 0; i < 51; ++i) {
    product[i] = x[i] * y[i];
    tanh[i] = std::tanh(product[i]);
  }
  expectNear(program.get<float>("r0"), product);
  expectNear(program.get<float>("r1"), tanh);
}

TEST(LoopKernel, BroadcastOverOuterAndInnerDimensions) {
  TestProgram program(
      {tensor({5}), tensor({4, 1})}, {tensor({2, 4, 5})},
      "%0 = lgc.broadcast %a0 dims = [2] : tensor<5xf32> to tensor<2x4x5xf32>\n"
      "%1 = lgc.broadcast %a1 dims = [1, 2] : tensor<4x1xf32> to tensor<2x4x5xf32>\n"
      "%2 = lgc.sub %0, %1 : tensor<2x4x5xf32>\nreturn %2 : tensor<2x4x5xf32>");
  ASSERT_TRUE(program);
  auto x = makeNumbers(5), y = makeNumbers(4, 2);
  program.set("a0", x);
  program.set("a1", y);
  program.run();
  std::vector<float> expected;
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 4; ++j)
      for (int k = 0; k < 5; ++k)
        expected.push_back(x[k] - y[j]);
  expectNear(program.get<float>("r0"), expected);
}

TEST(LoopKernel, RearrangementsReadWithinTheirOperands) {
  TestProgram program(
      {tensor({2, 3}), tensor({2, 2})}, {tensor({9, 2})},
      "%0 = lgc.concat %a0, %a1 dim = 1 : tensor<2x3xf32>, tensor<2x2xf32>\n"
      "%1 = lgc.transpose %0 permutation = [1, 0] : tensor<2x5xf32>\n"
      "%2 = lgc.slice %1 starts = [1, 0] limits = [5, 2] strides = [1, 1] : tensor<5x2xf32>\n"
      "%3 = lgc.pad %2 value = 7.0 : f32 low = [1, 0] high = [1, 0] interior = [1, 0] : "
      "tensor<4x2xf32>\nreturn %3 : tensor<9x2xf32>");
  ASSERT_TRUE(program);
  program.set<float>("a0", {0, 1, 2, 3, 4, 5});
  program.set<float>("a1", {10, 11, 12, 13});
  program.run();
  expectNear(program.get<float>("r0"), {7, 7, 1, 4, 7, 7, 2, 5, 7, 7, 10, 12, 7, 7, 11, 13, 7, 7});
}

namespace {
struct SoftmaxCase {
  std::vector<int64_t> shape;
  int64_t dim;
};
class Softmax : public testing::TestWithParam<std::tuple<SoftmaxCase, bool>> {};
} // namespace

TEST_P(Softmax, EqualsItsDefinition) {
  const auto &[param, fuse] = GetParam();
  std::string type = tensor(param.shape);
  TestProgram program({type}, {type},
                      "%0 = lgc.softmax %a0 dim = " + std::to_string(param.dim) + " : " + type +
                          "\nreturn %0 : " + type,
                      fuse);
  ASSERT_TRUE(program);
  int64_t outer = 1, inner = 1, size = param.shape[param.dim];
  for (int64_t i = 0; i < static_cast<int64_t>(param.shape.size()); ++i)
    (i < param.dim ? outer : inner) *= i == param.dim ? 1 : param.shape[i];
  auto x = makeNumbers(outer * size * inner);
  program.set("a0", x);
  program.run();
  std::vector<float> expected(x.size());
  for (int64_t o = 0; o < outer; ++o)
    for (int64_t i = 0; i < inner; ++i) {
      double sum = 0.0;
      for (int64_t k = 0; k < size; ++k)
        sum += std::exp(static_cast<double>(x[(o * size + k) * inner + i]));
      for (int64_t k = 0; k < size; ++k)
        expected[(o * size + k) * inner + i] = std::exp(x[(o * size + k) * inner + i]) / sum;
    }
  expectNear(program.get<float>("r0"), expected);
}

INSTANTIATE_TEST_SUITE_P(
    Shapes, Softmax,
    testing::Combine(testing::Values(SoftmaxCase{{7, 33}, 1}, SoftmaxCase{{7, 33}, 0},
                                     SoftmaxCase{{3, 5, 70}, 1}, SoftmaxCase{{1, 1}, 1},
                                     SoftmaxCase{{2, 3, 4, 5}, 2}, SoftmaxCase{{300, 9}, 0}),
                     testing::Bool()));

TEST(ReductionKernel, StatisticsOfChannels) {
  // As batch normalisation: over batch and space, keeping the middle dimension.
  TestProgram program({tensor({3, 5, 4, 4})}, {tensor({3, 5, 4, 4}), tensor({5}), tensor({5})},
                      "%0:3 = lgc.normalize %a0 dims = [0, 2, 3] epsilon = 1.0e-5 : "
                      "tensor<3x5x4x4xf32>\nreturn %0#0, %0#1, %0#2 : tensor<3x5x4x4xf32>, "
                      "tensor<5xf32>, tensor<5xf32>");
  ASSERT_TRUE(program);
  auto x = makeNumbers(240);
  program.set("a0", x);
  program.run();
  std::vector<float> mean(5), rstd(5), normal(240);
  for (int c = 0; c < 5; ++c) {
    double sum = 0.0, squares = 0.0;
    for (int n = 0; n < 3; ++n)
      for (int i = 0; i < 16; ++i)
        sum += x[(n * 5 + c) * 16 + i];
    for (int n = 0; n < 3; ++n)
      for (int i = 0; i < 16; ++i)
        squares += std::pow(x[(n * 5 + c) * 16 + i] - sum / 48, 2);
    mean[c] = sum / 48;
    rstd[c] = 1 / std::sqrt(squares / 48 + 1e-5);
    for (int n = 0; n < 3; ++n)
      for (int i = 0; i < 16; ++i)
        normal[(n * 5 + c) * 16 + i] = (x[(n * 5 + c) * 16 + i] - mean[c]) * rstd[c];
  }
  expectNear(program.get<float>("r0"), normal, 1e-5);
  expectNear(program.get<float>("r1"), mean, 1e-5);
  expectNear(program.get<float>("r2"), rstd, 1e-5);
}

TEST(ReductionKernel, NoElementsGiveTheNeutralElement) {
  TestProgram program({tensor({2, 0})}, {tensor({2}), tensor({2})},
                      "%0 = lgc.reduce sum %a0 dims = [1] : tensor<2x0xf32>\n"
                      "%1 = lgc.reduce product %a0 dims = [1] : tensor<2x0xf32>\n"
                      "return %0, %1 : tensor<2xf32>, tensor<2xf32>");
  ASSERT_TRUE(program);
  program.run();
  expectNear<float>(program.get<float>("r0"), {0, 0});
  expectNear<float>(program.get<float>("r1"), {1, 1});
}

namespace {
struct DotCase {
  std::vector<int64_t> lhs, rhs;
  std::string dims;
  std::vector<int64_t> result;
  /// For each result element and contraction step: linear indices of the operands.
  int64_t batch, m, n, k;
  std::vector<int64_t> a, b; // strides over batch, m (n), k
};
class Dot : public testing::TestWithParam<std::tuple<DotCase, std::string>> {};
} // namespace

template <typename T> static void checkDot(const DotCase &c, const std::string &type) {
  std::string lhs = tensor(c.lhs, type), rhs = tensor(c.rhs, type), to = tensor(c.result, type);
  TestProgram program({lhs, rhs}, {to},
                      "%0 = lgc.dot %a0, %a1 " + c.dims + " : " + lhs + ", " + rhs +
                          "\nreturn %0 : " + to);
  ASSERT_TRUE(program);
  auto x = makeNumbers<T>(c.batch * c.m * c.k), y = makeNumbers<T>(c.batch * c.n * c.k, 2);
  program.set("a0", x);
  program.set("a1", y);
  program.run();
  std::vector<T> expected;
  for (int64_t b = 0; b < c.batch; ++b)
    for (int64_t i = 0; i < c.m; ++i)
      for (int64_t j = 0; j < c.n; ++j) {
        double sum = 0.0;
        for (int64_t p = 0; p < c.k; ++p)
          sum += static_cast<double>(x[b * c.a[0] + i * c.a[1] + p * c.a[2]]) *
                 y[b * c.b[0] + j * c.b[1] + p * c.b[2]];
        expected.push_back(static_cast<T>(sum));
      }
  expectNear(program.get<T>("r0"), expected, 1e-5);
}

TEST_P(Dot, EqualsItsDefinition) {
  const auto &[param, type] = GetParam();
  if (type == "f32")
    checkDot<float>(param, type);
  else
    checkDot<double>(param, type);
}

INSTANTIATE_TEST_SUITE_P(
    Shapes, Dot,
    testing::Combine(testing::Values(DotCase{{5, 7},
                                             {7, 3},
                                             "batch = [] x [] contract = [1] x [0]",
                                             {5, 3},
                                             1,
                                             5,
                                             3,
                                             7,
                                             {0, 7, 1},
                                             {0, 1, 3}},
                                     DotCase{{7, 5},
                                             {3, 7},
                                             "batch = [] x [] contract = [0] x [1]",
                                             {5, 3},
                                             1,
                                             5,
                                             3,
                                             7,
                                             {0, 1, 5},
                                             {0, 7, 1}},
                                     DotCase{{2, 4, 6},
                                             {2, 6, 3},
                                             "batch = [0] x [0] contract = [2] x [1]",
                                             {2, 4, 3},
                                             2,
                                             4,
                                             3,
                                             6,
                                             {24, 6, 1},
                                             {18, 1, 3}},
                                     DotCase{{4, 2, 6},
                                             {6, 3, 2},
                                             "batch = [1] x [2] contract = [2] x [0]",
                                             {2, 4, 3},
                                             2,
                                             4,
                                             3,
                                             6,
                                             {6, 12, 1},
                                             {1, 2, 6}},
                                     DotCase{{6},
                                             {6},
                                             "batch = [] x [] contract = [0] x [0]",
                                             {},
                                             1,
                                             1,
                                             1,
                                             6,
                                             {0, 0, 1},
                                             {0, 0, 1}}),
                     testing::Values("f32", "f64")));

TEST(OwnLoops, SortIsStableAndPutsNanLast) {
  TestProgram program({tensor({2, 6})}, {tensor({2, 6}), tensor({2, 6}, "i64")},
                      "%0:2 = lgc.sort %a0 dim = 1 : tensor<2x6xf32>\n"
                      "return %0#0, %0#1 : tensor<2x6xf32>, tensor<2x6xi64>");
  ASSERT_TRUE(program);
  program.set<float>("a0", {3, NAN, 1, 2, 1, 0, 5, 4, 3, 2, 1, 0});
  program.run();
  EXPECT_EQ(program.get<int64_t>("r1"), (std::vector<int64_t>{5, 2, 4, 3, 0, 1, 5, 4, 3, 2, 1, 0}));
}

TEST(OwnLoops, ScatterAddsDuplicatesAndDropsWhatIsOutside) {
  TestProgram program({tensor({3, 2}), tensor({4}, "i64"), tensor({4, 2})}, {tensor({3, 2})},
                      "%0 = lgc.scatter add %a0, %a1, %a2 axis = 0 : tensor<3x2xf32>, "
                      "tensor<4xi64>, tensor<4x2xf32>\nreturn %0 : tensor<3x2xf32>");
  ASSERT_TRUE(program);
  program.set<float>("a0", {0, 0, 0, 0, 0, 0});
  program.set<int64_t>("a1", {2, 0, 2, 9});
  program.set<float>("a2", {1, 2, 3, 4, 5, 6, 7, 8});
  program.run();
  EXPECT_EQ(program.get<float>("r0"), (std::vector<float>{3, 4, 0, 0, 6, 8}));
}
