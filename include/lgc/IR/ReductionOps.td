//===- ReductionOps.td - Reductions, scans, windows and sorting -*- tablegen -*-===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===--------------------------------------------------------------------------===//

#ifndef LGC_REDUCTION_OPS_TD
#define LGC_REDUCTION_OPS_TD

include "lgc/IR/ShapeOps.td"

class Lgc_ReducingOp<string mnemonic, list<Trait> traits = [], list<string> own = []>
    : Lgc_TensorOp<mnemonic, !listconcat(
        [DeclareOpInterfaceMethods<Lgc_ElementalOpInterface,
           ["getReductionShape", "emitInit", "emitCombine"]>], traits), own>;

def Lgc_ReduceOp : Lgc_ReducingOp<"reduce",
    [InferTypeOpAdaptor, DeclareOpInterfaceMethods<Lgc_GradientOpInterface>],
    ["getShardingRule"]> {
  let summary = "reduction over dimensions, which disappear";
  let description = [{
    `dims` are sorted and unique. The reduction of no elements is the neutral element. The
    gradient of `max` and `min` is shared equally by the elements that are largest (smallest).
  }];
  let arguments = (ins Lgc_ReductionKindAttr:$kind, Lgc_Tensor:$operand, DenseI64ArrayAttr:$dims);
  let results = (outs Lgc_Tensor:$result);
  let assemblyFormat = "$kind $operand `dims` `=` $dims attr-dict `:` type($operand)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Lgc_ArgReduceOp : Lgc_ReducingOp<"arg_reduce", [ZeroGradient, InferTypeOpAdaptor],
                                      ["getShardingRule"]> {
  let summary = "largest or smallest element along a dimension, and its index";
  let description = [{
    `kind` is max or min. The index (i64) is that of the first such element, with `last`
    that of the last one.
  }];
  let arguments = (ins Lgc_ReductionKindAttr:$kind, Lgc_NumberTensor:$operand, I64Attr:$dim,
                       UnitAttr:$last);
  let results = (outs Lgc_NumberTensor:$value, Lgc_IndexTensor:$index);
  let assemblyFormat = "$kind $operand `dim` `=` $dim (`last` $last^)? attr-dict `:` type($operand)";
  let hasVerifier = 1;
}

def Lgc_CumulativeOp : Lgc_TensorOp<"cumulative",
    [SameOperandsAndResultType, DeclareOpInterfaceMethods<Lgc_KernelOpInterface>,
     DeclareOpInterfaceMethods<Lgc_GradientOpInterface>], ["getShardingRule"]> {
  let summary = "reduction of the elements up to each one along a dimension";
  let description = [{
    With `exclusive` the element itself is left out; with `reverse` it goes from the end. The
    gradient exists for `sum`.
  }];
  let arguments = (ins Lgc_ReductionKindAttr:$kind, Lgc_NumberTensor:$operand, I64Attr:$dim,
                       UnitAttr:$exclusive, UnitAttr:$reverse);
  let results = (outs Lgc_NumberTensor:$result);
  let assemblyFormat = "$kind $operand `dim` `=` $dim (`exclusive` $exclusive^)? (`reverse` $reverse^)? attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Lgc_SortOp : Lgc_TensorOp<"sort",
    [InferTypeOpAdaptor,
     DeclareOpInterfaceMethods<Lgc_KernelOpInterface, ["getScratchBytes"]>,
     DeclareOpInterfaceMethods<Lgc_GradientOpInterface>], ["getShardingRule"]> {
  let summary = "stable sort along a dimension, with the indices (i64)";
  let description = "Ascending, or with `descending` from the largest. NaN counts as largest.";
  let arguments = (ins Lgc_NumberTensor:$operand, I64Attr:$dim, UnitAttr:$descending);
  let results = (outs Lgc_NumberTensor:$values, Lgc_IndexTensor:$indices);
  let assemblyFormat = "$operand `dim` `=` $dim (`descending` $descending^)? attr-dict `:` type($operand)";
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Windows
//===----------------------------------------------------------------------===//

// Window operations work on [batch, channels, spatial...]; their arrays have one entry per
// spatial dimension. Output position o sees the inputs o * stride - low + k * dilation.
class Lgc_WindowOp<string mnemonic, list<Trait> traits = []>
    : Lgc_ReducingOp<mnemonic, traits, ["getShardingRule"]> {
  dag windowArguments = (ins DenseI64ArrayAttr:$window, DenseI64ArrayAttr:$strides,
                             DenseI64ArrayAttr:$dilations, DenseI64ArrayAttr:$low,
                             DenseI64ArrayAttr:$high);
  let hasVerifier = 1;
}

def Lgc_ReduceWindowOp : Lgc_WindowOp<"reduce_window",
    [InferTypeOpAdaptor, DeclareOpInterfaceMethods<Lgc_GradientOpInterface>]> {
  let summary = "reduction over a sliding window: pooling";
  let description = [{
    Positions outside of the input count as the neutral element. `high` may exceed what the last
    window needs (ceiling mode). The gradient exists for `sum` and, through
    `lgc.window_argmax`, for `max`.
  }];
  let arguments = !con((ins Lgc_ReductionKindAttr:$kind, Lgc_NumberTensor:$operand), windowArguments);
  let results = (outs Lgc_NumberTensor:$result);
  let assemblyFormat = "$kind $operand `window` `=` $window `strides` `=` $strides `dilations` `=` $dilations `low` `=` $low `high` `=` $high attr-dict `:` type($operand)";
}

def Lgc_WindowArgmaxOp : Lgc_WindowOp<"window_argmax", [ZeroGradient, InferTypeOpAdaptor]> {
  let summary = "largest element of each window, and its row-major spatial index (i64)";
  let description = "The first largest one; NaN counts as largest.";
  let arguments = !con((ins Lgc_NumberTensor:$operand), windowArguments);
  let results = (outs Lgc_NumberTensor:$value, Lgc_IndexTensor:$index);
  let assemblyFormat = "$operand `window` `=` $window `strides` `=` $strides `dilations` `=` $dilations `low` `=` $low `high` `=` $high attr-dict `:` type($operand)";
}

def Lgc_WindowScatterOp : Lgc_WindowOp<"window_scatter",
    [DeclareOpInterfaceMethods<Lgc_GradientOpInterface>]> {
  let summary = "sum, at each input position, of the updates of windows that chose it";
  let description = [{
    The transpose of picking by `lgc.window_argmax`: the gradient of max pooling. `updates` and
    `indices` have the shape of the windows; the result's shape is the operand's of the pooling.
    Without `indices` every position of a window is chosen: the gradient of sum pooling.
  }];
  let arguments = !con((ins Lgc_FloatTensor:$updates, Optional<Lgc_IndexTensor>:$indices),
                       windowArguments);
  let results = (outs Lgc_FloatTensor:$result);
  let assemblyFormat = "$updates (`at` $indices^)? `window` `=` $window `strides` `=` $strides `dilations` `=` $dilations `low` `=` $low `high` `=` $high attr-dict `:` type($updates) (`,` type($indices)^)? `to` type($result)";
}

#endif // LGC_REDUCTION_OPS_TD
