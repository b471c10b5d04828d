//===- AnnotateScratch.cpp - Scratch memory of kernels --------------------===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "lgc/IR/LgcDialect.h"
#include "lgc/Target/CPU/Passes.h"
#include "lgc/Target/CPU/Scratch.h"

using namespace mlir;
using namespace lgc;

namespace lgc {
#define GEN_PASS_DEF_CPUANNOTATESCRATCHPASS
#include "lgc/Target/CPU/Passes.h.inc"
} // namespace lgc

namespace {
struct CpuAnnotateScratchPass : lgc::impl::CpuAnnotateScratchPassBase<CpuAnnotateScratchPass> {
  void runOnOperation() override {
    Builder builder(&getContext());
    for (auto kernel : getOperation().getOps<func::FuncOp>())
      if (kernel->hasAttr(LgcDialect::kKernelAttr))
        if (int64_t bytes = getCpuScratchBytes(kernel); bytes > 0)
          kernel->setAttr("lgc.scratch_bytes", builder.getI64IntegerAttr(bytes));
  }
};
} // namespace
