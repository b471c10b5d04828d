//===- Manifest.h - What a program tells the runtime ------------*- C++ -*-===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef LGC_LIB_DRIVER_MANIFEST_H
#define LGC_LIB_DRIVER_MANIFEST_H

#include "Compilation.h"
#include "Weights.h"

namespace lgc {

/// The manifest of docs/executable.md. `model` is the absolute path of the source model.
llvm::json::Object makeManifest(const Compilation &compilation, const Weights &weights,
                                llvm::StringRef model);

/// What `plan.json` and `--json` say: memory and launches.
llvm::json::Object makePlanSummary(const Compilation &compilation, llvm::StringRef model);

} // namespace lgc

#endif // LGC_LIB_DRIVER_MANIFEST_H
