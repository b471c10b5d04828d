//===- RandomProgramTest.cpp - Random programs, run and folded ------------===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//
//
// Graphs of rearrangements, reductions and integer arithmetic go through fusion, memory planning
// and the CPU target, and must give to the bit what folding one operation after the other gives.
//
//===----------------------------------------------------------------------===//

#include "Folding.h"
#include <cstdlib>
#include <random>

using namespace lgc::test;

namespace {

/// Writes a random program on %a0 and %a1. The same seed gives the same program.
class ProgramWriter {
public:
  ProgramWriter(uint32_t seed, const Shape &shape) : random(seed) {
    nodes.push_back({"%a0", shape});
    nodes.push_back({"%a1", shape});
  }

  /// The results, %r0, %r1, ..., are everything that nothing else reads.
  void write(int count) {
    while (static_cast<int>(nodes.size()) < count + 2)
      addNode();
    for (Node node : std::vector<Node>(nodes)) {
      if (node.used)
        continue;
      body += "%r" + std::to_string(resultTypes.size()) + " = lgc.neg " + node.name + " : " +
              type(node.shape) + "\n";
      resultTypes.push_back(type(node.shape));
    }
  }

  std::string body;
  std::vector<std::string> resultTypes;

private:
  struct Node {
    std::string name;
    Shape shape;
    bool used = false;
  };

  int64_t pick(int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(random);
  }
  static std::string type(const Shape &shape) { return tensorType(shape, "i32"); }

  /// `operation` with the operands and what follows them.
  void add(const std::string &operation, const std::string &suffix, const Shape &shape) {
    std::string name = "%v" + std::to_string(nodes.size());
    body += name + " = lgc." + operation + suffix + "\n";
    nodes.push_back({name, shape});
  }

  void addNode() {
    // Mostly on what was made last, so that chains grow; sometimes on anything.
    Node &operand = nodes[pick(0, 2) ? nodes.size() - 1 : pick(0, nodes.size() - 1)];
    operand.used = true;
    Node x = operand;
    switch (pick(0, 10)) {
    case 0:
      return addReshape(x);
    case 1:
      return addTranspose(x);
    case 2:
      return addBroadcast(x);
    case 3:
      return addSlice(x);
    case 4:
      return addPad(x);
    case 5:
      return addReduce(x);
    case 6:
      return addConcat(x);
    default:
      return addArithmetic(x);
    }
  }

  void addReshape(const Node &x) {
    Shape to;
    for (int64_t rest = countElements(x.shape); rest > 1;) {
      int64_t factor = pick(2, rest);
      while (rest % factor != 0)
        --factor;
      to.push_back(factor == 1 ? rest : factor);
      rest /= to.back();
    }
    if (countElements(x.shape) == 0)
      to = x.shape;
    if (pick(0, 1))
      to.insert(to.begin() + pick(0, to.size()), 1);
    add("reshape " + x.name, " : " + type(x.shape) + " to " + type(to), to);
  }

  void addTranspose(const Node &x) {
    std::vector<int64_t> permutation(x.shape.size());
    for (size_t i = 0; i < permutation.size(); ++i)
      permutation[i] = i;
    std::shuffle(permutation.begin(), permutation.end(), random);
    Shape to;
    for (int64_t dim : permutation)
      to.push_back(x.shape[dim]);
    add("transpose " + x.name, " permutation = " + list(permutation) + " : " + type(x.shape), to);
  }

  void addBroadcast(const Node &x) {
    if (countElements(x.shape) > 500)
      return addReduce(x);
    Shape to;
    std::vector<int64_t> dims;
    for (int64_t size : x.shape) {
      if (pick(0, 3) == 0)
        to.push_back(pick(1, 5));
      dims.push_back(to.size());
      to.push_back(size == 1 ? pick(1, 6) : size);
    }
    if (pick(0, 1))
      to.push_back(pick(1, 7));
    add("broadcast " + x.name, " dims = " + list(dims) + " : " + type(x.shape) + " to " + type(to),
        to);
  }

