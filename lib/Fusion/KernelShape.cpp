//===- KernelShape.cpp - Which groups of ops are one kernel ---------------===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "lgc/Fusion/KernelShape.h"
#include "lgc/IR/LgcOps.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace lgc;

SmallVector<int64_t> KernelShape::getKeptShape() const {
  SmallVector<int64_t> kept;
  for (auto [dim, size] : llvm::enumerate(domain))
    if (!llvm::is_contained(reducedDims, static_cast<int64_t>(dim)))
      kept.push_back(size);
  return kept;
}

static ArrayRef<int64_t> getShape(Value value) {
  return cast<RankedTensorType>(value.getType()).getShape();
}

/// Whether a convolution's padding only adds: the library can't cut off.
template <typename Op> static bool hasOnlyPadding(Op op) {
  auto isPadding = [](int64_t size) { return size >= 0; };
  return llvm::all_of(op.getLow(), isPadding) && llvm::all_of(op.getHigh(), isPadding);
}

bool lgc::isLibraryOp(Operation *op) {
  if (!isa<DotOp, ConvolutionOp, ConvolutionInputOp, ConvolutionFilterOp>(op))
    return false;
  auto isF32 = [](Type type) {
    auto tensor = cast<RankedTensorType>(type);
    return tensor.getElementType().isF32() && tensor.getNumElements() > 0;
  };
  if (!llvm::all_of(op->getOperandTypes(), isF32) || !llvm::all_of(op->getResultTypes(), isF32))
    return false;
  if (isa<DotOp>(op))
    return true;
  size_t rank = getShape(op->getResult(0)).size();
  return rank >= 3 && rank <= 5 &&
         llvm::TypeSwitch<Operation *, bool>(op)
             .Case<ConvolutionOp, ConvolutionInputOp, ConvolutionFilterOp>(
                 [](auto convolution) { return hasOnlyPadding(convolution); });
}

namespace {

/// Checks a group against the rules of `KernelKind::Reduction` and fills in its shape.
class ReductionGroup {
public:
  ReductionGroup(ArrayRef<Operation *> ops, ReduceOp first) : ops(ops) {
    shape.kind = KernelKind::Reduction;
    shape.domain.assign(getShape(first.getOperand()));
    shape.reducedDims.assign(first.getDims());
    kept = shape.getKeptShape();
    keptUnit = shape.domain;
    for (int64_t dim : shape.reducedDims)
      keptUnit[dim] = 1;
    for (auto [dim, size] : llvm::enumerate(shape.domain))
      if (!llvm::is_contained(shape.reducedDims, static_cast<int64_t>(dim)))
        keptDims.push_back(dim);
  }

  std::optional<KernelShape> analyze(ArrayRef<Value> outputs) {
    for (Operation *op : ops)
      if (!visit(op))
        return std::nullopt;
    for (Value output : outputs)
      if (!isOnDomain(output) && !isOnKept(output))
        return std::nullopt;
    return shape;
  }

private:
  bool isOnDomain(Value value) const { return getShape(value) == ArrayRef(shape.domain); }
  bool isOnKept(Value value) const {
    return getShape(value) == ArrayRef(kept) || getShape(value) == ArrayRef(keptUnit);
  }

  bool dependsOnReduction(Value value) const {
    Operation *definition = value.getDefiningOp();
    return definition && shape.depth.lookup(definition) > 0;
  }

  bool visit(Operation *op) {
    unsigned depth = 0;
    for (Value operand : op->getOperands())
      if (Operation *definition = operand.getDefiningOp())
        depth = std::max(depth, shape.depth.lookup(definition));
    if (auto reduce = dyn_cast<ReduceOp>(op)) {
      if (!isOnDomain(reduce.getOperand()) || reduce.getDims() != ArrayRef(shape.reducedDims))
        return false;
      shape.depth[op] = depth + 1;
      return true;
    }
    shape.depth[op] = depth;
    return depth == 0 || isAligned(op);
  }

