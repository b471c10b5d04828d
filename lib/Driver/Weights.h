//===- Weights.h - Initial values of parameters -----------------*- C++ -*-===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef LGC_LIB_DRIVER_WEIGHTS_H
#define LGC_LIB_DRIVER_WEIGHTS_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"
#include <map>
#include <string>

namespace lgc {

/// The name of the file of initial values in a program's folder.
inline constexpr llvm::StringLiteral kWeightsFile = "weights.safetensors";

/// Where the runtime finds the initial value of each parameter and state: in the model's files, in
/// a number, or in a file of their own, which `write` makes.
class Weights {
public:
  /// Files of the model are relative to `modelFolder`.
  Weights(mlir::ModuleOp module, llvm::StringRef modelFolder);

  /// The entry `init` of a buffer in the manifest; null if the buffer has none.
  const llvm::json::Value *find(llvm::StringRef name) const;
  /// Whether a file of their own is needed.
  bool needsFile() const { return !stored.empty(); }
  /// Writes it in the safetensors format.
  void write(llvm::raw_ostream &stream) const;

private:
  struct Stored {
    std::string name;
    mlir::Attribute elements;
  };
  std::string header;
  std::vector<Stored> stored;
  std::map<std::string, llvm::json::Value> entries;
};

} // namespace lgc

#endif // LGC_LIB_DRIVER_WEIGHTS_H
