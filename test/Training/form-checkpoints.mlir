// RUN: lgc-opt %s --lgc-form-checkpoints=patterns=layer.* | FileCheck %s
// RUN: lgc-opt %s --lgc-form-checkpoints=patterns=layer.*.act,layer.* | FileCheck %s --check-prefix=NESTED
// RUN: lgc-opt %s --lgc-form-checkpoints | FileCheck %s --check-prefix=FILE
// RUN: lgc-opt %s --lgc-form-checkpoints=patterns=layer.*/* | FileCheck %s --check-prefix=PARTS
// RUN: not lgc-opt %s --lgc-form-checkpoints=patterns=block.* 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not lgc-opt %s "--lgc-form-checkpoints=patterns=layer.[" 2>&1 | FileCheck %s --check-prefix=GLOB

// NONE: error: can't recompute 'block.*': no node's name or module path starts so; names are such as layer.0.act
// GLOB: error: can't recompute 'layer.[': {{.*}}; write a pattern such as model.layers.*

// One region for each layer. What lies between joins the first, what waits for it comes after it, and the
// constant that both read is copied.
// CHECK-LABEL: func.func @training_forward
// CHECK-SAME: (%[[X:.*]]: tensor<4xf32>
// CHECK: %[[FIRST:.*]]:2 = lgc.checkpoint "layer.0" inputs(%[[X]])
// CHECK: ^bb0(%[[A:.*]]: tensor<4xf32>):
// CHECK: %[[TANH:.*]] = lgc.tanh %[[A]]
// CHECK: %[[NEG:.*]] = lgc.neg %[[TANH]]
// CHECK: lgc.constant dense<2.0
// CHECK: lgc.mul
// CHECK: lgc.yield
// CHECK: lgc.exp %[[FIRST]]#
// CHECK: lgc.checkpoint "layer.1" inputs(%[[FIRST]]#
// CHECK: lgc.constant dense<2.0
// CHECK: lgc.tanh

// NESTED: lgc.checkpoint "layer.0" inputs
// NESTED: lgc.checkpoint "layer.0.act" inputs
// NESTED: lgc.tanh
// NESTED: lgc.yield
// NESTED: lgc.yield
// NESTED: lgc.checkpoint "layer.1" inputs
// NESTED: lgc.checkpoint "layer.1.act" inputs

// FILE: lgc.checkpoint "outer" inputs
// FILE: lgc.checkpoint "outer/inner" inputs
// FILE: lgc.exp
// FILE-NOT: lgc.checkpoint

// PARTS: lgc.checkpoint "layer.0.act" inputs
// PARTS: lgc.checkpoint "layer.0.scale" inputs
func.func @training_forward(%x: tensor<4xf32> {lgc.name = "x", lgc.role = #lgc.role<input>})
    -> (tensor<4xf32> {lgc.name = "y"}, tensor<4xf32> {lgc.name = "z"}) {
  %two = lgc.constant dense<2.0> : tensor<4xf32>
  %0 = lgc.tanh %x : tensor<4xf32> loc("layer.0.act")
  %1 = lgc.neg %0 : tensor<4xf32>
  %side = lgc.exp %0 : tensor<4xf32> loc(fused<"outer/inner">["side"])
  %2 = lgc.mul %1, %two : tensor<4xf32> loc(fused["node_mul", "layer.0.scale"])
  %3 = lgc.add %2, %two : tensor<4xf32> loc("layer.1.scale")
  %4 = lgc.tanh %3 : tensor<4xf32> loc("layer.1.act")
  return %4, %side : tensor<4xf32>, tensor<4xf32>
}
