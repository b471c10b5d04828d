//===- GradientTest.cpp - Every gradient against central differences ------===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//
//
// For each case the loss is the sum of the result's elements with random weights, in f64; its
// gradient by autodiff is compared with (f(x + h) - f(x - h)) / 2h at every element. An op
// that declares a gradient and has no case here fails the last test.
//
//===----------------------------------------------------------------------===//

#include "GradientCheck.h"

using namespace mlir;
using namespace lgc;

namespace {

GradientCase unary(const std::string &op, double low = -2.0, double high = 2.0) {
  return {op, {"3x4x"}, "%r = lgc." + op + " %a0 : tensor<3x4xf64>", low, high};
}

GradientCase binary(const std::string &op, double low = -2.0, double high = 2.0) {
  return {op, {"3x4x", "3x4x"}, "%r = lgc." + op + " %a0, %a1 : tensor<3x4xf64>", low, high};
}

const char *const labels = "%labels = lgc.constant dense<[2, 0, -100, 1]> : tensor<4xi64>\n";
const char *const picks = "%i = lgc.constant dense<[[1, 0], [2, 1]]> : tensor<2x2xi64>\n";
const std::string window = "window = [2, 3] strides = [2, 1] dilations = [1, 1] low = [1, 0] "
                           "high = [1, 1] : ";
const std::string geometry =
    "strides = [2, 1] dilations = [1, 2] low = [1, 0] high = [0, 2] groups = 2 ";

std::vector<GradientCase> makeCases() {
  std::vector<GradientCase> cases = {
      unary("neg"),
      unary("abs"),
      unary("exp"),
      unary("log", 0.2, 3.0),
      unary("log1p", -0.5, 2.0),
      unary("sqrt", 0.2, 3.0),
      unary("rsqrt", 0.2, 3.0),
      unary("sin"),
      unary("cos"),
      unary("tan", -1.2, 1.2),
      unary("asin", -0.9, 0.9),
      unary("acos", -0.9, 0.9),
      unary("atan"),
      unary("sinh"),
      unary("cosh"),
      unary("tanh"),
      unary("asinh"),
      unary("acosh", 1.2, 3.0),
      unary("atanh", -0.9, 0.9),
      unary("erf"),
      unary("logistic"),
      binary("add"),
      binary("sub"),
      binary("mul"),
      binary("div", 0.3, 2.0),
      binary("rem", 0.3, 2.0),
      binary("pow", 0.2, 2.0),
      binary("atan2", 0.3, 2.0),
      binary("max"),
      binary("min"),
      {"cast",
       {"5x"},
       "%0 = lgc.cast %a0 : tensor<5xf64> to tensor<5xf64>\n"
       "%r = lgc.mul %0, %0 : tensor<5xf64>"},
      {"select",
       {"4x", "4x"},
       "%c = lgc.compare lt %a0, %a1 : tensor<4xf64>\n%0 = lgc.mul %a0, %a1 : tensor<4xf64>\n"
       "%r = lgc.select %c, %0, %a1 : tensor<4xi1>, tensor<4xf64>"},
      {"reshape", {"2x6x"}, "%r = lgc.reshape %a0 : tensor<2x6xf64> to tensor<3x4xf64>"},
      {"transpose",
       {"2x3x4x"},
       "%r = lgc.transpose %a0 permutation = [2, 0, 1] : "
       "tensor<2x3x4xf64>"},
      {"broadcast",
       {"3x1x"},
       "%r = lgc.broadcast %a0 dims = [1, 2] : tensor<3x1xf64> to "
       "tensor<2x3x4xf64>"},
      {"broadcast_scalar",
       {""},
       "%r = lgc.broadcast %a0 dims = [] : tensor<f64> to "
       "tensor<2x3xf64>"},
      {"slice",
       {"5x6x"},
       "%r = lgc.slice %a0 starts = [1, 0] limits = [5, 6] strides = [3, 2] : "
       "tensor<5x6xf64>"},
      {"pad",
       {"2x3x"},
       "%r = lgc.pad %a0 value = 1.5 : f64 low = [1, 0] high = [0, 2] interior = "
       "[2, 1] : tensor<2x3xf64>"},
      {"concat",
       {"2x3x", "2x1x"},
       "%r = lgc.concat %a0, %a1 dim = 1 : tensor<2x3xf64>, "
       "tensor<2x1xf64>"},
      {"reverse", {"3x4x"}, "%r = lgc.reverse %a0 dims = [1] : tensor<3x4xf64>"},
      {"reduce_sum", {"2x3x4x"}, "%r = lgc.reduce sum %a0 dims = [0, 2] : tensor<2x3x4xf64>"},
      {"reduce_max", {"3x5x"}, "%r = lgc.reduce max %a0 dims = [1] : tensor<3x5xf64>"},
      {"reduce_min", {"3x5x"}, "%r = lgc.reduce min %a0 dims = [0] : tensor<3x5xf64>"},
      {"reduce_product", {"3x4x"}, "%r = lgc.reduce product %a0 dims = [1] : tensor<3x4xf64>"},
      {"cumulative",
       {"3x5x"},
       "%r = lgc.cumulative sum %a0 dim = 1 exclusive reverse : "
       "tensor<3x5xf64>"},
      {"sort", {"3x5x"}, "%r, %n = lgc.sort %a0 dim = 1 descending : tensor<3x5xf64>"},
      {"reduce_window_max",
       {"1x2x4x5x"},
       "%r = lgc.reduce_window max %a0 " + window + "tensor<1x2x4x5xf64>"},
      {"reduce_window_sum",
       {"1x2x4x5x"},
       "%r = lgc.reduce_window sum %a0 " + window + "tensor<1x2x4x5xf64>"},
      {"window_scatter",
       {"1x2x3x4x"},
       "%r = lgc.window_scatter %a0 " + window + "tensor<1x2x3x4xf64> to tensor<1x2x4x5xf64>"},
      {"window_scatter_at",
       {"1x2x3x4x", "1x2x4x5x"},
       "%v, %i = lgc.window_argmax %a1 " + window +
           "tensor<1x2x4x5xf64>\n%s = lgc.window_scatter "
           "%a0 at %i " +
           window +
           "tensor<1x2x3x4xf64>, tensor<1x2x3x4xi64> to tensor<1x2x4x5xf64>\n"
           "%r = lgc.mul %s, %a1 : tensor<1x2x4x5xf64>"},
      {"dot",
       {"4x3x", "3x5x"},
       "%r = lgc.dot %a0, %a1 batch = [] x [] contract = [1] x [0] : "
       "tensor<4x3xf64>, tensor<3x5xf64>"},
      {"dot_batch",
       {"3x2x4x", "5x4x2x3x"},
       "%r = lgc.dot %a0, %a1 batch = [1] x [2] contract = [2, 0] x [1, 3] : tensor<3x2x4xf64>, "
       "tensor<5x4x2x3xf64>"},
      {"convolution",
       {"2x4x5x6x", "6x2x3x2x"},
       "%r = lgc.convolution %a0, %a1 " + geometry + ": tensor<2x4x5x6xf64>, tensor<6x2x3x2xf64>"},
      {"convolution_input",
       {"2x6x2x6x", "6x2x3x2x"},
       "%r = lgc.convolution_input %a0, %a1 " + geometry +
           ": tensor<2x6x2x6xf64>, tensor<6x2x3x2xf64> to tensor<2x4x5x6xf64>"},
      {"convolution_filter",
       {"2x4x5x6x", "2x6x2x6x"},
       "%r = lgc.convolution_filter %a0, %a1 " + geometry +
           ": tensor<2x4x5x6xf64>, tensor<2x6x2x6xf64> to tensor<6x2x3x2xf64>"},
      {"gather",
       {"3x2x4x"},
       picks + std::string("%r = lgc.gather %a0, %i axis = 0 : "
                           "tensor<3x2x4xf64>, tensor<2x2xi64>")},
      {"gather_nd",
       {"3x2x4x"},
       picks + std::string("%r = lgc.gather_nd %a0, %i batch_dims = 0 : "
                           "tensor<3x2x4xf64>, tensor<2x2xi64>")},
      {"gather_elements",
       {"3x2x"},
       picks + std::string("%r = lgc.gather_elements %a0, %i axis = 0 "
                           ": tensor<3x2xf64>, tensor<2x2xi64>")},
      {"softmax", {"3x5x"}, "%r = lgc.softmax %a0 dim = 1 : tensor<3x5xf64>"},
      {"echo", {"3x5x"}, "%r = lgc.echo %a0 \"echo\" : tensor<3x5xf64>"},
      {"softmax_safe", {"3x5x"}, "%r = lgc.softmax %a0 dim = 1 safe : tensor<3x5xf64>"},
      {"softmax_first", {"3x5x"}, "%r = lgc.softmax %a0 dim = 0 : tensor<3x5xf64>"},
      {"log_softmax", {"3x5x"}, "%r = lgc.log_softmax %a0 dim = 1 : tensor<3x5xf64>"},
      {"normalize",
       {"2x3x4x"},
       "%r, %m, %s = lgc.normalize %a0 dims = [0, 2] epsilon = 1.0e-2 : "
       "tensor<2x3x4xf64>"},
      {"normalize_statistics",
       {"3x4x"},
       "%n, %m, %s = lgc.normalize %a0 dims = [1] epsilon = 1.0e-2 : tensor<3x4xf64>\n"
       "%r = lgc.mul %m, %s : tensor<3xf64>"},
      {"rms_normalize",
       {"3x4x"},
       "%n, %s = lgc.rms_normalize %a0 dims = [1] epsilon = 1.0e-2 : "
       "tensor<3x4xf64>\n%b = lgc.broadcast %s dims = [0] : "
       "tensor<3xf64> to tensor<3x4xf64>\n%r = lgc.add %n, %b : "
       "tensor<3x4xf64>"},
      {"cross_entropy",
       {"4x3x"},
       labels + std::string("%r, %l = lgc.cross_entropy %a0, %labels "
                            "dim = 1 ignore_index = -100 : tensor<4x3xf64>, tensor<4xi64>")},
      {"attention",
       {"2x3x4x", "2x5x4x", "2x5x6x", "3x5x"},
       "%r, %l = lgc.attention %a0, %a1, %a2 bias %a3 scale = 0.5 causal : tensor<2x3x4xf64>, "
       "tensor<2x5x4xf64>, tensor<2x5x6xf64>, tensor<3x5xf64>"},
  };
  for (std::string kind : {"add", "replace"}) {
    cases.push_back({"scatter_" + kind,
                     {"4x2x", "3x2x"},
                     "%i = lgc.constant dense<[1, 3, 0]> : tensor<3xi64>\n%r = lgc.scatter " +
                         kind +
                         " %a0, %i, %a1 axis = 0 : tensor<4x2xf64>, tensor<3xi64>, "
                         "tensor<3x2xf64>"});
    cases.push_back({"scatter_nd_" + kind,
                     {"3x2x4x", "2x4x"},
                     picks + ("%r = lgc.scatter_nd " + kind +
                              " %a0, %i, %a1 batch_dims = 0 : "
                              "tensor<3x2x4xf64>, tensor<2x2xi64>, tensor<2x4xf64>")});
    cases.push_back({"scatter_elements_" + kind,
                     {"3x2x", "2x2x"},
                     picks + ("%r = lgc.scatter_elements " + kind +
                              " %a0, %i, %a1 axis = 0 : "
                              "tensor<3x2xf64>, tensor<2x2xi64>, tensor<2x2xf64>")});
  }
  return cases;
}

const std::vector<GradientCase> cases = makeCases();

class Gradient : public testing::TestWithParam<GradientCase> {};

} // namespace

