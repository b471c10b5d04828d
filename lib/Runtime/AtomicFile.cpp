//===- AtomicFile.cpp - Files that are whole or not there -----------------===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "lgc/Runtime/AtomicFile.h"

#include "lgc/Runtime/Error.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>

#include <fcntl.h>
#include <unistd.h>

using namespace lgc::runtime;

namespace {
std::string folderOf(const std::string &path) {
  size_t slash = path.rfind('/');
  if (slash == std::string::npos)
    return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}
} // namespace

AtomicFile::AtomicFile(const std::string &path)
    : path(path), temporaryPath(path + temporarySuffix) {
  descriptor = ::open(temporaryPath.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (descriptor < 0)
    fail("created");
}

AtomicFile::~AtomicFile() {
  if (descriptor < 0)
    return;
  ::close(descriptor);
  ::unlink(temporaryPath.c_str());
}

void AtomicFile::fail(const char *action) {
  raise(path, ": it can't be ", action, ": ", systemError(),
        "; check that the folder exists, may be written to, and has space");
}

void AtomicFile::write(const void *data, int64_t bytes) {
  const char *next = static_cast<const char *>(data);
  while (bytes > 0) {
    // The system writes at most 2 GiB at once.
    ssize_t written = ::write(descriptor, next, size_t(std::min<int64_t>(bytes, 1 << 30)));
    if (written < 0 && errno == EINTR)
      continue;
    if (written < 0)
      fail("written");
    next += written;
    bytes -= written;
  }
}

void AtomicFile::commit() {
  if (fsync(descriptor) != 0)
    fail("written");
  if (std::rename(temporaryPath.c_str(), path.c_str()) != 0)
    fail("renamed to its final name");
  ::close(descriptor);
  descriptor = -1;
  // The new name is on disk when the folder is.
  int folder = ::open(folderOf(path).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder >= 0) {
    fsync(folder);
    ::close(folder);
  }
}
