//===- Pipeline.cpp - Memory planning from end to end ---------------------===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "lgc/Memory/Passes.h"

using namespace mlir;

void lgc::buildMemoryPipeline(OpPassManager &manager, int64_t limit) {
  manager.addPass(createScheduleLaunchesPass());
  manager.addPass(createRecomputeLaunchesPass({limit, ""}));
  manager.addPass(createPlanMemoryPass());
  manager.addPass(createVerifyMemoryPass());
}
