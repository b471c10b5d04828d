//===- Sequence.cpp - Sequences and optionals, resolved at import ----------===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

// A program has tensors only: a sequence is a list that the importer keeps, and what asks for its
// elements must say which before anything runs.

#include "../NodeImporter.h"
#include "../TensorData.h"

using namespace mlir;
using namespace lgc;
using Shape = SmallVector<int64_t>;
using Elements = std::vector<ImportedValue>;

/// The elements of a sequence operand; null after an error.
static const Elements *elementsOf(NodeImporter &n, unsigned number) {
  const ImportedValue &value = n.anyOperand(number);
  if (value.isSequence())
    return value.elements.get();
  n.error("input " + Twine(number) + " must be a sequence");
  return nullptr;
}

/// A position in a sequence of the given length, from an operand.
static std::optional<int64_t> positionIn(NodeImporter &n, unsigned number, int64_t length) {
  auto position = n.constantInt(number, "position");
  return position ? n.axisIn(*position, length) : std::nullopt;
}

static void importConstruct(NodeImporter &n) {
  Elements elements;
  for (unsigned i = 0; i < n.operandCount(); ++i)
    elements.push_back(n.anyOperand(i));
  n.setResult(0, ImportedValue(std::move(elements)));
}

static void importEmpty(NodeImporter &n) { n.setResult(0, ImportedValue(Elements())); }

static void importInsert(NodeImporter &n) {
  const Elements *elements = elementsOf(n, 0);
  if (!elements)
    return;
  std::optional<int64_t> position = int64_t(elements->size());
  if (n.hasOperand(2)) {
    position = n.constantInt(2, "position");
    if (!position)
      return;
    if (*position != int64_t(elements->size()))
      position = n.axisIn(*position, int64_t(elements->size()));
  }
  if (!position)
    return;
  Elements longer(*elements);
  longer.insert(longer.begin() + *position, n.anyOperand(1));
  n.setResult(0, ImportedValue(std::move(longer)));
}

static void importErase(NodeImporter &n) {
  const Elements *elements = elementsOf(n, 0);
  if (!elements)
    return;
  std::optional<int64_t> position = int64_t(elements->size()) - 1;
  if (n.hasOperand(1))
    position = positionIn(n, 1, int64_t(elements->size()));
  if (!position || *position < 0)
    return;
  Elements shorter(*elements);
  shorter.erase(shorter.begin() + *position);
  n.setResult(0, ImportedValue(std::move(shorter)));
}

static void importAt(NodeImporter &n) {
  const Elements *elements = elementsOf(n, 0);
  auto position = elements ? positionIn(n, 1, int64_t(elements->size())) : std::nullopt;
  if (position)
    n.setResult(0, (*elements)[size_t(*position)]);
}

static void importLength(NodeImporter &n) {
  if (const Elements *elements = elementsOf(n, 0))
    n.setResult(n.splatInt(int64_t(elements->size()), n.i64()));
}

static void importConcatFrom(NodeImporter &n) {
  const Elements *elements = elementsOf(n, 0);
  if (!elements)
    return;
  SmallVector<Value> tensors;
  for (const ImportedValue &element : *elements)
    tensors.push_back(element.isTensor() ? element.tensor : Value());
  if (tensors.empty() || llvm::is_contained(tensors, Value())) {
    n.error("the sequence must have elements, all of them tensors");
    return;
  }
  bool stacks = n.intAttr("new_axis", 0) != 0;
  auto axis = n.axisIn(n.intAttr("axis", 0), TensorBuilder::rankOf(tensors.front()) + stacks);
  if (!axis)
    return;
  if (stacks)
    for (Value &tensor : tensors)
      tensor = n.unsqueeze(tensor, {*axis});
  n.setResult(n.concat(tensors, *axis));
}

