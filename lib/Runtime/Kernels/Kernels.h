//===- Kernels.h - What the library kernels share ---------------*- C++ -*-===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef LGC_LIB_RUNTIME_KERNELS_KERNELS_H
#define LGC_LIB_RUNTIME_KERNELS_KERNELS_H

#include "lgc/Runtime/Kernels.h"

#include <cstdint>
#include <cstdio>
#include <cstdlib>

namespace lgc::kernels {

/// Alignment of every block within a kernel's scratch.
constexpr int64_t blockAlignment = 64;

inline int64_t alignBlock(int64_t bytes) {
  return (bytes + blockAlignment - 1) / blockAlignment * blockAlignment;
}

/// lgc_parallel_for over a callable `body(begin, end)`.
template <typename Body> void parallelFor(int64_t count, int64_t grain, Body body) {
  lgc_parallel_for([](void *context, int64_t begin,
                      int64_t end) { (*static_cast<Body *>(context))(begin, end); },
                   &body, count, grain);
}

/// A descriptor that the query function refused was run, or memory is exhausted: the
/// emitted program can't go on.
[[noreturn]] inline void fail(const char *kernel, const char *reason) {
  std::fprintf(stderr, "error: kernel %s: %s\n", kernel, reason);
  std::abort();
}

} // namespace lgc::kernels

#endif // LGC_LIB_RUNTIME_KERNELS_KERNELS_H
