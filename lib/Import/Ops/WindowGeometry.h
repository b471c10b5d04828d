//===- WindowGeometry.h - Where windows lie on an input --------------------===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef LGC_LIB_IMPORT_OPS_WINDOWGEOMETRY_H
#define LGC_LIB_IMPORT_OPS_WINDOWGEOMETRY_H

#include "../NodeImporter.h"

namespace lgc {

/// The attributes that convolutions and poolings share, with their defaults, one entry for each
/// spatial dimension.
struct WindowGeometry {
  llvm::SmallVector<int64_t> kernel, strides, dilations, low, high;

  int64_t rank() const { return int64_t(kernel.size()); }
  /// The part of the input that one window spans.
  int64_t span(int64_t dim) const { return (kernel[dim] - 1) * dilations[dim] + 1; }
  /// The number of windows along a dimension of the given size, as lgc's operations count them.
  int64_t outputs(int64_t dim, int64_t size) const {
    return (size + low[dim] + high[dim] - span(dim)) / strides[dim] + 1;
  }
};

/// Reads strides, dilations, pads and auto_pad, for an input of the given spatial sizes, and with
/// `ceil_mode` extends the high pads so that the last, partial window counts. Nothing after an
/// error.
std::optional<WindowGeometry> readGeometry(NodeImporter &n, llvm::ArrayRef<int64_t> kernel,
                                           llvm::ArrayRef<int64_t> spatial);

} // namespace lgc

#endif // LGC_LIB_IMPORT_OPS_WINDOWGEOMETRY_H
