//===- Autodiff.h - Reverse-mode differentiation ----------------*- C++ -*-===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef LGC_TRAINING_AUTODIFF_H
#define LGC_TRAINING_AUTODIFF_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/Value.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SmallVector.h"

namespace lgc {

/// The values of its block that `loss` depends on differentiably.
llvm::DenseSet<mlir::Value> findInfluences(mlir::Value loss);

/// Builds the gradients of the scalar `loss` to each of `parameters` at the builder's insertion
/// point, which every value that the loss depends on dominates. `gradients` gets one value for each
/// parameter, null where it has no influence on the loss.
///
/// Walks the operations between parameters and loss once, in reverse, and adds up what each use of
/// a value contributes. A checkpoint region is cloned behind a barrier where its gradients are
/// needed. Fails with an error at each operation on the way that has no gradient.
mlir::LogicalResult buildGradients(mlir::OpBuilder &builder, mlir::Value loss,
                                   llvm::ArrayRef<mlir::Value> parameters,
                                   llvm::SmallVectorImpl<mlir::Value> &gradients);

/// Puts the bodies of all checkpoint regions in their places.
void inlineCheckpoints(mlir::Operation *root);

} // namespace lgc

#endif // LGC_TRAINING_AUTODIFF_H
