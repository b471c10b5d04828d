//===- Pipeline.cpp - Fusion from end to end ------------------------------===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "lgc/Fusion/Passes.h"
#include "lgc/IR/Passes.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

void lgc::buildFusionPipeline(OpPassManager &manager, bool fuse) {
  FusePassOptions options;
  options.fuse = fuse;
  manager.addPass(createDecomposePass());
  manager.addPass(createCanonicalizerPass());
  manager.addPass(createCSEPass());
  manager.addPass(createFusePass(options));
  manager.addPass(createOutlineKernelsPass());
  manager.addPass(createVerifyFusionPass());
}
