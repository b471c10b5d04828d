//===- ConstantEvaluator.cpp - Folding of constant tensors ----------------===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "ConstantEvaluator.h"

using namespace mlir;
using namespace lgc;

static ConstantElement fromAttribute(Attribute value) {
  if (auto number = dyn_cast<FloatAttr>(value))
    return {number.getValueAsDouble(), llvm::APInt()};
  return {0.0, cast<IntegerAttr>(value).getValue()};
}

ConstantElement lgc::getElement(DenseElementsAttr constant, int64_t index) {
  if (constant.isSplat())
    return fromAttribute(constant.getSplatValue<Attribute>());
  return fromAttribute(constant.getValues<Attribute>()[index]);
}

Attribute lgc::getElementAttr(Type elementType, const ConstantElement &element) {
  if (isa<FloatType>(elementType))
    return FloatAttr::get(elementType, element.number);
  return IntegerAttr::get(elementType, element.bits);
}

Attribute lgc::foldElements(
    RankedTensorType type, ArrayRef<Attribute> operands,
    llvm::function_ref<std::optional<ConstantElement>(ArrayRef<ConstantElement>)> body) {
  SmallVector<DenseElementsAttr> constants;
  bool allSplat = true;
  for (Attribute operand : operands) {
    auto constant = dyn_cast_or_null<DenseElementsAttr>(operand);
    if (!constant)
      return {};
    allSplat &= constant.isSplat();
    constants.push_back(constant);
  }
  int64_t count = allSplat ? 1 : type.getNumElements();
  if (count > maxFoldedElements || type.getNumElements() == 0)
    return {};
  SmallVector<Attribute> results;
  SmallVector<ConstantElement> elements(constants.size());
  for (int64_t i = 0; i < count; ++i) {
    for (auto [element, constant] : llvm::zip_equal(elements, constants))
      element = getElement(constant, i);
    std::optional<ConstantElement> result = body(elements);
    if (!result)
      return {};
    results.push_back(getElementAttr(type.getElementType(), *result));
  }
  return DenseElementsAttr::get(type, results);
}

Attribute lgc::foldRearrangement(RankedTensorType type, Attribute operand,
                                 llvm::function_ref<int64_t(int64_t)> source) {
  auto constant = dyn_cast_or_null<DenseElementsAttr>(operand);
  if (!constant || type.getNumElements() > maxFoldedElements)
    return {};
  if (constant.isSplat() && type.getNumElements() > 0)
    return DenseElementsAttr::get(type, constant.getSplatValue<Attribute>());
  auto values = constant.getValues<Attribute>();
  SmallVector<Attribute> results;
  for (int64_t i = 0, e = type.getNumElements(); i < e; ++i)
    results.push_back(values[source(i)]);
  return DenseElementsAttr::get(type, results);
}
