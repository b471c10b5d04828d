//===- Autodiff.cpp - Reverse-mode differentiation ------------------------===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "lgc/Training/Autodiff.h"
#include "lgc/IR/LgcOps.h"
#include "lgc/IR/TensorMath.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/DenseMap.h"

using namespace mlir;
using namespace lgc;

static bool isFloatTensor(Value value) {
  auto tensor = dyn_cast<RankedTensorType>(value.getType());
  return tensor && isa<FloatType>(tensor.getElementType());
}

/// Adds what the values found so far depend on differentiably, in the block and its regions.
static void collectInfluences(Block &block, DenseSet<Value> &influences) {
  for (Operation &op : llvm::reverse(block)) {
    if (op.hasTrait<lgc::OpTrait::ZeroGradient>() ||
        llvm::none_of(op.getResults(), [&](Value result) { return influences.contains(result); }))
      continue;
    auto region = dyn_cast<CheckpointOp>(op);
    if (!region) {
      for (Value operand : op.getOperands())
        if (isFloatTensor(operand))
          influences.insert(operand);
      continue;
    }
    Block &body = region.getBody().front();
    for (auto [result, yielded] :
         llvm::zip_equal(op.getResults(), body.getTerminator()->getOperands()))
      if (influences.contains(result))
        influences.insert(yielded);
    collectInfluences(body, influences);
    for (auto [argument, input] : llvm::zip_equal(body.getArguments(), region.getInputs()))
      if (influences.contains(argument))
        influences.insert(input);
  }
}

/// Adds the results that depend differentiably on what varies already, in the operations and
/// their regions.
template <typename Range> static void collectVaried(Range &&ops, DenseSet<Value> &varied) {
  for (Operation &op : ops) {
    if (op.hasTrait<lgc::OpTrait::ZeroGradient>())
      continue;
    if (auto region = dyn_cast<CheckpointOp>(op)) {
      Block &body = region.getBody().front();
      for (auto [argument, input] : llvm::zip_equal(body.getArguments(), region.getInputs()))
        if (varied.contains(input))
          varied.insert(argument);
      collectVaried(body.without_terminator(), varied);
      for (auto [result, yielded] :
           llvm::zip_equal(op.getResults(), body.getTerminator()->getOperands()))
        if (varied.contains(yielded))
          varied.insert(result);
    } else if (llvm::any_of(op.getOperands(),
                            [&](Value operand) { return varied.contains(operand); })) {
      for (Value result : op.getResults())
        if (isFloatTensor(result))
          varied.insert(result);
    }
  }
}

DenseSet<Value> lgc::findInfluences(Value loss) {
  DenseSet<Value> influences{loss};
  collectInfluences(*loss.getParentBlock(), influences);
  return influences;
}

namespace {

/// Walks operations in reverse and adds up, for each value, what its uses contribute.
class Differentiator {
public:
  Differentiator(OpBuilder &builder, DenseSet<Value> varied)
      : builder(builder), varied(std::move(varied)) {}

  void accumulate(Value value, Value part) {
    Value &sum = cotangents[value];
    sum = sum ? TensorMath(builder, value.getLoc()).add(sum, part) : part;
  }
  Value lookup(Value value) const { return cotangents.lookup(value); }

  LogicalResult run(ArrayRef<Operation *> ops);

private:
  LogicalResult differentiate(Operation *op, ValueRange resultGradients);
  LogicalResult recompute(CheckpointOp region, ValueRange resultGradients);

  OpBuilder &builder;
  DenseSet<Value> varied;
  DenseMap<Value, Value> cotangents;
};

} // namespace

LogicalResult Differentiator::run(ArrayRef<Operation *> ops) {
  for (Operation *op : llvm::reverse(ops)) {
    SmallVector<Value> resultGradients;
    for (Value result : op->getResults())
      resultGradients.push_back(varied.contains(result) ? cotangents.lookup(result) : nullptr);
    if (llvm::none_of(resultGradients, [](Value gradient) { return gradient != nullptr; }))
      continue;
    auto region = dyn_cast<CheckpointOp>(op);
    if (failed(region ? recompute(region, resultGradients) : differentiate(op, resultGradients)))
      return failure();
  }
  return success();
}

