// RUN: lgc-opt %s --lgc-build-train-step="optimizer=sgd" | FileCheck %s --check-prefix=SGD
// RUN: lgc-opt %s --lgc-build-train-step="optimizer='momentum(nesterov=true)'" | FileCheck %s --check-prefix=MOMENTUM
// RUN: lgc-opt %s --lgc-build-train-step="optimizer='adam(lr=0.002)'" | FileCheck %s --check-prefix=ADAM
// RUN: lgc-opt %s --lgc-build-train-step="optimizer='adamw(weight_decay=0.25)'" | FileCheck %s --check-prefix=DEFAULT
// RUN: lgc-opt %s --lgc-build-train-step="optimizer='adamw(weight_decay=0.25, decay=all)'" | FileCheck %s --check-prefix=ALL
// RUN: lgc-opt %s --lgc-build-train-step="optimizer='adamw(weight_decay=0.25, decay=x|*.bias)'" | FileCheck %s --check-prefix=NAMED

// What states the optimizers have, and which parameters decay.

// SGD: lgc.learning_rate = 1.000000e-02
// SGD-NOT: lgc.role<state>
// SGD-NOT: <state>

// MOMENTUM: lgc.parameter @fc.bias.momentum_buffer <state> : tensor<2xf32> = 0.000000e+00 : f32
// MOMENTUM-LABEL: func.func @train_step
// MOMENTUM-SAME: %[[B:[a-z0-9]+]]: tensor<2xf32> {lgc.name = "fc.bias.momentum_buffer", lgc.role = #lgc.role<state>}
// MOMENTUM-SAME: {lgc.updates = "fc.bias"}, tensor<2xf32> {lgc.updates = "fc.bias.momentum_buffer"}

// ADAM: lgc.learning_rate = 2.000000e-03
// ADAM: lgc.parameter @fc.weight.exp_avg <state>
// ADAM: lgc.parameter @fc.weight.exp_avg_sq <state>
// ADAM-LABEL: func.func @train_step
// ADAM-SAME: {lgc.name = "lgc.learning_rate", lgc.role = #lgc.role<scalar>}
// ADAM-SAME: %[[STEP:[a-z0-9]+]]: tensor<i64> {lgc.name = "lgc.step", lgc.role = #lgc.role<scalar>}
// Bias corrections are computed in f64 once a step.
// ADAM: %[[F:.*]] = lgc.cast %[[STEP]] : tensor<i64> to tensor<f64>
// ADAM: lgc.pow %{{.*}}, %[[F]] : tensor<f64>

// AdamW multiplies what decays by 1 - lr * weight_decay: by default only matrices.
// DEFAULT: lgc.constant dense<2.500000e-01>
// DEFAULT: lgc.mul %{{.*}}, %{{.*}} : tensor<3x2xf32>
// DEFAULT-NOT: lgc.constant dense<2.500000e-01>
// ALL-COUNT-2: lgc.constant dense<2.500000e-01>
// NAMED-COUNT-1: lgc.constant dense<2.500000e-01>
// NAMED-NOT: lgc.constant dense<2.500000e-01>
lgc.parameter @fc.weight <parameter> : tensor<3x2xf32> = 1.0 : f32
lgc.parameter @fc.bias <parameter> : tensor<2xf32> = 0.0 : f32
func.func @training_forward(%x: tensor<4x3xf32> {lgc.name = "x", lgc.role = #lgc.role<input>},
                            %w: tensor<3x2xf32> {lgc.name = "fc.weight", lgc.role = #lgc.role<parameter>},
                            %b: tensor<2xf32> {lgc.name = "fc.bias", lgc.role = #lgc.role<parameter>})
    -> (tensor<f32> {lgc.name = "lgc.loss_sum"}, tensor<f32> {lgc.name = "lgc.loss_count"}) {
  %d = lgc.dot %x, %w batch = [] x [] contract = [1] x [0] : tensor<4x3xf32>, tensor<3x2xf32>
  %bb = lgc.broadcast %b dims = [1] : tensor<2xf32> to tensor<4x2xf32>
  %y = lgc.add %d, %bb : tensor<4x2xf32>
  %sum = lgc.reduce sum %y dims = [0, 1] : tensor<4x2xf32>
  %count = lgc.constant dense<8.0> : tensor<f32>
  return %sum, %count : tensor<f32>, tensor<f32>
}
