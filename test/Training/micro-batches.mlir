// RUN: lgc-opt %s --lgc-add-loss="loss='mse(y, t)'" --lgc-build-train-step="optimizer=sgd micro-batches=3" --canonicalize --cse --lgc-verify-training | FileCheck %s

// CHECK: lgc.micro_batches = 3

// The loss of all micro-batches; outputs of one are nowhere.
// CHECK-LABEL: func.func @forward
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<6xf32> {lgc.name = "x"
// CHECK-SAME: tensor<f32> {lgc.name = "scale", lgc.role = #lgc.role<input>}
// CHECK-SAME: %[[T:[a-z0-9]+]]: tensor<6xf32> {lgc.name = "t"
// CHECK-SAME: -> (tensor<f32> {lgc.name = "lgc.forward_loss"})
// CHECK: %[[SUMS:.*]]:2 = lgc.micro_batches count = 3 batched(%[[X]], %[[T]]) carried(%[[ZERO:.*]], %[[ZERO]])
// CHECK: lgc.div %[[SUMS]]#0,

// CHECK-LABEL: func.func @train_step
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<6xf32> {lgc.name = "x"
// CHECK-SAME: %[[SCALE:[a-z0-9]+]]: tensor<f32> {lgc.name = "scale"
// CHECK-SAME: %[[T:[a-z0-9]+]]: tensor<6xf32> {lgc.name = "t"
// CHECK-SAME: %[[W:[a-z0-9]+]]: tensor<2xf32> {lgc.name = "w"
// CHECK-SAME: %[[M:[a-z0-9]+]]: tensor<2xf32> {lgc.name = "mean"
// CHECK-SAME: %[[STEP:[a-z0-9]+]]: tensor<i64> {lgc.name = "lgc.step"
// Carried: sum, count, the gradient and the state.
// CHECK: %[[LOOP:.*]]:4 = lgc.micro_batches count = 3 batched(%[[X]], %[[T]]) carried(%{{.*}}, %{{.*}}, %{{.*}}, %[[M]])
// CHECK: ^bb0(%[[I:.*]]: tensor<i64>, %[[XI:.*]]: tensor<2xf32>, %[[TI:.*]]: tensor<2xf32>, %[[SUM:.*]]: tensor<f32>, %[[COUNT:.*]]: tensor<f32>, %[[G:.*]]: tensor<2xf32>, %[[MI:.*]]: tensor<2xf32>):
// The number of the step for random numbers is that of the micro-batch.
// CHECK: %[[STEPS:.*]] = lgc.mul %[[STEP]]
// CHECK: %[[NUMBER:.*]] = lgc.add %[[STEPS]], %[[I]]
// CHECK: %[[MNEXT:.*]] = lgc.add %[[MI]], %[[XI]]
// CHECK: %[[SUMNEXT:.*]] = lgc.add %[[SUM]]
// CHECK: %[[COUNTNEXT:.*]] = lgc.add %[[COUNT]]
// CHECK: %[[GNEXT:.*]] = lgc.add %[[G]]
// CHECK: lgc.yield %[[SUMNEXT]], %[[COUNTNEXT]], %[[GNEXT]], %[[MNEXT]]
// CHECK: %[[LOSS:.*]] = lgc.div %[[LOOP]]#0
// CHECK: lgc.mul %[[LOOP]]#2
// CHECK: %[[WNEXT:.*]] = lgc.sub %[[W]]
// CHECK: return %[[LOSS]], %[[WNEXT]], %[[LOOP]]#3
lgc.parameter @w <parameter> : tensor<2xf32> = 1.0 : f32
lgc.parameter @mean <state> : tensor<2xf32> = 0.0 : f32
func.func @forward(%x: tensor<2xf32> {lgc.name = "x", lgc.role = #lgc.role<input>},
                   %scale: tensor<f32> {lgc.name = "scale", lgc.role = #lgc.role<input>},
                   %w: tensor<2xf32> {lgc.name = "w", lgc.role = #lgc.role<parameter>})
    -> (tensor<2xf32> {lgc.name = "y"}) {
  %0 = lgc.mul %x, %w : tensor<2xf32>
  return %0 : tensor<2xf32>
}
func.func @training_forward(%x: tensor<2xf32> {lgc.name = "x", lgc.role = #lgc.role<input>},
                            %scale: tensor<f32> {lgc.name = "scale", lgc.role = #lgc.role<input>},
                            %w: tensor<2xf32> {lgc.name = "w", lgc.role = #lgc.role<parameter>},
                            %m: tensor<2xf32> {lgc.name = "mean", lgc.role = #lgc.role<state>},
                            %step: tensor<i64> {lgc.name = "lgc.step", lgc.role = #lgc.role<scalar>})
    -> (tensor<2xf32> {lgc.name = "y"}, tensor<2xf32> {lgc.updates = "mean"}) {
  %n = lgc.cast %step : tensor<i64> to tensor<f32>
  %s = lgc.mul %n, %scale : tensor<f32>
  %b = lgc.broadcast %s dims = [] : tensor<f32> to tensor<2xf32>
  %0 = lgc.mul %x, %w : tensor<2xf32>
  %1 = lgc.mul %0, %b : tensor<2xf32>
  %next = lgc.add %m, %x : tensor<2xf32>
  return %1, %next : tensor<2xf32>, tensor<2xf32>
}
