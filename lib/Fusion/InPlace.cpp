//===- InPlace.cpp - Which results may take over an argument --------------===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "InPlace.h"
#include "GroupAttr.h"
#include "lgc/Fusion/KernelShape.h"
#include "lgc/IR/LgcOps.h"

using namespace mlir;
using namespace lgc;

static RankedTensorType getTensor(Value value) { return cast<RankedTensorType>(value.getType()); }

/// Whether every element of a value of this shape is read only at its own index.
static bool isReadInPlace(Value value, ArrayRef<int64_t> shape, DenseMap<Value, bool> &known) {
  if (auto at = known.find(value); at != known.end())
    return at->second;
  bool inPlace = getTensor(value).getShape() == shape;
  for (Operation *user : value.getUsers()) {
    if (!inPlace)
      break;
    // A reduction over the domain visits each element at its own index, too.
    if (user->hasTrait<mlir::OpTrait::IsTerminator>() || isa<ReduceOp>(user))
      continue;
    inPlace = user->hasTrait<mlir::OpTrait::Elementwise>() &&
              llvm::all_of(user->getResults(),
                           [&](Value result) { return isReadInPlace(result, shape, known); });
  }
  return known[value] = inPlace;
}

/// A scatter leaves most elements as they are: it works in the buffer that it changes.
static void markScatterOperand(func::FuncOp kernel) {
  Operation &op = kernel.getBody().front().front();
  if (!isa<ScatterOp, ScatterNdOp, ScatterElementsOp>(op))
    return;
  auto operand = dyn_cast<BlockArgument>(op.getOperand(0));
  if (operand && operand.hasOneUse())
    kernel.setArgAttr(operand.getArgNumber(), kInPlaceAttr,
                      Builder(kernel.getContext()).getDenseI64ArrayAttr({0}));
}

void lgc::markInPlaceArguments(func::FuncOp kernel) {
  std::optional<KernelShape> shape = analyzeKernel(kernel);
  if (shape && shape->kind == KernelKind::OwnLoops)
    markScatterOperand(kernel);
  if (!shape || (shape->kind != KernelKind::Loop && shape->kind != KernelKind::Reduction))
    return;
  unsigned lastStage = 0;
  for (Operation &op : kernel.getBody().front())
    lastStage = std::max(lastStage, shape->depth.lookup(&op));
  SmallVector<int64_t> kept = shape->getKeptShape();

  DenseMap<Value, bool> known;
  OperandRange results = kernel.getBody().front().getTerminator()->getOperands();
  Builder builder(kernel.getContext());
  for (BlockArgument argument : kernel.getArguments()) {
    ArrayRef<int64_t> argumentShape = getTensor(argument).getShape();
    bool isOnDomain = argumentShape == ArrayRef(shape->domain);
    if ((!isOnDomain && argumentShape != ArrayRef(kept)) ||
        !isReadInPlace(argument, argumentShape, known))
      continue;
    SmallVector<int64_t> takers;
    for (auto [number, result] : llvm::enumerate(results)) {
      // A result on the domain that is stored before the last stage would destroy what later
      // stages read; those on the kept dimensions are stored after all stages.
      Operation *definition = result.getDefiningOp();
      if (definition && (!isOnDomain || shape->depth.lookup(definition) == lastStage) &&
          getTensor(result).getShape() == argumentShape &&
          getTensor(result).getElementTypeBitWidth() ==
              getTensor(argument).getElementTypeBitWidth())
        takers.push_back(number);
    }
    if (!takers.empty())
      kernel.setArgAttr(argument.getArgNumber(), kInPlaceAttr,
                        builder.getDenseI64ArrayAttr(takers));
  }
}
