//===- ImportedValue.h - What a name of an ONNX graph stands for -*- C++ -*-===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef LGC_LIB_IMPORT_IMPORTEDVALUE_H
#define LGC_LIB_IMPORT_IMPORTEDVALUE_H

#include "ModelReader.h"
#include "mlir/IR/Value.h"
#include "llvm/ADT/StringMap.h"

#include <vector>

namespace lgc {

/// A tensor, a sequence (resolved at import: a list), or nothing: an input that was left out or an
/// empty optional. A failed value is the result of a node that couldn't be translated: what
/// depends on it is skipped without another error.
struct ImportedValue {
  enum class Kind { Absent, Failed, Tensor, Sequence };

  ImportedValue() = default;
  ImportedValue(mlir::Value tensor) : kind(tensor ? Kind::Tensor : Kind::Failed), tensor(tensor) {}
  ImportedValue(std::vector<ImportedValue> elements)
      : kind(Kind::Sequence),
        elements(std::make_shared<std::vector<ImportedValue>>(std::move(elements))) {}
  static ImportedValue failed() { return ImportedValue(mlir::Value()); }

  bool isAbsent() const { return kind == Kind::Absent; }
  bool isFailed() const { return kind == Kind::Failed; }
  bool isTensor() const { return kind == Kind::Tensor; }
  bool isSequence() const { return kind == Kind::Sequence; }

  Kind kind = Kind::Absent;
  mlir::Value tensor;
  /// Integers of 4 bits, held in 8: only what reads them as numbers may have them.
  bool isPacked = false;
  std::shared_ptr<const std::vector<ImportedValue>> elements;
};

/// The names that a node can see.
struct Scope {
  const Scope *parent = nullptr; ///< of the graph around this one; null for a function's body
  const Opsets *opsets = nullptr;
  /// What a function's attributes are bound to, inside of its body.
  const llvm::StringMap<const onnx::AttributeProto *> *attributes = nullptr;
  llvm::StringMap<ImportedValue> values;

  const ImportedValue *find(llvm::StringRef name) const {
    for (const Scope *scope = this; scope; scope = scope->parent)
      if (auto found = scope->values.find(name); found != scope->values.end())
        return &found->second;
    return nullptr;
  }
};

} // namespace lgc

#endif // LGC_LIB_IMPORT_IMPORTEDVALUE_H