  /// Whether an op that depends on a reduction uses its operands at the kept indices of its own
  /// elements.
  bool isAligned(Operation *op) {
    Value result = op->getResult(0);
    if (!isOnDomain(result) && !isOnKept(result))
      return false;
    if (op->hasTrait<mlir::OpTrait::Elementwise>())
      return true;
    if (auto broadcast = dyn_cast<BroadcastOp>(op)) {
      ArrayRef<int64_t> from = getShape(broadcast.getOperand());
      if (from == ArrayRef(kept))
        return broadcast.getDims() == ArrayRef(keptDims);
      return from == ArrayRef(keptUnit) &&
             llvm::equal(broadcast.getDims(), llvm::seq<int64_t>(0, from.size()));
    }
    return isa<ReshapeOp>(op) && isOnKept(op->getOperand(0)) && isOnKept(result);
  }

  ArrayRef<Operation *> ops;
  KernelShape shape;
  SmallVector<int64_t> kept, keptUnit, keptDims;
};

} // namespace

static KernelShape makeShape(KernelKind kind, ArrayRef<int64_t> domain) {
  KernelShape shape;
  shape.kind = kind;
  shape.domain.assign(domain.begin(), domain.end());
  return shape;
}

/// A library op alone, or a matrix product with the transposes of its operands.
static std::optional<KernelShape> analyzeLibrary(ArrayRef<Operation *> ops,
                                                 ArrayRef<Value> outputs) {
  Operation *root = ops.back();
  if (!isLibraryOp(root) || outputs.size() != 1 || outputs[0] != root->getResult(0))
    return std::nullopt;
  for (Operation *op : ops.drop_back())
    if (!isa<DotOp>(root) || !isa<TransposeOp>(op) ||
        op->getOperand(0).getDefiningOp<TransposeOp>())
      return std::nullopt;
  return makeShape(KernelKind::Library, getShape(outputs[0]));
}

static std::optional<KernelShape> analyzeSingle(Operation *op) {
  if (isa<KernelOpInterface>(op))
    return makeShape(KernelKind::OwnLoops, {});
  auto elemental = dyn_cast<ElementalOpInterface>(op);
  if (!elemental || elemental.getReductionShape().empty() || isa<ReduceOp>(op))
    return std::nullopt;
  return makeShape(KernelKind::SingleReduction, getShape(op->getResult(0)));
}

std::optional<KernelShape> lgc::analyzeKernel(ArrayRef<Operation *> ops, ArrayRef<Value> outputs) {
  if (ops.empty() || outputs.empty())
    return std::nullopt;
  if (std::optional<KernelShape> shape = analyzeLibrary(ops, outputs))
    return shape;
  if (ops.size() == 1)
    if (std::optional<KernelShape> shape = analyzeSingle(ops.front()))
      return shape;

  ReduceOp reduction;
  for (Operation *op : ops) {
    if (auto reduce = dyn_cast<ReduceOp>(op)) {
      if (!reduction)
        reduction = reduce;
      continue;
    }
    auto elemental = dyn_cast<ElementalOpInterface>(op);
    if (!isa<ConstantOp>(op) && (!elemental || !elemental.getReductionShape().empty()))
      return std::nullopt;
  }
  if (reduction)
    return ReductionGroup(ops, reduction).analyze(outputs);
  ArrayRef<int64_t> domain = getShape(outputs.front());
  if (!llvm::all_of(outputs, [&](Value output) { return getShape(output) == domain; }))
    return std::nullopt;
  return makeShape(KernelKind::Loop, domain);
}

std::optional<KernelShape> lgc::analyzeKernel(func::FuncOp kernel) {
  SmallVector<Operation *> ops;
  for (Operation &op : kernel.getBody().front().without_terminator())
    ops.push_back(&op);
  Operation *terminator = kernel.getBody().front().getTerminator();
  return analyzeKernel(ops, SmallVector<Value>(terminator->getOperands()));
}
