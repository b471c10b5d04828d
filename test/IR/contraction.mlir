// RUN: lgc-opt %s | lgc-opt - | FileCheck %s

// CHECK-LABEL: @dot
func.func @dot(%a: tensor<4x8x16xf32>, %b: tensor<4x16x32xf32>) -> tensor<4x8x32xf32> {
  // CHECK: lgc.dot %{{.*}}, %{{.*}} batch = [0] x [0] contract = [2] x [1] : tensor<4x8x16xf32>, tensor<4x16x32xf32>
  %0 = lgc.dot %a, %b batch = [0] x [0] contract = [2] x [1] : tensor<4x8x16xf32>, tensor<4x16x32xf32>
  return %0 : tensor<4x8x32xf32>
}

// Batch dimensions come first, in the left operand's order, then what is free.
// CHECK-LABEL: @order
func.func @order(%a: tensor<2x3x4x5xf32>, %b: tensor<5x3x2x6xf32>) -> tensor<3x2x4x6xf32> {
  // CHECK: lgc.dot %{{.*}}, %{{.*}} batch = [1, 0] x [1, 2] contract = [3] x [0]
  %0 = lgc.dot %a, %b batch = [1, 0] x [1, 2] contract = [3] x [0] : tensor<2x3x4x5xf32>, tensor<5x3x2x6xf32>
  return %0 : tensor<3x2x4x6xf32>
}

// CHECK-LABEL: @convolution
func.func @convolution(%x: tensor<2x4x9x9xf32>, %w: tensor<6x2x3x3xf32>) -> (tensor<2x4x9x9xf32>, tensor<6x2x3x3xf32>) {
  // CHECK: %[[Y:.*]] = lgc.convolution %{{.*}}, %{{.*}} strides = [2, 2] dilations = [1, 1] low = [1, 1] high = [1, 1] groups = 2 : tensor<2x4x9x9xf32>, tensor<6x2x3x3xf32>
  %0 = lgc.convolution %x, %w strides = [2, 2] dilations = [1, 1] low = [1, 1] high = [1, 1] groups = 2 : tensor<2x4x9x9xf32>, tensor<6x2x3x3xf32>
  // CHECK: lgc.convolution_input %[[Y]], %{{.*}} strides = [2, 2] dilations = [1, 1] low = [1, 1] high = [1, 1] groups = 2 : tensor<2x6x5x5xf32>, tensor<6x2x3x3xf32> to tensor<2x4x9x9xf32>
  %1 = lgc.convolution_input %0, %w strides = [2, 2] dilations = [1, 1] low = [1, 1] high = [1, 1] groups = 2 : tensor<2x6x5x5xf32>, tensor<6x2x3x3xf32> to tensor<2x4x9x9xf32>
  // CHECK: lgc.convolution_filter %{{.*}}, %[[Y]] strides = [2, 2] dilations = [1, 1] low = [1, 1] high = [1, 1] groups = 2 : tensor<2x4x9x9xf32>, tensor<2x6x5x5xf32> to tensor<6x2x3x3xf32>
  %2 = lgc.convolution_filter %x, %0 strides = [2, 2] dilations = [1, 1] low = [1, 1] high = [1, 1] groups = 2 : tensor<2x4x9x9xf32>, tensor<2x6x5x5xf32> to tensor<6x2x3x3xf32>
  return %1, %2 : tensor<2x4x9x9xf32>, tensor<6x2x3x3xf32>
}
