//===- KernelBuffers.h - Loops and buffers of own kernels -------*- C++ -*-===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef LGC_LIB_IR_KERNELBUFFERS_H
#define LGC_LIB_IR_KERNELBUFFERS_H

#include "lgc/IR/LgcInterfaces.h"
#include "mlir/IR/Builders.h"

namespace lgc {

/// What kernels that emit their own loops need: loads and stores between memory and compute types,
/// and loop nests.
class KernelBuffers {
public:
  KernelBuffers(mlir::OpBuilder &builder, mlir::Location loc) : builder(builder), loc(loc) {}

  mlir::Value index(int64_t value);
  /// A signed number as an index.
  mlir::Value toIndex(mlir::Value number);
  /// An element, of compute type.
  mlir::Value load(mlir::Value buffer, mlir::ValueRange indices);
  void store(mlir::Value element, mlir::Value buffer, mlir::ValueRange indices);
  /// Runs `body` for each index below `sizes`, in row-major order.
  void forEach(llvm::ArrayRef<int64_t> sizes, llvm::function_ref<void(mlir::ValueRange)> body);
  /// Copies a whole buffer to another of the same shape.
  void copy(mlir::Value from, mlir::Value to);

private:
  mlir::OpBuilder &builder;
  mlir::Location loc;
};

} // namespace lgc

#endif // LGC_LIB_IR_KERNELBUFFERS_H
