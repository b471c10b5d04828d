//===- Passes.td - Passes of the CPU target --------------------*- tablegen -*-===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===--------------------------------------------------------------------------===//

#ifndef LGC_TARGET_CPU_PASSES_TD
#define LGC_TARGET_CPU_PASSES_TD

include "mlir/Pass/PassBase.td"

def CpuAnnotateScratchPass : Pass<"lgc-cpu-annotate-scratch", "::mlir::ModuleOp"> {
  let summary = "say how much scratch memory each kernel needs on the CPU";
  let description = [{
    Sets `lgc.scratch_bytes` on kernels, which memory planning gives to each of their launches.

    Before:
    ```mlir
    func.func private @sort_0(%x: tensor<64xf32>) -> tensor<64xf32> attributes {lgc.kernel}
    ```
    After:
    ```mlir
    func.func private @sort_0(%x: tensor<64xf32>) -> tensor<64xf32>
        attributes {lgc.kernel, lgc.scratch_bytes = 768 : i64}
    ```
  }];
}

def CpuLowerKernelsPass : Pass<"lgc-cpu-lower-kernels", "::mlir::ModuleOp"> {
  let summary = "turn kernels on tensors into loops over buffers";
  let description = [{
    Each kernel becomes a function of its inputs', outputs' and scratch buffers and of a range of
    work items; its attribute `lgc.work` says how many items there are and how many are worth a thread.
    A kernel that a launch runs in place gets a variant whose input *is* its output, so that
    LLVM sees that equal indices are equal addresses. Nothing is allocated but small blocks on the stack.

    Before:
    ```mlir
    func.func private @scale(%x: tensor<64xf32>) -> tensor<64xf32> attributes {lgc.kernel} {
      %two = lgc.constant dense<2.0> : tensor<64xf32>
      %y = lgc.mul %x, %two : tensor<64xf32>
      return %y : tensor<64xf32>
    }
    ```
    After:
    ```mlir
    func.func private @scale(%x: memref<64xf32>, %y: memref<64xf32>, %begin: index, %end: index)
        attributes {lgc.kernel, lgc.work = array<i64: 64, 40000>} {
      %two = arith.constant 2.0 : f32
      %one = arith.constant 1 : index
      scf.for %i = %begin to %end step %one {
        %0 = memref.load %x[%i] : memref<64xf32>
        %1 = arith.mulf %0, %two : f32
        memref.store %1, %y[%i] : memref<64xf32>
      }
      return
    }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect",
                           "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect",
                           "::mlir::func::FuncDialect", "::mlir::LLVM::LLVMDialect"];
}

def CpuToLLVMPass : Pass<"lgc-cpu-to-llvm", "::mlir::ModuleOp"> {
  let summary = "lower launches and kernel loops to the LLVM dialect";
  let description = [{
    Kernels become LLVM functions of bare pointers, each with an entry
    `void kernel(ptr buffers, i64 begin, i64 end)`; a launch stores its pointers in an array on the
    stack and hands the entry to `lgc_parallel_for`. Functions on the arena become
    `lgc_<name>(ptr arena)`. `lgc.buffer` and `lgc.parameter` ops are dropped: the manifest holds them.
  }];
  let options = [
    Option<"approximateMath", "approximate-math", "bool", "true",
           "expand f32 functions to polynomials that vectorise, within a few units in the last place">
  ];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::cf::ControlFlowDialect",
                           "::mlir::arith::ArithDialect", "::mlir::vector::VectorDialect"];
}

#endif // LGC_TARGET_CPU_PASSES_TD
