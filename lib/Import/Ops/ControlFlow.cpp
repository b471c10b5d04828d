//===- ControlFlow.cpp - Branches and loops, resolved at import ------------===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

// A program is straight-line code. A branch whose condition is known is taken; of another one both
// sides are computed, which have no effects, and one result is chosen. Loops are unrolled.

#include "../NodeImporter.h"

using namespace mlir;
using namespace lgc;
using Values = std::vector<ImportedValue>;

/// How often a loop may be unrolled.
static constexpr int64_t kMostIterations = 4096;

static void importIf(NodeImporter &n) {
  Value condition = n.operand(0);
  const onnx::GraphProto *sides[] = {n.graphAttr("else_branch"), n.graphAttr("then_branch")};
  if (!condition || !sides[0] || !sides[1])
    return;
  auto import = [&](const onnx::GraphProto *side) {
    return n.graph.importSubgraph(*side, n.scope, {}, n.loc);
  };
  auto set = [&](const Values &values) {
    for (size_t i = 0; i < values.size(); ++i)
      n.setResult(unsigned(i), values[i]);
  };
  if (n.constantOf(condition)) {
    auto known = n.constantNumber(0, "condition");
    auto taken = known ? import(sides[*known != 0]) : std::nullopt;
    if (taken)
      set(*taken);
    return;
  }
  auto otherwise = import(sides[0]), then = import(sides[1]);
  if (!otherwise || !then)
    return;
  for (size_t i = 0; i < then->size() && i < otherwise->size(); ++i) {
    const ImportedValue &left = (*then)[i], &right = (*otherwise)[i];
    if (!left.isTensor() || !right.isTensor() || left.tensor.getType() != right.tensor.getType()) {
      n.error("the condition depends on data and the branches' results have different types; "
              "export the model with a fixed condition");
      return;
    }
    n.setResult(unsigned(i), n.select(n.reshape(condition, {}), left.tensor, right.tensor));
  }
}

/// Sets a scan output: its values of all iterations along an axis that is new.
static void stack(NodeImporter &n, unsigned result, ArrayRef<Value> values, int64_t axis) {
  if (values.empty()) {
    n.error("a loop that never runs has no scan output of a known shape");
    return;
  }
  auto counted = n.axisIn(axis, TensorBuilder::rankOf(values.front()) + 1);
  if (!counted)
    return;
  SmallVector<Value> slices;
  for (Value value : values)
    slices.push_back(n.unsqueeze(value, {*counted}));
  n.setResult(result, n.concat(slices, *counted));
}

//===----------------------------------------------------------------------===//
// Loop
//===----------------------------------------------------------------------===//

/// Whether a condition that must be known holds; nothing after an error.
static std::optional<bool> holds(NodeImporter &n, const ImportedValue &condition) {
  if (condition.isAbsent())
    return true;
  auto known = condition.isTensor() ? n.constantOf(condition.tensor) : DenseElementsAttr();
  if (known && known.getNumElements() == 1 && known.getElementType().isInteger(1))
    return *known.getValues<bool>().begin();
  n.error("the number of iterations depends on data; export the model with a fixed number");
  return std::nullopt;
}

static void importLoop(NodeImporter &n) {
  const onnx::GraphProto *body = n.graphAttr("body");
  if (!body)
    return;
  std::optional<int64_t> trips = kMostIterations + 1;
  if (n.hasOperand(0))
    trips = n.constantInt(0, "number of iterations");
  ImportedValue condition = n.anyOperand(1);
  size_t carriedCount = n.operandCount() > 2 ? n.operandCount() - 2 : 0;
  Values carried;
  for (size_t i = 0; i < carriedCount; ++i)
    carried.push_back(n.anyOperand(unsigned(i + 2)));
  if (!trips || size_t(body->output_size()) < carriedCount + 1)
    return;
  std::vector<SmallVector<Value>> scans(size_t(body->output_size()) - carriedCount - 1);
  for (int64_t i = 0; i < *trips; ++i) {
    auto goesOn = holds(n, condition);
    if (!goesOn)
      return;
    if (!*goesOn)
      break;
    if (i >= kMostIterations) {
      n.error("the loop runs more than " + Twine(kMostIterations) + " times");
      return;
    }
    Values inputs = {n.splatInt(i, n.i64()), n.splat(1.0, n.i1())};
    llvm::append_range(inputs, carried);
    auto outputs = n.graph.importSubgraph(*body, n.scope, inputs, n.loc);
    if (!outputs)
      return;
    condition = outputs->front();
    carried.assign(outputs->begin() + 1, outputs->begin() + 1 + carriedCount);
    for (size_t s = 0; s < scans.size(); ++s)
      scans[s].push_back((*outputs)[1 + carriedCount + s].tensor);
  }
  for (size_t i = 0; i < carriedCount; ++i)
    n.setResult(unsigned(i), carried[i]);
  for (size_t s = 0; s < scans.size(); ++s)
    if (n.wantsResult(unsigned(carriedCount + s)))
      stack(n, unsigned(carriedCount + s), scans[s], 0);
}

