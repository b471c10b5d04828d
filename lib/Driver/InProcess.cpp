//===- InProcess.cpp - Compile and run in this process --------------------===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "lgc/Driver/InProcess.h"
#include "lgc/IR/LgcOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"

using namespace mlir;
using namespace lgc;

/// Names what has no name.
static void completeNames(func::FuncOp function) {
  Builder builder(function.getContext());
  for (unsigned i = 0; i < function.getNumArguments(); ++i) {
    if (!function.getArgAttr(i, LgcDialect::kNameAttr))
      function.setArgAttr(i, LgcDialect::kNameAttr, builder.getStringAttr("arg" + Twine(i)));
    if (!function.getArgAttr(i, LgcDialect::kRoleAttr))
      function.setArgAttr(i, LgcDialect::kRoleAttr,
                          RoleAttr::get(function.getContext(), Role::Input));
  }
  for (unsigned i = 0; i < function.getNumResults(); ++i)
    if (!function.getResultAttr(i, LgcDialect::kNameAttr) &&
        !function.getResultAttr(i, LgcDialect::kUpdatesAttr))
      function.setResultAttr(i, LgcDialect::kNameAttr, builder.getStringAttr("result" + Twine(i)));
}

FailureOr<std::unique_ptr<CompiledProgram>> lgc::compileInProcess(ModuleOp module,
                                                                  const InProcessOptions &options) {
  for (auto function : module.getOps<func::FuncOp>())
    if (!function.isExternal())
      completeNames(function);
  PassManager manager(module.getContext());
  buildKernelPipeline(manager, options.backend);
  buildPlacementPipeline(manager);
  if (failed(manager.run(module)))
    return failure();
  return CompiledProgram::create(module, options.target);
}

FailureOr<std::unique_ptr<CompiledProgram>>
lgc::compileInProcess(MLIRContext &context, StringRef text, const InProcessOptions &options) {
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, &context);
  if (!module)
    return failure();
  return compileInProcess(*module, options);
}
