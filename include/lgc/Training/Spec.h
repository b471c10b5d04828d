//===- Spec.h - Specifications like adamw(lr=3e-4) --------------*- C++ -*-===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef LGC_TRAINING_SPEC_H
#define LGC_TRAINING_SPEC_H

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace lgc {

/// What `--loss=`, `--optimizer=` and the like give: `name`, or `name(argument, ..., key=value,
/// ...)`. Names and values are anything without commas, parentheses and equal signs; a key is given
/// once.
class Spec {
public:
  /// Fails with a sentence on what is wrong and one on what to do.
  static llvm::Expected<Spec> parse(llvm::StringRef text);

  llvm::StringRef getName() const { return name; }
  llvm::ArrayRef<std::string> getArguments() const { return arguments; }
  bool isCall() const { return call; }

  /// The value of a key, which counts as known from then on; none if it isn't given.
  std::optional<std::string> get(llvm::StringRef key);
  /// A finite number, `otherwise` if it isn't given.
  llvm::Expected<double> getNumber(llvm::StringRef key, double otherwise);
  llvm::Expected<int64_t> getInteger(llvm::StringRef key, int64_t otherwise);
  llvm::Expected<bool> getFlag(llvm::StringRef key, bool otherwise);
  /// Fails if a key was given that nobody asked for.
  llvm::Error checkAllKnown() const;

private:
  std::string name;
  bool call = false;
  std::vector<std::string> arguments;
  std::vector<std::pair<std::string, std::string>> values;
  std::vector<std::string> known;
};

} // namespace lgc

#endif // LGC_TRAINING_SPEC_H
