//===- Driver.cpp - From an ONNX file to a training program ---------------===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "lgc/Driver/Driver.h"
#include "CommandLine.h"
#include "Diagnostics.h"
#include "Manifest.h"
#include "OutputFolder.h"
#include "Report.h"
#include "lgc/Driver/Registration.h"
#include "lgc/Memory/Passes.h"
#include "lgc/Target/CPU/Codegen.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/ToolOutputFile.h"

using namespace mlir;
using namespace lgc;

namespace {

/// One run of the driver.
class Driver {
public:
  Driver(const Request &request, MLIRContext &context, CollectedDiagnostics &diagnostics)
      : request(request), context(context), diagnostics(diagnostics) {}
  LogicalResult run();

private:
  LogicalResult succeed(llvm::Error error) {
    if (!error)
      return success();
    diagnostics.addError(makePrintable(llvm::toString(std::move(error))));
    return failure();
  }
  LogicalResult writeText(llvm::function_ref<void(llvm::raw_ostream &)> write);
  LogicalResult writeProgram(Compilation &compilation, StringRef model,
                             const llvm::json::Object &summary);
  LogicalResult writeFolder(OutputFolder &folder, Compilation &compilation, StringRef model,
                            const llvm::json::Object &summary);

  const Request &request;
  MLIRContext &context;
  CollectedDiagnostics &diagnostics;
  std::string linkArguments = findLinkArguments();
  Stopwatch watch;
};

} // namespace

/// Writes a single text to the output file, or to the terminal.
LogicalResult Driver::writeText(llvm::function_ref<void(llvm::raw_ostream &)> write) {
  std::error_code failure;
  StringRef path = request.output.empty() ? "-" : StringRef(request.output);
  llvm::ToolOutputFile file(path, failure, llvm::sys::fs::OF_Text);
  if (failure)
    return succeed(llvm::createStringError("can't write '" + path + "': " + failure.message() +
                                           "; choose another -o"));
  write(file.os());
  file.keep();
  return success();
}

LogicalResult Driver::writeFolder(OutputFolder &folder, Compilation &compilation, StringRef model,
                                  const llvm::json::Object &summary) {
  ModuleOp module = *compilation.module;
  Weights weights(module, llvm::sys::path::parent_path(model));
  std::string manifest;
  llvm::raw_string_ostream(manifest)
      << llvm::json::Value(makeManifest(compilation, weights, model));
  if (failed(succeed(folder.write("plan.json",
                                  [&](llvm::raw_ostream &stream) {
                                    stream << llvm::formatv(
                                        "{0:2}\n", llvm::json::Value(llvm::json::Object(summary)));
                                  }))) ||
      failed(succeed(folder.write("step.mlir", [&](llvm::raw_ostream &stream) {
        OpPrintingFlags flags;
        module.print(stream, flags.elideLargeElementsAttrs(64).elideLargeResourceString(64));
      }))))
    return failure();
  if (weights.needsFile() &&
      failed(succeed(
          folder.write(kWeightsFile, [&](llvm::raw_ostream &stream) { weights.write(stream); }))))
    return failure();
  watch.lap("write");

  PassManager manager(module.getContext());
  manager.addPass(createPoisonMemoryPass());
  if (failed(manager.run(module)))
    return failure();
  CpuTargetOptions options;
  if (failed(lowerToLLVM(module, options)))
    return failure();
  FailureOr<ObjectCode> object = emitObject(module, manifest, options);
  if (failed(object))
    return failure();
  watch.lap("code");
  std::string objectPath = folder.getPath("program.o");
  if (failed(succeed(folder.write(
          "program.o",
          [&](llvm::raw_ostream &stream) { stream.write(object->data(), object->size()); }))) ||
      failed(succeed(linkProgram(objectPath, linkArguments, folder.getPath("train")))))
    return failure();
  llvm::sys::fs::remove(objectPath);
  watch.lap("link");
  return success();
}

LogicalResult Driver::writeProgram(Compilation &compilation, StringRef model,
                                   const llvm::json::Object &summary) {
  llvm::Expected<OutputFolder> folder = OutputFolder::create(request.output);
  if (!folder)
    return succeed(folder.takeError());
  if (failed(writeFolder(*folder, compilation, model, summary)))
    return failure();
  return succeed(folder->commit());
}

LogicalResult Driver::run() {
  SmallString<256> model(request.compilation.input);
  llvm::sys::fs::make_absolute(model);
  FailureOr<Compilation> compilation = compile(context, request.compilation);
  if (failed(compilation))
    return failure();
  watch.lap("plan");
  llvm::json::Object summary = makePlanSummary(*compilation, model);
  if (request.emit == Emit::Module)
    return writeText([&](llvm::raw_ostream &stream) { compilation->module->print(stream); });
  if (request.emit == Emit::Plan)
    return writeText([&](llvm::raw_ostream &stream) {
      stream << llvm::formatv("{0:2}\n", llvm::json::Value(llvm::json::Object(summary)));
    });
  if (failed(writeProgram(*compilation, model, summary)))
    return failure();
  if (!request.quiet)
    llvm::errs() << diagnostics.getNoteText();
  if (request.json)
    printJson(summary, request.output, watch);
  else if (!request.quiet)
    printTable(summary, request.output, watch);
  return success();
}

int lgc::runDriver(int argc, char **argv) {
  Request request;
  if (std::optional<EarlyExit> exit = parseCommandLine(argc, argv, request)) {
    llvm::errs() << "error: " << makePrintable(exit->message) << "\n";
    return exit->status;
  }
  DialectRegistry registry;
  registerDialects(registry);
  MLIRContext context(registry);
  CollectedDiagnostics diagnostics(context);
  if (succeeded(Driver(request, context, diagnostics).run()))
    return 0;
  if (!diagnostics.hasErrors())
    diagnostics.addError("the compiler failed without a reason, which is a fault of its own; "
                         "please report it with the model");
  llvm::errs() << diagnostics.getErrorText();
  return 1;
}
