//===- RulesTest.cpp - How operations split and what they cost ------------===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "lgc/Driver/Registration.h"
#include "lgc/IR/LgcDialect.h"
#include "lgc/IR/LgcOps.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace lgc;

namespace {

std::string print(ShardingRuleAttr rule) {
  std::string text;
  llvm::raw_string_ostream(text) << rule;
  return text;
}

/// What the attribute can't check without types: as many tensors and dimensions as the operation
/// has, and sizes that are the products of their factors.
void checkRule(Operation *op) {
  ShardingRuleAttr rule = cast<ShardingRuleOpInterface>(op).getShardingRule();
  SCOPED_TRACE(op->getName().getStringRef().str() + ": " + print(rule));
  auto check = [&](ArrayAttr tensors, TypeRange types) {
    ASSERT_EQ(tensors.size(), types.size());
    for (auto [tensor, type] : llvm::zip_equal(tensors, types)) {
      auto dims = cast<ArrayAttr>(tensor);
      ArrayRef<int64_t> shape = cast<RankedTensorType>(type).getShape();
      ASSERT_EQ(dims.size(), shape.size());
      for (auto [dim, size] : llvm::zip_equal(dims, shape)) {
        int64_t product = 1;
        for (int64_t factor : cast<DenseI64ArrayAttr>(dim).asArrayRef())
          product *= rule.getFactorSizes()[factor];
        EXPECT_EQ(product, size);
      }
    }
  };
  check(rule.getOperandFactors(), op->getOperandTypes());
  check(rule.getResultFactors(), op->getResultTypes());
}

struct Case {
  /// Arguments are %a0, %a1, ...; the operation under test is the last one.
  std::vector<std::string> arguments;
  std::string body, rule;
  int64_t flops;
};

class Rules : public testing::TestWithParam<Case> {
protected:
  Operation *parse(const Case &given) {
    DialectRegistry registry;
    registerDialects(registry);
    context.appendDialectRegistry(registry);
    std::string text = "func.func @f(";
    for (auto [i, type] : llvm::enumerate(given.arguments))
      text += (i ? ", %a" : "%a") + std::to_string(i) + ": " + type;
    module = parseSourceString<ModuleOp>(text + ") {\n" + given.body + "\nreturn\n}", &context);
    if (!module)
      return nullptr;
    Block &block = (*module->getOps<func::FuncOp>().begin()).getBody().front();
    return block.getTerminator()->getPrevNode();
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
};

TEST_P(Rules, FitTheOperation) {
  Operation *op = parse(GetParam());
  ASSERT_TRUE(op) << GetParam().body;
  checkRule(op);
  EXPECT_EQ(print(cast<ShardingRuleOpInterface>(op).getShardingRule()),
            "#lgc.sharding_rule<" + GetParam().rule + ">");
  EXPECT_EQ(cast<CostOpInterface>(op).getFlops(), GetParam().flops) << GetParam().body;
}

const std::string x = "tensor<4x6xf32>", image = "tensor<2x4x8x8xf32>";

INSTANTIATE_TEST_SUITE_P(
    Elementwise, Rules,
    testing::Values(Case{{x}, "%0 = lgc.exp %a0 : " + x, "([i, j]) -> ([i, j]) {i = 4, j = 6}", 24},
                    Case{{x, x},
                         "%0 = lgc.add %a0, %a1 : " + x,
                         "([i, j], [i, j]) -> ([i, j]) {i = 4, j = 6}",
                         24},
                    Case{{x, x},
                         "%0 = lgc.compare lt %a0, %a1 : " + x,
                         "([i, j], [i, j]) -> ([i, j]) {i = 4, j = 6}",
                         24},
                    Case{{"tensor<4xi1>", "tensor<4xf32>"},
                         "%0 = lgc.select %a0, %a1, %a1 : tensor<4xi1>, tensor<4xf32>",
                         "([i], [i], [i]) -> ([i]) {i = 4}",
                         4},
                    Case{{"tensor<f32>"},
                         "%0 = lgc.cast %a0 : tensor<f32> to tensor<f64>",
                         "([]) -> ([]) {}",
                         1}));

INSTANTIATE_TEST_SUITE_P(
    Shape, Rules,
    testing::Values(
        Case{{}, "%0 = lgc.constant dense<1.0> : " + x, "() -> ([i, j]) {i = 4, j = 6}", 0},
        Case{{},
             "%0 = lgc.iota dim = 1 : tensor<4x6xi32>",
             "() -> ([i, j]) {i = 4, j = 6} replicated = {j}",
             24},
        Case{{"tensor<2x12xf32>"},
             "%0 = lgc.reshape %a0 : tensor<2x12xf32> to tensor<2x3x4xf32>",
             "([i, jk]) -> ([i, j, k]) {i = 2, j = 3, k = 4}",
             0},
        Case{{"tensor<4x6x5xf32>"},
             "%0 = lgc.reshape %a0 : tensor<4x6x5xf32> to tensor<1x12x2x5xf32>",
             "([i, jk, l]) -> ([1, ij, k, l]) {i = 4, j = 3, k = 2, l = 5}",
             0},
        Case{{"tensor<4x6x5xf32>"},
             "%0 = lgc.reshape %a0 : tensor<4x6x5xf32> to tensor<8x3x5xf32>",
             "([i, jk, l]) -> ([ij, k, l]) {i = 4, j = 2, k = 3, l = 5}",
             0},
        Case{
            {"tensor<4x6x5xf32>"},
            "%0 = lgc.reshape %a0 : tensor<4x6x5xf32> to tensor<3x8x5xf32>",
            "([i, j, m]) -> ([k, l, m]) {i = 4, j = 6, k = 3, l = 8, m = 5} replicated = {i, j, k, "
            "l}",
            0},
        Case{{x},
             "%0 = lgc.transpose %a0 permutation = [1, 0] : " + x,
             "([i, j]) -> ([j, i]) {i = 4, j = 6}",
             0},
        Case{{"tensor<1x6xf32>"},
             "%0 = lgc.broadcast %a0 dims = [0, 2] : tensor<1x6xf32> to tensor<4x3x6xf32>",
             "([1, k]) -> ([i, j, k]) {i = 4, j = 3, k = 6}",
             0},
        Case{{x},
             "%0 = lgc.slice %a0 starts = [0, 1] limits = [4, 3] strides = [1, 1] : " + x,
             "([i, j]) -> ([i, k]) {i = 4, j = 6, k = 2} replicated = {j, k}",
             0},
        Case{{x},
             "%0 = lgc.pad %a0 value = 0.0 : f32 low = [1, 0] high = [0, 0] interior = [0, 0] : " +
                 x,
             "([i, k]) -> ([j, k]) {i = 4, j = 5, k = 6} replicated = {i, j}",
             0},
        Case{{x, "tensor<4x2xf32>"},
             "%0 = lgc.concat %a0, %a1 dim = 1 : " + x + ", tensor<4x2xf32>",
             "([i, k], [i, l]) -> ([i, j]) {i = 4, j = 8, k = 6, l = 2} replicated = {j, k, l}",
             0},
        Case{{x},
             "%0 = lgc.reverse %a0 dims = [1] : " + x,
             "([i, j]) -> ([i, k]) {i = 4, j = 6, k = 6} replicated = {j, k}",
             0}));

INSTANTIATE_TEST_SUITE_P(
    Reductions, Rules,
    testing::Values(
        Case{{x},
             "%0 = lgc.reduce sum %a0 dims = [1] : " + x,
             "([i, j]) -> ([i]) {i = 4, j = 6} reduction = {j}",
             24},
        Case{{x},
             "%0 = lgc.reduce max %a0 dims = [1] : " + x,
             "([i, j]) -> ([i]) {i = 4, j = 6} replicated = {j}",
             24},
        Case{{x},
             "%0:2 = lgc.arg_reduce max %a0 dim = 0 : " + x,
             "([i, j]) -> ([j], [j]) {i = 4, j = 6} replicated = {i}",
             24},
        Case{{x},
             "%0 = lgc.cumulative sum %a0 dim = 1 : " + x,
             "([i, j]) -> ([i, j]) {i = 4, j = 6} replicated = {j}",
             24},
        Case{{x},
             "%0:2 = lgc.sort %a0 dim = 1 : " + x,
             "([i, j]) -> ([i, j], [i, j]) {i = 4, j = 6} replicated = {j}",
             24},
        Case{{image},
             "%0 = lgc.reduce_window max %a0 window = [2, 2] strides = [2, 2] dilations = [1, 1] "
             "low = [0, 0] "
             "high = [0, 0] : " +
                 image,
             "([i, j, k, l]) -> ([i, j, m, n]) {i = 2, j = 4, k = 8, l = 8, m = 4, n = 4} "
             "replicated = {k, "
             "l, m, n}",
             512},
        Case{{"tensor<10x6xf32>", "tensor<2x3xi64>"},
             "%0 = lgc.gather %a0, %a1 axis = 0 : tensor<10x6xf32>, tensor<2x3xi64>",
             "([i, j], [k, l]) -> ([k, l, j]) {i = 10, j = 6, k = 2, l = 3} replicated = {i}",
             36}));

INSTANTIATE_TEST_SUITE_P(
    Contractions, Rules,
    testing::Values(
        Case{{"tensor<2x8x32xf32>", "tensor<2x32x16xf32>"},
             "%0 = lgc.dot %a0, %a1 batch = [0] x [0] contract = [2] x [1] : tensor<2x8x32xf32>, "
             "tensor<2x32x16xf32>",
             "([i, k, j], [i, j, l]) -> ([i, k, l]) {i = 2, j = 32, k = 8, l = 16} reduction = {j}",
             2 * 2 * 8 * 16 * 32},
        Case{{image, "tensor<6x2x3x3xf32>"},
             "%0 = lgc.convolution %a0, %a1 strides = [1, 1] dilations = [1, 1] low = [1, 1] high "
             "= [1, 1] "
             "groups = 2 : " +
                 image + ", tensor<6x2x3x3xf32>",
             "([i, jk, m, n], [jl, k, o, p]) -> ([i, jl, q, r]) {i = 2, j = 2, k = 2, l = 3, m = "
             "8, n = "
             "8, o = 3, p = 3, q = 8, r = 8} reduction = {k} replicated = {m, n, o, p, q, r}",
             2 * (2 * 6 * 8 * 8) * (2 * 3 * 3)},
        Case{{"tensor<2x6x8x8xf32>", "tensor<6x4x3x3xf32>"},
             "%0 = lgc.convolution_input %a0, %a1 strides = [1, 1] dilations = [1, 1] low = [1, 1] "
             "high = "
             "[1, 1] groups = 1 : tensor<2x6x8x8xf32>, tensor<6x4x3x3xf32> to " +
                 image,
             "([i, k, p, q], [k, j, n, o]) -> ([i, j, l, m]) {i = 2, j = 4, k = 6, l = 8, m = 8, n "
             "= 3, "
             "o = 3, p = 8, q = 8} reduction = {k} replicated = {l, m, n, o, p, q}",
             2 * (2 * 6 * 8 * 8) * (4 * 3 * 3)},
        Case{{image, "tensor<2x6x8x8xf32>"},
             "%0 = lgc.convolution_filter %a0, %a1 strides = [1, 1] dilations = [1, 1] low = [1, "
             "1] high = "
             "[1, 1] groups = 1 : " +
                 image + ", tensor<2x6x8x8xf32> to tensor<6x4x3x3xf32>",
             "([i, j, l, m], [i, k, p, q]) -> ([k, j, n, o]) {i = 2, j = 4, k = 6, l = 8, m = 8, n "
             "= 3, "
             "o = 3, p = 8, q = 8} reduction = {i} replicated = {l, m, n, o, p, q}",
             2 * (2 * 6 * 8 * 8) * (4 * 3 * 3)}));

INSTANTIATE_TEST_SUITE_P(
    Composites, Rules,
    testing::Values(
        Case{{x},
             "%0 = lgc.softmax %a0 dim = 1 : " + x,
             "([i, j]) -> ([i, j]) {i = 4, j = 6} replicated = {j}",
             120},
        Case{{x},
             "%0:3 = lgc.normalize %a0 dims = [1] epsilon = 1.0e-5 : " + x,
             "([i, j]) -> ([i, j], [i], [i]) {i = 4, j = 6} replicated = {j}",
             144},
        Case{{x},
             "%0:2 = lgc.rms_normalize %a0 dims = [1] epsilon = 1.0e-5 : " + x,
             "([i, j]) -> ([i, j], [i]) {i = 4, j = 6} replicated = {j}",
             72},
        Case{{x, "tensor<4xi64>"},
             "%0:2 = lgc.cross_entropy %a0, %a1 dim = 1 : " + x + ", tensor<4xi64>",
             "([i, j], [i]) -> ([i], [i]) {i = 4, j = 6} replicated = {j}",
             96},
        Case{{"tensor<2x8x16xf32>", "tensor<2x10x16xf32>", "tensor<2x10x4xf32>", "tensor<8x1xf32>"},
             "%0:2 = lgc.attention %a0, %a1, %a2 bias %a3 scale = 0.25 : tensor<2x8x16xf32>, "
             "tensor<2x10x16xf32>, tensor<2x10x4xf32>, tensor<8x1xf32>",
             "([i, j, l], [i, k, l], [i, k, m], [j, 1]) -> ([i, j, m], [i, j]) {i = 2, j = 8, k = "
             "10, "
             "l = 16, m = 4} replicated = {k, l}",
             2 * 8 * 10 * (2 * 16 + 2 * 4 + 6)}));

TEST(ShardingRule, IsReadAsItIsPrinted) {
  MLIRContext context;
  context.loadDialect<LgcDialect>();
  std::string text = "#lgc.sharding_rule<([i, jk, 1], [k]) -> ([j]) {i = 2, j = 3, k = 4} "
                     "reduction = {i} replicated = "
                     "{k}>";
  auto rule = dyn_cast_or_null<ShardingRuleAttr>(parseAttribute(text, &context));
  ASSERT_TRUE(rule);
  EXPECT_EQ(print(rule), text);
  EXPECT_EQ(rule.getFactorSizes(), (ArrayRef<int64_t>{2, 3, 4}));
  EXPECT_EQ(rule.getReductionFactors(), ArrayRef<int64_t>(0));
  EXPECT_EQ(rule.getReplicatedFactors(), ArrayRef<int64_t>(2));
  EXPECT_EQ(parseAttribute(print(rule), &context), rule);
}

} // namespace
