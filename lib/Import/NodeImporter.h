//===- NodeImporter.h - What a handler sees of its node ---------*- C++ -*-===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef LGC_LIB_IMPORT_NODEIMPORTER_H
#define LGC_LIB_IMPORT_NODEIMPORTER_H

#include "GraphImporter.h"
#include "TensorBuilder.h"

namespace lgc {

/// One node: its operands, attributes and results, and the builder for what replaces it.
class NodeImporter : public TensorBuilder {
public:
  NodeImporter(GraphImporter &graph, const onnx::NodeProto &node, Scope &scope, int64_t version,
               llvm::ArrayRef<ImportedValue> operands, mlir::Location loc)
      : TensorBuilder(graph.builder, loc), graph(graph), node(node), scope(scope), version(version),
        operands(operands), results(node.output_size()) {}

  GraphImporter &graph;
  const onnx::NodeProto &node;
  Scope &scope;
  /// The version of the operator set that the node's domain has here.
  const int64_t version;

  Value error(const llvm::Twine &message);

  //===--------------------------------------------------------------------===//
  // Operands
  //===--------------------------------------------------------------------===//

  unsigned operandCount() const { return operands.size(); }
  bool hasOperand(unsigned number) const {
    return number < operands.size() && !operands[number].isAbsent();
  }
  /// A tensor; an error where there is none.
  Value operand(unsigned number);
  /// A tensor, or null where the operand is left out.
  Value optionalOperand(unsigned number) { return hasOperand(number) ? operand(number) : Value(); }
  /// All operands, each a tensor; empty on an error.
  llvm::SmallVector<Value> allOperands();
  const ImportedValue &anyOperand(unsigned number);

  /// The value of an operand that is known now, or null.
  mlir::DenseElementsAttr constantOf(Value value);
  /// Integers that must be known now, as of a 1-D tensor or a scalar.
  std::optional<Shape> constantInts(unsigned number, llvm::StringRef what);
  /// All elements of a constant.
  static llvm::SmallVector<double> numbersOf(mlir::DenseElementsAttr elements);
  /// An operand of any number of dimensions that must be known now.
  mlir::DenseElementsAttr constantTensor(unsigned number, llvm::StringRef what);
  std::optional<llvm::SmallVector<double>> constantNumbers(unsigned number, llvm::StringRef what);
  std::optional<double> constantNumber(unsigned number, llvm::StringRef what);
  std::optional<int64_t> constantInt(unsigned number, llvm::StringRef what);

  //===--------------------------------------------------------------------===//
  // Attributes
  //===--------------------------------------------------------------------===//

  const onnx::AttributeProto *attribute(llvm::StringRef name) const;
  bool hasAttribute(llvm::StringRef name) const { return attribute(name) != nullptr; }
  int64_t intAttr(llvm::StringRef name, int64_t missing) const;
  double floatAttr(llvm::StringRef name, double missing) const;
  std::string stringAttr(llvm::StringRef name, llvm::StringRef missing) const;
  std::optional<Shape> intsAttr(llvm::StringRef name) const;
  Shape intsAttr(llvm::StringRef name, llvm::ArrayRef<int64_t> missing) const;
  std::optional<llvm::SmallVector<double>> floatsAttr(llvm::StringRef name) const;
  const onnx::GraphProto *graphAttr(llvm::StringRef name) const;

  /// An axis counted from 0; an error where it is out of range.
  std::optional<int64_t> axisIn(int64_t axis, int64_t rank);
  std::optional<Shape> axesIn(llvm::ArrayRef<int64_t> axes, int64_t rank);
  /// An attribute that has become an operand in a later version: integers from either. Nothing
  /// where both are missing; `failed` tells this from an error.
  std::optional<Shape> intsFrom(llvm::StringRef attribute, unsigned operand, bool &failed);

  //===--------------------------------------------------------------------===//
  // Results
  //===--------------------------------------------------------------------===//

  unsigned resultCount() const { return results.size(); }
  bool wantsResult(unsigned number) const {
    return number < results.size() && !node.output(int(number)).empty();
  }
  void setResult(unsigned number, ImportedValue value) {
    if (number < results.size())
      results[number] = std::move(value);
  }
  void setResult(Value value) { setResult(0, value); }
  /// Gives up on the direct translation and uses the function body of the operator's schema.
  void expand();

  bool trains() const { return graph.mode == Mode::Training; }

  std::vector<ImportedValue> takeResults() { return std::move(results); }

private:
  /// The same, of a list or one number.
  mlir::DenseElementsAttr constantList(unsigned number, llvm::StringRef what);

  llvm::ArrayRef<ImportedValue> operands;
  std::vector<ImportedValue> results;
};

} // namespace lgc

#endif // LGC_LIB_IMPORT_NODEIMPORTER_H
