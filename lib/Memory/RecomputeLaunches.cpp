//===- RecomputeLaunches.cpp - Launches that run again to save memory -----===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "FunctionPlan.h"
#include "RecomputationProblem.h"
#include "lgc/Memory/Passes.h"
#include "lgc/Recomputation/ProblemFile.h"
#include "lgc/Recomputation/Validation.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/ToolOutputFile.h"
#include <numeric>

using namespace mlir;
using namespace lgc;

namespace lgc {
#define GEN_PASS_DEF_RECOMPUTELAUNCHESPASS
#include "lgc/Memory/Passes.h.inc"
} // namespace lgc

namespace {

struct RecomputeLaunchesPass : lgc::impl::RecomputeLaunchesPassBase<RecomputeLaunchesPass> {
  using RecomputeLaunchesPassBase::RecomputeLaunchesPassBase;
  void runOnOperation() override;

private:
  FailureOr<int64_t> getNamedBytes();
  LogicalResult writeProblem(const recomputation::Problem &problem);
  /// Plans a block within some bytes and rewrites it. The passes through it count its costs. Gives
  /// its peak.
  FailureOr<int64_t> planBlock(Block &block, int64_t bytes, int64_t passes);

  int64_t numRepeated = 0, extraCost = 0, stepCost = 0;
  bool isLeast = false;
};

} // namespace

FailureOr<int64_t> RecomputeLaunchesPass::getNamedBytes() {
  SmallVector<func::FuncOp> entries;
  for (auto function : getOperation().getOps<func::FuncOp>())
    if (!function->hasAttr(LgcDialect::kKernelAttr) && !function.isExternal())
      entries.push_back(function);
  NamedBuffers named;
  if (failed(collectNamedBuffers(entries, named)))
    return failure();
  int64_t bytes = 0;
  for (const auto &entry : named)
    bytes += getPlacedBytes(entry.second.type);
  return bytes;
}

LogicalResult RecomputeLaunchesPass::writeProblem(const recomputation::Problem &problem) {
  std::error_code failure;
  llvm::ToolOutputFile file(problemFile, failure, llvm::sys::fs::OF_Text);
  if (failure)
    return getOperation().emitError("can't write '")
           << problemFile << "': " << failure.message() << "; choose another problem-file";
  file.os() << recomputation::toJson(problem) << "\n";
  file.keep();
  return success();
}

/// Bytes that live besides a step while it runs, in the given order.
static int64_t getBytesAround(const recomputation::Problem &problem, unsigned number) {
  // A scratch memory larger than all others makes this step the peak.
  constexpr int64_t huge = int64_t(1) << 56;
  recomputation::Problem marked = problem;
  marked.steps[number].scratchBytes = huge;
  std::vector<unsigned> given(problem.steps.size());
  std::iota(given.begin(), given.end(), 0u);
  return recomputation::replay(marked, given).peak - huge;
}

FailureOr<int64_t> RecomputeLaunchesPass::planBlock(Block &block, int64_t bytes, int64_t passes) {
  BlockProblem blockProblem(block);
  recomputation::Problem &problem = blockProblem.problem;
  for (auto [number, op] : llvm::enumerate(blockProblem.operations)) {
    stepCost += problem.steps[number].cost * passes;
    if (auto loop = dyn_cast<MicroBatchesOp>(op)) {
      FailureOr<int64_t> inner =
          planBlock(loop.getBody().front(), bytes - getBytesAround(problem, number),
                    passes * static_cast<int64_t>(loop.getCount()));
      if (failed(inner))
        return failure();
      problem.steps[number].scratchBytes = *inner;
    }
  }
  if (!problemFile.empty() && isa<func::FuncOp>(block.getParentOp()) &&
      failed(writeProblem(problem)))
    return failure();
  recomputation::Plan plan = recomputation::planRecomputation(problem, bytes);
  if (plan.peak > bytes) {
    isLeast = true;
    plan = recomputation::findMinimumPeak(problem);
  }
  recomputation::Replay replayed = recomputation::replay(problem, plan.sequence);
  if (!replayed.error.empty())
    return block.getParentOp()->emitOpError("can't be planned: ")
           << replayed.error << "; this is a fault of the compiler, please report it";
  if (plan.sequence.size() > problem.steps.size())
    blockProblem.apply(plan);
  numRepeated += static_cast<int64_t>(plan.sequence.size() - problem.steps.size());
  extraCost += plan.extraCost * passes;
  return plan.peak;
}

void RecomputeLaunchesPass::runOnOperation() {
  if (limit < 0) {
    getOperation().emitError("a limit of ")
        << limit.getValue() << " bytes is no size; give 0 or more";
    return signalPassFailure();
  }
  auto function = getOperation().lookupSymbol<func::FuncOp>("train_step");
  if (limit == 0 || !function || function.isExternal())
    return;
  FailureOr<int64_t> named = getNamedBytes();
  if (failed(named) || failed(planBlock(function.getBody().front(), limit - *named, 1)))
    return signalPassFailure();
  Builder builder(&getContext());
  getOperation()->setAttr(
      kRecomputationAttr,
      builder.getDictionaryAttr(
          {builder.getNamedAttr("launches", builder.getI64IntegerAttr(numRepeated)),
           builder.getNamedAttr("extra_ns", builder.getI64IntegerAttr(extraCost)),
           builder.getNamedAttr("step_ns", builder.getI64IntegerAttr(stepCost)),
           builder.getNamedAttr("is_least", builder.getBoolAttr(isLeast))}));
}
