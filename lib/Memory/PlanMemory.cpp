//===- PlanMemory.cpp - Places of all tensors in one arena ----------------===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "FunctionPlan.h"
#include "lgc/Memory/Offsets.h"
#include "lgc/Memory/Passes.h"

using namespace mlir;
using namespace lgc;

namespace lgc {
#define GEN_PASS_DEF_PLANMEMORYPASS
#include "lgc/Memory/Passes.h.inc"
} // namespace lgc

namespace {

/// Of a cache line, and of the widest vectors.
constexpr int64_t alignment = 64;

struct PlanMemoryPass : lgc::impl::PlanMemoryPassBase<PlanMemoryPass> {
  void runOnOperation() override;

private:
  int64_t placeNamed(NamedBuffers &named);
  int64_t placeBlocks(FunctionPlan &plan, const NamedBuffers &named, int64_t namedEnd,
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
int64_t PlanMemoryPass::placeBlocks(FunctionPlan &plan, const NamedBuffers &named, int64_t namedEnd,
                                    int64_t &bound) {
  std::vector<LiveBlock> live;
  for (const MemoryBlock &block : plan.blocks)
    if (!block.named)
      live.push_back({block.bytes, block.first, block.last});
  Layout layout = assignOffsets(live, alignment);
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
    end = std::max(end, placeBlocks(*plan, named, namedEnd, functionBound));
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