TEST_P(Gradient, EqualsCentralDifferences) { checkGradient(GetParam()); }

INSTANTIATE_TEST_SUITE_P(Ops, Gradient, testing::ValuesIn(cases),
                         [](const auto &info) { return info.param.name; });

// Where factors are zero the quotient by them doesn't exist; the gradient does.
TEST(GradientAtZeros, Product) {
  GradientProgram program(
      {"product", {"2x3x"}, "%r = lgc.reduce product %a0 dims = [1] : tensor<2x3xf64>"});
  ASSERT_TRUE(program);
  const double x[] = {2, 0, 3, 0, 4, 0}, expected[] = {0, 6, 0, 0, 0, 0};
  program.arguments["a0"].assign(x, x + 6);
  program.arguments["w"].assign(2, 1.0);
  program.run();
  for (size_t i = 0; i < 6; ++i)
    EXPECT_EQ(program.get("g0")[i], expected[i]);
}

TEST(GradientAtZeros, Power) {
  GradientProgram program({"pow", {"3x", "3x"}, "%r = lgc.pow %a0, %a1 : tensor<3xf64>"});
  ASSERT_TRUE(program);
  const double x[] = {0, 0, -2}, y[] = {0, 2, 3}, expected[] = {0, 0, 12};
  program.arguments["a0"].assign(x, x + 3);
  program.arguments["a1"].assign(y, y + 3);
  program.arguments["w"].assign(3, 1.0);
  program.run();
  for (size_t i = 0; i < 3; ++i)
    EXPECT_EQ(program.get("g0")[i], expected[i]);
}

