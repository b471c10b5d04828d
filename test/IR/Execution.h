//===- Execution.h - Operations run on tensors of values ------------------===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef LGC_TEST_IR_EXECUTION_H
#define LGC_TEST_IR_EXECUTION_H

#include "../Target/CPU/TestProgram.h"
#include <cmath>
#include <functional>
#include <limits>

namespace lgc::test {

using Shape = std::vector<int64_t>;
using Index = std::vector<int64_t>;

inline int64_t countElements(const Shape &shape) {
  int64_t count = 1;
  for (int64_t size : shape)
    count *= size;
  return count;
}

/// Calls `body` with each index of a shape, in row-major order.
inline void forEachIndex(const Shape &shape, const std::function<void(const Index &)> &body) {
  Index index(shape.size(), 0);
  for (int64_t i = 0, count = countElements(shape); i < count; ++i) {
    int64_t rest = i;
    for (size_t dim = shape.size(); dim-- > 0;) {
      index[dim] = rest % shape[dim];
      rest /= shape[dim];
    }
    body(index);
  }
}

template <typename T> std::string elementName() {
  std::string bits = std::to_string(8 * sizeof(T));
  if (std::is_same_v<T, bool>)
    return "i1";
  if (std::is_floating_point_v<T>)
    return "f" + bits;
  return (std::is_signed_v<T> ? "i" : "ui") + bits;
}

inline std::string tensorType(const Shape &shape, const std::string &element) {
  std::string text = "tensor<";
  for (int64_t size : shape)
    text += std::to_string(size) + "x";
  return text + element + ">";
}

template <typename T> struct Tensor {
  Shape shape;
  std::vector<T> values;

  explicit Tensor(const Shape &shape, T value = T()) : shape(shape) {
    values.assign(countElements(shape), value);
  }
  Tensor(const Shape &shape, std::vector<T> values) : shape(shape), values(std::move(values)) {}

  /// Distinct-looking numbers, the same in every run; integers between -9 and 9 (or 0 and 9).
  static Tensor random(const Shape &shape, uint32_t seed = 1) {
    Tensor tensor(shape);
    for (T &value : tensor.values) {
      seed = seed * 1664525u + 1013904223u;
      int64_t number = (seed >> 8) % 4001;
      if (std::is_floating_point_v<T>)
        value = static_cast<T>(number - 2000) / static_cast<T>(1000);
      else
        value = static_cast<T>(std::is_signed_v<T> ? number % 19 - 9 : number % 10);
    }
    return tensor;
  }

  int64_t locate(const Index &index) const {
    int64_t at = 0;
    for (size_t dim = 0; dim < shape.size(); ++dim)
      at = at * shape[dim] + index[dim];
    return at;
  }
  T &operator[](const Index &index) { return values[locate(index)]; }
  const T &operator[](const Index &index) const { return values[locate(index)]; }
  std::string type() const { return tensorType(shape, elementName<T>()); }
};

/// A list as the assembly writes it: [1, 2].
inline std::string list(const std::vector<int64_t> &numbers) {
  std::string text = "[";
  for (size_t i = 0; i < numbers.size(); ++i)
    text += (i ? ", " : "") + std::to_string(numbers[i]);
  return text + "]";
}

/// Whether operations of one test merge into kernels.
inline bool fuseOperations = true;

/// Runs `body`, whose results are %r0, %r1, ..., on arguments %a0, %a1, ....
class Execution {
public:
  template <typename... Arguments>
  Execution(const std::vector<std::string> &resultTypes, const std::string &body,
            const Arguments &...arguments)
      : program({arguments.type()...}, resultTypes, body + "\nreturn " + getReturn(resultTypes),
                fuseOperations) {
    if (!program) {
      ADD_FAILURE() << "doesn't compile:\n" << body;
      return;
    }
    unsigned number = 0;
    (set(number++, arguments), ...);
    program.run();
  }

  explicit operator bool() const { return static_cast<bool>(program); }

  template <typename T> std::vector<T> get(unsigned result = 0) {
    if (!program)
      return {};
    return program.get<T>("r" + std::to_string(result));
  }

private:
  static std::string getReturn(const std::vector<std::string> &types) {
    std::string values, list;
    for (size_t i = 0; i < types.size(); ++i) {
      values += (i ? ", %r" : "%r") + std::to_string(i);
      list += (i ? ", " : "") + types[i];
    }
    return values + " : " + list;
  }

  template <typename T> void set(unsigned number, const Tensor<T> &tensor) {
    program.set("a" + std::to_string(number), tensor.values);
  }

  TestProgram program;
};

/// Equal integers; floating-point numbers within a few roundings of the sum of `terms` numbers.
template <typename T>
void expectClose(const std::vector<T> &actual, const std::vector<T> &expected, double terms = 16) {
  ASSERT_EQ(actual.size(), expected.size());
  for (size_t i = 0; i < actual.size(); ++i) {
    if constexpr (std::is_floating_point_v<T>) {
      if (std::isnan(expected[i])) {
        EXPECT_TRUE(std::isnan(actual[i])) << "element " << i << " is " << actual[i];
        continue;
      }
      if (std::isinf(expected[i])) {
        EXPECT_EQ(actual[i], expected[i]) << "element " << i;
        continue;
      }
      double tolerance = terms * std::numeric_limits<T>::epsilon() *
                         std::max(1.0, std::abs(static_cast<double>(expected[i])));
      EXPECT_NEAR(actual[i], expected[i], tolerance) << "element " << i;
    } else {
      EXPECT_EQ(+actual[i], +expected[i]) << "element " << i;
    }
  }
}

} // namespace lgc::test

#endif // LGC_TEST_IR_EXECUTION_H
