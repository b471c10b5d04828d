//===- OutlineKernels.cpp - Groups become launches of kernels -------------===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "CostModel.h"
#include "GroupAttr.h"
#include "InPlace.h"
#include "lgc/Fusion/Passes.h"
#include "lgc/IR/LgcOps.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/MapVector.h"
#include <queue>

using namespace mlir;
using namespace lgc;

namespace lgc {
#define GEN_PASS_DEF_OUTLINEKERNELSPASS
#include "lgc/Fusion/Passes.h.inc"
} // namespace lgc

namespace {

/// What becomes one operation of the block: a group, or an operation outside of groups.
struct Unit {
  SmallVector<Operation *> ops;
  bool isGroup;
};

/// The kernels of a module so far, found by their bodies.
class Kernels {
public:
  explicit Kernels(ModuleOp module) : symbols(module) {}

  /// The name of a kernel equal to this detached one, which is added or destroyed.
  FlatSymbolRefAttr intern(func::FuncOp kernel);

private:
  SymbolTable symbols;
  llvm::DenseMap<llvm::hash_code, SmallVector<func::FuncOp>> byBody;
  unsigned count = 0;
};

} // namespace

/// A number that equal bodies share: operations, attributes, types, and who uses whose results.
static llvm::hash_code hashBody(func::FuncOp kernel) {
  llvm::DenseMap<Value, unsigned> numbers;
  llvm::hash_code hash = llvm::hash_value(kernel.getFunctionType().getAsOpaquePointer());
  for (BlockArgument argument : kernel.getArguments())
    numbers.try_emplace(argument, numbers.size());
  for (Operation &op : kernel.getBody().front()) {
    hash = llvm::hash_combine(hash, op.getName(), op.hashProperties());
    for (Value operand : op.getOperands())
      hash = llvm::hash_combine(hash, numbers.lookup(operand));
    for (Value result : op.getResults()) {
      hash = llvm::hash_combine(hash, result.getType());
      numbers.try_emplace(result, numbers.size());
    }
  }
  return hash;
}

/// The names of up to three different operations, those that say most, and a number.
static std::string getKernelName(func::FuncOp kernel, unsigned number) {
  SmallVector<StringRef> words, fallback;
  for (Operation &op : kernel.getBody().front().without_terminator()) {
    StringRef word = op.getName().stripDialect();
    auto &list = isa<ConstantOp, BroadcastOp, ReshapeOp, CastOp>(op) ? fallback : words;
    if (!llvm::is_contained(list, word) && list.size() < 3)
      list.push_back(word);
  }
  const SmallVector<StringRef> &chosen = words.empty() ? fallback : words;
  return (llvm::join(chosen, "_") + "_" + Twine(number)).str();
}

FlatSymbolRefAttr Kernels::intern(func::FuncOp kernel) {
  auto flags = OperationEquivalence::IgnoreLocations | OperationEquivalence::IgnoreDiscardableAttrs;
  SmallVector<func::FuncOp> &candidates = byBody[hashBody(kernel)];
  for (func::FuncOp candidate : candidates)
    if (candidate.getFunctionType() == kernel.getFunctionType() &&
        OperationEquivalence::isRegionEquivalentTo(&candidate.getBody(), &kernel.getBody(),
                                                   flags)) {
      kernel.erase();
      return FlatSymbolRefAttr::get(candidate);
    }
  kernel.setName(getKernelName(kernel, count++));
  symbols.insert(kernel);
  candidates.push_back(kernel);
  markInPlaceArguments(kernel);
  kernel->setAttr("lgc.cost_ns",
                  Builder(kernel.getContext()).getI64IntegerAttr(estimateLaunchTime(kernel)));
  return FlatSymbolRefAttr::get(kernel);
}

/// Orders the units so that each comes after what it reads, otherwise as their last
/// operations stand in the block. Fails where units wait for each other.
static FailureOr<SmallVector<unsigned>> orderUnits(Block &block, ArrayRef<Unit> units) {
  DenseMap<Operation *, unsigned> unitOf;
  for (auto [number, unit] : llvm::enumerate(units))
    for (Operation *op : unit.ops)
      unitOf[op] = number;
  std::vector<SmallVector<unsigned>> users(units.size());
  SmallVector<unsigned> waiting(units.size(), 0);
  for (unsigned number = 0; number < units.size(); ++number) {
    llvm::SmallDenseSet<unsigned> needed;
    for (Operation *op : units[number].ops)
      op->walk([&](Operation *nested) {
        for (Value operand : nested->getOperands())
          if (Operation *producer = operand.getDefiningOp())
            if (auto at = unitOf.find(producer); at != unitOf.end() && at->second != number)
              needed.insert(at->second);
      });
    waiting[number] = needed.size();
    for (unsigned producer : needed)
      users[producer].push_back(number);
  }
  // Units are numbered by their last operations, which is the order to keep.
  std::priority_queue<unsigned, std::vector<unsigned>, std::greater<>> ready;
  for (unsigned number = 0; number < units.size(); ++number)
    if (waiting[number] == 0)
      ready.push(number);
  SmallVector<unsigned> order;
  while (!ready.empty()) {
    order.push_back(ready.top());
    ready.pop();
    for (unsigned user : users[order.back()])
      if (--waiting[user] == 0)
        ready.push(user);
  }
  if (order.size() != units.size())
    return block.getParentOp()->emitOpError(
        "has groups of operations that wait for each other; put what lies between them into one "
        "group or split them (lgc.group)");
  return order;
}

