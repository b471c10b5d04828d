//===- ElementEmitter.h - Scalar code of a kernel's values ------*- C++ -*-===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//
//
// Turns tensor values of a kernel into scalar code at given indices, by asking each op
// (ElementalOpInterface) for its expression down to the kernel's buffers.
//
//===----------------------------------------------------------------------===//

#ifndef LGC_LIB_TARGET_CPU_ELEMENTEMITTER_H
#define LGC_LIB_TARGET_CPU_ELEMENTEMITTER_H

#include "lgc/IR/LgcOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/DenseMap.h"

namespace lgc {

/// The element type of memory that holds a tensor's elements: signless integers.
mlir::Type getStorageType(mlir::Type elementType);

/// The memref type of a tensor's buffer.
mlir::MemRefType getBufferType(mlir::Type tensorType);

/// A loop domain some of whose neighbouring dimensions run as one loop, so that inner loops are
/// long and contiguous.
struct CollapsedDomain {
  llvm::SmallVector<int64_t> shape;
  /// For each loop the dimensions that it covers (consecutive), and its length.
  llvm::SmallVector<llvm::SmallVector<int64_t>> groups;
  llvm::SmallVector<int64_t> sizes;

  /// Collapses what every op of the kernel allows: neighbours that each broadcast repeats or
  /// keeps together and that each reduction reduces or keeps together.
  static CollapsedDomain compute(mlir::func::FuncOp kernel, llvm::ArrayRef<int64_t> shape,
                                 llvm::ArrayRef<int64_t> reducedDims);
};

/// Splits a row-major linear index into one index per size.
llvm::SmallVector<mlir::Value> delinearize(mlir::OpBuilder &builder, mlir::Location loc,
                                           mlir::Value linear, llvm::ArrayRef<int64_t> sizes);

/// Emits the scalars of one point (one iteration of the innermost loop). Expressions that
/// several values share are emitted once.
class ElementEmitter {
public:
  /// `buffers` maps tensors (arguments of the kernel, constants of more than one number, results
  /// already stored) to memrefs.
  ElementEmitter(mlir::OpBuilder &builder, const llvm::DenseMap<mlir::Value, mlir::Value> &buffers)
      : builder(builder), buffers(buffers) {}

  /// Sets the point: the induction variables of the domain's loops. Returns the index in the
  /// uncollapsed domain.
  llvm::SmallVector<mlir::Value> setPoint(mlir::Location loc, const CollapsedDomain &domain,
                                          mlir::ValueRange loopIndices);

  /// Binds a value (the result of a reduction) to its scalar at this point.
  void bindScalar(mlir::Value tensor, mlir::Value scalar) { scalars[tensor] = scalar; }

  /// The element of a tensor, of compute type.
  mlir::Value emit(mlir::Value tensor, mlir::ValueRange indices);

  /// What one op contributes at indices of its iteration space: one scalar per result.
  llvm::SmallVector<mlir::Value> emitOp(ElementalOpInterface op, mlir::ValueRange indices);

  /// Stores a scalar of compute type into the buffer of `tensor`.
  void store(mlir::Value scalar, mlir::Value tensor, mlir::Value buffer, mlir::ValueRange indices);

private:
  mlir::Value load(mlir::Value tensor, mlir::Value buffer, mlir::ValueRange indices);
  /// The buffer seen with the domain's collapsed dimensions where the indices run over them.
  std::pair<mlir::Value, llvm::SmallVector<mlir::Value>> collapse(mlir::Value buffer,
                                                                  mlir::ValueRange indices);
  bool isVisible(mlir::Value scalar) const;

  struct Memo {
    llvm::SmallVector<mlir::Value> indices;
    mlir::Value scalar;
  };

  mlir::OpBuilder &builder;
  const llvm::DenseMap<mlir::Value, mlir::Value> &buffers;
  const CollapsedDomain *domain = nullptr;
  llvm::SmallVector<mlir::Value> loopIndices;
  llvm::SmallVector<mlir::Value> domainIndices;
  llvm::DenseMap<mlir::Value, mlir::Value> scalars;
  llvm::DenseMap<mlir::Value, llvm::SmallVector<Memo, 1>> memos;
};

} // namespace lgc

#endif // LGC_LIB_TARGET_CPU_ELEMENTEMITTER_H
