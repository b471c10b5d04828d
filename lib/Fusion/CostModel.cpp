//===- CostModel.cpp - What a kernel costs --------------------------------===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "CostModel.h"
#include "lgc/IR/LgcOps.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace mlir;
using namespace lgc;

namespace {
// Nanoseconds, of the order that a few cores with vectors of 256 bits give.
constexpr double launchCost = 1500;
constexpr double byteCost = 0.06;
constexpr double simpleOpCost = 0.04;
constexpr double divisionCost = 0.15;
constexpr double transcendentalCost = 0.2;
constexpr double libraryCallCost = 5;
constexpr double randomCost = 6;
/// A read that doesn't follow memory.
constexpr double stridedReadCost = 0.5;
/// For a floating-point operation in a library, and in naive loops.
constexpr double libraryFlopCost = 1.0 / 80;
constexpr double naiveFlopCost = 0.5;
} // namespace

static int64_t getNumElements(Value value) {
  return cast<RankedTensorType>(value.getType()).getNumElements();
}

static double getBytes(Value value) { return static_cast<double>(getTensorBytes(value.getType())); }

/// Whether a transpose leaves neighbours in memory neighbours.
static bool keepsRows(TransposeOp op) {
  ArrayRef<int64_t> permutation = op.getPermutation();
  return permutation.empty() || permutation.back() == static_cast<int64_t>(permutation.size()) - 1;
}

/// Whether a row of the result is a row of the operand or part of one, so that indices need no
/// division.
static bool keepsRows(ReshapeOp op) {
  ArrayRef<int64_t> from = op.getOperand().getType().getShape(), to = op.getType().getShape();
  return from.empty() || to.empty() || (to.back() > 0 && from.back() % to.back() == 0);
}

/// Nanoseconds for one element of a result, without memory.
static double getElementCost(Operation *op) {
  if (isa<ConstantOp, BroadcastOp>(op))
    return 0;
  if (auto reshape = dyn_cast<ReshapeOp>(op))
    return keepsRows(reshape) ? simpleOpCost : stridedReadCost;
  if (auto transpose = dyn_cast<TransposeOp>(op))
    return keepsRows(transpose) ? simpleOpCost : stridedReadCost;
  if (isa<GatherOp, GatherNdOp, GatherElementsOp, ConcatOp, ReverseOp>(op))
    return stridedReadCost;
  if (isa<RandomUniformOp>(op))
    return randomCost;
  if (isa<DivOp, RemOp, SqrtOp, RsqrtOp>(op))
    return divisionCost;
  if (isa<ExpOp, LogOp, Log1pOp, TanhOp, ErfOp, LogisticOp>(op))
    return transcendentalCost;
  if (isa<PowOp, SinOp, CosOp, TanOp, AsinOp, AcosOp, AtanOp, Atan2Op, SinhOp, CoshOp, AsinhOp,
          AcoshOp, AtanhOp>(op))
    return libraryCallCost;
  return simpleOpCost;
}

bool lgc::isCheap(Operation *op) {
  if (isa<ConstantOp, IotaOp, BroadcastOp, ReshapeOp, TransposeOp>(op))
    return true;
  // What follows from counters and constants alone costs no memory to repeat.
  return isa<CompareOp, CastOp, AddOp, SubOp, MulOp, NotOp, AndOp, OrOp>(op) &&
         llvm::all_of(op->getOperands(), [](Value operand) {
           Operation *producer = operand.getDefiningOp();
           while (producer && isa<BroadcastOp, ReshapeOp, CastOp>(producer))
             producer = producer->getOperand(0).getDefiningOp();
           return producer && isa<ConstantOp, IotaOp>(producer);
         });
}

