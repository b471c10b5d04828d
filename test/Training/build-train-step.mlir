// RUN: lgc-opt %s --lgc-build-train-step="optimizer=sgd" --canonicalize | FileCheck %s
// RUN: lgc-opt %s --lgc-build-train-step="optimizer=sgd frozen=v* clip-norm=0.5" --canonicalize | FileCheck %s --check-prefix=FROZEN

// CHECK: lgc.learning_rate = 1.000000e-02
// CHECK: lgc.micro_batches = 1
// CHECK-NOT: training_forward
// CHECK-LABEL: func.func @train_step
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<4x3xf32> {lgc.name = "x", lgc.role = #lgc.role<input>}
// CHECK-SAME: %[[W:[a-z0-9]+]]: tensor<3x2xf32> {lgc.name = "w"
// CHECK-SAME: %[[V:[a-z0-9]+]]: tensor<3xf32> {lgc.name = "v"
// CHECK-SAME: %[[MEAN:[a-z0-9]+]]: tensor<3xf32> {lgc.name = "mean", lgc.role = #lgc.role<state>}
// CHECK-SAME: %[[RATE:[a-z0-9]+]]: tensor<f32> {lgc.name = "lgc.learning_rate", lgc.role = #lgc.role<scalar>}
// CHECK-SAME: tensor<f32> {lgc.name = "lgc.loss"}, tensor<3x2xf32> {lgc.updates = "w"}, tensor<3xf32> {lgc.updates = "v"}, tensor<3xf32> {lgc.updates = "mean"}
// The loss, and the two ways in which it depends on v added up.
// CHECK: %[[SUM:.*]] = lgc.reduce sum %{{.*}} dims = [0, 1]
// CHECK: %[[NEXT:.*]] = lgc.add %[[MEAN]], %[[V]]
// CHECK: %[[LOSS:.*]] = lgc.mul %[[SUM]]
// CHECK: %[[ONE_WAY:.*]] = lgc.dot %{{.*}}, %[[W]]
// CHECK: %[[OTHER:.*]] = lgc.mul %[[ONE_WAY]], %[[X]]
// CHECK: %[[BOTH:.*]] = lgc.add %[[ONE_WAY]], %[[OTHER]]
// CHECK: lgc.reduce sum %[[BOTH]] dims = [0]
// CHECK: %[[WNEXT:.*]] = lgc.sub %[[W]],
// CHECK: %[[VNEXT:.*]] = lgc.sub %[[V]],
// CHECK: return %[[LOSS]], %[[WNEXT]], %[[VNEXT]], %[[NEXT]]

// A frozen parameter is marked, read and not updated. Its gradient isn't in the norm.
// FROZEN: lgc.parameter @v <parameter> frozen
// FROZEN-LABEL: func.func @train_step
// FROZEN-SAME: {lgc.name = "v", lgc.role = #lgc.role<parameter>}
// FROZEN-SAME: -> (tensor<f32> {lgc.name = "lgc.loss"}, tensor<f32> {lgc.name = "lgc.grad_norm"}, tensor<3x2xf32> {lgc.updates = "w"}, tensor<3xf32> {lgc.updates = "mean"})
// FROZEN: %[[SQUARES:.*]] = lgc.mul %[[G:.*]], %[[G]] : tensor<3x2xf32>
// FROZEN: %[[SUM:.*]] = lgc.reduce sum %[[SQUARES]] dims = [0, 1]
// FROZEN: %[[NORM:.*]] = lgc.sqrt %[[SUM]]
// FROZEN: %[[SAFE:.*]] = lgc.add %[[NORM]]
// FROZEN: %[[QUOTIENT:.*]] = lgc.div %{{.*}}, %[[SAFE]]
// FROZEN: %[[SCALE:.*]] = lgc.min %[[QUOTIENT]]
// FROZEN: lgc.broadcast %[[SCALE]]
lgc.parameter @w <parameter> : tensor<3x2xf32> = 1.0 : f32
lgc.parameter @v <parameter> : tensor<3xf32> = 1.0 : f32
lgc.parameter @mean <state> : tensor<3xf32> = 0.0 : f32
func.func @training_forward(%x: tensor<4x3xf32> {lgc.name = "x", lgc.role = #lgc.role<input>},
                            %w: tensor<3x2xf32> {lgc.name = "w", lgc.role = #lgc.role<parameter>},
                            %v: tensor<3xf32> {lgc.name = "v", lgc.role = #lgc.role<parameter>},
                            %m: tensor<3xf32> {lgc.name = "mean", lgc.role = #lgc.role<state>})
    -> (tensor<3xf32> {lgc.updates = "mean"}, tensor<f32> {lgc.name = "lgc.loss_sum"},
        tensor<f32> {lgc.name = "lgc.loss_count"}) {
  %b = lgc.broadcast %v dims = [1] : tensor<3xf32> to tensor<4x3xf32>
  %s = lgc.mul %x, %b : tensor<4x3xf32>
  %a = lgc.add %s, %b : tensor<4x3xf32>
  %y = lgc.dot %a, %w batch = [] x [] contract = [1] x [0] : tensor<4x3xf32>, tensor<3x2xf32>
  %sum = lgc.reduce sum %y dims = [0, 1] : tensor<4x2xf32>
  %count = lgc.constant dense<8.0> : tensor<f32>
  %next = lgc.add %m, %v : tensor<3xf32>
  return %next, %sum, %count : tensor<3xf32>, tensor<f32>, tensor<f32>
}
