//===- Pipeline.cpp - The stages behind Training --------------------------===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "lgc/Driver/Pipeline.h"
#include "lgc/Fusion/Passes.h"
#include "lgc/Memory/Passes.h"
#include "lgc/Target/CPU/Passes.h"
#include "mlir/Pass/PassRegistry.h"

using namespace mlir;
using namespace lgc;

void lgc::buildKernelPipeline(OpPassManager &manager, const BackendOptions &options) {
  buildFusionPipeline(manager, options.fuse);
}

void lgc::buildPlacementPipeline(OpPassManager &manager, int64_t limit) {
  manager.addPass(createCpuAnnotateScratchPass());
  buildMemoryPipeline(manager, limit);
}

namespace {
struct KernelPipelineOptions : PassPipelineOptions<KernelPipelineOptions> {
  Option<bool> fuse{*this, "fuse", llvm::cl::desc("merge operations into kernels"),
                    llvm::cl::init(true)};
};
} // namespace

void lgc::registerBackendPipelines() {
  PassPipelineRegistration<KernelPipelineOptions>(
      "lgc-kernels", "from a tensor program to launches of kernels",
      [](OpPassManager &manager, const KernelPipelineOptions &options) {
        BackendOptions backend;
        backend.fuse = options.fuse;
        buildKernelPipeline(manager, backend);
      });
  PassPipelineRegistration<>("lgc-placement", "from launches to launches on one arena",
                             [](OpPassManager &manager) { buildPlacementPipeline(manager); });
}
