//===- InPlace.h - Which results may take over an argument ------*- C++ -*-===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef LGC_LIB_FUSION_INPLACE_H
#define LGC_LIB_FUSION_INPLACE_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace lgc {

/// Marks arguments of a kernel whose memory a result may take over with `lgc.inplace`, a list of
/// such results: each element is read only to compute the results at its own index, in the stage
/// of the loops that stores the result or before.
void markInPlaceArguments(mlir::func::FuncOp kernel);

} // namespace lgc

#endif // LGC_LIB_FUSION_INPLACE_H
