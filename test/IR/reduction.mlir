// RUN: lgc-opt %s | lgc-opt - | FileCheck %s

// CHECK-LABEL: @reduce
func.func @reduce(%x: tensor<2x3x4xf32>, %b: tensor<2x3xi1>) -> (tensor<3xf32>, tensor<2x3x4xf32>, tensor<2xi1>) {
  // CHECK: lgc.reduce sum %{{.*}} dims = [0, 2] : tensor<2x3x4xf32>
  %0 = lgc.reduce sum %x dims = [0, 2] : tensor<2x3x4xf32>
  // CHECK: lgc.reduce max %{{.*}} dims = [] : tensor<2x3x4xf32>
  %1 = lgc.reduce max %x dims = [] : tensor<2x3x4xf32>
  // CHECK: lgc.reduce and %{{.*}} dims = [1] : tensor<2x3xi1>
  %2 = lgc.reduce and %b dims = [1] : tensor<2x3xi1>
  return %0, %1, %2 : tensor<3xf32>, tensor<2x3x4xf32>, tensor<2xi1>
}

// CHECK-LABEL: @arg_reduce
func.func @arg_reduce(%x: tensor<2x3xf16>) -> (tensor<2xf16>, tensor<3xi64>) {
  // CHECK: lgc.arg_reduce max %{{.*}} dim = 1 : tensor<2x3xf16>
  %0, %1 = lgc.arg_reduce max %x dim = 1 : tensor<2x3xf16>
  // CHECK: lgc.arg_reduce min %{{.*}} dim = 0 last : tensor<2x3xf16>
  %2, %3 = lgc.arg_reduce min %x dim = 0 last : tensor<2x3xf16>
  return %0, %3 : tensor<2xf16>, tensor<3xi64>
}

// CHECK-LABEL: @scan_and_sort
func.func @scan_and_sort(%x: tensor<2x3xi32>) -> (tensor<2x3xi32>, tensor<2x3xi64>) {
  // CHECK: lgc.cumulative sum %{{.*}} dim = 1 exclusive reverse : tensor<2x3xi32>
  %0 = lgc.cumulative sum %x dim = 1 exclusive reverse : tensor<2x3xi32>
  // CHECK: lgc.sort %{{.*}} dim = 0 descending : tensor<2x3xi32>
  %1, %2 = lgc.sort %0 dim = 0 descending : tensor<2x3xi32>
  return %1, %2 : tensor<2x3xi32>, tensor<2x3xi64>
}
