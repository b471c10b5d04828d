//===- Fuse.cpp - Which operations run as one kernel ----------------------===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "CostModel.h"
#include "GroupAttr.h"
#include "Groups.h"
#include "Recompute.h"
#include "lgc/Fusion/Passes.h"
#include "lgc/IR/LgcOps.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include <set>

using namespace mlir;
using namespace lgc;

namespace lgc {
#define GEN_PASS_DEF_FUSEPASS
#include "lgc/Fusion/Passes.h.inc"
} // namespace lgc

namespace {

/// Bounds of a kernel that keep its code, and the time to compile it, small.
constexpr size_t maxOps = 64;
constexpr size_t maxOperands = 32;

/// Merges the groups of one block.
class BlockFusion {
public:
  explicit BlockFusion(Block &block) : block(block), groups(block) {}

  /// Finds the shape of each operation's own kernel and, for comparing, its cost.
  void start(bool fuse);
  void mergeAll();
  /// Makes equal operations of a group one.
  void deduplicate();
  void recompute() { recomputeCheapOutputs(block, groups); }
  /// Undoes copies of cheap operations that ended up in no kernel of something else.
  void dropUselessCopies(const DenseMap<Operation *, Operation *> &originals);
  /// Numbers the groups from `next` on in the IR; gives the next free number.
  unsigned writeGroups(unsigned next);

private:
  void mergeProducers(unsigned group);
  void mergeSiblings(Value value);
  bool tryMerge(ArrayRef<unsigned> members);

  Block &block;
  Groups groups;
};

} // namespace

/// Whether the operation can share a kernel with what computes its operands.
static bool canJoin(Operation *op) {
  if (isa<DotOp>(op) && isLibraryOp(op))
    return true;
  auto elemental = dyn_cast<ElementalOpInterface>(op);
  return isa<ConstantOp, ReduceOp>(op) || (elemental && elemental.getReductionShape().empty());
}

/// Whether a user may want a copy of the cheap operation.
static bool wantsCopy(Operation *user, Operation *op) {
  if (isa<DotOp>(user))
    return isa<TransposeOp>(op) && isLibraryOp(user);
  return canJoin(user);
}

/// Copies cheap operations to each user that could compute them; gives what each copy is one of.
static DenseMap<Operation *, Operation *> duplicateCheapOps(Block &block) {
  DenseMap<Operation *, Operation *> originals;
  // Users first, so that chains of cheap operations are copied as a whole. A copy has
  // one user, so that chains don't multiply beyond the users at their ends.
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block.without_terminator()))) {
    if (!isCheap(&op))
      continue;
    SmallVector<OpOperand *> uses;
    for (OpOperand &use : op.getUses())
      if (use.getOwner()->getBlock() == &block && wantsCopy(use.getOwner(), &op))
        uses.push_back(&use);
    if (op.hasOneUse() || uses.empty())
      continue;
    for (OpOperand *use : llvm::reverse(uses)) {
      OpBuilder builder(use->getOwner());
      Operation *copy = builder.clone(op);
      originals[copy] = &op;
      use->set(copy->getResult(0));
    }
  }
  return originals;
}

bool BlockFusion::tryMerge(ArrayRef<unsigned> members) {
  SmallVector<Operation *> ops = groups.unite(members);
  if (ops.size() > maxOps)
    return false;
  SmallVector<Value> outputs = groups.getOutputs(ops);
  std::optional<KernelShape> shape = analyzeKernel(ops, outputs);
  if (!shape)
    return false;
  llvm::SmallDenseSet<Value> operands(outputs.begin(), outputs.end());
  for (Operation *op : ops)
    for (Value operand : op->getOperands())
      if (!llvm::is_contained(members, groups.findProducer(operand)))
        operands.insert(operand);
  double cost = estimateKernelCost(ops, outputs, *shape);
  double before = 0;
  for (unsigned member : members)
    before += groups.get(member).cost;
  if (operands.size() > maxOperands || cost >= before || groups.wouldCycle(members))
    return false;
  groups.merge(members, {ops, shape, cost});
  return true;
}

