//===- Passes.h - Passes of fusion ------------------------------*- C++ -*-===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef LGC_FUSION_PASSES_H
#define LGC_FUSION_PASSES_H

#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"

namespace lgc {

#define GEN_PASS_DECL
#include "lgc/Fusion/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "lgc/Fusion/Passes.h.inc"

/// From tensor programs to launches of outlined kernels: replaces composites, simplifies, and
/// groups operations. `fuse` false makes each operation a kernel of its own.
void buildFusionPipeline(mlir::OpPassManager &manager, bool fuse = true);

} // namespace lgc

#endif // LGC_FUSION_PASSES_H
