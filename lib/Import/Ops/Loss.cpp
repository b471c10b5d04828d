//===- Loss.cpp - Losses ---------------------------------------------------===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "../NodeImporter.h"

using namespace mlir;
using namespace lgc;

namespace {
/// Labels with what says how much each counts.
struct Labels {
  Value indices; ///< with ignored ones replaced by 0
  Value ignored; ///< where the label is to be ignored; null if none can be
  Value weights; ///< of each label, 0 where ignored; null if all are 1
};
} // namespace

static std::optional<Labels> readLabels(NodeImporter &n, Type element) {
  Labels labels{n.operand(1), {}, {}};
  if (!labels.indices)
    return std::nullopt;
  ArrayRef<int64_t> shape = TensorBuilder::shapeOf(labels.indices);
  if (n.hasAttribute("ignore_index")) {
    Value index =
        n.splatInt(n.intAttr("ignore_index", 0), TensorBuilder::elementOf(labels.indices), shape);
    labels.ignored = n.compare(ComparePredicate::EQ, labels.indices, index);
    labels.indices = n.select(labels.ignored, n.like(labels.indices, 0.0), labels.indices);
  }
  if (Value weights = n.optionalOperand(2))
    labels.weights = n.gather(n.convert(weights, element), labels.indices, 0);
  else if (labels.ignored)
    labels.weights = n.splat(1.0, element, shape);
  if (labels.ignored)
    labels.weights = n.select(labels.ignored, n.like(labels.weights, 0.0), labels.weights);
  return labels;
}

/// Weighs the losses of all labels and sums or averages them.
static void reduceLoss(NodeImporter &n, Value loss, const Labels &labels) {
  if (labels.weights)
    loss = n.mul(loss, labels.weights);
  std::string reduction = n.stringAttr("reduction", "mean");
  if (reduction != "none" && reduction != "sum" && reduction != "mean") {
    n.error("the reduction '" + reduction + "' isn't supported");
    return;
  }
  if (!loss || reduction == "none")
    return n.setResult(loss);
  SmallVector<int64_t> all;
  for (int64_t i = 0; i < TensorBuilder::rankOf(loss); ++i)
    all.push_back(i);
  auto sum = [&](Value x) { return n.reduce(ReductionKind::Sum, x, all, /*keepDims=*/false); };
  if (reduction == "sum")
    return n.setResult(sum(loss));
  n.setResult(labels.weights ? n.div(sum(loss), sum(labels.weights))
                             : n.mean(loss, all, /*keepDims=*/false));
}

static bool hasClasses(NodeImporter &n, Value x) {
  if (!x)
    return false;
  if (TensorBuilder::rankOf(x) >= 2 && TensorBuilder::isFloat(x))
    return true;
  n.error("the scores must be floating-point numbers with a batch and a class dimension");
  return false;
}

static void importSoftmaxCrossEntropy(NodeImporter &n) {
  Value x = n.operand(0);
  auto labels = hasClasses(n, x) ? readLabels(n, TensorBuilder::elementOf(x)) : std::nullopt;
  if (!labels)
    return;
  SmallVector<NamedAttribute> attributes = {n.integer("dim", 1)};
  // lgc.cross_entropy ignores by itself, so that no mask is needed for the gradient.
  Value indices = n.operand(1);
  if (n.hasAttribute("ignore_index"))
    attributes.push_back(n.integer("ignore_index", n.intAttr("ignore_index", 0)));
  Value loss = n.createAll<CrossEntropyOp>({x, indices}, attributes)[0];
  reduceLoss(n, loss, *labels);
  if (n.wantsResult(1))
    n.setResult(1, n.create<LogSoftmaxOp>({x}, {n.integer("dim", 1)}));
}

static void importNegativeLogLikelihood(NodeImporter &n) {
  Value x = n.operand(0);
  auto labels = hasClasses(n, x) ? readLabels(n, TensorBuilder::elementOf(x)) : std::nullopt;
  if (!labels)
    return;
  Value picked =
      n.create<GatherElementsOp>({x, n.unsqueeze(labels->indices, {1})}, {n.integer("axis", 1)});
  if (picked)
    picked = n.reshape(picked, TensorBuilder::shapeOf(labels->indices));
  reduceLoss(n, n.unary<NegOp>(picked), *labels);
}

void lgc::registerLossOps(OpTable &table) {
  table["SoftmaxCrossEntropyLoss"] = importSoftmaxCrossEntropy;
  table["NegativeLogLikelihoodLoss"] = importNegativeLogLikelihood;
}
