//===- ElementwiseTest.cpp - Elementwise operations, run and folded -------===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Folding.h"

using namespace lgc::test;

namespace {

/// In f32 the target may use polynomials.
template <typename T> double getTolerance() { return sizeof(T) == 4 ? 3e-6 : 1e-13; }

template <typename T> std::vector<T> getEdgeCases() {
  using Limits = std::numeric_limits<T>;
  if constexpr (std::is_floating_point_v<T>)
    return {T(0.0),
            T(-0.0),
            T(1.0),
            T(-1.0),
            T(0.5),
            T(-0.5),
            T(2.5),
            T(-2.5),
            T(3.5),
            T(0.3),
            T(-0.7),
            T(1e-6),
            T(2.0),
            T(-3.0),
            T(5.75),
            T(10.0),
            T(-9.5),
            T(44.0),
            T(-44.0),
            T(0.9999),
            Limits::infinity(),
            -Limits::infinity(),
            Limits::quiet_NaN()};
  std::vector<T> values{T(0), T(1), T(2), T(3), T(7), T(8), T(31), T(33), T(63), T(64), T(100)};
  for (T value : {Limits::lowest(), Limits::max(), T(Limits::max() / 2 + 1), T(Limits::max() - 1)})
    values.push_back(value);
  if (std::is_signed_v<T>)
    for (int value : {-1, -2, -7, -8, -100})
      values.push_back(T(value));
  return values;
}

/// Each value with each.
template <typename T>
std::pair<Tensor<T>, Tensor<T>> getPairs(const std::vector<T> &left, const std::vector<T> &right) {
  std::vector<T> x, y;
  for (T a : left)
    for (T b : right) {
      x.push_back(a);
      y.push_back(b);
    }
  Shape shape{static_cast<int64_t>(x.size())};
  return {Tensor<T>(shape, x), Tensor<T>(shape, y)};
}

template <typename T> Tensor<T> getTensor(const std::vector<T> &values) {
  return Tensor<T>({static_cast<int64_t>(values.size())}, values);
}

template <typename T>
void checkUnary(const std::vector<std::string> &ops, const std::vector<T> &values) {
  Tensor<T> x = getTensor(values);
  std::string body;
  for (size_t i = 0; i < ops.size(); ++i)
    body += "%r" + std::to_string(i) + " = lgc." + ops[i] + " %a0 : " + x.type() + "\n";
  SCOPED_TRACE(x.type());
  expectRunsAsItFolds<T>(body, ops, x.type(), getTolerance<T>(), x);
}

template <typename T>
void checkBinary(const std::vector<std::string> &ops, const std::vector<T> &left,
                 const std::vector<T> &right, double tolerance = getTolerance<T>()) {
  auto [x, y] = getPairs(left, right);
  std::string body;
  for (size_t i = 0; i < ops.size(); ++i)
    body += "%r" + std::to_string(i) + " = lgc." + ops[i] + " %a0, %a1 : " + x.type() + "\n";
  SCOPED_TRACE(x.type());
  expectRunsAsItFolds<T>(body, ops, x.type(), tolerance, x, y);
}

const std::vector<std::string> functions{
    "exp",      "log",  "log1p", "sqrt",       "rsqrt", "sin",   "cos",   "tan",   "asin",
    "acos",     "atan", "sinh",  "cosh",       "tanh",  "asinh", "acosh", "atanh", "erf",
    "logistic", "ceil", "floor", "round_even", "neg",   "abs",   "sign"};

TEST(Elementwise, Functions) {
  checkUnary<float>(functions, getEdgeCases<float>());
  checkUnary<double>(functions, getEdgeCases<double>());
}

TEST(Elementwise, FunctionsOnManyNumbers) {
  std::vector<float> single;
  std::vector<double> twice;
  for (int i = -500; i <= 500; ++i) {
    single.push_back(static_cast<float>(i) * 0.013f);
    twice.push_back(i * 0.013);
  }
  checkUnary<float>(functions, single);
  checkUnary<double>(functions, twice);
}

/// Angles of rotary embeddings are positions.
TEST(Elementwise, LargeAngles) {
  std::vector<float> angles;
  for (int i = 0; i < 4096; i += 7)
    angles.push_back(static_cast<float>(i));
  checkUnary<float>({"sin", "cos"}, angles);
}

TEST(Elementwise, IntegerFunctions) {
  const std::vector<std::string> ops{"neg", "abs", "sign", "not"};
  checkUnary<int8_t>(ops, getEdgeCases<int8_t>());
  checkUnary<int16_t>(ops, getEdgeCases<int16_t>());
  checkUnary<int32_t>(ops, getEdgeCases<int32_t>());
  checkUnary<int64_t>(ops, getEdgeCases<int64_t>());
  checkUnary<uint8_t>(ops, getEdgeCases<uint8_t>());
  checkUnary<uint64_t>(ops, getEdgeCases<uint64_t>());
}

TEST(Elementwise, FloatingPointArithmetic) {
  const std::vector<std::string> ops{"add", "sub", "mul", "div", "rem", "max", "min"};
  checkBinary<float>(ops, getEdgeCases<float>(), getEdgeCases<float>());
  checkBinary<double>(ops, getEdgeCases<double>(), getEdgeCases<double>());
  checkBinary<double>({"atan2"}, getEdgeCases<double>(), getEdgeCases<double>());
  checkBinary<float>({"atan2"}, getEdgeCases<float>(), getEdgeCases<float>());
}

TEST(Elementwise, Powers) {
  checkBinary<float>({"pow"}, getEdgeCases<float>(), getEdgeCases<float>(), 1e-5);
  checkBinary<double>({"pow"}, getEdgeCases<double>(), getEdgeCases<double>());
  checkBinary<int32_t>({"pow"}, {0, 1, 2, -3, 10}, {0, 1, 2, 3, 5});
  checkBinary<int64_t>({"pow"}, {0, 1, 2, -3, 10}, {0, 1, 2, 3, 5});
  checkBinary<int64_t>({"pow"}, {1, 2, -1}, {-1, -2});
}

template <typename T> void checkIntegerArithmetic() {
  checkBinary<T>({"add", "sub", "mul", "div", "rem", "max", "min", "and", "or", "xor", "shift_left",
                  "shift_right"},
                 getEdgeCases<T>(), getEdgeCases<T>());
}

TEST(Elementwise, IntegerArithmetic) {
  checkIntegerArithmetic<int8_t>();
  checkIntegerArithmetic<int16_t>();
  checkIntegerArithmetic<int32_t>();
  checkIntegerArithmetic<int64_t>();
  checkIntegerArithmetic<uint8_t>();
  checkIntegerArithmetic<uint16_t>();
  checkIntegerArithmetic<uint32_t>();
  checkIntegerArithmetic<uint64_t>();
}

template <typename T> void checkComparisons() {
  auto [x, y] = getPairs(getEdgeCases<T>(), getEdgeCases<T>());
  const std::vector<std::string> predicates{"eq", "ne", "lt", "le", "gt", "ge"};
  std::string boolType = tensorType(x.shape, "i1"), byteType = tensorType(x.shape, "ui8"), body;
  for (size_t i = 0; i < predicates.size(); ++i) {
    std::string number = std::to_string(i);
    body += "%c" + number + " = lgc.compare " + predicates[i] + " %a0, %a1 : " + x.type() + "\n";
    body += "%r" + number + " = lgc.cast %c" + number + " : " + boolType + " to " + byteType + "\n";
  }
  SCOPED_TRACE(x.type());
  expectRunsAsItFolds<uint8_t>(body, predicates, byteType, 0.0, x, y);
}

TEST(Elementwise, Comparisons) {
  checkComparisons<float>();
  checkComparisons<double>();
  checkComparisons<int8_t>();
  checkComparisons<int64_t>();
  checkComparisons<uint8_t>();
  checkComparisons<uint64_t>();
}

TEST(Elementwise, Predicates) {
  Tensor<float> x = getTensor(getEdgeCases<float>());
  std::string boolType = tensorType(x.shape, "i1"), byteType = tensorType(x.shape, "ui8"), body;
  const std::vector<std::string> ops{"is_nan %a0", "is_inf %a0",
                                     "is_inf %a0 {detect_negative = false}",
                                     "is_inf %a0 {detect_positive = false}"};
  for (size_t i = 0; i < ops.size(); ++i) {
    std::string number = std::to_string(i);
    body += "%c" + number + " = lgc." + ops[i] + " : " + x.type() + "\n";
    body += "%r" + number + " = lgc.cast %c" + number + " : " + boolType + " to " + byteType + "\n";
  }
  expectRunsAsItFolds<uint8_t>(body, ops, byteType, 0.0, x);
}

TEST(Elementwise, Selection) {
  Tensor<int8_t> condition = getTensor<int8_t>({0, 1, 2, -1, 0, 0});
  Tensor<double> x = getTensor<double>({1, 2, 3, 4, 5, 6}),
                 y = getTensor<double>({7, 8, 9, 10, 11, 12});
  std::string boolType = tensorType(condition.shape, "i1");
  std::string body = "%c = lgc.cast %a0 : " + condition.type() + " to " + boolType +
                     "\n%r0 = " + "lgc.select %c, %a1, %a2 : " + boolType + ", " + x.type();
  expectRunsAsItFolds<double>(body, {"select"}, x.type(), 0.0, condition, x, y);
}

TEST(Elementwise, Booleans) {
  auto [x, y] = getPairs<uint8_t>({0, 1}, {0, 1});
  std::string byteType = x.type(), boolType = tensorType(x.shape, "i1"), body;
  for (const char *argument : {"0", "1"})
    body += std::string("%b") + argument + " = lgc.cast %a" + argument + " : " + byteType + " to " +
            boolType + "\n";
  const std::vector<std::string> ops{"and", "or", "xor", "compare lt", "compare eq", "compare gt"};
  for (size_t i = 0; i < ops.size(); ++i) {
    std::string number = std::to_string(i);
    body += "%c" + number + " = lgc." + ops[i] + " %b0, %b1 : " + boolType + "\n";
    body += "%r" + number + " = lgc.cast %c" + number + " : " + boolType + " to " + byteType + "\n";
  }
  expectRunsAsItFolds<uint8_t>(body, ops, byteType, 0.0, x, y);
}

//===----------------------------------------------------------------------===//
// Conversions
//===----------------------------------------------------------------------===//

template <typename From, typename To> void checkCast(std::vector<From> values) {
  Tensor<From> x = getTensor(values);
  std::string to = tensorType(x.shape, elementName<To>());
  std::string body = "%r0 = lgc.cast %a0 : " + x.type() + " to " + to +
                     "\n%r1 = lgc.cast %a0 saturate : " + x.type() + " to " + to;
  SCOPED_TRACE(x.type() + " to " + to);
  if (x.type() == to)
    return;
  expectRunsAsItFolds<To>(body, {"cast", "saturate"}, to, 0.0, x);
}

template <typename From> void checkCasts(const std::vector<From> &values) {
  checkCast<From, float>(values);
  checkCast<From, double>(values);
  checkCast<From, int8_t>(values);
  checkCast<From, int16_t>(values);
  checkCast<From, int32_t>(values);
  checkCast<From, int64_t>(values);
  checkCast<From, uint8_t>(values);
  checkCast<From, uint16_t>(values);
  checkCast<From, uint32_t>(values);
  checkCast<From, uint64_t>(values);
}

TEST(Casts, FromFloatingPoint) {
  std::vector<float> single = getEdgeCases<float>();
  std::vector<double> twice = getEdgeCases<double>();
  for (double value :
       {127.9, 128.0, -128.9, -129.0, 255.5, 256.0, 300.0, -300.0, 65535.9, 2147483648.0,
        -2147483649.0, 4294967296.0, 9.3e18, -9.3e18, 1.9e19, 1e30, -1e30}) {
    single.push_back(static_cast<float>(value));
    twice.push_back(value);
  }
  checkCasts(single);
  checkCasts(twice);
}

TEST(Casts, FromIntegers) {
  checkCasts(getEdgeCases<int8_t>());
  checkCasts(getEdgeCases<int32_t>());
  checkCasts(getEdgeCases<int64_t>());
  checkCasts(getEdgeCases<uint8_t>());
  checkCasts(getEdgeCases<uint32_t>());
  checkCasts(getEdgeCases<uint64_t>());
}

/// A cast to a narrow type rounds, though its users compute in f32.
TEST(Casts, RoundToNarrowTypes) {
  std::vector<float> values = getEdgeCases<float>();
  for (float value : {257.0f, 1.00390625f, 3.1415927f, 65519.0f, 65520.0f, 1e-7f, 6e-8f, 3e38f})
    values.push_back(value);
  Tensor<float> x = getTensor(values);
  for (const char *element : {"f16", "bf16"}) {
    std::string narrow = tensorType(x.shape, element);
    std::string body = "%n = lgc.cast %a0 : " + x.type() + " to " + narrow +
                       "\n%d = lgc.neg %n : " + narrow + "\n%r0 = lgc.cast %d : " + narrow +
                       " to " + x.type();
    expectRunsAsItFolds<float>(body, {element}, x.type(), 0.0, x);
  }
}

float widen(uint16_t bits, bool isBFloat) {
  llvm::APFloat value(isBFloat ? llvm::APFloat::BFloat() : llvm::APFloat::IEEEhalf(),
                      llvm::APInt(16, bits));
  bool losesInfo;
  value.convert(llvm::APFloat::IEEEsingle(), llvm::APFloat::rmNearestTiesToEven, &losesInfo);
  return value.convertToFloat();
}

/// Operations on 16-bit numbers read, compute in f32, round and store.
TEST(Casts, NarrowTypesInMemory) {
  const std::vector<std::string> ops{"exp", "log", "sqrt", "rsqrt", "sin",   "tanh",
                                     "erf", "neg", "abs",  "sign",  "floor", "add",
                                     "sub", "mul", "div",  "max",   "min"};
  std::vector<float> values = getEdgeCases<float>();
  Tensor<float> x = getTensor(values);
  for (const std::string element : {"f16", "bf16"}) {
    std::string narrow = tensorType(x.shape, element), body;
    body = "%n = lgc.cast %a0 : " + x.type() + " to " + narrow + "\n";
    for (size_t i = 0; i < ops.size(); ++i)
      body += "%r" + std::to_string(i) + " = lgc." + ops[i] + (i < 11 ? " %n : " : " %n, %n : ") +
              narrow + "\n";
    Execution run(std::vector<std::string>(ops.size(), narrow), body, x);
    Folding folding(body, x);
    std::vector<mlir::DenseElementsAttr> folded = folding.getResults();
    ASSERT_EQ(folded.size(), ops.size());
    for (size_t i = 0; i < ops.size(); ++i) {
      ASSERT_TRUE(folded[i]) << ops[i];
      std::vector<float> actual, expected;
      for (uint16_t bits : run.get<uint16_t>(i))
        actual.push_back(widen(bits, element == "bf16"));
      for (const llvm::APFloat &value : folded[i].getValues<llvm::APFloat>())
        expected.push_back(static_cast<float>(mlir::FloatAttr::getValueAsDouble(value)));
      SCOPED_TRACE(ops[i] + " " + element);
      // One unit in the last place.
      expectClose(actual, expected, (element == "bf16" ? 0x1p-8 : 0x1p-11) / 0x1p-23);
    }
  }
}

TEST(Casts, Bits) {
  Tensor<float> x = getTensor(getEdgeCases<float>());
  std::string bits = tensorType(x.shape, "i32");
  expectRunsAsItFolds<int32_t>("%r0 = lgc.bitcast %a0 : " + x.type() + " to " + bits, {"bitcast"},
                               bits, 0.0, x);
}

} // namespace
