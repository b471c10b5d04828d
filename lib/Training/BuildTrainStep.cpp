//===- BuildTrainStep.cpp - Gradients and updates -------------------------===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "ModelFunction.h"
#include "Optimizer.h"
#include "lgc/Training/Autodiff.h"
#include "lgc/Training/Training.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/Support/GlobPattern.h"

using namespace mlir;
using namespace lgc;

namespace lgc {
#define GEN_PASS_DEF_BUILDTRAINSTEPPASS
#include "lgc/Training/Passes.h.inc"
} // namespace lgc

static RankedTensorType getType(Value value) { return cast<RankedTensorType>(value.getType()); }

namespace {

/// What one run of the model's forward and backward pass gives, over all micro-batches.
struct StepValues {
  Value lossSum, lossCount;
  /// One for each trained parameter: of the sum of the loss.
  SmallVector<Value> gradients;
  /// New values of the model's own states, as in its results.
  SmallVector<Value> states;
};

/// Builds @train_step from @training_forward.
class TrainStepBuilder {
public:
  TrainStepBuilder(func::FuncOp forward, const Optimizer &optimizer, double clipNorm,
                   int64_t microBatches)
      : model(forward), optimizer(optimizer), clipNorm(clipNorm), microBatches(microBatches),
        module(forward->getParentOfType<ModuleOp>()), step(createFunction()) {}

  LogicalResult build(llvm::function_ref<bool(StringRef)> isFrozen);

private:
  func::FuncOp createFunction();
  void findTrained(llvm::function_ref<bool(StringRef)> isFrozen);
  FailureOr<StepValues> buildWhole(OpBuilder &builder);
  FailureOr<StepValues> buildMicroBatches(OpBuilder &builder);
  FailureOr<StepValues> buildModel(OpBuilder &builder, IRMapping &mapping,
                                   ArrayRef<Value> parameters);
  void clip(OpBuilder &builder, SmallVectorImpl<Value> &gradients);
  LogicalResult updateParameters(OpBuilder &builder, ArrayRef<Value> gradients);
  Value addState(StringRef parameter, StringRef suffix, RankedTensorType type);

  /// Arguments of the model's function and of the step's with the same name.
  Value getStepArgument(BlockArgument argument) { return step.findArgument(model.getName(argument)); }

  ModelFunction model;
  const Optimizer &optimizer;
  double clipNorm;
  int64_t microBatches;
  ModuleOp module;
  ModelFunction step;
  /// Names of the trained parameters.
  SmallVector<std::string> trained;
};

} // namespace

/// An empty function with the model's arguments, its inputs grown to all micro-batches.
func::FuncOp TrainStepBuilder::createFunction() {
  func::FuncOp forward = model.get();
  OpBuilder builder(forward);
  auto function = func::FuncOp::create(builder, forward.getLoc(), "train_step",
                                       builder.getFunctionType({}, {}));
  Block *body = function.addEntryBlock();
  builder.setInsertionPointToEnd(body);
  func::ReturnOp::create(builder, forward.getLoc());
  ModelFunction result(function);
  for (BlockArgument argument : forward.getArguments()) {
    RankedTensorType type = ::getType(argument);
    Role role = model.getRole(argument).value_or(Role::Input);
    if (role == Role::Input && microBatches > 1 && type.getRank() > 0) {
      SmallVector<int64_t> shape(type.getShape());
      shape[0] *= microBatches;
      type = type.clone(shape);
    }
    result.addArgument(model.getName(argument), role, type);
  }
  result.getScalar("lgc.learning_rate", builder.getF32Type());
  result.getScalar("lgc.step", builder.getI64Type());
  return function;
}

void TrainStepBuilder::findTrained(llvm::function_ref<bool(StringRef)> isFrozen) {
  for (BlockArgument argument : model.get().getArguments()) {
    if (model.getRole(argument) != Role::Parameter ||
        !isa<FloatType>(::getType(argument).getElementType()))
      continue;
    StringRef name = model.getName(argument);
    auto parameter = module.lookupSymbol<ParameterOp>(name);
    if (parameter && isFrozen(name))
      parameter.setFrozen(true);
    if (!parameter || !parameter.getFrozen())
      trained.push_back(name.str());
  }
}

