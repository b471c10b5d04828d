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

/// Whether every element of a value of the domain's shape is read only at its own index.
static bool isReadInPlace(Value value, const KernelShape &shape,
                          DenseMap<Value, bool> &known) {
  if (auto at = known.find(value); at != known.end())
    return at->second;
  bool inPlace = getTensor(value).getShape() == ArrayRef(shape.domain);
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

void lgc::markInPlaceArguments(func::FuncOp kernel) {
  std::optional<KernelShape> shape = analyzeKernel(kernel);
  if (!shape || (shape->kind != KernelKind::Loop && shape->kind != KernelKind::Reduction))
    return;
  unsigned lastStage = 0;
  for (Operation &op : kernel.getBody().front())
    lastStage = std::max(lastStage, shape->depth.lookup(&op));

  DenseMap<Value, bool> known;
  llvm::BitVector taken(kernel.getNumResults());
  OperandRange results = kernel.getBody().front().getTerminator()->getOperands();
  Builder builder(kernel.getContext());
  for (BlockArgument argument : kernel.getArguments()) {
    if (!isReadInPlace(argument, *shape, known))
      continue;
    for (auto [number, result] : llvm::enumerate(results)) {
      // A result that is stored before the last stage would destroy what later stages read.
      Operation *definition = result.getDefiningOp();
      if (taken[number] || !definition || shape->depth.lookup(definition) != lastStage ||
          getTensor(result).getShape() != getTensor(argument).getShape() ||
          getTensor(result).getElementTypeBitWidth() !=
              getTensor(argument).getElementTypeBitWidth())
        continue;
      kernel.setArgAttr(argument.getArgNumber(), kInPlaceAttr,
                        builder.getI64IntegerAttr(number));
      taken.set(number);
      break;
    }
  }
}
