//===- LibraryKernel.cpp - Kernels that a library computes ----------------===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "LibraryKernel.h"
#include "lgc/IR/LgcOps.h"
#include "lgc/Runtime/Kernels.h"
#include "lgc/Target/CPU/Scratch.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include <cstring>
#include <optional>

using namespace mlir;
using namespace lgc;

namespace {

/// A library function with its descriptor, and the kernel's arguments (inputs, then outputs, then
/// scratch) in the library's order, -1 for null.
struct LibraryCall {
  StringRef function;
  SmallVector<int64_t> descriptor;
  SmallVector<int64_t> arguments;
  int64_t scratchBytes = 0;
};

/// One loop of a matrix product with the distance, in elements, between its steps in the left
/// operand, the right one and the result; 0 where it doesn't occur.
struct MatmulLoop {
  int64_t size, a, b, c;
};

} // namespace

/// Strides of an operand of a matrix product in the buffer that a transpose before it reads.
static SmallVector<int64_t> getOperandStrides(Value operand) {
  auto transpose = operand.getDefiningOp<TransposeOp>();
  if (!transpose)
    return computeStrides(cast<RankedTensorType>(operand.getType()).getShape());
  SmallVector<int64_t> source = computeStrides(transpose.getOperand().getType().getShape());
  SmallVector<int64_t> strides;
  for (int64_t dim : transpose.getPermutation())
    strides.push_back(source[dim]);
  return strides;
}

/// Drops loops of one step and merges neighbours that are one run in every operand.
static void mergeLoops(SmallVectorImpl<MatmulLoop> &loops) {
  SmallVector<MatmulLoop> merged;
  for (const MatmulLoop &loop : loops) {
    if (loop.size == 1)
      continue;
    if (!merged.empty()) {
      MatmulLoop &last = merged.back();
      if (last.a == loop.a * loop.size && last.b == loop.b * loop.size &&
          last.c == loop.c * loop.size) {
        last = {last.size * loop.size, loop.a, loop.b, loop.c};
        continue;
      }
    }
    merged.push_back(loop);
  }
  loops.assign(merged.begin(), merged.end());
}

/// Takes the innermost loop as the matrix dimension; the others become batch loops.
static MatmulLoop takeInnermost(SmallVectorImpl<MatmulLoop> &loops,
                                SmallVectorImpl<MatmulLoop> &batch, MatmulLoop none) {
  if (loops.empty())
    return none;
  MatmulLoop innermost = loops.pop_back_val();
  batch.append(loops.begin(), loops.end());
  return innermost;
}

template <typename Descriptor> static SmallVector<int64_t> getWords(const Descriptor &descriptor) {
  static_assert(sizeof(Descriptor) % sizeof(int64_t) == 0);
  SmallVector<int64_t> words(sizeof(Descriptor) / sizeof(int64_t));
  std::memcpy(words.data(), &descriptor, sizeof(Descriptor));
  return words;
}

static std::optional<LibraryCall> describeMatmul(func::FuncOp kernel, DotOp op) {
  ArrayRef<int64_t> lhsShape = op.getLhs().getType().getShape();
  ArrayRef<int64_t> rhsShape = op.getRhs().getType().getShape();
  SmallVector<int64_t> a = getOperandStrides(op.getLhs()), b = getOperandStrides(op.getRhs());
  SmallVector<int64_t> c = computeStrides(op.getType().getShape());
  SmallVector<MatmulLoop> batch, m, n, k;
  size_t at = 0;
  for (auto [l, r] : llvm::zip_equal(op.getLhsBatch(), op.getRhsBatch()))
    batch.push_back({lhsShape[l], a[l], b[r], c[at++]});
  for (auto [dim, size] : llvm::enumerate(lhsShape))
    if (!llvm::is_contained(op.getLhsBatch(), static_cast<int64_t>(dim)) &&
        !llvm::is_contained(op.getLhsContract(), static_cast<int64_t>(dim)))
      m.push_back({size, a[dim], 0, c[at++]});
  for (auto [dim, size] : llvm::enumerate(rhsShape))
    if (!llvm::is_contained(op.getRhsBatch(), static_cast<int64_t>(dim)) &&
        !llvm::is_contained(op.getRhsContract(), static_cast<int64_t>(dim)))
      n.push_back({size, 0, b[dim], c[at++]});
  for (auto [l, r] : llvm::zip_equal(op.getLhsContract(), op.getRhsContract()))
    k.push_back({lhsShape[l], a[l], b[r], 0});
  for (SmallVector<MatmulLoop> *loops : {&m, &n, &k})
    mergeLoops(*loops);

  MatmulLoop rows = takeInnermost(m, batch, {1, 0, 0, 0});
  MatmulLoop columns = takeInnermost(n, batch, {1, 0, 1, 1});
  MatmulLoop depth = takeInnermost(k, batch, {1, 1, 0, 0});
  mergeLoops(batch);
  if (batch.size() > LGC_MATMUL_MAX_BATCH_RANK)
    return std::nullopt;
  lgc_matmul_descriptor descriptor = {};
  descriptor.m = rows.size;
  descriptor.n = columns.size;
  descriptor.k = depth.size;
  // A matrix of one row or column has no distance of its own: give it that of a dense one.
  descriptor.a_strides[0] = rows.size == 1 ? depth.size * std::max<int64_t>(1, depth.a) : rows.a;
  descriptor.a_strides[1] = depth.size == 1 ? 1 : depth.a;
  descriptor.b_strides[0] = depth.size == 1 ? columns.size * columns.b : depth.b;
  descriptor.b_strides[1] = columns.size == 1 ? 1 : columns.b;
  descriptor.c_strides[0] = rows.size == 1 ? columns.size : rows.c;
  descriptor.c_strides[1] = 1;
  descriptor.batch_rank = batch.size();
  for (auto [i, loop] : llvm::enumerate(batch)) {
    descriptor.batch[i] = loop.size;
    descriptor.a_batch_strides[i] = loop.a;
    descriptor.b_batch_strides[i] = loop.b;
    descriptor.c_batch_strides[i] = loop.c;
  }
  descriptor.alpha = 1.0;
  descriptor.scratch_bytes = lgc_matmul_scratch_bytes(&descriptor);
  auto getArgument = [&](Value operand) {
    if (auto transpose = operand.getDefiningOp<TransposeOp>())
      operand = transpose.getOperand();
    return static_cast<int64_t>(cast<BlockArgument>(operand).getArgNumber());
  };
  int64_t inputs = kernel.getNumArguments();
  return LibraryCall{"lgc_matmul",
                     getWords(descriptor),
                     {getArgument(op.getLhs()), getArgument(op.getRhs()), inputs,
                      descriptor.scratch_bytes > 0 ? inputs + 1 : -1},
                     descriptor.scratch_bytes};
}

