//===- ReductionKinds.h - Neutral elements and combinations -----*- C++ -*-===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef LGC_LIB_IR_REDUCTIONKINDS_H
#define LGC_LIB_IR_REDUCTIONKINDS_H

#include "ScalarMath.h"

namespace lgc {

/// The value that a reduction starts from.
mlir::Value emitNeutral(ScalarMath &s, ReductionKind kind);

/// The reduction of two values.
mlir::Value emitReduced(ScalarMath &s, ReductionKind kind, mlir::Value x, mlir::Value y);

/// Whether a kind fits an element type: bits for `and` and `or`, numbers for the others.
bool isDefined(ReductionKind kind, mlir::Type element);

} // namespace lgc

#endif // LGC_LIB_IR_REDUCTIONKINDS_H
