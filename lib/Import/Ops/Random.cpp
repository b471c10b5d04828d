//===- Random.cpp - Random numbers and dropout -----------------------------===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

// Numbers come from lgc's own generator: keyed by seed and step, one stream for each operation.
// They have the distributions that ONNX asks for, never another program's values.

#include "../NodeImporter.h"
#include "../TensorData.h"

#include <cmath>

using namespace mlir;
using namespace lgc;
using Shape = SmallVector<int64_t>;

/// Numbers in [0, 1) from a stream of their own.
static Value uniform(NodeImporter &n, Type element, ArrayRef<int64_t> shape) {
  if (n.graph.options.asWritten)
    return n.error("random numbers can't follow another program's generator");
  return n.createTyped<RandomUniformOp>(RankedTensorType::get(shape, element),
                                        {n.graph.seed, n.graph.step},
                                        {n.integer("stream", n.graph.nextStream++)});
}

/// Box and Muller's transform.
static Value normal(NodeImporter &n, Type element, ArrayRef<int64_t> shape) {
  Value radius = uniform(n, element, shape), angle = uniform(n, element, shape);
  if (!radius || !angle)
    return {};
  Value length = n.unary<SqrtOp>(n.mul(n.unary<LogOp>(n.sub(n.like(radius, 1.0), radius)), -2.0));
  return n.mul(length, n.unary<CosOp>(n.mul(angle, 2.0 * M_PI)));
}

/// The element type from `dtype`, or what else it would be; null after an error.
static Type floatType(NodeImporter &n, Type otherwise) {
  Type element = otherwise;
  if (int64_t type = n.intAttr("dtype", 0))
    element = elementTypeOf(*n.builder.getContext(), int32_t(type));
  if (element && isa<FloatType>(element))
    return element;
  n.error("only random floating-point numbers are supported");
  return {};
}

static void scaled(NodeImporter &n, bool isNormal, Type element, ArrayRef<int64_t> shape) {
  if (!element)
    return;
  if (isNormal)
    return n.setResult(n.add(n.mul(normal(n, element, shape), n.floatAttr("scale", 1.0)),
                             n.floatAttr("mean", 0.0)));
  double low = n.floatAttr("low", 0.0), high = n.floatAttr("high", 1.0);
  n.setResult(n.add(n.mul(uniform(n, element, shape), high - low), low));
}

template <bool isNormal> static void randomOfShape(NodeImporter &n) {
  Shape shape = n.intsAttr("shape", {});
  if (!elementCount(shape)) {
    n.error("the shape has impossible sizes");
    return;
  }
  scaled(n, isNormal, floatType(n, n.f32()), shape);
}

template <bool isNormal> static void randomLike(NodeImporter &n) {
  if (Value x = n.operand(0))
    scaled(n, isNormal, floatType(n, TensorBuilder::elementOf(x)), TensorBuilder::shapeOf(x));
}

static void importBernoulli(NodeImporter &n) {
  Value x = n.operand(0);
  if (!x)
    return n.setResult(Value());
  Type element = TensorBuilder::elementOf(x);
  if (int64_t type = n.intAttr("dtype", 0))
    element = elementTypeOf(*n.builder.getContext(), int32_t(type));
  if (!element) {
    n.error("the element type isn't supported");
    return;
  }
  Value draw = uniform(n, TensorBuilder::elementOf(x), TensorBuilder::shapeOf(x));
  n.setResult(n.convert(n.compare(ComparePredicate::LT, draw, x), element));
}

//===----------------------------------------------------------------------===//
// Dropout
//===----------------------------------------------------------------------===//

/// Whether this Dropout drops anything here: before opset 12 that depends on the mode alone, then
/// on an operand that an export for inference leaves out. Nothing after an error.
static std::optional<bool> drops(NodeImporter &n) {
  if (n.version < 12)
    return n.trains() && !n.graph.options.asWritten;
  if (!n.hasOperand(2))
    return false;
  auto training = n.constantNumber(2, "training mode");
  if (!training)
    return std::nullopt;
  return *training != 0 && (n.trains() || n.graph.options.asWritten);
}

static void importDropout(NodeImporter &n) {
  Value x = n.operand(0);
  auto active = drops(n);
  if (!x || !active)
    return n.setResult(Value());
  std::optional<double> ratio = n.version < 12 ? n.floatAttr("ratio", 0.5) : 0.5;
  if (n.version >= 12 && n.hasOperand(1) && *active)
    ratio = n.constantNumber(1, "ratio");
  if (!ratio)
    return;
  if (!(*ratio >= 0.0 && *ratio <= 1.0)) {
    n.error("the ratio must be between 0 and 1");
    return;
  }
  ArrayRef<int64_t> shape = TensorBuilder::shapeOf(x);
  if (!*active || *ratio == 0.0) {
    n.setResult(x);
    return n.setResult(1, n.splat(1.0, n.i1(), shape));
  }
  if (*ratio == 1.0) {
    n.setResult(n.like(x, 0.0));
    return n.setResult(1, n.splat(0.0, n.i1(), shape));
  }
  Value draw = uniform(n, n.f32(), shape);
  Value keep = n.compare(ComparePredicate::GE, draw, *ratio);
  n.setResult(n.select(keep, n.mul(x, 1.0 / (1.0 - *ratio)), n.like(x, 0.0)));
  n.setResult(1, keep);
}

void lgc::registerRandomOps(OpTable &table) {
  table["RandomUniform"] = randomOfShape<false>;
  table["RandomNormal"] = randomOfShape<true>;
  table["RandomUniformLike"] = randomLike<false>;
  table["RandomNormalLike"] = randomLike<true>;
  table["Bernoulli"] = importBernoulli;
  table["Dropout"] = importDropout;
}
