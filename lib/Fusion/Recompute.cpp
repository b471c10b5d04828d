//===- Recompute.cpp - Values computed again where they are read ----------===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Recompute.h"
#include "CostModel.h"
#include "lgc/IR/LgcOps.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace lgc;

namespace {

/// The operations that compute a value again, at most.
constexpr size_t maxSlice = 10;
constexpr size_t maxOps = 64;

/// One try to drop outputs of a group.
class Recomputation {
public:
  Recomputation(Block &block, Groups &groups, ArrayRef<Value> values)
      : block(block), groups(groups), values(values.begin(), values.end()),
        producer(*groups.findProducer(values.front())) {}

  /// Whether they were dropped; the block is unchanged otherwise.
  bool run();
  /// Whether all readers are kernels of loops, to which operations can be added.
  bool hasOnlyLoopReaders() {
    return llvm::all_of(values, [&](Value value) { return collectReaders(value, value, nullptr); });
  }

private:
  /// An operand that reads a value, or a view of it.
  struct Use {
    OpOperand *operand;
    Value value;
    ReshapeOp view;
  };
  struct Reader {
    SmallVector<Use> uses;
    SmallVector<Operation *> copies;
    SmallVector<Value> replaced;
    std::optional<KernelShape> shape;
    double cost = 0;
  };

  bool collectReaders(Value value, Value read, ReshapeOp view);
  bool collectSlice();
  bool isAvailable(Value operand) const;
  void copyInto(unsigned group, Reader &reader);
  bool evaluate(unsigned group, Reader &reader);
  int64_t getNewBytes(unsigned group, const Reader &reader) const;
  void undo();

  Block &block;
  Groups &groups;
  SmallVector<Value> values;
  unsigned producer;
  llvm::MapVector<unsigned, Reader> readers;
  /// The operations to copy, in order.
  SmallVector<Operation *> slice;
};

} // namespace

bool Recomputation::collectReaders(Value value, Value read, ReshapeOp view) {
  for (OpOperand &use : read.getUses()) {
    Operation *user = use.getOwner();
    if (Groups::isDead(user))
      continue;
    if (user->getBlock() != &block || user == block.getTerminator())
      return false;
    unsigned group = groups.find(user);
    if (group == producer)
      continue;
    const std::optional<KernelShape> &shape = groups.get(group).shape;
    if (auto reshape = dyn_cast<ReshapeOp>(user); reshape && !shape && !view) {
      if (!collectReaders(value, reshape.getResult(), reshape))
        return false;
      continue;
    }
    if (!shape || (shape->kind != KernelKind::Loop && shape->kind != KernelKind::Reduction))
      return false;
    readers[group].uses.push_back({&use, value, view});
  }
  return true;
}

/// Whether a value is in memory anyway.
bool Recomputation::isAvailable(Value operand) const {
  std::optional<unsigned> group = groups.findProducer(operand);
  if (!group || *group != producer)
    return true;
  return !llvm::is_contained(values, operand) &&
         llvm::any_of(operand.getUsers(), [&](Operation *user) {
           return user == block.getTerminator() ||
                  (!Groups::isDead(user) && groups.find(user) != producer);
         });
}

bool Recomputation::collectSlice() {
  llvm::SetVector<Operation *> needed;
  for (Value value : values)
    needed.insert(value.getDefiningOp());
  for (size_t i = 0; i < needed.size(); ++i) {
    Operation *op = needed[i];
    bool isPointwise = op->hasTrait<mlir::OpTrait::Elementwise>() ||
                       isa<ConstantOp, BroadcastOp, IotaOp, ReshapeOp>(op);
    if (!isPointwise || needed.size() > maxSlice * values.size())
      return false;
    for (Value operand : op->getOperands())
      if (!isAvailable(operand))
        needed.insert(operand.getDefiningOp());
  }
  for (Operation *op : groups.get(producer).ops)
    if (needed.contains(op))
      slice.push_back(op);
  return slice.size() == needed.size();
}

void Recomputation::copyInto(unsigned group, Reader &reader) {
  // Before the group's first operation that reads one of the values.
  Operation *first = reader.uses.front().operand->getOwner();
  for (const Use &use : reader.uses)
    if (use.operand->getOwner()->isBeforeInBlock(first))
      first = use.operand->getOwner();
  OpBuilder builder(first);
  IRMapping mapping;
  for (Operation *op : slice)
    reader.copies.push_back(builder.clone(*op, mapping));
  for (Use &use : reader.uses) {
    reader.replaced.push_back(use.operand->get());
    Value copy = mapping.lookup(use.value);
    if (use.view) {
      // Each view is copied once.
      if (Value known = mapping.lookupOrNull(use.view.getResult())) {
        copy = known;
      } else {
        reader.copies.push_back(builder.clone(*use.view));
        reader.copies.back()->setOperand(0, copy);
        copy = reader.copies.back()->getResult(0);
        mapping.map(use.view.getResult(), copy);
      }
    }
    use.operand->set(copy);
  }
  groups.add(group, reader.copies);
}