/// Clones the model's body and adds the gradients of the sum of the loss.
FailureOr<StepValues> TrainStepBuilder::buildModel(OpBuilder &builder, IRMapping &mapping,
                                                   ArrayRef<Value> parameters) {
  for (Operation &op : model.get().getBody().front().without_terminator())
    builder.clone(op, mapping);
  StepValues values;
  for (auto [i, value] : llvm::enumerate(model.getReturn().getOperands())) {
    Value cloned = mapping.lookupOrDefault(value);
    if (model.getResultName(i) == "lgc.loss_sum")
      values.lossSum = cloned;
    else if (model.getResultName(i) == "lgc.loss_count")
      values.lossCount = cloned;
    else if (!model.getUpdated(i).empty())
      values.states.push_back(cloned);
  }
  if (!values.lossSum || !values.lossCount)
    return model.get().emitError("has no loss; run lgc-add-loss first");
  if (failed(buildGradients(builder, values.lossSum, parameters, values.gradients)))
    return failure();
  return values;
}

FailureOr<StepValues> TrainStepBuilder::buildWhole(OpBuilder &builder) {
  IRMapping mapping;
  for (BlockArgument argument : model.get().getArguments())
    mapping.map(argument, getStepArgument(argument));
  SmallVector<Value> parameters;
  for (const std::string &name : trained)
    parameters.push_back(step.findArgument(name));
  return buildModel(builder, mapping, parameters);
}

FailureOr<StepValues> TrainStepBuilder::buildMicroBatches(OpBuilder &builder) {
  Location loc = model.get().getLoc();
  TensorMath t(builder, loc);
  SmallVector<Value> batched, carried;
  SmallVector<Type> bodyTypes{RankedTensorType::get({}, builder.getI64Type())};
  for (BlockArgument argument : model.get().getArguments())
    if (model.getRole(argument) == Role::Input) {
      if (::getType(argument).getRank() == 0)
        return model.get().emitError("has a scalar input '")
               << model.getName(argument) << "', which can't be split into micro-batches; bind it";
      batched.push_back(getStepArgument(argument));
      bodyTypes.push_back(argument.getType());
    }
  // Carried: the loss's sum and count, the gradients, the model's states.
  for (auto [i, value] : llvm::enumerate(model.getReturn().getOperands()))
    if (StringRef name = model.getResultName(i);
        name == "lgc.loss_sum" || name == "lgc.loss_count")
      carried.push_back(t.splat(::getType(value), 0.0));
  for (const std::string &name : trained)
    carried.push_back(t.zerosLike(step.findArgument(name)));
  SmallVector<StringRef> stateNames;
  for (unsigned i = 0; i < model.get().getNumResults(); ++i)
    if (StringRef name = model.getUpdated(i); !name.empty()) {
      stateNames.push_back(name);
      carried.push_back(step.findArgument(name));
    }
  llvm::append_range(bodyTypes, ValueRange(carried).getTypes());

  auto loop = MicroBatchesOp::create(builder, loc, ValueRange(carried).getTypes(), microBatches,
                                     batched, carried);
  Block *body = builder.createBlock(&loop.getBody(), {}, bodyTypes,
                                    SmallVector<Location>(bodyTypes.size(), loc));
  TensorMath inside(builder, loc);
  auto pieces = body->getArguments().slice(1, batched.size());
  auto sums = body->getArguments().drop_front(1 + batched.size());
  IRMapping mapping;
  size_t piece = 0;
  for (BlockArgument argument : model.get().getArguments()) {
    Value value = getStepArgument(argument);
    if (model.getRole(argument) == Role::Input) {
      value = pieces[piece++];
    } else if (auto *at = llvm::find(stateNames, model.getName(argument));
               at != stateNames.end()) {
      value = sums[2 + trained.size() + (at - stateNames.begin())];
    } else if (model.getName(argument) == "lgc.step") {
      // Each micro-batch draws its own random numbers.
      value = inside.add(inside.mul(value, static_cast<double>(microBatches)),
                         body->getArgument(0));
    }
    mapping.map(argument, value);
  }
  SmallVector<Value> parameters;
  for (const std::string &name : trained) {
    // A value of the body, so that the walk of the gradients stays within it.
    parameters.push_back(step.findArgument(name));
  }
  FailureOr<StepValues> values = buildModel(builder, mapping, parameters);
  if (failed(values))
    return failure();
  SmallVector<Value> next{inside.add(sums[0], values->lossSum),
                          inside.add(sums[1], values->lossCount)};
  for (auto [i, gradient] : llvm::enumerate(values->gradients))
    next.push_back(gradient ? inside.add(sums[2 + i], gradient) : sums[2 + i]);
  llvm::append_range(next, values->states);
  YieldOp::create(builder, loc, next);
  builder.setInsertionPointAfter(loop);

  StepValues result;
  result.lossSum = loop.getResult(0);
  result.lossCount = loop.getResult(1);
  for (auto [i, gradient] : llvm::enumerate(values->gradients))
    result.gradients.push_back(gradient ? Value(loop.getResult(2 + i)) : Value());
  llvm::append_range(result.states, loop.getResults().drop_front(2 + trained.size()));
  return result;
}

