//===- Registration.h - Everything that a tool can be asked for -*- C++ -*-===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef LGC_DRIVER_REGISTRATION_H
#define LGC_DRIVER_REGISTRATION_H

#include "mlir/IR/DialectRegistry.h"

namespace lgc {

/// Adds the dialects that a module can hold at any stage.
void registerDialects(mlir::DialectRegistry &registry);

/// Registers the passes of all stages, and upstream's general ones.
void registerPasses();

} // namespace lgc

#endif // LGC_DRIVER_REGISTRATION_H
