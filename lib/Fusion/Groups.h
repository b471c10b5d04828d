//===- Groups.h - Groups of operations while they merge ---------*- C++ -*-===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef LGC_LIB_FUSION_GROUPS_H
#define LGC_LIB_FUSION_GROUPS_H

#include "lgc/Fusion/KernelShape.h"
#include "mlir/IR/Block.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/DenseMap.h"
#include <optional>
#include <vector>

namespace lgc {

/// Operations of one block that are to be one kernel, in the block's order.
struct Group {
  llvm::SmallVector<mlir::Operation *> ops;
  /// How the group's loops look; none for what isn't a kernel (a loop over micro-batches, a
  /// reshape that is a view).
  std::optional<KernelShape> shape;
  /// Estimated nanoseconds.
  double cost = 0;
};

/// A partition of a block's operations into groups, first one group for each.
class Groups {
public:
  explicit Groups(mlir::Block &block);

  unsigned size() const { return groups.size(); }
  const Group &get(unsigned group) const { return groups[group]; }
  /// The group of an operation of this block, or of the operation of this block that
  /// contains it.
  unsigned find(mlir::Operation *op) const;
  /// The group that computes a value, unless it comes from outside of the block.
  std::optional<unsigned> findProducer(mlir::Value value) const;
  /// Groups other than `group` that read the value, in the order of their first operations.
  llvm::SmallVector<unsigned> findConsumers(mlir::Value value) const;

  /// The union of groups in the block's order.
  llvm::SmallVector<mlir::Operation *> unite(llvm::ArrayRef<unsigned> members) const;
  /// Values of the operations that are read outside of them.
  llvm::SmallVector<mlir::Value> getOutputs(llvm::ArrayRef<mlir::Operation *> ops) const;

  /// Whether nothing reads what an operation computes (any more), so that it is no reader itself.
  static bool isDead(mlir::Operation *op) {
    return op->getNumResults() > 0 && op->use_empty() && mlir::isMemoryEffectFree(op);
  }

  /// Whether a path leads from one member to another through a group that is no member, so
  /// that united they would wait for each other.
  bool wouldCycle(llvm::ArrayRef<unsigned> members) const;

  /// Adds operations that were put into the block to a group, or takes them out again before they
  /// are erased. Either keeps the group's shape and cost, for the caller to set.
  void add(unsigned group, llvm::ArrayRef<mlir::Operation *> ops);
  void remove(unsigned group, llvm::ArrayRef<mlir::Operation *> ops);
  void setShape(unsigned group, std::optional<KernelShape> shape, double cost) {
    groups[group].shape = std::move(shape);
    groups[group].cost = cost;
  }

  /// Makes the members one group, the first of them, which then has this shape and cost.
  void merge(llvm::ArrayRef<unsigned> members, Group united);

private:
  mlir::Block &block;
  std::vector<Group> groups;
  llvm::DenseMap<mlir::Operation *, unsigned> groupOf;
};

} // namespace lgc

#endif // LGC_LIB_FUSION_GROUPS_H
