//===- EquivalenceTest.cpp - Fusion never decides numbers -----------------===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//
//
// Random programs give the same numbers within rounding with each operation a kernel of its own
// and with operations fused. They run through memory planning and the CPU target, so that this
// tests those, too.
//
//===----------------------------------------------------------------------===//

#include "lgc/Driver/InProcess.h"
#include "lgc/Driver/Registration.h"
#include "mlir/IR/MLIRContext.h"
#include <cmath>
#include <gtest/gtest.h>
#include <random>

using namespace mlir;
using namespace lgc;

namespace {

/// Writes a program on matrices of 24x40 and their rows, columns and sums.
class ProgramWriter {
public:
  explicit ProgramWriter(unsigned seed) : random(seed) {}

  std::string write(unsigned numOps) {
    matrices = {"%a", "%b"};
    rows = {"%r"};
    columns = {"%c"};
    for (unsigned i = 0; i < numOps; ++i)
      addOp();
    std::string x = pick(matrices), y = pick(matrices), c = pick(columns), r = pick(rows);
    return "func.func @forward(%a: " + matrix + ", %b: " + matrix + ", %c: " + column +
           ", %r: " + row + ", %w: tensor<40x40xf32>) -> (" + matrix + ", " + matrix + ", " +
           column + ", " + row + ") {\n" + body + "  return " + x + ", " + y + ", " + c + ", " + r +
           " : " + matrix + ", " + matrix + ", " + column + ", " + row + "\n}\n";
  }

private:
  const std::string &pick(const std::vector<std::string> &values) {
    // Mostly recent ones, so that long chains arise.
    size_t back = std::min<size_t>(values.size(), 1 + random() % 4);
    return values[values.size() - back];
  }
  std::string define(const std::string &text) {
    std::string name = "%v" + std::to_string(count++);
    body += "  " + name + " = " + text + "\n";
    return name;
  }
  std::string unary(const std::string &operand, const std::string &type) {
    static const char *names[] = {"neg", "tanh", "logistic", "abs", "sin"};
    return define("lgc." + std::string(names[random() % 5]) + " " + operand + " : " + type);
  }
  std::string binary(const std::string &a, const std::string &b, const std::string &type) {
    static const char *names[] = {"add", "sub", "mul", "max", "min"};
    return define("lgc." + std::string(names[random() % 5]) + " " + a + ", " + b + " : " + type);
  }
  std::string reduce(const std::string &kind, const std::string &dim) {
    return define("lgc.reduce " + kind + " " + pick(matrices) + " dims = [" + dim +
                  "] : " + matrix);
  }
  void addOp();

  std::mt19937 random;
  const std::string matrix = "tensor<24x40xf32>", column = "tensor<24xf32>", row = "tensor<40xf32>";
  std::vector<std::string> matrices, rows, columns;
  std::string body;
  unsigned count = 0;
};

void ProgramWriter::addOp() {
  switch (random() % 12) {
  case 0:
  case 1:
    return matrices.push_back(unary(pick(matrices), matrix));
  case 2:
  case 3:
  case 4:
    return matrices.push_back(binary(pick(matrices), pick(matrices), matrix));
  case 5:
    return columns.push_back(random() % 2 ? reduce("max", "1") : unary(pick(columns), column));
  case 6:
    // Sums are scaled down, so that numbers stay of the order of one.
    rows.push_back(reduce("sum", "0"));
    return rows.push_back(unary(rows.back(), row));
  case 7:
    return matrices.push_back(
        define("lgc.broadcast " + pick(columns) + " dims = [0] : " + column + " to " + matrix));
  case 8:
    return matrices.push_back(
        define("lgc.broadcast " + pick(rows) + " dims = [1] : " + row + " to " + matrix));
  case 9: {
    matrices.push_back(define("lgc.dot " + pick(matrices) +
                              ", %w batch = [] x [] contract = [1] x [0] : " + matrix +
                              ", tensor<40x40xf32>"));
    return matrices.push_back(unary(matrices.back(), matrix));
  }
  case 10: {
    std::string turned =
        define("lgc.transpose " + pick(matrices) + " permutation = [1, 0] : " + matrix);
    std::string bent = unary(turned, "tensor<40x24xf32>");
    return matrices.push_back(
        define("lgc.transpose " + bent + " permutation = [1, 0] : tensor<40x24xf32>"));
  }
  default: {
    std::string flat =
        define("lgc.reshape " + pick(matrices) + " : " + matrix + " to tensor<12x80xf32>");
    std::string bent = unary(flat, "tensor<12x80xf32>");
    return matrices.push_back(define("lgc.reshape " + bent + " : tensor<12x80xf32> to " + matrix));
  }
  }
}

class Equivalence : public ::testing::TestWithParam<unsigned> {
protected:
  Equivalence() {
    registerDialects(registry);
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
  }

  /// The outputs, one after another.
  std::vector<float> run(const std::string &text, bool fuse) {
    InProcessOptions options;
    options.backend.fuse = fuse;
    auto program = compileInProcess(context, text, options);
    if (failed(program))
      return {};
    std::mt19937 random(5);
    std::uniform_real_distribution<float> uniform(-1, 1);
    for (const ProgramBuffer &buffer : (*program)->getBuffers())
      if (buffer.role == Role::Input)
        for (int64_t i = 0; i < buffer.bytes / 4; ++i)
          reinterpret_cast<float *>((*program)->getAddress(buffer))[i] =
              uniform(random) * (buffer.name == "arg4" ? 0.2f : 1.0f);
    EXPECT_TRUE((*program)->run("forward"));
    std::vector<float> outputs;
    for (unsigned i = 0; i < 4; ++i) {
      const ProgramBuffer *buffer = (*program)->find("result" + std::to_string(i));
      auto *data = reinterpret_cast<float *>((*program)->getAddress(*buffer));
      outputs.insert(outputs.end(), data, data + buffer->bytes / 4);
    }
    return outputs;
  }

  DialectRegistry registry;
  MLIRContext context{MLIRContext::Threading::DISABLED};
};

} // namespace

TEST_P(Equivalence, FusedAndUnfused) {
  std::string text = ProgramWriter(GetParam()).write(30);
  std::vector<float> fused = run(text, /*fuse=*/true), unfused = run(text, /*fuse=*/false);
  ASSERT_FALSE(fused.empty()) << text;
  ASSERT_EQ(fused.size(), unfused.size());
  for (size_t i = 0; i < fused.size(); ++i)
    ASSERT_NEAR(fused[i], unfused[i], 2e-3 * (1 + std::abs(unfused[i]))) << "at " << i << "\n"
                                                                         << text;
}

INSTANTIATE_TEST_SUITE_P(Random, Equivalence, ::testing::Range(0u, 30u));
