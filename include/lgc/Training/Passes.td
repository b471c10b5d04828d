//===- Passes.td - Passes that build the training step ---------*- tablegen -*-===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===--------------------------------------------------------------------------===//

#ifndef LGC_TRAINING_PASSES_TD
#define LGC_TRAINING_PASSES_TD

include "mlir/Pass/PassBase.td"

def AddLossPass : Pass<"lgc-add-loss", "::mlir::ModuleOp"> {
  let summary = "add the loss to @forward and @training_forward";
  let description = [{
    The loss is a scalar output of the model by its name (by default the only one), or one of these
    functions of an output and a target; a target that the model doesn't have becomes an input:

    * `cross_entropy(logits, labels, ignore_index=-100, dim=...)`: labels are class numbers (i64) of the
      logits' shape without the class dimension, which is 1 for logits of rank 2 and else the last,
      unless `dim` says so or the model has the labels' shape;
    * `binary_cross_entropy_with_logits(logits, target)`, `mse(output, target)`, `l1(output, target)`:
      the mean over all elements.

    `@training_forward` gets the results `lgc.loss_sum` and `lgc.loss_count` (the loss is their quotient, so
    that micro-batches can be averaged over the right count), `@forward` gets `lgc.forward_loss`. A loss
    that the model computes is taken apart if it is a quotient whose divisor no parameter changes, and
    else counts as one contribution. With `cross_entropy` the module says by `lgc.classification` which
    output and input are logits and labels.

    Before:
    ```mlir
    func.func @training_forward(%x: tensor<4x8xf32> {lgc.name = "x", lgc.role = #lgc.role<input>})
        -> (tensor<4x8xf32> {lgc.name = "y"}) {
      return %x : tensor<4x8xf32>
    }
    ```
    After, with `loss=mse(y, target)`:
    ```mlir
    func.func @training_forward(%x: tensor<4x8xf32> {lgc.name = "x", lgc.role = #lgc.role<input>},
                                %target: tensor<4x8xf32> {lgc.name = "target", lgc.role = #lgc.role<input>})
        -> (tensor<4x8xf32> {lgc.name = "y"}, tensor<f32> {lgc.name = "lgc.loss_sum"},
            tensor<f32> {lgc.name = "lgc.loss_count"}) {
      %difference = lgc.sub %x, %target : tensor<4x8xf32>
      %square = lgc.mul %difference, %difference : tensor<4x8xf32>
      %sum = lgc.reduce sum %square dims = [0, 1] : tensor<4x8xf32>
      %count = lgc.constant dense<32.0> : tensor<f32>
      return %x, %sum, %count : tensor<4x8xf32>, tensor<f32>, tensor<f32>
    }
    ```
  }];
  let options = [Option<"loss", "loss", "std::string", "\"\"", "name of an output, or a function">];
  let dependentDialects = ["::lgc::LgcDialect", "::mlir::func::FuncDialect"];
}

