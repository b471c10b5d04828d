//===- CommandLine.h - What the user asks for -------------------*- C++ -*-===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef LGC_LIB_DRIVER_COMMANDLINE_H
#define LGC_LIB_DRIVER_COMMANDLINE_H

#include "Compilation.h"
#include "llvm/Support/Error.h"
#include <optional>
#include <string>

namespace lgc {

enum class Emit { Executable, Plan, Module };

struct Request {
  CompilationRequest compilation;
  std::string output;
  Emit emit = Emit::Executable;
  bool quiet = false, json = false;
};

/// What a command line ends with before anything is compiled.
struct EarlyExit {
  int status;
  std::string message;
};

/// Parses the command line of `lgc-opt model.onnx`.
std::optional<EarlyExit> parseCommandLine(int argc, char **argv, Request &request);

} // namespace lgc

#endif // LGC_LIB_DRIVER_COMMANDLINE_H