namespace {

/// How often each operation of a group is computed, walking from the outputs to the inputs.
class Evaluations {
public:
  Evaluations(ArrayRef<Operation *> ops, ArrayRef<Value> outputs, const KernelShape &shape)
      : shape(shape), outputs(outputs.begin(), outputs.end()), domain(1), kept(1) {
    for (int64_t size : shape.domain)
      domain *= static_cast<double>(size);
    for (int64_t size : shape.getKeptShape())
      kept *= static_cast<double>(size);
    for (Operation *op : llvm::reverse(ops))
      visit(op);
  }

  /// Elements that the loops compute of an operation.
  double getCount(Operation *op) const {
    if (isa<ReduceOp>(op))
      return domain;
    double elements = static_cast<double>(getNumElements(op->getResult(0)));
    unsigned numStages = llvm::popcount(stages.lookup(op));
    if (shape.depth.lookup(op) > 0 && elements < domain)
      return elements;
    // LLVM moves what doesn't depend on the innermost loops out of them.
    if (!shape.reducedDims.empty() && elements == kept)
      return elements * std::max(1u, numStages);
    // A single element is computed once for each block of work.
    if (elements == 1)
      return std::min(domain, 64.0);
    return std::max(elements, domain) * std::max(1u, numStages);
  }

private:
  void visit(Operation *op) {
    uint64_t mine = 0;
    for (Value result : op->getResults()) {
      bool isOutput = outputs.contains(result);
      // What a stage has stored, later ones read.
      if (isOutput)
        mine |= getBit(shape.depth.lookup(op));
      for (Operation *user : result.getUsers()) {
        auto at = stages.find(user);
        if (at == stages.end() || (isOutput && !isa<ReduceOp>(user)))
          continue;
        mine |= isa<ReduceOp>(user) ? getBit(shape.depth.lookup(user) - 1) : at->second;
      }
    }
    stages[op] = mine;
  }
  static uint64_t getBit(unsigned depth) { return uint64_t(1) << std::min(depth, 63u); }

  const KernelShape &shape;
  llvm::SmallDenseSet<Value> outputs;
  double domain, kept;
  llvm::DenseMap<Operation *, uint64_t> stages;
};

} // namespace

double lgc::estimateKernelCost(ArrayRef<Operation *> ops, ArrayRef<Value> outputs,
                               const KernelShape &shape) {
  double cost = launchCost;
  llvm::SmallPtrSet<Operation *, 16> inside(ops.begin(), ops.end());
  llvm::SmallDenseSet<Value> inputs;
  for (Operation *op : ops)
    for (Value operand : op->getOperands())
      if (!inside.contains(operand.getDefiningOp()) && inputs.insert(operand).second)
        cost += getBytes(operand) * byteCost;
  for (Value output : outputs)
    cost += getBytes(output) * byteCost;
  // A library folds transposes into its strides, and its own work is the same in any group.
  if (shape.kind == KernelKind::Library || shape.kind == KernelKind::OwnLoops ||
      shape.kind == KernelKind::SingleReduction)
    return cost;
  Evaluations evaluations(ops, outputs, shape);
  for (Operation *op : ops)
    cost += getElementCost(op) * evaluations.getCount(op);
  return cost;
}

int64_t lgc::estimateLaunchTime(func::FuncOp kernel) {
  SmallVector<Operation *> ops;
  for (Operation &op : kernel.getBody().front().without_terminator())
    ops.push_back(&op);
  SmallVector<Value> outputs(kernel.getBody().front().getTerminator()->getOperands());
  std::optional<KernelShape> shape = analyzeKernel(kernel);
  if (!shape)
    return static_cast<int64_t>(launchCost);
  double cost = estimateKernelCost(ops, outputs, *shape);
  if (shape->kind != KernelKind::Loop && shape->kind != KernelKind::Reduction)
    for (Operation *op : ops)
      if (auto work = dyn_cast<CostOpInterface>(op))
        cost += static_cast<double>(work.getFlops()) *
                (shape->kind == KernelKind::Library ? libraryFlopCost : naiveFlopCost);
  return static_cast<int64_t>(cost);
}
