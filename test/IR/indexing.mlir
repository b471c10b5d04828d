// RUN: lgc-opt %s | lgc-opt - | FileCheck %s
// RUN: lgc-opt %s --canonicalize | FileCheck %s --check-prefix=FOLD

// CHECK-LABEL: @slices
func.func @slices(%x: tensor<10x4xf32>, %i: tensor<2x3xi64>) -> tensor<10x4xf32> {
  // CHECK: %[[PICKED:.*]] = lgc.gather %{{.*}}, %{{.*}} axis = 0 : tensor<10x4xf32>, tensor<2x3xi64>
  %0 = lgc.gather %x, %i axis = 0 : tensor<10x4xf32>, tensor<2x3xi64>
  // CHECK: lgc.scatter add %{{.*}}, %{{.*}}, %[[PICKED]] axis = 0 : tensor<10x4xf32>, tensor<2x3xi64>, tensor<2x3x4xf32>
  %1 = lgc.scatter add %x, %i, %0 axis = 0 : tensor<10x4xf32>, tensor<2x3xi64>, tensor<2x3x4xf32>
  return %1 : tensor<10x4xf32>
}

// CHECK-LABEL: @tuples
func.func @tuples(%x: tensor<2x3x4xf32>, %i: tensor<2x5x1xi32>) -> tensor<2x3x4xf32> {
  // CHECK: %[[PICKED:.*]] = lgc.gather_nd %{{.*}}, %{{.*}} batch_dims = 1 : tensor<2x3x4xf32>, tensor<2x5x1xi32>
  %0 = lgc.gather_nd %x, %i batch_dims = 1 : tensor<2x3x4xf32>, tensor<2x5x1xi32>
  // CHECK: lgc.scatter_nd max %{{.*}}, %{{.*}}, %[[PICKED]] batch_dims = 1 : tensor<2x3x4xf32>, tensor<2x5x1xi32>, tensor<2x5x4xf32>
  %1 = lgc.scatter_nd max %x, %i, %0 batch_dims = 1 : tensor<2x3x4xf32>, tensor<2x5x1xi32>, tensor<2x5x4xf32>
  return %1 : tensor<2x3x4xf32>
}

// CHECK-LABEL: @elements
func.func @elements(%x: tensor<3x4xui8>, %i: tensor<2x4xi64>) -> tensor<3x4xui8> {
  // CHECK: %[[PICKED:.*]] = lgc.gather_elements %{{.*}}, %{{.*}} axis = 0 : tensor<3x4xui8>, tensor<2x4xi64>
  %0 = lgc.gather_elements %x, %i axis = 0 : tensor<3x4xui8>, tensor<2x4xi64>
  // CHECK: lgc.scatter_elements multiply %{{.*}}, %{{.*}}, %[[PICKED]] axis = 0 : tensor<3x4xui8>, tensor<2x4xi64>, tensor<2x4xui8>
  %1 = lgc.scatter_elements multiply %x, %i, %0 axis = 0 : tensor<3x4xui8>, tensor<2x4xi64>, tensor<2x4xui8>
  return %1 : tensor<3x4xui8>
}

// FOLD-LABEL: @constant
// FOLD-DAG: lgc.constant dense<{{\[}}[5, 4], [8, 7]]> : tensor<2x2xi64>
// FOLD-DAG: lgc.constant dense<[1, 2, 3]> : tensor<3xi64>
func.func @constant() -> (tensor<2x2xi64>, tensor<3xi64>) {
  %x = lgc.constant dense<[[1, 2, 3], [4, 5, 6], [7, 8, 9]]> : tensor<3x3xi64>
  %rows = lgc.constant dense<[1, 2]> : tensor<2xi64>
  %columns = lgc.constant dense<[1, 0]> : tensor<2xi64>
  %0 = lgc.gather %x, %rows axis = 0 : tensor<3x3xi64>, tensor<2xi64>
  %1 = lgc.gather %0, %columns axis = 1 : tensor<2x3xi64>, tensor<2xi64>
  %first = lgc.constant dense<0> : tensor<i64>
  %2 = lgc.gather %x, %first axis = 0 : tensor<3x3xi64>, tensor<i64>
  return %1, %2 : tensor<2x2xi64>, tensor<3xi64>
}
