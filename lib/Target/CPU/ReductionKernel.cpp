//===- ReductionKernel.cpp - Loops of kernels with reductions -------------===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//
//
// For each kept index the loops over the reduced dimensions run in stages: stage s computes the
// reductions of depth s + 1 and stores the outputs of depth s that lie on the domain. Where the
// innermost loop is reduced, accumulators are carried by the loops; where it is kept, a block of
// neighbouring kept indices runs innermost with its accumulators on the stack, so that memory
// is read along rows.
//
//===----------------------------------------------------------------------===//

#include "ElementEmitter.h"
#include "KernelLoops.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace lgc;

namespace {

class ReductionEmitter {
public:
  ReductionEmitter(OpBuilder &builder, KernelLowering &lowering)
      : builder(builder), lowering(lowering), loc(lowering.kernel.getLoc()),
        buffers(lowering.inputs),
        domain(CollapsedDomain::compute(lowering.kernel, lowering.shape.domain,
                                        lowering.shape.reducedDims)) {
    for (auto [group, dims] : llvm::enumerate(domain.groups)) {
      bool reduced = llvm::is_contained(lowering.shape.reducedDims, dims.front());
      (reduced ? reducedGroups : keptGroups).push_back(group);
    }
    for (size_t group : reducedGroups)
      reducedSizes.push_back(domain.sizes[group]);
    for (Operation &op : lowering.kernel.getBody().front().without_terminator()) {
      unsigned depth = lowering.shape.depth.lookup(&op);
      maxDepth = std::max(maxDepth, depth);
      if (auto reduce = dyn_cast<ReduceOp>(op))
        reductions[depth - 1].push_back(reduce);
    }
  }

  KernelWork emit();

private:
  using Reductions = SmallVector<ReduceOp>;

  bool isKeptInnermost() const {
    return !keptGroups.empty() && keptGroups.back() + 1 == domain.groups.size();
  }
  unsigned getDepth(Value value) const {
    return lowering.shape.depth.lookup(value.getDefiningOp());
  }
  bool isOnDomain(Value value) const {
    return cast<RankedTensorType>(value.getType()).getShape() == ArrayRef(lowering.shape.domain);
  }

  SmallVector<Value> getLoopIndices(ValueRange kept, ValueRange reduced) const;
  SmallVector<Value> getKeptIndices(ElementEmitter &emitter, Value tensor, ValueRange kept);
  SmallVector<std::pair<Value, Value>> getStageOutputs(unsigned stage) const;
  void storePoint(ElementEmitter &emitter, unsigned stage, ValueRange indices);
  SmallVector<Value> combinePoint(ElementEmitter &emitter, ArrayRef<ReduceOp> stage,
                                  ValueRange indices, ValueRange accumulators);
  void storeKept(ElementEmitter &emitter, ValueRange kept);
  void readBackOutputs(unsigned stage);

  void emitCarriedItem(Value item);
  void emitBlockItem(Value item, int64_t blockSize, ArrayRef<int64_t> outerSizes);

  OpBuilder &builder;
  KernelLowering &lowering;
  Location loc;
  DenseMap<Value, Value> buffers;
  CollapsedDomain domain;
  SmallVector<size_t> keptGroups, reducedGroups;
  SmallVector<int64_t> reducedSizes;
  std::map<unsigned, Reductions> reductions;
  unsigned maxDepth = 0;
  /// Results of reductions at the current kept index, or their accumulators on the stack.
  DenseMap<Value, Value> scalars, accumulators;
};

} // namespace

SmallVector<Value> ReductionEmitter::getLoopIndices(ValueRange kept, ValueRange reduced) const {
  SmallVector<Value> indices(domain.groups.size());
  for (auto [group, index] : llvm::zip_equal(keptGroups, kept))
    indices[group] = index;
  for (auto [group, index] : llvm::zip_equal(reducedGroups, reduced))
    indices[group] = index;
  return indices;
}

/// The index of a value on the kept dimensions, with or without unit dimensions for the others.
/// Sets the emitter's point, with zeros for the reduced loops.
SmallVector<Value> ReductionEmitter::getKeptIndices(ElementEmitter &emitter, Value tensor,
                                                    ValueRange kept) {
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
  SmallVector<Value> zeros(reducedGroups.size(), zero);
  SmallVector<Value> full = emitter.setPoint(loc, domain, getLoopIndices(kept, zeros));
  bool hasUnitDims =
      cast<RankedTensorType>(tensor.getType()).getRank() == static_cast<int64_t>(full.size());
  SmallVector<Value> indices;
  for (auto [dim, index] : llvm::enumerate(full)) {
    bool reduced = llvm::is_contained(lowering.shape.reducedDims, static_cast<int64_t>(dim));
    if (!reduced)
      indices.push_back(index);
    else if (hasUnitDims)
      indices.push_back(zero);
  }
  return indices;
}