//===----------------------------------------------------------------------===//
// Scan
//===----------------------------------------------------------------------===//

/// The slice of a scanned input at an iteration.
static Value sliceOf(NodeImporter &n, Value x, int64_t axis, int64_t index) {
  Value slice = n.sliceDim(x, axis, index, index + 1);
  if (!slice)
    return {};
  SmallVector<int64_t> shape(TensorBuilder::shapeOf(slice));
  shape.erase(shape.begin() + axis);
  return n.reshape(slice, shape);
}

static int64_t entry(ArrayRef<int64_t> values, size_t i) {
  return i < values.size() ? values[i] : 0;
}

/// Scan since opset 9; that of opset 8 had a batch dimension and lengths.
static void importScan(NodeImporter &n) {
  const onnx::GraphProto *body = n.graphAttr("body");
  size_t scanned = size_t(n.intAttr("num_scan_inputs", 0));
  if (!body || n.version < 9 || scanned < 1 || scanned > n.operandCount()) {
    n.error("only Scan of opset 9 and later is supported");
    return;
  }
  size_t states = n.operandCount() - scanned;
  SmallVector<int64_t> axes = n.intsAttr("scan_input_axes", {}),
                       backwards = n.intsAttr("scan_input_directions", {});
  int64_t trips = -1;
  for (size_t i = 0; i < scanned; ++i) {
    Value x = n.operand(unsigned(states + i));
    auto axis = x ? n.axisIn(entry(axes, i), TensorBuilder::rankOf(x)) : std::nullopt;
    if (!axis)
      return;
    axes.resize(std::max(axes.size(), i + 1));
    axes[i] = *axis;
    int64_t size = TensorBuilder::shapeOf(x)[*axis];
    if ((trips >= 0 && size != trips) || size > kMostIterations) {
      n.error("the scanned inputs have different lengths, or more than " + Twine(kMostIterations));
      return;
    }
    trips = size;
  }
  Values carried;
  for (size_t i = 0; i < states; ++i)
    carried.push_back(n.anyOperand(unsigned(i)));
  if (size_t(body->output_size()) < states)
    return;
  std::vector<SmallVector<Value>> scans(size_t(body->output_size()) - states);
  for (int64_t t = 0; t < trips; ++t) {
    Values inputs(carried);
    for (size_t i = 0; i < scanned; ++i)
      inputs.push_back(sliceOf(n, n.operand(unsigned(states + i)), axes[i],
                               entry(backwards, i) ? trips - 1 - t : t));
    auto outputs = n.graph.importSubgraph(*body, n.scope, inputs, n.loc);
    if (!outputs)
      return;
    carried.assign(outputs->begin(), outputs->begin() + states);
    for (size_t s = 0; s < scans.size(); ++s)
      scans[s].push_back((*outputs)[states + s].tensor);
  }
  for (size_t i = 0; i < states; ++i)
    n.setResult(unsigned(i), carried[i]);
  SmallVector<int64_t> outputAxes = n.intsAttr("scan_output_axes", {}),
                       outputBackwards = n.intsAttr("scan_output_directions", {});
  for (size_t s = 0; s < scans.size(); ++s) {
    if (entry(outputBackwards, s))
      std::reverse(scans[s].begin(), scans[s].end());
    stack(n, unsigned(states + s), scans[s], entry(outputAxes, s));
  }
}

void lgc::registerControlFlowOps(OpTable &table) {
  table["If"] = importIf;
  table["Loop"] = importLoop;
  table["Scan"] = importScan;
}