/// Bytes of temporaries that a reader didn't read before; views count as what they view.
int64_t Recomputation::getNewBytes(unsigned group, const Reader &reader) const {
  llvm::SmallPtrSet<Operation *, 16> copies(reader.copies.begin(), reader.copies.end());
  llvm::SmallDenseSet<Value> known;
  auto getRoot = [&](Value read) {
    while (auto reshape = read.getDefiningOp<ReshapeOp>()) {
      if (groups.findProducer(read) == group)
        break;
      read = reshape.getOperand();
    }
    return read;
  };
  for (Operation *op : groups.get(group).ops)
    if (!copies.contains(op))
      for (Value operand : op->getOperands())
        known.insert(getRoot(operand));
  int64_t bytes = 0;
  for (Operation *op : reader.copies)
    for (Value operand : op->getOperands()) {
      Value root = getRoot(operand);
      std::optional<unsigned> source = groups.findProducer(root);
      if (source && *source != group && known.insert(root).second)
        bytes += getTensorBytes(root.getType());
    }
  return bytes;
}

bool Recomputation::evaluate(unsigned group, Reader &reader) {
  ArrayRef<Operation *> ops = groups.get(group).ops;
  SmallVector<Value> outputs = groups.getOutputs(ops);
  int64_t dropped = 0;
  for (Value value : values)
    dropped += getTensorBytes(value.getType());
  if (ops.size() > maxOps || getNewBytes(group, reader) > dropped)
    return false;
  reader.shape = analyzeKernel(ops, outputs);
  if (!reader.shape ||
      (reader.shape->kind != KernelKind::Loop && reader.shape->kind != KernelKind::Reduction))
    return false;
  reader.cost = estimateKernelCost(ops, outputs, *reader.shape);
  return true;
}

void Recomputation::undo() {
  for (auto &[group, reader] : readers) {
    for (auto [use, replaced] : llvm::zip(reader.uses, reader.replaced))
      use.operand->set(replaced);
    groups.remove(group, reader.copies);
    for (Operation *op : llvm::reverse(reader.copies))
      op->erase();
  }
}

bool Recomputation::run() {
  if (!hasOnlyLoopReaders() || readers.empty() || !collectSlice())
    return false;
  double before = groups.get(producer).cost, after = 0;
  for (auto &[group, reader] : readers)
    before += groups.get(group).cost;
  for (auto &[group, reader] : readers)
    copyInto(group, reader);
  bool works = true;
  for (auto &[group, reader] : readers) {
    works = works && evaluate(group, reader);
    after += reader.cost;
  }
  SmallVector<Value> outputs;
  ArrayRef<Operation *> ops = groups.get(producer).ops;
  for (Value output : groups.getOutputs(ops))
    if (!llvm::is_contained(values, output))
      outputs.push_back(output);
  std::optional<KernelShape> shape = outputs.empty() ? std::nullopt : analyzeKernel(ops, outputs);
  double cost = shape ? estimateKernelCost(ops, outputs, *shape) : 0;
  // A group without outputs is dead.
  works = works && (shape || outputs.empty());
  if (!works || after + cost >= before) {
    undo();
    return false;
  }
  for (auto &[group, reader] : readers)
    groups.setShape(group, reader.shape, reader.cost);
  groups.setShape(producer, shape, cost);
  return true;
}

/// Tries to drop all outputs that only kernels with loops read, at once, and then each.
static void recomputeOutputs(Block &block, Groups &groups, unsigned group) {
  SmallVector<Value> outputs = groups.getOutputs(groups.get(group).ops), droppable;
  for (Value output : outputs)
    if (Recomputation(block, groups, output).hasOnlyLoopReaders())
      droppable.push_back(output);
  if (droppable.size() > 1 && Recomputation(block, groups, droppable).run())
    return;
  for (Value output : llvm::reverse(droppable))
    if (groups.get(group).shape)
      Recomputation(block, groups, output).run();
}

void lgc::recomputeCheapOutputs(Block &block, Groups &groups) {
  // From the last group to the first: a reader that drops an output of its own needs less.
  for (unsigned group = groups.size(); group-- > 0;) {
    const std::optional<KernelShape> &shape = groups.get(group).shape;
    if (shape && (shape->kind == KernelKind::Loop || shape->kind == KernelKind::Reduction))
      recomputeOutputs(block, groups, group);
  }
}
