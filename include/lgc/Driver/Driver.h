//===- Driver.h - From an ONNX file to a training program -------*- C++ -*-===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef LGC_DRIVER_DRIVER_H
#define LGC_DRIVER_DRIVER_H

namespace lgc {

/// Whether these arguments ask for passes on a .mlir file rather than for a training program.
bool isPassInvocation(int argc, const char *const *argv);

/// `lgc-opt model.onnx [options]`: the exit status, 1 for a bad model or an impossible request, 2
/// for bad usage.
int runDriver(int argc, char **argv);

} // namespace lgc

#endif // LGC_DRIVER_DRIVER_H
