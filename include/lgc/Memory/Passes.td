//===- Passes.td - Passes of memory planning -------------------*- tablegen -*-===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===--------------------------------------------------------------------------===//

#ifndef LGC_MEMORY_PASSES_TD
#define LGC_MEMORY_PASSES_TD

include "mlir/Pass/PassBase.td"

def ScheduleLaunchesPass : Pass<"lgc-schedule-launches", "::mlir::ModuleOp"> {
  let summary = "order launches so that memory is freed early";
  let description = [{
    Keeps the given order but for two moves: a launch that reads nothing but what lives anyway
    (a constant, say) goes down to its first user, and a launch that frees at least as much
    as it allocates goes up to the moment when it is ready. An optimizer's update thus
    follows its gradient, whose memory is free again before the next layer's gradients are
    computed. An update stays behind all readers of the old parameter, so that it can be written in place.

    Before:
    ```mlir
    %g2 = lgc.launch @gradient(%x, %w2) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
    %g1 = lgc.launch @gradient(%x, %w1) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
    %n1 = lgc.launch @update(%w1, %g1) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
    %n2 = lgc.launch @update(%w2, %g2) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
    ```
    After:
    ```mlir
    %g2 = lgc.launch @gradient(%x, %w2) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
    %n2 = lgc.launch @update(%w2, %g2) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
    %g1 = lgc.launch @gradient(%x, %w1) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
    %n1 = lgc.launch @update(%w1, %g1) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
    ```
  }];
}

def RecomputeLaunchesPass : Pass<"lgc-recompute-launches", "::mlir::ModuleOp"> {
  let summary = "launch again what needn't be kept, within a limit of memory";
  let description = [{
    Where `@train_step` needs more than `limit` bytes for its arena, launches run a second time just before
    a later use, so that their results needn't live in between; docs/recomputation.md says which. A launch
    is a function of its inputs, so no value changes. What writes over a parameter or state, a loop and
    an echo run once; the body of a loop over micro-batches is planned like a function.
    With a limit that can't be met, the step gets the least memory that the search reaches. Views are
    made anew where they are read.

    The module gets `lgc.recomputation`: the launches that run again, their nanoseconds, those of the whole step
    without them, and whether the search reached no less. The cost of a launch is its kernel's `lgc.cost_ns`.

    Before, where the limit leaves no room for `%early` beside `%wide`:
    ```mlir
    %early = lgc.launch @exp(%x) : (tensor<16xf32>) -> tensor<16xf32>
    %first = lgc.launch @exp(%early) : (tensor<16xf32>) -> tensor<16xf32>
    %wide = lgc.launch @widen(%first) : (tensor<16xf32>) -> tensor<64xf32>
    %narrow = lgc.launch @narrow(%wide) : (tensor<64xf32>) -> tensor<16xf32>
    %sum = lgc.launch @add(%early, %narrow) : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
    ```
    After:
    ```mlir
    %early = lgc.launch @exp(%x) : (tensor<16xf32>) -> tensor<16xf32>
    %first = lgc.launch @exp(%early) : (tensor<16xf32>) -> tensor<16xf32>
    %wide = lgc.launch @widen(%first) : (tensor<16xf32>) -> tensor<64xf32>
    %narrow = lgc.launch @narrow(%wide) : (tensor<64xf32>) -> tensor<16xf32>
    %again = lgc.launch @exp(%x) : (tensor<16xf32>) -> tensor<16xf32>
    %sum = lgc.launch @add(%again, %narrow) : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
    ```
  }];
  let options = [Option<"limit", "limit", "int64_t", "0",
                        "bytes that the arena may have; 0 leaves everything as it is">,
                 Option<"problemFile", "problem-file", "std::string", "",
                        "write the problem of the step to this file, for lgc-recomputation">];
}

