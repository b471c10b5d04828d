//===- GradientCheck.h - A gradient against central differences -*- C++ -*-===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//
//
// The loss is the sum of the result's elements with random weights, in f64; its gradient by
// autodiff is compared with (f(x + h) - f(x - h)) / 2h at every element.
//
//===----------------------------------------------------------------------===//

#ifndef LGC_TEST_TRAINING_GRADIENTCHECK_H
#define LGC_TEST_TRAINING_GRADIENTCHECK_H

#include "lgc/Driver/InProcess.h"
#include "lgc/Driver/Registration.h"
#include "lgc/IR/LgcOps.h"
#include "lgc/IR/TensorMath.h"
#include "lgc/Training/Autodiff.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"
#include <cmath>
#include <map>
#include <random>

namespace lgc {

struct GradientCase {
  std::string name;
  /// Shapes of the arguments %a0, %a1, ..., all f64 and differentiated.
  std::vector<std::string> shapes;
  /// Defines %r, in f64, by its last operation's first result.
  std::string body;
  /// Elements are drawn from this range, in steps that keep them apart.
  double low = -2.0, high = 2.0;
};

inline std::ostream &operator<<(std::ostream &stream, const GradientCase &c) {
  return stream << c.name;
}

/// The case's loss and gradients as a program.
class GradientProgram {
public:
  explicit GradientProgram(const GradientCase &c) {
    mlir::DialectRegistry registry;
    registerDialects(registry);
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
    std::string text = "func.func @forward(";
    for (size_t i = 0; i < c.shapes.size(); ++i) {
      std::string name = "a" + std::to_string(i);
      text += (i ? ", %" : "%") + name + ": tensor<" + c.shapes[i] + "f64> {lgc.name = \"" + name +
              "\", lgc.role = #lgc.role<input>}";
    }
    text += ") {\n" + c.body + "\nreturn\n}";
    auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
    if (!module)
      return;
    auto function = module->lookupSymbol<mlir::func::FuncOp>("forward");
    if (!differentiate(function))
      return;
    auto compiled = compileInProcess(*module);
    if (succeeded(compiled))
      program = std::move(*compiled);
  }

  explicit operator bool() const { return program != nullptr; }

  double *get(const std::string &name, size_t *count = nullptr) {
    const ProgramBuffer *buffer = program->find(name);
    if (!buffer)
      return nullptr;
    if (count)
      *count = buffer->bytes / sizeof(double);
    return reinterpret_cast<double *>(program->getAddress(*buffer));
  }

  /// Values of the arguments, by name: a run may write over their buffers.
  std::map<std::string, std::vector<double>> arguments;

  double run() {
    for (const auto &[name, values] : arguments)
      std::copy(values.begin(), values.end(), get(name));
    EXPECT_TRUE(program->run("forward"));
    return *get("loss");
  }

private:
  mlir::DictionaryAttr getWeightAttributes() {
    mlir::Builder builder(&context);
    return builder.getDictionaryAttr(
        {builder.getNamedAttr(LgcDialect::kNameAttr, builder.getStringAttr("w")),
         builder.getNamedAttr(LgcDialect::kRoleAttr, RoleAttr::get(&context, Role::Input))});
  }

  bool differentiate(mlir::func::FuncOp function) {
    mlir::Operation *terminator = function.getBody().front().getTerminator();
    mlir::OpBuilder builder(terminator);
    TensorMath t(builder, function.getLoc());
    mlir::Value result = terminator->getPrevNode()->getResult(0);
    mlir::SmallVector<mlir::Value> arguments(function.getArguments()), gradients;
    if (failed(function.insertArgument(arguments.size(), result.getType(), getWeightAttributes(),
                                       function.getLoc())))
      return false;
    mlir::Value weighted = t.mul(result, function.getArguments().back());
    auto rank = llvm::cast<mlir::RankedTensorType>(weighted.getType()).getRank();
    mlir::Value loss = t.sum(weighted, llvm::to_vector(llvm::seq<int64_t>(0, rank)));
    if (failed(buildGradients(builder, loss, arguments, gradients)))
      return false;
    mlir::SmallVector<mlir::Value> results{loss};
    mlir::SmallVector<std::string> names{"loss"};
    for (auto [i, gradient] : llvm::enumerate(gradients)) {
      if (!gradient)
        return false;
      results.push_back(gradient);
      names.push_back("g" + std::to_string(i));
    }
    terminator->setOperands(results);
    function.setType(
        builder.getFunctionType(function.getArgumentTypes(), mlir::ValueRange(results).getTypes()));
    for (auto [i, name] : llvm::enumerate(names))
      function.setResultAttr(i, LgcDialect::kNameAttr, builder.getStringAttr(name));
    return true;
  }

  mlir::MLIRContext context;
  std::unique_ptr<CompiledProgram> program;
};

/// Compares every element of every argument's gradient.
inline void checkGradient(const GradientCase &c) {
  GradientProgram program(c);
  ASSERT_TRUE(program) << c.body;
  // Random, but in steps of a permuted grid, so that no two elements of an argument are near.
  std::mt19937 generator(7);
  for (size_t i = 0; i <= c.shapes.size(); ++i) {
    std::string name = i < c.shapes.size() ? "a" + std::to_string(i) : "w";
    size_t count;
    program.get(name, &count);
    std::vector<double> &grid = program.arguments[name];
    grid.resize(count);
    for (size_t k = 0; k < count; ++k)
      grid[k] = c.low + (c.high - c.low) * (k + 0.3 + 0.05 * i) / count;
    std::shuffle(grid.begin(), grid.end(), generator);
  }
  program.run();
  std::vector<std::vector<double>> gradients;
  for (size_t i = 0; i < c.shapes.size(); ++i) {
    size_t count;
    double *computed = program.get("g" + std::to_string(i), &count);
    gradients.emplace_back(computed, computed + count);
  }
  constexpr double step = 1e-5;
  for (size_t i = 0; i < c.shapes.size(); ++i) {
    std::vector<double> &elements = program.arguments["a" + std::to_string(i)];
    for (size_t k = 0; k < elements.size(); ++k) {
      double value = elements[k];
      elements[k] = value + step;
      double above = program.run();
      elements[k] = value - step;
      double below = program.run();
      elements[k] = value;
      double expected = (above - below) / (2 * step);
      ASSERT_NEAR(gradients[i][k], expected, 1e-6 * (1.0 + std::fabs(expected)))
          << c.body << "\nargument " << i << ", element " << k;
    }
  }
}

} // namespace lgc

#endif // LGC_TEST_TRAINING_GRADIENTCHECK_H
