//===- KernelShape.h - Which groups of ops are one kernel -------*- C++ -*-===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//
//
// A kernel is a group of ops that a target can emit as one launch. This analysis says
// whether a group is one and how its loops look; fusion asks it before it merges groups,
// and targets before they emit loops.
//
//===----------------------------------------------------------------------===//

#ifndef LGC_FUSION_KERNELSHAPE_H
#define LGC_FUSION_KERNELSHAPE_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Operation.h"
#include "mlir/IR/Value.h"
#include <optional>

namespace lgc {

enum class KernelKind {
  /// Every output has the shape of the domain; each of its elements is a scalar
  /// expression of elements of the inputs. One loop nest over the domain.
  Loop,
  /// As Loop, with reductions (`lgc.reduce`), all from the domain over the same
  /// dimensions. Values lie on the domain or on the kept dimensions, and values that
  /// depend on a reduction are used at the same kept indices only: for each kept index, some
  /// loops over the reduced dimensions one after another. Covers sums with what goes before and
  /// after them, softmax and normalisation.
  Reduction,
  /// One elemental op with reduction loops of its own (a matrix product or
  /// convolution without a library, a window): naive loops.
  SingleReduction,
  /// One op that emits its own loops (`KernelOpInterface`).
  OwnLoops,
  /// One op that a library computes: an f32 matrix product (with the transposes of its
  /// operands, which become strides) or convolution.
  Library,
};

/// How a group's loops look.
struct KernelShape {
  KernelKind kind;
  /// Loop, Reduction: sizes of the loops. SingleReduction: the results' shape.
  llvm::SmallVector<int64_t> domain;
  /// Reduction: the reduced dimensions of the domain, sorted.
  llvm::SmallVector<int64_t> reducedDims;
  /// Reduction: for each op of the group, how many reductions lie on the longest path up to and
  /// including it.
  llvm::DenseMap<mlir::Operation *, unsigned> depth;

  /// The domain without the reduced dimensions.
  llvm::SmallVector<int64_t> getKeptShape() const;
};

/// The shape of a group of ops in topological order whose values `outputs` are needed outside;
/// none if the group isn't a kernel. Operands defined outside are inputs. Linear in
/// the number of ops.
std::optional<KernelShape> analyzeKernel(llvm::ArrayRef<mlir::Operation *> ops,
                                         llvm::ArrayRef<mlir::Value> outputs);

/// The shape of an outlined kernel function on tensors.
std::optional<KernelShape> analyzeKernel(mlir::func::FuncOp kernel);

/// Whether targets call a library for this op by itself.
bool isLibraryOp(mlir::Operation *op);

} // namespace lgc

#endif // LGC_FUSION_KERNELSHAPE_H
