// RUN: lgc-opt %s -canonicalize -split-input-file | FileCheck %s

// CHECK-LABEL: func @constants
// CHECK-DAG: lgc.constant dense<{{\[\[}}1, 4], [2, 5], [3, 6]]> : tensor<3x2xi64>
// CHECK-DAG: lgc.constant dense<[1, 2, 3, 4, 5, 6]> : tensor<6xi64>
// CHECK-DAG: lgc.constant dense<{{\[\[}}1, 3], [4, 6]]> : tensor<2x2xi64>
// CHECK-DAG: lgc.constant dense<{{\[\[}}3, 2, 1], [6, 5, 4]]> : tensor<2x3xi64>
// CHECK-DAG: lgc.constant dense<{{\[\[}}1, 2, 3, 1, 2, 3], [4, 5, 6, 4, 5, 6]]> : tensor<2x6xi64>
// CHECK-DAG: lgc.constant dense<{{\[\[}}9, 9, 9, 9, 9, 9], [9, 1, 9, 2, 9, 3], [9, 4, 9, 5, 9, 6]]> : tensor<3x6xi64>
// CHECK-DAG: lgc.constant dense<{{\[\[\[}}1, 2, 3], [1, 2, 3]], {{\[\[}}4, 5, 6], [4, 5, 6]]]> : tensor<2x2x3xi64>
func.func @constants() -> (tensor<3x2xi64>, tensor<6xi64>, tensor<2x2xi64>, tensor<2x3xi64>, tensor<2x6xi64>, tensor<3x6xi64>, tensor<2x2x3xi64>) {
  %0 = lgc.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi64>
  %transpose = lgc.transpose %0 permutation = [1, 0] : tensor<2x3xi64>
  %reshape = lgc.reshape %0 : tensor<2x3xi64> to tensor<6xi64>
  %slice = lgc.slice %0 starts = [0, 0] limits = [2, 3] strides = [1, 2] : tensor<2x3xi64>
  %reverse = lgc.reverse %0 dims = [1] : tensor<2x3xi64>
  %concat = lgc.concat %0, %0 dim = 1 : tensor<2x3xi64>, tensor<2x3xi64>
  %pad = lgc.pad %0 value = 9 : i64 low = [1, 1] high = [0, 0] interior = [0, 1] : tensor<2x3xi64>
  %broadcast = lgc.broadcast %0 dims = [0, 2] : tensor<2x3xi64> to tensor<2x2x3xi64>
  return %transpose, %reshape, %slice, %reverse, %concat, %pad, %broadcast : tensor<3x2xi64>, tensor<6xi64>, tensor<2x2xi64>, tensor<2x3xi64>, tensor<2x6xi64>, tensor<3x6xi64>, tensor<2x2x3xi64>
}

// -----

// Moved bits keep NaN payloads and the sign of zero; booleans move too.
// CHECK-LABEL: func @bits
// CHECK-DAG: lgc.constant dense<[-0.000000e+00, 0x7FC00001, 1.000000e+00]> : tensor<3xf32>
// CHECK-DAG: lgc.constant dense<[false, true, true]> : tensor<3xi1>
func.func @bits() -> (tensor<3xf32>, tensor<3xi1>) {
  %0 = lgc.constant dense<[1.0, 0x7FC00001, -0.0]> : tensor<3xf32>
  %1 = lgc.reverse %0 dims = [0] : tensor<3xf32>
  %2 = lgc.constant dense<[true, true, false]> : tensor<3xi1>
  %3 = lgc.reverse %2 dims = [0] : tensor<3xi1>
  return %1, %3 : tensor<3xf32>, tensor<3xi1>
}

// -----

// CHECK-LABEL: func @empty
// CHECK-DAG: lgc.constant dense<> : tensor<0xi64>
// CHECK-DAG: lgc.constant dense<7> : tensor<2xi64>
// CHECK-DAG: lgc.constant dense<> : tensor<2x0xi64>
func.func @empty() -> (tensor<0xi64>, tensor<2xi64>, tensor<2x0xi64>) {
  %0 = lgc.constant dense<[1, 2]> : tensor<2xi64>
  %1 = lgc.slice %0 starts = [1] limits = [1] strides = [1] : tensor<2xi64>
  %2 = lgc.add %1, %1 : tensor<0xi64>
  %3 = lgc.pad %2 value = 7 : i64 low = [1] high = [1] interior = [0] : tensor<0xi64>
  %4 = lgc.broadcast %2 dims = [1] : tensor<0xi64> to tensor<2x0xi64>
  return %2, %3, %4 : tensor<0xi64>, tensor<2xi64>, tensor<2x0xi64>
}

// -----

// Weights stay what they are.
// CHECK-LABEL: func @large
// CHECK: lgc.pad
func.func @large() -> tensor<1026x1024xf32> {
  %0 = lgc.constant dense<1.0> : tensor<1024x1024xf32>
  %1 = lgc.pad %0 value = 0.0 : f32 low = [1, 0] high = [1, 0] interior = [0, 0] : tensor<1024x1024xf32>
  return %1 : tensor<1026x1024xf32>
}

// -----

