//===- PlanMemory.cpp - Places of all tensors in one arena ----------------===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "FunctionPlan.h"
#include "lgc/Memory/Passes.h"
#include "lgc/Offsets/Offsets.h"
#include "lgc/Offsets/Validation.h"

using namespace mlir;
using namespace lgc;

namespace lgc {
#define GEN_PASS_DEF_PLANMEMORYPASS
#include "lgc/Memory/Passes.h.inc"
} // namespace lgc

namespace {

/// Of a cache line, and of the widest vectors.
constexpr int64_t alignment = 64;

/// Of the exact search for offsets, for each function: less than a second.
constexpr int64_t offsetSteps = 60000000;

struct PlanMemoryPass : lgc::impl::PlanMemoryPassBase<PlanMemoryPass> {
  void runOnOperation() override;

private:
  int64_t placeNamed(NamedBuffers &named);
  FailureOr<int64_t> placeBlocks(FunctionPlan &plan, const NamedBuffers &named, int64_t namedEnd,
                                 int64_t &bound);
  void emitBuffers(const NamedBuffers &named, ArrayRef<FunctionPlan> plans);
};

} // namespace

static int64_t alignUp(int64_t bytes) { return (bytes + alignment - 1) / alignment * alignment; }

int64_t PlanMemoryPass::placeNamed(NamedBuffers &named) {
  int64_t end = 0;
  for (auto &entry : named) {
    entry.second.offset = end;
    end += alignUp(getTensorBytes(entry.second.type));
  }
  return end;
}

/// Gives the blocks of a function their offsets, those without a name behind all named ones.
/// Gives the end of the highest, and the least end that any layout has.
FailureOr<int64_t> PlanMemoryPass::placeBlocks(FunctionPlan &plan, const NamedBuffers &named,
                                               int64_t namedEnd, int64_t &bound) {
  OffsetProblem problem;
  problem.alignment = alignment;
  for (const MemoryBlock &block : plan.blocks)
    if (!block.named)
      problem.blocks.push_back({block.bytes, block.first, block.last});
  auto refuse = [&](const std::string &fault) {
    return getOperation().emitError("memory of a function can't be planned: ")
           << fault << "; this is a fault of the compiler unless the model's tensors are as large";
  };
  if (std::optional<std::string> fault = findFault(problem))
    return refuse(*fault);
  OffsetOptions options;
  options.stepLimit = offsetSteps;
  Layout layout = solveOffsets(problem, options);
  if (std::optional<std::string> fault = validateLayout(problem, layout))
    return refuse(*fault);
  size_t next = 0;
  for (MemoryBlock &block : plan.blocks)
    block.offset =
        block.named ? named.find(block.named)->second.offset : namedEnd + layout.offsets[next++];
  bound = namedEnd + layout.lowerBound;
  return namedEnd + layout.bytes;
}

void PlanMemoryPass::emitBuffers(const NamedBuffers &named, ArrayRef<FunctionPlan> plans) {
  OpBuilder builder = OpBuilder::atBlockBegin(getOperation().getBody());
  Location loc = getOperation().getLoc();
  for (const auto &[name, buffer] : named)
    BufferOp::create(builder, loc, name, RoleAttr::get(&getContext(), buffer.role),
                     TypeAttr::get(buffer.type), builder.getI64IntegerAttr(buffer.offset));
  for (const FunctionPlan &plan : plans)
    for (const MemoryBlock &block : plan.blocks)
      if (block.output)
        BufferOp::create(builder, loc, block.output, RoleAttr::get(&getContext(), Role::Output),
                         TypeAttr::get(block.outputType), builder.getI64IntegerAttr(block.offset));
}

void PlanMemoryPass::runOnOperation() {
  ModuleOp module = getOperation();
  SymbolTable symbols(module);
  SmallVector<func::FuncOp> entries;
  for (auto function : module.getOps<func::FuncOp>())
    if (!function->hasAttr(LgcDialect::kKernelAttr) && !function.isExternal())
      entries.push_back(function);
  if (entries.empty())
    return;
  NamedBuffers named;
  if (failed(collectNamedBuffers(entries, named)))
    return signalPassFailure();
  int64_t namedEnd = placeNamed(named), end = namedEnd, bound = namedEnd;
  SmallVector<FunctionPlan> plans;
  for (func::FuncOp entry : entries) {
    FailureOr<FunctionPlan> plan = planFunction(entry, named);
    if (failed(plan))
      return signalPassFailure();
    int64_t functionBound;
    FailureOr<int64_t> functionEnd = placeBlocks(*plan, named, namedEnd, functionBound);
    if (failed(functionEnd))
      return signalPassFailure();
    end = std::max(end, *functionEnd);
    bound = std::max(bound, functionBound);
    plans.push_back(std::move(*plan));
  }
  Builder builder(&getContext());
  module->setAttr("lgc.arena_bytes", builder.getI64IntegerAttr(end));
  module->setAttr("lgc.arena_lower_bound", builder.getI64IntegerAttr(bound));
  for (auto [entry, plan] : llvm::zip_equal(entries, plans))
    emitPlannedFunction(entry, plan, end, symbols);
  emitBuffers(named, plans);
}
