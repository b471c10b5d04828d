//===- ContractionOps.td - Matrix products and convolutions ----*- tablegen -*-===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===--------------------------------------------------------------------------===//

#ifndef LGC_CONTRACTION_OPS_TD
#define LGC_CONTRACTION_OPS_TD

include "lgc/IR/ReductionOps.td"

def Lgc_DotOp : Lgc_ReducingOp<"dot",
    [InferTypeOpAdaptor, DeclareOpInterfaceMethods<Lgc_GradientOpInterface>],
    ["getShardingRule", "getFlops"]> {
  let summary = "sum of products over contracted dimensions, within batch dimensions";
  let description = [{
    The result has the batch dimensions (in the order of `lhs_batch`), then the free dimensions
    of the left operand, then those of the right one.

    ```mlir
    %c = lgc.dot %a, %b batch = [0] x [0] contract = [2] x [1]
        : tensor<4x8x16xf32>, tensor<4x16x32xf32>
    ```
  }];
  let arguments = (ins Lgc_NumberTensor:$lhs, Lgc_NumberTensor:$rhs,
                       DenseI64ArrayAttr:$lhs_batch, DenseI64ArrayAttr:$rhs_batch,
                       DenseI64ArrayAttr:$lhs_contract, DenseI64ArrayAttr:$rhs_contract);
  let results = (outs Lgc_NumberTensor:$result);
  let assemblyFormat = "$lhs `,` $rhs `batch` `=` $lhs_batch `x` $rhs_batch `contract` `=` $lhs_contract `x` $rhs_contract attr-dict `:` type($lhs) `,` type($rhs)";
  let hasVerifier = 1;
}

// The three convolutions are each other's gradients. Geometry: one entry per spatial
// dimension; input position = output position * stride - low + kernel position * dilation.
class Lgc_ConvolutionBase<string mnemonic, list<Trait> traits = []>
    : Lgc_ReducingOp<mnemonic, !listconcat(
        [DeclareOpInterfaceMethods<Lgc_GradientOpInterface>], traits),
        ["getShardingRule", "getFlops"]> {
  dag geometry = (ins DenseI64ArrayAttr:$strides, DenseI64ArrayAttr:$dilations,
                      DenseI64ArrayAttr:$low, DenseI64ArrayAttr:$high, I64Attr:$groups);
  let hasVerifier = 1;
}

def Lgc_ConvolutionOp : Lgc_ConvolutionBase<"convolution", [InferTypeOpAdaptor]> {
  let summary = "convolution of [N, C, spatial] with a filter [O, C / groups, kernel]";
  let arguments = !con((ins Lgc_NumberTensor:$input, Lgc_NumberTensor:$filter), geometry);
  let results = (outs Lgc_NumberTensor:$result);
  let assemblyFormat = "$input `,` $filter `strides` `=` $strides `dilations` `=` $dilations `low` `=` $low `high` `=` $high `groups` `=` $groups attr-dict `:` type($input) `,` type($filter)";
}

def Lgc_ConvolutionInputOp : Lgc_ConvolutionBase<"convolution_input"> {
  let summary = "gradient of a convolution to its input: a transposed convolution";
  let description = [{
    From `output_gradient` [N, O, output spatial] and the filter [O, C / groups, kernel] to the
    result [N, C, spatial], the shape of the convolution's input.
  }];
  let arguments = !con((ins Lgc_NumberTensor:$output_gradient, Lgc_NumberTensor:$filter), geometry);
  let results = (outs Lgc_NumberTensor:$result);
  let assemblyFormat = "$output_gradient `,` $filter `strides` `=` $strides `dilations` `=` $dilations `low` `=` $low `high` `=` $high `groups` `=` $groups attr-dict `:` type($output_gradient) `,` type($filter) `to` type($result)";
}

def Lgc_ConvolutionFilterOp : Lgc_ConvolutionBase<"convolution_filter"> {
  let summary = "gradient of a convolution to its filter";
  let arguments = !con((ins Lgc_NumberTensor:$input, Lgc_NumberTensor:$output_gradient), geometry);
  let results = (outs Lgc_NumberTensor:$result);
  let assemblyFormat = "$input `,` $output_gradient `strides` `=` $strides `dilations` `=` $dilations `low` `=` $low `high` `=` $high `groups` `=` $groups attr-dict `:` type($input) `,` type($output_gradient) `to` type($result)";
}

#endif // LGC_CONTRACTION_OPS_TD
