//===- Export.h - The source model with trained weights ---------*- C++ -*-===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef LGC_RUNTIME_EXPORT_H
#define LGC_RUNTIME_EXPORT_H

#include "lgc/Runtime/Arena.h"

namespace lgc::runtime {

/// The largest model that is written as one file; the format's limit is 2 GiB.
constexpr int64_t largestSingleFile = 2'000'000'000;

/// Writes the source model to `path` with the parameters and states of the arena in
/// place of its initializers, each in the type that it has there. Weights are in the
/// file, or beside it in `path`.data where they are larger than `singleFileLimit`.
void exportModel(const Manifest &manifest, const Arena &arena, const std::string &sourcePath,
                 const std::string &path, int64_t singleFileLimit = largestSingleFile);

} // namespace lgc::runtime

#endif // LGC_RUNTIME_EXPORT_H
