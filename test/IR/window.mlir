// RUN: lgc-opt %s | lgc-opt - | FileCheck %s

// CHECK-LABEL: @pooling
func.func @pooling(%x: tensor<2x3x8x8xf32>) -> tensor<2x3x8x8xf32> {
  // CHECK: lgc.reduce_window sum %{{.*}} window = [2, 3] strides = [2, 1] dilations = [1, 2] low = [0, 1] high = [0, 1] : tensor<2x3x8x8xf32>
  %0 = lgc.reduce_window sum %x window = [2, 3] strides = [2, 1] dilations = [1, 2] low = [0, 1] high = [0, 1] : tensor<2x3x8x8xf32>
  // CHECK: %[[VALUE:.*]], %[[INDEX:.*]] = lgc.window_argmax %{{.*}} window = [2, 2] strides = [2, 2] dilations = [1, 1] low = [0, 0] high = [0, 0] : tensor<2x3x8x8xf32>
  %1, %2 = lgc.window_argmax %x window = [2, 2] strides = [2, 2] dilations = [1, 1] low = [0, 0] high = [0, 0] : tensor<2x3x8x8xf32>
  // CHECK: lgc.window_scatter %[[VALUE]] at %[[INDEX]] window = [2, 2] strides = [2, 2] dilations = [1, 1] low = [0, 0] high = [0, 0] : tensor<2x3x4x4xf32>, tensor<2x3x4x4xi64> to tensor<2x3x8x8xf32>
  %3 = lgc.window_scatter %1 at %2 window = [2, 2] strides = [2, 2] dilations = [1, 1] low = [0, 0] high = [0, 0] : tensor<2x3x4x4xf32>, tensor<2x3x4x4xi64> to tensor<2x3x8x8xf32>
  // CHECK: lgc.window_scatter %[[VALUE]] window = [2, 2] strides = [2, 2] dilations = [1, 1] low = [0, 0] high = [0, 0] : tensor<2x3x4x4xf32> to tensor<2x3x8x8xf32>
  %4 = lgc.window_scatter %1 window = [2, 2] strides = [2, 2] dilations = [1, 1] low = [0, 0] high = [0, 0] : tensor<2x3x4x4xf32> to tensor<2x3x8x8xf32>
  return %3 : tensor<2x3x8x8xf32>
}
