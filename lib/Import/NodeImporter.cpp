//===- NodeImporter.cpp - What a handler sees of its node -----------------===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "NodeImporter.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace lgc;

Value NodeImporter::error(const Twine &message) {
  mlir::emitError(loc, node.op_type() + ": " + message);
  return {};
}

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

Value NodeImporter::operand(unsigned number) {
  if (!hasOperand(number))
    return error("input " + Twine(number) + " is missing; export the model again");
  if (!operands[number].isTensor())
    return error("input " + Twine(number) + " is a sequence, but must be a tensor");
  return operands[number].tensor;
}

SmallVector<Value> NodeImporter::allOperands() {
  SmallVector<Value> values;
  for (unsigned i = 0; i < operands.size(); ++i) {
    Value value = operand(i);
    if (!value)
      return {};
    values.push_back(value);
  }
  return values;
}

const ImportedValue &NodeImporter::anyOperand(unsigned number) {
  static const ImportedValue absent;
  return number < operands.size() ? operands[number] : absent;
}

DenseElementsAttr NodeImporter::constantOf(Value value) {
  DenseElementsAttr elements;
  if (value && matchPattern(value, m_Constant(&elements)))
    return elements;
  return {};
}

/// Names of the function's arguments that a value is computed from.
static SmallVector<std::string> argumentsBehind(Value value) {
  llvm::SetVector<Operation *> work;
  SmallVector<std::string> names;
  auto visit = [&](Value operand) {
    if (Operation *op = operand.getDefiningOp()) {
      work.insert(op);
      return;
    }
    auto argument = cast<BlockArgument>(operand);
    auto function = dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp());
    auto name = function ? function.getArgAttrOfType<StringAttr>(argument.getArgNumber(),
                                                                 LgcDialect::kNameAttr)
                         : StringAttr();
    if (name && !llvm::is_contained(names, name.str()))
      names.push_back(name.str());
  };
  visit(value);
  for (unsigned i = 0; i < work.size(); ++i)
    for (Value operand : work[i]->getOperands())
      visit(operand);
  return names;
}

DenseElementsAttr NodeImporter::constantTensor(unsigned number, StringRef what) {
  Value value = operand(number);
  if (!value)
    return {};
  if (DenseElementsAttr elements = constantOf(value))
    return elements;
  std::string names;
  for (const std::string &name : argumentsBehind(value))
    names += (names.empty() ? "'" : ", '") + name + "'";
  error("the " + what + " must be known at compile time, but depends on " +
        (names.empty() ? "computed values" : names) +
        "; export the model with a fixed value, or bind that input to one");
  return {};
}

DenseElementsAttr NodeImporter::constantList(unsigned number, StringRef what) {
  DenseElementsAttr elements = constantTensor(number, what);
  if (!elements || elements.getType().getRank() <= 1)
    return elements;
  error("the " + what + " must be a list of numbers or one number, not a tensor of " +
        Twine(elements.getType().getRank()) + " dimensions");
  return {};
}

std::optional<NodeImporter::Shape> NodeImporter::constantInts(unsigned number, StringRef what) {
  DenseElementsAttr elements = constantList(number, what);
  if (!elements)
    return std::nullopt;
  if (!isa<IntegerType>(elements.getElementType())) {
    error("the " + what + " must be integers");
    return std::nullopt;
  }
  Shape values;
  bool isUnsigned = elements.getElementType().isUnsignedInteger();
  for (APInt value : elements.getValues<APInt>())
    values.push_back(isUnsigned ? int64_t(value.getZExtValue()) : value.getSExtValue());
  return values;
}

SmallVector<double> NodeImporter::numbersOf(DenseElementsAttr elements) {
  SmallVector<double> values;
  if (isa<FloatType>(elements.getElementType())) {
    for (APFloat value : elements.getValues<APFloat>()) {
      bool losesInfo;
      value.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &losesInfo);
      values.push_back(value.convertToDouble());
    }
    return values;
  }
  bool isUnsigned = isUnsignedElement(elements.getElementType());
  for (APInt value : elements.getValues<APInt>())
    values.push_back(isUnsigned ? double(value.getZExtValue()) : double(value.getSExtValue()));
  return values;
}