// CHECK-LABEL: func @identities
// CHECK-SAME: (%[[X:.*]]: tensor<4x6xf32>, %[[E:.*]]: tensor<0x6xf32>)
// CHECK-NEXT: return %[[X]], %[[X]], %[[X]], %[[X]], %[[X]], %[[X]], %[[X]]
func.func @identities(%x: tensor<4x6xf32>, %e: tensor<0x6xf32>) -> (tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>) {
  %0 = lgc.reshape %x : tensor<4x6xf32> to tensor<24xf32>
  %reshape = lgc.reshape %0 : tensor<24xf32> to tensor<4x6xf32>
  %1 = lgc.transpose %x permutation = [1, 0] : tensor<4x6xf32>
  %transpose = lgc.transpose %1 permutation = [1, 0] : tensor<6x4xf32>
  %broadcast = lgc.broadcast %x dims = [0, 1] : tensor<4x6xf32> to tensor<4x6xf32>
  %slice = lgc.slice %x starts = [0, 0] limits = [4, 6] strides = [1, 1] : tensor<4x6xf32>
  %pad = lgc.pad %x value = 0.0 : f32 low = [0, 0] high = [0, 0] interior = [0, 0] : tensor<4x6xf32>
  %concat = lgc.concat %e, %x, %e dim = 0 : tensor<0x6xf32>, tensor<4x6xf32>, tensor<0x6xf32>
  %reverse = lgc.reverse %x dims = [] : tensor<4x6xf32>
  return %reshape, %transpose, %broadcast, %slice, %pad, %concat, %reverse : tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>
}

// -----

// CHECK-LABEL: func @merged
// CHECK-SAME: (%[[X:.*]]: tensor<2x3x4xf32>)
// CHECK-DAG: %[[TRANSPOSE:.*]] = lgc.transpose %[[X]] permutation = [2, 0, 1]
// CHECK-DAG: %[[SLICE:.*]] = lgc.slice %[[X]] starts = [0, 1, 1] limits = [2, 2, 4] strides = [1, 1, 2]
// CHECK-DAG: %[[BROADCAST:.*]] = lgc.broadcast %[[X]] dims = [1, 3, 4] : tensor<2x3x4xf32> to tensor<7x2x5x3x4xf32>
// CHECK: return %[[TRANSPOSE]], %[[SLICE]], %[[BROADCAST]]
func.func @merged(%x: tensor<2x3x4xf32>) -> (tensor<4x2x3xf32>, tensor<2x1x2xf32>, tensor<7x2x5x3x4xf32>) {
  %0 = lgc.transpose %x permutation = [1, 2, 0] : tensor<2x3x4xf32>
  %1 = lgc.transpose %0 permutation = [1, 2, 0] : tensor<3x4x2xf32>
  %2 = lgc.slice %x starts = [0, 1, 1] limits = [2, 3, 4] strides = [1, 1, 1] : tensor<2x3x4xf32>
  %3 = lgc.slice %2 starts = [0, 0, 0] limits = [2, 1, 3] strides = [1, 2, 2] : tensor<2x2x3xf32>
  %4 = lgc.broadcast %x dims = [0, 2, 3] : tensor<2x3x4xf32> to tensor<2x5x3x4xf32>
  %5 = lgc.broadcast %4 dims = [1, 2, 3, 4] : tensor<2x5x3x4xf32> to tensor<7x2x5x3x4xf32>
  return %1, %3, %5 : tensor<4x2x3xf32>, tensor<2x1x2xf32>, tensor<7x2x5x3x4xf32>
}

// -----

// Dimensions of size 1 cost no operation.
// CHECK-LABEL: func @unit_dimensions
// CHECK-SAME: (%[[X:.*]]: tensor<6xf32>, %[[Y:.*]]: tensor<1x6xf32>, %[[S:.*]]: tensor<1xf32>)
// CHECK-DAG: %[[A:.*]] = lgc.broadcast %[[X]] dims = [1] : tensor<6xf32> to tensor<4x6x5xf32>
// CHECK-DAG: %[[B:.*]] = lgc.broadcast %[[Y]] dims = [0, 3] : tensor<1x6xf32> to tensor<4x1x1x6xf32>
// CHECK-DAG: %[[C:.*]] = lgc.reshape %[[X]] : tensor<6xf32> to tensor<1x6xf32>
// CHECK-DAG: %[[D:.*]] = lgc.broadcast %[[S]] dims = [0] : tensor<1xf32> to tensor<3x2xf32>
// CHECK-DAG: %[[E:.*]] = lgc.reshape %[[Y]] : tensor<1x6xf32> to tensor<6x1xf32>
// CHECK: return %[[A]], %[[B]], %[[C]], %[[D]], %[[E]]
func.func @unit_dimensions(%x: tensor<6xf32>, %y: tensor<1x6xf32>, %s: tensor<1xf32>) -> (tensor<4x6x5xf32>, tensor<4x1x1x6xf32>, tensor<1x6xf32>, tensor<3x2xf32>, tensor<6x1xf32>) {
  %0 = lgc.reshape %x : tensor<6xf32> to tensor<6x1xf32>
  %a = lgc.broadcast %0 dims = [1, 2] : tensor<6x1xf32> to tensor<4x6x5xf32>
  %1 = lgc.broadcast %y dims = [0, 1] : tensor<1x6xf32> to tensor<4x6xf32>
  %b = lgc.reshape %1 : tensor<4x6xf32> to tensor<4x1x1x6xf32>
  %c = lgc.broadcast %x dims = [1] : tensor<6xf32> to tensor<1x6xf32>
  %2 = lgc.broadcast %s dims = [0] : tensor<1xf32> to tensor<6xf32>
  %d = lgc.reshape %2 : tensor<6xf32> to tensor<3x2xf32>
  %e = lgc.transpose %y permutation = [1, 0] : tensor<1x6xf32>
  return %a, %b, %c, %d, %e : tensor<4x6x5xf32>, tensor<4x1x1x6xf32>, tensor<1x6xf32>, tensor<3x2xf32>, tensor<6x1xf32>
}
