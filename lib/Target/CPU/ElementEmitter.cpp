//===- ElementEmitter.cpp - Scalar code of a kernel's values --------------===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "ElementEmitter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"

using namespace mlir;
using namespace lgc;

Type lgc::getStorageType(Type elementType) {
  if (auto integer = dyn_cast<IntegerType>(elementType))
    return IntegerType::get(elementType.getContext(), integer.getWidth());
  return elementType;
}

MemRefType lgc::getBufferType(Type tensorType) {
  auto tensor = cast<RankedTensorType>(tensorType);
  Type element = getStorageType(tensor.getElementType());
  // MLIR passes no empty buffer of several dimensions as a pointer unless its strides are given.
  MemRefLayoutAttrInterface layout;
  if (tensor.getRank() > 1 && tensor.getNumElements() == 0)
    layout = StridedLayoutAttr::get(tensor.getContext(), /*offset=*/0,
                                    SmallVector<int64_t>(tensor.getRank(), 1));
  return MemRefType::get(tensor.getShape(), element, layout);
}

SmallVector<Value> lgc::delinearize(OpBuilder &builder, Location loc, Value linear,
                                    ArrayRef<int64_t> sizes) {
  SmallVector<Value> indices(sizes.size());
  for (size_t i = sizes.size(); i-- > 0;) {
    if (i == 0) {
      indices[0] = linear;
      break;
    }
    Value size = arith::ConstantIndexOp::create(builder, loc, sizes[i]);
    indices[i] = arith::RemUIOp::create(builder, loc, linear, size);
    linear = arith::DivUIOp::create(builder, loc, linear, size);
  }
  return indices;
}

//===----------------------------------------------------------------------===//
// Collapsed domains
//===----------------------------------------------------------------------===//

/// Marks the borders between dimensions `i` and `i + 1` of the domain at which a broadcast into
/// it changes between repeating and following its operand.
static void markBroadcastBorders(BroadcastOp op, ArrayRef<int64_t> shape,
                                 MutableArrayRef<bool> border) {
  ArrayRef<int64_t> from = op.getOperand().getType().getShape();
  SmallVector<bool> follows(shape.size(), false);
  for (auto [i, dim] : llvm::enumerate(op.getDims()))
    follows[dim] = from[i] == shape[dim];
  for (size_t i = 0; i + 1 < shape.size(); ++i)
    border[i] = border[i] || follows[i] != follows[i + 1];
}

CollapsedDomain CollapsedDomain::compute(func::FuncOp kernel, ArrayRef<int64_t> shape,
                                         ArrayRef<int64_t> reducedDims) {
  SmallVector<bool> border(shape.empty() ? 0 : shape.size() - 1, false);
  for (size_t i = 0; i < border.size(); ++i)
    border[i] = llvm::is_contained(reducedDims, static_cast<int64_t>(i)) !=
                llvm::is_contained(reducedDims, static_cast<int64_t>(i) + 1);
  for (Operation &op : kernel.getBody().front().without_terminator()) {
    if (op.hasTrait<mlir::OpTrait::Elementwise>() || isa<ReduceOp, ConstantOp>(op))
      continue;
    if (cast<RankedTensorType>(op.getResult(0).getType()).getShape() != shape)
      continue;
    if (auto broadcast = dyn_cast<BroadcastOp>(op))
      markBroadcastBorders(broadcast, shape, border);
    else
      llvm::fill(border, true);
  }
  CollapsedDomain domain;
  domain.shape.assign(shape.begin(), shape.end());
  for (auto [dim, size] : llvm::enumerate(shape)) {
    if (dim == 0 || border[dim - 1]) {
      domain.groups.push_back({});
      domain.sizes.push_back(1);
    }
    domain.groups.back().push_back(dim);
    domain.sizes.back() *= size;
  }
  return domain;
}

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

SmallVector<Value> ElementEmitter::setPoint(Location loc, const CollapsedDomain &newDomain,
                                            ValueRange newLoopIndices) {
  domain = &newDomain;
  loopIndices.assign(newLoopIndices.begin(), newLoopIndices.end());
  domainIndices.clear();
  memos.clear();
  for (auto [group, index] : llvm::zip_equal(domain->groups, loopIndices)) {
    SmallVector<int64_t> sizes;
    for (int64_t dim : group)
      sizes.push_back(domain->shape[dim]);
    llvm::append_range(domainIndices, delinearize(builder, loc, index, sizes));
  }
  return domainIndices;
}

bool ElementEmitter::isVisible(Value scalar) const {
  Block *defined = scalar.getParentBlock();
  for (Block *block = builder.getInsertionBlock(); block;
       block = block->getParentOp() ? block->getParentOp()->getBlock() : nullptr)
    if (block == defined)
      return true;
  return false;
}