std::optional<SmallVector<double>> NodeImporter::constantNumbers(unsigned number, StringRef what) {
  DenseElementsAttr elements = constantList(number, what);
  return elements ? std::optional(numbersOf(elements)) : std::nullopt;
}

std::optional<double> NodeImporter::constantNumber(unsigned number, StringRef what) {
  auto values = constantNumbers(number, what);
  if (!values)
    return std::nullopt;
  if (values->size() != 1) {
    error("the " + what + " must be one number");
    return std::nullopt;
  }
  return values->front();
}

std::optional<int64_t> NodeImporter::constantInt(unsigned number, StringRef what) {
  auto values = constantInts(number, what);
  if (!values)
    return std::nullopt;
  if (values->size() != 1) {
    error("the " + what + " must be one number");
    return std::nullopt;
  }
  return values->front();
}

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

const onnx::AttributeProto *NodeImporter::attribute(StringRef name) const {
  for (const onnx::AttributeProto &attribute : node.attribute())
    if (name == attribute.name())
      return &attribute;
  return nullptr;
}

int64_t NodeImporter::intAttr(StringRef name, int64_t missing) const {
  const onnx::AttributeProto *found = attribute(name);
  return found ? found->i() : missing;
}

double NodeImporter::floatAttr(StringRef name, double missing) const {
  const onnx::AttributeProto *found = attribute(name);
  return found ? double(found->f()) : missing;
}

std::string NodeImporter::stringAttr(StringRef name, StringRef missing) const {
  const onnx::AttributeProto *found = attribute(name);
  return found ? found->s() : missing.str();
}

std::optional<NodeImporter::Shape> NodeImporter::intsAttr(StringRef name) const {
  const onnx::AttributeProto *found = attribute(name);
  if (!found)
    return std::nullopt;
  return Shape(found->ints().begin(), found->ints().end());
}

NodeImporter::Shape NodeImporter::intsAttr(StringRef name, ArrayRef<int64_t> missing) const {
  return intsAttr(name).value_or(Shape(missing));
}

std::optional<SmallVector<double>> NodeImporter::floatsAttr(StringRef name) const {
  const onnx::AttributeProto *found = attribute(name);
  if (!found)
    return std::nullopt;
  return SmallVector<double>(found->floats().begin(), found->floats().end());
}

const onnx::GraphProto *NodeImporter::graphAttr(StringRef name) const {
  const onnx::AttributeProto *found = attribute(name);
  return found && found->has_g() ? &found->g() : nullptr;
}

std::optional<int64_t> NodeImporter::axisIn(int64_t axis, int64_t rank) {
  if (axis < -rank || axis >= rank) {
    error("axis " + Twine(axis) + " is out of range for a tensor of " + Twine(rank) +
          " dimensions");
    return std::nullopt;
  }
  return axis < 0 ? axis + rank : axis;
}

std::optional<NodeImporter::Shape> NodeImporter::axesIn(ArrayRef<int64_t> axes, int64_t rank) {
  Shape result;
  for (int64_t axis : axes) {
    std::optional<int64_t> counted = axisIn(axis, rank);
    if (!counted)
      return std::nullopt;
    if (llvm::is_contained(result, *counted)) {
      error("axis " + Twine(axis) + " is given twice");
      return std::nullopt;
    }
    result.push_back(*counted);
  }
  return result;
}

std::optional<NodeImporter::Shape> NodeImporter::intsFrom(StringRef name, unsigned number,
                                                          bool &failed) {
  failed = false;
  if (std::optional<Shape> values = intsAttr(name))
    return values;
  if (!hasOperand(number))
    return std::nullopt;
  std::optional<Shape> values = constantInts(number, name);
  failed = !values;
  return values;
}

void NodeImporter::expand() {
  std::optional<onnx::FunctionProto> body = schemaFunction(node, version, operands);
  if (!body) {
    error("this combination of inputs and attributes isn't supported");
    return;
  }
  auto outputs = graph.importFunction(*body, node, schemaOf(node, *scope.opsets), operands, loc);
  if (outputs)
    results = std::move(*outputs);
  else
    results.assign(results.size(), ImportedValue::failed());
}
