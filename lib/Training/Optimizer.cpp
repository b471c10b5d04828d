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
#include "llvm/Support/FormatVariadic.h"
#include <limits>

using namespace mlir;
using namespace lgc;

double Optimizer::getDecay(llvm::StringRef name, RankedTensorType type) const {
  bool decays = decayedNames.empty()
                    ? decaysVectors || type.getRank() > 1
                    : llvm::any_of(decayedNames, [&](const llvm::GlobPattern &pattern) {
                        return pattern.match(name);
                      });
  return decays ? weightDecay : 0.0;
}

static constexpr double kNoLimit = std::numeric_limits<double>::infinity();

/// A number that isn't negative and is below a limit.
static llvm::Error readBelow(Spec &spec, llvm::StringRef key, double limit, double &value) {
  if (llvm::Error error = spec.getNumber(key, value).moveInto(value))
    return error;
  if (value >= 0.0 && value < limit)
    return llvm::Error::success();
  std::string range =
      limit == kNoLimit ? "of 0 or more" : llvm::formatv("from 0 to below {0:f0}", limit).str();
  return llvm::createStringError("'" + spec.getName() + "' has " + key + "=" +
                                 spec.get(key).value_or("") + "; write a number " + range);
}

llvm::Error Optimizer::readDecayed() {
  llvm::StringRef text = decayedText;
  decaysVectors = text == "all";
  if (text == "all" || text == "matrices")
    return llvm::Error::success();
  llvm::SmallVector<llvm::StringRef> parts;
  text.split(parts, '|');
  for (llvm::StringRef part : parts) {
    llvm::Expected<llvm::GlobPattern> pattern = llvm::GlobPattern::create(part.trim());
    if (!pattern)
      return llvm::createStringError("decay=" + text + ": " + llvm::toString(pattern.takeError()) +
                                     "; write all, matrices or patterns of names such as "
                                     "*.weight|embed*");
    decayedNames.push_back(std::move(*pattern));
  }
  return llvm::Error::success();
}

llvm::Error Optimizer::readCommon(Spec &spec, double rate, double decay, llvm::StringRef decayed) {
  learningRate = rate;
  weightDecay = decay;
  if (llvm::Error error = readBelow(spec, "lr", kNoLimit, learningRate))
    return error;
  if (llvm::Error error = readBelow(spec, "weight_decay", kNoLimit, weightDecay))
    return error;
  decayedText = spec.get("decay").value_or(decayed.str());
  return readDecayed();
}

/// A scalar of the step in a parameter's shape and element type.
static Value spread(TensorMath &t, Value scalar, Value like) {
  Type element = cast<RankedTensorType>(like.getType()).getElementType();
  return t.broadcastTo(t.cast(scalar, element), like);
}

namespace {

struct Sgd : Optimizer {
  explicit Sgd(double momentum) : momentum(momentum) {}

  llvm::Error read(Spec &spec) override {
    if (llvm::Error error = readCommon(spec, 0.01, 0.0, "all"))
      return error;
    if (llvm::Error error = readBelow(spec, "momentum", kNoLimit, momentum))
      return error;
    if (llvm::Error error = readBelow(spec, "dampening", kNoLimit, dampening))
      return error;
    if (llvm::Error error = spec.getFlag("nesterov", false).moveInto(nesterov))
      return error;
    if (nesterov && (momentum == 0.0 || dampening != 0.0))
      return llvm::createStringError("'" + spec.getName() +
                                     "' has nesterov=true, which needs a momentum and no "
                                     "dampening; write momentum=0.9 and leave dampening out");
    return llvm::Error::success();
  }

  SmallVector<StringRef> getStates() const override {
    return momentum != 0.0 ? SmallVector<StringRef>{"momentum_buffer"} : SmallVector<StringRef>{};
  }

