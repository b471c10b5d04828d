//===- ModelReader.h - An ONNX file as checked protocol buffers -*- C++ -*-===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef LGC_LIB_IMPORT_MODELREADER_H
#define LGC_LIB_IMPORT_MODELREADER_H

#include "mlir/IR/Location.h"
#include "llvm/ADT/StringMap.h"

#include <onnx/onnx_pb.h>

#include <memory>
#include <string>

namespace lgc {

/// Versions of operator sets by domain ("" is ai.onnx).
using Opsets = std::map<std::string, int64_t>;

/// A model as its file has it, checked by ONNX's checker.
struct Model {
  onnx::ModelProto proto;
  std::string directory; ///< of the file; empty without one
  std::string fileName;  ///< inside of the directory
  Opsets opsets;
  bool wasConverted = false; ///< from a version before the oldest that is translated
  /// Functions of the model by "domain:name:overload".
  llvm::StringMap<const onnx::FunctionProto *> functions;
  /// Offset and length in the file of the raw data of the main graph's initializers.
  llvm::StringMap<std::pair<int64_t, int64_t>> rawData;
};

std::string functionKey(llvm::StringRef domain, llvm::StringRef name, llvm::StringRef overload);

/// Operator sets that a model or function imports.
Opsets readOpsets(const google::protobuf::RepeatedPtrField<onnx::OperatorSetIdProto> &imports);

/// Reads a model from a file, or from bytes; null when an error was reported.
std::unique_ptr<Model> readModel(llvm::StringRef path, mlir::MLIRContext &context);
std::unique_ptr<Model> readModelBytes(llvm::StringRef bytes, mlir::MLIRContext &context);

} // namespace lgc

#endif // LGC_LIB_IMPORT_MODELREADER_H
