//===- AddLoss.cpp - The loss of a model ----------------------------------===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "MeanLoss.h"
#include "ModelFunction.h"
#include "lgc/IR/TensorMath.h"
#include "lgc/Training/Spec.h"
#include "lgc/Training/Training.h"

using namespace mlir;
using namespace lgc;

namespace lgc {
#define GEN_PASS_DEF_ADDLOSSPASS
#include "lgc/Training/Passes.h.inc"
} // namespace lgc

static RankedTensorType getType(Value value) { return cast<RankedTensorType>(value.getType()); }

namespace {

/// Builds the loss of one function.
class LossBuilder {
public:
  LossBuilder(ModelFunction function, Spec &spec)
      : function(function), spec(spec), builder(function.getReturn()),
        loc(function.getReturn().getLoc()), t(builder, loc) {}

  FailureOr<LossParts> build() {
    if (!spec.isCall())
      return buildFromOutput();
    if (spec.getName() == "cross_entropy")
      return buildCrossEntropy();
    return buildPointwise();
  }

private:
  InFlightDiagnostic emitError() { return function.get().emitError(); }

  FailureOr<LossParts> buildFromOutput() {
    Value loss = function.findOutput(spec.getName());
    if (!loss)
      return emitError() << "has no output '" << spec.getName() << "' for --loss; its outputs are "
                         << function.listOutputs();
    if (!isa<FloatType>(::getType(loss).getElementType()) || ::getType(loss).getNumElements() != 1)
      return emitError() << "has an output '" << spec.getName() << "' of type " << loss.getType()
                         << ", which is no scalar; give a function of it, such as "
                            "cross_entropy("
                         << spec.getName() << ", labels)";
    auto convert = [&](Value part) {
      return t.cast(t.reshape(part, {}), getComputeType(::getType(part).getElementType()));
    };
    // A mean over a count that no parameter changes: micro-batches are averaged over the sum of
    // their counts.
    if (std::optional<LossParts> quotient = matchQuotient(t, loss))
      if (!dependsOnParameter(quotient->count))
        return LossParts{convert(quotient->sum), convert(quotient->count)};
    loss = convert(loss);
    return LossParts{loss, t.splatLike(loss, 1.0)};
  }

  bool dependsOnParameter(Value root) {
    SmallVector<Value> work{root};
    llvm::SmallPtrSet<Operation *, 16> seen;
    while (!work.empty()) {
      Value value = work.pop_back_val();
      if (auto argument = dyn_cast<BlockArgument>(value)) {
        if (function.getRole(argument) == Role::Parameter)
          return true;
      } else if (seen.insert(value.getDefiningOp()).second) {
        llvm::append_range(work, value.getDefiningOp()->getOperands());
      }
    }
    return false;
  }

  /// The output that the loss's first argument names, in f32 at least.
  FailureOr<Value> getOutput() {
    StringRef name = spec.getArguments()[0];
    Value output = function.findOutput(name);
    if (!output)
      return emitError() << "has no output '" << name << "' for --loss; its outputs are "
                         << function.listOutputs();
    Type element = ::getType(output).getElementType();
    if (!isa<FloatType>(element))
      return emitError() << "has an output '" << name << "' of type " << output.getType()
                         << ", which no loss can be made of; name one with floating-point elements";
    return t.cast(output, getComputeType(element));
  }

  /// The target: an input or output of the model, or a new input.
  Value getTarget(RankedTensorType type) {
    StringRef name = spec.getArguments()[1];
    if (Value argument = function.findArgument(name))
      return argument;
    if (Value output = function.findOutput(name))
      return output;
    return function.addArgument(name, Role::Input, type);
  }

  FailureOr<LossParts> buildCrossEntropy();
  FailureOr<LossParts> buildPointwise();
  FailureOr<int64_t> getClassDim(RankedTensorType logits);

  ModelFunction function;
  Spec &spec;
  OpBuilder builder;
  Location loc;
  TensorMath t;
};

} // namespace

/// The class dimension: as given, or the one without which the logits have the shape of labels that
/// the model takes, or 1 for rank 2, or the last.
FailureOr<int64_t> LossBuilder::getClassDim(RankedTensorType logits) {
  if (spec.get("dim")) {
    int64_t dim = llvm::cantFail(spec.getInteger("dim", 0));
    if (dim < -logits.getRank() || dim >= logits.getRank())
      return emitError() << "has logits of type " << logits << ", which have no dimension " << dim
                         << "; give one from 0 to " << logits.getRank() - 1;
    return dim < 0 ? dim + logits.getRank() : dim;
  }
  if (Value labels = function.findArgument(spec.getArguments()[1]))
    for (int64_t dim : {int64_t(1), logits.getRank() - 1}) {
      SmallVector<int64_t> shape(logits.getShape());
      shape.erase(shape.begin() + dim);
      if (::getType(labels).getShape() == ArrayRef(shape))
        return dim;
    }
  return logits.getRank() - 1;
}