/// Scales the gradients so that their global norm is at most `clipNorm`, as PyTorch's
/// clip_grad_norm_ does, and reports the norm.
void TrainStepBuilder::clip(OpBuilder &builder, SmallVectorImpl<Value> &gradients) {
  if (clipNorm <= 0.0)
    return;
  TensorMath t(builder, model.get().getLoc());
  Value squares;
  for (Value gradient : gradients) {
    if (!gradient)
      continue;
    Value wide = t.cast(gradient, getComputeType(::getType(gradient).getElementType()));
    Value sum = t.sum(t.mul(wide, wide),
                      llvm::to_vector(llvm::seq<int64_t>(0, ::getType(wide).getRank())));
    squares = squares ? t.add(squares, sum) : sum;
  }
  if (!squares)
    return;
  Value norm = t.sqrt(squares);
  Value scale = MinOp::create(builder, model.get().getLoc(),
                              t.div(clipNorm, t.add(norm, 1e-6)), t.splatLike(norm, 1.0));
  for (Value &gradient : gradients)
    if (gradient)
      gradient = t.mul(gradient,
                       t.broadcastTo(t.cast(scale, ::getType(gradient).getElementType()), gradient));
  step.addResult(norm, LgcDialect::kNameAttr, "lgc.grad_norm");
}

Value TrainStepBuilder::addState(StringRef parameter, StringRef suffix, RankedTensorType type) {
  std::string name = (parameter + "." + suffix).str();
  OpBuilder builder(module.lookupSymbol<ParameterOp>(parameter));
  builder.setInsertionPointAfter(module.lookupSymbol<ParameterOp>(parameter));
  auto role = RoleAttr::get(builder.getContext(), Role::State);
  ParameterOp::create(builder, model.get().getLoc(), builder.getStringAttr(name), role,
                      TypeAttr::get(type), FloatAttr::get(type.getElementType(), 0.0),
                      /*frozen=*/UnitAttr(), /*initializers=*/ArrayAttr(),
                      /*sym_visibility=*/StringAttr());
  return step.addArgument(name, Role::State, type);
}

