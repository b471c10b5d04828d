// RUN: lgc-opt %s | lgc-opt - | FileCheck %s
// RUN: lgc-opt %s -mlir-print-op-generic | lgc-opt - | FileCheck %s

// CHECK: lgc.parameter @fc.weight <parameter> : tensor<2x3xf32> = dense<1.000000e-01> : tensor<2x3xf32>
lgc.parameter @fc.weight <parameter> : tensor<2x3xf32> = dense<0.1> : tensor<2x3xf32>
// CHECK: lgc.parameter @"layer/norm:0" <parameter> frozen : tensor<4xf32> = 1.000000e+00 : f32
lgc.parameter @"layer/norm:0" <parameter> frozen : tensor<4xf32> = 1.0 : f32
// CHECK: lgc.parameter @wte <parameter> : tensor<8x4xf32> = #lgc.external_data<file = "model.onnx.data", offset = 4096, length = 128> {initializers = {{\[}}["wte"], ["head", [1, 0]]]}
lgc.parameter @wte <parameter> : tensor<8x4xf32> = #lgc.external_data<file = "model.onnx.data", offset = 4096, length = 128> {initializers = [["wte"], ["head", [1, 0]]]}
// CHECK: lgc.parameter @steps <state> : tensor<i64> = 0 : i64
lgc.parameter @steps <state> : tensor<i64> = 0 : i64

// CHECK-LABEL: func @attributes
// CHECK-SAME: {lgc.name = "x", lgc.role = #lgc.role<input>}
// CHECK-SAME: (tensor<4xf32> {lgc.name = "y"})
func.func @attributes(%x: tensor<4xf32> {lgc.name = "x", lgc.role = #lgc.role<input>}) -> (tensor<4xf32> {lgc.name = "y"}) {
  return %x : tensor<4xf32>
}

// CHECK-LABEL: func @micro_batches
func.func @micro_batches(%x: tensor<64x8xf32>, %zero: tensor<8xf32>) -> tensor<8xf32> {
  // CHECK: lgc.micro_batches count = 4 batched(%{{.*}}) carried(%{{.*}}) : (tensor<64x8xf32>, tensor<8xf32>) -> tensor<8xf32> {
  %sum = lgc.micro_batches count = 4 batched(%x) carried(%zero)
      : (tensor<64x8xf32>, tensor<8xf32>) -> tensor<8xf32> {
  // CHECK-NEXT: ^bb0(%{{.*}}: tensor<i64>, %{{.*}}: tensor<16x8xf32>, %{{.*}}: tensor<8xf32>):
  ^bb0(%i: tensor<i64>, %piece: tensor<16x8xf32>, %acc: tensor<8xf32>):
    %s = lgc.reduce sum %piece dims = [0] : tensor<16x8xf32>
    %next = lgc.add %acc, %s : tensor<8xf32>
    // CHECK: lgc.yield %{{.*}} : tensor<8xf32>
    lgc.yield %next : tensor<8xf32>
  }
  return %sum : tensor<8xf32>
}

func.func private @kernel(%x: tensor<8xf32>) -> tensor<8xf32> attributes {lgc.kernel} {
  %y = lgc.exp %x : tensor<8xf32>
  return %y : tensor<8xf32>
}

// CHECK-LABEL: func @launch
func.func @launch(%x: tensor<8xf32>) -> tensor<8xf32> {
  // CHECK: lgc.launch @kernel(%{{.*}}) : (tensor<8xf32>) -> tensor<8xf32>
  %y = lgc.launch @kernel(%x) : (tensor<8xf32>) -> tensor<8xf32>
  return %y : tensor<8xf32>
}

// CHECK-LABEL: func @launch_of_buffers
func.func @launch_of_buffers(%x: memref<8xf32>, %y: memref<8xf32>, %s: memref<64xi8>) {
  // CHECK: lgc.launch @kernel(%{{.*}}) outs(%{{.*}} : memref<8xf32>) : (memref<8xf32>) -> ()
  lgc.launch @kernel(%x) outs(%y : memref<8xf32>) : (memref<8xf32>) -> ()
  // CHECK: lgc.launch @kernel(%{{.*}}) outs(%{{.*}} : memref<8xf32>) scratch(%{{.*}} : memref<64xi8>) : (memref<8xf32>) -> ()
  lgc.launch @kernel(%x) outs(%y : memref<8xf32>) scratch(%s : memref<64xi8>) : (memref<8xf32>) -> ()
  return
}

// CHECK: lgc.buffer "fc.weight" <parameter> : tensor<2x3xf32> at 4096
lgc.buffer "fc.weight" <parameter> : tensor<2x3xf32> at 4096
