// RUN: lgc-opt %s --lgc-decompose | FileCheck %s

// CHECK-LABEL: @softmax
// CHECK-SAME: (%[[X:.*]]: tensor<4x8xf32>)
func.func @softmax(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  // CHECK: %[[MAX:.*]] = lgc.reduce max %[[X]] dims = [1]
  // CHECK: %[[RESTORED:.*]] = lgc.broadcast %[[MAX]] dims = [0] : tensor<4xf32> to tensor<4x8xf32>
  // CHECK: %[[SHIFTED:.*]] = lgc.sub %[[X]], %[[RESTORED]]
  // CHECK: %[[EXP:.*]] = lgc.exp %[[SHIFTED]]
  // CHECK: %[[SUM:.*]] = lgc.reduce sum %[[EXP]] dims = [1]
  // CHECK: %[[SUMS:.*]] = lgc.broadcast %[[SUM]] dims = [0]
  // CHECK: %[[Y:.*]] = lgc.div %[[EXP]], %[[SUMS]]
  // CHECK: return %[[Y]]
  %0 = lgc.softmax %x dim = 1 : tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// CHECK-LABEL: @safe_softmax
func.func @safe_softmax(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  // CHECK-DAG: %[[Y:.*]] = lgc.div
  // CHECK-DAG: %[[NAN:.*]] = lgc.is_nan %[[Y]]
  // CHECK-DAG: %[[ZERO:.*]] = lgc.constant dense<0.0
  // CHECK: lgc.select %[[NAN]], %[[ZERO]], %[[Y]]
  %0 = lgc.softmax %x dim = 1 safe : tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// CHECK-LABEL: @log_softmax
// CHECK-NOT: lgc.log_softmax
// CHECK: lgc.log %{{.*}} : tensor<4xf32>
// CHECK: lgc.sub
func.func @log_softmax(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = lgc.log_softmax %x dim = 1 : tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// Statistics of bf16 are computed in f32, the variance from centred elements.
// CHECK-LABEL: @normalize
func.func @normalize(%x: tensor<4x8xbf16>) -> (tensor<4x8xbf16>, tensor<4xf32>) {
  // CHECK: %[[WIDE:.*]] = lgc.cast %{{.*}} : tensor<4x8xbf16> to tensor<4x8xf32>
  // CHECK: lgc.reduce sum %[[WIDE]] dims = [1]
  // CHECK: %[[CENTRED:.*]] = lgc.sub %[[WIDE]], %{{.*}}
  // CHECK: %[[SQUARE:.*]] = lgc.mul %[[CENTRED]], %[[CENTRED]]
  // CHECK: lgc.reduce sum %[[SQUARE]] dims = [1]
  // CHECK: lgc.rsqrt %{{.*}} : tensor<4xf32>
  // CHECK: lgc.cast %{{.*}} : tensor<4x8xf32> to tensor<4x8xbf16>
  %0, %1, %2 = lgc.normalize %x dims = [1] epsilon = 1.0e-5 : tensor<4x8xbf16>
  return %0, %2 : tensor<4x8xbf16>, tensor<4xf32>
}

// CHECK-LABEL: @rms_normalize
// CHECK: lgc.mul
// CHECK: lgc.reduce sum
// CHECK: lgc.rsqrt
// CHECK: lgc.mul
func.func @rms_normalize(%x: tensor<4x8xf64>) -> tensor<4x8xf64> {
  %0, %1 = lgc.rms_normalize %x dims = [1] epsilon = 1.0e-5 : tensor<4x8xf64>
  return %0 : tensor<4x8xf64>
}

// The label's logit is picked by comparing, which reads nothing outside for any label.
// CHECK-LABEL: @cross_entropy
// CHECK-NOT: lgc.gather
// CHECK: lgc.iota dim = 1
// CHECK: lgc.compare eq
// CHECK: lgc.select
// CHECK: lgc.constant dense<-100> : tensor<4xi64>
// CHECK: lgc.compare eq
// CHECK: lgc.select
func.func @cross_entropy(%x: tensor<4x8xf32>, %l: tensor<4xi64>) -> tensor<4xf32> {
  %0, %1 = lgc.cross_entropy %x, %l dim = 1 ignore_index = -100 : tensor<4x8xf32>, tensor<4xi64>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: @attention
// CHECK: lgc.dot %{{.*}}, %{{.*}} batch = [0] x [0] contract = [2] x [2]
// CHECK: lgc.broadcast %{{.*}} dims = [1, 2] : tensor<1x5xf32> to tensor<2x3x5xf32>
// CHECK: lgc.iota dim = 1
// CHECK: lgc.iota dim = 2
// CHECK: lgc.compare le
// CHECK: lgc.reduce max
// CHECK: lgc.exp
// CHECK: lgc.reduce sum
// CHECK: lgc.div
// CHECK: lgc.dot %{{.*}}, %{{.*}} batch = [0] x [0] contract = [2] x [1]
func.func @attention(%q: tensor<2x3x4xf32>, %k: tensor<2x5x4xf32>, %v: tensor<2x5x6xf32>, %b: tensor<1x5xf32>) -> tensor<2x3x6xf32> {
  %0, %1 = lgc.attention %q, %k, %v bias %b scale = 5.0e-1 causal : tensor<2x3x4xf32>, tensor<2x5x4xf32>, tensor<2x5x6xf32>, tensor<1x5xf32>
  return %0 : tensor<2x3x6xf32>
}

// A tied embedding's gradient is scattered into that of its other use.
// CHECK-LABEL: @scatter_into_sum
// CHECK-SAME: (%[[G:.*]]: tensor<10x4xf32>, %[[I:.*]]: tensor<3xi64>, %[[U:.*]]: tensor<3x4xf32>)
func.func @scatter_into_sum(%g: tensor<10x4xf32>, %i: tensor<3xi64>, %u: tensor<3x4xf32>) -> tensor<10x4xf32> {
  // CHECK: %[[SUM:.*]] = lgc.scatter add %[[G]], %[[I]], %[[U]] axis = 0
  // CHECK: return %[[SUM]]
  %zeros = lgc.constant dense<0.0> : tensor<10x4xf32>
  %0 = lgc.scatter add %zeros, %i, %u axis = 0 : tensor<10x4xf32>, tensor<3xi64>, tensor<3x4xf32>
  %1 = lgc.add %0, %g : tensor<10x4xf32>
  return %1 : tensor<10x4xf32>
}

// One that is needed by itself stays.
// CHECK-LABEL: @scatter_with_two_uses
// CHECK: lgc.scatter add
// CHECK: lgc.add
func.func @scatter_with_two_uses(%g: tensor<10x4xf32>, %i: tensor<3xi64>, %u: tensor<3x4xf32>) -> (tensor<10x4xf32>, tensor<10x4xf32>) {
  %zeros = lgc.constant dense<0.0> : tensor<10x4xf32>
  %0 = lgc.scatter add %zeros, %i, %u axis = 0 : tensor<10x4xf32>, tensor<3xi64>, tensor<3x4xf32>
  %1 = lgc.add %0, %g : tensor<10x4xf32>
  return %0, %1 : tensor<10x4xf32>, tensor<10x4xf32>
}
