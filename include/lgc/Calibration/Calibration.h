//===- Calibration.h - Kernels measured on this machine ---------*- C++ -*-===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//
//
// A step is compiled and run in this process, with a clock behind every launch: caches, threads
// and memory are those of training, and what isn't a launch's own falls on it as well.
//
//===----------------------------------------------------------------------===//

#ifndef LGC_CALIBRATION_CALIBRATION_H
#define LGC_CALIBRATION_CALIBRATION_H

#include "lgc/Calibration/CostStore.h"
#include "lgc/Target/CPU/Codegen.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include <map>

namespace lgc {

/// A kernel with a measured `lgc.cost_ns` has this unit attribute.
constexpr llvm::StringLiteral kMeasuredAttr = "lgc.measured";

/// What equal kernels on tensors share, whatever their names: a hash of the body, in hexadecimal.
std::string getKernelKey(mlir::func::FuncOp kernel);

/// Gives the kernels of a module after Fusion the costs that are known of them.
void applyCosts(mlir::ModuleOp module, const CostStore &store);

/// The least and greatest value of an integer input, by the input's name.
using InputRanges = std::map<std::string, std::pair<int64_t, int64_t>>;

/// Nanoseconds of a launch of each kernel in the step of a module after Memory (`@forward` if
/// there is no `@train_step`), by the kernel's name; the mean of its launches, each the median of
/// several steps. Consumes the module. The step runs on random inputs within their ranges.
mlir::FailureOr<std::map<std::string, int64_t>>
measureKernels(mlir::ModuleOp module, const InputRanges &ranges, const CpuTargetOptions &options);

} // namespace lgc

#endif // LGC_CALIBRATION_CALIBRATION_H
