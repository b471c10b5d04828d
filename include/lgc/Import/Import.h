//===- Import.h - ONNX models as lgc modules --------------------*- C++ -*-===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//
//
// Reads an ONNX model and translates it into the module that docs/pipeline.md calls "after
// Import". Every fault of the model is a diagnostic at the location of its node: the importer
// goes on after the first one, so that all are told at once, and then fails.
//
//===----------------------------------------------------------------------===//

#ifndef LGC_IMPORT_IMPORT_H
#define LGC_IMPORT_IMPORT_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/ADT/StringMap.h"

#include <map>
#include <optional>
#include <string>

namespace lgc {

/// What the user says about a model beyond what its file says.
struct ImportOptions {
  /// Sizes of symbolic dimensions.
  std::map<std::string, int64_t> dims;
  /// Size of the inputs' first dimension, where that is symbolic.
  std::optional<int64_t> batch;
  /// Use batch statistics in training even for a BatchNormalization without `training_mode`.
  bool batchnormTrain = false;
  /// Leave initializers that the exporter merged because they were equal as one parameter.
  bool keepTies = false;
  /// Leave an initializer that is a transposed copy of another as a parameter of its own.
  bool keepCuts = false;
  /// Make `@forward` compute what the file says to the letter: BatchNormalization and Dropout as
  /// their own attributes and inputs have it, whatever the mode. For conformance tests.
  bool asWritten = false;
  /// Values for graph inputs, as serialized TensorProtos: these inputs become constants.
  std::map<std::string, std::string> boundInputs;
  /// Initial values of parameters that are larger than this many bytes stay in their file.
  int64_t largestInline = 1 << 20;
};

/// Imports a model file. Paths to its data in the module (`#lgc.external_data`) are relative to the
/// directory of the file.
mlir::FailureOr<mlir::OwningOpRef<mlir::ModuleOp>>
importOnnx(mlir::MLIRContext &context, llvm::StringRef path, const ImportOptions &options = {});

/// Imports a serialized model. Without a file there are no external data.
mlir::FailureOr<mlir::OwningOpRef<mlir::ModuleOp>>
importOnnxBytes(mlir::MLIRContext &context, llvm::StringRef bytes,
                const ImportOptions &options = {});

} // namespace lgc

#endif // LGC_IMPORT_IMPORT_H
