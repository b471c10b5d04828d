//===- Print.cpp - Labels on the standard output --------------------------===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "lgc/Runtime/Kernels.h"

#include <cstdio>

void lgc_print(const char *text, int64_t bytes) {
  std::fwrite(text, 1, static_cast<size_t>(bytes), stdout);
  std::fputc('\n', stdout);
  std::fflush(stdout);
}
