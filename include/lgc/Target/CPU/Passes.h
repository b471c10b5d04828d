//===- Passes.h - Passes of the CPU target ----------------------*- C++ -*-===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef LGC_TARGET_CPU_PASSES_H
#define LGC_TARGET_CPU_PASSES_H

#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"

namespace lgc {

#define GEN_PASS_DECL
#include "lgc/Target/CPU/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "lgc/Target/CPU/Passes.h.inc"

inline void registerTargetCPUPasses() { registerCpuPasses(); }

/// From the module after Memory to the LLVM dialect.
void buildCpuPipeline(mlir::OpPassManager &manager, const CpuToLLVMPassOptions &options = {});

} // namespace lgc

#endif // LGC_TARGET_CPU_PASSES_H