LogicalResult Differentiator::differentiate(Operation *op, ValueRange resultGradients) {
  llvm::BitVector wanted(op->getNumOperands());
  for (auto [i, operand] : llvm::enumerate(op->getOperands()))
    if (varied.contains(operand))
      wanted.set(i);
  SmallVector<Value> operandGradients =
      cast<GradientOpInterface>(op).buildGradient(builder, resultGradients, wanted);
  for (auto [i, gradient] : llvm::enumerate(operandGradients)) {
    if (!wanted[i])
      continue;
    if (!gradient)
      return op->emitError("has no gradient to operand ")
             << i << " in this form, but the loss depends on parameters through it; freeze these "
             << "parameters or export the model without it";
    accumulate(op->getOperand(i), gradient);
  }
  return success();
}

/// Runs the region again, once the gradients of its results are known, and differentiates that.
LogicalResult Differentiator::recompute(CheckpointOp region, ValueRange resultGradients) {
  SmallVector<Value> known(
      llvm::make_filter_range(resultGradients, [](Value gradient) { return gradient != nullptr; }));
  auto barrier = BarrierOp::create(builder, region.getLoc(), region.getInputs().getTypes(),
                                   region.getInputs(), known);
  Block &body = region.getBody().front();
  IRMapping mapping;
  mapping.map(body.getArguments(), barrier.getResults());
  SmallVector<Operation *> ops;
  for (Operation &op : body.without_terminator())
    ops.push_back(builder.clone(op, mapping));
  for (auto [input, again] : llvm::zip_equal(region.getInputs(), barrier.getResults()))
    if (varied.contains(input))
      varied.insert(again);
  collectVaried(llvm::make_pointee_range(ops), varied);
  for (auto [yielded, gradient] :
       llvm::zip_equal(body.getTerminator()->getOperands(), resultGradients))
    if (gradient)
      accumulate(mapping.lookup(yielded), gradient);
  if (failed(run(ops)))
    return failure();
  for (auto [input, again] : llvm::zip_equal(region.getInputs(), barrier.getResults()))
    if (Value gradient = lookup(again); gradient && varied.contains(input))
      accumulate(input, gradient);
  return success();
}

/// An error for each operation without a gradient, so that a user sees them all at once.
static LogicalResult checkDifferentiable(Block &block, const DenseSet<Value> &varied,
                                         const DenseSet<Value> &influences) {
  bool failed = false;
  block.walk([&](Operation *op) {
    if (isa<GradientOpInterface, CheckpointOp>(op) || op->hasTrait<lgc::OpTrait::ZeroGradient>() ||
        llvm::none_of(op->getResults(), [&](Value result) {
          return varied.contains(result) && influences.contains(result);
        }))
      return;
    failed = true;
    op->emitError("has no gradient, but the loss depends on parameters through it; freeze these "
                  "parameters or export the model without '")
        << op->getName() << "'";
  });
  return failure(failed);
}

LogicalResult lgc::buildGradients(OpBuilder &builder, Value loss, ArrayRef<Value> parameters,
                                  SmallVectorImpl<Value> &gradients) {
  Block &block = *loss.getParentBlock();
  SmallVector<Operation *> ops;
  for (Operation &op : block)
    ops.push_back(&op);
  DenseSet<Value> varied(parameters.begin(), parameters.end());
  collectVaried(block, varied);
  if (failed(checkDifferentiable(block, varied, findInfluences(loss))))
    return failure();
  Differentiator differentiator(builder, std::move(varied));
  differentiator.accumulate(loss, TensorMath(builder, loss.getLoc()).splatLike(loss, 1.0));
  if (failed(differentiator.run(ops)))
    return failure();
  for (Value parameter : parameters)
    gradients.push_back(differentiator.lookup(parameter));
  return success();
}

void lgc::inlineCheckpoints(Operation *root) {
  IRRewriter rewriter(root->getContext());
  // Inner ones first, so that nothing is visited twice.
  root->walk([&](CheckpointOp region) {
    Block &body = region.getBody().front();
    Operation *yield = body.getTerminator();
    SmallVector<Value> yielded(yield->getOperands());
    rewriter.eraseOp(yield);
    // Values that are passed through are arguments until then.
    IRMapping arguments;
    arguments.map(body.getArguments(), region.getInputs());
    rewriter.inlineBlockBefore(&body, region, region.getInputs());
    for (Value &value : yielded)
      value = arguments.lookupOrDefault(value);
    rewriter.replaceOp(region, yielded);
  });
}
