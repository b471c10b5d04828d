//===- Arena.cpp - The memory of a program --------------------------------===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "lgc/Runtime/Arena.h"

#include "lgc/Runtime/Error.h"
#include "lgc/Runtime/TensorFile.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fstream>
#include <limits>

#include <sys/mman.h>

using namespace lgc::runtime;

namespace {
constexpr int64_t hugePageBytes = 2 << 20;

/// The most that this process may still take, by the kernel's estimate and the control
/// group's limit.
int64_t availableMemory() {
  int64_t available = std::numeric_limits<int64_t>::max();
  std::ifstream memory("/proc/meminfo");
  for (std::string key, unit; memory >> key;) {
    int64_t kibibytes = 0;
    if (!(memory >> kibibytes))
      break;
    std::getline(memory, unit);
    if (key == "MemAvailable:")
      available = kibibytes * 1024;
  }
  int64_t limit = 0;
  if (std::ifstream("/sys/fs/cgroup/memory.max") >> limit)
    available = std::min(available, limit);
  return available;
}

std::string mebibytes(int64_t bytes) { return concat((bytes + (1 << 20) - 1) >> 20, " MiB"); }

void fill(const Buffer &buffer, std::byte *begin) {
  // Memory of a new arena is zero already, and stays untouched until it is used.
  if (buffer.initValue == 0 && !std::signbit(buffer.initValue))
    return;
  for (int64_t i = 0, size = sizeOf(buffer.type); i < buffer.bytes; i += size)
    store(begin + i, buffer.type, buffer.initValue);
}
} // namespace

Arena::Arena(int64_t bytes, int64_t alignment) {
  int64_t slack = std::max(alignment, hugePageBytes);
  int64_t available = availableMemory();
  if (bytes > available)
    raise("the program needs ", mebibytes(bytes), " of memory and ", mebibytes(available),
          " are available; free memory, or compile with a smaller batch or more micro-batches");
  mappedBytes = bytes + slack;
  mapping = mmap(nullptr, size_t(mappedBytes), PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapping == MAP_FAILED)
    raise("the program needs ", mebibytes(bytes),
          " of memory, which can't be allocated: ", systemError(),
          "; compile with a smaller batch or more micro-batches");
  auto address = reinterpret_cast<uintptr_t>(mapping);
  start = reinterpret_cast<uint8_t *>((address + uintptr_t(slack) - 1) / uintptr_t(slack) *
                                      uintptr_t(slack));
  // Fewer misses of the address translation; not available everywhere.
  madvise(start, size_t(bytes), MADV_HUGEPAGE);
}

Arena::~Arena() { munmap(mapping, size_t(mappedBytes)); }

void Arena::setScalar(const Manifest &manifest, const std::string &name, double value) const {
  if (const Buffer *buffer = manifest.find(name))
    store(at(*buffer), buffer->type, value);
}

void Arena::setScalar(const Manifest &manifest, const std::string &name, int64_t value) const {
  const Buffer *buffer = manifest.find(name);
  if (buffer && buffer->type == ElementType::I64)
    std::memcpy(at(*buffer), &value, sizeof(value));
}

void Arena::initialize(const Manifest &manifest, const std::string &folder) const {
  std::map<std::string, std::unique_ptr<MappedFile>> files;
  for (const Buffer &buffer : manifest.buffers) {
    if (!buffer.isStored())
      continue;
    if (buffer.initFile.empty()) {
      fill(buffer, at(buffer));
      continue;
    }
    std::string path = buffer.initFile[0] == '/' ? buffer.initFile : folder + "/" + buffer.initFile;
    std::unique_ptr<MappedFile> &file = files[path];
    if (!file)
      file = std::make_unique<MappedFile>(path);
    if (buffer.initOffset > file->size() || buffer.bytes > file->size() - buffer.initOffset)
      raise(path, ": it is too short to hold the initial value of ", quote(buffer.name),
            "; it changed since the model was compiled: compile it again");
    std::memcpy(at(buffer), file->data() + buffer.initOffset, size_t(buffer.bytes));
  }
}
