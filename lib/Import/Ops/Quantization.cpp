//===- Quantization.cpp - Quantised numbers and products of them -----------===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "../NodeImporter.h"
#include "../TensorData.h"

using namespace mlir;
using namespace lgc;
using Shape = SmallVector<int64_t>;

/// Scales (or zero points) in the shape of what they scale: one for all, one for each index along
/// the axis, or one for each block along it. A null value stays null.
static Value spread(NodeImporter &n, Value factors, ArrayRef<int64_t> shape, int64_t axis,
                    int64_t block) {
  if (!factors)
    return {};
  if (TensorBuilder::typeOf(factors).getNumElements() == 1)
    return n.broadcastTo(n.reshape(factors, {}), shape);
  if (axis < 0 || axis >= int64_t(shape.size()))
    return n.error("the axis is out of range");
  if (block == 0) {
    if (TensorBuilder::rankOf(factors) != 1)
      return n.error("scales and zero points must have one dimension");
    return n.broadcastDims(factors, shape, {axis});
  }
  Shape wide, dims;
  for (auto [i, size] : llvm::enumerate(TensorBuilder::shapeOf(factors))) {
    dims.push_back(int64_t(wide.size()));
    wide.push_back(size);
    if (int64_t(i) == axis)
      wide.push_back(block);
  }
  Value repeated = n.broadcastDims(factors, wide, dims);
  Shape merged(TensorBuilder::shapeOf(factors));
  if (int64_t(merged.size()) != int64_t(shape.size()) || merged[axis] * block < shape[axis])
    return n.error("the blocks of scales don't cover the tensor");
  merged[axis] *= block;
  return n.sliceDim(n.reshape(repeated, merged), axis, 0, shape[axis]);
}

static std::optional<int64_t> quantizationAxis(NodeImporter &n, Value x) {
  int64_t rank = TensorBuilder::rankOf(x), axis = n.intAttr("axis", 1);
  return axis < 0 ? axis + rank : axis;
}

/// round(x / scale) + zero point, clamped to the range of the type.
static Value quantize(NodeImporter &n, Value x, Value scale, Value zero, Type element) {
  Value level = n.unary<RoundEvenOp>(n.div(x, n.convert(scale, TensorBuilder::elementOf(x))));
  if (zero)
    level = n.add(level, n.convert(zero, TensorBuilder::elementOf(x)));
  return n.convert(level, element, /*saturate=*/true);
}

static void importQuantizeLinear(NodeImporter &n) {
  Value x = n.operand(0), scale = n.operand(1), zero = n.optionalOperand(2);
  if (!x || !scale)
    return n.setResult(Value());
  Type element = zero ? TensorBuilder::elementOf(zero) : n.builder.getIntegerType(8, false);
  if (int64_t type = n.intAttr("output_dtype", 0); type && !zero)
    element = type == onnx::TensorProto::INT4 || type == onnx::TensorProto::UINT4
                  ? Type()
                  : elementTypeOf(*n.builder.getContext(), int32_t(type));
  if (!element || !isa<IntegerType>(element)) {
    n.error("only integers of 8 and 16 bits are supported as quantised numbers");
    return;
  }
  ArrayRef<int64_t> shape = TensorBuilder::shapeOf(x);
  int64_t axis = *quantizationAxis(n, x), block = n.intAttr("block_size", 0);
  if (!TensorBuilder::isFloat(x))
    x = n.convert(x, n.f32());
  n.setResult(quantize(n, x, spread(n, scale, shape, axis, block),
                       spread(n, zero, shape, axis, block), element));
}

/// (x - zero point) * scale, in the scale's type.
static Value dequantize(NodeImporter &n, Value x, Value scale, Value zero) {
  if (!x || !scale)
    return {};
  Type element = TensorBuilder::elementOf(scale);
  Value level = n.convert(x, n.builder.getI32Type());
  if (zero)
    level = n.sub(level, n.convert(zero, n.builder.getI32Type()));
  return n.mul(n.convert(level, element), scale);
}

static void importDequantizeLinear(NodeImporter &n) {
  Value x = n.operand(0), scale = n.operand(1), zero = n.optionalOperand(2);
  if (!x || !scale)
    return n.setResult(Value());
  ArrayRef<int64_t> shape = TensorBuilder::shapeOf(x);
  int64_t axis = *quantizationAxis(n, x), block = n.intAttr("block_size", 0);
  Value result =
      dequantize(n, x, spread(n, scale, shape, axis, block), spread(n, zero, shape, axis, block));
  if (int64_t type = n.intAttr("output_dtype", 0); type && result)
    result = n.convert(result, elementTypeOf(*n.builder.getContext(), int32_t(type)));
  n.setResult(result);
}

//===----------------------------------------------------------------------===//
// Products of quantised numbers
//===----------------------------------------------------------------------===//

/// The whole numbers that quantised ones stand for. A zero point of several numbers goes along
/// `dim`.
static Value centred(NodeImporter &n, Value x, Value zero, int64_t dim) {
  if (!x)
    return {};
  Value wide = n.convert(x, n.builder.getI32Type());
  if (!zero)
    return wide;
  zero = n.convert(zero, n.builder.getI32Type());
  if (TensorBuilder::typeOf(zero).getNumElements() == 1)
    zero = n.reshape(zero, {});
  else if (TensorBuilder::rankOf(zero) == 1)
    zero = n.broadcastDims(zero, TensorBuilder::shapeOf(x), {dim});
  return n.sub(wide, n.broadcastTo(zero, TensorBuilder::shapeOf(x)));
}

static Value integerProduct(NodeImporter &n, Value a, Value aZero, Value b, Value bZero) {
  if (!a || !b)
    return {};
  return n.matmul(centred(n, a, aZero, std::max<int64_t>(TensorBuilder::rankOf(a) - 2, 0)),
                  centred(n, b, bZero, TensorBuilder::rankOf(b) - 1));
}

static void importMatMulInteger(NodeImporter &n) {
  n.setResult(
      integerProduct(n, n.operand(0), n.optionalOperand(2), n.operand(1), n.optionalOperand(3)));
}

static void importQLinearMatMul(NodeImporter &n) {
  SmallVector<Value> o = n.allOperands();
  if (o.size() != 8) {
    n.error("there must be eight inputs");
    return;
  }
  Value product = integerProduct(n, o[0], o[2], o[3], o[5]);
  if (!product)
    return;
  if (TensorBuilder::typeOf(o[1]).getNumElements() != 1 ||
      TensorBuilder::typeOf(o[4]).getNumElements() != 1 ||
      TensorBuilder::typeOf(o[6]).getNumElements() != 1 ||
      TensorBuilder::typeOf(o[7]).getNumElements() != 1) {
    n.error("only one scale for each tensor is supported");
    return;
  }
  auto scalar = [&](Value factor) {
    return n.broadcastTo(n.reshape(n.convert(factor, n.f32()), {}),
                         TensorBuilder::shapeOf(product));
  };
  Value real = n.mul(n.convert(product, n.f32()), n.mul(scalar(o[1]), scalar(o[4])));
  n.setResult(quantize(n, real, scalar(o[6]), scalar(o[7]), TensorBuilder::elementOf(o[7])));
}

void lgc::registerQuantizationOps(OpTable &table) {
  table["QuantizeLinear"] = importQuantizeLinear;
  table["DequantizeLinear"] = importDequantizeLinear;
  table["MatMulInteger"] = importMatMulInteger;
  table["QLinearMatMul"] = importQLinearMatMul;
}
