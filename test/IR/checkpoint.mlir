// RUN: lgc-opt %s | lgc-opt - | FileCheck %s
// RUN: lgc-opt %s -cse -canonicalize | FileCheck %s --check-prefix=SIMPLE

// CHECK-LABEL: @region
func.func @region(%x: tensor<4xf32>, %w: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: lgc.checkpoint "h.0" inputs(%{{.*}}, %{{.*}}) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> {
  %0 = lgc.checkpoint "h.0" inputs(%x, %w) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>, %b: tensor<4xf32>):
    %1 = lgc.mul %a, %b : tensor<4xf32>
    // CHECK: lgc.yield %{{.*}} : tensor<4xf32>
    lgc.yield %1 : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}

// What is computed behind the barrier isn't merged with what was computed before it; a value that nothing
// uses behind it is dropped.
// CHECK-LABEL: @barrier
// SIMPLE-LABEL: @barrier
// SIMPLE-SAME: (%[[X:.*]]: tensor<4xf32>, %{{.*}}: tensor<4xf32>, %[[D:.*]]: tensor<4xf32>)
func.func @barrier(%x: tensor<4xf32>, %y: tensor<4xf32>, %d: tensor<4xf32>)
    -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = lgc.tanh %x : tensor<4xf32>
  // CHECK: lgc.barrier(%{{.*}}, %{{.*}}) after(%{{.*}}) : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  // SIMPLE: %[[AGAIN:.*]] = lgc.barrier(%[[X]]) after(%[[D]])
  // SIMPLE: lgc.tanh %[[AGAIN]]
  %1:2 = lgc.barrier(%x, %y) after(%d) : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  %2 = lgc.tanh %1#0 : tensor<4xf32>
  return %0, %2 : tensor<4xf32>, tensor<4xf32>
}

// An echo stays although nothing reads its result, and two of them stay two.
// CHECK-LABEL: @echo
// SIMPLE-LABEL: @echo
func.func @echo(%x: tensor<4xf32>) {
  // CHECK: lgc.echo %{{.*}} "first" : tensor<4xf32>
  // SIMPLE-COUNT-2: lgc.echo
  %0 = lgc.echo %x "first" : tensor<4xf32>
  %1 = lgc.echo %x "first" : tensor<4xf32>
  // CHECK: lgc.print "planned"
  // SIMPLE: lgc.print
  lgc.print "planned"
  return
}