/// What to merge with a group through an operand: its producer and, where that is a reshape, what
/// it reshapes, since a reshape by itself is free outside.
static SmallVector<unsigned> getCandidate(const Groups &groups, unsigned group, Value operand) {
  std::optional<unsigned> producer = groups.findProducer(operand);
  if (!producer || *producer == group)
    return {};
  SmallVector<unsigned> members;
  if (auto reshape = operand.getDefiningOp<ReshapeOp>()) {
    std::optional<unsigned> source = groups.findProducer(reshape.getOperand());
    if (groups.get(*producer).ops.size() == 1) {
      if (!source || *source == group)
        return {};
      members.push_back(*source);
    }
  }
  if (!groups.get(members.empty() ? *producer : members.front()).shape)
    return {};
  members.push_back(*producer);
  members.push_back(group);
  return members;
}

void BlockFusion::mergeProducers(unsigned group) {
  // Each merge shows new producers; the nearest ones come first, since they are most alike.
  Operation *root = groups.get(group).ops.back();
  std::set<SmallVector<unsigned>, std::greater<>> candidates;
  std::set<SmallVector<unsigned>> refused;
  bool changed = true;
  while (changed) {
    changed = false;
    group = groups.find(root);
    candidates.clear();
    for (Operation *op : groups.get(group).ops)
      for (Value operand : op->getOperands())
        if (SmallVector<unsigned> members = getCandidate(groups, group, operand); !members.empty())
          if (!refused.count(members))
            candidates.insert(members);
    for (const SmallVector<unsigned> &members : candidates) {
      changed = tryMerge(members);
      if (changed)
        break;
      refused.insert(members);
    }
  }
}

void BlockFusion::mergeSiblings(Value value) {
  // Where loops are short or the tensor small, nothing is gained by reading it once.
  constexpr int64_t worthwhileElements = 4096;
  int64_t elements = cast<RankedTensorType>(value.getType()).getNumElements();
  if (elements < worthwhileElements)
    return;
  auto canMerge = [&](unsigned group) {
    const std::optional<KernelShape> &shape = groups.get(group).shape;
    return shape && (shape->kind == KernelKind::Loop || shape->kind == KernelKind::Reduction) &&
           ShapedType::getNumElements(shape->domain) <= 2 * elements;
  };
  SmallVector<unsigned> consumers = groups.findConsumers(value);
  llvm::erase_if(consumers, [&](unsigned group) { return !canMerge(group); });
  for (size_t i = 0; i < consumers.size(); ++i)
    for (size_t j = i + 1; j < consumers.size();) {
      if (groups.get(consumers[i]).shape->domain == groups.get(consumers[j]).shape->domain &&
          tryMerge({consumers[i], consumers[j]})) {
        consumers[i] = std::min(consumers[i], consumers[j]);
        consumers.erase(consumers.begin() + j);
      } else {
        ++j;
      }
    }
}

void BlockFusion::start(bool fuse) {
  for (unsigned group = 0; group < groups.size(); ++group) {
    Operation *op = groups.get(group).ops.front();
    SmallVector<Value> outputs = groups.getOutputs(op);
    if (isa<ViewOpInterface, MicroBatchesOp>(op) || outputs.empty())
      continue;
    std::optional<KernelShape> shape = analyzeKernel(op, outputs);
    double cost = shape && fuse ? estimateKernelCost(op, outputs, *shape) : 0;
    groups.merge(group, {{op}, shape, cost});
  }
}

void BlockFusion::mergeAll() {
  // What costs nothing goes to its user, and only with that to what it reads: by itself it would
  // make a large tensor of a small one.
  auto waitsForUser = [&](Operation &op) {
    return isCheap(&op) && op.hasOneUse() && op.user_begin()->getBlock() == &block &&
           wantsCopy(*op.user_begin(), &op);
  };
  for (Operation &op : block.without_terminator())
    if (groups.get(groups.find(&op)).shape && canJoin(&op) && !waitsForUser(op))
      mergeProducers(groups.find(&op));
  for (BlockArgument argument : block.getArguments())
    mergeSiblings(argument);
  for (Operation &op : block.without_terminator())
    for (Value result : op.getResults())
      mergeSiblings(result);
}

