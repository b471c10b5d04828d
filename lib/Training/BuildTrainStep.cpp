//===- BuildTrainStep.cpp - Gradients and updates -------------------------===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "MeanLoss.h"
#include "MicroBatchForward.h"
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

/// What one run of the model gives.
struct ModelValues {
  LossParts loss;
  /// New values of the model's own states, as in its results.
  SmallVector<Value> states;
};

/// What the forward and backward pass give, over all micro-batches.
struct StepValues {
  Value loss;
  /// One for each trained parameter.
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
  LogicalResult findTrained(llvm::function_ref<bool(StringRef)> isFrozen);
  FailureOr<StepValues> buildWhole(OpBuilder &builder);
  FailureOr<StepValues> buildMicroBatches(OpBuilder &builder);
  SmallVector<Value> buildCarried(TensorMath &t);
  IRMapping mapMicroBatch(OpBuilder &builder, Value number, ValueRange pieces, ValueRange states);
  ModelValues buildModel(OpBuilder &builder, IRMapping &mapping);
  LogicalResult differentiate(OpBuilder &builder, Value loss, SmallVectorImpl<Value> &gradients);
  void clip(OpBuilder &builder, MutableArrayRef<Value> gradients);
  void updateParameters(OpBuilder &builder, ArrayRef<Value> gradients);
  Value addState(OpBuilder &declarations, const std::string &name, RankedTensorType type);

  /// An input is split into micro-batches unless it is a scalar, which all share.
  bool isBatched(BlockArgument argument) const {
    return model.getRole(argument) == Role::Input && ::getType(argument).getRank() > 0;
  }

