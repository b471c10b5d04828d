//===- CheckpointOps.td - Recomputation and what shows it ------*- tablegen -*-===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===--------------------------------------------------------------------------===//

#ifndef LGC_CHECKPOINT_OPS_TD
#define LGC_CHECKPOINT_OPS_TD

include "lgc/IR/LgcDialect.td"
include "lgc/IR/LgcInterfaces.td"
include "mlir/IR/OpBase.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Lgc_ConsoleResource : Resource<"::lgc::ConsoleResource">;

def Lgc_CheckpointOp : Lgc_Op<"checkpoint",
    [IsolatedFromAbove, SingleBlock, RecursiveMemoryEffects]> {
  let summary = "a region whose inner values are recomputed for the backward pass";
  let description = [{
    Forward, the same as its body. Autodiff keeps its inputs and results, but nothing else of it: the
    backward pass runs the body again, on the inputs behind an `lgc.barrier`, and differentiates
    that. Regions nest. After autodiff all regions are inlined.

    ```mlir
    %y = lgc.checkpoint "h.0" inputs(%x, %w) : (tensor<8x4xf32>, tensor<4x4xf32>) -> tensor<8x4xf32> {
    ^bb0(%a: tensor<8x4xf32>, %b: tensor<4x4xf32>):
      %0 = lgc.dot %a, %b batch = [] x [] contract = [1] x [0] : tensor<8x4xf32>, tensor<4x4xf32>
      %1 = lgc.tanh %0 : tensor<8x4xf32>
      lgc.yield %1 : tensor<8x4xf32>
    }
    ```
  }];
  let arguments = (ins StrAttr:$name, Variadic<Lgc_Tensor>:$inputs);
  let results = (outs Variadic<Lgc_Tensor>:$results);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$name `inputs` `(` $inputs `)` attr-dict `:` functional-type($inputs, $results) $body";
  let hasRegionVerifier = 1;
}

def Lgc_BarrierOp : Lgc_Op<"barrier",
    [Pure, AttrSizedOperandSegments, DeclareOpInterfaceMethods<Lgc_ViewOpInterface>]> {
  let summary = "values that may only be used after others are computed";
  let description = [{
    The results are the `values`, but nothing takes them for the same: what is computed from
    them is not merged with what was computed from the values, and it runs after the values of
    `after`. Recomputation stands on it. It costs nothing: the results are views.

    ```mlir
    %0 = lgc.barrier(%x) after(%dy) : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
    ```
  }];
  let arguments = (ins Variadic<Lgc_Tensor>:$values, Variadic<Lgc_Tensor>:$after);
  let results = (outs Variadic<Lgc_Tensor>:$results);
  let assemblyFormat = "`(` $values `)` `after` `(` $after `)` attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
  let hasCanonicalizeMethod = 1;
}

def Lgc_EchoOp : Lgc_Op<"echo",
    [AllTypesMatch<["operand", "result"]>, MemoryEffects<[MemWrite<Lgc_ConsoleResource>]>,
     DeclareOpInterfaceMethods<Lgc_ViewOpInterface>,
     DeclareOpInterfaceMethods<Lgc_GradientOpInterface, ["buildGradient"]>]> {
  let summary = "its operand; prints a label when it runs";
  let description = [{
    Makes the order of execution visible: the label is a line on the standard output as soon as the operand is
    computed. A recomputed region prints again; gradients print nothing.

    ```mlir
    %0 = lgc.echo %x "first block" : tensor<8x4xf32>
    ```
  }];
  let arguments = (ins Lgc_Tensor:$operand, StrAttr:$label);
  let results = (outs Lgc_Tensor:$result);
  let assemblyFormat = "$operand $label attr-dict `:` type($result)";
}

def Lgc_PrintOp : Lgc_Op<"print", [MemoryEffects<[MemWrite<Lgc_ConsoleResource>]>]> {
  let summary = "prints a line";
  let description = [{
    What is left of an `lgc.echo` when memory is planned.

    ```mlir
    lgc.print "first block"
    ```
  }];
  let arguments = (ins StrAttr:$label);
  let assemblyFormat = "$label attr-dict";
}

#endif // LGC_CHECKPOINT_OPS_TD
