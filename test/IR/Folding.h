//===- Folding.h - The same program, folded and run -------------*- C++ -*-===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//
//
// An operation says twice what it computes: as a folder and as scalar code. Each checks the other.
//
//===----------------------------------------------------------------------===//

#ifndef LGC_TEST_IR_FOLDING_H
#define LGC_TEST_IR_FOLDING_H

#include "Execution.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace lgc::test {

/// Evaluates a program like that of `Execution` by nothing but folders.
class Folding {
public:
  template <typename... Arguments>
  explicit Folding(const std::string &body, const Arguments &...arguments) {
    mlir::DialectRegistry registry;
    registerDialects(registry);
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
    std::string text = "func.func @f(";
    unsigned number = 0;
    ((text += (number ? ", %a" : "%a") + std::to_string(number) + ": " + arguments.type(),
      ++number),
     ...);
    module =
        mlir::parseSourceString<mlir::ModuleOp>(text + ") {\n" + body + "\nreturn\n}", &context);
    if (!module) {
      ADD_FAILURE() << "doesn't parse:\n" << body;
      return;
    }
    mlir::Block &block = (*module->getOps<mlir::func::FuncOp>().begin()).getBody().front();
    number = 0;
    ((values[block.getArgument(number)] =
          getConstant(block.getArgument(number).getType(), arguments),
      ++number),
     ...);
    for (mlir::Operation &op : block.without_terminator())
      for (mlir::Value result : op.getResults())
        if (result.use_empty())
          results.push_back(result);
    for (mlir::Operation &op : block.without_terminator())
      fold(op);
  }

  /// The values of the body that nothing reads, in order; null where they didn't fold.
  std::vector<mlir::DenseElementsAttr> getResults() {
    std::vector<mlir::DenseElementsAttr> found;
    for (mlir::Value result : results)
      found.push_back(mlir::dyn_cast_or_null<mlir::DenseElementsAttr>(values.lookup(result)));
    return found;
  }

private:
  template <typename T>
  static mlir::Attribute getConstant(mlir::Type type, const Tensor<T> &tensor) {
    auto *bytes = reinterpret_cast<const char *>(tensor.values.data());
    return mlir::DenseElementsAttr::getFromRawBuffer(
        mlir::cast<mlir::ShapedType>(type),
        llvm::ArrayRef<char>(bytes, tensor.values.size() * sizeof(T)));
  }

  void fold(mlir::Operation &op) {
    llvm::SmallVector<mlir::OpFoldResult> folded;
    // A fold may change the operation in place: then it goes on from there.
    for (int step = 0; step < 8 && folded.empty(); ++step) {
      llvm::SmallVector<mlir::Attribute> operands;
      for (mlir::Value operand : op.getOperands())
        operands.push_back(values.lookup(operand));
      if (failed(op.fold(operands, folded)))
        return;
    }
    for (auto [result, value] : llvm::zip(op.getResults(), folded)) {
      auto attribute = mlir::dyn_cast<mlir::Attribute>(value);
      values[result] = attribute ? attribute : values.lookup(mlir::cast<mlir::Value>(value));
    }
  }

  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  llvm::DenseMap<mlir::Value, mlir::Attribute> values;
  std::vector<mlir::Value> results;
};

/// Compares a result that was run with the same one folded: integers to the bit, NaN with NaN,
/// other numbers within `tolerance`, relative above 1 and absolute below.
template <typename T>
void expectFolded(const std::vector<T> &run, mlir::DenseElementsAttr folded, double tolerance,
                  const std::string &what) {
  ASSERT_TRUE(folded) << what << " doesn't fold";
  ASSERT_EQ(folded.getElementType().getIntOrFloatBitWidth(), 8 * sizeof(T)) << what;
  ASSERT_EQ(static_cast<int64_t>(run.size()), folded.getNumElements()) << what;
  size_t i = 0;
  for (T expected : folded.getValues<T>()) {
    T actual = run[i];
    bool same = actual == expected || (actual != actual && expected != expected);
    if (!same && std::is_floating_point_v<T>)
      same = std::abs(static_cast<double>(actual) - static_cast<double>(expected)) <=
             tolerance * std::max(1.0, std::abs(static_cast<double>(expected)));
    EXPECT_TRUE(same) << what << " at " << i << ": run " << +actual << ", folded " << +expected;
    ++i;
  }
}

/// Runs and folds `body`; its results %r0, %r1, ... are of type T, all of one shape, and `names`
/// says what they are.
template <typename T, typename... Arguments>
void expectRunsAsItFolds(const std::string &body, const std::vector<std::string> &names,
                         const std::string &resultType, double tolerance,
                         const Arguments &...arguments) {
  Execution run(std::vector<std::string>(names.size(), resultType), body, arguments...);
  Folding folding(body, arguments...);
  std::vector<mlir::DenseElementsAttr> folded = folding.getResults();
  ASSERT_EQ(folded.size(), names.size());
  for (size_t i = 0; i < names.size(); ++i)
    expectFolded(run.template get<T>(i), folded[i], tolerance, names[i]);
}

} // namespace lgc::test

#endif // LGC_TEST_IR_FOLDING_H
