//===- Optimizer.cpp - Update formulas of optimizers ----------------------===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//
//
// The formulas are those of PyTorch's documentation of torch.optim, so that a step can be
// compared with it number by number.
//
//===----------------------------------------------------------------------===//

#include "Optimizer.h"

using namespace mlir;
using namespace lgc;

double Optimizer::getDecay(Value parameter) const {
  bool isVector = cast<RankedTensorType>(parameter.getType()).getRank() <= 1;
  return isVector && !decaysVectors ? 0.0 : weightDecay;
}

llvm::Error Optimizer::readCommon(Spec &spec, double rate, double decay, bool vectors) {
  if (llvm::Error error = spec.getNumber("lr", rate).moveInto(learningRate))
    return error;
  if (llvm::Error error = spec.getNumber("weight_decay", decay).moveInto(weightDecay))
    return error;
  decaysVectors = vectors;
  if (std::optional<std::string> which = spec.get("decay")) {
    if (*which != "all" && *which != "matrices")
      return llvm::createStringError("'" + spec.getName() + "' has decay=" + *which +
                                     "; write all, or matrices to leave biases and norms out");
    decaysVectors = *which == "all";
  }
  return llvm::Error::success();
}

/// A scalar of the step in a parameter's shape and element type.
static Value spread(TensorMath &t, Value scalar, Value like) {
  Type element = cast<RankedTensorType>(like.getType()).getElementType();
  return t.broadcastTo(t.cast(scalar, element), like);
}

namespace {

struct Sgd : Optimizer {
  double momentum = 0.0, dampening = 0.0;
  bool nesterov = false;

  SmallVector<StringRef> getStates() const override {
    return momentum != 0.0 ? SmallVector<StringRef>{"momentum_buffer"} : SmallVector<StringRef>{};
  }

  Value update(TensorMath &t, const StepScalars &scalars, Value parameter, Value gradient,
               MutableArrayRef<Value> states) const override {
    if (double decay = getDecay(parameter))
      gradient = t.add(gradient, t.mul(parameter, decay));
    if (momentum != 0.0) {
      Value damped = dampening == 0.0 ? gradient : t.mul(gradient, 1.0 - dampening);
      Value next = t.add(t.mul(states[0], momentum), damped);
      if (dampening != 0.0) {
        // The first step takes the whole gradient.
        Value isFirst = t.compare(ComparePredicate::EQ, scalars.step,
                                  t.splatLike(scalars.step, 1.0));
        next = t.select(t.broadcastTo(isFirst, gradient), gradient, next);
      }
      states[0] = next;
      gradient = nesterov ? t.add(gradient, t.mul(next, momentum)) : next;
    }
    return t.sub(parameter, t.mul(gradient, spread(t, scalars.learningRate, parameter)));
  }
};

struct Adam : Optimizer {
  double beta1 = 0.9, beta2 = 0.999, epsilon = 1e-8;
  bool decoupled = false;

  SmallVector<StringRef> getStates() const override { return {"exp_avg", "exp_avg_sq"}; }

  Value update(TensorMath &t, const StepScalars &scalars, Value parameter, Value gradient,
               MutableArrayRef<Value> states) const override {
    Value rate = scalars.learningRate;
    double decay = getDecay(parameter);
    if (decay != 0.0 && decoupled)
      parameter = t.mul(parameter, spread(t, t.sub(1.0, t.mul(rate, decay)), parameter));
    if (decay != 0.0 && !decoupled)
      gradient = t.add(gradient, t.mul(parameter, decay));
    // m + (g - m)(1 - beta) rounds as PyTorch's lerp does.
    states[0] = t.add(states[0], t.mul(t.sub(gradient, states[0]), 1.0 - beta1));
    states[1] =
        t.add(t.mul(states[1], beta2), t.mul(t.mul(gradient, gradient), 1.0 - beta2));
    Type element = cast<RankedTensorType>(rate.getType()).getElementType();
    // Bias corrections in f64: 1 - beta2^step cancels in the first steps.
    Value step = t.cast(scalars.step, Float64Type::get(element.getContext()));
    Value correction1 = t.sub(1.0, t.pow(t.splatLike(step, beta1), step));
    Value correction2 = t.sub(1.0, t.pow(t.splatLike(step, beta2), step));
    Value stepSize = t.div(t.cast(rate, Float64Type::get(element.getContext())), correction1);
    Value denominator = t.add(
        t.mul(t.sqrt(states[1]), spread(t, t.rsqrt(correction2), parameter)), epsilon);
    return t.sub(parameter,
                 t.mul(t.div(states[0], denominator), spread(t, stepSize, parameter)));
  }
};

} // namespace

llvm::Expected<std::unique_ptr<Optimizer>> Optimizer::create(llvm::StringRef text) {
  llvm::Expected<Spec> spec = Spec::parse(text);
  if (!spec)
    return spec.takeError();
  llvm::StringRef name = spec->getName();
  std::unique_ptr<Optimizer> optimizer;
  auto read = [&](llvm::StringRef key, double &value) {
    return spec->getNumber(key, value).moveInto(value);
  };
  if (name == "sgd" || name == "momentum") {
    auto sgd = std::make_unique<Sgd>();
    if (name == "momentum")
      sgd->momentum = 0.9;
    if (llvm::Error error = sgd->readCommon(*spec, 0.01, 0.0, /*vectors=*/true))
      return error;
    if (llvm::Error error = read("momentum", sgd->momentum))
      return error;
    if (llvm::Error error = read("dampening", sgd->dampening))
      return error;
    if (llvm::Error error = spec->getFlag("nesterov", false).moveInto(sgd->nesterov))
      return error;
    optimizer = std::move(sgd);
  } else if (name == "adam" || name == "adamw") {
    auto adam = std::make_unique<Adam>();
    adam->decoupled = name == "adamw";
    if (llvm::Error error = adam->readCommon(*spec, 0.001, adam->decoupled ? 0.01 : 0.0,
                                             /*vectors=*/!adam->decoupled))
      return error;
    for (auto [key, value] : {std::pair("beta1", &adam->beta1), std::pair("beta2", &adam->beta2),
                              std::pair("eps", &adam->epsilon)})
      if (llvm::Error error = read(key, *value))
        return error;
    optimizer = std::move(adam);
  } else {
    return llvm::createStringError("there is no optimizer '" + name +
                                   "'; write sgd, momentum, adam or adamw");
  }
  if (!spec->getArguments().empty())
    return llvm::createStringError("'" + text + "' has an argument without a name; write " + name +
                                   "(lr=0.001)");
  if (llvm::Error error = spec->checkAllKnown())
    return error;
  return optimizer;
}
