// RUN: lgc-opt %s --canonicalize | FileCheck %s

// CHECK-LABEL: @no_dims
// CHECK-SAME: (%[[X:.*]]: tensor<2x3xf32>)
// CHECK-NEXT: return %[[X]]
func.func @no_dims(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = lgc.reduce sum %x dims = [] : tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// CHECK-LABEL: @shape_arithmetic
// CHECK-DAG: lgc.constant dense<[6, 120]> : tensor<2xi64>
// CHECK-DAG: lgc.constant dense<[4, 5, 6]> : tensor<3xi64>
// CHECK-DAG: lgc.constant dense<1> : tensor<i64>
// CHECK-DAG: lgc.constant dense<21> : tensor<i64>
func.func @shape_arithmetic() -> (tensor<2xi64>, tensor<3xi64>, tensor<i64>, tensor<i64>) {
  %x = lgc.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi64>
  %0 = lgc.reduce product %x dims = [1] : tensor<2x3xi64>
  %1 = lgc.reduce max %x dims = [0] : tensor<2x3xi64>
  %2 = lgc.reduce min %x dims = [0, 1] : tensor<2x3xi64>
  %3 = lgc.reduce sum %x dims = [0, 1] : tensor<2x3xi64>
  return %0, %1, %2, %3 : tensor<2xi64>, tensor<3xi64>, tensor<i64>, tensor<i64>
}

// The smallest of unsigned numbers, and bits.
// CHECK-LABEL: @signs
// CHECK-DAG: lgc.constant dense<200> : tensor<ui8>
// CHECK-DAG: lgc.constant dense<[true, false]> : tensor<2xi1>
func.func @signs() -> (tensor<ui8>, tensor<2xi1>) {
  %x = lgc.constant dense<[200, 100]> : tensor<2xui8>
  %0 = lgc.reduce max %x dims = [0] : tensor<2xui8>
  %b = lgc.constant dense<[[true, true], [true, false]]> : tensor<2x2xi1>
  %1 = lgc.reduce and %b dims = [1] : tensor<2x2xi1>
  return %0, %1 : tensor<ui8>, tensor<2xi1>
}
