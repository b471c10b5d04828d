//===- Autodiff.cpp - Reverse-mode differentiation ------------------------===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "lgc/Training/Autodiff.h"
#include "lgc/IR/LgcOps.h"
#include "lgc/IR/TensorMath.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;
using namespace lgc;

static bool isFloatTensor(Value value) {
  auto tensor = dyn_cast<RankedTensorType>(value.getType());
  return tensor && isa<FloatType>(tensor.getElementType());
}

DenseSet<Value> lgc::findInfluences(Value loss) {
  DenseSet<Value> influences{loss};
  for (Operation &op : llvm::reverse(*loss.getParentBlock())) {
    if (op.hasTrait<lgc::OpTrait::ZeroGradient>() ||
        llvm::none_of(op.getResults(), [&](Value result) { return influences.contains(result); }))
      continue;
    for (Value operand : op.getOperands())
      if (isFloatTensor(operand))
        influences.insert(operand);
  }
  return influences;
}

namespace {

/// The operations on paths from parameters to the loss, in the order of the block.
class ActivePaths {
public:
  ActivePaths(Value loss, ArrayRef<Value> parameters) {
    Block *block = loss.getParentBlock();
    varied.insert(parameters.begin(), parameters.end());
    // Forward: what depends on a parameter.
    SmallVector<Operation *> dependent;
    for (Operation &op : *block) {
      if (op.hasTrait<lgc::OpTrait::ZeroGradient>() ||
          llvm::none_of(op.getOperands(), [&](Value operand) { return varied.contains(operand); }))
        continue;
      bool isVaried = false;
      for (Value result : op.getResults()) {
        if (!isFloatTensor(result))
          continue;
        varied.insert(result);
        isVaried = true;
      }
      if (isVaried)
        dependent.push_back(&op);
    }
    // Backward: of these, what the loss depends on.
    DenseSet<Value> influences = findInfluences(loss);
    llvm::copy_if(dependent, std::back_inserter(ops), [&](Operation *op) {
      return llvm::any_of(op->getResults(),
                          [&](Value result) { return influences.contains(result); });
    });
  }

  bool isVaried(Value value) const { return varied.contains(value); }
  ArrayRef<Operation *> getOps() const { return ops; }

private:
  DenseSet<Value> varied;
  SmallVector<Operation *> ops;
};

} // namespace

/// An error for each operation without a gradient, so that a user sees them all at once.
static LogicalResult checkDifferentiable(ArrayRef<Operation *> ops) {
  bool failed = false;
  for (Operation *op : ops) {
    if (isa<GradientOpInterface>(op))
      continue;
    op->emitError("has no gradient, but the loss depends on parameters through it; freeze these "
                  "parameters or export the model without '")
        << op->getName() << "'";
    failed = true;
  }
  return failure(failed);
}

LogicalResult lgc::buildGradients(OpBuilder &builder, Value loss, ArrayRef<Value> parameters,
                                  SmallVectorImpl<Value> &gradients) {
  ActivePaths paths(loss, parameters);
  if (failed(checkDifferentiable(paths.getOps())))
    return failure();
  DenseMap<Value, Value> cotangents;
  cotangents[loss] = TensorMath(builder, loss.getLoc()).splatLike(loss, 1.0);
  auto accumulate = [&](Value value, Value part) {
    Value &sum = cotangents[value];
    sum = sum ? TensorMath(builder, value.getLoc()).add(sum, part) : part;
  };
  for (Operation *op : llvm::reverse(paths.getOps())) {
    SmallVector<Value> resultGradients;
    for (Value result : op->getResults())
      resultGradients.push_back(cotangents.lookup(result));
    if (llvm::none_of(resultGradients, [](Value gradient) { return gradient != nullptr; }))
      continue;
    llvm::BitVector wanted(op->getNumOperands());
    for (auto [i, operand] : llvm::enumerate(op->getOperands()))
      if (paths.isVaried(operand))
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
  }
  for (Value parameter : parameters)
    gradients.push_back(cotangents.lookup(parameter));
  return success();
}
