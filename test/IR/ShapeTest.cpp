//===- ShapeTest.cpp - Rearrangements, run and folded ---------------------===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Folding.h"

using namespace lgc::test;

namespace {

/// Runs and folds one operation on numbers 1, 2, ... `operation` is what stands between the result
/// and the operand's type.
void check(const Shape &shape, const std::string &operation, const Shape &result,
           const std::string &suffix = "") {
  Tensor<int32_t> x(shape);
  for (size_t i = 0; i < x.values.size(); ++i)
    x.values[i] = static_cast<int32_t>(i + 1);
  SCOPED_TRACE(operation + " of " + x.type());
  std::string type = tensorType(result, "i32");
  expectRunsAsItFolds<int32_t>("%r0 = lgc." + operation + " : " + x.type() + suffix, {operation},
                               type, 0.0, x);
}

void checkReshape(const Shape &from, const Shape &to) {
  check(from, "reshape %a0", to, " to " + tensorType(to, "i32"));
}

TEST(Shape, Reshape) {
  checkReshape({4, 6}, {24});
  checkReshape({24}, {2, 3, 4});
  checkReshape({2, 3, 4}, {6, 4});
  checkReshape({2, 3, 4}, {2, 12});
  checkReshape({6, 4}, {4, 6});
  checkReshape({5, 6, 4}, {5, 8, 3});
  checkReshape({1, 6, 1, 4}, {6, 1, 1, 2, 2});
  checkReshape({1}, {1, 1, 1});
  checkReshape({1, 1}, {});
  checkReshape({2, 2, 3, 3}, {4, 9});
  checkReshape({2, 6}, {3, 4});
}

TEST(Shape, Transpose) {
  check({3, 5}, "transpose %a0 permutation = [1, 0]", {5, 3});
  check({2, 3, 4, 5}, "transpose %a0 permutation = [2, 0, 3, 1]", {4, 2, 5, 3});
  check({2, 1, 3}, "transpose %a0 permutation = [2, 1, 0]", {3, 1, 2});
}

void checkBroadcast(const Shape &from, const std::vector<int64_t> &dims, const Shape &to) {
  check(from, "broadcast %a0 dims = " + list(dims), to, " to " + tensorType(to, "i32"));
}

TEST(Shape, Broadcast) {
  checkBroadcast({}, {}, {3, 4});
  checkBroadcast({4}, {1}, {3, 4});
  checkBroadcast({4}, {0}, {4, 3});
  checkBroadcast({3, 1}, {0, 1}, {3, 5});
  checkBroadcast({1, 4}, {0, 2}, {2, 3, 4});
}

TEST(Shape, Slice) {
  check({10}, "slice %a0 starts = [1] limits = [10] strides = [3]", {3});
  check({4, 6}, "slice %a0 starts = [1, 0] limits = [3, 6] strides = [1, 2]", {2, 3});
  check({4, 6}, "slice %a0 starts = [3, 5] limits = [4, 6] strides = [7, 9]", {1, 1});
}

TEST(Shape, Pad) {
  check({4}, "pad %a0 value = -1 : i32 low = [2] high = [1] interior = [0]", {7});
  check({4}, "pad %a0 value = -1 : i32 low = [2] high = [1] interior = [2]", {13});
  check({2, 3}, "pad %a0 value = 7 : i32 low = [0, 1] high = [1, 0] interior = [1, 0]", {4, 4});
  check({1, 3}, "pad %a0 value = 7 : i32 low = [3, 0] high = [0, 0] interior = [5, 0]", {4, 3});
  check({0, 3}, "pad %a0 value = 7 : i32 low = [1, 0] high = [1, 1] interior = [1, 0]", {2, 4});
}

/// Strides and paddings between elements don't matter where there is one element.
TEST(Shape, HugeNumbersOfOneElement) {
  const std::string huge = "9223372036854775807";
  check({3, 4}, "slice %a0 starts = [1, 0] limits = [3, 4] strides = [" + huge + ", 1]", {1, 4});
  check({1, 3}, "pad %a0 value = 7 : i32 low = [1, 0] high = [0, 0] interior = [" + huge + ", 0]",
        {2, 3});
}

TEST(Shape, Reverse) {
  check({5}, "reverse %a0 dims = [0]", {5});
  check({2, 3, 4}, "reverse %a0 dims = [0, 2]", {2, 3, 4});
}

TEST(Shape, Concat) {
  Tensor<float> x = Tensor<float>::random({2, 3}, 1), y = Tensor<float>::random({2, 1}, 2);
  Tensor<float> z = Tensor<float>::random({2, 4}, 3), empty({2, 0});
  expectRunsAsItFolds<float>("%r0 = lgc.concat %a0, %a1, %a2, %a3, %a0 dim = 1 : " + x.type() +
                                 ", " + y.type() + ", " + empty.type() + ", " + z.type() + ", " +
                                 x.type(),
                             {"concat"}, "tensor<2x11xf32>", 0.0, x, y, empty, z);
  expectRunsAsItFolds<float>("%r0 = lgc.concat %a0, %a0 dim = 0 : " + x.type() + ", " + x.type(),
                             {"concat"}, "tensor<4x3xf32>", 0.0, x);
}

TEST(Shape, ChainsInOneKernel) {
  Tensor<float> x = Tensor<float>::random({4, 6});
  expectRunsAsItFolds<float>(
      "%0 = lgc.transpose %a0 permutation = [1, 0] : tensor<4x6xf32>\n"
      "%1 = lgc.reshape %0 : tensor<6x4xf32> to tensor<3x8xf32>\n"
      "%2 = lgc.slice %1 starts = [0, 1] limits = [3, 8] strides = [2, 3] : tensor<3x8xf32>\n"
      "%3 = lgc.pad %2 value = 0.5 : f32 low = [1, 0] high = [0, 2] interior = [0, 1] : "
      "tensor<2x3xf32>\n"
      "%4 = lgc.reverse %3 dims = [1] : tensor<3x7xf32>\n"
      "%5 = lgc.broadcast %4 dims = [0, 2] : tensor<3x7xf32> to tensor<3x2x7xf32>\n"
      "%r0 = lgc.neg %5 : tensor<3x2x7xf32>",
      {"chain"}, "tensor<3x2x7xf32>", 0.0, x);
}

TEST(Shape, Iota) {
  Execution integers({"tensor<2x3xi64>", "tensor<2x3xi8>", "tensor<2x3xf32>"},
                     "%r0 = lgc.iota dim = 1 : tensor<2x3xi64>\n"
                     "%r1 = lgc.iota dim = 0 : tensor<2x3xi8>\n"
                     "%r2 = lgc.iota dim = 1 : tensor<2x3xf32>");
  EXPECT_EQ(integers.get<int64_t>(0), (std::vector<int64_t>{0, 1, 2, 0, 1, 2}));
  EXPECT_EQ(integers.get<int8_t>(1), (std::vector<int8_t>{0, 0, 0, 1, 1, 1}));
  EXPECT_EQ(integers.get<float>(2), (std::vector<float>{0, 1, 2, 0, 1, 2}));
}

} // namespace