def PlanMemoryPass : Pass<"lgc-plan-memory", "::mlir::ModuleOp"> {
  let summary = "give every tensor of the entry functions its place in one arena";
  let description = [{
    Inputs, parameters, states and scalars have places of their own, the same in all entry
    functions. Results and temporaries share the rest by their live ranges. A reshape is a
    view of its operand; a result takes over the memory of an operand that dies, where the
    kernel allows it (`lgc.inplace`); the new value of a parameter is written over the old one
    where nothing reads that afterwards, and is copied there at the end otherwise. A loop over micro-batches
    becomes `scf.for`, its pieces views at byte offsets, its carried values one buffer each.
    Kernels with the attribute `lgc.scratch_bytes` get that much scratch memory.

    The module gets `lgc.arena_bytes`, `lgc.arena_lower_bound` (no plan of this order is
    smaller) and an `lgc.buffer` for each named tensor.

    Before:
    ```mlir
    func.func @forward(%x: tensor<16xf32> {lgc.name = "x", lgc.role = #lgc.role<input>})
        -> (tensor<16xf32> {lgc.name = "y"}) {
      %0 = lgc.launch @exp_0(%x) : (tensor<16xf32>) -> tensor<16xf32>
      return %0 : tensor<16xf32>
    }
    ```
    After:
    ```mlir
    lgc.buffer "x" <input> : tensor<16xf32> at 0
    lgc.buffer "y" <output> : tensor<16xf32> at 64
    func.func @forward(%arena: memref<128xi8>) {
      %c0 = arith.constant 0 : index
      %x = memref.view %arena[%c0][] : memref<128xi8> to memref<16xf32>
      %c64 = arith.constant 64 : index
      %y = memref.view %arena[%c64][] : memref<128xi8> to memref<16xf32>
      lgc.launch @exp_0(%x) outs(%y : memref<16xf32>) : (memref<16xf32>) -> ()
      return
    }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect",
                           "::mlir::scf::SCFDialect"];
}

def VerifyMemoryPass : Pass<"lgc-verify-memory", "::mlir::ModuleOp"> {
  let summary = "check the contract after memory planning";
  let description = [{
    Replays each entry function on a map of the arena's bytes, without any of the
    planner's knowledge: every view lies in the arena and is aligned; a launch reads only bytes that
    a buffer's initial content or an earlier launch has written as one value that nothing has
    overwritten in part; its outputs overlap neither each other nor an input, unless the kernel can run in
    place; and after the function every named output holds one value.

    ```mlir
    func.func @forward(%arena: memref<128xi8>) {
      %c64 = arith.constant 64 : index
      %y = memref.view %arena[%c64][] : memref<128xi8> to memref<16xf32>
      // error: reads bytes 64 to 127 of the arena, which nothing has written
      lgc.launch @exp_0(%y) outs(%y : memref<16xf32>) : (memref<16xf32>) -> ()
      return
    }
    ```
  }];
}

def PoisonMemoryPass : Pass<"lgc-poison-memory", "::mlir::ModuleOp"> {
  let summary = "add a training step that overwrites what it no longer needs";
  let description = [{
    Adds `@train_step_poisoned`, the same launches as `@train_step`, with an `lgc.poison` of all bytes that hold
    nothing at its start, and, after each launch, of the bytes that nothing reads any more before they are written again. If it
    gives another loss than `@train_step`, then something reads what it mustn't. Programs run it with
    `--verify-memory`.

    ```mlir
    lgc.launch @exp_0(%x) outs(%y : memref<16xf32>) : (memref<16xf32>) -> ()
    lgc.launch @sum_1(%y) outs(%z : memref<f32>) : (memref<16xf32>) -> ()
    ```
    becomes, in the twin,
    ```mlir
    lgc.launch @exp_0(%x) outs(%y : memref<16xf32>) : (memref<16xf32>) -> ()
    lgc.launch @sum_1(%y) outs(%z : memref<f32>) : (memref<16xf32>) -> ()
    %dead = memref.view %arena[%c64][] : memref<256xi8> to memref<64xi8>
    lgc.poison %dead : memref<64xi8>
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect"];
}

#endif // LGC_MEMORY_PASSES_TD
