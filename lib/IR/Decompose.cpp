//===- Decompose.cpp - Composites replaced by what they stand for ---------===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "lgc/IR/LgcOps.h"
#include "lgc/IR/Passes.h"

using namespace mlir;
using namespace lgc;

namespace lgc {
#define GEN_PASS_DEF_DECOMPOSEPASS
#include "lgc/IR/Passes.h.inc"
} // namespace lgc

namespace {

struct DecomposePass : lgc::impl::DecomposePassBase<DecomposePass> {
  void runOnOperation() override {
    SmallVector<DecompositionOpInterface> composites;
    getOperation()->walk([&](DecompositionOpInterface op) { composites.push_back(op); });
    for (DecompositionOpInterface op : composites) {
      OpBuilder builder(op);
      SmallVector<Value> results = op.decompose(builder);
      op->replaceAllUsesWith(results);
      op->erase();
    }
  }
};

} // namespace
