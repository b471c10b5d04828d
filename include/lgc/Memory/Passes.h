//===- Passes.h - Passes of memory planning ---------------------*- C++ -*-===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef LGC_MEMORY_PASSES_H
#define LGC_MEMORY_PASSES_H

#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"

namespace lgc {

#define GEN_PASS_DECL
#include "lgc/Memory/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "lgc/Memory/Passes.h.inc"

/// Nanoseconds of a kernel's launch, an attribute that fusion leaves.
constexpr llvm::StringLiteral kCostAttr = "lgc.cost_ns";
/// What recomputation did, an attribute of the module.
constexpr llvm::StringLiteral kRecomputationAttr = "lgc.recomputation";

/// From launches on tensors to launches on views of one arena, within a limit of bytes if
/// recomputation can keep it; 0 is none.
void buildMemoryPipeline(mlir::OpPassManager &manager, int64_t limit = 0);

} // namespace lgc

#endif // LGC_MEMORY_PASSES_H
