//===- LgcInterfaces.td - What every lgc operation declares ----*- tablegen -*-===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===--------------------------------------------------------------------------===//

#ifndef LGC_INTERFACES_TD
#define LGC_INTERFACES_TD

include "mlir/IR/OpBase.td"

def Lgc_ElementalOpInterface : OpInterface<"ElementalOpInterface"> {
  let cppNamespace = "::lgc";
  let description = [{
    An operation each of whose result elements is a scalar expression of operand
    elements, or the reduction of such expressions over extra loops. This one
    declaration is the lowering of the operation on every target: a target chooses the
    loops (order, vectors, threads) and asks the operation for the scalar code inside, so
    that any chain of elemental operations can become one kernel.

    Scalars have *compute type* (see `getComputeType`): f16 and bf16 elements are
    computed in f32, unsigned integers are signless of the same width (the operation
    looks at its tensor types to know), booleans are i1. Whoever writes the `read`
    function and stores the results converts at the border.
  }];
  let methods = [
    InterfaceMethod<[{
      Sizes of the reduction loops; empty when each result element is one expression.
    }], "::llvm::SmallVector<int64_t>", "getReductionShape", (ins), "", [{
      return {};
    }]>,
    InterfaceMethod<[{
      Emits, at the builder's insertion point, the scalar of each result at `indices`
      (result indices, then those of the reduction loops), all of type index. All results
      have the same shape. `read(operand, indices)` gives an element of an operand. The
      expression must not read outside of an operand, whatever the values are.
    }], "::llvm::SmallVector<::mlir::Value>", "emitElement",
      (ins "::mlir::OpBuilder &":$builder, "::mlir::ValueRange":$indices,
           "::lgc::ElementReader":$read)>,
    InterfaceMethod<[{
      Emits the start values of the accumulators of the reduction, one per result.
    }], "::llvm::SmallVector<::mlir::Value>", "emitInit",
      (ins "::mlir::OpBuilder &":$builder), "", [{
      llvm_unreachable("only reductions have start values");
    }]>,
    InterfaceMethod<[{
      Emits the combination of accumulators with what `emitElement` gave for one point of
      the reduction loops, which run in lexicographic order. The reduction of floating
      point sums may be reordered by the target.
    }], "::llvm::SmallVector<::mlir::Value>", "emitCombine",
      (ins "::mlir::OpBuilder &":$builder, "::mlir::ValueRange":$accumulators,
           "::mlir::ValueRange":$elements), "", [{
      llvm_unreachable("only reductions combine");
    }]>
  ];
}

def Lgc_KernelOpInterface : OpInterface<"KernelOpInterface"> {
  let cppNamespace = "::lgc";
  let description = [{
    An operation that needs loops of its own (sort, scan, scatter) and therefore is a
    kernel by itself, never fused. It reads and writes memrefs of its operands' and
    results' shapes; buffers don't overlap. Element types of the memrefs are signless.
  }];
  let methods = [
    InterfaceMethod<[{
      Emits loops at the builder's insertion point that fill `results` from `operands`.
      Nothing may be allocated: scratch is what `getScratchBytes` asked for.
    }], "void", "emitKernel",
      (ins "::mlir::OpBuilder &":$builder, "::mlir::ValueRange":$operands,
           "::mlir::ValueRange":$results, "::mlir::Value":$scratch)>,
    InterfaceMethod<[{
      Bytes of scratch memory (a memref<?xi8>-like flat block, 64-byte aligned) that the
      kernel needs beside operands and results.
    }], "int64_t", "getScratchBytes", (ins), "", [{ return 0; }]>
  ];
}

def Lgc_GradientOpInterface : OpInterface<"GradientOpInterface"> {
  let cppNamespace = "::lgc";
  let description = [{
    An operation with a derivative. Operations whose derivative is zero wherever it
    exists (comparisons, rounding, integer results) have the trait `ZeroGradient`
    instead; an operation with neither stops autodiff with an error.
  }];
  let methods = [
    InterfaceMethod<[{
      Builds the vector-Jacobian product with other operations of the dialect.
      `resultGradients` holds one value per result, null where the result has no
      gradient (at least one isn't null). Returns one value per operand, of the operand's
      type, null where it has none (integer operands) or where `wanted` doesn't ask.
    }], "::llvm::SmallVector<::mlir::Value>", "buildGradient",
      (ins "::mlir::OpBuilder &":$builder, "::mlir::ValueRange":$resultGradients,
           "const ::llvm::BitVector &":$wanted)>
  ];
}

def Lgc_DecompositionOpInterface : OpInterface<"DecompositionOpInterface"> {
  let cppNamespace = "::lgc";
  let description = [{
    A composite operation, kept whole for its gradient, speed or numerical safety, with
    an equal expression in smaller operations.
  }];
  let methods = [
    InterfaceMethod<[{
      Builds the decomposition before the operation; one value per result.
    }], "::llvm::SmallVector<::mlir::Value>", "decompose",
      (ins "::mlir::OpBuilder &":$builder)>
  ];
}

def Lgc_ShardingRuleOpInterface : OpInterface<"ShardingRuleOpInterface"> {
  let cppNamespace = "::lgc";
  let description = [{
    How an operation can be split over devices: an einsum-like mapping of operand and
    result dimensions to factors. The factor rule is modelled on Shardy's.
  }];
  let methods = [
    InterfaceMethod<[{
      The rule of this operation with its present shapes. By default, elementwise operations pass
      every dimension through, and others need every dimension whole.
    }], "::lgc::ShardingRuleAttr", "getShardingRule", (ins), "", [{
      return ::lgc::getDefaultShardingRule($_op.getOperation());
    }]>
  ];
}

def Lgc_ViewOpInterface : OpInterface<"ViewOpInterface"> {
  let cppNamespace = "::lgc";
  let description = [{
    An operation whose results are its operands seen in another way: between kernels it moves no
    memory.
  }];
  let methods = [
    InterfaceMethod<[{
      The operand that a result lies in the memory of, of the same number of bytes.
    }], "::mlir::OpOperand &", "getViewed", (ins "unsigned":$result)>
  ];
}

def Lgc_CostOpInterface : OpInterface<"CostOpInterface"> {
  let cppNamespace = "::lgc";
  let description = [{
    What an operation costs when it runs alone.
  }];
  let methods = [
    InterfaceMethod<[{
      Arithmetic operations on elements (FLOP; a multiply-add is two). By default one for each
      point of the operation's loops.
    }], "int64_t", "getFlops", (ins), "", [{
      return ::lgc::getDefaultFlops($_op.getOperation());
    }]>,
    InterfaceMethod<"Bytes of operands read.", "int64_t", "getBytesRead", (ins), "", [{
      return ::lgc::getTensorBytes($_op->getOperandTypes());
    }]>,
    InterfaceMethod<"Bytes of results written.", "int64_t", "getBytesWritten", (ins), "", [{
      return ::lgc::getTensorBytes($_op->getResultTypes());
    }]>
  ];
}

#endif // LGC_INTERFACES_TD
