//===- Normalization.cpp - Normalisations ----------------------------------===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "../NodeImporter.h"

using namespace mlir;
using namespace lgc;
using Shape = SmallVector<int64_t>;

namespace {
struct Normalized {
  Value result, mean, rstd;
};
} // namespace

static Normalized normalize(NodeImporter &n, Value x, ArrayRef<int64_t> dims, double epsilon) {
  auto values = n.createAll<NormalizeOp>({x}, {n.ints("dims", dims), n.number("epsilon", epsilon)});
  return {values[0], values[1], values[2]};
}

/// Scale and bias along one dimension of the result.
static Value affine(NodeImporter &n, Value x, Value scale, Value bias, int64_t dim) {
  if (!x)
    return {};
  for (Value factor : {scale, bias})
    if (factor && (TensorBuilder::rankOf(factor) != 1 ||
                   TensorBuilder::shapeOf(factor)[0] != TensorBuilder::shapeOf(x)[dim]))
      return n.error("scale, bias and statistics must have one number for each channel");
  auto wide = [&](Value factor) {
    return n.broadcastDims(n.convert(factor, TensorBuilder::elementOf(x)),
                           TensorBuilder::shapeOf(x), {dim});
  };
  if (scale)
    x = n.mul(x, wide(scale));
  return bias ? n.add(x, wide(bias)) : x;
}

static Shape range(int64_t first, int64_t end) {
  Shape dims;
  for (int64_t i = first; i < end; ++i)
    dims.push_back(i);
  return dims;
}

//===----------------------------------------------------------------------===//
// Batch normalisation
//===----------------------------------------------------------------------===//

static bool batchStatisticsHere(NodeImporter &n) {
  if (n.graph.options.asWritten)
    return usesBatchStatistics(n.node, ImportOptions());
  return n.trains() && usesBatchStatistics(n.node, n.graph.options);
}

/// The statistics with what this batch adds to them.
static Value mix(NodeImporter &n, Value running, Value batch, double momentum) {
  batch = n.convert(batch, TensorBuilder::elementOf(running));
  return n.add(n.mul(running, momentum), n.mul(batch, 1.0 - momentum));
}

static void trainBatchNorm(NodeImporter &n, Value x, Value scale, Value bias, Value mean,
                           Value variance) {
  Shape dims = range(0, TensorBuilder::rankOf(x));
  dims.erase(dims.begin() + 1);
  double epsilon = n.floatAttr("epsilon", 1e-5), momentum = n.floatAttr("momentum", 0.9);
  Normalized normalized = normalize(n, x, dims, epsilon);
  if (!normalized.result)
    return;
  n.setResult(affine(n, normalized.result, scale, bias, 1));
  Value square = n.mul(normalized.rstd, normalized.rstd);
  Value batchVariance = n.add(n.div(n.like(square, 1.0), square), -epsilon);
  Value newMean = mix(n, mean, normalized.mean, momentum);
  Value newVariance = mix(n, variance, batchVariance, momentum);
  n.setResult(1, newMean);
  n.setResult(2, newVariance);
  n.setResult(3, normalized.mean);
  n.setResult(4, batchVariance);
  for (auto [running, updated] : {std::pair(mean, newMean), std::pair(variance, newVariance)})
    if (auto state = n.graph.parameterOf(running); state && n.trains() && updated)
      if (n.graph.plan.parameters[*state].role == Role::State)
        n.graph.updateState(*state, updated);
}

static void importBatchNormalization(NodeImporter &n) {
  Value x = n.operand(0), scale = n.operand(1), bias = n.operand(2), mean = n.operand(3),
        variance = n.operand(4);
  if (!x || !scale || !bias || !mean || !variance)
    return n.setResult(Value());
  if (TensorBuilder::rankOf(x) < 2 || n.intAttr("spatial", 1) == 0) {
    n.error("only normalisation of the channels of a batch is supported");
    return;
  }
  if (batchStatisticsHere(n))
    return trainBatchNorm(n, x, scale, bias, mean, variance);
  Value rstd = n.unary<RsqrtOp>(n.add(variance, n.floatAttr("epsilon", 1e-5)));
  Value centred = affine(n, x, {}, n.unary<NegOp>(mean), 1);
  n.setResult(
      affine(n, centred, n.mul(n.convert(scale, TensorBuilder::elementOf(rstd)), rstd), bias, 1));
  for (unsigned i = 1; i < 5; ++i)
    if (n.wantsResult(i))
      n.setResult(i, i % 2 ? mean : variance);
}

//===----------------------------------------------------------------------===//
// Normalisation of each sample
//===----------------------------------------------------------------------===//

/// A statistic with the normalised dimensions kept at size 1.
static Value keepDims(NodeImporter &n, Value statistic, ArrayRef<int64_t> dims) {
  return n.unsqueeze(statistic, dims);
}

static void importLayerNormalization(NodeImporter &n) {
  Value x = n.operand(0), scale = n.operand(1), bias = n.optionalOperand(2);
  if (!x || !scale)
    return n.setResult(Value());
  int64_t rank = TensorBuilder::rankOf(x);
  auto axis = n.axisIn(n.intAttr("axis", -1), rank);
  if (!axis)
    return;
  Shape dims = range(*axis, rank);
  Normalized normalized = normalize(n, x, dims, n.floatAttr("epsilon", 1e-5));
  if (!normalized.result)
    return;
  ArrayRef<int64_t> shape = TensorBuilder::shapeOf(x);
  Value y = n.mul(normalized.result, n.broadcastTo(scale, shape));
  n.setResult(bias ? n.add(y, n.broadcastTo(bias, shape)) : y);
  n.setResult(1, keepDims(n, normalized.mean, dims));
  n.setResult(2, keepDims(n, normalized.rstd, dims));
}

