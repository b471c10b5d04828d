// RUN: lgc-opt %s --lgc-fuse --split-input-file | FileCheck %s
// RUN: lgc-opt %s --lgc-fuse=fuse=false --split-input-file | FileCheck %s --check-prefix=OFF

// A bias, broadcast, and an activation are one kernel; alone, each operation is one.
// CHECK-LABEL: func.func @bias
// CHECK: lgc.broadcast {{.*}}lgc.group = 0
// CHECK: lgc.add {{.*}}lgc.group = 0
// CHECK: lgc.tanh {{.*}}lgc.group = 0
// OFF-LABEL: func.func @bias
// OFF: lgc.broadcast {{.*}}lgc.group = 0
// OFF: lgc.add {{.*}}lgc.group = 1
// OFF: lgc.tanh {{.*}}lgc.group = 2
func.func @bias(%x: tensor<8x16xf32>, %b: tensor<16xf32>) -> tensor<8x16xf32> {
  %0 = lgc.broadcast %b dims = [1] : tensor<16xf32> to tensor<8x16xf32>
  %1 = lgc.add %x, %0 : tensor<8x16xf32>
  %2 = lgc.tanh %1 : tensor<8x16xf32>
  return %2 : tensor<8x16xf32>
}

// -----

// What costs much isn't repeated for every element of a broadcast.
// CHECK-LABEL: func.func @expensive
// CHECK: lgc.pow {{.*}}lgc.group = 0
// CHECK: lgc.broadcast {{.*}}lgc.group = 1
// CHECK: lgc.add {{.*}}lgc.group = 1
func.func @expensive(%x: tensor<1024x1024xf32>, %b: tensor<1024xf32>) -> tensor<1024x1024xf32> {
  %0 = lgc.pow %b, %b : tensor<1024xf32>
  %1 = lgc.broadcast %0 dims = [0] : tensor<1024xf32> to tensor<1024x1024xf32>
  %2 = lgc.add %x, %1 : tensor<1024x1024xf32>
  return %2 : tensor<1024x1024xf32>
}

// -----

// A softmax is one kernel with what goes before and after it.
// CHECK-LABEL: func.func @softmax
// CHECK-NOT: lgc.group = 1
// CHECK: return
func.func @softmax(%x: tensor<64x128xf32>, %s: tensor<64x128xf32>) -> tensor<64x128xf32> {
  %0 = lgc.mul %x, %s : tensor<64x128xf32>
  %1 = lgc.reduce max %0 dims = [1] : tensor<64x128xf32>
  %2 = lgc.broadcast %1 dims = [0] : tensor<64xf32> to tensor<64x128xf32>
  %3 = lgc.sub %0, %2 : tensor<64x128xf32>
  %4 = lgc.exp %3 : tensor<64x128xf32>
  %5 = lgc.reduce sum %4 dims = [1] : tensor<64x128xf32>
  %6 = lgc.broadcast %5 dims = [0] : tensor<64xf32> to tensor<64x128xf32>
  %7 = lgc.div %4, %6 : tensor<64x128xf32>
  %8 = lgc.neg %7 : tensor<64x128xf32>
  return %8 : tensor<64x128xf32>
}

// -----

// Transposes become strides of a matrix product, one copy for each.
// CHECK-LABEL: func.func @transposed
// CHECK-COUNT-2: lgc.transpose
// CHECK: lgc.dot
func.func @transposed(%x: tensor<8x16xf32>, %y: tensor<8x4xf32>, %z: tensor<8x4xf32>)
    -> (tensor<16x4xf32>, tensor<16x4xf32>) {
  %0 = lgc.transpose %x permutation = [1, 0] : tensor<8x16xf32>
  %1 = lgc.dot %0, %y batch = [] x [] contract = [1] x [0] : tensor<16x8xf32>, tensor<8x4xf32>
  %2 = lgc.dot %0, %z batch = [] x [] contract = [1] x [0] : tensor<16x8xf32>, tensor<8x4xf32>
  return %1, %2 : tensor<16x4xf32>, tensor<16x4xf32>
}

// -----

// Kernels may not wait for each other: the first and the last operation stay apart, with the
// product between them.
// CHECK-LABEL: func.func @no_cycle
// CHECK: lgc.neg {{.*}}lgc.group = 0
// CHECK: lgc.dot {{.*}}lgc.group = 1
// CHECK: lgc.add {{.*}}lgc.group = 2
func.func @no_cycle(%x: tensor<128x128xf32>) -> tensor<128x128xf32> {
  %0 = lgc.neg %x : tensor<128x128xf32>
  %1 = lgc.dot %0, %0 batch = [] x [] contract = [1] x [0] : tensor<128x128xf32>, tensor<128x128xf32>
  %2 = lgc.add %0, %1 : tensor<128x128xf32>
  return %2 : tensor<128x128xf32>
}

// -----

// Two reductions of one tensor read it once.
// CHECK-LABEL: func.func @siblings
// CHECK-NOT: lgc.group = 1
// CHECK: return
func.func @siblings(%x: tensor<256x128xf32>) -> (tensor<128xf32>, tensor<128xf32>) {
  %0 = lgc.reduce sum %x dims = [0] : tensor<256x128xf32>
  %1 = lgc.mul %x, %x : tensor<256x128xf32>
  %2 = lgc.reduce sum %1 dims = [0] : tensor<256x128xf32>
  return %0, %2 : tensor<128xf32>, tensor<128xf32>
}

// -----

// A reshape between kernels is a view, and belongs to none.
// CHECK-LABEL: func.func @view
// CHECK: lgc.reshape
// CHECK-NOT: lgc.group
// CHECK: lgc.dot {{.*}}lgc.group = 0
func.func @view(%x: tensor<4x2x8xf32>, %w: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = lgc.reshape %x : tensor<4x2x8xf32> to tensor<8x8xf32>
  %1 = lgc.dot %0, %w batch = [] x [] contract = [1] x [0] : tensor<8x8xf32>, tensor<8x8xf32>
  return %1 : tensor<8x8xf32>
}

// -----

// The backward pass computes the activation's inner values again rather than keeping them: the
// first kernel has one output.
// CHECK-LABEL: func.func @recompute
// CHECK: lgc.tanh {{.*}}lgc.group = 0
// CHECK: lgc.dot {{.*}}lgc.group = 1
// CHECK: lgc.tanh {{.*}}lgc.group = 2
// CHECK-NOT: lgc.group = 3
func.func @recompute(%x: tensor<512x512xf32>, %w: tensor<512x512xf32>) -> tensor<512x512xf32> {
  %0 = lgc.tanh %x : tensor<512x512xf32>
  %1 = lgc.mul %0, %0 : tensor<512x512xf32>
  %2 = lgc.mul %1, %x : tensor<512x512xf32>
  %3 = lgc.dot %2, %w batch = [] x [] contract = [1] x [0] : tensor<512x512xf32>, tensor<512x512xf32>
  %4 = lgc.sub %3, %1 : tensor<512x512xf32>
  %5 = lgc.mul %4, %0 : tensor<512x512xf32>
  return %5 : tensor<512x512xf32>
}
