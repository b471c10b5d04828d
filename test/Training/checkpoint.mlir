// RUN: lgc-opt %s --lgc-build-train-step=optimizer=sgd -canonicalize -cse | FileCheck %s

// The region runs once forward, and again behind a barrier that waits for the gradient of its result.
// CHECK-LABEL: func.func @train_step
// CHECK-NOT: lgc.checkpoint
// CHECK: %[[ONCE:.*]] = lgc.tanh
// CHECK: %[[Y:.*]] = lgc.mul %[[ONCE]],
// CHECK: lgc.echo %[[Y]] "done"
// CHECK: %[[AGAIN:.*]]:2 = lgc.barrier(%{{.*}}, %{{.*}}) after(%{{.*}})
// CHECK: %[[TWICE:.*]] = lgc.tanh %[[AGAIN]]#
// CHECK: lgc.echo %{{.*}} "done"
// CHECK: lgc.mul %[[TWICE]], 
lgc.parameter @w <parameter> : tensor<4xf32> = 1.0 : f32
lgc.parameter @unused <parameter> : tensor<4xf32> = 1.0 : f32
// A parameter without influence has no update, in a region as elsewhere.
// CHECK-NOT: lgc.updates = "unused"
func.func @training_forward(%x: tensor<4xf32> {lgc.name = "x", lgc.role = #lgc.role<input>},
                            %w: tensor<4xf32> {lgc.name = "w", lgc.role = #lgc.role<parameter>},
                            %u: tensor<4xf32> {lgc.name = "unused", lgc.role = #lgc.role<parameter>})
    -> (tensor<f32> {lgc.name = "lgc.loss_sum"}, tensor<f32> {lgc.name = "lgc.loss_count"}) {
  %0:2 = lgc.checkpoint "layer" inputs(%x, %w, %u)
      : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  ^bb0(%a: tensor<4xf32>, %b: tensor<4xf32>, %c: tensor<4xf32>):
    %2 = lgc.tanh %a : tensor<4xf32>
    %3 = lgc.mul %2, %b : tensor<4xf32>
    %4 = lgc.echo %3 "done" : tensor<4xf32>
    %5 = lgc.exp %c : tensor<4xf32>
    lgc.yield %4, %5 : tensor<4xf32>, tensor<4xf32>
  }
  %sum = lgc.reduce sum %0#0 dims = [0] : tensor<4xf32>
  %count = lgc.constant dense<4.0> : tensor<f32>
  return %sum, %count : tensor<f32>, tensor<f32>
}
