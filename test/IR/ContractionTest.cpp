//===- ContractionTest.cpp - Matrix products and convolutions, run ------===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Execution.h"
#include <algorithm>

using namespace lgc::test;

namespace {

struct Pairs {
  std::vector<int64_t> lhsBatch, rhsBatch, lhsContract, rhsContract;
};

std::vector<int64_t> getFree(size_t rank, const std::vector<int64_t> &batch,
                             const std::vector<int64_t> &contract) {
  std::vector<int64_t> dims;
  for (int64_t dim = 0; dim < static_cast<int64_t>(rank); ++dim)
    if (!std::count(batch.begin(), batch.end(), dim) &&
        !std::count(contract.begin(), contract.end(), dim))
      dims.push_back(dim);
  return dims;
}

template <typename T> void checkDot(const Shape &left, const Shape &right, const Pairs &pairs) {
  Tensor<T> lhs = Tensor<T>::random(left, 1), rhs = Tensor<T>::random(right, 2);
  std::vector<int64_t> lhsFree = getFree(left.size(), pairs.lhsBatch, pairs.lhsContract);
  std::vector<int64_t> rhsFree = getFree(right.size(), pairs.rhsBatch, pairs.rhsContract);
  Shape shape, contracted;
  for (int64_t dim : pairs.lhsBatch)
    shape.push_back(left[dim]);
  for (int64_t dim : lhsFree)
    shape.push_back(left[dim]);
  for (int64_t dim : rhsFree)
    shape.push_back(right[dim]);
  for (int64_t dim : pairs.lhsContract)
    contracted.push_back(left[dim]);
  Tensor<T> expected(shape);
  forEachIndex(shape, [&](const Index &at) {
    forEachIndex(contracted, [&](const Index &k) {
      Index l(left.size()), r(right.size());
      size_t next = 0;
      for (size_t i = 0; i < pairs.lhsBatch.size(); ++i)
        l[pairs.lhsBatch[i]] = r[pairs.rhsBatch[i]] = at[next++];
      for (int64_t dim : lhsFree)
        l[dim] = at[next++];
      for (int64_t dim : rhsFree)
        r[dim] = at[next++];
      for (size_t i = 0; i < k.size(); ++i)
        l[pairs.lhsContract[i]] = r[pairs.rhsContract[i]] = k[i];
      expected[at] += lhs[l] * rhs[r];
    });
  });
  std::string text = "%r0 = lgc.dot %a0, %a1 batch = " + list(pairs.lhsBatch) + " x " +
                     list(pairs.rhsBatch) + " contract = " + list(pairs.lhsContract) + " x " +
                     list(pairs.rhsContract) + " : " + lhs.type() + ", " + rhs.type();
  SCOPED_TRACE(text);
  Execution run({expected.type()}, text, lhs, rhs);
  expectClose(run.get<T>(), expected.values, 256);
}

TEST(Dot, BatchesFreeAndContracted) {
  const std::vector<std::tuple<Shape, Shape, Pairs>> cases = {
      {{3, 4}, {4, 5}, {{}, {}, {1}, {0}}},
      {{3, 4}, {5, 4}, {{}, {}, {1}, {1}}},
      {{4, 3}, {4, 5}, {{}, {}, {0}, {0}}},
      {{4}, {4}, {{}, {}, {0}, {0}}},
      {{4}, {4, 3}, {{}, {}, {0}, {0}}},
      {{3}, {2}, {{}, {}, {}, {}}},
      {{}, {2, 2}, {{}, {}, {}, {}}},
      {{2, 3, 4}, {2, 4, 5}, {{0}, {0}, {2}, {1}}},
      {{2, 3, 4, 5}, {5, 3, 2, 6}, {{1, 0}, {1, 2}, {3}, {0}}},
      {{3, 2, 4}, {2, 4, 3}, {{}, {}, {1, 2}, {0, 1}}},
      {{3, 2, 4}, {4, 5, 2}, {{}, {}, {2, 1}, {0, 2}}},
      {{5, 2}, {5, 2}, {{0, 1}, {0, 1}, {}, {}}},
      {{3, 0}, {0, 5}, {{}, {}, {1}, {0}}},
      {{0, 3}, {3, 5}, {{}, {}, {1}, {0}}},
      {{33, 65}, {65, 17}, {{}, {}, {1}, {0}}},
      {{1, 1}, {1, 1}, {{}, {}, {1}, {0}}},
  };
  for (const auto &[left, right, pairs] : cases) {
    checkDot<float>(left, right, pairs);
    checkDot<double>(left, right, pairs);
    checkDot<int32_t>(left, right, pairs);
  }
}

struct Geometry {
  Shape input, filter;
  std::vector<int64_t> strides, dilations, low, high;
  int64_t groups;

