//===- AtomicFile.h - Files that are whole or not there ---------*- C++ -*-===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef LGC_RUNTIME_ATOMICFILE_H
#define LGC_RUNTIME_ATOMICFILE_H

#include <cstddef>
#include <cstdint>
#include <string>

namespace lgc::runtime {

/// Writes a file under a temporary name beside its final one, and renames it when all
/// of it is on disk. A process that dies before leaves at most the temporary file; a
/// file of the final name is the old one or the new one, never a part.
class AtomicFile {
public:
  explicit AtomicFile(const std::string &path);
  /// Removes the temporary file unless commit() was reached.
  ~AtomicFile();
  AtomicFile(const AtomicFile &) = delete;
  AtomicFile &operator=(const AtomicFile &) = delete;

  void write(const void *data, int64_t bytes);
  void write(const std::string &text) { write(text.data(), int64_t(text.size())); }
  void commit();

  /// The end of every temporary name, for cleaning up after a process that died.
  static constexpr const char *temporarySuffix = ".lgc-partial";

private:
  void fail(const char *action);

  std::string path, temporaryPath;
  int descriptor = -1;
};

} // namespace lgc::runtime

#endif // LGC_RUNTIME_ATOMICFILE_H
