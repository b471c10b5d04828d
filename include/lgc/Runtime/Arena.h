//===- Arena.h - The memory of a program ------------------------*- C++ -*-===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef LGC_RUNTIME_ARENA_H
#define LGC_RUNTIME_ARENA_H

#include "lgc/Runtime/Manifest.h"

namespace lgc::runtime {

/// All memory that a step touches, in one allocation.
class Arena {
public:
  /// Throws Error where the machine hasn't got that much memory.
  Arena(int64_t bytes, int64_t alignment);
  ~Arena();
  Arena(const Arena &) = delete;
  Arena &operator=(const Arena &) = delete;

  uint8_t *data() const { return start; }
  std::byte *at(const Buffer &buffer) const {
    return reinterpret_cast<std::byte *>(start) + buffer.offset;
  }
  TensorView view(const Buffer &buffer) const {
    return {buffer.name, buffer.type, buffer.shape, at(buffer)};
  }

  /// The value of a floating-point scalar.
  double scalar(const Buffer &buffer) const { return floatAt(at(buffer), buffer.type, 0); }
  /// Writes the scalar of that name and type, if the program has one.
  void setScalar(const Manifest &manifest, const std::string &name, double value) const;
  void setScalar(const Manifest &manifest, const std::string &name, int64_t value) const;

  /// Gives parameters and states their initial values. Files are relative to `folder`.
  void initialize(const Manifest &manifest, const std::string &folder) const;

private:
  uint8_t *start = nullptr;
  void *mapping = nullptr;
  int64_t mappedBytes = 0;
};

} // namespace lgc::runtime

#endif // LGC_RUNTIME_ARENA_H
