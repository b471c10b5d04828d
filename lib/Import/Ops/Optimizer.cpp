//===- Optimizer.cpp - ONNX's optimizers, as plain arithmetic --------------===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

// A training graph in ONNX may hold its own update. lgc's optimizers are chosen by an option; these
// operators compute what they say, on whatever tensors they are given.

#include "../NodeImporter.h"

using namespace mlir;
using namespace lgc;

namespace {

/// Operands are R, T, then all X, all G, and one group for each of the optimizer's states.
class Update {
public:
  Update(NodeImporter &n, unsigned groups)
      : n(n), count((n.operandCount() > 2 ? n.operandCount() - 2 : 0) / groups) {
    fits = count > 0 && n.operandCount() == 2 + count * groups;
    if (!fits)
      n.error("the tensors don't come in groups of equal number");
  }

  NodeImporter &n;
  unsigned count;
  bool fits;

  Value at(unsigned group, unsigned i) { return n.operand(2 + group * count + i); }
  void set(unsigned group, unsigned i, Value value) { n.setResult(group * count + i, value); }

  /// The gradient with the decay of the weights in it.
  Value gradient(unsigned i) {
    double decay = n.floatAttr("norm_coefficient", 0.0);
    return decay == 0.0 ? at(1, i) : n.add(at(1, i), n.mul(at(0, i), decay));
  }
  Value rate(Value like) { return scalar(n.operand(0), like); }
  /// A scalar in the type and shape of another value.
  Value scalar(Value value, Value like) {
    if (!value || !like)
      return {};
    Value converted = n.convert(value, TensorBuilder::elementOf(like));
    return n.broadcastTo(n.reshape(converted, {}), TensorBuilder::shapeOf(like));
  }
};

} // namespace

static void importMomentum(NodeImporter &n) {
  Update update(n, 3);
  bool nesterov = n.stringAttr("mode", "standard") == "nesterov";
  auto first = update.fits ? n.constantInt(1, "update count") : std::nullopt;
  if (!first)
    return;
  double alpha = n.floatAttr("alpha", 0.0), beta = *first > 0 ? n.floatAttr("beta", 0.0) : 1.0;
  for (unsigned i = 0; i < update.count; ++i) {
    Value x = update.at(0, i), g = update.gradient(i);
    Value v = n.add(n.mul(update.at(2, i), alpha), n.mul(g, beta));
    Value direction = nesterov ? n.add(g, n.mul(v, alpha)) : v;
    update.set(0, i, n.sub(x, n.mul(update.rate(x), direction)));
    update.set(1, i, v);
  }
}

/// R / (1 + T * decay_factor).
static Value decayedRate(Update &update, Value like) {
  NodeImporter &n = update.n;
  Value t = update.scalar(n.operand(1), like);
  return n.div(update.rate(like), n.add(n.mul(t, n.floatAttr("decay_factor", 0.0)), 1.0));
}

static void importAdagrad(NodeImporter &n) {
  Update update(n, 3);
  for (unsigned i = 0; update.fits && i < update.count; ++i) {
    Value x = update.at(0, i), g = update.gradient(i);
    Value h = n.add(update.at(2, i), n.mul(g, g));
    Value step = n.div(g, n.add(n.unary<SqrtOp>(h), n.floatAttr("epsilon", 1e-6)));
    update.set(0, i, n.sub(x, n.mul(decayedRate(update, x), step)));
    update.set(1, i, h);
  }
}

/// The rate with the moments' start from zero corrected, after the first step.
static Value correctedRate(Update &update, Value like, double alpha, double beta) {
  NodeImporter &n = update.n;
  Value t = update.scalar(n.operand(1), like);
  auto rest = [&](double factor) {
    return n.sub(n.like(t, 1.0), n.binary<PowOp>(n.like(t, factor), t));
  };
  Value corrected = n.div(n.mul(update.rate(like), n.unary<SqrtOp>(rest(beta))), rest(alpha));
  return n.select(n.compare(ComparePredicate::GT, t, 0.0), corrected, update.rate(like));
}

static void importAdam(NodeImporter &n) {
  Update update(n, 4);
  double alpha = n.floatAttr("alpha", 0.9), beta = n.floatAttr("beta", 0.999);
  double after = n.floatAttr("norm_coefficient_post", 0.0);
  for (unsigned i = 0; update.fits && i < update.count; ++i) {
    Value x = update.at(0, i), g = update.gradient(i);
    Value v = n.add(n.mul(update.at(2, i), alpha), n.mul(g, 1.0 - alpha));
    Value h = n.add(n.mul(update.at(3, i), beta), n.mul(n.mul(g, g), 1.0 - beta));
    Value root = n.add(n.unary<SqrtOp>(h), n.floatAttr("epsilon", 1e-6));
    Value moved = n.sub(x, n.mul(correctedRate(update, x, alpha, beta), n.div(v, root)));
    update.set(0, i, n.mul(moved, 1.0 - after));
    update.set(1, i, v);
    update.set(2, i, h);
  }
}

void lgc::registerOptimizerOps(OpTable &table) {
  table["ai.onnx.preview.training:Momentum"] = importMomentum;
  table["ai.onnx.preview.training:Adagrad"] = importAdagrad;
  table["ai.onnx.preview.training:Adam"] = importAdam;
}
