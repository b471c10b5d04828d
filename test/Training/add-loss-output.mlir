// RUN: lgc-opt %s --lgc-add-loss --split-input-file | FileCheck %s

// The model's only scalar is its loss, a mean whose count no parameter changes.
// CHECK-LABEL: func.func @training_forward
// CHECK: %[[SUM:.*]] = lgc.reduce sum
// CHECK: %[[COUNT:.*]] = lgc.constant dense<4.000000e+00> : tensor<f32>
// CHECK: return %{{.*}}, %{{.*}}, %[[SUM]], %[[COUNT]]
func.func @forward(%x: tensor<4xf32> {lgc.name = "x", lgc.role = #lgc.role<input>})
    -> (tensor<4xf32> {lgc.name = "y"}, tensor<f32> {lgc.name = "loss"}) {
  %s = lgc.reduce sum %x dims = [0] : tensor<4xf32>
  return %x, %s : tensor<4xf32>, tensor<f32>
}
func.func @training_forward(%x: tensor<4xf32> {lgc.name = "x", lgc.role = #lgc.role<input>})
    -> (tensor<4xf32> {lgc.name = "y"}, tensor<f32> {lgc.name = "loss"}) {
  %s = lgc.reduce sum %x dims = [0] : tensor<4xf32>
  %n = lgc.constant dense<4.0> : tensor<f32>
  %0 = lgc.div %s, %n : tensor<f32>
  return %x, %0 : tensor<4xf32>, tensor<f32>
}

// -----

// Canonicalisation makes a division by a power of two a product: the count is its inverse.
// CHECK-LABEL: func.func @training_forward
// CHECK: %[[SUM:.*]] = lgc.reduce sum
// CHECK: %[[COUNT:.*]] = lgc.constant dense<4.000000e+00> : tensor<f32>
// CHECK: return %{{.*}}, %[[SUM]], %[[COUNT]]
func.func @forward(%x: tensor<4xf32> {lgc.name = "x", lgc.role = #lgc.role<input>})
    -> (tensor<f32> {lgc.name = "loss"}) {
  %s = lgc.reduce sum %x dims = [0] : tensor<4xf32>
  return %s : tensor<f32>
}
func.func @training_forward(%x: tensor<4xf32> {lgc.name = "x", lgc.role = #lgc.role<input>})
    -> (tensor<f32> {lgc.name = "loss"}) {
  %s = lgc.reduce sum %x dims = [0] : tensor<4xf32>
  %n = lgc.constant dense<0.25> : tensor<f32>
  %0 = lgc.mul %s, %n : tensor<f32>
  return %0 : tensor<f32>
}

// -----

// A divisor that a parameter changes is no count: the loss is its own sum, of one contribution.
// A loss with one element is as good as a scalar.
// CHECK-LABEL: func.func @training_forward
// CHECK: %[[QUOTIENT:.*]] = lgc.div
// CHECK: %[[LOSS:.*]] = lgc.reshape %[[QUOTIENT]] : tensor<1xf32> to tensor<f32>
// CHECK: %[[ONE:.*]] = lgc.constant dense<1.000000e+00> : tensor<f32>
// CHECK: return %{{.*}}, %[[LOSS]], %[[ONE]]
func.func @forward(%x: tensor<1xf32> {lgc.name = "x", lgc.role = #lgc.role<input>})
    -> (tensor<1xf32> {lgc.name = "loss"}) {
  return %x : tensor<1xf32>
}
func.func @training_forward(%x: tensor<1xf32> {lgc.name = "x", lgc.role = #lgc.role<input>},
                            %w: tensor<1xf32> {lgc.name = "w", lgc.role = #lgc.role<parameter>})
    -> (tensor<1xf32> {lgc.name = "loss"}) {
  %e = lgc.exp %w : tensor<1xf32>
  %0 = lgc.div %x, %e : tensor<1xf32>
  return %0 : tensor<1xf32>
}
