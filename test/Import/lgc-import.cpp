//===- lgc-import.cpp - Import alone, for tests ---------------------------===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//
//
//   lgc-import model.onnx [--dim=NAME=SIZE] [--batch=N] [--batchnorm=train] [--keep-ties]
//              [--keep-cuts] [--as-written] [--quiet]
//
// Prints the module after import. `lgc-opt` has the same options and goes on from there.
//
//===----------------------------------------------------------------------===//

#include "lgc/IR/LgcDialect.h"
#include "lgc/Import/Import.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Support/LogicalResult.h"

using namespace mlir;

int main(int argc, char **argv) {
  lgc::ImportOptions options;
  StringRef path;
  bool quiet = false;
  for (int i = 1; i < argc; ++i) {
    StringRef argument = argv[i];
    int64_t number = 0;
    if (argument.consume_front("--dim=")) {
      auto [name, size] = argument.rsplit('=');
      if (!size.getAsInteger(10, number))
        options.dims[name.str()] = number;
    } else if (argument.consume_front("--batch=") && !argument.getAsInteger(10, number)) {
      options.batch = number;
    } else if (argument == "--batchnorm=train") {
      options.batchnormTrain = true;
    } else if (argument == "--keep-ties") {
      options.keepTies = true;
    } else if (argument == "--keep-cuts") {
      options.keepCuts = true;
    } else if (argument == "--as-written") {
      options.asWritten = true;
    } else if (argument == "--quiet") {
      quiet = true;
    } else {
      path = argument;
    }
  }
  DialectRegistry registry;
  registry.insert<lgc::LgcDialect, func::FuncDialect>();
  MLIRContext context(registry);
  ScopedDiagnosticHandler print(&context, [](Diagnostic &diagnostic) {
    llvm::errs() << diagnostic.getLocation() << ": " << diagnostic << "\n";
    return success();
  });
  auto module = lgc::importOnnx(context, path, options);
  if (failed(module))
    return 1;
  if (!quiet)
    (*module)->print(llvm::outs());
  return 0;
}
