//===- ShapeOps.td - Constants and rearrangements --------------*- tablegen -*-===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===--------------------------------------------------------------------------===//

#ifndef LGC_SHAPE_OPS_TD
#define LGC_SHAPE_OPS_TD

include "lgc/IR/LgcAttributes.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"

class Lgc_ElementalOp<string mnemonic, list<Trait> traits = [], list<string> own = []>
    : Lgc_TensorOp<mnemonic, !listconcat(
        [DeclareOpInterfaceMethods<Lgc_ElementalOpInterface>], traits), own>;

class Lgc_DifferentiableElementalOp<string mnemonic, list<Trait> traits = [],
                                    list<string> own = []>
    : Lgc_ElementalOp<mnemonic, !listconcat(
        [DeclareOpInterfaceMethods<Lgc_GradientOpInterface>], traits), own>;

// Moves elements: no arithmetic.
class Lgc_RearrangementOp<string mnemonic, list<Trait> traits = []>
    : Lgc_DifferentiableElementalOp<mnemonic, traits, ["getShardingRule", "getFlops"]>;

def Lgc_ConstantOp : Lgc_TensorOp<"constant",
    [ConstantLike, ZeroGradient, AllTypesMatch<["value", "result"]>],
    ["getShardingRule", "getFlops"]> {
  let summary = "a tensor known at compile time";
  let arguments = (ins ElementsAttr:$value);
  let results = (outs Lgc_Tensor:$result);
  let assemblyFormat = "attr-dict $value";
  let hasFolder = 1;
}

def Lgc_IotaOp : Lgc_ElementalOp<"iota", [ZeroGradient], ["getShardingRule"]> {
  let summary = "each element is its index along a dimension";
  let arguments = (ins I64Attr:$dim);
  let results = (outs Lgc_NumberTensor:$result);
  let assemblyFormat = "`dim` `=` $dim attr-dict `:` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Lgc_ReshapeOp : Lgc_RearrangementOp<"reshape",
    [DeclareOpInterfaceMethods<Lgc_ViewOpInterface>]> {
  let summary = "the same elements in row-major order in another shape";
  let arguments = (ins Lgc_Tensor:$operand);
  let results = (outs Lgc_Tensor:$result);
  let assemblyFormat = "$operand attr-dict `:` type($operand) `to` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

def Lgc_TransposeOp : Lgc_RearrangementOp<"transpose", [InferTypeOpAdaptor]> {
  let summary = "dimensions in another order";
  let description = "Dimension `i` of the result is dimension `permutation[i]` of the operand.";
  let arguments = (ins Lgc_Tensor:$operand, DenseI64ArrayAttr:$permutation);
  let results = (outs Lgc_Tensor:$result);
  let assemblyFormat = "$operand `permutation` `=` $permutation attr-dict `:` type($operand)";
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

def Lgc_BroadcastOp : Lgc_RearrangementOp<"broadcast"> {
  let summary = "repetition along new dimensions or dimensions of size 1";
  let description = [{
    Dimension `i` of the operand becomes dimension `dims[i]` of the result (increasing) and has
    its size, or size 1. Elements repeat along all other dimensions.
  }];
  let arguments = (ins Lgc_Tensor:$operand, DenseI64ArrayAttr:$dims);
  let results = (outs Lgc_Tensor:$result);
  let assemblyFormat = "$operand `dims` `=` $dims attr-dict `:` type($operand) `to` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

def Lgc_SliceOp : Lgc_RearrangementOp<"slice", [InferTypeOpAdaptor]> {
  let summary = "a strided box of elements";
  let description = [{
    Along each dimension the elements `start, start + stride, ...` below `limit`;
    `0 <= start <= limit <= size`, `stride >= 1`.
  }];
  let arguments = (ins Lgc_Tensor:$operand, DenseI64ArrayAttr:$starts,
                       DenseI64ArrayAttr:$limits, DenseI64ArrayAttr:$strides);
  let results = (outs Lgc_Tensor:$result);
  let assemblyFormat = "$operand `starts` `=` $starts `limits` `=` $limits `strides` `=` $strides attr-dict `:` type($operand)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Lgc_PadOp : Lgc_RearrangementOp<"pad", [InferTypeOpAdaptor]> {
  let summary = "elements surrounded and spread by a constant";
  let description = [{
    Along each dimension `low` constants come before, `high` after, and `interior` between any
    two elements. None is negative.
  }];
  let arguments = (ins Lgc_Tensor:$operand, TypedAttrInterface:$value, DenseI64ArrayAttr:$low,
                       DenseI64ArrayAttr:$high, DenseI64ArrayAttr:$interior);
  let results = (outs Lgc_Tensor:$result);
  let assemblyFormat = "$operand `value` `=` $value `low` `=` $low `high` `=` $high `interior` `=` $interior attr-dict `:` type($operand)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Lgc_ConcatOp : Lgc_RearrangementOp<"concat", [InferTypeOpAdaptor]> {
  let summary = "tensors one after another along a dimension";
  let arguments = (ins Variadic<Lgc_Tensor>:$operands, I64Attr:$dim);
  let results = (outs Lgc_Tensor:$result);
  let assemblyFormat = "$operands `dim` `=` $dim attr-dict `:` type($operands)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Lgc_ReverseOp : Lgc_RearrangementOp<"reverse", [SameOperandsAndResultType]> {
  let summary = "elements in the opposite order along dimensions";
  let arguments = (ins Lgc_Tensor:$operand, DenseI64ArrayAttr:$dims);
  let results = (outs Lgc_Tensor:$result);
  let assemblyFormat = "$operand `dims` `=` $dims attr-dict `:` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

#endif // LGC_SHAPE_OPS_TD
