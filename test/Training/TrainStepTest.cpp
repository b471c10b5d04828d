//===- TrainStepTest.cpp - Steps against the formulas in plain C++ --------===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//
//
// A linear model whose gradients are known by hand is trained for some steps by the compiled
// program and by the formulas of PyTorch's documentation in f64.
//
//===----------------------------------------------------------------------===//

#include "lgc/Driver/InProcess.h"
#include "lgc/Driver/Registration.h"
#include "lgc/Training/Training.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "gtest/gtest.h"
#include <cmath>

using namespace mlir;
using namespace lgc;

namespace {

constexpr size_t kBatch = 4, kWidth = 3;

/// y = x w + b for a batch of `batch` rows; w is a matrix, b a vector.
std::string makeModel(size_t batch) {
  std::string text = R"(
lgc.parameter @w <parameter> : tensor<3x1xf32> = dense<[[0.5], [-1.0], [2.0]]> : tensor<3x1xf32>
lgc.parameter @b <parameter> : tensor<1xf32> = dense<[0.25]> : tensor<1xf32>
)";
  for (std::string name : {"forward", "training_forward"})
    text += "func.func @" + name +
            R"((%x: tensor<Nx3xf32> {lgc.name = "x", lgc.role = #lgc.role<input>},
    %w: tensor<3x1xf32> {lgc.name = "w", lgc.role = #lgc.role<parameter>},
    %b: tensor<1xf32> {lgc.name = "b", lgc.role = #lgc.role<parameter>})
    -> (tensor<Nx1xf32> {lgc.name = "y"}) {
  %d = lgc.dot %x, %w batch = [] x [] contract = [1] x [0] : tensor<Nx3xf32>, tensor<3x1xf32>
  %s = lgc.broadcast %b dims = [1] : tensor<1xf32> to tensor<Nx1xf32>
  %y = lgc.add %d, %s : tensor<Nx1xf32>
  return %y : tensor<Nx1xf32>
}
)";
  for (size_t at; (at = text.find("<Nx")) != std::string::npos;)
    text.replace(at + 1, 1, std::to_string(batch));
  return text;
}

class Trainer {
public:
  Trainer(const std::string &text, const TrainingOptions &options) {
    DialectRegistry registry;
    registerDialects(registry);
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
    OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, &context);
    if (!module)
      return;
    PassManager manager(&context);
    buildTrainingPipeline(manager, options);
    if (failed(manager.run(*module)))
      return;
    auto compiled = compileInProcess(*module);
    if (succeeded(compiled))
      program = std::move(*compiled);
  }

  explicit operator bool() const { return program != nullptr; }

  template <typename T = float> T *get(const std::string &name) {
    const ProgramBuffer *buffer = program->find(name);
    EXPECT_NE(buffer, nullptr) << name;
    return buffer ? reinterpret_cast<T *>(program->getAddress(*buffer)) : nullptr;
  }

  bool has(const std::string &name) { return program->find(name) != nullptr; }

  template <typename T> void set(const std::string &name, const std::vector<T> &values) {
    std::copy(values.begin(), values.end(), get<T>(name));
  }

  void step(int64_t number, float rate) {
    *get("lgc.learning_rate") = rate;
    if (has("lgc.step"))
      *get<int64_t>("lgc.step") = number;
    ASSERT_TRUE(program->run("train_step"));
  }

  float forward() {
    EXPECT_TRUE(program->run("forward"));
    return *get("lgc.forward_loss");
  }

private:
  MLIRContext context;
  std::unique_ptr<CompiledProgram> program;
};

const std::vector<float> inputs = {1.0f, 2.0f,  -1.0f, 0.5f, -0.5f, 1.5f,
                                   2.0f, -1.0f, 0.25f, 0.0f, 1.0f,  -2.0f};
const std::vector<float> targets = {1.0f, -2.0f, 0.5f, 3.0f};

/// The linear model in f64: w, then b.
struct Reference {
  std::vector<double> p = {0.5, -1.0, 2.0, 0.25};

  double getLoss(std::vector<double> &gradient) const {
    gradient.assign(kWidth + 1, 0.0);
    double loss = 0.0;
    for (size_t n = 0; n < kBatch; ++n) {
      double error = p[kWidth] - targets[n];
      for (size_t k = 0; k < kWidth; ++k)
        error += inputs[n * kWidth + k] * p[k];
      loss += error * error / kBatch;
      for (size_t k = 0; k < kWidth; ++k)
        gradient[k] += 2.0 * error * inputs[n * kWidth + k] / kBatch;
      gradient[kWidth] += 2.0 * error / kBatch;
    }
    return loss;
  }
};