SmallVector<std::pair<Value, Value>> ReductionEmitter::getStageOutputs(unsigned stage) const {
  SmallVector<std::pair<Value, Value>> outputs;
  for (auto [tensor, buffer] : lowering.outputs)
    if (isOnDomain(tensor) && getDepth(tensor) == stage)
      outputs.push_back({tensor, buffer});
  return outputs;
}

void ReductionEmitter::storePoint(ElementEmitter &emitter, unsigned stage, ValueRange indices) {
  SmallVector<std::pair<Value, Value>> outputs = getStageOutputs(stage);
  SmallVector<Value> elements;
  for (auto [tensor, buffer] : outputs)
    elements.push_back(emitter.emit(tensor, indices));
  for (auto [element, output] : llvm::zip_equal(elements, outputs))
    emitter.store(element, output.first, output.second, indices);
}

SmallVector<Value> ReductionEmitter::combinePoint(ElementEmitter &emitter, ArrayRef<ReduceOp> stage,
                                                  ValueRange indices, ValueRange carried) {
  SmallVector<Value> next;
  for (auto [constReduce, accumulator] : llvm::zip_equal(stage, carried)) {
    ReduceOp reduce = constReduce;
    SmallVector<Value> at, inner;
    for (auto [dim, index] : llvm::enumerate(indices))
      (llvm::is_contained(lowering.shape.reducedDims, static_cast<int64_t>(dim)) ? inner : at)
          .push_back(index);
    llvm::append_range(at, inner);
    auto op = cast<ElementalOpInterface>(reduce.getOperation());
    llvm::append_range(next, op.emitCombine(builder, accumulator, emitter.emitOp(op, at)));
  }
  return next;
}

void ReductionEmitter::storeKept(ElementEmitter &emitter, ValueRange kept) {
  // All are computed before the first is stored, since that may be in place of an input.
  struct Element {
    Value scalar, tensor, buffer;
    SmallVector<Value> indices;
  };
  SmallVector<Element> elements;
  for (auto [tensor, buffer] : lowering.outputs) {
    if (isOnDomain(tensor))
      continue;
    SmallVector<Value> indices = getKeptIndices(emitter, tensor, kept);
    elements.push_back({emitter.emit(tensor, indices), tensor, buffer, indices});
  }
  for (const Element &element : elements)
    emitter.store(element.scalar, element.tensor, element.buffer, element.indices);
}

/// Lets later stages read what a stage has stored rather than compute it again, where the buffer
/// holds it exactly.
void ReductionEmitter::readBackOutputs(unsigned stage) {
  for (auto [tensor, buffer] : getStageOutputs(stage)) {
    Type element = cast<RankedTensorType>(tensor.getType()).getElementType();
    if (getComputeType(element) == getStorageType(element))
      buffers[tensor] = buffer;
  }
}

void ReductionEmitter::emitCarriedItem(Value item) {
  SmallVector<int64_t> keptSizes;
  for (size_t group : keptGroups)
    keptSizes.push_back(domain.sizes[group]);
  SmallVector<Value> kept = delinearize(builder, loc, item, keptSizes);
  for (unsigned stage = 0; stage <= maxDepth; ++stage) {
    Reductions &stageReductions = reductions[stage];
    if (stageReductions.empty() && getStageOutputs(stage).empty())
      continue;
    SmallVector<Value> init;
    for (ReduceOp reduce : stageReductions)
      llvm::append_range(init, cast<ElementalOpInterface>(reduce.getOperation()).emitInit(builder));
    SmallVector<Value> results =
        emitLoopNest(builder, loc, reducedSizes, init, [&](ValueRange reduced, ValueRange carried) {
          ElementEmitter emitter(builder, buffers);
          for (auto [tensor, scalar] : scalars)
            emitter.bindScalar(tensor, scalar);
          SmallVector<Value> indices = emitter.setPoint(loc, domain, getLoopIndices(kept, reduced));
          SmallVector<Value> next = combinePoint(emitter, stageReductions, indices, carried);
          storePoint(emitter, stage, indices);
          return next;
        });
    for (auto [reduce, result] : llvm::zip_equal(stageReductions, results))
      scalars[reduce.getResult()] = result;
    readBackOutputs(stage);
  }
  ElementEmitter emitter(builder, buffers);
  for (auto [tensor, scalar] : scalars)
    emitter.bindScalar(tensor, scalar);
  storeKept(emitter, kept);
}

