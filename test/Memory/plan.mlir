// RUN: lgc-opt %s --lgc-plan-memory --lgc-verify-memory --split-input-file | FileCheck %s

// A chain of three temporaries needs two places; the output lives from its computation on.
// CHECK: module attributes {lgc.arena_bytes = 192 : i64, lgc.arena_lower_bound = 192 : i64}
// CHECK-DAG: lgc.buffer "x" <input> : tensor<16xf32> at 0
// CHECK-DAG: lgc.buffer "y" <output> : tensor<16xf32> at {{64|128}}
// CHECK: func.func @forward(%[[ARENA:.*]]: memref<192xi8>)
// CHECK-SAME: lgc.arguments = ["x"]
// CHECK-COUNT-3: lgc.launch @transposed
func.func @forward(%x: tensor<16xf32> {lgc.name = "x", lgc.role = #lgc.role<input>})
    -> (tensor<16xf32> {lgc.name = "y"}) {
  %0 = lgc.launch @transposed(%x) : (tensor<16xf32>) -> tensor<16xf32>
  %1 = lgc.launch @transposed(%0) : (tensor<16xf32>) -> tensor<16xf32>
  %2 = lgc.launch @transposed(%1) : (tensor<16xf32>) -> tensor<16xf32>
  return %2 : tensor<16xf32>
}
func.func private @transposed(%x: tensor<16xf32>) -> tensor<16xf32> attributes {lgc.kernel} {
  %0 = lgc.reverse %x dims = [0] : tensor<16xf32>
  return %0 : tensor<16xf32>
}

// -----

// A kernel that reads in place takes over a dying temporary, never an input. Reshapes are views.
// CHECK: module attributes {lgc.arena_bytes = 128 : i64
// CHECK: func.func @forward
// CHECK: lgc.launch @neg(%{{.*}}) outs(%{{.*}} : memref<16xf32>)
// CHECK: %[[IN:.*]] = memref.view %{{.*}}[%[[AT:.*]]][]{{.*}} to memref<4x4xf32>
// CHECK: lgc.launch @neg2(
func.func @forward(%x: tensor<16xf32> {lgc.name = "x", lgc.role = #lgc.role<input>})
    -> (tensor<4x4xf32> {lgc.name = "y"}) {
  %0 = lgc.launch @neg(%x) : (tensor<16xf32>) -> tensor<16xf32>
  %1 = lgc.reshape %0 : tensor<16xf32> to tensor<4x4xf32>
  %2 = lgc.launch @neg2(%1) : (tensor<4x4xf32>) -> tensor<4x4xf32>
  return %2 : tensor<4x4xf32>
}
func.func private @neg(%x: tensor<16xf32> {lgc.inplace = array<i64: 0>}) -> tensor<16xf32>
    attributes {lgc.kernel} {
  %0 = lgc.neg %x : tensor<16xf32>
  return %0 : tensor<16xf32>
}
func.func private @neg2(%x: tensor<4x4xf32> {lgc.inplace = array<i64: 0>}) -> tensor<4x4xf32>
    attributes {lgc.kernel} {
  %0 = lgc.neg %x : tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

// -----

// A parameter is updated in place if nothing reads the old value afterwards.
// CHECK: lgc.arena_bytes = 192
// CHECK: lgc.buffer "w" <parameter> : tensor<16xf32> at 64
// CHECK-NOT: lgc.launch @copy
// CHECK: func.func private @update
func.func @train_step(%x: tensor<16xf32> {lgc.name = "x", lgc.role = #lgc.role<input>},
                      %w: tensor<16xf32> {lgc.name = "w", lgc.role = #lgc.role<parameter>})
    -> (tensor<16xf32> {lgc.name = "y"}, tensor<16xf32> {lgc.updates = "w"}) {
  %0 = lgc.launch @update(%w, %x) : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
  %1 = lgc.launch @update(%w, %0) : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
  return %0, %1 : tensor<16xf32>, tensor<16xf32>
}
func.func private @update(%w: tensor<16xf32> {lgc.inplace = array<i64: 0>}, %x: tensor<16xf32>)
    -> tensor<16xf32> attributes {lgc.kernel} {
  %0 = lgc.sub %w, %x : tensor<16xf32>
  return %0 : tensor<16xf32>
}

// -----

// Otherwise the new value waits elsewhere and is copied at the end; two states that swap go
// through memory of their own.
// CHECK: func.func @train_step
// CHECK: lgc.launch @update
// CHECK: lgc.launch @update
// CHECK-COUNT-3: lgc.launch @copy
// CHECK: return
func.func @train_step(%v: tensor<16xf32> {lgc.name = "v", lgc.role = #lgc.role<state>},
                      %w: tensor<16xf32> {lgc.name = "w", lgc.role = #lgc.role<parameter>})
    -> (tensor<16xf32> {lgc.name = "y"}, tensor<16xf32> {lgc.updates = "w"},
        tensor<16xf32> {lgc.updates = "v"}) {
  %0 = lgc.launch @update(%w, %v) : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
  %1 = lgc.launch @update(%w, %0) : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
  return %1, %0, %w : tensor<16xf32>, tensor<16xf32>, tensor<16xf32>
}
func.func private @update(%w: tensor<16xf32> {lgc.inplace = array<i64: 0>}, %x: tensor<16xf32>)
    -> tensor<16xf32> attributes {lgc.kernel} {
  %0 = lgc.sub %w, %x : tensor<16xf32>
  return %0 : tensor<16xf32>
}

// -----

// Micro-batches: pieces at offsets, one buffer for what is carried, the number stored.
// CHECK: func.func @train_step
// CHECK: lgc.launch @zero
// CHECK: scf.for %[[I:.*]] = %c0{{.*}} to %c4
// CHECK: memref.store
// CHECK: %[[SIZE:.*]] = arith.constant 512 : index
// CHECK: %[[DISTANCE:.*]] = arith.muli %[[I]], %[[SIZE]]
// CHECK: lgc.launch @accumulate
// CHECK-NOT: lgc.launch @copy
// CHECK: func.func private @zero
func.func @train_step(%x: tensor<64x8xf32> {lgc.name = "x", lgc.role = #lgc.role<input>})
    -> (tensor<8xf32> {lgc.name = "sum"}) {
  %zero = lgc.launch @zero() : () -> tensor<8xf32>
  %sum = lgc.micro_batches count = 4 batched(%x) carried(%zero)
      : (tensor<64x8xf32>, tensor<8xf32>) -> tensor<8xf32> {
  ^bb0(%i: tensor<i64>, %piece: tensor<16x8xf32>, %acc: tensor<8xf32>):
    %next = lgc.launch @accumulate(%piece, %acc, %i)
        : (tensor<16x8xf32>, tensor<8xf32>, tensor<i64>) -> tensor<8xf32>
    lgc.yield %next : tensor<8xf32>
  }
  return %sum : tensor<8xf32>
}
func.func private @zero() -> tensor<8xf32> attributes {lgc.kernel} {
  %0 = lgc.constant dense<0.0> : tensor<8xf32>
  return %0 : tensor<8xf32>
}
func.func private @accumulate(%piece: tensor<16x8xf32>,
                              %acc: tensor<8xf32> {lgc.inplace = array<i64: 0>}, %i: tensor<i64>)
    -> tensor<8xf32> attributes {lgc.kernel} {
  %s = lgc.reduce sum %piece dims = [0] : tensor<16x8xf32>
  %f = lgc.cast %i : tensor<i64> to tensor<f32>
  %b = lgc.broadcast %f dims = [] : tensor<f32> to tensor<8xf32>
  %t = lgc.add %s, %b : tensor<8xf32>
  %0 = lgc.add %acc, %t : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// Functions share named buffers; what only one of them computes may lie in the same place.
// CHECK: lgc.arena_bytes = 128
// CHECK-DAG: lgc.buffer "x" <input> : tensor<16xf32> at 0
// CHECK-DAG: lgc.buffer "y" <output> : tensor<16xf32> at 64
// CHECK-DAG: lgc.buffer "z" <output> : tensor<16xf32> at 64
func.func @forward(%x: tensor<16xf32> {lgc.name = "x", lgc.role = #lgc.role<input>})
    -> (tensor<16xf32> {lgc.name = "y"}) {
  %0 = lgc.launch @neg(%x) : (tensor<16xf32>) -> tensor<16xf32>
  return %0 : tensor<16xf32>
}
func.func @train_step(%x: tensor<16xf32> {lgc.name = "x", lgc.role = #lgc.role<input>})
    -> (tensor<16xf32> {lgc.name = "z"}) {
  %0 = lgc.launch @neg(%x) : (tensor<16xf32>) -> tensor<16xf32>
  return %0 : tensor<16xf32>
}
func.func private @neg(%x: tensor<16xf32>) -> tensor<16xf32> attributes {lgc.kernel} {
  %0 = lgc.neg %x : tensor<16xf32>
  return %0 : tensor<16xf32>
}

// -----

// Scratch memory overlaps neither inputs nor outputs of its launch.
// CHECK: lgc.arena_bytes = 1152
// CHECK: lgc.launch @sort({{.*}}) outs({{.*}}) scratch(%{{.*}} : memref<1000xi8>)
func.func @forward(%x: tensor<16xf32> {lgc.name = "x", lgc.role = #lgc.role<input>})
    -> (tensor<16xf32> {lgc.name = "y"}) {
  %0 = lgc.launch @sort(%x) : (tensor<16xf32>) -> tensor<16xf32>
  return %0 : tensor<16xf32>
}
func.func private @sort(%x: tensor<16xf32>) -> tensor<16xf32>
    attributes {lgc.kernel, lgc.scratch_bytes = 1000 : i64} {
  %0 = lgc.neg %x : tensor<16xf32>
  return %0 : tensor<16xf32>
}
