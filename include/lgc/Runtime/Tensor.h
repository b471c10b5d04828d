//===- Tensor.h - Tensors in memory and in files ----------------*- C++ -*-===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef LGC_RUNTIME_TENSOR_H
#define LGC_RUNTIME_TENSOR_H

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace lgc::runtime {

enum class ElementType { F64, F32, F16, BF16, I1, I8, I16, I32, I64, UI8, UI16, UI32, UI64 };

using Shape = std::vector<int64_t>;

/// Bytes of an element in memory and in files; an i1 is a byte.
int64_t sizeOf(ElementType type);
bool isInteger(ElementType type);

/// The manifest's name, such as "f32".
const char *nameOf(ElementType type);
std::optional<ElementType> typeFromName(const std::string &name);
/// The name in a safetensors header, such as "F32".
const char *safetensorsNameOf(ElementType type);
std::optional<ElementType> typeFromSafetensorsName(const std::string &name);
/// NumPy's name without the byte order, such as "f4"; bfloat16 has none.
std::optional<ElementType> typeFromNumpyName(const std::string &name);

/// Like "[64, 1, 8, 8]".
std::string print(const Shape &shape);

/// The number of elements, or nothing if a size is negative or the product is not
/// representable.
std::optional<int64_t> elementCount(const Shape &shape);

/// An integer element as a number; an unsigned 64-bit one beyond the range of int64_t
/// saturates.
int64_t integerAt(const std::byte *data, ElementType type, int64_t index);

/// A floating-point element as a number, and a number as an element of any type that is
/// nearest to it.
double floatAt(const std::byte *data, ElementType type, int64_t index);
void store(std::byte *element, ElementType type, double value);

/// A tensor that lies in memory which something else owns.
struct TensorView {
  std::string name;
  ElementType type = ElementType::F32;
  Shape shape;
  const std::byte *data = nullptr;

  int64_t bytes() const { return *elementCount(shape) * sizeOf(type); }
};

} // namespace lgc::runtime

#endif // LGC_RUNTIME_TENSOR_H
