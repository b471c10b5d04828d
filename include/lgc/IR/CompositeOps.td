//===- CompositeOps.td - Composites and random numbers ---------*- tablegen -*-===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===--------------------------------------------------------------------------===//

#ifndef LGC_COMPOSITE_OPS_TD
#define LGC_COMPOSITE_OPS_TD

include "lgc/IR/ShapeOps.td"

// Kept whole for their gradients (which read the result rather than every intermediate value)
// and for numerical safety; the pass `lgc-decompose` replaces them before fusion.
class Lgc_CompositeOp<string mnemonic, list<Trait> traits = []>
    : Lgc_TensorOp<mnemonic, !listconcat(
        [DeclareOpInterfaceMethods<Lgc_DecompositionOpInterface>,
         DeclareOpInterfaceMethods<Lgc_GradientOpInterface>], traits),
        ["getShardingRule", "getFlops"]>;

def Lgc_SoftmaxOp : Lgc_CompositeOp<"softmax", [SameOperandsAndResultType]> {
  let summary = "e^x divided by its sum along a dimension";
  let description = [{
    `safe` gives 0 where the quotient is not a number: in rows that a mask has filled with -inf. The
    gradient is 0 there, too.
  }];
  let arguments = (ins Lgc_FloatTensor:$operand, I64Attr:$dim, UnitAttr:$safe);
  let results = (outs Lgc_FloatTensor:$result);
  let assemblyFormat = "$operand `dim` `=` $dim (`safe` $safe^)? attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Lgc_LogSoftmaxOp : Lgc_CompositeOp<"log_softmax", [SameOperandsAndResultType]> {
  let summary = "logarithm of softmax";
  let arguments = (ins Lgc_FloatTensor:$operand, I64Attr:$dim);
  let results = (outs Lgc_FloatTensor:$result);
  let assemblyFormat = "$operand `dim` `=` $dim attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Lgc_NormalizeOp : Lgc_CompositeOp<"normalize", [InferTypeOpAdaptor]> {
  let summary = "elements less their mean, divided by their standard deviation, over dimensions";
  let description = [{
    The heart of layer, instance, group and batch normalisation, without scale and bias:
    `result = (x - mean) * rstd`, `rstd = 1 / sqrt(variance + epsilon)`, with the biased variance.
    `mean` and `rstd` have the operand's shape without `dims` (sorted), in f32 for f16 and bf16.
  }];
  let arguments = (ins Lgc_FloatTensor:$operand, DenseI64ArrayAttr:$dims, F64Attr:$epsilon);
  let results = (outs Lgc_FloatTensor:$result, Lgc_FloatTensor:$mean, Lgc_FloatTensor:$rstd);
  let assemblyFormat = "$operand `dims` `=` $dims `epsilon` `=` $epsilon attr-dict `:` type($operand)";
  let hasVerifier = 1;
}

def Lgc_RmsNormalizeOp : Lgc_CompositeOp<"rms_normalize", [InferTypeOpAdaptor]> {
  let summary = "elements divided by their root mean square over dimensions";
  let description = [{
    `result = x * rstd`, `rstd = 1 / sqrt(mean(x^2) + epsilon)`; `rstd` as for `lgc.normalize`.
  }];
  let arguments = (ins Lgc_FloatTensor:$operand, DenseI64ArrayAttr:$dims, F64Attr:$epsilon);
  let results = (outs Lgc_FloatTensor:$result, Lgc_FloatTensor:$rstd);
  let assemblyFormat = "$operand `dims` `=` $dims `epsilon` `=` $epsilon attr-dict `:` type($operand)";
  let hasVerifier = 1;
}

def Lgc_CrossEntropyOp : Lgc_CompositeOp<"cross_entropy", [InferTypeOpAdaptor]> {
  let summary = "negative log-likelihood of labels under softmax, one for each position";
  let description = [{
    `labels` have the shape of the logits without `dim`. Where a label is `ignore_index`, the loss
    is 0 and so is the gradient. `log_sum_exp` is kept for the gradient, in f32 for f16 and bf16.
  }];
  let arguments = (ins Lgc_FloatTensor:$logits, Lgc_IndexTensor:$labels, I64Attr:$dim,
                       OptionalAttr<I64Attr>:$ignore_index);
  let results = (outs Lgc_FloatTensor:$loss, Lgc_FloatTensor:$log_sum_exp);
  let assemblyFormat = "$logits `,` $labels `dim` `=` $dim (`ignore_index` `=` $ignore_index^)? attr-dict `:` type($logits) `,` type($labels)";
  let hasVerifier = 1;
}

def Lgc_AttentionOp : Lgc_CompositeOp<"attention", [InferTypeOpAdaptor]> {
  let summary = "softmax(scale * query key^T + bias) value, for each head";
  let description = [{
    `query` is [batch..., Q, D], `key` [batch..., K, D], `value` [batch..., K, E]; `bias` (added to the
    scores; -inf masks) is broadcastable to [batch..., Q, K]. With `causal`, query i sees keys
    j <= i + K - Q. The result is [batch..., Q, E]; `log_sum_exp` [batch..., Q] is kept for the gradient.
  }];
  let arguments = (ins Lgc_FloatTensor:$query, Lgc_FloatTensor:$key, Lgc_FloatTensor:$value,
                       Optional<Lgc_FloatTensor>:$bias, F64Attr:$scale, UnitAttr:$causal);
  let results = (outs Lgc_FloatTensor:$result, Lgc_FloatTensor:$log_sum_exp);
  let assemblyFormat = "$query `,` $key `,` $value (`bias` $bias^)? `scale` `=` $scale (`causal` $causal^)? attr-dict `:` type($query) `,` type($key) `,` type($value) (`,` type($bias)^)?";
  let hasVerifier = 1;
}

def Lgc_RandomUniformOp : Lgc_ElementalOp<"random_uniform", [ZeroGradient]> {
  let summary = "random numbers in [0, 1) that depend on nothing but key and index";
  let description = [{
    Philox 4x32-10 (Salmon et al., SC'11) keyed by the seed, with a counter made of the step, the
    `stream` (one number per random operation of the model) and the element's row-major index in
    the whole tensor: recomputing or splitting the operation gives the same numbers.
  }];
  let arguments = (ins Lgc_KeyTensor:$seed, Lgc_KeyTensor:$step, I64Attr:$stream);
  let results = (outs Lgc_FloatTensor:$result);
  let assemblyFormat = "$seed `,` $step `stream` `=` $stream attr-dict `:` type($result)";
}

#endif // LGC_COMPOSITE_OPS_TD