  std::string text() const {
    return " strides = " + list(strides) + " dilations = " + list(dilations) +
           " low = " + list(low) + " high = " + list(high) + " groups = " + std::to_string(groups);
  }
  Shape getOutput() const {
    Shape shape{input[0], filter[0]};
    for (size_t i = 0; i < strides.size(); ++i)
      shape.push_back((input[i + 2] + low[i] + high[i] - (filter[i + 2] - 1) * dilations[i] - 1) /
                          strides[i] +
                      1);
    return shape;
  }
  /// Calls `body` with the indices of each product: in the input, the filter and the output.
  void forEachProduct(
      const std::function<void(const Index &, const Index &, const Index &)> &body) const {
    forEachIndex(getOutput(), [&](const Index &output) {
      forEachIndex(Shape(filter.begin() + 1, filter.end()), [&](const Index &inner) {
        Index in{output[0], output[1] / (filter[0] / groups) * filter[1] + inner[0]};
        Index weight{output[1]};
        weight.insert(weight.end(), inner.begin(), inner.end());
        for (size_t i = 0; i < strides.size(); ++i) {
          in.push_back(output[i + 2] * strides[i] - low[i] + inner[i + 1] * dilations[i]);
          if (in.back() < 0 || in.back() >= input[i + 2])
            return;
        }
        body(in, weight, output);
      });
    });
  }
};

template <typename T> void checkConvolutions(const Geometry &g) {
  SCOPED_TRACE(tensorType(g.input, elementName<T>()) + ", " +
               tensorType(g.filter, elementName<T>()) + g.text());
  Tensor<T> input = Tensor<T>::random(g.input, 1), filter = Tensor<T>::random(g.filter, 2);
  Tensor<T> gradient = Tensor<T>::random(g.getOutput(), 3);
  Tensor<T> output(gradient.shape), toInput(g.input), toFilter(g.filter);
  g.forEachProduct([&](const Index &in, const Index &weight, const Index &out) {
    output[out] += input[in] * filter[weight];
    toInput[in] += gradient[out] * filter[weight];
    toFilter[weight] += gradient[out] * input[in];
  });
  Execution run({output.type(), toInput.type(), toFilter.type()},
                "%r0 = lgc.convolution %a0, %a1" + g.text() + " : " + input.type() + ", " +
                    filter.type() + "\n%r1 = lgc.convolution_input %a2, %a1" + g.text() + " : " +
                    gradient.type() + ", " + filter.type() + " to " + input.type() +
                    "\n%r2 = lgc.convolution_filter %a0, %a2" + g.text() + " : " + input.type() +
                    ", " + gradient.type() + " to " + filter.type(),
                input, filter, gradient);
  expectClose(run.get<T>(0), output.values, 512);
  expectClose(run.get<T>(1), toInput.values, 512);
  expectClose(run.get<T>(2), toFilter.values, 512);
}

TEST(Convolution, ForwardAndBothGradients) {
  const std::vector<Geometry> geometries = {
      {{2, 3, 8}, {4, 3, 3}, {1}, {1}, {1}, {1}, 1},
      {{1, 2, 7, 6}, {3, 2, 3, 2}, {2, 1}, {1, 1}, {1, 0}, {0, 1}, 1},
      {{2, 4, 9, 8}, {6, 2, 2, 3}, {3, 2}, {2, 2}, {1, 2}, {2, 1}, 2},
      // Depthwise.
      {{2, 3, 6, 6}, {6, 1, 3, 3}, {1, 1}, {1, 1}, {1, 1}, {1, 1}, 3},
      {{1, 1, 3, 4, 5}, {2, 1, 2, 2, 2}, {1, 2, 1}, {1, 1, 2}, {0, 1, 0}, {1, 0, 1}, 1},
      {{3, 2, 1, 1}, {2, 2, 1, 1}, {1, 1}, {1, 1}, {0, 0}, {0, 0}, 1},
      {{0, 2, 4}, {3, 2, 2}, {1}, {1}, {0}, {0}, 1},
      // No spatial dimensions: a matrix product.
      {{3, 4}, {2, 4}, {}, {}, {}, {}, 1},
      // Padding cut off rather than added.
      {{1, 1, 6}, {1, 1, 3}, {1}, {1}, {-1}, {-1}, 1},
  };
  for (const Geometry &geometry : geometries) {
    checkConvolutions<double>(geometry);
    checkConvolutions<float>(geometry);
  }
  checkConvolutions<int32_t>(geometries[2]);
}

} // namespace
