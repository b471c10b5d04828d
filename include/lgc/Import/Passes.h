//===- Passes.h - The contract after Import ---------------------*- C++ -*-===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef LGC_IMPORT_PASSES_H
#define LGC_IMPORT_PASSES_H

#include "mlir/Pass/Pass.h"

namespace lgc {

#define GEN_PASS_DECL
#include "lgc/Import/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "lgc/Import/Passes.h.inc"

} // namespace lgc

#endif // LGC_IMPORT_PASSES_H
