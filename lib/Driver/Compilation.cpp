//===- Compilation.cpp - The stages from end to end -----------------------===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Compilation.h"
#include "lgc/Calibration/Calibration.h"
#include "lgc/Driver/Pipeline.h"
#include "lgc/Import/Passes.h"
#include "lgc/Memory/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/ToolOutputFile.h"
#include <chrono>

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
  LogicalResult place();
  int64_t placeWithin(ModuleOp fused, int64_t limit);
  LogicalResult refuse();
  LogicalResult useMeasuredCosts(ProgramFacts &facts);
  FailureOr<std::map<std::string, int64_t>> measure(const ProgramFacts &facts);
  void predictTime(ProgramFacts &facts);

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
  if (auto recomputation = module->getAttrOfType<DictionaryAttr>(kRecomputationAttr)) {
    facts.numRecomputed = recomputation.getAs<IntegerAttr>("launches").getInt();
    facts.recomputedShare =
        static_cast<double>(recomputation.getAs<IntegerAttr>("extra_ns").getInt()) /
        static_cast<double>(
            std::max<int64_t>(1, recomputation.getAs<IntegerAttr>("step_ns").getInt()));
  }
}

static std::string formatBytes(int64_t bytes) {
  return llvm::formatv("{0:F1} MiB ({1} bytes)", double(bytes) / (1 << 20), bytes).str();
}

static int64_t getArenaBytes(ModuleOp module) {
  return module->getAttrOfType<IntegerAttr>("lgc.arena_bytes").getInt();
}

/// Whether recomputation found no plan of its limit, but took the one of least memory.
static bool isLeast(ModuleOp module) {
  auto recomputation = module->getAttrOfType<DictionaryAttr>(kRecomputationAttr);
  return recomputation && recomputation.getAs<BoolAttr>("is_least").getValue();
}

/// The arena is too large in any way that the planner knows; `module` is the smallest one.
LogicalResult Stages::refuse() {
  int64_t named = 0;
  for (auto buffer : module.getOps<BufferOp>())
    if (buffer.getRole() != Role::Output)
      named += getTensorBytes(buffer.getType());
  return emitError(UnknownLoc::get(module.getContext()))
         << "--memory allows " << formatBytes(*request.memoryLimit) << ", but the step needs "
         << formatBytes(getArenaBytes(module))
         << (request.mayRecompute ? " even with all recomputation that saves memory" : "")
         << ", of which " << formatBytes(named) << " are inputs, parameters and states; allow "
         << getArenaBytes(module) << " bytes, or use a smaller batch or more --micro-batches";
}

/// Replaces the module by the fused one with its tensors placed, which makes an arena of about
/// `limit` bytes if that can be. Gives its bytes, or -1 after an error.
int64_t Stages::placeWithin(ModuleOp fused, int64_t limit) {
  OwningOpRef<ModuleOp> placed(fused.clone());
  PassManager manager(module.getContext());
  buildPlacementPipeline(manager, limit);
  if (failed(manager.run(*placed)))
    return -1;
  module.getBodyRegion().takeBody(placed->getBodyRegion());
  module->setAttrs((*placed)->getAttrDictionary());
  return getArenaBytes(module);
}

/// Places all tensors. Recomputation counts bytes; the layout may need some more, for which the
/// next attempt gets a lower limit. The last attempt takes the least memory that there is.
LogicalResult Stages::place() {
  constexpr unsigned numAttempts = 4;
  OwningOpRef<ModuleOp> fused(module.clone());
  int64_t arena = placeWithin(*fused, 0);
  if (request.memoryLimit && request.mayRecompute) {
    int64_t limit = *request.memoryLimit;
    for (unsigned i = 0; i < numAttempts && arena > *request.memoryLimit && !isLeast(module); ++i) {
      arena = placeWithin(*fused, limit);
      limit = std::max<int64_t>(1, limit - std::max<int64_t>(arena - *request.memoryLimit, 0));
    }
    if (arena > *request.memoryLimit && !isLeast(module))
      arena = placeWithin(*fused, 1);
  }
  if (arena < 0)
    return failure();
  if (request.memoryLimit && arena > *request.memoryLimit)
    return refuse();
  return success();
}

/// Measures the kernels of the fused module, which stays as it is, in the plan that the costs so
/// far give.
FailureOr<std::map<std::string, int64_t>> Stages::measure(const ProgramFacts &facts) {
  OwningOpRef<ModuleOp> fused(module.clone());
  LogicalResult isPlaced = place();
  FailureOr<std::map<std::string, int64_t>> costs = failure();
  if (succeeded(isPlaced)) {
    InputRanges ranges;
    for (const auto &[name, input] : facts.inputs)
      if (input.range)
        ranges[name] = *input.range;
    costs = measureKernels(module, ranges, CpuTargetOptions());
  }
  module.getBodyRegion().takeBody(fused->getBodyRegion());
  module->setAttrs((*fused)->getAttrDictionary());
  return costs;
}

/// Replaces estimated costs by remembered ones; with --calibrate they are measured first.
LogicalResult Stages::useMeasuredCosts(ProgramFacts &facts) {
  if (request.costsFile.empty() && !request.calibrate)
    return success();
  Location nowhere = UnknownLoc::get(module.getContext());
  CostStore store = CostStore::load(request.costsFile, describeMachine());
  if (!store.getWarning().empty())
    emitWarning(nowhere) << store.getWarning();
  applyCosts(module, store);
  if (!request.calibrate)
    return success();
  auto start = std::chrono::steady_clock::now();
  FailureOr<std::map<std::string, int64_t>> costs = measure(facts);
  if (failed(costs))
    return failure();
  for (auto kernel : module.getOps<func::FuncOp>())
    if (auto cost = costs->find(kernel.getName().str()); cost != costs->end())
      store.set(getKernelKey(kernel), cost->second);
  if (llvm::Error error = store.write())
    return emitError(nowhere) << llvm::toString(std::move(error));
  applyCosts(module, store);
  facts.calibrationSeconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return success();
}

/// Adds up the costs of the launches of a step, those of a loop as often as it runs them.
void Stages::predictTime(ProgramFacts &facts) {
  auto step = module.lookupSymbol<func::FuncOp>("train_step");
  if (!step)
    step = module.lookupSymbol<func::FuncOp>("forward");
  if (!step)
    return;
  llvm::DenseSet<Operation *> kernels;
  step.walk([&](LaunchOp launch) {
    Operation *kernel = SymbolTable::lookupNearestSymbolFrom(launch, launch.getKernelAttr());
    auto cost = kernel ? kernel->getAttrOfType<IntegerAttr>(kCostAttr) : IntegerAttr();
    if (!cost)
      return;
    int64_t passes = launch->getParentOfType<scf::ForOp>() ? facts.microBatches : 1;
    facts.stepNanoseconds += static_cast<double>(cost.getInt() * passes);
    if (kernels.insert(kernel).second && kernel->hasAttr(kMeasuredAttr))
      ++facts.numMeasured;
  });
  facts.numStepKernels = static_cast<int64_t>(kernels.size());
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
      failed(useMeasuredCosts(facts)) || failed(place()) || failed(dump("memory")))
    return failure();
  countLaunches(facts);
  predictTime(facts);
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
