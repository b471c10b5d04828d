// RUN: lgc-opt %s --lgc-recompute-launches=limit=384 --lgc-plan-memory --lgc-verify-memory | FileCheck %s --check-prefix=ARENA
// RUN: lgc-opt %s --lgc-recompute-launches=limit=384 | FileCheck %s
// RUN: lgc-opt %s --lgc-recompute-launches=limit=448 | FileCheck %s --check-prefix=ENOUGH
// RUN: lgc-opt %s --lgc-recompute-launches=limit=64 | FileCheck %s --check-prefix=LEAST
// RUN: lgc-opt %s --lgc-recompute-launches | FileCheck %s --check-prefix=UNLIMITED

// %early doesn't live beside %wide: it is computed again behind it, and its view is made anew.
// ARENA: lgc.arena_bytes = 384
// CHECK: lgc.recomputation = {extra_ns = 10 : i64, is_least = false, launches = 1 : i64, step_ns = 3110 : i64}
// CHECK-LABEL: func.func @train_step(
// CHECK: %[[EARLY:.*]] = lgc.launch @exp(%[[X:.*]]) :
// CHECK-NEXT: %[[FIRST:.*]] = lgc.launch @dear(%[[EARLY]]) :
// CHECK-NEXT: %[[WIDE:.*]] = lgc.launch @widen(%[[FIRST]]) :
// CHECK-NEXT: %[[NARROW:.*]] = lgc.launch @narrow(%[[WIDE]]) :
// CHECK-NEXT: %[[AGAIN:.*]] = lgc.launch @exp(%[[X]]) :
// CHECK-NEXT: %[[VIEW:.*]] = lgc.reshape %[[AGAIN]]
// CHECK-NEXT: lgc.launch @add(%[[VIEW]], %[[NARROW]])

// ENOUGH: launches = 0
// ENOUGH-COUNT-1: lgc.launch @exp
// ENOUGH-NOT: lgc.launch @exp
// LEAST: is_least = true, launches = 1
// UNLIMITED-NOT: lgc.recomputation
func.func @train_step(%x: tensor<16xf32> {lgc.name = "x", lgc.role = #lgc.role<input>})
    -> (tensor<4x4xf32> {lgc.name = "lgc.loss"}) {
  %early = lgc.launch @exp(%x) : (tensor<16xf32>) -> tensor<16xf32>
  %view = lgc.reshape %early : tensor<16xf32> to tensor<4x4xf32>
  %first = lgc.launch @dear(%early) : (tensor<16xf32>) -> tensor<16xf32>
  %wide = lgc.launch @widen(%first) : (tensor<16xf32>) -> tensor<64xf32>
  %narrow = lgc.launch @narrow(%wide) : (tensor<64xf32>) -> tensor<4x4xf32>
  %sum = lgc.launch @add(%view, %narrow) : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  return %sum : tensor<4x4xf32>
}
func.func private @exp(%x: tensor<16xf32>) -> tensor<16xf32>
    attributes {lgc.kernel, lgc.cost_ns = 10 : i64} {
  %0 = lgc.exp %x : tensor<16xf32>
  return %0 : tensor<16xf32>
}
func.func private @dear(%x: tensor<16xf32>) -> tensor<16xf32>
    attributes {lgc.kernel, lgc.cost_ns = 1000 : i64} {
  %0 = lgc.tanh %x : tensor<16xf32>
  return %0 : tensor<16xf32>
}
func.func private @widen(%x: tensor<16xf32>) -> tensor<64xf32>
    attributes {lgc.kernel, lgc.cost_ns = 1000 : i64} {
  %0 = lgc.broadcast %x dims = [1] : tensor<16xf32> to tensor<4x16xf32>
  %1 = lgc.reshape %0 : tensor<4x16xf32> to tensor<64xf32>
  return %1 : tensor<64xf32>
}
func.func private @narrow(%x: tensor<64xf32>) -> tensor<4x4xf32>
    attributes {lgc.kernel, lgc.cost_ns = 1000 : i64} {
  %0 = lgc.slice %x starts = [0] limits = [16] strides = [1] : tensor<64xf32>
  %1 = lgc.reshape %0 : tensor<16xf32> to tensor<4x4xf32>
  return %1 : tensor<4x4xf32>
}
func.func private @add(%x: tensor<4x4xf32>, %y: tensor<4x4xf32>) -> tensor<4x4xf32>
    attributes {lgc.kernel, lgc.cost_ns = 100 : i64} {
  %0 = lgc.add %x, %y : tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}
