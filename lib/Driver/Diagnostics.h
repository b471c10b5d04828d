//===- Diagnostics.h - What the user reads ----------------------*- C++ -*-===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef LGC_LIB_DRIVER_DIAGNOSTICS_H
#define LGC_LIB_DRIVER_DIAGNOSTICS_H

#include "mlir/IR/Diagnostics.h"
#include <mutex>
#include <string>
#include <vector>

namespace lgc {

/// Text from a file, fit for a terminal: control characters replaced, and shortened.
std::string makePrintable(llvm::StringRef text, size_t longest = 600);

/// Collects a context's diagnostics while it lives, so that the driver can print the errors as
/// one message with its parts.
class CollectedDiagnostics {
public:
  explicit CollectedDiagnostics(mlir::MLIRContext &context);
  ~CollectedDiagnostics();

  /// Adds an error that isn't MLIR's.
  void addError(std::string message) { errors.push_back(std::move(message)); }
  bool hasErrors() const { return !errors.empty(); }
  /// "error: " and the first error, then a line for each further one, up to a limit.
  std::string getErrorText() const;
  /// Remarks and warnings, one a line, up to a limit.
  std::string getNoteText() const;

private:
  mlir::MLIRContext &context;
  mlir::DiagnosticEngine::HandlerID handler;
  std::mutex mutex;
  std::vector<std::string> errors, notes;
};

} // namespace lgc

#endif // LGC_LIB_DRIVER_DIAGNOSTICS_H
