//===- Passes.td - Passes on the dialect by itself --------------*- tablegen -*-===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===--------------------------------------------------------------------------===//

#ifndef LGC_IR_PASSES_TD
#define LGC_IR_PASSES_TD

include "mlir/Pass/PassBase.td"

def DecomposePass : Pass<"lgc-decompose"> {
  let summary = "replace composite operations by what they stand for";
  let description = [{
    After this pass no operation has `DecompositionOpInterface`. It runs once gradients are built,
    before fusion. A sum with a scatter into zeros (the gradient of an embedding that is used
    elsewhere, too) becomes a scatter into the other summand, which needs no tensor of zeros.

    Before:
    ```mlir
    %y = lgc.log_softmax %x dim = 1 : tensor<4x8xf32>
    ```
    After:
    ```mlir
    %0 = lgc.reduce max %x dims = [1] : tensor<4x8xf32>
    %1 = lgc.broadcast %0 dims = [0] : tensor<4xf32> to tensor<4x8xf32>
    %2 = lgc.sub %x, %1 : tensor<4x8xf32>
    %3 = lgc.exp %2 : tensor<4x8xf32>
    %4 = lgc.reduce sum %3 dims = [1] : tensor<4x8xf32>
    %5 = lgc.log %4 : tensor<4xf32>
    %6 = lgc.broadcast %5 dims = [0] : tensor<4xf32> to tensor<4x8xf32>
    %y = lgc.sub %2, %6 : tensor<4x8xf32>
    ```
  }];
  let dependentDialects = ["::lgc::LgcDialect"];
}

#endif // LGC_IR_PASSES_TD
