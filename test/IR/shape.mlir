// RUN: lgc-opt %s | lgc-opt - | FileCheck %s
// RUN: lgc-opt %s -mlir-print-op-generic | lgc-opt - | FileCheck %s

// CHECK-LABEL: func @constants
func.func @constants() -> (tensor<3xi64>, tensor<2x2xf32>, tensor<0xi1>, tensor<4x4xi32>) {
  // CHECK: lgc.constant dense<[1, 2, 3]> : tensor<3xi64>
  %0 = lgc.constant dense<[1, 2, 3]> : tensor<3xi64>
  // CHECK: lgc.constant dense<5.000000e-01> : tensor<2x2xf32>
  %1 = lgc.constant dense<0.5> : tensor<2x2xf32>
  // CHECK: lgc.constant dense<> : tensor<0xi1>
  %2 = lgc.constant dense<> : tensor<0xi1>
  // CHECK: lgc.iota dim = 1 : tensor<4x4xi32>
  %3 = lgc.iota dim = 1 : tensor<4x4xi32>
  return %0, %1, %2, %3 : tensor<3xi64>, tensor<2x2xf32>, tensor<0xi1>, tensor<4x4xi32>
}

// CHECK-LABEL: func @rearrangements
func.func @rearrangements(%x: tensor<4x6xf32>, %row: tensor<1x6xf32>) {
  // CHECK: lgc.reshape %{{.*}} : tensor<4x6xf32> to tensor<2x2x6xf32>
  %0 = lgc.reshape %x : tensor<4x6xf32> to tensor<2x2x6xf32>
  // CHECK: lgc.transpose %{{.*}} permutation = [1, 0] : tensor<4x6xf32>
  %1 = lgc.transpose %x permutation = [1, 0] : tensor<4x6xf32>
  // CHECK: lgc.broadcast %{{.*}} dims = [0, 2] : tensor<1x6xf32> to tensor<4x3x6xf32>
  %2 = lgc.broadcast %row dims = [0, 2] : tensor<1x6xf32> to tensor<4x3x6xf32>
  // CHECK: lgc.slice %{{.*}} starts = [0, 1] limits = [4, 6] strides = [2, 3] : tensor<4x6xf32>
  %3 = lgc.slice %x starts = [0, 1] limits = [4, 6] strides = [2, 3] : tensor<4x6xf32>
  // CHECK: lgc.neg %{{.*}} : tensor<2x2xf32>
  %4 = lgc.neg %3 : tensor<2x2xf32>
  // CHECK: lgc.pad %{{.*}} value = 0.000000e+00 : f32 low = [0, 1] high = [2, 0] interior = [0, 1] : tensor<4x6xf32>
  %5 = lgc.pad %x value = 0.0 : f32 low = [0, 1] high = [2, 0] interior = [0, 1] : tensor<4x6xf32>
  // CHECK: lgc.neg %{{.*}} : tensor<6x12xf32>
  %6 = lgc.neg %5 : tensor<6x12xf32>
  // CHECK: lgc.concat %{{.*}}, %{{.*}} dim = 0 : tensor<4x6xf32>, tensor<1x6xf32>
  %7 = lgc.concat %x, %row dim = 0 : tensor<4x6xf32>, tensor<1x6xf32>
  // CHECK: lgc.reverse %{{.*}} dims = [0, 1] : tensor<5x6xf32>
  %8 = lgc.reverse %7 dims = [0, 1] : tensor<5x6xf32>
  return
}
