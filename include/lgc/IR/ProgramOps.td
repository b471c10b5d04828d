//===- ProgramOps.td - Parameters, micro-batches and launches --*- tablegen -*-===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===--------------------------------------------------------------------------===//

#ifndef LGC_PROGRAM_OPS_TD
#define LGC_PROGRAM_OPS_TD

include "lgc/IR/LgcAttributes.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"

def Lgc_ParameterOp : Lgc_Op<"parameter", [Symbol]> {
  let summary = "a tensor that outlives the step: a parameter or a state";
  let description = [{
    Declares a parameter (or a running statistic, an optimizer's moment) by name with its type
    and initial value: elements, bytes of a file, or one number for all elements. A function takes
    it as an argument with the same `lgc.name` and role, and gives the new value as a result with
    `lgc.updates`.

    `initializers` names the ONNX initializers that the trained value is written back to; each is an
    array of the name and, where the initializer is a transpose, the permutation.

    ```mlir
    lgc.parameter @"fc.weight" parameter : tensor<10x64xf32> = dense<0.1> : tensor<10x64xf32>
    lgc.parameter @"wte" parameter : tensor<50257x768xf32>
        = #lgc.external_data<file = "gpt2.onnx.data", offset = 0, length = 154389504>
    lgc.parameter @"fc.weight.m" state : tensor<10x64xf32> = 0.0 : f32
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, Lgc_RoleAttr:$role, TypeAttr:$type,
                       AnyAttr:$initial, UnitAttr:$frozen, OptionalAttr<ArrayAttr>:$initializers,
                       OptionalAttr<StrAttr>:$sym_visibility);
  let assemblyFormat = "$sym_name $role (`frozen` $frozen^)? `:` $type `=` $initial attr-dict";
  let hasVerifier = 1;
}

def Lgc_MicroBatchesOp : Lgc_Op<"micro_batches",
    [AttrSizedOperandSegments, SingleBlock, RecursiveMemoryEffects]> {
  let summary = "a loop over micro-batches";
  let description = [{
    Runs the body `count` times. `batched` operands are split into `count` equal pieces along
    dimension 0. The body's arguments are the number of the micro-batch (an i64 scalar, from 0), one
    piece of each batched operand, and the carried values; it yields the next carried values, and the
    last ones are the results. Sums over micro-batches are carried values that start at zero.

    ```mlir
    %sum = lgc.micro_batches count = 4 batched(%x) carried(%zero)
        : (tensor<64x8xf32>, tensor<8xf32>) -> tensor<8xf32> {
    ^bb0(%i: tensor<i64>, %piece: tensor<16x8xf32>, %acc: tensor<8xf32>):
      %s = lgc.reduce sum %piece dims = [0] : tensor<16x8xf32>
      %next = lgc.add %acc, %s : tensor<8xf32>
      lgc.yield %next : tensor<8xf32>
    }
    ```
  }];
  let arguments = (ins I64Attr:$count, Variadic<Lgc_Tensor>:$batched, Variadic<Lgc_Tensor>:$carried);
  let results = (outs Variadic<Lgc_Tensor>:$results);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "`count` `=` $count `batched` `(` $batched `)` `carried` `(` $carried `)` attr-dict `:` functional-type(operands, $results) $body";
  let hasRegionVerifier = 1;
  let hasVerifier = 1;
}

def Lgc_YieldOp : Lgc_Op<"yield", [Pure, Terminator, ParentOneOf<["MicroBatchesOp", "CheckpointOp"]>]> {
  let summary = "the carried values for the next micro-batch, or the results of a region";
  let arguments = (ins Variadic<Lgc_Tensor>:$values);
  let assemblyFormat = "attr-dict ($values^ `:` type($values))?";
}

def Lgc_BufferOp : Lgc_Op<"buffer"> {
  let summary = "where a named tensor of the program lies in the arena";
  let description = [{
    Written when memory is planned, one for each input, parameter, state, scalar and output. `offset`
    is in bytes.

    ```mlir
    lgc.buffer "fc.weight" <parameter> : tensor<10x64xf32> at 4096
    ```
  }];
  let arguments = (ins StrAttr:$name, Lgc_RoleAttr:$role, TypeAttr:$type, I64Attr:$offset);
  let assemblyFormat = "$name $role `:` $type `at` $offset attr-dict";
}

// A launch's operands are tensors before memory is planned and memrefs after.
def Lgc_LaunchValue : AnyTypeOf<[Lgc_Tensor, StaticShapeMemRefOf<[AnyType]>]>;

def Lgc_LaunchOp : Lgc_Op<"launch", [AttrSizedOperandSegments,
    DeclareOpInterfaceMethods<SymbolUserOpInterface>,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "one run of a kernel";
  let description = [{
    Before memory is planned, `outputs` and `scratch` are absent and the results are the kernel's
    results. After, there are no results: the kernel reads `inputs` and fills `outputs`, views into
    the arena, using `scratch`.

    ```mlir
    %y = lgc.launch @gelu(%x) : (tensor<8x16xf32>) -> tensor<8x16xf32>
    lgc.launch @gelu(%x) outs(%y : memref<8x16xf32>) : (memref<8x16xf32>) -> ()
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$kernel, Variadic<Lgc_LaunchValue>:$inputs,
                       Variadic<Lgc_LaunchValue>:$outputs, Optional<MemRefRankOf<[I8], [1]>>:$scratch);
  let results = (outs Variadic<Lgc_LaunchValue>:$results);
  let assemblyFormat = "$kernel `(` $inputs `)` (`outs` `(` $outputs^ `:` type($outputs) `)`)? (`scratch` `(` $scratch^ `:` type($scratch) `)`)? attr-dict `:` functional-type($inputs, $results)";
}

def Lgc_PoisonOp : Lgc_Op<"poison"> {
  let summary = "fills memory with bytes that make NaN of any floating-point number";
  let description = [{
    ```mlir
    lgc.poison %dead : memref<64xi8>
    ```
  }];
  let arguments = (ins Arg<MemRefRankOf<[I8], [1]>, "what is overwritten", [MemWrite]>:$memory);
  let assemblyFormat = "$memory attr-dict `:` type($memory)";
}

#endif // LGC_PROGRAM_OPS_TD
