//===- Groups.cpp - Groups of operations while they merge -----------------===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Groups.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallSet.h"

using namespace mlir;
using namespace lgc;

Groups::Groups(Block &block) : block(block) {
  for (Operation &op : block.without_terminator()) {
    groupOf[&op] = groups.size();
    groups.push_back({{&op}, std::nullopt, 0});
  }
}

static bool isBefore(Operation *a, Operation *b) { return a != b && a->isBeforeInBlock(b); }

void Groups::add(unsigned group, ArrayRef<Operation *> ops) {
  for (Operation *op : ops) {
    groupOf[op] = group;
    groups[group].ops.push_back(op);
  }
  llvm::sort(groups[group].ops, isBefore);
}

void Groups::remove(unsigned group, ArrayRef<Operation *> ops) {
  for (Operation *op : ops) {
    groupOf.erase(op);
    llvm::erase(groups[group].ops, op);
  }
}

unsigned Groups::find(Operation *op) const {
  return groupOf.lookup(block.findAncestorOpInBlock(*op));
}

std::optional<unsigned> Groups::findProducer(Value value) const {
  Operation *op = value.getDefiningOp();
  if (!op || op->getBlock() != &block)
    return std::nullopt;
  return groupOf.lookup(op);
}

SmallVector<unsigned> Groups::findConsumers(Value value) const {
  SmallVector<unsigned> consumers;
  std::optional<unsigned> producer = findProducer(value);
  for (Operation *user : value.getUsers()) {
    Operation *inBlock = block.findAncestorOpInBlock(*user);
    if (!inBlock || inBlock == block.getTerminator())
      continue;
    unsigned group = groupOf.lookup(inBlock);
    if (group != producer && !llvm::is_contained(consumers, group))
      consumers.push_back(group);
  }
  llvm::sort(consumers, [&](unsigned a, unsigned b) {
    return isBefore(groups[a].ops.front(), groups[b].ops.front());
  });
  return consumers;
}

SmallVector<Operation *> Groups::unite(ArrayRef<unsigned> members) const {
  SmallVector<Operation *> ops;
  for (unsigned member : members)
    llvm::append_range(ops, groups[member].ops);
  llvm::sort(ops, isBefore);
  return ops;
}

SmallVector<Value> Groups::getOutputs(ArrayRef<Operation *> ops) const {
  llvm::SmallPtrSet<Operation *, 16> inside(ops.begin(), ops.end());
  SmallVector<Value> outputs;
  for (Operation *op : ops)
    for (Value result : op->getResults())
      if (llvm::any_of(result.getUsers(),
                       [&](Operation *user) { return !inside.contains(user) && !isDead(user); }))
        outputs.push_back(result);
  return outputs;
}

bool Groups::wouldCycle(ArrayRef<unsigned> members) const {
  Operation *earliest = groups[members.front()].ops.front();
  for (unsigned member : members)
    if (isBefore(groups[member].ops.front(), earliest))
      earliest = groups[member].ops.front();

  // Walks back from the members; whatever lies wholly before all of them can't lead to one.
  llvm::SmallDenseSet<unsigned> visited(members.begin(), members.end());
  SmallVector<unsigned> pending;
  bool found = false;
  auto visitOperands = [&](unsigned group, bool isMember) {
    for (Operation *op : groups[group].ops)
      op->walk([&](Operation *nested) {
        for (Value operand : nested->getOperands()) {
          std::optional<unsigned> producer = findProducer(operand);
          if (!producer || *producer == group)
            continue;
          if (!isMember && llvm::is_contained(members, *producer))
            found = true;
          if (isBefore(earliest, groups[*producer].ops.back()) && visited.insert(*producer).second)
            pending.push_back(*producer);
        }
      });
  };
  for (unsigned member : members)
    visitOperands(member, /*isMember=*/true);
  while (!pending.empty() && !found)
    visitOperands(pending.pop_back_val(), /*isMember=*/false);
  return found;
}

void Groups::merge(ArrayRef<unsigned> members, Group united) {
  unsigned first = *llvm::min_element(members);
  for (unsigned member : members)
    groups[member].ops.clear();
  for (Operation *op : united.ops)
    groupOf[op] = first;
  groups[first] = std::move(united);
}
