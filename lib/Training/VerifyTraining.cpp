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

static LogicalResult checkArguments(ModelFunction function, ModuleOp module) {
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
    ModelFunction function(step);
    Value loss = function.findOutput("lgc.loss");
    if (!loss || cast<RankedTensorType>(loss.getType()).getRank() != 0) {
      step.emitOpError("has no scalar result 'lgc.loss'; add the loss");
      return signalPassFailure();
    }
    if (failed(checkArguments(function, module)) || failed(checkUpdates(function)))
      signalPassFailure();
  }
};

} // namespace

void lgc::buildTrainingPipeline(OpPassManager &manager, const TrainingOptions &options) {
  AddLossPassOptions loss;
  loss.loss = options.loss;
  manager.addPass(createAddLossPass(loss));
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