LogicalResult TrainStepBuilder::updateParameters(OpBuilder &builder, ArrayRef<Value> gradients) {
  StepScalars scalars{step.findArgument("lgc.learning_rate"), step.findArgument("lgc.step")};
  for (auto [name, gradient] : llvm::zip_equal(trained, gradients)) {
    auto parameterOp = module.lookupSymbol<ParameterOp>(name);
    if (!parameterOp)
      return model.get().emitError("has a parameter '") << name << "' without a declaration";
    if (!gradient) {
      parameterOp.emitRemark("isn't trained: the loss doesn't depend on it");
      continue;
    }
    Value parameter = step.findArgument(name);
    TensorMath t(builder, parameterOp.getLoc());
    SmallVector<Value> states;
    SmallVector<StringRef> suffixes = optimizer.getStates();
    for (StringRef suffix : suffixes)
      states.push_back(addState(name, suffix, ::getType(parameter)));
    double decay = optimizer.getDecay(name, ::getType(parameter));
    Value updated = optimizer.update(t, scalars, parameter, gradient, decay, states);
    step.addResult(updated, LgcDialect::kUpdatesAttr, name);
    for (auto [suffix, state] : llvm::zip_equal(suffixes, states))
      step.addResult(state, LgcDialect::kUpdatesAttr, name + "." + suffix.str());
  }
  return success();
}

LogicalResult TrainStepBuilder::build(llvm::function_ref<bool(StringRef)> isFrozen) {
  findTrained(isFrozen);
  OpBuilder builder(step.getReturn());
  FailureOr<StepValues> values =
      microBatches == 1 ? buildWhole(builder) : buildMicroBatches(builder);
  if (failed(values))
    return failure();
  builder.setInsertionPoint(step.getReturn());
  TensorMath t(builder, model.get().getLoc());
  Value count = MaxOp::create(builder, model.get().getLoc(), values->lossCount,
                              t.splatLike(values->lossCount, 1.0));
  step.addResult(t.div(values->lossSum, count), LgcDialect::kNameAttr, "lgc.loss");
  SmallVector<Value> gradients;
  Value share = t.div(1.0, count);
  for (Value gradient : values->gradients)
    gradients.push_back(
        gradient ? t.mul(gradient, t.broadcastTo(t.cast(share, ::getType(gradient).getElementType()),
                                                 gradient))
                 : Value());
  clip(builder, gradients);
  if (failed(updateParameters(builder, gradients)))
    return failure();
  size_t state = 0;
  for (unsigned i = 0; i < model.get().getNumResults(); ++i)
    if (StringRef name = model.getUpdated(i); !name.empty())
      step.addResult(values->states[state++], LgcDialect::kUpdatesAttr, name);
  return success();
}

/// Makes @forward run over all micro-batches: its inputs grow, and of its results the loss is left.
static LogicalResult growForward(func::FuncOp forward, int64_t microBatches) {
  ModelFunction model(forward);
  Value loss = model.findOutput("lgc.forward_loss");
  if (!loss)
    return forward.emitError("has no loss; run lgc-add-loss first");
  auto quotient = loss.getDefiningOp<DivOp>();
  if (!quotient)
    return forward.emitError("has a loss that isn't a sum divided by a count");
  Location loc = forward.getLoc();
  OpBuilder builder = OpBuilder::atBlockBegin(&forward.getBody().front());
  TensorMath t(builder, loc);
  auto count = quotient.getRhs().getDefiningOp<MaxOp>();
  Value sums[] = {quotient.getLhs(), count ? count.getLhs() : quotient.getRhs()};
  SmallVector<Value> carried, batched;
  SmallVector<Type> types{RankedTensorType::get({}, builder.getI64Type())};
  SmallVector<BlockArgument> inputs;
  for (BlockArgument argument : forward.getArguments())
    if (model.getRole(argument) == Role::Input && ::getType(argument).getRank() > 0) {
      inputs.push_back(argument);
      types.push_back(argument.getType());
    }
  for (Value sum : sums) {
    carried.push_back(t.splat(::getType(sum), 0.0));
    types.push_back(sum.getType());
  }
  SmallVector<Operation *> body;
  for (Operation &op : forward.getBody().front().without_terminator())
    if (!llvm::is_contained(carried, op.getNumResults() ? op.getResult(0) : Value()))
      body.push_back(&op);
  for (BlockArgument input : inputs)
    batched.push_back(input);
  builder.setInsertionPoint(model.getReturn());
  auto loop = MicroBatchesOp::create(builder, loc, ValueRange(carried).getTypes(), microBatches,
                                     batched, carried);
  Block *block = builder.createBlock(&loop.getBody(), {}, types,
                                     SmallVector<Location>(types.size(), loc));
  for (Operation *op : body)
    op->moveBefore(block, block->end());
  for (auto [i, input] : llvm::enumerate(inputs)) {
    input.replaceUsesWithIf(block->getArgument(1 + i),
                            [&](OpOperand &use) { return use.getOwner() != loop; });
    SmallVector<int64_t> shape(::getType(input).getShape());
    shape[0] *= microBatches;
    input.setType(::getType(input).clone(shape));
  }
  builder.setInsertionPointToEnd(block);
  auto before = block->getArguments().drop_front(1 + inputs.size());
  YieldOp::create(builder, loc, ValueRange{t.add(before[0], sums[0]), t.add(before[1], sums[1])});
  builder.setInsertionPoint(model.getReturn());
  model.clearResults();
  forward.setType(builder.getFunctionType(forward.getBody().getArgumentTypes(), {}));
  Value atLeastOne = MaxOp::create(builder, loc, loop.getResult(1),
                                   t.splatLike(loop.getResult(1), 1.0));
  model.addResult(t.div(loop.getResult(0), atLeastOne), LgcDialect::kNameAttr,
                  "lgc.forward_loss");
  forward->getParentOfType<ModuleOp>()->removeAttr("lgc.classification");
  return success();
}

