// RUN: lgc-opt %s | lgc-opt - | FileCheck %s

// CHECK-LABEL: @softmax
func.func @softmax(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  // CHECK: lgc.softmax %{{.*}} dim = 1 : tensor<4x8xf32>
  %0 = lgc.softmax %x dim = 1 : tensor<4x8xf32>
  // CHECK: lgc.softmax %{{.*}} dim = 1 safe : tensor<4x8xf32>
  %safe = lgc.softmax %x dim = 1 safe : tensor<4x8xf32>
  // CHECK: lgc.log_softmax %{{.*}} dim = 0 : tensor<4x8xf32>
  %1 = lgc.log_softmax %0 dim = 0 : tensor<4x8xf32>
  return %1 : tensor<4x8xf32>
}

// CHECK-LABEL: @normalize
func.func @normalize(%x: tensor<2x3x4xbf16>) -> (tensor<2x3x4xbf16>, tensor<3xf32>, tensor<2x3xf32>) {
  // CHECK: lgc.normalize %{{.*}} dims = [0, 2] epsilon = 1.000000e-05 : tensor<2x3x4xbf16>
  %0, %1, %2 = lgc.normalize %x dims = [0, 2] epsilon = 1.0e-5 : tensor<2x3x4xbf16>
  // CHECK: lgc.rms_normalize %{{.*}} dims = [2] epsilon = 1.000000e-05 : tensor<2x3x4xbf16>
  %3, %4 = lgc.rms_normalize %0 dims = [2] epsilon = 1.0e-5 : tensor<2x3x4xbf16>
  return %3, %1, %4 : tensor<2x3x4xbf16>, tensor<3xf32>, tensor<2x3xf32>
}

// CHECK-LABEL: @cross_entropy
func.func @cross_entropy(%x: tensor<2x5x3xf32>, %l: tensor<2x3xi64>) -> (tensor<2x3xf32>, tensor<2x3xf32>) {
  // CHECK: lgc.cross_entropy %{{.*}}, %{{.*}} dim = 1 ignore_index = -100 : tensor<2x5x3xf32>, tensor<2x3xi64>
  %0, %1 = lgc.cross_entropy %x, %l dim = 1 ignore_index = -100 : tensor<2x5x3xf32>, tensor<2x3xi64>
  // CHECK: lgc.cross_entropy %{{.*}}, %{{.*}} dim = 1 : tensor<2x5x3xf32>, tensor<2x3xi64>
  %2, %3 = lgc.cross_entropy %x, %l dim = 1 : tensor<2x5x3xf32>, tensor<2x3xi64>
  return %0, %3 : tensor<2x3xf32>, tensor<2x3xf32>
}

// CHECK-LABEL: @attention
func.func @attention(%q: tensor<2x3x4xf32>, %k: tensor<2x5x4xf32>, %v: tensor<2x5x6xf32>, %b: tensor<1x5xf32>) -> (tensor<2x3x6xf32>, tensor<2x3xf32>) {
  // CHECK: lgc.attention %{{.*}}, %{{.*}}, %{{.*}} bias %{{.*}} scale = 5.000000e-01 causal : tensor<2x3x4xf32>, tensor<2x5x4xf32>, tensor<2x5x6xf32>, tensor<1x5xf32>
  %0, %1 = lgc.attention %q, %k, %v bias %b scale = 5.0e-1 causal : tensor<2x3x4xf32>, tensor<2x5x4xf32>, tensor<2x5x6xf32>, tensor<1x5xf32>
  // CHECK: lgc.attention %{{.*}}, %{{.*}}, %{{.*}} scale = 1.000000e+00 : tensor<2x3x4xf32>, tensor<2x5x4xf32>, tensor<2x5x6xf32>
  %2, %3 = lgc.attention %q, %k, %v scale = 1.0 : tensor<2x3x4xf32>, tensor<2x5x4xf32>, tensor<2x5x6xf32>
  return %0, %3 : tensor<2x3x6xf32>, tensor<2x3xf32>
}

// CHECK-LABEL: @random
func.func @random(%seed: tensor<i64>, %step: tensor<i64>) -> tensor<4x8xf32> {
  // CHECK: lgc.random_uniform %{{.*}}, %{{.*}} stream = 3 : tensor<4x8xf32>
  %0 = lgc.random_uniform %seed, %step stream = 3 : tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}