void BlockFusion::deduplicate() {
  auto isSame = [](Operation *a, Operation *b) {
    return OperationEquivalence::isEquivalentTo(
        a, b, OperationEquivalence::exactValueMatch, nullptr,
        OperationEquivalence::IgnoreLocations | OperationEquivalence::IgnoreDiscardableAttrs);
  };
  for (unsigned group = 0; group < groups.size(); ++group) {
    SmallVector<Operation *> kept, dropped;
    for (Operation *op : groups.get(group).ops) {
      auto same = llvm::find_if(kept, [&](Operation *other) { return isSame(op, other); });
      if (same == kept.end()) {
        kept.push_back(op);
        continue;
      }
      op->replaceAllUsesWith(*same);
      dropped.push_back(op);
    }
    if (dropped.empty())
      continue;
    groups.remove(group, dropped);
    SmallVector<Value> outputs = groups.getOutputs(kept);
    std::optional<KernelShape> shape = analyzeKernel(kept, outputs);
    double cost = shape ? estimateKernelCost(kept, outputs, *shape) : 0;
    groups.setShape(group, shape, cost);
  }
}

void BlockFusion::dropUselessCopies(const DenseMap<Operation *, Operation *> &originals) {
  for (Operation &op : llvm::reverse(block.without_terminator())) {
    auto isCopy = [&](Operation *member) { return originals.contains(member); };
    Operation *original = originals.lookup(&op);
    if (original && llvm::all_of(groups.get(groups.find(&op)).ops, isCopy))
      op.replaceAllUsesWith(original);
  }
}

unsigned BlockFusion::writeGroups(unsigned next) {
  // Operations without users were copied to all of them, or computed nothing that is needed.
  // The reverse of a part of the block (`without_terminator`) would stand on the erased operation.
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block.getOperations())))
    if (isOpTriviallyDead(&op))
      op.erase();
  DenseMap<unsigned, unsigned> numbers;
  Builder builder(block.getParentOp()->getContext());
  for (Operation &op : block.without_terminator()) {
    unsigned group = groups.find(&op);
    // A view between kernels, unless it lies within one.
    bool isAlone = groups.get(group).ops.size() == 1;
    if (isa<MicroBatchesOp>(op) || (isa<ViewOpInterface>(op) && isAlone))
      continue;
    auto [at, isNew] = numbers.try_emplace(group, next);
    next += isNew;
    op.setAttr(kGroupAttr, builder.getI64IntegerAttr(at->second));
  }
  return next;
}

/// Fuses a block and those of its loops over micro-batches; gives the next free group number.
static unsigned fuseBlock(Block &block, bool fuse, unsigned next) {
  DenseMap<Operation *, Operation *> originals;
  if (fuse)
    originals = duplicateCheapOps(block);
  BlockFusion fusion(block);
  fusion.start(fuse);
  if (fuse) {
    fusion.mergeAll();
    fusion.deduplicate();
    fusion.recompute();
    fusion.deduplicate();
    fusion.dropUselessCopies(originals);
  }
  next = fusion.writeGroups(next);
  for (auto loop : block.getOps<MicroBatchesOp>())
    next = fuseBlock(loop.getBody().front(), fuse, next);
  return next;
}

namespace {
struct FusePass : lgc::impl::FusePassBase<FusePass> {
  using FusePassBase::FusePassBase;

  void runOnOperation() override {
    unsigned groups = 0;
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      if (function.isExternal() || function->hasAttr(LgcDialect::kKernelAttr))
        continue;
      groups = fuseBlock(function.getBody().front(), fuse, groups);
    }
  }
};
} // namespace