// Where two are equal, each gets half, and equal elements of a reduction share it.
TEST(GradientOfTies, IsShared) {
  GradientProgram maximum({"max", {"3x", "3x"}, "%r = lgc.max %a0, %a1 : tensor<3xf64>"});
  ASSERT_TRUE(maximum);
  maximum.arguments["a0"] = {1, 2, 3};
  maximum.arguments["a1"] = {2, 2, 2};
  maximum.arguments["w"] = {1, 1, 1};
  maximum.run();
  const double toLhs[] = {0, 0.5, 1}, toRhs[] = {1, 0.5, 0};
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(maximum.get("g0")[i], toLhs[i]);
    EXPECT_EQ(maximum.get("g1")[i], toRhs[i]);
  }
  GradientProgram reduction(
      {"reduce", {"4x"}, "%r = lgc.reduce max %a0 dims = [0] : tensor<4xf64>"});
  ASSERT_TRUE(reduction);
  reduction.arguments["a0"] = {3, 1, 3, 2};
  reduction.arguments["w"] = {1};
  reduction.run();
  const double shared[] = {0.5, 0, 0.5, 0};
  for (size_t i = 0; i < 4; ++i)
    EXPECT_EQ(reduction.get("g0")[i], shared[i]);
}

TEST(GradientCoverage, EveryDifferentiableOpHasACase) {
  MLIRContext context;
  context.loadDialect<LgcDialect>();
  for (RegisteredOperationName op : context.getRegisteredOperations()) {
    if (!op.hasInterface<GradientOpInterface>())
      continue;
    bool tested = llvm::any_of(cases, [&](const GradientCase &c) {
      return c.body.find(op.getStringRef().str() + " ") != std::string::npos;
    });
    EXPECT_TRUE(tested) << op.getStringRef().str() << " has no case";
  }
}