/// An optimizer's formula for one element: its new value.
using Update = std::function<double(double p, double g, double lr, int step, bool isVector,
                                    std::vector<double> &state)>;

struct Case {
  const char *name, *optimizer;
  Update update;
  double clip = 0.0;
};

Update makeSgd(double momentum, double dampening, bool nesterov, double decay) {
  return [=](double p, double g, double lr, int step, bool, std::vector<double> &state) {
    g += decay * p;
    if (momentum == 0.0)
      return p - lr * g;
    state[0] = step == 1 ? g : momentum * state[0] + (1.0 - dampening) * g;
    return p - lr * (nesterov ? g + momentum * state[0] : state[0]);
  };
}

Update makeAdam(double beta1, double beta2, double eps, double decay, bool decoupled,
                bool vectorsDecay) {
  return [=](double p, double g, double lr, int step, bool isVector, std::vector<double> &state) {
    double factor = isVector && !vectorsDecay ? 0.0 : decay;
    if (decoupled)
      p *= 1.0 - lr * factor;
    else
      g += factor * p;
    state[0] = beta1 * state[0] + (1.0 - beta1) * g;
    state[1] = beta2 * state[1] + (1.0 - beta2) * g * g;
    double m = state[0] / (1.0 - std::pow(beta1, step));
    double v = state[1] / (1.0 - std::pow(beta2, step));
    return p - lr * m / (std::sqrt(v) + eps);
  };
}

const Case cases[] = {
    {"sgd", "sgd", makeSgd(0.0, 0.0, false, 0.0)},
    {"sgd_decay", "sgd(weight_decay=0.1)", makeSgd(0.0, 0.0, false, 0.1)},
    {"momentum", "momentum", makeSgd(0.9, 0.0, false, 0.0)},
    {"dampening", "sgd(momentum=0.8, dampening=0.3)", makeSgd(0.8, 0.3, false, 0.0)},
    {"nesterov", "momentum(nesterov=true, weight_decay=0.05)", makeSgd(0.9, 0.0, true, 0.05)},
    {"adam", "adam", makeAdam(0.9, 0.999, 1e-8, 0.0, false, true)},
    {"adam_decay", "adam(weight_decay=0.1, beta1=0.7, beta2=0.9, eps=0.001)",
     makeAdam(0.7, 0.9, 1e-3, 0.1, false, true)},
    {"adamw", "adamw(weight_decay=0.2)", makeAdam(0.9, 0.999, 1e-8, 0.2, true, false)},
    {"adamw_all", "adamw(weight_decay=0.2, decay=all)",
     makeAdam(0.9, 0.999, 1e-8, 0.2, true, true)},
    {"adamw_named", "adamw(weight_decay=0.2, decay=w|b)",
     makeAdam(0.9, 0.999, 1e-8, 0.2, true, true)},
    {"clipped", "sgd", makeSgd(0.0, 0.0, false, 0.0), 0.75},
};

class TrainStep : public testing::TestWithParam<Case> {};

void compareWithReference(const Case &c, int64_t microBatches) {
  TrainingOptions options;
  options.loss = "mse(y, target)";
  options.optimizer = c.optimizer;
  options.clipNorm = c.clip;
  options.microBatches = microBatches;
  Trainer trainer(makeModel(kBatch / microBatches), options);
  ASSERT_TRUE(trainer);
  Reference reference;
  std::vector<std::vector<double>> states(kWidth + 1, std::vector<double>(2, 0.0));
  for (int step = 1; step <= 5; ++step) {
    trainer.set("x", inputs);
    trainer.set("target", targets);
    // Every step has a rate of its own: nothing may remember it.
    double rate = 0.02 * step;
    std::vector<double> gradient;
    double loss = reference.getLoss(gradient), norm = 0.0;
    EXPECT_NEAR(trainer.forward(), loss, 1e-5 * (1.0 + loss));
    trainer.set("x", inputs);
    trainer.set("target", targets);
    trainer.step(step, static_cast<float>(rate));
    EXPECT_NEAR(*trainer.get("lgc.loss"), loss, 1e-5 * (1.0 + loss));
    for (double g : gradient)
      norm += g * g;
    norm = std::sqrt(norm);
    EXPECT_EQ(trainer.has("lgc.grad_norm"), c.clip != 0.0);
    if (c.clip != 0.0)
      EXPECT_NEAR(*trainer.get("lgc.grad_norm"), norm, 1e-5 * (1.0 + norm));
    double scale = c.clip != 0.0 ? std::min(1.0, c.clip / (norm + 1e-6)) : 1.0;
    for (size_t k = 0; k <= kWidth; ++k) {
      reference.p[k] =
          c.update(reference.p[k], scale * gradient[k], rate, step, k == kWidth, states[k]);
      float computed = k == kWidth ? *trainer.get("b") : trainer.get("w")[k];
      ASSERT_NEAR(computed, reference.p[k], 2e-5 * (1.0 + std::fabs(reference.p[k])))
          << "step " << step << ", parameter " << k;
    }
  }
}

} // namespace

