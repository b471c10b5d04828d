//===- ScheduleLaunches.cpp - An order that frees memory early ------------===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "FunctionPlan.h"
#include "lgc/Memory/Passes.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace lgc;

namespace lgc {
#define GEN_PASS_DEF_SCHEDULELAUNCHESPASS
#include "lgc/Memory/Passes.h.inc"
} // namespace lgc

namespace {

/// Orders the operations of one block.
class BlockScheduler {
public:
  explicit BlockScheduler(Block &block) : block(block) {}
  void sinkProducers();
  void run();

private:
  void collectOverwrites();
  void collectDependences();
  int64_t getGrowth(Operation *op) const;
  void emit(Operation *op, SmallVectorImpl<Operation *> &order);

  Block &block;
  /// For each operation those that must come later, and how many must still come before.
  DenseMap<Operation *, llvm::SmallSetVector<Operation *, 4>> later;
  DenseMap<Operation *, unsigned> waiting;
  /// How many operations still read a value or its views.
  DenseMap<Value, unsigned> readers;
  /// Results that are to be written over an argument of the function, with that argument.
  DenseMap<Value, Value> overwrites;
};

} // namespace

/// The operands of an operation and what its regions read from outside, in order.
static llvm::SetVector<Value> getReads(Operation *op) {
  llvm::SetVector<Value> reads;
  op->walk([&](Operation *nested) {
    for (Value operand : nested->getOperands())
      if (operand.getParentBlock() == op->getBlock())
        reads.insert(operand);
  });
  return reads;
}

/// Moves operations that read nothing down to their first users: constants, mostly, which
/// canonicalization collects at the start.
void BlockScheduler::sinkProducers() {
  SmallVector<Operation *> producers;
  for (Operation &op : block.without_terminator())
    if (getReads(&op).empty())
      producers.push_back(&op);
  for (Operation *op : llvm::reverse(producers)) {
    Operation *first = block.getTerminator();
    for (Operation *user : op->getUsers())
      if (Operation *inBlock = block.findAncestorOpInBlock(*user); inBlock->isBeforeInBlock(first))
        first = inBlock;
    op->moveBefore(first);
  }
}

void BlockScheduler::collectOverwrites() {
  auto function = dyn_cast<func::FuncOp>(block.getParentOp());
  if (!function)
    return;
  DenseMap<Attribute, Value> arguments;
  for (BlockArgument argument : block.getArguments())
    if (Attribute name = function.getArgAttr(argument.getArgNumber(), LgcDialect::kNameAttr))
      arguments[name] = argument;
  for (auto [number, value] : llvm::enumerate(block.getTerminator()->getOperands()))
    if (Attribute name = function.getResultAttr(number, LgcDialect::kUpdatesAttr))
      if (Value argument = arguments.lookup(name))
        overwrites[getRoot(value)] = argument;
}

void BlockScheduler::collectDependences() {
  DenseMap<Value, SmallVector<Operation *>> readersOf;
  auto addEdge = [&](Operation *from, Operation *to) {
    if (from != to && later[from].insert(to))
      ++waiting[to];
  };
  for (Operation &op : block.without_terminator()) {
    llvm::SmallDenseSet<Value> roots;
    for (Value value : getReads(&op)) {
      if (Operation *producer = value.getDefiningOp())
        addEdge(producer, &op);
      if (!isa<ViewOpInterface>(op) && roots.insert(getRoot(value)).second) {
        ++readers[getRoot(value)];
        readersOf[getRoot(value)].push_back(&op);
      }
    }
    // An update in place comes after all that read the old value, as it does in the given order.
    for (Value result : op.getResults())
      if (Value old = overwrites.lookup(result))
        for (Operation *reader : readersOf[old])
          addEdge(reader, &op);
  }
  // What leaves the block is never freed in it.
  for (Value value : block.getTerminator()->getOperands())
    ++readers[getRoot(value)];
}

/// Bytes that an operation allocates less those that are free after it.
int64_t BlockScheduler::getGrowth(Operation *op) const {
  int64_t growth = 0;
  if (isa<ViewOpInterface>(op))
    return 0;
  for (Value result : op->getResults())
    if (!overwrites.contains(result))
      growth += getTensorBytes(result.getType());
  llvm::SmallDenseSet<Value> roots;
  for (Value value : getReads(op)) {
    Value root = getRoot(value);
    if (roots.insert(root).second && root.getDefiningOp() && readers.lookup(root) == 1)
      growth -= getTensorBytes(root.getType());
  }
  return growth;
}

/// Appends an operation, and then what has become ready and lets go of memory.
void BlockScheduler::emit(Operation *first, SmallVectorImpl<Operation *> &order) {
  SmallVector<Operation *> pending = {first};
  while (!pending.empty()) {
    Operation *op = pending.pop_back_val();
    if (waiting.lookup(op) != 0)
      continue;
    // Marks it as done; it waits for nothing ever again.
    waiting[op] = ~0u;
    order.push_back(op);
    llvm::SmallSetVector<Operation *, 8> candidates;
    llvm::SmallDenseSet<Value> roots;
    if (!isa<ViewOpInterface>(op))
      for (Value value : getReads(op))
        if (Value root = getRoot(value); roots.insert(root).second && --readers[root] == 1)
          for (Operation *user : root.getUsers())
            if (Operation *inBlock = block.findAncestorOpInBlock(*user))
              candidates.insert(inBlock);
    for (Operation *next : later[op]) {
      --waiting[next];
      candidates.insert(next);
    }
    for (Operation *next : llvm::reverse(candidates))
      if (next != block.getTerminator() && waiting.lookup(next) == 0 && getGrowth(next) <= 0)
        pending.push_back(next);
  }
}

void BlockScheduler::run() {
  sinkProducers();
  collectOverwrites();
  collectDependences();
  SmallVector<Operation *> given, order;
  for (Operation &op : block.without_terminator())
    given.push_back(&op);
  for (Operation *op : given)
    if (waiting.lookup(op) == 0)
      emit(op, order);
  for (Operation *op : order)
    op->moveBefore(block.getTerminator());
}

namespace {
struct ScheduleLaunchesPass : lgc::impl::ScheduleLaunchesPassBase<ScheduleLaunchesPass> {
  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      if (function.isExternal() || function->hasAttr(LgcDialect::kKernelAttr))
        continue;
      BlockScheduler(function.getBody().front()).run();
      function.walk([](MicroBatchesOp loop) { BlockScheduler(loop.getBody().front()).run(); });
    }
  }
};
} // namespace
