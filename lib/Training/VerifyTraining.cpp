//===- VerifyTraining.cpp - The contract after Training -------------------===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "ModelFunction.h"
#include "lgc/Training/Training.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace lgc;

namespace lgc {
#define GEN_PASS_DEF_VERIFYTRAININGPASS
#include "lgc/Training/Passes.h.inc"
} // namespace lgc

static LogicalResult checkArguments(ModelFunction function) {
  auto module = function.get()->getParentOfType<ModuleOp>();
  for (BlockArgument argument : function.get().getArguments()) {
    StringRef name = function.getName(argument);
    std::optional<Role> role = function.getRole(argument);
    if (name.empty() || !role)
      return function.get().emitOpError("has argument ")
             << argument.getArgNumber() << " without a name and a role; give it both";
    if (*role != Role::Parameter && *role != Role::State)
      continue;
    auto parameter = module.lookupSymbol<ParameterOp>(name);
    if (!parameter || parameter.getRole() != *role || parameter.getType() != argument.getType())
      return function.get().emitOpError("takes '")
             << name << "', for which there is no lgc.parameter of its role and type; declare it";
  }
  return success();
}

/// Checks arguments and the result that is the loss.
static LogicalResult checkFunction(ModelFunction function, StringRef lossName) {
  Value loss = function.findOutput(lossName);
  if (!loss || cast<RankedTensorType>(loss.getType()).getRank() != 0)
    return function.get().emitOpError("has no scalar result '") << lossName << "'; add the loss";
  return checkArguments(function);
}

static LogicalResult checkUpdates(ModelFunction function) {
  llvm::StringSet<> updated;
  for (auto [i, value] : llvm::enumerate(function.getReturn().getOperands())) {
    StringRef name = function.getUpdated(i);
    if (name.empty())
      continue;
    Value argument = function.findArgument(name);
    if (!argument || argument.getType() != value.getType())
      return function.get().emitOpError("updates '")
             << name << "' by a value that isn't of its argument's type; both must be equal";
    if (!updated.insert(name).second)
      return function.get().emitOpError("updates '") << name << "' twice; keep one of them";
  }
  return success();
}

namespace {

struct VerifyTrainingPass : lgc::impl::VerifyTrainingPassBase<VerifyTrainingPass> {
  void runOnOperation() override {
    markAllAnalysesPreserved();
    ModuleOp module = getOperation();
    auto step = module.lookupSymbol<func::FuncOp>("train_step");
    if (!step || module.lookupSymbol("training_forward")) {
      module.emitError("has no @train_step in place of @training_forward; run "
                       "lgc-build-train-step");
      return signalPassFailure();
    }
    auto forward = module.lookupSymbol<func::FuncOp>("forward");
    if (!forward) {
      module.emitError("has no @forward, which gives the loss without training; import a model");
      return signalPassFailure();
    }
    if (failed(checkFunction(ModelFunction(step), "lgc.loss")) ||
        failed(checkFunction(ModelFunction(forward), "lgc.forward_loss")) ||
        failed(checkUpdates(ModelFunction(step))))
      signalPassFailure();
  }
};

} // namespace

void lgc::buildTrainingPipeline(OpPassManager &manager, const TrainingOptions &options) {
  // What is simplified before autodiff has a simpler gradient, too.
  manager.addPass(createCanonicalizerPass());
  manager.addPass(createCSEPass());
  AddLossPassOptions loss;
  loss.loss = options.loss;
  manager.addPass(createAddLossPass(loss));
  if (options.mayCheckpoint)
    manager.addPass(createFormCheckpointsPass({options.checkpoint}));
  BuildTrainStepPassOptions step;
  step.optimizer = options.optimizer;
  step.clipNorm = options.clipNorm;
  step.microBatches = options.microBatches;
  step.frozen = options.frozen;
  manager.addPass(createBuildTrainStepPass(step));
  manager.addPass(createCanonicalizerPass());
  manager.addPass(createCSEPass());
  manager.addPass(createVerifyTrainingPass());
}