static void importRmsNormalization(NodeImporter &n) {
  Value x = n.operand(0), scale = n.operand(1);
  if (!x || !scale)
    return n.setResult(Value());
  int64_t rank = TensorBuilder::rankOf(x);
  auto axis = n.axisIn(n.intAttr("axis", -1), rank);
  if (!axis)
    return;
  Value result =
      n.createAll<RmsNormalizeOp>({x}, {n.ints("dims", range(*axis, rank)),
                                        n.number("epsilon", n.floatAttr("epsilon", 1e-5))})[0];
  if (result)
    n.setResult(n.mul(n.convert(result, TensorBuilder::elementOf(scale)),
                      n.broadcastTo(scale, TensorBuilder::shapeOf(x))));
}

static void importInstanceNormalization(NodeImporter &n) {
  Value x = n.operand(0), scale = n.operand(1), bias = n.operand(2);
  if (!x || !scale || !bias)
    return n.setResult(Value());
  if (TensorBuilder::rankOf(x) < 3) {
    n.error("the input must have a batch, a channel and some spatial dimensions");
    return;
  }
  Normalized normalized =
      normalize(n, x, range(2, TensorBuilder::rankOf(x)), n.floatAttr("epsilon", 1e-5));
  n.setResult(affine(n, normalized.result, scale, bias, 1));
}

/// Scale and bias are per channel since opset 21, per group before.
static void importGroupNormalization(NodeImporter &n) {
  Value x = n.operand(0), scale = n.operand(1), bias = n.operand(2);
  if (!x || !scale || !bias)
    return n.setResult(Value());
  Shape shape(TensorBuilder::shapeOf(x));
  int64_t groups = n.intAttr("num_groups", 1);
  if (shape.size() < 2 || groups < 1 || shape[1] % groups) {
    n.error("the number of channels must be a multiple of the number of groups");
    return;
  }
  Shape grouped = {shape[0], groups, shape[1] / groups};
  grouped.append(shape.begin() + 2, shape.end());
  Normalized normalized = normalize(n, n.reshape(x, grouped), range(2, int64_t(grouped.size())),
                                    n.floatAttr("epsilon", 1e-5));
  if (n.version < 21)
    return n.setResult(n.reshape(affine(n, normalized.result, scale, bias, 1), shape));
  n.setResult(affine(n, n.reshape(normalized.result, shape), scale, bias, 1));
}

//===----------------------------------------------------------------------===//
// Norms
//===----------------------------------------------------------------------===//

static void importLpNormalization(NodeImporter &n) {
  Value x = n.operand(0);
  if (!x)
    return n.setResult(Value());
  auto axis = n.axisIn(n.intAttr("axis", -1), TensorBuilder::rankOf(x));
  if (!axis)
    return;
  bool isL1 = n.intAttr("p", 2) == 1;
  Value norm = n.reduce(ReductionKind::Sum, isL1 ? n.unary<AbsOp>(x) : n.mul(x, x), {*axis},
                        /*keepDims=*/true);
  if (!isL1)
    norm = n.unary<SqrtOp>(norm);
  // Where everything is 0, so is the result.
  Value isZero = n.compare(ComparePredicate::EQ, norm, 0.0);
  n.setResult(n.div(x, n.select(isZero, n.like(norm, 1.0), norm)));
}

/// Divides by a power of the squares summed over neighbouring channels.
static void importLrn(NodeImporter &n) {
  Value x = n.operand(0);
  if (!x)
    return n.setResult(Value());
  Shape shape(TensorBuilder::shapeOf(x));
  int64_t size = n.intAttr("size", 1);
  if (shape.size() < 2 || size < 1 || size > (1 << 20)) {
    n.error("the input must have channels, and the size must be positive");
    return;
  }
  int64_t rest = 1;
  for (int64_t i = 2; i < int64_t(shape.size()); ++i)
    rest *= shape[i];
  Value squares = n.reshape(n.mul(x, x), {shape[0], 1, shape[1], rest});
  int64_t low = (size - 1) / 2;
  Value sum = n.create<ReduceWindowOp>(
      {squares},
      {n.kind(ReductionKind::Sum), n.ints("window", {size, 1}), n.ints("strides", {1, 1}),
       n.ints("dilations", {1, 1}), n.ints("low", {low, 0}), n.ints("high", {size - 1 - low, 0})});
  Value scaled = n.add(n.mul(n.reshape(sum, shape), n.floatAttr("alpha", 1e-4) / double(size)),
                       n.floatAttr("bias", 1.0));
  n.setResult(n.div(x, n.binary<PowOp>(scaled, n.floatAttr("beta", 0.75))));
}

void lgc::registerNormalizationOps(OpTable &table) {
  table["BatchNormalization"] = importBatchNormalization;
  table["LayerNormalization"] = importLayerNormalization;
  table["RMSNormalization"] = importRmsNormalization;
  table["InstanceNormalization"] = importInstanceNormalization;
  table["GroupNormalization"] = importGroupNormalization;
  table["LpNormalization"] = importLpNormalization;
  table["LRN"] = importLrn;
}