TEST_P(TrainStep, EqualsTheFormulas) { compareWithReference(GetParam(), 1); }

TEST_P(TrainStep, IsTheSameInMicroBatches) { compareWithReference(GetParam(), 2); }

INSTANTIATE_TEST_SUITE_P(Optimizers, TrainStep, testing::ValuesIn(cases),
                         [](const auto &info) { return std::string(info.param.name); });

namespace {

/// Logits that are a parameter, so that the gradient is softmax - onehot over the count.
const char *const kLogits = R"(
lgc.parameter @w <parameter> : tensor<2x3xf32> = dense<[[1.0, 0.0, -1.0], [0.5, 2.0, 0.0]]> : tensor<2x3xf32>
func.func @forward(%w: tensor<2x3xf32> {lgc.name = "w", lgc.role = #lgc.role<parameter>})
    -> (tensor<2x3xf32> {lgc.name = "logits"}) {
  return %w : tensor<2x3xf32>
}
func.func @training_forward(%w: tensor<2x3xf32> {lgc.name = "w", lgc.role = #lgc.role<parameter>})
    -> (tensor<2x3xf32> {lgc.name = "logits"}) {
  return %w : tensor<2x3xf32>
}
)";

const double kStart[2][3] = {{1.0, 0.0, -1.0}, {0.5, 2.0, 0.0}};

double getEntropy(size_t row, int64_t label) {
  double sum = 0.0;
  for (double x : kStart[row])
    sum += std::exp(x);
  return std::log(sum) - kStart[row][label];
}

TrainingOptions makeEntropyOptions(int64_t microBatches) {
  TrainingOptions options;
  options.loss = "cross_entropy(logits, labels)";
  options.optimizer = "sgd";
  options.microBatches = microBatches;
  return options;
}

} // namespace

// Two micro-batches with 2 labels and 1 label: the mean is over 3, not a mean of means.
TEST(IgnoredLabels, DontCountInMicroBatches) {
  Trainer trainer(kLogits, makeEntropyOptions(2));
  ASSERT_TRUE(trainer);
  trainer.set<int64_t>("labels", {0, 1, -100, 2});
  double loss = (getEntropy(0, 0) + getEntropy(1, 1) + getEntropy(1, 2)) / 3.0;
  EXPECT_NEAR(trainer.forward(), loss, 1e-5);
  trainer.set<int64_t>("labels", {0, 1, -100, 2});
  trainer.step(1, 1.0f);
  EXPECT_NEAR(*trainer.get("lgc.loss"), loss, 1e-5);
  for (size_t row = 0; row < 2; ++row)
    for (size_t k = 0; k < 3; ++k) {
      double softmax = std::exp(-getEntropy(row, k));
      double gradient = row == 0 ? softmax - (k == 0) : 2 * softmax - (k == 1) - (k == 2);
      EXPECT_NEAR(trainer.get("w")[row * 3 + k], kStart[row][k] - gradient / 3.0, 1e-5);
    }
}

TEST(IgnoredLabels, AllOfThemMoveNothing) {
  for (int64_t microBatches : {1, 2}) {
    Trainer trainer(kLogits, makeEntropyOptions(microBatches));
    ASSERT_TRUE(trainer);
    std::vector<int64_t> labels(2 * microBatches, -100);
    trainer.set("labels", labels);
    EXPECT_EQ(trainer.forward(), 0.0f);
    trainer.set("labels", labels);
    trainer.step(1, 1.0f);
    EXPECT_EQ(*trainer.get("lgc.loss"), 0.0f);
    for (size_t i = 0; i < 6; ++i)
      EXPECT_EQ(trainer.get("w")[i], static_cast<float>(kStart[i / 3][i % 3]));
  }
}
