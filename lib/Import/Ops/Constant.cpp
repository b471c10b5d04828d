//===- Constant.cpp - Constants and shape arithmetic -----------------------===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "../NodeImporter.h"
#include "../TensorData.h"

#include <cmath>

using namespace mlir;
using namespace lgc;
using onnx::AttributeProto;

static void importConstant(NodeImporter &n) {
  if (const AttributeProto *value = n.attribute("value"))
    return n.setResult(0, n.graph.importConstant(value->t(), n.loc));
  if (const AttributeProto *value = n.attribute("value_int"))
    return n.setResult(n.splatInt(value->i(), n.i64()));
  if (const AttributeProto *value = n.attribute("value_float"))
    return n.setResult(n.splat(value->f(), n.f32()));
  if (auto values = n.intsAttr("value_ints"))
    return n.setResult(n.vectorI64(*values));
  if (const AttributeProto *value = n.attribute("value_floats")) {
    SmallVector<float> floats(value->floats().begin(), value->floats().end());
    auto type = RankedTensorType::get({int64_t(floats.size())}, n.f32());
    return n.setResult(n.constant(DenseElementsAttr::get(type, ArrayRef<float>(floats))));
  }
  n.error("only dense tensors of numbers can be constants, not strings or sparse tensors");
}

static void importConstantOfShape(NodeImporter &n) {
  auto shape = n.constantInts(0, "shape");
  if (!shape)
    return;
  if (!elementCount(*shape)) {
    n.error("the shape has impossible sizes");
    return;
  }
  const AttributeProto *value = n.attribute("value");
  if (!value)
    return n.setResult(n.splat(0.0, n.f32(), *shape));
  ImportedValue number = n.graph.importConstant(value->t(), n.loc);
  if (number.isTensor() && TensorBuilder::typeOf(number.tensor).getNumElements() == 1)
    return n.setResult(n.broadcastTo(n.reshape(number.tensor, {}), *shape));
  n.error("the value must be one number");
}

static void importShape(NodeImporter &n) {
  Value x = n.operand(0);
  if (!x)
    return n.setResult(Value());
  int64_t rank = TensorBuilder::rankOf(x);
  auto clip = [&](int64_t index) {
    return std::clamp<int64_t>(index < 0 ? index + rank : index, 0, rank);
  };
  int64_t start = clip(n.intAttr("start", 0)), end = clip(n.intAttr("end", rank));
  n.setResult(
      n.vectorI64(TensorBuilder::shapeOf(x).slice(start, std::max<int64_t>(end - start, 0))));
}

static void importSize(NodeImporter &n) {
  if (Value x = n.operand(0))
    n.setResult(n.splatInt(TensorBuilder::typeOf(x).getNumElements(), n.i64()));
}

static void importRange(NodeImporter &n) {
  auto start = n.constantNumber(0, "start"), limit = n.constantNumber(1, "limit"),
       delta = n.constantNumber(2, "delta");
  if (!start || !limit || !delta)
    return;
  Type element = TensorBuilder::elementOf(n.operand(0));
  double count = *delta == 0 ? -1 : std::ceil((*limit - *start) / *delta);
  if (!(std::isfinite(count) && count < 1e9) || *delta == 0) {
    n.error("the range from " + std::to_string(*start) + " to " + std::to_string(*limit) + " by " +
            std::to_string(*delta) + " has no end or too many elements");
    return;
  }
  SmallVector<Attribute> values;
  for (int64_t i = 0; i < int64_t(count); ++i)
    values.push_back(n.numberAttr(element, *start + double(i) * *delta));
  auto type = RankedTensorType::get({int64_t(values.size())}, element);
  n.setResult(n.constant(DenseElementsAttr::get(type, values)));
}

static void importEyeLike(NodeImporter &n) {
  Value x = n.operand(0);
  if (!x)
    return;
  if (TensorBuilder::rankOf(x) != 2) {
    n.error("the input must be a matrix");
    return;
  }
  Type element = TensorBuilder::elementOf(x);
  if (int64_t type = n.intAttr("dtype", 0))
    element = elementTypeOf(*n.builder.getContext(), int32_t(type));
  if (!element) {
    n.error("the element type isn't supported");
    return;
  }
  ArrayRef<int64_t> shape = TensorBuilder::shapeOf(x);
  Value row = n.add(n.iota(shape, 0, n.i64()), double(n.intAttr("k", 0)));
  Value column = n.iota(shape, 1, n.i64());
  n.setResult(n.convert(n.compare(ComparePredicate::EQ, row, column), element));
}

static void importIdentity(NodeImporter &n) { n.setResult(0, n.anyOperand(0)); }

/// The project's own operator that makes the order of execution visible.
static void importEcho(NodeImporter &n) {
  if (!n.hasAttribute("label")) {
    n.error("Echo has no label to print; set its attribute 'label'");
    return;
  }
  if (Value x = n.operand(0))
    n.setResult(EchoOp::create(n.graph.builder, n.loc, x, n.stringAttr("label", "")));
}

void lgc::registerConstantOps(OpTable &table) {
  table["Constant"] = importConstant;
  table["ConstantOfShape"] = importConstantOfShape;
  table["Shape"] = importShape;
  table["Size"] = importSize;
  table["Range"] = importRange;
  table["EyeLike"] = importEyeLike;
  table["Identity"] = importIdentity;
  table["lgc:Echo"] = importEcho;
}
