//===- TensorData.h - ONNX tensors as attributes ----------------*- C++ -*-===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef LGC_LIB_IMPORT_TENSORDATA_H
#define LGC_LIB_IMPORT_TENSORDATA_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Location.h"
#include "llvm/ADT/StringRef.h"

#include <onnx/onnx_pb.h>

#include <optional>
#include <string>

namespace lgc {

/// The element type that stands for an ONNX one; null where there is none. Integers of 4 bits are
/// held in 8.
mlir::Type elementTypeOf(mlir::MLIRContext &context, int32_t onnxType);
/// The ONNX element type that stands for one of the dialect's.
int32_t onnxTypeOf(mlir::Type element);
/// The name of an ONNX element type, for messages.
std::string onnxTypeName(int32_t onnxType);

/// A tensor's elements in another file, checked to lie inside of it and of the model's directory.
struct ExternalRange {
  std::string file; ///< relative to the model's directory
  int64_t offset;
  int64_t length;
};

/// Where external data are, or a failure reported at `loc`. `directory` is the model's; empty for a
/// model that has no file.
mlir::FailureOr<ExternalRange> externalRange(const onnx::TensorProto &tensor,
                                             llvm::StringRef directory, mlir::Location loc);

/// The type of a tensor, or a failure reported at `loc`.
mlir::FailureOr<mlir::RankedTensorType> tensorTypeOf(const onnx::TensorProto &tensor,
                                                     mlir::Location loc);

/// The elements of a tensor, read from its file if they are external.
mlir::FailureOr<mlir::DenseElementsAttr> elementsOf(const onnx::TensorProto &tensor,
                                                    llvm::StringRef directory, mlir::Location loc);

} // namespace lgc

#endif // LGC_LIB_IMPORT_TENSORDATA_H
