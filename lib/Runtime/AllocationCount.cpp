//===- AllocationCount.cpp - How often memory is allocated ----------------===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//
//
// The C library lets a program replace malloc if it replaces the whole family, and offers
// its own under other names to pass on to (glibc's manual, "Replacing malloc"). Shared
// libraries then use the program's, too.
//
//===----------------------------------------------------------------------===//

#include "lgc/Runtime/MemoryVerification.h"

#include <atomic>
#include <cerrno>
#include <cstdlib>

using namespace lgc::runtime;

static std::atomic<bool> counting = false;
static std::atomic<int64_t> countedCalls = 0, countedBytes = 0;

AllocationCount::AllocationCount() {
  countedCalls = 0;
  countedBytes = 0;
  counting = true;
}
AllocationCount::~AllocationCount() { counting = false; }
int64_t AllocationCount::calls() const { return countedCalls; }
int64_t AllocationCount::bytes() const { return countedBytes; }

// Sanitizers bring a malloc of their own.
#ifndef LGC_SANITIZED
static void count(size_t bytes) {
  if (!counting.load(std::memory_order_relaxed))
    return;
  countedCalls.fetch_add(1, std::memory_order_relaxed);
  countedBytes.fetch_add(static_cast<int64_t>(bytes), std::memory_order_relaxed);
}

// NOLINTBEGIN(readability-identifier-naming, bugprone-reserved-identifier): names of the C library
extern "C" {
void *__libc_malloc(size_t bytes);
void *__libc_calloc(size_t number, size_t bytes);
void *__libc_realloc(void *old, size_t bytes);
void *__libc_memalign(size_t alignment, size_t bytes);
void __libc_free(void *memory);

void *malloc(size_t bytes) {
  count(bytes);
  return __libc_malloc(bytes);
}
void *calloc(size_t number, size_t bytes) {
  count(number * bytes);
  return __libc_calloc(number, bytes);
}
void *realloc(void *old, size_t bytes) {
  count(bytes);
  return __libc_realloc(old, bytes);
}
void *memalign(size_t alignment, size_t bytes) {
  count(bytes);
  return __libc_memalign(alignment, bytes);
}
void *aligned_alloc(size_t alignment, size_t bytes) { return memalign(alignment, bytes); }
int posix_memalign(void **memory, size_t alignment, size_t bytes) {
  if (alignment % sizeof(void *) != 0 || (alignment & (alignment - 1)) != 0 || alignment == 0)
    return EINVAL;
  void *found = memalign(alignment, bytes);
  if (!found)
    return ENOMEM;
  *memory = found;
  return 0;
}
void free(void *memory) { __libc_free(memory); }
}
// NOLINTEND(readability-identifier-naming, bugprone-reserved-identifier)
#endif
