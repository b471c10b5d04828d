//===- Activation.cpp - Activation functions -------------------------------===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

// Where a function has a kink, the gradient there is PyTorch's. Branches that aren't taken are
// kept finite, for a gradient of zero times infinity would be no number.

#include "../NodeImporter.h"

#include <cmath>

using namespace mlir;
using namespace lgc;

/// The element where it is at most 0, else 0.
static Value negativePart(NodeImporter &n, Value x) {
  return n.select(n.compare(ComparePredicate::LE, x, 0.0), x, n.like(x, 0.0));
}

static Value isPositive(NodeImporter &n, Value x) {
  return n.compare(ComparePredicate::GT, x, 0.0);
}

/// e^x - 1 of the negative part.
static Value expMinus1(NodeImporter &n, Value x) {
  return n.add(n.unary<ExpOp>(negativePart(n, x)), -1.0);
}

static Value clamp(NodeImporter &n, Value x, double low, double high) {
  Value bounded = n.select(n.compare(ComparePredicate::LT, x, low), n.like(x, low), x);
  return n.select(n.compare(ComparePredicate::GT, bounded, high), n.like(x, high), bounded);
}

static Value softplus(NodeImporter &n, Value x) {
  Value tail = n.unary<Log1pOp>(n.unary<ExpOp>(n.unary<NegOp>(n.unary<AbsOp>(x))));
  return n.add(n.binary<MaxOp>(x, 0.0), tail);
}

static void importRelu(NodeImporter &n) {
  Value x = n.operand(0);
  n.setResult(n.select(n.compare(ComparePredicate::LE, x, 0.0), n.like(x, 0.0), x));
}

static void importLeakyRelu(NodeImporter &n) {
  Value x = n.operand(0);
  n.setResult(n.select(isPositive(n, x), x, n.mul(x, n.floatAttr("alpha", 0.01))));
}

/// Before opset 7, several slopes are those of the channels; the converter leaves them so.
static void importPRelu(NodeImporter &n) {
  Value x = n.operand(0), slope = n.operand(1);
  bool ofChannels = n.graph.model.wasConverted && slope && TensorBuilder::rankOf(slope) == 1 &&
                    TensorBuilder::shapeOf(slope)[0] > 1 && x && TensorBuilder::rankOf(x) > 1;
  if (ofChannels)
    slope = n.broadcastDims(slope, TensorBuilder::shapeOf(x), {1});
  else if (x && slope)
    slope = n.broadcastTo(slope, TensorBuilder::shapeOf(x));
  n.setResult(n.select(isPositive(n, x), x, n.mul(slope, x)));
}

static void importElu(NodeImporter &n) {
  Value x = n.operand(0);
  n.setResult(n.select(isPositive(n, x), x, n.mul(expMinus1(n, x), n.floatAttr("alpha", 1.0))));
}

static void importSelu(NodeImporter &n) {
  Value x = n.operand(0);
  Value negative = n.mul(expMinus1(n, x), n.floatAttr("alpha", 1.67326319217681884765625));
  n.setResult(n.mul(n.select(isPositive(n, x), x, negative),
                    n.floatAttr("gamma", 1.05070102214813232421875)));
}

static void importCelu(NodeImporter &n) {
  Value x = n.operand(0);
  double alpha = n.floatAttr("alpha", 1.0);
  n.setResult(n.select(isPositive(n, x), x, n.mul(expMinus1(n, n.mul(x, 1.0 / alpha)), alpha)));
}

static void importHardSigmoid(NodeImporter &n) {
  Value x = n.operand(0);
  Value line = n.add(n.mul(x, n.floatAttr("alpha", 0.2)), n.floatAttr("beta", 0.5));
  n.setResult(clamp(n, line, 0.0, 1.0));
}

static void importHardSwish(NodeImporter &n) {
  Value x = n.operand(0);
  n.setResult(n.mul(x, clamp(n, n.add(n.mul(x, 1.0 / 6.0), 0.5), 0.0, 1.0)));
}

static void importSoftplus(NodeImporter &n) { n.setResult(softplus(n, n.operand(0))); }

static void importSoftsign(NodeImporter &n) {
  Value x = n.operand(0);
  n.setResult(n.div(x, n.add(n.unary<AbsOp>(x), 1.0)));
}

static void importMish(NodeImporter &n) {
  Value x = n.operand(0);
  n.setResult(n.mul(x, n.unary<TanhOp>(softplus(n, x))));
}

static void importSwish(NodeImporter &n) {
  Value x = n.operand(0);
  n.setResult(n.mul(x, n.unary<LogisticOp>(n.mul(x, n.floatAttr("alpha", 1.0)))));
}

