//===- KernelBuffers.cpp - Loops and buffers of own kernels --------------- ===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "KernelBuffers.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace lgc;

Value KernelBuffers::index(int64_t value) {
  return arith::ConstantIndexOp::create(builder, loc, value);
}

Value KernelBuffers::toIndex(Value number) {
  return arith::IndexCastOp::create(builder, loc, builder.getIndexType(), number);
}

Value KernelBuffers::load(Value buffer, ValueRange indices) {
  Value element = memref::LoadOp::create(builder, loc, buffer, indices);
  Type compute = getComputeType(element.getType());
  if (element.getType() != compute)
    element = arith::ExtFOp::create(builder, loc, compute, element);
  return element;
}

void KernelBuffers::store(Value element, Value buffer, ValueRange indices) {
  Type storage = cast<MemRefType>(buffer.getType()).getElementType();
  if (element.getType() != storage)
    element = arith::TruncFOp::create(builder, loc, storage, element);
  memref::StoreOp::create(builder, loc, element, buffer, indices);
}

void KernelBuffers::forEach(ArrayRef<int64_t> sizes, llvm::function_ref<void(ValueRange)> body) {
  OpBuilder::InsertionGuard guard(builder);
  SmallVector<Value> indices;
  Value zero = index(0), one = index(1);
  for (int64_t size : sizes) {
    auto loop = scf::ForOp::create(builder, loc, zero, index(size), one);
    builder.setInsertionPointToStart(loop.getBody());
    indices.push_back(loop.getInductionVar());
  }
  body(indices);
}

void KernelBuffers::copy(Value from, Value to) {
  forEach(cast<MemRefType>(from.getType()).getShape(), [&](ValueRange at) {
    Value element = memref::LoadOp::create(builder, loc, from, at);
    memref::StoreOp::create(builder, loc, element, to, at);
  });
}
