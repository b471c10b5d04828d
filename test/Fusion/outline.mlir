// RUN: lgc-opt %s --lgc-fuse --lgc-outline-kernels --lgc-verify-fusion --split-input-file | FileCheck %s

// Equal layers share a kernel; an argument that is read in place says so.
// CHECK-LABEL: func.func @layers
// CHECK: %[[X:.*]] = lgc.launch @[[DOT:dot_[0-9]+]](
// CHECK: %[[Y:.*]] = lgc.launch @[[ACT:add_tanh_[0-9]+]](
// CHECK: lgc.launch @[[DOT]](
// CHECK: lgc.launch @[[ACT]](
// CHECK: func.func private @[[DOT]](
// CHECK: func.func private @[[ACT]]({{.*}}tensor<16xf32>, {{.*}}tensor<8x16xf32> {lgc.inplace = array<i64: 0>})
// CHECK-SAME: attributes {lgc.cost_ns = {{[0-9]+}} : i64, lgc.kernel}
func.func @layers(%x: tensor<8x16xf32>, %w: tensor<16x16xf32>, %b: tensor<16xf32>) -> tensor<8x16xf32> {
  %0 = lgc.dot %x, %w batch = [] x [] contract = [1] x [0] : tensor<8x16xf32>, tensor<16x16xf32>
  %1 = lgc.broadcast %b dims = [1] : tensor<16xf32> to tensor<8x16xf32>
  %2 = lgc.add %0, %1 : tensor<8x16xf32>
  %3 = lgc.tanh %2 : tensor<8x16xf32>
  %4 = lgc.dot %3, %w batch = [] x [] contract = [1] x [0] : tensor<8x16xf32>, tensor<16x16xf32>
  %5 = lgc.broadcast %b dims = [1] : tensor<16xf32> to tensor<8x16xf32>
  %6 = lgc.add %4, %5 : tensor<8x16xf32>
  %7 = lgc.tanh %6 : tensor<8x16xf32>
  return %7 : tensor<8x16xf32>
}

// -----

// Bodies of equal structure but another attribute or shape are other kernels.
// CHECK-LABEL: func.func @different
// CHECK: lgc.launch @[[A:reduce_[0-9]+]](
// CHECK-NOT: lgc.launch @[[A]](
func.func @different(%x: tensor<8x16xf32>, %y: tensor<16x8xf32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<16xf32>) {
  %0 = lgc.reduce sum %x dims = [1] : tensor<8x16xf32>
  %1 = lgc.reduce max %x dims = [1] : tensor<8x16xf32>
  %2 = lgc.reduce sum %y dims = [1] : tensor<16x8xf32>
  return %0, %1, %2 : tensor<8xf32>, tensor<8xf32>, tensor<16xf32>
}

// -----

// Micro-batches stay a loop, with launches inside.
// CHECK-LABEL: func.func @loop
// CHECK: lgc.micro_batches count = 4
// CHECK: lgc.launch @reduce_add_{{[0-9]+}}
// CHECK-NEXT: lgc.yield
func.func @loop(%x: tensor<64x8xf32>, %zero: tensor<8xf32>) -> tensor<8xf32> {
  %sum = lgc.micro_batches count = 4 batched(%x) carried(%zero)
      : (tensor<64x8xf32>, tensor<8xf32>) -> tensor<8xf32> {
  ^bb0(%i: tensor<i64>, %piece: tensor<16x8xf32>, %acc: tensor<8xf32>):
    %s = lgc.reduce sum %piece dims = [0] : tensor<16x8xf32>
    %next = lgc.add %acc, %s : tensor<8xf32>
    lgc.yield %next : tensor<8xf32>
  }
  return %sum : tensor<8xf32>
}

// -----

// An argument that a later stage of the loops reads again can't be overwritten by what an earlier
// one stores.
// CHECK-LABEL: func.func private @{{.*}}reduce
// CHECK-NOT: lgc.inplace = array<i64: 0, 1>
func.func @stages(%x: tensor<64x128xf32>) -> (tensor<64x128xf32>, tensor<64x128xf32>) {
  %0 = lgc.exp %x : tensor<64x128xf32>
  %1 = lgc.reduce sum %0 dims = [1] : tensor<64x128xf32>
  %2 = lgc.broadcast %1 dims = [0] : tensor<64xf32> to tensor<64x128xf32>
  %3 = lgc.div %x, %2 : tensor<64x128xf32>
  return %0, %3 : tensor<64x128xf32>, tensor<64x128xf32>
}