/// Fills in the geometry that the three convolutions share.
template <typename Op>
static lgc_conv_descriptor describeGeometry(Op op, ArrayRef<int64_t> input,
                                            ArrayRef<int64_t> filter, ArrayRef<int64_t> output) {
  lgc_conv_descriptor descriptor = {};
  descriptor.spatial_rank = input.size() - 2;
  descriptor.layout = LGC_CHANNELS_FIRST;
  descriptor.batch = input[0];
  descriptor.groups = op.getGroups();
  descriptor.in_channels = input[1];
  descriptor.out_channels = output[1];
  for (int64_t i = 0; i < descriptor.spatial_rank; ++i) {
    descriptor.input[i] = input[i + 2];
    descriptor.output[i] = output[i + 2];
    descriptor.kernel[i] = filter[i + 2];
    descriptor.strides[i] = op.getStrides()[i];
    descriptor.dilations[i] = op.getDilations()[i];
    descriptor.pads_begin[i] = op.getLow()[i];
    descriptor.pads_end[i] = op.getHigh()[i];
  }
  return descriptor;
}

static ArrayRef<int64_t> getShape(Value value) {
  return cast<RankedTensorType>(value.getType()).getShape();
}

/// Operands are arguments of the kernel; a function may use one of them twice.
static int64_t getArgumentNumber(Value operand) {
  return cast<BlockArgument>(operand).getArgNumber();
}

static LibraryCall describeConvolution(func::FuncOp kernel, Operation *op) {
  int64_t output = kernel.getNumArguments();
  int64_t first = getArgumentNumber(op->getOperand(0)),
          second = getArgumentNumber(op->getOperand(1));
  lgc_conv_descriptor descriptor;
  LibraryCall call;
  if (auto forward = dyn_cast<ConvolutionOp>(op)) {
    descriptor = describeGeometry(forward, getShape(forward.getInput()),
                                  getShape(forward.getFilter()), getShape(forward.getResult()));
    descriptor.scratch_bytes = lgc_conv_forward_scratch_bytes(&descriptor);
    call.function = "lgc_conv_forward";
    call.arguments = {first, second, -1, output};
  } else if (auto input = dyn_cast<ConvolutionInputOp>(op)) {
    descriptor = describeGeometry(input, getShape(input.getResult()), getShape(input.getFilter()),
                                  getShape(input.getOutputGradient()));
    descriptor.scratch_bytes = lgc_conv_backward_data_scratch_bytes(&descriptor);
    call.function = "lgc_conv_backward_data";
    call.arguments = {first, second, output};
  } else {
    auto filter = cast<ConvolutionFilterOp>(op);
    descriptor = describeGeometry(filter, getShape(filter.getInput()), getShape(filter.getResult()),
                                  getShape(filter.getOutputGradient()));
    descriptor.scratch_bytes = lgc_conv_backward_weights_scratch_bytes(&descriptor);
    call.function = "lgc_conv_backward_weights";
    call.arguments = {first, second, output, -1};
  }
  call.arguments.push_back(descriptor.scratch_bytes > 0 ? output + 1 : -1);
  call.descriptor = getWords(descriptor);
  call.scratchBytes = descriptor.scratch_bytes;
  return call;
}

static std::optional<LibraryCall> describeCall(func::FuncOp kernel) {
  Operation *root = kernel.getBody().front().getTerminator()->getOperand(0).getDefiningOp();
  if (auto dot = dyn_cast<DotOp>(root))
    return describeMatmul(kernel, dot);
  return describeConvolution(kernel, root);
}

int64_t lgc::getCpuScratchBytes(func::FuncOp kernel) {
  std::optional<KernelShape> shape = analyzeKernel(kernel);
  if (!shape)
    return 0;
  if (shape->kind == KernelKind::OwnLoops)
    return cast<KernelOpInterface>(&kernel.getBody().front().front()).getScratchBytes();
  if (shape->kind != KernelKind::Library)
    return 0;
  std::optional<LibraryCall> call = describeCall(kernel);
  return call ? call->scratchBytes : 0;
}

LogicalResult lgc::describeLibraryCall(KernelLowering &lowering, func::FuncOp function) {
  std::optional<LibraryCall> call = describeCall(lowering.kernel);
  if (!call)
    return lowering.kernel.emitOpError("has more batch loops than the library takes; transpose "
                                       "its operands before the product");
  Builder builder(function.getContext());
  function->setAttr("lgc.library", builder.getStringAttr(call->function));
  function->setAttr("lgc.descriptor", builder.getDenseI64ArrayAttr(call->descriptor));
  function->setAttr("lgc.arguments", builder.getDenseI64ArrayAttr(call->arguments));
  return success();
}
