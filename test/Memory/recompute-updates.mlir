// RUN: lgc-opt %s --lgc-recompute-launches=limit=512 | FileCheck %s
// RUN: lgc-opt %s --lgc-recompute-launches=limit=512 --lgc-plan-memory --lgc-verify-memory | FileCheck %s --check-prefix=ARENA
// RUN: lgc-opt %s "--lgc-recompute-launches=limit=512 problem-file=%t.json" -o /dev/null
// RUN: FileCheck %s --check-prefix=PROBLEM < %t.json

// The kernel that normalizes also advances the mean that is kept of all batches. Its repetition
// only normalizes, and doesn't read that mean, which is written over by then.
// ARENA: lgc.arena_bytes = 512
// CHECK: launches = 1
// CHECK-LABEL: func.func @train_step(
// CHECK-SAME: %[[X:.*]]: tensor<16xf32>
// CHECK: %[[FIRST:.*]]:2 = lgc.launch @normalize(%[[X]], %{{.*}})
// CHECK: lgc.launch @narrow
// CHECK-NEXT: %[[AGAIN:.*]] = lgc.launch @normalize.results_1(%[[X]]) : (tensor<16xf32>) -> tensor<16xf32>
// CHECK-NEXT: %[[SUM:.*]] = lgc.launch @add(%[[AGAIN]],
// CHECK-NEXT: return %[[SUM]], %[[FIRST]]#0
// CHECK-LABEL: func.func private @normalize.results_1(
// CHECK-SAME: %{{.*}}: tensor<16xf32> {lgc.inplace = array<i64: 0>}) -> tensor<16xf32>
// CHECK-NOT: lgc.add
// CHECK: lgc.sub

// PROBLEM: "once_reads":[{{[0-9]+}}],"once_writes":[{{[0-9]+}}]
func.func @train_step(%x: tensor<16xf32> {lgc.name = "x", lgc.role = #lgc.role<input>},
                      %mean: tensor<1xf32> {lgc.name = "mean", lgc.role = #lgc.role<state>})
    -> (tensor<16xf32> {lgc.name = "lgc.loss"}, tensor<1xf32> {lgc.updates = "mean"}) {
  %early:2 = lgc.launch @normalize(%x, %mean)
      : (tensor<16xf32>, tensor<1xf32>) -> (tensor<1xf32>, tensor<16xf32>)
  %wide = lgc.launch @widen(%early#1) : (tensor<16xf32>) -> tensor<64xf32>
  %narrow = lgc.launch @narrow(%wide) : (tensor<64xf32>) -> tensor<16xf32>
  %sum = lgc.launch @add(%early#1, %narrow) : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
  return %sum, %early#0 : tensor<16xf32>, tensor<1xf32>
}
func.func private @normalize(%x: tensor<16xf32> {lgc.inplace = array<i64: 1>}, %mean: tensor<1xf32>)
    -> (tensor<1xf32>, tensor<16xf32>) attributes {lgc.kernel, lgc.cost_ns = 10 : i64} {
  %sum = lgc.reduce sum %x dims = [0] : tensor<16xf32>
  %vector = lgc.reshape %sum : tensor<f32> to tensor<1xf32>
  %new = lgc.add %mean, %vector : tensor<1xf32>
  %wide = lgc.broadcast %sum dims = [] : tensor<f32> to tensor<16xf32>
  %centred = lgc.sub %x, %wide : tensor<16xf32>
  return %new, %centred : tensor<1xf32>, tensor<16xf32>
}
func.func private @widen(%x: tensor<16xf32>) -> tensor<64xf32>
    attributes {lgc.kernel, lgc.cost_ns = 1000 : i64} {
  %0 = lgc.broadcast %x dims = [1] : tensor<16xf32> to tensor<4x16xf32>
  %1 = lgc.reshape %0 : tensor<4x16xf32> to tensor<64xf32>
  return %1 : tensor<64xf32>
}
func.func private @narrow(%x: tensor<64xf32>) -> tensor<16xf32>
    attributes {lgc.kernel, lgc.cost_ns = 1000 : i64} {
  %0 = lgc.slice %x starts = [0] limits = [16] strides = [1] : tensor<64xf32>
  return %0 : tensor<16xf32>
}
func.func private @add(%x: tensor<16xf32>, %y: tensor<16xf32> {lgc.inplace = array<i64: 0>})
    -> tensor<16xf32> attributes {lgc.kernel, lgc.cost_ns = 1000 : i64} {
  %0 = lgc.add %x, %y : tensor<16xf32>
  return %0 : tensor<16xf32>
}
