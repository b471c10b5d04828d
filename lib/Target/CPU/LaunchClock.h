//===- LaunchClock.h - Time of every launch ---------------------*- C++ -*-===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef LGC_LIB_TARGET_CPU_LAUNCHCLOCK_H
#define LGC_LIB_TARGET_CPU_LAUNCHCLOCK_H

#include "mlir/IR/BuiltinOps.h"

/// What emitted code calls behind a launch.
extern "C" void lgc_launch_end(void *clock, int64_t kernel);

namespace lgc {

class LaunchClock;

/// Adds a call of this clock behind every launch of a module in the LLVM dialect.
void insertClock(mlir::ModuleOp module, LaunchClock &clock);

} // namespace lgc

#endif // LGC_LIB_TARGET_CPU_LAUNCHCLOCK_H
