//===- SupportCheck.h - Tells all unsupported operators at once -*- C++ -*-===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef LGC_LIB_IMPORT_SUPPORTCHECK_H
#define LGC_LIB_IMPORT_SUPPORTCHECK_H

#include "ModelReader.h"

namespace lgc {

/// Fails with one error that names every operator of the model, its subgraphs and functions that
/// has neither a translation nor a function body, with the nodes that use it.
mlir::LogicalResult checkSupport(const Model &model, mlir::Location loc);

} // namespace lgc

#endif // LGC_LIB_IMPORT_SUPPORTCHECK_H
