//===- Pipeline.h - The stages behind Training ------------------*- C++ -*-===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef LGC_DRIVER_PIPELINE_H
#define LGC_DRIVER_PIPELINE_H

#include "mlir/Pass/PassManager.h"

namespace lgc {

struct BackendOptions {
  /// Merge operations into kernels; otherwise each is one.
  bool fuse = true;
};

/// Replaces composites, simplifies, and groups operations into kernels.
void buildKernelPipeline(mlir::OpPassManager &manager, const BackendOptions &options = {});

/// Places all tensors in one arena, with the scratch memory that the CPU target needs. With a
/// limit in bytes other than 0, launches run again as far as it takes to keep the limit.
void buildPlacementPipeline(mlir::OpPassManager &manager, int64_t limit = 0);

/// Registers `lgc-kernels` and `lgc-placement`, the pipelines above.
void registerBackendPipelines();

} // namespace lgc

#endif // LGC_DRIVER_PIPELINE_H