namespace {

struct BuildTrainStepPass : lgc::impl::BuildTrainStepPassBase<BuildTrainStepPass> {
  using BuildTrainStepPassBase::BuildTrainStepPassBase;

  void runOnOperation() override {
    if (failed(run()))
      signalPassFailure();
  }

private:
  FailureOr<SmallVector<llvm::GlobPattern>> parsePatterns() {
    SmallVector<llvm::GlobPattern> patterns;
    SmallVector<StringRef> texts;
    StringRef(frozen).split(texts, ',', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
    for (StringRef text : texts) {
      auto pattern = llvm::GlobPattern::create(text.trim());
      if (!pattern)
        return getOperation().emitError("can't freeze '")
               << text << "': " << llvm::toString(pattern.takeError());
      patterns.push_back(std::move(*pattern));
    }
    return patterns;
  }

  LogicalResult run() {
    ModuleOp module = getOperation();
    auto forward = module.lookupSymbol<func::FuncOp>("training_forward");
    if (!forward)
      return module.emitError("has no function 'training_forward'; import a model for training");
    llvm::Expected<std::unique_ptr<Optimizer>> chosen = Optimizer::create(optimizer);
    if (!chosen)
      return module.emitError("can't be trained with this --optimizer: ")
             << llvm::toString(chosen.takeError());
    if (microBatches < 1)
      return module.emitError("can't run ") << microBatches << " micro-batches; give at least 1";
    FailureOr<SmallVector<llvm::GlobPattern>> patterns = parsePatterns();
    if (failed(patterns))
      return failure();
    auto isFrozen = [&](StringRef name) {
      return llvm::any_of(*patterns,
                          [&](const llvm::GlobPattern &pattern) { return pattern.match(name); });
    };
    TrainStepBuilder builder(forward, **chosen, clipNorm, microBatches);
    if (failed(builder.build(isFrozen)))
      return failure();
    if (microBatches > 1)
      if (auto inference = module.lookupSymbol<func::FuncOp>("forward"))
        if (failed(growForward(inference, microBatches)))
          return failure();
    module->setAttr("lgc.learning_rate",
                    Builder(module.getContext()).getF64FloatAttr((*chosen)->getLearningRate()));
    module->setAttr("lgc.micro_batches",
                    Builder(module.getContext()).getI64IntegerAttr(microBatches));
    forward.erase();
    return success();
  }
};

} // namespace