/// Without sizes, parts of one element, whose axis `keepdims` keeps; a scalar size is that of every
/// part but the last.
static void importSplitTo(NodeImporter &n) {
  Value x = n.operand(0);
  if (!x)
    return;
  auto axis = n.axisIn(n.intAttr("axis", 0), TensorBuilder::rankOf(x));
  if (!axis)
    return;
  int64_t size = TensorBuilder::shapeOf(x)[*axis];
  std::optional<Shape> sizes = Shape(size_t(size), 1);
  bool given = n.hasOperand(1);
  if (given) {
    sizes = n.constantInts(1, "sizes of the parts");
    if (sizes && TensorBuilder::rankOf(n.operand(1)) == 0) {
      int64_t part = sizes->front();
      sizes->clear();
      for (int64_t rest = size; part > 0 && rest > 0; rest -= part)
        sizes->push_back(std::min(part, rest));
    }
  }
  if (!sizes)
    return;
  bool dropsAxis = !given && n.intAttr("keepdims", 1) == 0;
  Elements parts;
  int64_t start = 0;
  for (int64_t part : *sizes) {
    if (part < 0 || part > size - start) {
      n.error("the sizes of the parts don't add up to " + Twine(size));
      return;
    }
    Value value = n.sliceDim(x, *axis, start, start + part);
    if (dropsAxis && value) {
      Shape shape(TensorBuilder::shapeOf(value));
      shape.erase(shape.begin() + *axis);
      value = n.reshape(value, shape);
    }
    parts.push_back(value);
    start += part;
  }
  n.setResult(0, ImportedValue(std::move(parts)));
}

/// Applies the body to the elements of all sequences at each position.
static void importMap(NodeImporter &n) {
  const onnx::GraphProto *body = n.graphAttr("body");
  const Elements *first = elementsOf(n, 0);
  if (!body || !first)
    return;
  std::vector<Elements> outputs(n.resultCount());
  for (size_t position = 0; position < first->size(); ++position) {
    SmallVector<ImportedValue> inputs;
    for (unsigned i = 0; i < n.operandCount(); ++i) {
      const ImportedValue &operand = n.anyOperand(i);
      if (operand.isSequence() && operand.elements->size() != first->size()) {
        n.error("the sequences have different lengths");
        return;
      }
      inputs.push_back(operand.isSequence() ? (*operand.elements)[position] : operand);
    }
    auto results = n.graph.importSubgraph(*body, n.scope, inputs, n.loc);
    if (!results)
      return;
    for (size_t i = 0; i < outputs.size() && i < results->size(); ++i)
      outputs[i].push_back((*results)[i]);
  }
  for (size_t i = 0; i < outputs.size(); ++i)
    n.setResult(unsigned(i), ImportedValue(std::move(outputs[i])));
}

//===----------------------------------------------------------------------===//
// Optionals: the element itself, or nothing
//===----------------------------------------------------------------------===//

static void importOptional(NodeImporter &n) { n.setResult(0, n.anyOperand(0)); }

static void importGetElement(NodeImporter &n) {
  if (n.anyOperand(0).isAbsent())
    n.error("the optional is empty");
  n.setResult(0, n.anyOperand(0));
}

static void importHasElement(NodeImporter &n) {
  n.setResult(n.splat(n.anyOperand(0).isAbsent() ? 0.0 : 1.0, n.i1()));
}

void lgc::registerSequenceOps(OpTable &table) {
  table["SequenceConstruct"] = importConstruct;
  table["SequenceEmpty"] = importEmpty;
  table["SequenceInsert"] = importInsert;
  table["SequenceErase"] = importErase;
  table["SequenceAt"] = importAt;
  table["SequenceLength"] = importLength;
  table["SequenceMap"] = importMap;
  table["ConcatFromSequence"] = importConcatFrom;
  table["SplitToSequence"] = importSplitTo;
  table["Optional"] = importOptional;
  table["OptionalGetElement"] = importGetElement;
  table["OptionalHasElement"] = importHasElement;
}
