//===- MeanLoss.h - The quotient of a loss's sum and count ------*- C++ -*-===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef LGC_LIB_TRAINING_MEANLOSS_H
#define LGC_LIB_TRAINING_MEANLOSS_H

#include "lgc/IR/TensorMath.h"
#include <optional>

namespace lgc {

/// A loss as the sum of its contributions and what to divide it by, scalars.
struct LossParts {
  mlir::Value sum, count;
};

/// The count, or 1 where it is zero: a batch all of whose labels are ignored has the loss 0 and
/// moves no parameter, instead of spreading NaN into all of them.
mlir::Value buildDivisor(TensorMath &t, mlir::Value count);

/// The loss: sum / count, guarded as above.
mlir::Value buildMeanLoss(TensorMath &t, const LossParts &parts);

/// What a scalar is the quotient of. A product with a constant is one, too, where the constant has
/// an exact inverse: canonicalisation turns a division by 8 into a product with 1/8.
std::optional<LossParts> matchQuotient(TensorMath &t, mlir::Value loss);

/// The parts of what `buildMeanLoss` built.
std::optional<LossParts> matchMeanLoss(mlir::Value loss);

} // namespace lgc

#endif // LGC_LIB_TRAINING_MEANLOSS_H