static SmallVector<Unit> collectUnits(Block &block) {
  llvm::MapVector<int64_t, Unit> groups;
  SmallVector<Unit> units;
  DenseMap<int64_t, Operation *> last;
  for (Operation &op : block.without_terminator())
    if (auto group = op.getAttrOfType<IntegerAttr>(kGroupAttr)) {
      groups[group.getInt()].ops.push_back(&op);
      last[group.getInt()] = &op;
    }
  for (Operation &op : block.without_terminator()) {
    auto group = op.getAttrOfType<IntegerAttr>(kGroupAttr);
    if (!group)
      units.push_back({{&op}, false});
    else if (last[group.getInt()] == &op)
      units.push_back({groups[group.getInt()].ops, true});
  }
  return units;
}

/// Builds a detached kernel of a group and replaces the group by a launch of it.
static void outlineGroup(const Unit &unit, Kernels &kernels, OpBuilder &builder) {
  llvm::SmallPtrSet<Operation *, 16> inside(unit.ops.begin(), unit.ops.end());
  llvm::SetVector<Value> inputs;
  SmallVector<Value> outputs;
  for (Operation *op : unit.ops) {
    for (Value operand : op->getOperands())
      if (!inside.contains(operand.getDefiningOp()))
        inputs.insert(operand);
    for (Value result : op->getResults())
      if (llvm::any_of(result.getUsers(), [&](Operation *user) { return !inside.contains(user); }))
        outputs.push_back(result);
  }
  Location loc = unit.ops.back()->getLoc();
  auto type = builder.getFunctionType(TypeRange(inputs.getArrayRef()), TypeRange(outputs));
  auto kernel = func::FuncOp::create(loc, "kernel", type);
  kernel.setPrivate();
  kernel->setAttr(LgcDialect::kKernelAttr, builder.getUnitAttr());
  Block *body = kernel.addEntryBlock();
  IRMapping mapping;
  mapping.map(inputs.getArrayRef(), body->getArguments());
  OpBuilder inner = OpBuilder::atBlockBegin(body);
  for (Operation *op : unit.ops)
    inner.clone(*op, mapping)->removeDiscardableAttr(kGroupAttr);
  SmallVector<Value> returned;
  for (Value output : outputs)
    returned.push_back(mapping.lookup(output));
  func::ReturnOp::create(inner, loc, returned);

  FlatSymbolRefAttr name = kernels.intern(kernel);
  auto launch = LaunchOp::create(builder, loc, TypeRange(outputs), name, inputs.getArrayRef(),
                                 ValueRange(), Value());
  for (auto [output, result] : llvm::zip_equal(outputs, launch.getResults()))
    output.replaceAllUsesWith(result);
  for (Operation *op : llvm::reverse(unit.ops))
    op->erase();
}

static LogicalResult outlineBlock(Block &block, Kernels &kernels) {
  SmallVector<Unit> units = collectUnits(block);
  FailureOr<SmallVector<unsigned>> order = orderUnits(block, units);
  if (failed(order))
    return failure();
  OpBuilder builder(block.getTerminator());
  for (unsigned number : *order) {
    const Unit &unit = units[number];
    if (unit.isGroup) {
      outlineGroup(unit, kernels, builder);
      continue;
    }
    Operation *op = unit.ops.front();
    op->moveBefore(block.getTerminator());
    if (auto loop = dyn_cast<MicroBatchesOp>(op))
      if (failed(outlineBlock(loop.getBody().front(), kernels)))
        return failure();
  }
  return success();
}

namespace {
struct OutlineKernelsPass : lgc::impl::OutlineKernelsPassBase<OutlineKernelsPass> {
  void runOnOperation() override {
    Kernels kernels(getOperation());
    SmallVector<func::FuncOp> entries;
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (!function.isExternal() && !function->hasAttr(LgcDialect::kKernelAttr))
        entries.push_back(function);
    for (func::FuncOp entry : entries)
      if (failed(outlineBlock(entry.getBody().front(), kernels)))
        return signalPassFailure();
  }
};
} // namespace
