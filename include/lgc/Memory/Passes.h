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

/// From launches on tensors to launches on views of one arena.
void buildMemoryPipeline(mlir::OpPassManager &manager);

} // namespace lgc

#endif // LGC_MEMORY_PASSES_H
