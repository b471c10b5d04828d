//===- InitializerFacts.h - What a file tells about initializers -*- C++ -*-===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef LGC_LIB_IMPORT_INITIALIZERFACTS_H
#define LGC_LIB_IMPORT_INITIALIZERFACTS_H

#include "ModelReader.h"
#include "lgc/Import/Import.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "llvm/Support/MemoryBuffer.h"

namespace lgc {

/// An operand where an initializer is used.
struct InitializerUse {
  const onnx::NodeProto *node;
  unsigned operand;
};

/// What is known of one initializer.
struct InitializerFacts {
  const onnx::TensorProto *tensor;
  std::vector<InitializerUse> uses;
  std::string kind;                    ///< PARAMETER, BUFFER, ... in PyTorch's words, or empty
  std::vector<std::string> foldedFrom; ///< what the exporter computed it from
};

/// Facts of all initializers of the main graph, in the file's order.
std::vector<InitializerFacts> collectFacts(const Model &model);

/// Whether training changes it, as far as the file tells: see docs/import.md.
bool isTrainable(const InitializerFacts &facts, bool fileTellsKinds);
/// Whether any initializer's kind is told.
bool tellsKinds(llvm::ArrayRef<InitializerFacts> facts);

/// The value of a metadata entry, or empty.
std::string
metadataOf(const google::protobuf::RepeatedPtrField<onnx::StringStringEntryProto> &entries,
           llvm::StringRef key);

/// The bytes of an initializer's elements, without copying them where the file has them raw.
class InitializerBytes {
public:
  InitializerBytes(const Model &model, const onnx::TensorProto &tensor);
  llvm::StringRef bytes() const { return view; }

private:
  std::unique_ptr<llvm::MemoryBuffer> file;
  std::string owned;
  llvm::StringRef view;
};

} // namespace lgc

#endif // LGC_LIB_IMPORT_INITIALIZERFACTS_H