  Value update(TensorMath &t, const StepScalars &scalars, Value parameter, Value gradient,
               double decay, MutableArrayRef<Value> states) const override {
    if (decay != 0.0)
      gradient = t.add(gradient, t.mul(parameter, decay));
    if (momentum != 0.0) {
      Value damped = dampening == 0.0 ? gradient : t.mul(gradient, 1.0 - dampening);
      Value next = t.add(t.mul(states[0], momentum), damped);
      if (dampening != 0.0) {
        // The first step takes the whole gradient.
        Value isFirst =
            t.compare(ComparePredicate::EQ, scalars.step, t.splatLike(scalars.step, 1.0));
        next = t.select(t.broadcastTo(isFirst, gradient), gradient, next);
      }
      states[0] = next;
      gradient = nesterov ? t.add(gradient, t.mul(next, momentum)) : next;
    }
    return t.sub(parameter, t.mul(gradient, spread(t, scalars.learningRate, parameter)));
  }

private:
  double momentum, dampening = 0.0;
  bool nesterov = false;
};

struct Adam : Optimizer {
  explicit Adam(bool decoupled) : decoupled(decoupled) {}

  llvm::Error read(Spec &spec) override {
    llvm::Error error =
        decoupled ? readCommon(spec, 0.001, 0.01, "matrices") : readCommon(spec, 0.001, 0.0, "all");
    if (error)
      return error;
    for (auto [key, limit, value] :
         {std::tuple("beta1", 1.0, &beta1), std::tuple("beta2", 1.0, &beta2),
          std::tuple("eps", kNoLimit, &epsilon)})
      if (llvm::Error error = readBelow(spec, key, limit, *value))
        return error;
    return llvm::Error::success();
  }

  SmallVector<StringRef> getStates() const override { return {"exp_avg", "exp_avg_sq"}; }

  Value update(TensorMath &t, const StepScalars &scalars, Value parameter, Value gradient,
               double decay, MutableArrayRef<Value> states) const override {
    Value rate = scalars.learningRate;
    if (decay != 0.0 && decoupled)
      parameter = t.mul(parameter, spread(t, t.sub(1.0, t.mul(rate, decay)), parameter));
    if (decay != 0.0 && !decoupled)
      gradient = t.add(gradient, t.mul(parameter, decay));
    // m + (g - m)(1 - beta) rounds as PyTorch's lerp does.
    states[0] = t.add(states[0], t.mul(t.sub(gradient, states[0]), 1.0 - beta1));
    states[1] = t.add(t.mul(states[1], beta2), t.mul(t.mul(gradient, gradient), 1.0 - beta2));
    Type element = cast<RankedTensorType>(rate.getType()).getElementType();
    // Bias corrections in f64: 1 - beta2^step cancels in the first steps.
    Value step = t.cast(scalars.step, Float64Type::get(element.getContext()));
    Value correction1 = t.sub(1.0, t.pow(t.splatLike(step, beta1), step));
    Value correction2 = t.sub(1.0, t.pow(t.splatLike(step, beta2), step));
    Value stepSize = t.div(t.cast(rate, Float64Type::get(element.getContext())), correction1);
    Value denominator =
        t.add(t.mul(t.sqrt(states[1]), spread(t, t.rsqrt(correction2), parameter)), epsilon);
    return t.sub(parameter, t.mul(t.div(states[0], denominator), spread(t, stepSize, parameter)));
  }

private:
  double beta1 = 0.9, beta2 = 0.999, epsilon = 1e-8;
  bool decoupled;
};

} // namespace

llvm::Expected<std::unique_ptr<Optimizer>> Optimizer::create(llvm::StringRef text) {
  llvm::Expected<Spec> spec = Spec::parse(text);
  if (!spec)
    return spec.takeError();
  llvm::StringRef name = spec->getName();
  std::unique_ptr<Optimizer> optimizer;
  if (name == "sgd" || name == "momentum")
    optimizer = std::make_unique<Sgd>(name == "momentum" ? 0.9 : 0.0);
  else if (name == "adam" || name == "adamw")
    optimizer = std::make_unique<Adam>(/*decoupled=*/name == "adamw");
  else
    return llvm::createStringError("there is no optimizer '" + name +
                                   "'; write sgd, momentum, adam or adamw");
  if (!spec->getArguments().empty())
    return llvm::createStringError("'" + text + "' has an argument without a name; write " + name +
                                   "(lr=0.001)");
  if (llvm::Error error = optimizer->read(*spec))
    return error;
  if (llvm::Error error = spec->checkAllKnown())
    return error;
  return optimizer;
}
