//===- MicroBatchForward.cpp - @forward over micro-batches ----------------===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "MicroBatchForward.h"
#include "MeanLoss.h"
#include "ModelFunction.h"

using namespace mlir;
using namespace lgc;

static RankedTensorType getType(Value value) { return cast<RankedTensorType>(value.getType()); }

/// The inputs that are split into micro-batches.
static SmallVector<BlockArgument> getBatchedInputs(const ModelFunction &model) {
  SmallVector<BlockArgument> inputs;
  for (BlockArgument argument : model.get().getArguments())
    if (model.getRole(argument) == Role::Input && ::getType(argument).getRank() > 0)
      inputs.push_back(argument);
  return inputs;
}

/// Moves the function's operations into a loop that adds up the parts of the loss.
static MicroBatchesOp wrapInLoop(const ModelFunction &model, const LossParts &parts,
                                 int64_t microBatches) {
  Location loc = model.get().getLoc();
  Block &entry = model.get().getBody().front();
  SmallVector<Operation *> operations(llvm::make_pointer_range(entry.without_terminator()));
  SmallVector<BlockArgument> inputs = getBatchedInputs(model);
  SmallVector<Type> types{
      RankedTensorType::get({}, IntegerType::get(model.get().getContext(), 64))};
  llvm::append_range(types,
                     ValueRange(SmallVector<Value>(inputs.begin(), inputs.end())).getTypes());
  llvm::append_range(types, TypeRange{parts.sum.getType(), parts.count.getType()});

  OpBuilder builder(model.getReturn());
  TensorMath t(builder, loc);
  SmallVector<Value> batched(inputs.begin(), inputs.end());
  SmallVector<Value> carried{t.zerosLike(parts.sum), t.zerosLike(parts.count)};
  auto loop = MicroBatchesOp::create(builder, loc, ValueRange(carried).getTypes(), microBatches,
                                     batched, carried);
  Block *body =
      builder.createBlock(&loop.getBody(), {}, types, SmallVector<Location>(types.size(), loc));
  for (Operation *op : operations)
    op->moveBefore(body, body->end());
  for (auto [i, input] : llvm::enumerate(inputs))
    input.replaceUsesWithIf(body->getArgument(1 + i),
                            [&](OpOperand &use) { return use.getOwner() != loop; });
  auto sums = body->getArguments().drop_front(1 + inputs.size());
  YieldOp::create(builder, loc, ValueRange{t.add(sums[0], parts.sum), t.add(sums[1], parts.count)});
  return loop;
}

LogicalResult lgc::growForward(func::FuncOp forward, int64_t microBatches) {
  ModelFunction model(forward);
  Value loss = model.findOutput("lgc.forward_loss");
  std::optional<LossParts> parts = loss ? matchMeanLoss(loss) : std::nullopt;
  if (!parts)
    return forward.emitError("has no 'lgc.forward_loss' that is a sum divided by a count; run "
                             "lgc-add-loss first");
  MicroBatchesOp loop = wrapInLoop(model, *parts, microBatches);
  for (BlockArgument input : getBatchedInputs(model)) {
    SmallVector<int64_t> shape(::getType(input).getShape());
    shape[0] *= microBatches;
    input.setType(::getType(input).clone(shape));
  }
  model.clearResults();
  forward.setType(
      FunctionType::get(forward.getContext(), forward.getBody().getArgumentTypes(), {}));
  OpBuilder builder(model.getReturn());
  TensorMath t(builder, forward.getLoc());
  model.addResult(buildMeanLoss(t, {loop.getResult(0), loop.getResult(1)}), LgcDialect::kNameAttr,
                  "lgc.forward_loss");
  // The logits of a whole batch are nowhere: nothing can be counted as right or wrong.
  forward->getParentOfType<ModuleOp>()->removeAttr("lgc.classification");
  return success();
}
