//===- Reduction.cpp - Reductions over axes --------------------------------===//
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
/// What a reduction reduces over.
struct Reduced {
  Value x;
  Shape dims;
  bool keepDims;
};
} // namespace

/// Reads axes, an attribute that became an operand; without any, all dimensions are reduced.
static std::optional<Reduced> readReduction(NodeImporter &n) {
  Value x = n.operand(0);
  bool failed = false;
  auto given = n.intsFrom("axes", 1, failed);
  if (!x || failed)
    return std::nullopt;
  auto axes = n.axesIn(given.value_or(Shape()), TensorBuilder::rankOf(x));
  if (!axes)
    return std::nullopt;
  Reduced reduced{x, *axes, n.intAttr("keepdims", 1) != 0};
  if (axes->empty() && !n.intAttr("noop_with_empty_axes", 0))
    for (int64_t i = 0; i < TensorBuilder::rankOf(x); ++i)
      reduced.dims.push_back(i);
  return reduced;
}

/// A reduction of some function of the elements, and a function of what comes out.
static void reduce(NodeImporter &n, ReductionKind kind, llvm::function_ref<Value(Value)> before,
                   llvm::function_ref<Value(Value)> after) {
  auto reduced = readReduction(n);
  if (!reduced)
    return n.setResult(Value());
  n.setResult(after(n.reduce(kind, before(reduced->x), reduced->dims, reduced->keepDims)));
}

static Value same(Value x) { return x; }

template <ReductionKind kind> static void simple(NodeImporter &n) { reduce(n, kind, same, same); }

/// Of booleans, the largest is whether any is true, the smallest whether all are.
template <ReductionKind kind, ReductionKind ofBooleans> static void extreme(NodeImporter &n) {
  Value x = n.operand(0);
  reduce(n, x && TensorBuilder::isBool(x) ? ofBooleans : kind, same, same);
}

static void importReduceMean(NodeImporter &n) {
  if (auto reduced = readReduction(n))
    n.setResult(n.mean(reduced->x, reduced->dims, reduced->keepDims));
}

static void importReduceL1(NodeImporter &n) {
  reduce(n, ReductionKind::Sum, [&](Value x) { return n.unary<AbsOp>(x); }, same);
}

static Value squareRoot(NodeImporter &n, Value x) {
  if (!x || TensorBuilder::isFloat(x))
    return n.unary<SqrtOp>(x);
  return n.convert(n.unary<SqrtOp>(n.convert(x, n.f32())), TensorBuilder::elementOf(x));
}

static void importReduceL2(NodeImporter &n) {
  reduce(
      n, ReductionKind::Sum, [&](Value x) { return n.mul(x, x); },
      [&](Value x) { return squareRoot(n, x); });
}

static void importReduceSumSquare(NodeImporter &n) {
  reduce(n, ReductionKind::Sum, [&](Value x) { return n.mul(x, x); }, same);
}

static void importReduceLogSum(NodeImporter &n) {
  reduce(n, ReductionKind::Sum, same, [&](Value x) { return n.unary<LogOp>(x); });
}

/// Shifted by the largest element so that nothing overflows.
static void importReduceLogSumExp(NodeImporter &n) {
  auto reduced = readReduction(n);
  if (!reduced)
    return n.setResult(Value());
  Value x = reduced->x;
  Value largest = n.reduce(ReductionKind::Max, x, reduced->dims, /*keepDims=*/true);
  if (!largest || !TensorBuilder::isFloat(x)) {
    n.error("the input must be floating-point numbers");
    return;
  }
  // An infinite shift would give infinity less infinity.
  Value isInfinite = n.create<IsInfOp>({largest});
  largest = n.select(isInfinite, n.like(largest, 0.0), largest);
  Value sum = n.reduce(ReductionKind::Sum, n.unary<ExpOp>(n.sub(x, largest)), reduced->dims,
                       /*keepDims=*/true);
  Value result = n.add(n.unary<LogOp>(sum), largest);
  Shape shape;
  for (auto [i, size] : llvm::enumerate(TensorBuilder::shapeOf(x)))
    if (!llvm::is_contained(reduced->dims, int64_t(i)))
      shape.push_back(size);
  n.setResult(reduced->keepDims ? result : n.reshape(result, shape));
}

template <ReductionKind kind> static void argReduce(NodeImporter &n) {
  Value x = n.operand(0);
  if (!x)
    return n.setResult(Value());
  auto axis = n.axisIn(n.intAttr("axis", 0), TensorBuilder::rankOf(x));
  if (!axis)
    return;
  SmallVector<NamedAttribute> attributes = {n.kind(kind), n.integer("dim", *axis)};
  if (n.intAttr("select_last_index", 0))
    attributes.push_back(n.unit("last"));
  Value index = n.createAll<ArgReduceOp>({x}, attributes)[1];
  n.setResult(n.intAttr("keepdims", 1) ? n.unsqueeze(index, {*axis}) : index);
}

template <ReductionKind kind> static void cumulative(NodeImporter &n) {
  Value x = n.operand(0);
  auto given = n.constantInt(1, "axis");
  if (!x || !given)
    return n.setResult(Value());
  auto axis = n.axisIn(*given, TensorBuilder::rankOf(x));
  if (!axis)
    return;
  SmallVector<NamedAttribute> attributes = {n.kind(kind), n.integer("dim", *axis)};
  if (n.intAttr("exclusive", 0))
    attributes.push_back(n.unit("exclusive"));
  if (n.intAttr("reverse", 0))
    attributes.push_back(n.unit("reverse"));
  n.setResult(n.create<CumulativeOp>({x}, attributes));
}

void lgc::registerReductionOps(OpTable &table) {
  table["ReduceSum"] = simple<ReductionKind::Sum>;
  table["ReduceProd"] = simple<ReductionKind::Product>;
  table["ReduceMax"] = extreme<ReductionKind::Max, ReductionKind::Or>;
  table["ReduceMin"] = extreme<ReductionKind::Min, ReductionKind::And>;
  table["ReduceMean"] = importReduceMean;
  table["ReduceL1"] = importReduceL1;
  table["ReduceL2"] = importReduceL2;
  table["ReduceSumSquare"] = importReduceSumSquare;
  table["ReduceLogSum"] = importReduceLogSum;
  table["ReduceLogSumExp"] = importReduceLogSumExp;
  table["ArgMax"] = argReduce<ReductionKind::Max>;
  table["ArgMin"] = argReduce<ReductionKind::Min>;
  table["CumSum"] = cumulative<ReductionKind::Sum>;
  table["CumProd"] = cumulative<ReductionKind::Product>;
}
