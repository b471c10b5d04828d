//===- TensorFile.cpp - Files by memory map -------------------------------===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "lgc/Runtime/TensorFile.h"

#include "lgc/Runtime/Error.h"

#include <algorithm>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace lgc::runtime;

MappedFile::MappedFile(const std::string &path) {
  int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0)
    raise(path, ": ", systemError(), "; check the path");
  struct stat status;
  if (fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode)) {
    ::close(descriptor);
    raise(path, ": it is not a regular file; give a .safetensors or .npy file");
  }
  length = status.st_size;
  if (length > 0) {
    void *mapping = mmap(nullptr, size_t(length), PROT_READ, MAP_PRIVATE, descriptor, 0);
    if (mapping == MAP_FAILED) {
      std::string reason = systemError();
      ::close(descriptor);
      raise(path, ": it can't be mapped: ", reason, "; copy it to a local disk");
    }
    start = static_cast<const std::byte *>(mapping);
  }
  ::close(descriptor);
}

MappedFile::~MappedFile() {
  if (start)
    munmap(const_cast<std::byte *>(start), size_t(length));
}

TensorFile TensorFile::open(const std::string &path) {
  auto endsWith = [&](const std::string &suffix) {
    return path.size() > suffix.size() &&
           path.compare(path.size() - suffix.size(), suffix.size(), suffix) == 0;
  };
  if (endsWith(".npy"))
    return openNumpy(path);
  if (endsWith(".safetensors"))
    return openSafetensors(path);
  raise(path, ": its name ends neither in .safetensors nor in .npy; save the data as one of these");
}

const TensorView *TensorFile::find(const std::string &name) const {
  auto found = std::find_if(views.begin(), views.end(),
                            [&](const TensorView &view) { return view.name == name; });
  return found == views.end() ? nullptr : &*found;
}
