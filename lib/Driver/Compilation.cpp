//===- Compilation.cpp - The stages from end to end -----------------------===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Compilation.h"
#include "lgc/Driver/Pipeline.h"
#include "lgc/Import/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/ToolOutputFile.h"

using namespace mlir;
using namespace lgc;

namespace {

/// Runs the stages on one module.
class Stages {
public:
  Stages(ModuleOp module, const CompilationRequest &request) : module(module), request(request) {}

  FailureOr<ProgramFacts> run();

private:
  LogicalResult dump(StringRef stage);
  LogicalResult runPasses(StringRef stage, llvm::function_ref<void(OpPassManager &)> build);
  LogicalResult checkBatch();
  void countLaunches(ProgramFacts &facts);
  LogicalResult checkMemory();

  ModuleOp module;
  const CompilationRequest &request;
  unsigned number = 0;
};

} // namespace

LogicalResult Stages::dump(StringRef stage) {
  if (request.dumpFolder.empty())
    return success();
  std::error_code failure = llvm::sys::fs::create_directories(request.dumpFolder);
  SmallString<128> path(request.dumpFolder);
  ++number;
  llvm::sys::path::append(path,
                          Twine(number < 10 ? "0" : "") + Twine(number) + "-" + stage + ".mlir");
  if (!failure) {
    llvm::ToolOutputFile file(path, failure, llvm::sys::fs::OF_Text);
    if (!failure) {
      OpPrintingFlags flags;
      flags.elideLargeElementsAttrs(4096).elideLargeResourceString(4096);
      module.print(file.os(), flags);
      file.keep();
      return success();
    }
  }
  return emitError(UnknownLoc::get(module.getContext()), "can't write '")
         << path << "': " << failure.message() << "; choose another --dump-stages";
}

LogicalResult Stages::runPasses(StringRef stage, llvm::function_ref<void(OpPassManager &)> build) {
  PassManager manager(module.getContext());
  build(manager);
  if (failed(manager.run(module)))
    return failure();
  return dump(stage);
}

/// With micro-batches the model is imported for one of them.
LogicalResult Stages::checkBatch() {
  int64_t count = request.training.microBatches;
  if (count == 1)
    return success();
  if (!request.batch)
    return emitError(UnknownLoc::get(module.getContext()))
           << "--micro-batches=" << count << " needs the global batch; give --batch=N, a multiple "
           << "of it";
  if (*request.batch % count != 0)
    return emitError(UnknownLoc::get(module.getContext()))
           << "a batch of " << *request.batch << " can't be split into " << count
           << " equal micro-batches; choose a divisor";
  auto forward = module.lookupSymbol<func::FuncOp>("forward");
  for (unsigned i = 0; forward && i < forward.getNumArguments(); ++i) {
    auto role = forward.getArgAttrOfType<RoleAttr>(i, LgcDialect::kRoleAttr);
    auto type = cast<RankedTensorType>(forward.getArgumentTypes()[i]);
    if (role && role.getValue() == Role::Input &&
        (type.getRank() == 0 || type.getDimSize(0) % (*request.batch / count) != 0))
      return emitError(UnknownLoc::get(module.getContext()))
             << "input " << forward.getArgAttr(i, LgcDialect::kNameAttr) << " of type " << type
             << " can't be split into micro-batches of " << *request.batch / count
             << " samples; export the model with a symbolic first dimension";
  }
  return success();
}

void Stages::countLaunches(ProgramFacts &facts) {
  for (auto function : module.getOps<func::FuncOp>())
    if (function->hasAttr(LgcDialect::kKernelAttr))
      ++facts.numKernels;
  StringRef counted = module.lookupSymbol("train_step") ? "train_step" : "forward";
  if (auto function = module.lookupSymbol<func::FuncOp>(counted))
    function.walk([&](LaunchOp) { ++facts.numLaunches; });
}

static std::string formatBytes(int64_t bytes) {
  return llvm::formatv("{0:F1} MiB ({1} bytes)", double(bytes) / (1 << 20), bytes).str();
}

LogicalResult Stages::checkMemory() {
  int64_t arena = module->getAttrOfType<IntegerAttr>("lgc.arena_bytes").getInt();
  if (!request.memoryLimit || arena <= *request.memoryLimit)
    return success();
  int64_t named = 0;
  for (auto buffer : module.getOps<BufferOp>())
    if (buffer.getRole() != Role::Output)
      named += getTensorBytes(buffer.getType());
  return emitError(UnknownLoc::get(module.getContext()))
         << "--memory allows " << formatBytes(*request.memoryLimit) << ", but the step needs "
         << formatBytes(arena) << ", of which " << formatBytes(named)
         << " are inputs, parameters and states; allow " << arena
         << " bytes, or use a smaller batch or more --micro-batches";
}

FailureOr<ProgramFacts> Stages::run() {
  if (failed(runPasses(
          "import", [](OpPassManager &manager) { manager.addPass(createVerifyImportPass()); })) ||
      failed(checkBatch()))
    return failure();
  if (request.isInference) {
    if (Operation *training = module.lookupSymbol("training_forward"))
      training->erase();
    if (!request.training.loss.empty() && failed(runPasses("training", [&](OpPassManager &manager) {
          AddLossPassOptions options;
          options.loss = request.training.loss;
          manager.addPass(createAddLossPass(options));
        })))
      return failure();
  } else if (failed(runPasses("training", [&](OpPassManager &manager) {
               buildTrainingPipeline(manager, request.training);
             }))) {
    return failure();
  }
  ProgramFacts facts = collectFacts(module, request.batch);
  BackendOptions backend;
  backend.fuse = request.fuse;
  if (failed(runPasses("fusion",
                       [&](OpPassManager &manager) { buildKernelPipeline(manager, backend); })) ||
      failed(runPasses("memory", buildPlacementPipeline)) || failed(checkMemory()))
    return failure();
  countLaunches(facts);
  return facts;
}

static ImportOptions getImportOptions(const CompilationRequest &request) {
  ImportOptions options = request.import;
  int64_t count = request.training.microBatches;
  // What doesn't divide is refused by the first stage, with the model's names at hand.
  if (request.batch)
    options.batch = *request.batch % count == 0 ? *request.batch / count : *request.batch;
  return options;
}

static FailureOr<Compilation> runStages(FailureOr<OwningOpRef<ModuleOp>> imported,
                                        const CompilationRequest &request) {
  if (failed(imported))
    return failure();
  Compilation compilation;
  compilation.module = std::move(*imported);
  FailureOr<ProgramFacts> facts = Stages(*compilation.module, request).run();
  if (failed(facts))
    return failure();
  compilation.facts = std::move(*facts);
  return compilation;
}

FailureOr<Compilation> lgc::compile(MLIRContext &context, const CompilationRequest &request) {
  return runStages(importOnnx(context, request.input, getImportOptions(request)), request);
}

FailureOr<Compilation> lgc::compileBytes(MLIRContext &context, StringRef model,
                                         const CompilationRequest &request) {
  return runStages(importOnnxBytes(context, model, getImportOptions(request)), request);
}
