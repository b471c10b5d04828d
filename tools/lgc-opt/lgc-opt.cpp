//===- lgc-opt.cpp - The compiler's command line ---------------------------===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "lgc/Driver/Driver.h"
#include "lgc/Driver/Registration.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"

int main(int argc, char **argv) {
  if (!lgc::isPassInvocation(argc, argv))
    return lgc::runDriver(argc, argv);
  mlir::DialectRegistry registry;
  lgc::registerDialects(registry);
  lgc::registerPasses();
  return mlir::asMainReturnCode(
      mlir::MlirOptMain(argc, argv, "The large graph compiler's passes\n", registry));
}