  /// Arguments of the model's function and of the step's with the same name.
  Value getStepArgument(BlockArgument argument) {
    return step.findArgument(model.getName(argument));
  }

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
    if (isBatched(argument)) {
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

LogicalResult TrainStepBuilder::findTrained(llvm::function_ref<bool(StringRef)> isFrozen) {
  Value loss = model.findOutput("lgc.loss_sum");
  if (!loss || !model.findOutput("lgc.loss_count"))
    return model.get().emitError("has no loss; run lgc-add-loss first");
  DenseSet<Value> influences = findInfluences(loss);
  for (BlockArgument argument : model.get().getArguments()) {
    if (model.getRole(argument) != Role::Parameter ||
        !isa<FloatType>(::getType(argument).getElementType()))
      continue;
    StringRef name = model.getName(argument);
    auto parameter = module.lookupSymbol<ParameterOp>(name);
    if (!parameter)
      return model.get().emitError("has a parameter '")
             << name << "' without a declaration; add an lgc.parameter of its name";
    if (isFrozen(name))
      parameter.setFrozen(true);
    if (parameter.getFrozen())
      continue;
    if (influences.contains(argument))
      trained.push_back(name.str());
    else
      parameter.emitRemark("isn't trained: the loss doesn't depend on it");
  }
  if (trained.empty())
    return model.get().emitError("has nothing to train: every parameter is frozen or without "
                                 "influence on the loss; freeze fewer or choose another loss");
  return success();
}

/// Clones the model's body.
ModelValues TrainStepBuilder::buildModel(OpBuilder &builder, IRMapping &mapping) {
  for (Operation &op : model.get().getBody().front().without_terminator())
    builder.clone(op, mapping);
  ModelValues values;
  for (auto [i, value] : llvm::enumerate(model.getReturn().getOperands())) {
    Value cloned = mapping.lookupOrDefault(value);
    if (model.getResultName(i) == "lgc.loss_sum")
      values.loss.sum = cloned;
    else if (model.getResultName(i) == "lgc.loss_count")
      values.loss.count = cloned;
    else if (!model.getUpdated(i).empty())
      values.states.push_back(cloned);
  }
  return values;
}

/// Builds the gradients of a scalar to the trained parameters.
LogicalResult TrainStepBuilder::differentiate(OpBuilder &builder, Value loss,
                                              SmallVectorImpl<Value> &gradients) {
  SmallVector<Value> parameters;
  for (const std::string &name : trained)
    parameters.push_back(step.findArgument(name));
  return buildGradients(builder, loss, parameters, gradients);
}

/// Without micro-batches the count is known at once. Gradients of the mean rather than the sum stay
/// within the range of f16, and are what PyTorch computes.
FailureOr<StepValues> TrainStepBuilder::buildWhole(OpBuilder &builder) {
  IRMapping mapping;
  for (BlockArgument argument : model.get().getArguments())
    mapping.map(argument, getStepArgument(argument));
  ModelValues run = buildModel(builder, mapping);
  TensorMath t(builder, model.get().getLoc());
  StepValues values{buildMeanLoss(t, run.loss), {}, run.states};
  if (failed(differentiate(builder, values.loss, values.gradients)))
    return failure();
  return values;
}

static void scaleAll(TensorMath &t, MutableArrayRef<Value> gradients, Value scale) {
  for (Value &gradient : gradients)
    gradient = t.mul(gradient,
                     t.broadcastTo(t.cast(scale, ::getType(gradient).getElementType()), gradient));
}

/// What the loop over micro-batches starts from: zero for the loss's sum and count and for the
/// gradients, and the model's states as they are.
SmallVector<Value> TrainStepBuilder::buildCarried(TensorMath &t) {
  SmallVector<Value> carried{t.splat(::getType(model.findOutput("lgc.loss_sum")), 0.0),
                             t.splat(::getType(model.findOutput("lgc.loss_count")), 0.0)};
  for (const std::string &name : trained)
    carried.push_back(t.zerosLike(step.findArgument(name)));
  for (unsigned i = 0; i < model.get().getNumResults(); ++i)
    if (StringRef name = model.getUpdated(i); !name.empty())
      carried.push_back(step.findArgument(name));
  return carried;
}

/// Maps the model's arguments to what they are in one micro-batch.
IRMapping TrainStepBuilder::mapMicroBatch(OpBuilder &builder, Value number, ValueRange pieces,
                                          ValueRange states) {
  TensorMath t(builder, model.get().getLoc());
  IRMapping mapping;
  for (BlockArgument argument : model.get().getArguments()) {
    if (isBatched(argument)) {
      mapping.map(argument, pieces.front());
      pieces = pieces.drop_front();
    } else if (model.getName(argument) == "lgc.step") {
      // Each micro-batch draws its own random numbers.
      Value step = t.mul(getStepArgument(argument), static_cast<double>(microBatches));
      mapping.map(argument, t.add(step, number));
    } else {
      mapping.map(argument, getStepArgument(argument));
    }
  }
  for (unsigned i = 0; i < model.get().getNumResults(); ++i)
    if (StringRef name = model.getUpdated(i); !name.empty()) {
      mapping.map(model.findArgument(name), states.front());
      states = states.drop_front();
    }
  return mapping;
}

FailureOr<StepValues> TrainStepBuilder::buildMicroBatches(OpBuilder &builder) {
  Location loc = model.get().getLoc();
  TensorMath t(builder, loc);
  SmallVector<Value> batched, carried = buildCarried(t);
  SmallVector<Type> types{RankedTensorType::get({}, builder.getI64Type())};
  for (BlockArgument argument : model.get().getArguments())
    if (isBatched(argument)) {
      batched.push_back(getStepArgument(argument));
      types.push_back(argument.getType());
    }
  llvm::append_range(types, ValueRange(carried).getTypes());
  auto loop = MicroBatchesOp::create(builder, loc, ValueRange(carried).getTypes(), microBatches,
                                     batched, carried);
  Block *body =
      builder.createBlock(&loop.getBody(), {}, types, SmallVector<Location>(types.size(), loc));
  // The body's arguments: its number, pieces of inputs, sums so far, states.
  ValueRange arguments = body->getArguments();
  ValueRange pieces = arguments.slice(1, batched.size());
  ValueRange sums = arguments.slice(1 + batched.size(), 2 + trained.size());
  ValueRange states = arguments.drop_front(1 + batched.size() + sums.size());
  IRMapping mapping = mapMicroBatch(builder, arguments.front(), pieces, states);
  ModelValues run = buildModel(builder, mapping);
  SmallVector<Value> next{run.loss.sum, run.loss.count};
  if (failed(differentiate(builder, run.loss.sum, next)))
    return failure();
  for (auto [value, sum] : llvm::zip_equal(next, sums))
    value = t.add(sum, value);
  llvm::append_range(next, run.states);
  YieldOp::create(builder, loc, next);

  builder.setInsertionPointAfter(loop);
  ValueRange results = loop.getResults();
  Value divisor = buildDivisor(t, results[1]);
  StepValues values{t.div(results[0], divisor), llvm::to_vector(results.slice(2, trained.size())),
                    llvm::to_vector(results.drop_front(2 + trained.size()))};
  scaleAll(t, values.gradients, t.div(1.0, divisor));
  return values;
}

/// Scales the gradients so that their global norm is at most `clipNorm`, as PyTorch's
/// clip_grad_norm_ does, and reports the norm.
void TrainStepBuilder::clip(OpBuilder &builder, MutableArrayRef<Value> gradients) {
  if (clipNorm <= 0.0)
    return;
  TensorMath t(builder, model.get().getLoc());
  Value squares;
  for (Value gradient : gradients) {
    Value wide = t.cast(gradient, getComputeType(::getType(gradient).getElementType()));
    Value sum =
        t.sum(t.mul(wide, wide), llvm::to_vector(llvm::seq<int64_t>(0, ::getType(wide).getRank())));
    squares = squares ? t.add(squares, sum) : sum;
  }
  Value norm = t.sqrt(squares);
  Value scale = MinOp::create(builder, model.get().getLoc(), t.div(clipNorm, t.add(norm, 1e-6)),
                              t.splatLike(norm, 1.0));
  scaleAll(t, gradients, scale);
  step.addResult(norm, LgcDialect::kNameAttr, "lgc.grad_norm");
}

Value TrainStepBuilder::addState(OpBuilder &declarations, const std::string &name,
                                 RankedTensorType type) {
  auto role = RoleAttr::get(declarations.getContext(), Role::State);
  ParameterOp::create(declarations, model.get().getLoc(), declarations.getStringAttr(name), role,
                      TypeAttr::get(type), FloatAttr::get(type.getElementType(), 0.0),
                      /*frozen=*/UnitAttr(), /*initializers=*/ArrayAttr(),
                      /*sym_visibility=*/StringAttr());
  return step.addArgument(name, Role::State, type);
}

void TrainStepBuilder::updateParameters(OpBuilder &builder, ArrayRef<Value> gradients) {
  StepScalars scalars{step.findArgument("lgc.learning_rate"), step.findArgument("lgc.step")};
  for (auto [name, gradient] : llvm::zip_equal(trained, gradients)) {
    Value parameter = step.findArgument(name);
    auto declaration = module.lookupSymbol<ParameterOp>(name);
    OpBuilder declarations(declaration);
    declarations.setInsertionPointAfter(declaration);
    TensorMath t(builder, declaration.getLoc());
    SmallVector<Value> states;
    SmallVector<StringRef> suffixes = optimizer.getStates();
    for (StringRef suffix : suffixes)
      states.push_back(addState(declarations, name + "." + suffix.str(), ::getType(parameter)));
    double decay = optimizer.getDecay(name, ::getType(parameter));
    Value updated = optimizer.update(t, scalars, parameter, gradient, decay, states);
    step.addResult(updated, LgcDialect::kUpdatesAttr, name);
    for (auto [suffix, state] : llvm::zip_equal(suffixes, states))
      step.addResult(state, LgcDialect::kUpdatesAttr, name + "." + suffix.str());
  }
}

LogicalResult TrainStepBuilder::build(llvm::function_ref<bool(StringRef)> isFrozen) {
  if (failed(findTrained(isFrozen)))
    return failure();
  OpBuilder builder(step.getReturn());
  FailureOr<StepValues> values =
      microBatches == 1 ? buildWhole(builder) : buildMicroBatches(builder);
  if (failed(values))
    return failure();
  builder.setInsertionPoint(step.getReturn());
  step.addResult(values->loss, LgcDialect::kNameAttr, "lgc.loss");
  clip(builder, values->gradients);
  updateParameters(builder, values->gradients);
  size_t state = 0;
  for (unsigned i = 0; i < model.get().getNumResults(); ++i)
    if (StringRef name = model.getUpdated(i); !name.empty())
      step.addResult(values->states[state++], LgcDialect::kUpdatesAttr, name);
  inlineCheckpoints(step.get());
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
  /// The first names of parameters, for messages.
  template <typename Range> static std::string listNames(Range parameters) {
    constexpr size_t most = 8;
    std::vector<std::string> names;
    for (ParameterOp op : parameters)
      if (op.getRole() == Role::Parameter)
        names.push_back(op.getSymName().str());
    if (names.empty())
      return "none";
    size_t count = names.size();
    names.resize(std::min(count, most));
    return llvm::join(names, ", ") +
           (count > most ? " and " + std::to_string(count - most) + " more" : "");
  }

  FailureOr<SmallVector<llvm::GlobPattern>> parsePatterns() {
    SmallVector<llvm::GlobPattern> patterns;
    SmallVector<StringRef> texts;
    StringRef(frozen).split(texts, ',', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
    for (StringRef text : texts) {
      auto pattern = llvm::GlobPattern::create(text.trim());
      if (!pattern)
        return getOperation().emitError("can't freeze '")
               << text << "': " << llvm::toString(pattern.takeError())
               << "; write a pattern such as encoder.*";
      auto parameters = getOperation().getOps<ParameterOp>();
      if (llvm::none_of(parameters,
                        [&](ParameterOp op) { return pattern->match(op.getSymName()); }))
        return getOperation().emitError("can't freeze '")
               << text << "': no parameter has such a name; there are " << listNames(parameters);
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
      return module.emitError("can't run ")
             << static_cast<int64_t>(microBatches) << " micro-batches; give at least 1";
    if (!(clipNorm >= 0.0))
      return module.emitError("can't clip gradients to a negative norm; give a positive one, or 0 "
                              "for no limit");
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