/// The number that a constant repeats, of compute type.
static Value emitScalarConstant(OpBuilder &builder, ConstantOp op) {
  Type compute = getComputeType(cast<RankedTensorType>(op.getType()).getElementType());
  auto value = op.getValue().getSplatValue<Attribute>();
  if (auto number = dyn_cast<FloatAttr>(value)) {
    llvm::APFloat converted = number.getValue();
    bool losesInfo;
    converted.convert(cast<FloatType>(compute).getFloatSemantics(),
                      llvm::APFloat::rmNearestTiesToEven, &losesInfo);
    return arith::ConstantOp::create(builder, op.getLoc(), FloatAttr::get(compute, converted));
  }
  return arith::ConstantOp::create(builder, op.getLoc(),
                                   IntegerAttr::get(compute, cast<IntegerAttr>(value).getValue()));
}

Value ElementEmitter::emit(Value tensor, ValueRange indices) {
  if (Value scalar = scalars.lookup(tensor))
    return scalar;
  for (const Memo &memo : memos[tensor])
    if (ValueRange(memo.indices) == indices && isVisible(memo.scalar))
      return memo.scalar;

  Value scalar;
  if (Value buffer = buffers.lookup(tensor)) {
    scalar = load(tensor, buffer, indices);
  } else if (auto constant = tensor.getDefiningOp<ConstantOp>()) {
    // Constants of more than one number have a buffer.
    scalar = emitScalarConstant(builder, constant);
  } else {
    auto result = cast<OpResult>(tensor);
    SmallVector<Value> results = emitOp(cast<ElementalOpInterface>(result.getOwner()), indices);
    scalar = results[result.getResultNumber()];
  }
  memos[tensor].push_back({SmallVector<Value>(indices), scalar});
  return scalar;
}

SmallVector<Value> ElementEmitter::emitOp(ElementalOpInterface op, ValueRange indices) {
  return op.emitElement(builder, indices, [&](unsigned operand, ValueRange at) {
    return emit(op->getOperand(operand), at);
  });
}

std::pair<Value, SmallVector<Value>> ElementEmitter::collapse(Value buffer, ValueRange indices) {
  auto type = cast<MemRefType>(buffer.getType());
  SmallVector<int64_t> sizes;
  SmallVector<Value> collapsed;
  bool changed = false;
  for (size_t i = 0; i < indices.size();) {
    size_t run = 1;
    Value index = indices[i];
    for (auto [group, loopIndex] : llvm::zip(
             domain ? ArrayRef(domain->groups) : ArrayRef<SmallVector<int64_t>>(), loopIndices)) {
      // The one point of a scalar domain belongs to no dimension.
      size_t first = group.empty() ? 0 : group.front();
      if (group.size() < 2 || i + group.size() > indices.size() ||
          !llvm::equal(indices.slice(i, group.size()),
                       ArrayRef(domainIndices).slice(first, group.size())) ||
          type.getShape().slice(i, group.size()) !=
              ArrayRef(domain->shape).slice(first, group.size()))
        continue;
      run = group.size();
      index = loopIndex;
      changed = true;
      break;
    }
    sizes.push_back(llvm::product_of(type.getShape().slice(i, run)));
    collapsed.push_back(index);
    i += run;
  }
  if (!changed)
    return {buffer, SmallVector<Value>(indices)};
  auto view = memref::ReinterpretCastOp::create(
      builder, buffer.getLoc(), MemRefType::get(sizes, type.getElementType()), buffer,
      /*offset=*/0, sizes, computeStrides(sizes));
  return {view, collapsed};
}

Value ElementEmitter::load(Value tensor, Value buffer, ValueRange indices) {
  Location loc = buffer.getLoc();
  auto [view, at] = collapse(buffer, indices);
  Value element = memref::LoadOp::create(builder, loc, view, at);
  Type compute = getComputeType(cast<RankedTensorType>(tensor.getType()).getElementType());
  if (element.getType() != compute)
    element = arith::ExtFOp::create(builder, loc, compute, element);
  return element;
}

void ElementEmitter::store(Value scalar, Value tensor, Value buffer, ValueRange indices) {
  Location loc = buffer.getLoc();
  Type storage = getStorageType(cast<RankedTensorType>(tensor.getType()).getElementType());
  if (scalar.getType() != storage)
    scalar = arith::TruncFOp::create(builder, loc, storage, scalar);
  auto [view, at] = collapse(buffer, indices);
  memref::StoreOp::create(builder, loc, scalar, view, at);
}
