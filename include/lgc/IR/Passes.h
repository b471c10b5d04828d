//===- Passes.h - Passes on the dialect by itself ---------------*- C++ -*-===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef LGC_IR_PASSES_H
#define LGC_IR_PASSES_H

#include "lgc/IR/LgcDialect.h"
#include "mlir/Pass/Pass.h"

namespace lgc {

#define GEN_PASS_DECL
#include "lgc/IR/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "lgc/IR/Passes.h.inc"

} // namespace lgc

#endif // LGC_IR_PASSES_H
