//===- Tensor.cpp - Tensors in memory and in files ------------------------===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "lgc/Runtime/Tensor.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <limits>

using namespace lgc::runtime;

namespace {
struct TypeRow {
  ElementType type;
  int64_t size;
  const char *name, *safetensors, *numpy;
};

constexpr TypeRow types[] = {
    {ElementType::F64, 8, "f64", "F64", "f8"},   {ElementType::F32, 4, "f32", "F32", "f4"},
    {ElementType::F16, 2, "f16", "F16", "f2"},   {ElementType::BF16, 2, "bf16", "BF16", ""},
    {ElementType::I1, 1, "i1", "BOOL", "b1"},    {ElementType::I8, 1, "i8", "I8", "i1"},
    {ElementType::I16, 2, "i16", "I16", "i2"},   {ElementType::I32, 4, "i32", "I32", "i4"},
    {ElementType::I64, 8, "i64", "I64", "i8"},   {ElementType::UI8, 1, "ui8", "U8", "u1"},
    {ElementType::UI16, 2, "ui16", "U16", "u2"}, {ElementType::UI32, 4, "ui32", "U32", "u4"},
    {ElementType::UI64, 8, "ui64", "U64", "u8"},
};

const TypeRow &rowOf(ElementType type) {
  return *std::find_if(std::begin(types), std::end(types),
                       [&](const TypeRow &row) { return row.type == type; });
}

std::optional<ElementType> findType(const std::string &name, const char *TypeRow::*column) {
  for (const TypeRow &row : types)
    if (!name.empty() && name == row.*column)
      return row.type;
  return std::nullopt;
}

template <typename T> T elementAt(const std::byte *data, int64_t index) {
  T value;
  std::memcpy(&value, data + index * int64_t(sizeof(T)), sizeof(T));
  return value;
}

/// Rounds to the nearest, to even between two; what is no number stays none.
uint16_t toBFloat16(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof(bits));
  if (value != value)
    return static_cast<uint16_t>(bits >> 16 | 0x40);
  return static_cast<uint16_t>((bits + 0x7fff + ((bits >> 16) & 1)) >> 16);
}
} // namespace

int64_t lgc::runtime::sizeOf(ElementType type) { return rowOf(type).size; }
const char *lgc::runtime::nameOf(ElementType type) { return rowOf(type).name; }
const char *lgc::runtime::safetensorsNameOf(ElementType type) { return rowOf(type).safetensors; }

bool lgc::runtime::isInteger(ElementType type) {
  return type != ElementType::F64 && type != ElementType::F32 && type != ElementType::F16 &&
         type != ElementType::BF16;
}

std::optional<ElementType> lgc::runtime::typeFromName(const std::string &name) {
  return findType(name, &TypeRow::name);
}

std::optional<ElementType> lgc::runtime::typeFromSafetensorsName(const std::string &name) {
  return findType(name, &TypeRow::safetensors);
}

std::optional<ElementType> lgc::runtime::typeFromNumpyName(const std::string &name) {
  return findType(name, &TypeRow::numpy);
}

std::string lgc::runtime::print(const Shape &shape) {
  std::string text = "[";
  for (size_t i = 0; i < shape.size(); ++i)
    text += (i ? ", " : "") + std::to_string(shape[i]);
  return text + "]";
}

std::optional<int64_t> lgc::runtime::elementCount(const Shape &shape) {
  // A zero makes any product zero, but the rest must be sizes as well.
  int64_t product = 1;
  bool empty = false;
  for (int64_t size : shape) {
    if (size < 0)
      return std::nullopt;
    if (size == 0)
      empty = true;
    else if (__builtin_mul_overflow(product, size, &product))
      return std::nullopt;
  }
  // Elements take up to 8 bytes, whose number must be representable, too.
  if (product > std::numeric_limits<int64_t>::max() / 8)
    return std::nullopt;
  return empty ? 0 : product;
}

int64_t lgc::runtime::integerAt(const std::byte *data, ElementType type, int64_t index) {
  switch (type) {
  case ElementType::I8:
    return elementAt<int8_t>(data, index);
  case ElementType::I16:
    return elementAt<int16_t>(data, index);
  case ElementType::I32:
    return elementAt<int32_t>(data, index);
  case ElementType::I64:
    return elementAt<int64_t>(data, index);
  case ElementType::UI16:
    return elementAt<uint16_t>(data, index);
  case ElementType::UI32:
    return elementAt<uint32_t>(data, index);
  case ElementType::UI64:
    return static_cast<int64_t>(
        std::min<uint64_t>(elementAt<uint64_t>(data, index), std::numeric_limits<int64_t>::max()));
  default:
    return elementAt<uint8_t>(data, index);
  }
}

double lgc::runtime::floatAt(const std::byte *data, ElementType type, int64_t index) {
  switch (type) {
  case ElementType::F64:
    return elementAt<double>(data, index);
  case ElementType::F16:
    return static_cast<double>(elementAt<_Float16>(data, index));
  case ElementType::BF16: {
    uint32_t bits = uint32_t(elementAt<uint16_t>(data, index)) << 16;
    float value;
    std::memcpy(&value, &bits, sizeof(value));
    return value;
  }
  default:
    return elementAt<float>(data, index);
  }
}

void lgc::runtime::store(std::byte *element, ElementType type, double value) {
  auto put = [&](auto number) { std::memcpy(element, &number, sizeof(number)); };
  switch (type) {
  case ElementType::F64:
    return put(value);
  case ElementType::F32:
    return put(static_cast<float>(value));
  case ElementType::F16:
    return put(static_cast<_Float16>(value));
  case ElementType::BF16:
    return put(toBFloat16(static_cast<float>(value)));
  case ElementType::I16:
  case ElementType::UI16:
    return put(static_cast<int16_t>(value));
  case ElementType::I32:
    return put(static_cast<int32_t>(value));
  case ElementType::UI32:
    return put(static_cast<uint32_t>(value));
  case ElementType::I64:
    return put(static_cast<int64_t>(value));
  case ElementType::UI64:
    return put(static_cast<uint64_t>(value));
  case ElementType::I1:
  case ElementType::I8:
  case ElementType::UI8:
    return put(static_cast<int8_t>(value));
  }
}