def FormCheckpointsPass : Pass<"lgc-form-checkpoints", "::mlir::ModuleOp"> {
  let summary = "put parts of @training_forward into checkpoint regions";
  let description = [{
    Operations are found by the names of their ONNX nodes and modules, which their locations hold. A pattern
    such as `model.layers.*` is compared part by part (parts end at `.` or `/`) with the start of a name; all
    operations whose names start with the same parts become one region: one for each layer. Patterns that go deeper make regions
    within regions. Regions that the file asks for (`lgc.checkpoint` in a node's metadata) are formed too, unless
    there are patterns.

    What lies on a path from the region to itself joins it. Constants are copied into it.

    Before:
    ```mlir
    %0 = lgc.tanh %x : tensor<4xf32> loc("layer.0.act")
    %1 = lgc.mul %0, %0 : tensor<4xf32> loc("layer.0.square")
    ```
    After, with `patterns=layer.*`:
    ```mlir
    %0 = lgc.checkpoint "layer.0" inputs(%x) : (tensor<4xf32>) -> tensor<4xf32> {
    ^bb0(%a: tensor<4xf32>):
      %1 = lgc.tanh %a : tensor<4xf32>
      %2 = lgc.mul %1, %1 : tensor<4xf32>
      lgc.yield %2 : tensor<4xf32>
    }
    ```
  }];
  let options = [Option<"patterns", "patterns", "std::string", "\"\"",
                        "comma-separated patterns of node names or module paths">];
  let dependentDialects = ["::lgc::LgcDialect"];
}

def BuildTrainStepPass : Pass<"lgc-build-train-step", "::mlir::ModuleOp"> {
  let summary = "turn @training_forward into @train_step";
  let description = [{
    Adds the gradients of the loss to every trainable parameter, clips them by their global norm if
    asked to, and updates the parameters. Optimizers and their parameters (defaults, and formulas, are
    PyTorch's):

    * `sgd(lr=0.01, momentum=0, dampening=0, nesterov=false, weight_decay=0)`, and `momentum` for
      `sgd` with `momentum=0.9`;
    * `adam(lr=0.001, beta1=0.9, beta2=0.999, eps=1e-8, weight_decay=0)`;
    * `adamw`, the same with decoupled `weight_decay=0.01`.

    `decay=matrices` keeps weight decay from parameters of rank 0 and 1 (biases and norms), the default of
    `adamw`; `decay=all` is that of the others; `decay=*.weight|embed*` names those that decay. The state of
    an optimizer becomes `lgc.parameter`s with the role state, zero at first. Parameters that are frozen, or on
    which the loss doesn't depend (a remark says so), have no state and no update.

    With `micro-batches=N` the function's inputs grow N-fold along dimension 0 (scalar inputs are shared);
    gradients, sums and counts of the loss, and the model's own state are carried through a
    `lgc.micro_batches` loop.
    `@forward` then gives the loss alone, over all micro-batches.

    Before:
    ```mlir
    func.func @training_forward(%x: tensor<4xf32> {lgc.name = "x", lgc.role = #lgc.role<input>},
                                %w: tensor<4xf32> {lgc.name = "w", lgc.role = #lgc.role<parameter>})
        -> (tensor<f32> {lgc.name = "lgc.loss_sum"}, tensor<f32> {lgc.name = "lgc.loss_count"})
    ```
    After, with `optimizer=sgd`:
    ```mlir
    func.func @train_step(%x: tensor<4xf32> {lgc.name = "x", lgc.role = #lgc.role<input>},
                          %w: tensor<4xf32> {lgc.name = "w", lgc.role = #lgc.role<parameter>},
                          %lr: tensor<f32> {lgc.name = "lgc.learning_rate", lgc.role = #lgc.role<scalar>},
                          %step: tensor<i64> {lgc.name = "lgc.step", lgc.role = #lgc.role<scalar>})
        -> (tensor<f32> {lgc.name = "lgc.loss"}, tensor<4xf32> {lgc.updates = "w"})
    ```
  }];
  let options = [
    Option<"optimizer", "optimizer", "std::string", "\"adamw\"", "the optimizer, with parameters">,
    Option<"clipNorm", "clip-norm", "double", "0.0", "largest global norm of gradients; 0: no limit">,
    Option<"microBatches", "micro-batches", "int64_t", "1", "micro-batches of a step">,
    Option<"frozen", "frozen", "std::string", "\"\"", "comma-separated patterns of parameters to leave">
  ];
  let dependentDialects = ["::lgc::LgcDialect", "::mlir::func::FuncDialect"];
}

def VerifyTrainingPass : Pass<"lgc-verify-training", "::mlir::ModuleOp"> {
  let summary = "check the contract after Training";
  let description = [{
    See docs/pipeline.md: `@training_forward` is gone; `@train_step` has a scalar result `lgc.loss` and
    `@forward` a scalar `lgc.forward_loss`; every argument has a name and a role; every
    parameter and state argument has its `lgc.parameter`; each of these is updated at most once and by a value
    of its type. A module that fulfils this is left as it is:

    ```mlir
    lgc.parameter @w <parameter> : tensor<4xf32> = 1.0 : f32
    func.func @train_step(%w: tensor<4xf32> {lgc.name = "w", lgc.role = #lgc.role<parameter>})
        -> (tensor<f32> {lgc.name = "lgc.loss"}, tensor<4xf32> {lgc.updates = "w"})
    ```
  }];
}

#endif // LGC_TRAINING_PASSES_TD