/// ONNX Runtime's: Swish with another slope.
static void importQuickGelu(NodeImporter &n) {
  Value x = n.operand(0);
  n.setResult(n.mul(x, n.unary<LogisticOp>(n.mul(x, n.floatAttr("alpha", 1.702)))));
}

static void importGelu(NodeImporter &n) {
  Value x = n.operand(0);
  Value inner;
  if (n.stringAttr("approximate", "none") == "tanh") {
    Value cube = n.mul(n.mul(n.mul(x, x), x), 0.044715);
    inner = n.unary<TanhOp>(n.mul(n.add(x, cube), std::sqrt(2.0 / M_PI)));
  } else {
    inner = n.unary<ErfOp>(n.mul(x, std::sqrt(0.5)));
  }
  n.setResult(n.mul(n.mul(x, 0.5), n.add(inner, 1.0)));
}

static void importThresholdedRelu(NodeImporter &n) {
  Value x = n.operand(0);
  n.setResult(
      n.select(n.compare(ComparePredicate::GT, x, n.floatAttr("alpha", 1.0)), x, n.like(x, 0.0)));
}

static void importShrink(NodeImporter &n) {
  Value x = n.operand(0);
  double lambda = n.floatAttr("lambd", 0.5), bias = n.floatAttr("bias", 0.0);
  Value above =
      n.select(n.compare(ComparePredicate::GT, x, lambda), n.add(x, -bias), n.like(x, 0.0));
  n.setResult(n.select(n.compare(ComparePredicate::LT, x, -lambda), n.add(x, bias), above));
}

//===----------------------------------------------------------------------===//
// Along an axis
//===----------------------------------------------------------------------===//

/// Applies a function along an axis. Before opset 13 all dimensions from the axis on count as one.
static void alongAxis(NodeImporter &n, llvm::function_ref<Value(Value, int64_t)> apply) {
  Value x = n.operand(0);
  if (!x)
    return n.setResult(Value());
  int64_t rank = TensorBuilder::rankOf(x);
  auto axis = n.axisIn(n.intAttr("axis", n.version < 13 ? 1 : -1), std::max<int64_t>(rank, 1));
  if (!axis)
    return n.setResult(Value());
  if (n.version >= 13) {
    if (rank == 0)
      return n.setResult(n.reshape(apply(n.reshape(x, {1}), 0), {}));
    return n.setResult(apply(x, *axis));
  }
  SmallVector<int64_t> shape(TensorBuilder::shapeOf(x));
  int64_t rows = 1, columns = 1;
  for (auto [i, size] : llvm::enumerate(shape))
    (int64_t(i) < *axis ? rows : columns) *= size;
  n.setResult(n.reshape(apply(n.reshape(x, {rows, columns}), 1), shape));
}

static void importSoftmax(NodeImporter &n) {
  alongAxis(n, [&](Value x, int64_t axis) { return n.softmax(x, axis); });
}

static void importLogSoftmax(NodeImporter &n) {
  alongAxis(n, [&](Value x, int64_t axis) {
    return n.create<LogSoftmaxOp>({x}, {n.integer("dim", axis)});
  });
}

static void importHardmax(NodeImporter &n) {
  alongAxis(n, [&](Value x, int64_t axis) -> Value {
    auto best = n.createAll<ArgReduceOp>({x}, {n.kind(ReductionKind::Max), n.integer("dim", axis)});
    if (!best[1])
      return {};
    Value place = n.broadcastTo(n.unsqueeze(best[1], {axis}), TensorBuilder::shapeOf(x));
    Value position = n.iota(TensorBuilder::shapeOf(x), axis, n.i64());
    return n.convert(n.compare(ComparePredicate::EQ, place, position), TensorBuilder::elementOf(x));
  });
}

void lgc::registerActivationOps(OpTable &table) {
  table["Relu"] = importRelu;
  table["LeakyRelu"] = importLeakyRelu;
  table["PRelu"] = importPRelu;
  table["Elu"] = importElu;
  table["Selu"] = importSelu;
  table["Celu"] = importCelu;
  table["HardSigmoid"] = importHardSigmoid;
  table["HardSwish"] = importHardSwish;
  table["Softplus"] = importSoftplus;
  table["Softsign"] = importSoftsign;
  table["Mish"] = importMish;
  table["Swish"] = importSwish;
  table["Gelu"] = importGelu;
  table["com.microsoft:Gelu"] = importGelu;
  table["com.microsoft:QuickGelu"] = importQuickGelu;
  table["ThresholdedRelu"] = importThresholdedRelu;
  table["Shrink"] = importShrink;
  table["Softmax"] = importSoftmax;
  table["LogSoftmax"] = importLogSoftmax;
  table["Hardmax"] = importHardmax;
}
