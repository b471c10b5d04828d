//===- Passes.td - Passes of fusion ----------------------------*- tablegen -*-===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===--------------------------------------------------------------------------===//

#ifndef LGC_FUSION_PASSES_TD
#define LGC_FUSION_PASSES_TD

include "mlir/Pass/PassBase.td"

def FusePass : Pass<"lgc-fuse", "::mlir::ModuleOp"> {
  let summary = "decide which operations run as one kernel";
  let description = [{
    Gives each operation that computes the number of its group, `lgc.group`; a group becomes one
    kernel. Groups start as single operations and merge in program order, a consumer with its
    producers and then siblings that read the same tensor, where `analyzeKernel` says that
    the result is a kernel, no cycle arises, and the cost model finds the merged kernel cheaper:
    memory traffic saved against work repeated. Operations that cost next to nothing
    (constants, broadcasts, comparisons of indices, reshapes, transposes) are copied to each of
    their users first. A reshape between kernels is no work at all and stays outside of groups.
    The choice depends on the program only, and changes no number beyond rounding.

    Before:
    ```mlir
    func.func @forward(%x: tensor<8x16xf32>, %b: tensor<16xf32>) -> tensor<8x16xf32> {
      %0 = lgc.broadcast %b dims = [1] : tensor<16xf32> to tensor<8x16xf32>
      %1 = lgc.add %x, %0 : tensor<8x16xf32>
      %2 = lgc.tanh %1 : tensor<8x16xf32>
      return %2 : tensor<8x16xf32>
    }
    ```
    After:
    ```mlir
    func.func @forward(%x: tensor<8x16xf32>, %b: tensor<16xf32>) -> tensor<8x16xf32> {
      %0 = lgc.broadcast %b dims = [1] {lgc.group = 0} : tensor<16xf32> to tensor<8x16xf32>
      %1 = lgc.add %x, %0 {lgc.group = 0} : tensor<8x16xf32>
      %2 = lgc.tanh %1 {lgc.group = 0} : tensor<8x16xf32>
      return %2 : tensor<8x16xf32>
    }
    ```
  }];
  let options = [
    Option<"fuse", "fuse", "bool", "true", "merge operations; otherwise each is a group of its own">
  ];
}

def OutlineKernelsPass : Pass<"lgc-outline-kernels", "::mlir::ModuleOp"> {
  let summary = "turn groups into launches of kernels";
  let description = [{
    Each group (see `lgc-fuse`) becomes a launch of a private function with the attribute
    `lgc.kernel`. Groups with equal bodies and shapes share one function, so that compile time follows
    the number of different layers. An argument whose memory a result may take over has the
    attribute `lgc.inplace` with the numbers of such results.

    Before:
    ```mlir
    func.func @forward(%x: tensor<8x16xf32>) -> tensor<8x16xf32> {
      %0 = lgc.neg %x {lgc.group = 0} : tensor<8x16xf32>
      %1 = lgc.tanh %0 {lgc.group = 0} : tensor<8x16xf32>
      return %1 : tensor<8x16xf32>
    }
    ```
    After:
    ```mlir
    func.func @forward(%x: tensor<8x16xf32>) -> tensor<8x16xf32> {
      %0 = lgc.launch @neg_tanh_0(%x) : (tensor<8x16xf32>) -> tensor<8x16xf32>
      return %0 : tensor<8x16xf32>
    }
    func.func private @neg_tanh_0(%x: tensor<8x16xf32> {lgc.inplace = array<i64: 0>})
        -> tensor<8x16xf32> attributes {lgc.kernel} {
      %0 = lgc.neg %x : tensor<8x16xf32>
      %1 = lgc.tanh %0 : tensor<8x16xf32>
      return %1 : tensor<8x16xf32>
    }
    ```
  }];
}

def VerifyFusionPass : Pass<"lgc-verify-fusion", "::mlir::ModuleOp"> {
  let summary = "check the contract after fusion";
  let description = [{
    Entry functions hold only launches, reshapes (views of their operand's buffer),
    micro-batch loops of them, and the return; each kernel is one that a target can emit
    (`analyzeKernel`), and its `lgc.inplace` attributes name results of the argument's size.

    ```mlir
    func.func @forward(%x: tensor<4xf32>) -> tensor<4xf32> {
      %0 = lgc.neg %x : tensor<4xf32>   // error: must be a launch after fusion
      return %0 : tensor<4xf32>
    }
    ```
  }];
}

#endif // LGC_FUSION_PASSES_TD
