// RUN: lgc-opt %s --lgc-schedule-launches --split-input-file | FileCheck %s

// An update follows its gradient.
// CHECK-LABEL: func.func @train_step
// CHECK: %[[G2:[0-9]+]] = lgc.launch @gradient(%{{.*}}, %[[W2:[a-z0-9]+]]) :
// CHECK-NEXT: lgc.launch @update(%[[W2]], %[[G2]])
// CHECK-NEXT: %[[G1:[0-9]+]] = lgc.launch @gradient(%{{.*}}, %[[W1:[a-z0-9]+]]) :
// CHECK-NEXT: lgc.launch @update(%[[W1]], %[[G1]])
func.func @train_step(%x: tensor<8xf32> {lgc.name = "x", lgc.role = #lgc.role<input>},
                      %w1: tensor<8xf32> {lgc.name = "w1", lgc.role = #lgc.role<parameter>},
                      %w2: tensor<8xf32> {lgc.name = "w2", lgc.role = #lgc.role<parameter>})
    -> (tensor<8xf32> {lgc.updates = "w1"}, tensor<8xf32> {lgc.updates = "w2"}) {
  %g2 = lgc.launch @gradient(%x, %w2) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  %g1 = lgc.launch @gradient(%x, %w1) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  %n1 = lgc.launch @update(%w1, %g1) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  %n2 = lgc.launch @update(%w2, %g2) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  return %n1, %n2 : tensor<8xf32>, tensor<8xf32>
}
func.func private @gradient(%x: tensor<8xf32>, %w: tensor<8xf32>) -> tensor<8xf32>
    attributes {lgc.kernel} {
  %0 = lgc.mul %x, %w : tensor<8xf32>
  return %0 : tensor<8xf32>
}
func.func private @update(%w: tensor<8xf32>, %g: tensor<8xf32>) -> tensor<8xf32>
    attributes {lgc.kernel} {
  %0 = lgc.sub %w, %g : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// It stays behind the readers of the old parameter.
// CHECK-LABEL: func.func @train_step
// CHECK: lgc.launch @gradient
// CHECK: %[[R:.*]] = lgc.launch @read
// CHECK: lgc.launch @update
func.func @train_step(%x: tensor<8xf32> {lgc.name = "x", lgc.role = #lgc.role<input>},
                      %w: tensor<8xf32> {lgc.name = "w", lgc.role = #lgc.role<parameter>})
    -> (tensor<8xf32> {lgc.name = "y"}, tensor<8xf32> {lgc.updates = "w"}) {
  %g = lgc.launch @gradient(%x, %x) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  %r = lgc.launch @read(%w) : (tensor<8xf32>) -> tensor<8xf32>
  %n = lgc.launch @update(%w, %g) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  return %r, %n : tensor<8xf32>, tensor<8xf32>
}
func.func private @gradient(%x: tensor<8xf32>, %w: tensor<8xf32>) -> tensor<8xf32>
    attributes {lgc.kernel} {
  %0 = lgc.mul %x, %w : tensor<8xf32>
  return %0 : tensor<8xf32>
}
func.func private @read(%x: tensor<8xf32>) -> tensor<8xf32> attributes {lgc.kernel} {
  %0 = lgc.neg %x : tensor<8xf32>
  return %0 : tensor<8xf32>
}
func.func private @update(%w: tensor<8xf32>, %g: tensor<8xf32>) -> tensor<8xf32>
    attributes {lgc.kernel} {
  %0 = lgc.sub %w, %g : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// What reads nothing waits for its first user.
// CHECK-LABEL: func.func @forward
// CHECK-NEXT: lgc.launch @neg
// CHECK-NEXT: lgc.launch @zero
// CHECK-NEXT: lgc.launch @add
func.func @forward(%x: tensor<8xf32> {lgc.name = "x", lgc.role = #lgc.role<input>})
    -> (tensor<8xf32> {lgc.name = "y"}) {
  %z = lgc.launch @zero() : () -> tensor<8xf32>
  %n = lgc.launch @neg(%x) : (tensor<8xf32>) -> tensor<8xf32>
  %s = lgc.launch @add(%n, %z) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  return %s : tensor<8xf32>
}
func.func private @zero() -> tensor<8xf32> attributes {lgc.kernel} {
  %0 = lgc.constant dense<0.0> : tensor<8xf32>
  return %0 : tensor<8xf32>
}
func.func private @neg(%x: tensor<8xf32>) -> tensor<8xf32> attributes {lgc.kernel} {
  %0 = lgc.neg %x : tensor<8xf32>
  return %0 : tensor<8xf32>
}
func.func private @add(%x: tensor<8xf32>, %y: tensor<8xf32>) -> tensor<8xf32> attributes {lgc.kernel} {
  %0 = lgc.add %x, %y : tensor<8xf32>
  return %0 : tensor<8xf32>
}
