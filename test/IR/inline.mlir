// RUN: lgc-opt %s -inline | FileCheck %s

func.func private @square(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = lgc.mul %x, %x : tensor<4xf32>
  return %y : tensor<4xf32>
}

// CHECK-LABEL: func @caller
// CHECK-SAME: (%[[X:.*]]: tensor<4xf32>)
// CHECK-NEXT: %[[Y:.*]] = lgc.mul %[[X]], %[[X]]
// CHECK-NEXT: return %[[Y]]
func.func @caller(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = func.call @square(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}
