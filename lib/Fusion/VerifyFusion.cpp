//===- VerifyFusion.cpp - The contract after fusion -----------------------===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "GroupAttr.h"
#include "lgc/Fusion/KernelShape.h"
#include "lgc/Fusion/Passes.h"
#include "lgc/IR/LgcOps.h"

using namespace mlir;
using namespace lgc;

namespace lgc {
#define GEN_PASS_DEF_VERIFYFUSIONPASS
#include "lgc/Fusion/Passes.h.inc"
} // namespace lgc

static LogicalResult verifyInPlace(func::FuncOp kernel, BlockArgument argument,
                                   ArrayRef<int64_t> results) {
  for (int64_t result : results) {
    if (result < 0 || result >= kernel.getNumResults())
      return kernel.emitOpError("argument #")
             << argument.getArgNumber() << " gives its memory to result " << result
             << ", which doesn't exist; name one of the " << kernel.getNumResults();
    auto from = cast<RankedTensorType>(argument.getType());
    auto to = cast<RankedTensorType>(kernel.getResultTypes()[result]);
    if (from.getNumElements() != to.getNumElements() ||
        from.getElementTypeBitWidth() != to.getElementTypeBitWidth())
      return kernel.emitOpError("argument #")
             << argument.getArgNumber() << " of type " << from
             << " gives its memory to a result of type " << to << "; their sizes must be equal";
  }
  return success();
}

static LogicalResult verifyKernel(func::FuncOp kernel) {
  if (!kernel.isPrivate())
    return kernel.emitOpError("is a kernel and must be private; give it private visibility");
  if (kernel.isExternal() || !llvm::hasSingleElement(kernel.getBody()))
    return kernel.emitOpError("is a kernel and must have one block; inline what it calls");
  if (!analyzeKernel(kernel))
    return kernel.emitOpError("isn't a group of operations that a target can emit as one kernel; "
                              "split it (see docs/fusion.md)");
  for (BlockArgument argument : kernel.getArguments()) {
    auto results =
        kernel.getArgAttrOfType<DenseI64ArrayAttr>(argument.getArgNumber(), kInPlaceAttr);
    if (results && failed(verifyInPlace(kernel, argument, results.asArrayRef())))
      return failure();
  }
  return success();
}

static LogicalResult verifyEntryBlock(Block &block) {
  for (Operation &op : block.without_terminator()) {
    if (auto loop = dyn_cast<MicroBatchesOp>(op)) {
      if (failed(verifyEntryBlock(loop.getBody().front())))
        return failure();
      continue;
    }
    if (auto launch = dyn_cast<LaunchOp>(op)) {
      if (!launch.getOutputs().empty())
        return launch.emitOpError("has buffers before memory is planned; give it results");
      continue;
    }
    if (!isa<ViewOpInterface>(op))
      return op.emitOpError("must be part of a kernel after fusion; outline it");
  }
  return success();
}

namespace {
struct VerifyFusionPass : lgc::impl::VerifyFusionPassBase<VerifyFusionPass> {
  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      bool isKernel = function->hasAttr(LgcDialect::kKernelAttr);
      if (!isKernel && function.isExternal())
        continue;
      if (failed(isKernel ? verifyKernel(function) : verifyEntryBlock(function.getBody().front())))
        return signalPassFailure();
    }
  }
};
} // namespace
