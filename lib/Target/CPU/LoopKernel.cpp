//===- LoopKernel.cpp - Loops of kernels without shared reductions --------===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "ElementEmitter.h"
#include "KernelLoops.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace lgc;

SmallVector<Value>
lgc::emitLoopNest(OpBuilder &builder, Location loc, ArrayRef<int64_t> sizes, ValueRange carried,
                  llvm::function_ref<SmallVector<Value>(ValueRange, ValueRange)> body) {
  SmallVector<Value> indices;
  auto emitLevel = [&](auto &self, size_t level, ValueRange values) -> SmallVector<Value> {
    if (level == sizes.size())
      return body(indices, values);
    Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
    Value one = arith::ConstantIndexOp::create(builder, loc, 1);
    Value size = arith::ConstantIndexOp::create(builder, loc, sizes[level]);
    auto loop = scf::ForOp::create(builder, loc, zero, size, one, values);
    OpBuilder::InsertionGuard guard(builder);
    // Without carried values the loop's body already has its terminator.
    builder.setInsertionPointToStart(loop.getBody());
    indices.push_back(loop.getInductionVar());
    SmallVector<Value> next = self(self, level + 1, loop.getRegionIterArgs());
    indices.pop_back();
    if (!values.empty())
      scf::YieldOp::create(builder, loc, next);
    return SmallVector<Value>(loop.getResults());
  };
  return emitLevel(emitLevel, 0, carried);
}

int64_t lgc::estimatePointCost(func::FuncOp kernel) {
  int64_t cost = 1;
  for (Operation &op : kernel.getBody().front().without_terminator()) {
    if (isa<ConstantOp, BroadcastOp, ReshapeOp>(op))
      continue;
    if (isa<RandomUniformOp>(op))
      cost += 60;
    else if (isa<ExpOp, LogOp, Log1pOp, TanhOp, ErfOp, LogisticOp, PowOp, SinOp, CosOp>(op))
      cost += 15;
    else
      cost += 1;
  }
  return cost;
}

int64_t lgc::getGrain(int64_t itemCost) {
  // About 2 scalar operations a nanosecond and thread, vectorised.
  constexpr int64_t operationsWorthAThread = 40000;
  return std::max<int64_t>(1, operationsWorthAThread / std::max<int64_t>(1, itemCost));
}

Value lgc::enterItemLoop(OpBuilder &builder, const KernelLowering &lowering) {
  Location loc = func::FuncOp(lowering.kernel).getLoc();
  Value one = arith::ConstantIndexOp::create(builder, loc, 1);
  auto loop = scf::ForOp::create(builder, loc, lowering.begin, lowering.end, one);
  builder.setInsertionPointToStart(loop.getBody());
  return loop.getInductionVar();
}

KernelWork lgc::emitLoopKernel(OpBuilder &builder, KernelLowering &lowering) {
  Location loc = lowering.kernel.getLoc();
  CollapsedDomain domain =
      CollapsedDomain::compute(lowering.kernel, lowering.shape.domain, /*reducedDims=*/{});
  if (domain.sizes.empty()) {
    domain.sizes.push_back(1);
    domain.groups.push_back({});
  }
  auto emitPoint = [&](ValueRange loopIndices) {
    ElementEmitter emitter(builder, lowering.inputs);
    SmallVector<Value> indices = emitter.setPoint(loc, domain, loopIndices);
    SmallVector<Value> scalars;
    for (auto [tensor, buffer] : lowering.outputs)
      scalars.push_back(emitter.emit(tensor, indices));
    for (auto [scalar, output] : llvm::zip_equal(scalars, lowering.outputs))
      emitter.store(scalar, output.first, output.second, indices);
  };

  // A single loop splits by elements; more than one by all but the innermost.
  int64_t pointCost = estimatePointCost(lowering.kernel);
  SmallVector<int64_t> outer(ArrayRef(domain.sizes).drop_back());
  Value item = enterItemLoop(builder, lowering);
  if (outer.empty()) {
    emitPoint(item);
    return {domain.sizes.back(), getGrain(pointCost)};
  }
  SmallVector<Value> indices = delinearize(builder, loc, item, outer);
  emitLoopNest(builder, loc, domain.sizes.back(), {}, [&](ValueRange inner, ValueRange) {
    indices.push_back(inner.front());
    emitPoint(indices);
    return SmallVector<Value>();
  });
  return {llvm::product_of(outer), getGrain(pointCost * domain.sizes.back())};
}

KernelWork lgc::emitSingleReductionKernel(OpBuilder &builder, KernelLowering &lowering) {
  Location loc = lowering.kernel.getLoc();
  auto op = cast<ElementalOpInterface>(&lowering.kernel.getBody().front().front());
  SmallVector<int64_t> reduction = op.getReductionShape();
  Value item = enterItemLoop(builder, lowering);
  SmallVector<Value> indices = delinearize(builder, loc, item, lowering.shape.domain);
  SmallVector<Value> results = emitLoopNest(
      builder, loc, reduction, op.emitInit(builder), [&](ValueRange inner, ValueRange carried) {
        ElementEmitter emitter(builder, lowering.inputs);
        SmallVector<Value> point(indices);
        llvm::append_range(point, inner);
        return op.emitCombine(builder, carried, emitter.emitOp(op, point));
      });
  ElementEmitter emitter(builder, lowering.inputs);
  for (auto [tensor, buffer] : lowering.outputs)
    emitter.store(results[cast<OpResult>(tensor).getResultNumber()], tensor, buffer, indices);
  return {llvm::product_of(lowering.shape.domain), getGrain(2 * llvm::product_of(reduction))};
}

KernelWork lgc::emitOwnLoopsKernel(OpBuilder &builder, KernelLowering &lowering) {
  auto op = cast<KernelOpInterface>(&lowering.kernel.getBody().front().front());
  SmallVector<Value> operands, results(op->getNumResults());
  for (Value operand : op->getOperands())
    operands.push_back(lowering.inputs.lookup(operand));
  for (auto [tensor, buffer] : lowering.outputs)
    results[cast<OpResult>(tensor).getResultNumber()] = buffer;
  op.emitKernel(builder, operands, results, lowering.scratch);
  return {};
}
