//===- ConstantEvaluator.cpp - Folding of constant tensors ----------------===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "ConstantEvaluator.h"

using namespace mlir;
using namespace lgc;

using llvm::APFloat;
using llvm::APInt;

bool lgc::isFoldable(RankedTensorType type) {
  constexpr int64_t maxIntegers = 1 << 21;
  return type.getNumElements() <=
         (isa<FloatType>(type.getElementType()) ? maxFoldedElements : maxIntegers);
}

ConstantElement lgc::getElement(DenseElementsAttr constant, int64_t index) {
  if (constant.isSplat())
    index = 0;
  if (isa<FloatType>(constant.getElementType()))
    return {FloatAttr::getValueAsDouble(constant.getValues<APFloat>()[index]), APInt()};
  return {0.0, constant.getValues<APInt>()[index]};
}

Attribute lgc::getElementAttr(Type elementType, const ConstantElement &element) {
  if (isa<FloatType>(elementType))
    return FloatAttr::get(elementType, element.number);
  return IntegerAttr::get(elementType, element.bits);
}

static APFloat roundTo(FloatType type, double number) {
  APFloat value(number);
  bool losesInfo;
  value.convert(type.getFloatSemantics(), APFloat::rmNearestTiesToEven, &losesInfo);
  return value;
}

Attribute lgc::foldElements(
    RankedTensorType type, ArrayRef<Attribute> operands,
    llvm::function_ref<std::optional<ConstantElement>(ArrayRef<ConstantElement>)> body) {
  SmallVector<DenseElementsAttr> constants;
  bool allSplat = type.getNumElements() > 0;
  for (Attribute operand : operands) {
    auto constant = dyn_cast_or_null<DenseElementsAttr>(operand);
    if (!constant)
      return {};
    allSplat &= constant.isSplat();
    constants.push_back(constant);
  }
  if (!allSplat && !isFoldable(type))
    return {};
  auto floatType = dyn_cast<FloatType>(type.getElementType());
  SmallVector<APFloat> numbers;
  SmallVector<APInt> integers;
  SmallVector<ConstantElement> elements(constants.size());
  for (int64_t i = 0, count = allSplat ? 1 : type.getNumElements(); i < count; ++i) {
    for (auto [element, constant] : llvm::zip_equal(elements, constants))
      element = getElement(constant, i);
    std::optional<ConstantElement> result = body(elements);
    if (!result)
      return {};
    if (floatType)
      numbers.push_back(roundTo(floatType, result->number));
    else
      integers.push_back(result->bits);
  }
  return floatType ? DenseElementsAttr::get(type, numbers) : DenseElementsAttr::get(type, integers);
}

//===----------------------------------------------------------------------===//
// Rearrangements
//===----------------------------------------------------------------------===//

/// Elements move as bits, whatever their type.
static Type getBitsType(Type elementType) {
  if (!isa<FloatType>(elementType))
    return elementType;
  return IntegerType::get(elementType.getContext(), elementType.getIntOrFloatBitWidth());
}

static DenseElementsAttr toBits(DenseElementsAttr constant) {
  Type bits = getBitsType(constant.getElementType());
  return bits == constant.getElementType() ? constant : constant.bitcast(bits);
}

static DenseElementsAttr fromBits(RankedTensorType type, ArrayRef<APInt> elements) {
  Type bits = getBitsType(type.getElementType());
  auto constant = DenseElementsAttr::get(type.clone(bits), elements);
  return bits == type.getElementType() ? constant : constant.bitcast(type.getElementType());
}

SmallVector<int64_t> lgc::getRowMajorStrides(ArrayRef<int64_t> shape) {
  SmallVector<int64_t> strides(shape.size(), 1);
  for (size_t i = shape.size(); i-- > 1;)
    strides[i - 1] = strides[i] * shape[i];
  return strides;
}

/// Calls `visit` with the place of each element of a box, in row-major order.
static void forEachPlace(ArrayRef<int64_t> shape, const StridedBox &box,
                         llvm::function_ref<void(int64_t)> visit) {
  if (llvm::is_contained(shape, 0))
    return;
  SmallVector<int64_t> index(shape.size(), 0);
  int64_t place = box.offset;
  while (true) {
    visit(place);
    size_t dim = shape.size();
    for (; dim > 0; --dim) {
      place += box.strides[dim - 1];
      if (++index[dim - 1] < shape[dim - 1])
        break;
      place -= shape[dim - 1] * box.strides[dim - 1];
      index[dim - 1] = 0;
    }
    if (dim == 0)
      return;
  }
}

/// What needs no look at single elements; none if they must be moved.
static std::optional<Attribute> foldWhole(RankedTensorType type, Attribute operand) {
  auto constant = dyn_cast_or_null<DenseElementsAttr>(operand);
  if (!constant)
    return Attribute();
  if (constant.isSplat() && type.getNumElements() > 0)
    return constant.resizeSplat(type);
  if (!isFoldable(type))
    return Attribute();
  return std::nullopt;
}

Attribute lgc::foldRearrangement(RankedTensorType type, Attribute operand,
                                 llvm::function_ref<int64_t(int64_t)> source) {
  if (std::optional<Attribute> folded = foldWhole(type, operand))
    return *folded;
  DenseElementsAttr constant = toBits(cast<DenseElementsAttr>(operand));
  auto elements = constant.getValues<APInt>();
  SmallVector<APInt> results;
  for (int64_t i = 0, e = type.getNumElements(); i < e; ++i)
    results.push_back(elements[source(i)]);
  return fromBits(type, results);
}

Attribute lgc::foldGather(RankedTensorType type, Attribute operand, const StridedBox &box) {
  if (std::optional<Attribute> folded = foldWhole(type, operand))
    return *folded;
  DenseElementsAttr constant = toBits(cast<DenseElementsAttr>(operand));
  auto elements = constant.getValues<APInt>();
  SmallVector<APInt> results;
  results.reserve(type.getNumElements());
  forEachPlace(type.getShape(), box, [&](int64_t place) { results.push_back(elements[place]); });
  return fromBits(type, results);
}

Attribute lgc::foldScatter(RankedTensorType type, Attribute padding, ArrayRef<Attribute> operands,
                           ArrayRef<StridedBox> boxes) {
  if (!isFoldable(type))
    return {};
  APInt fill(type.getElementTypeBitWidth(), 0);
  if (auto number = dyn_cast_or_null<FloatAttr>(padding))
    fill = number.getValue().bitcastToAPInt();
  else if (auto integer = dyn_cast_or_null<IntegerAttr>(padding))
    fill = integer.getValue();
  SmallVector<APInt> results(type.getNumElements(), fill);
  for (auto [operand, box] : llvm::zip_equal(operands, boxes)) {
    auto constant = dyn_cast_or_null<DenseElementsAttr>(operand);
    if (!constant)
      return {};
    auto elements = toBits(constant).getValues<APInt>();
    auto next = elements.begin();
    forEachPlace(constant.getType().getShape(), box,
                 [&](int64_t place) { results[place] = *next++; });
  }
  return fromBits(type, results);
}