void ReductionEmitter::emitBlockItem(Value item, int64_t blockSize, ArrayRef<int64_t> outerSizes) {
  int64_t extent = domain.sizes.back();
  SmallVector<Value> kept = delinearize(builder, loc, item, outerSizes);
  Value block = arith::ConstantIndexOp::create(builder, loc, blockSize);
  Value start = arith::MulIOp::create(builder, loc, kept.pop_back_val(), block);
  Value left = arith::SubIOp::create(builder, loc,
                                     arith::ConstantIndexOp::create(builder, loc, extent), start);
  Value length = arith::MinUIOp::create(builder, loc, left, block);

  // Runs `body` for each column of the block with an emitter that knows the reductions so far.
  auto forColumns =
      [&](llvm::function_ref<void(ElementEmitter &, Value, SmallVector<Value>)> body) {
        OpBuilder::InsertionGuard guard(builder);
        Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
        Value one = arith::ConstantIndexOp::create(builder, loc, 1);
        auto loop = scf::ForOp::create(builder, loc, zero, length, one);
        builder.setInsertionPointToStart(loop.getBody());
        Value column = loop.getInductionVar();
        ElementEmitter emitter(builder, buffers);
        for (auto [tensor, accumulator] : accumulators)
          emitter.bindScalar(tensor, memref::LoadOp::create(builder, loc, accumulator, column));
        SmallVector<Value> indices(kept);
        indices.push_back(arith::AddIOp::create(builder, loc, start, column));
        body(emitter, column, indices);
      };

  for (unsigned stage = 0; stage <= maxDepth; ++stage) {
    Reductions &stageReductions = reductions[stage];
    if (stageReductions.empty() && getStageOutputs(stage).empty())
      continue;
    SmallVector<Value> stageAccumulators;
    for (ReduceOp reduce : stageReductions) {
      OpBuilder atStart = OpBuilder::atBlockBegin(&builder.getInsertionBlock()
                                                       ->getParentOp()
                                                       ->getParentOfType<func::FuncOp>()
                                                       .getBody()
                                                       .front());
      Type type = getComputeType(reduce.getType().getElementType());
      Value accumulator = memref::AllocaOp::create(atStart, loc, MemRefType::get({blockSize}, type),
                                                   builder.getI64IntegerAttr(64));
      stageAccumulators.push_back(accumulator);
      forColumns([&](ElementEmitter &, Value column, SmallVector<Value>) {
        Value init = cast<ElementalOpInterface>(reduce.getOperation()).emitInit(builder).front();
        memref::StoreOp::create(builder, loc, init, accumulator, column);
      });
    }
    emitLoopNest(builder, loc, reducedSizes, {}, [&](ValueRange reduced, ValueRange) {
      forColumns([&](ElementEmitter &emitter, Value column, SmallVector<Value> at) {
        SmallVector<Value> indices = emitter.setPoint(loc, domain, getLoopIndices(at, reduced));
        SmallVector<Value> carried;
        for (Value accumulator : stageAccumulators)
          carried.push_back(memref::LoadOp::create(builder, loc, accumulator, column));
        SmallVector<Value> next = combinePoint(emitter, stageReductions, indices, carried);
        storePoint(emitter, stage, indices);
        for (auto [accumulator, value] : llvm::zip_equal(stageAccumulators, next))
          memref::StoreOp::create(builder, loc, value, accumulator, column);
      });
      return SmallVector<Value>();
    });
    for (auto [reduce, accumulator] : llvm::zip_equal(stageReductions, stageAccumulators))
      accumulators[reduce.getResult()] = accumulator;
    readBackOutputs(stage);
  }
  forColumns(
      [&](ElementEmitter &emitter, Value, SmallVector<Value> at) { storeKept(emitter, at); });
}

KernelWork ReductionEmitter::emit() {
  Value item = enterItemLoop(builder, lowering);
  int64_t pointCost = estimatePointCost(lowering.kernel) * (maxDepth + 1);
  int64_t points = llvm::product_of(reducedSizes);
  if (!isKeptInnermost()) {
    emitCarriedItem(item);
    int64_t count = 1;
    for (size_t group : keptGroups)
      count *= domain.sizes[group];
    return {count, getGrain(pointCost * points)};
  }
  // Blocks are rows of whole cache lines, small enough to leave some for each thread.
  int64_t extent = domain.sizes.back();
  int64_t blockSize = std::max<int64_t>(1, std::min<int64_t>(extent, extent >= 1024 ? 128 : 64));
  SmallVector<int64_t> outerSizes;
  for (size_t group : ArrayRef(keptGroups).drop_back())
    outerSizes.push_back(domain.sizes[group]);
  outerSizes.push_back((extent + blockSize - 1) / blockSize);
  emitBlockItem(item, blockSize, outerSizes);
  return {llvm::product_of(outerSizes), getGrain(pointCost * points * blockSize)};
}

KernelWork lgc::emitReductionKernel(OpBuilder &builder, KernelLowering &lowering) {
  return ReductionEmitter(builder, lowering).emit();
}
