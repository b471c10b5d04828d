//===- TensorFile.h - safetensors and .npy files by memory map --*- C++ -*-===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef LGC_RUNTIME_TENSORFILE_H
#define LGC_RUNTIME_TENSORFILE_H

#include "lgc/Runtime/Tensor.h"

#include <map>

namespace lgc::runtime {

/// A file mapped for reading.
class MappedFile {
public:
  explicit MappedFile(const std::string &path);
  ~MappedFile();
  MappedFile(const MappedFile &) = delete;
  MappedFile &operator=(const MappedFile &) = delete;

  const std::byte *data() const { return start; }
  int64_t size() const { return length; }

private:
  const std::byte *start = nullptr;
  int64_t length = 0;
};

/// The tensors of a file, which stay in the map. Everything is checked when the file is
/// opened: the tensors lie within the file, and don't overlap.
class TensorFile {
public:
  /// The kind follows from the file's name. A .npy file has one tensor, named after it.
  static TensorFile open(const std::string &path);
  static TensorFile openSafetensors(const std::string &path);
  static TensorFile openNumpy(const std::string &path);

  const std::string &path() const { return filePath; }
  const std::vector<TensorView> &tensors() const { return views; }
  /// The tensor of that name, or null.
  const TensorView *find(const std::string &name) const;
  const std::map<std::string, std::string> &metadata() const { return entries; }

private:
  std::string filePath;
  std::unique_ptr<MappedFile> file;
  std::vector<TensorView> views;
  std::map<std::string, std::string> entries;
};

/// The bytes of a safetensors file before its data. Tensors follow in the given order,
/// without gaps. The header is padded so that data starts at a multiple of 64 bytes.
std::string safetensorsHeader(const std::vector<TensorView> &tensors,
                              const std::map<std::string, std::string> &metadata);

} // namespace lgc::runtime

#endif // LGC_RUNTIME_TENSORFILE_H