FailureOr<LossParts> LossBuilder::buildCrossEntropy() {
  FailureOr<Value> logits = getOutput();
  if (failed(logits))
    return failure();
  RankedTensorType type = ::getType(*logits);
  if (type.getRank() < 2)
    return emitError() << "has logits of type " << type << "; cross_entropy needs [batch, classes] "
                       << "or more dimensions";
  FailureOr<int64_t> dim = getClassDim(type);
  if (failed(dim))
    return failure();
  int64_t ignored = llvm::cantFail(spec.getInteger("ignore_index", -100));
  SmallVector<int64_t> shape(type.getShape());
  shape.erase(shape.begin() + *dim);
  Value labels = getTarget(RankedTensorType::get(shape, builder.getI64Type()));
  RankedTensorType labelType = ::getType(labels);
  if (labelType.getShape() != ArrayRef(shape) ||
      !(labelType.getElementType().isInteger(64) || labelType.getElementType().isInteger(32)))
    return emitError() << "has labels of type " << labelType << "; cross_entropy needs integers of "
                       << "the logits' shape without the class dimension " << *dim;
  auto entropy = CrossEntropyOp::create(builder, loc, *logits, labels, *dim,
                                        builder.getI64IntegerAttr(ignored));
  auto allDims = llvm::to_vector(llvm::seq<int64_t>(0, shape.size()));
  Value sum = t.sum(entropy.getLoss(), allDims);
  Value counted =
      t.compare(ComparePredicate::NE, labels, t.splatLike(labels, static_cast<double>(ignored)));
  Value count = t.sum(t.cast(counted, type.getElementType()), allDims);
  auto module = function.get()->getParentOfType<ModuleOp>();
  module->setAttr(
      "lgc.classification",
      builder.getDictionaryAttr(
          {builder.getNamedAttr("logits", builder.getStringAttr(spec.getArguments()[0])),
           builder.getNamedAttr("labels", builder.getStringAttr(spec.getArguments()[1])),
           builder.getNamedAttr("class_dim", builder.getI64IntegerAttr(*dim)),
           builder.getNamedAttr("ignore_index", builder.getI64IntegerAttr(ignored))}));
  return LossParts{sum, count};
}

FailureOr<LossParts> LossBuilder::buildPointwise() {
  StringRef name = spec.getName();
  FailureOr<Value> output = getOutput();
  if (failed(output))
    return failure();
  Value x = *output, target = getTarget(::getType(x));
  if (target.getType() != x.getType())
    return emitError() << "has a target of type " << target.getType() << " for an output of type "
                       << x.getType() << "; both must be equal";
  Value loss;
  if (name == "binary_cross_entropy_with_logits") {
    // max(x, 0) - x t + log(1 + exp(-|x|)), which never overflows.
    Value positive = MaxOp::create(builder, loc, x, t.zerosLike(x));
    Value log = Log1pOp::create(builder, loc, t.exp(t.neg(t.abs(x))));
    loss = t.add(t.sub(positive, t.mul(x, target)), log);
  } else {
    Value difference = t.sub(x, target);
    loss = name == "mse" ? t.mul(difference, difference) : t.abs(difference);
  }
  Value sum = t.sum(loss, llvm::to_vector(llvm::seq<int64_t>(0, ::getType(x).getRank())));
  return LossParts{sum, t.splatLike(sum, ::getType(x).getNumElements())};
}

/// The name of the only output that can be a loss.
static FailureOr<std::string> findOnlyScalar(ModelFunction function) {
  SmallVector<std::string> names;
  for (auto [i, value] : llvm::enumerate(function.getReturn().getOperands()))
    if (StringRef name = function.getResultName(i);
        !name.empty() && isa<FloatType>(::getType(value).getElementType()) &&
        ::getType(value).getNumElements() == 1)
      names.push_back(name.str());
  if (names.size() == 1)
    return names.front();
  InFlightDiagnostic error = function.get().emitError();
  if (names.empty())
    error << "has no scalar output that could be the loss; its outputs are "
          << function.listOutputs();
  else
    error << "has " << names.size() << " scalar outputs (" << llvm::join(names, ", ")
          << ") that could be the loss";
  return error << "; say which by --loss, for example --loss=\"cross_entropy(logits, labels)\"";
}

namespace {

struct AddLossPass : lgc::impl::AddLossPassBase<AddLossPass> {
  using AddLossPassBase::AddLossPassBase;

  void runOnOperation() override {
    for (StringRef name : {"forward", "training_forward"}) {
      auto function = getOperation().lookupSymbol<func::FuncOp>(name);
      if (!function) {
        getOperation().emitError("has no function '")
            << name << "'; import a model before adding a loss";
        return signalPassFailure();
      }
      if (failed(addLoss(ModelFunction(function), name == "training_forward")))
        return signalPassFailure();
    }
  }

private:
  LogicalResult addLoss(ModelFunction function, bool forTraining) {
    std::string text = loss;
    if (text.empty()) {
      FailureOr<std::string> only = findOnlyScalar(function);
      if (failed(only))
        return failure();
      text = *only;
    }
    if (llvm::Error error = checkLoss(text))
      return function.get().emitError("can't be trained with this --loss: ")
             << llvm::toString(std::move(error));
    Spec spec = llvm::cantFail(Spec::parse(text));
    FailureOr<LossParts> parts = LossBuilder(function, spec).build();
    if (failed(parts))
      return failure();
    if (forTraining) {
      function.addResult(parts->sum, LgcDialect::kNameAttr, "lgc.loss_sum");
      function.addResult(parts->count, LgcDialect::kNameAttr, "lgc.loss_count");
      return success();
    }
    OpBuilder builder(function.getReturn());
    TensorMath t(builder, function.getReturn().getLoc());
    function.addResult(buildMeanLoss(t, *parts), LgcDialect::kNameAttr, "lgc.forward_loss");
    return success();
  }
};

} // namespace