  void addSlice(const Node &x) {
    Shape to;
    std::vector<int64_t> starts, limits, strides;
    for (int64_t size : x.shape) {
      starts.push_back(pick(0, 1) ? 0 : pick(0, size));
      limits.push_back(pick(0, 1) ? size : pick(starts.back(), size));
      strides.push_back(pick(1, 2));
      to.push_back((limits.back() - starts.back() + strides.back() - 1) / strides.back());
    }
    if (countElements(to) == 0)
      return addTranspose(x);
    add("slice " + x.name,
        " starts = " + list(starts) + " limits = " + list(limits) + " strides = " + list(strides) +
            " : " + type(x.shape),
        to);
  }

  void addPad(const Node &x) {
    Shape to;
    std::vector<int64_t> low, high, interior;
    for (int64_t size : x.shape) {
      low.push_back(pick(0, 1));
      high.push_back(pick(0, 2) == 0);
      interior.push_back(pick(0, 3) == 0);
      to.push_back(low.back() + high.back() + size +
                   interior.back() * std::max<int64_t>(0, size - 1));
    }
    if (countElements(to) > 5000)
      return addReduce(x);
    add("pad " + x.name,
        " value = " + std::to_string(pick(-3, 3)) + " : i32 low = " + list(low) +
            " high = " + list(high) + " interior = " + list(interior) + " : " + type(x.shape),
        to);
  }

  void addReduce(const Node &x) {
    static const char *kinds[] = {"sum", "max", "min", "product"};
    Shape to;
    std::vector<int64_t> dims;
    for (size_t dim = 0; dim < x.shape.size(); ++dim) {
      if (pick(0, 1))
        dims.push_back(dim);
      else
        to.push_back(x.shape[dim]);
    }
    add(std::string("reduce ") + kinds[pick(0, 3)] + " " + x.name,
        " dims = " + list(dims) + " : " + type(x.shape), to);
  }

  void addConcat(const Node &x) {
    if (x.shape.empty() || countElements(x.shape) > 2000)
      return addReduce(x);
    int64_t dim = pick(0, x.shape.size() - 1);
    Shape to = x.shape;
    to[dim] *= 2;
    add("concat " + x.name + ", " + x.name,
        " dim = " + std::to_string(dim) + " : " + type(x.shape) + ", " + type(x.shape), to);
  }

  void addArithmetic(const Node &x) {
    static const char *binary[] = {"add", "sub", "mul", "max", "min", "xor", "div", "rem"};
    std::vector<size_t> same;
    for (size_t i = 0; i < nodes.size(); ++i)
      if (nodes[i].shape == x.shape)
        same.push_back(i);
    Node &y = nodes[same[pick(0, same.size() - 1)]];
    y.used = true;
    std::string operation = binary[pick(0, 7)];
    add(operation + " " + x.name + ", " + y.name, " : " + type(x.shape), x.shape);
  }

  std::mt19937 random;
  std::vector<Node> nodes;
};

class RandomProgram : public testing::TestWithParam<uint32_t> {};

TEST_P(RandomProgram, RunsAsItFolds) {
  static const Shape shapes[] = {{4, 6}, {3, 1, 5}, {16}, {2, 3, 4, 5}, {33, 7}, {1, 8}};
  Shape shape = shapes[GetParam() % 6];
  Tensor<int32_t> x = Tensor<int32_t>::random(shape, GetParam() + 1);
  Tensor<int32_t> y = Tensor<int32_t>::random(shape, GetParam() + 1000);
  ProgramWriter writer(GetParam(), shape);
  writer.write(4 + GetParam() % 12);
  SCOPED_TRACE(writer.body);
  Execution run(writer.resultTypes, writer.body, x, y);
  ASSERT_TRUE(run);
  Folding folding(writer.body, x, y);
  std::vector<mlir::DenseElementsAttr> folded = folding.getResults();
  ASSERT_EQ(folded.size(), writer.resultTypes.size());
  for (size_t i = 0; i < folded.size(); ++i)
    expectFolded(run.get<int32_t>(i), folded[i], 0.0, "%r" + std::to_string(i));
}

/// LGC_RANDOM_PROGRAMS=N tries N programs rather than as many as every run of the tests can afford.
uint32_t getProgramCount() {
  const char *count = std::getenv("LGC_RANDOM_PROGRAMS");
  return count ? static_cast<uint32_t>(std::max(1, std::atoi(count))) : 120;
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomProgram, testing::Range(0u, getProgramCount()));

} // namespace
