//===- Parallel.cpp - Parallel loops on the pool of libgomp ---------------===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//
//
// oneDNN runs its primitives on the threads of libgomp. Emitted loops use the same
// threads, by libgomp's own entry points, so that a kernel never competes with a second
// pool. The entry points are declared here because clang's -fopenmp emits calls to
// LLVM's OpenMP runtime, which would bring that second pool.
//
//===----------------------------------------------------------------------===//

#include "lgc/Runtime/Kernels.h"

#include <algorithm>
#include <cstdlib>

extern "C" {
void GOMP_parallel(void (*body)(void *), void *context, unsigned threads, unsigned flags);
int omp_get_max_threads(void);
int omp_get_thread_num(void);
int omp_get_num_threads(void);
int omp_in_parallel(void);
void omp_set_num_threads(int threads);
}

namespace {
struct Loop {
  void (*body)(void *context, int64_t begin, int64_t end);
  void *context;
  int64_t count;
  int64_t chunk;
};

int requestedThreads() {
  constexpr long most = 4096;
  if (const char *text = std::getenv("LGC_NUM_THREADS")) {
    char *end = nullptr;
    long threads = std::strtol(text, &end, 10);
    if (end != text && *end == '\0' && threads >= 1)
      return static_cast<int>(std::min(threads, most));
  }
  return omp_get_max_threads();
}

/// libgomp keeps the number of threads per calling thread, so each calling thread sets
/// it, once.
int ensureThreads() {
  static const int threads = requestedThreads();
  thread_local bool set = false;
  if (!set) {
    omp_set_num_threads(threads);
    set = true;
  }
  return threads;
}
} // namespace

int64_t lgc_num_threads(void) { return ensureThreads(); }

void lgc_parallel_for(void (*body)(void *context, int64_t begin, int64_t end), void *context,
                      int64_t count, int64_t grain) {
  if (count <= 0)
    return;
  grain = std::max<int64_t>(grain, 1);
  int64_t threads = ensureThreads();
  int64_t chunk = std::max(grain, (count + threads - 1) / threads);
  if (count <= chunk || omp_in_parallel()) {
    body(context, 0, count);
    return;
  }
  Loop loop{body, context, count, chunk};
  auto runRanges = [](void *argument) {
    const Loop &loop = *static_cast<const Loop *>(argument);
    // The team may be smaller than asked for, where a limit of libgomp applies.
    int64_t stride = loop.chunk * omp_get_num_threads();
    for (int64_t begin = loop.chunk * omp_get_thread_num(); begin < loop.count; begin += stride)
      loop.body(loop.context, begin, std::min(begin + loop.chunk, loop.count));
  };
  GOMP_parallel(runRanges, &loop, static_cast<unsigned>((count + chunk - 1) / chunk), 0);
}
