//===- ElementwiseOps.td - One element in, one element out -----*- tablegen -*-===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===--------------------------------------------------------------------------===//

#ifndef LGC_ELEMENTWISE_OPS_TD
#define LGC_ELEMENTWISE_OPS_TD

include "lgc/IR/LgcAttributes.td"

class Lgc_ElementwiseOp<string mnemonic, list<Trait> traits = []>
    : Lgc_TensorOp<mnemonic, !listconcat([
        Elementwise, SameOperandsAndResultShape,
        DeclareOpInterfaceMethods<Lgc_ElementalOpInterface>], traits)>;

//===----------------------------------------------------------------------===//
// One operand
//===----------------------------------------------------------------------===//

class Lgc_UnaryOp<string mnemonic, Type tensor, list<Trait> traits = []>
    : Lgc_ElementwiseOp<mnemonic, !listconcat([SameOperandsAndResultType], traits)> {
  let arguments = (ins tensor:$operand);
  let results = (outs tensor:$result);
  let assemblyFormat = "$operand attr-dict `:` type($result)";
  let hasFolder = 1;
}

class Lgc_DifferentiableUnaryOp<string mnemonic, Type tensor>
    : Lgc_UnaryOp<mnemonic, tensor, [DeclareOpInterfaceMethods<Lgc_GradientOpInterface>]>;

def Lgc_NegOp : Lgc_DifferentiableUnaryOp<"neg", Lgc_NumberTensor> { let summary = "-x"; }
def Lgc_AbsOp : Lgc_DifferentiableUnaryOp<"abs", Lgc_NumberTensor> { let summary = "|x|"; }
def Lgc_ExpOp : Lgc_DifferentiableUnaryOp<"exp", Lgc_FloatTensor> { let summary = "e^x"; }
def Lgc_LogOp : Lgc_DifferentiableUnaryOp<"log", Lgc_FloatTensor> { let summary = "natural logarithm"; }
def Lgc_Log1pOp : Lgc_DifferentiableUnaryOp<"log1p", Lgc_FloatTensor> { let summary = "log(1 + x)"; }
def Lgc_SqrtOp : Lgc_DifferentiableUnaryOp<"sqrt", Lgc_FloatTensor> { let summary = "square root"; }
def Lgc_RsqrtOp : Lgc_DifferentiableUnaryOp<"rsqrt", Lgc_FloatTensor> { let summary = "1 / sqrt(x)"; }
def Lgc_SinOp : Lgc_DifferentiableUnaryOp<"sin", Lgc_FloatTensor> { let summary = "sine"; }
def Lgc_CosOp : Lgc_DifferentiableUnaryOp<"cos", Lgc_FloatTensor> { let summary = "cosine"; }
def Lgc_TanOp : Lgc_DifferentiableUnaryOp<"tan", Lgc_FloatTensor> { let summary = "tangent"; }
def Lgc_AsinOp : Lgc_DifferentiableUnaryOp<"asin", Lgc_FloatTensor> { let summary = "arcsine"; }
def Lgc_AcosOp : Lgc_DifferentiableUnaryOp<"acos", Lgc_FloatTensor> { let summary = "arccosine"; }
def Lgc_AtanOp : Lgc_DifferentiableUnaryOp<"atan", Lgc_FloatTensor> { let summary = "arctangent"; }
def Lgc_SinhOp : Lgc_DifferentiableUnaryOp<"sinh", Lgc_FloatTensor> { let summary = "hyperbolic sine"; }
def Lgc_CoshOp : Lgc_DifferentiableUnaryOp<"cosh", Lgc_FloatTensor> { let summary = "hyperbolic cosine"; }
def Lgc_TanhOp : Lgc_DifferentiableUnaryOp<"tanh", Lgc_FloatTensor> { let summary = "hyperbolic tangent"; }
def Lgc_AsinhOp : Lgc_DifferentiableUnaryOp<"asinh", Lgc_FloatTensor> { let summary = "inverse of sinh"; }
def Lgc_AcoshOp : Lgc_DifferentiableUnaryOp<"acosh", Lgc_FloatTensor> { let summary = "inverse of cosh"; }
def Lgc_AtanhOp : Lgc_DifferentiableUnaryOp<"atanh", Lgc_FloatTensor> { let summary = "inverse of tanh"; }
def Lgc_ErfOp : Lgc_DifferentiableUnaryOp<"erf", Lgc_FloatTensor> { let summary = "error function"; }
def Lgc_LogisticOp : Lgc_DifferentiableUnaryOp<"logistic", Lgc_FloatTensor> {
  let summary = "1 / (1 + e^-x)";
}
def Lgc_SignOp : Lgc_UnaryOp<"sign", Lgc_NumberTensor, [ZeroGradient]> {
  let summary = "-1, 0 or 1";
}
def Lgc_CeilOp : Lgc_UnaryOp<"ceil", Lgc_FloatTensor, [ZeroGradient]> {
  let summary = "least integer that is not smaller";
}
def Lgc_FloorOp : Lgc_UnaryOp<"floor", Lgc_FloatTensor, [ZeroGradient]> {
  let summary = "largest integer that is not larger";
}
def Lgc_RoundEvenOp : Lgc_UnaryOp<"round_even", Lgc_FloatTensor, [ZeroGradient]> {
  let summary = "nearest integer, ties to even";
}
def Lgc_NotOp : Lgc_UnaryOp<"not", Lgc_IntOrBoolTensor, [ZeroGradient]> {
  let summary = "complement of each bit";
}

def Lgc_IsNanOp : Lgc_ElementwiseOp<"is_nan", [ZeroGradient, InferTypeOpAdaptor]> {
  let summary = "whether each element is not a number";
  let arguments = (ins Lgc_FloatTensor:$operand);
  let results = (outs Lgc_BoolTensor:$result);
  let assemblyFormat = "$operand attr-dict `:` type($operand)";
  let hasFolder = 1;
}

def Lgc_IsInfOp : Lgc_ElementwiseOp<"is_inf", [ZeroGradient, InferTypeOpAdaptor]> {
  let summary = "whether each element is infinite";
  let arguments = (ins Lgc_FloatTensor:$operand,
                       DefaultValuedAttr<BoolAttr, "true">:$detect_negative,
                       DefaultValuedAttr<BoolAttr, "true">:$detect_positive);
  let results = (outs Lgc_BoolTensor:$result);
  let assemblyFormat = "$operand attr-dict `:` type($operand)";
  let hasFolder = 1;
}

def Lgc_CastOp : Lgc_ElementwiseOp<"cast", [DeclareOpInterfaceMethods<Lgc_GradientOpInterface>]> {
  let summary = "conversion of each element to another type";
  let description = [{
    To an integer type, truncates towards zero and wraps around (beyond 64 bits, clamps first), NaN
    becoming 0; with `saturate`, clamps to the type's range. To i1: whether the element differs
    from zero.
  }];
  let arguments = (ins Lgc_Tensor:$operand, UnitAttr:$saturate);
  let results = (outs Lgc_Tensor:$result);
  let assemblyFormat = "$operand (`saturate` $saturate^)? attr-dict `:` type($operand) `to` type($result)";
  let hasFolder = 1;
}

def Lgc_BitcastOp : Lgc_ElementwiseOp<"bitcast", [ZeroGradient]> {
  let summary = "the same bits read as another type of the same width";
  let arguments = (ins Lgc_Tensor:$operand);
  let results = (outs Lgc_Tensor:$result);
  let assemblyFormat = "$operand attr-dict `:` type($operand) `to` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

//===----------------------------------------------------------------------===//
// Two operands
//===----------------------------------------------------------------------===//

class Lgc_BinaryOp<string mnemonic, Type tensor, list<Trait> traits = []>
    : Lgc_ElementwiseOp<mnemonic, !listconcat([SameOperandsAndResultType], traits)> {
  let arguments = (ins tensor:$lhs, tensor:$rhs);
  let results = (outs tensor:$result);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` type($result)";
  let hasFolder = 1;
}

class Lgc_DifferentiableBinaryOp<string mnemonic, Type tensor, list<Trait> traits = []>
    : Lgc_BinaryOp<mnemonic, tensor, !listconcat(traits,
        [DeclareOpInterfaceMethods<Lgc_GradientOpInterface>])>;

def Lgc_AddOp : Lgc_DifferentiableBinaryOp<"add", Lgc_NumberTensor, [Commutative]> {
  let summary = "sum";
}
def Lgc_SubOp : Lgc_DifferentiableBinaryOp<"sub", Lgc_NumberTensor> { let summary = "difference"; }
def Lgc_MulOp : Lgc_DifferentiableBinaryOp<"mul", Lgc_NumberTensor, [Commutative]> {
  let summary = "product";
}
def Lgc_DivOp : Lgc_DifferentiableBinaryOp<"div", Lgc_NumberTensor> {
  let summary = "quotient; of integers, truncated towards zero";
  let description = [{
    Integer division by zero gives 0 and the smallest integer divided by -1 wraps around: no
    input can trap.
  }];
  let hasCanonicalizer = 1;
}
def Lgc_RemOp : Lgc_DifferentiableBinaryOp<"rem", Lgc_NumberTensor> {
  let summary = "remainder with the sign of the dividend";
  let description = "The remainder of an integer division by zero is 0.";
}
def Lgc_PowOp : Lgc_DifferentiableBinaryOp<"pow", Lgc_NumberTensor> {
  let summary = "power";
  let hasCanonicalizer = 1;
}
def Lgc_Atan2Op : Lgc_DifferentiableBinaryOp<"atan2", Lgc_FloatTensor> {
  let summary = "angle of the point (rhs, lhs)";
}
def Lgc_MaxOp : Lgc_DifferentiableBinaryOp<"max", Lgc_NumberTensor, [Commutative]> {
  let summary = "larger element; NaN if either is NaN";
  let description = "Where the elements are equal, each gets half of the gradient.";
}
def Lgc_MinOp : Lgc_DifferentiableBinaryOp<"min", Lgc_NumberTensor, [Commutative]> {
  let summary = "smaller element; NaN if either is NaN";
  let description = "Where the elements are equal, each gets half of the gradient.";
}
def Lgc_AndOp : Lgc_BinaryOp<"and", Lgc_IntOrBoolTensor, [Commutative, ZeroGradient]> {
  let summary = "bits that both have";
}
def Lgc_OrOp : Lgc_BinaryOp<"or", Lgc_IntOrBoolTensor, [Commutative, ZeroGradient]> {
  let summary = "bits that either has";
}
def Lgc_XorOp : Lgc_BinaryOp<"xor", Lgc_IntOrBoolTensor, [Commutative, ZeroGradient]> {
  let summary = "bits that one of both has";
}
def Lgc_ShiftLeftOp : Lgc_BinaryOp<"shift_left", Lgc_IntTensor, [ZeroGradient]> {
  let summary = "bits shifted to higher places; by the width or more gives 0";
}
def Lgc_ShiftRightOp : Lgc_BinaryOp<"shift_right", Lgc_IntTensor, [ZeroGradient]> {
  let summary = "bits shifted to lower places, keeping a signed integer's sign";
}

def Lgc_CompareOp : Lgc_ElementwiseOp<"compare",
    [ZeroGradient, SameTypeOperands, InferTypeOpAdaptor]> {
  let summary = "comparison of two elements";
  let description = "Comparisons with NaN are false, except `ne`.";
  let arguments = (ins Lgc_ComparePredicateAttr:$predicate, Lgc_Tensor:$lhs, Lgc_Tensor:$rhs);
  let results = (outs Lgc_BoolTensor:$result);
  let assemblyFormat = "$predicate $lhs `,` $rhs attr-dict `:` type($lhs)";
  let hasFolder = 1;
}

def Lgc_SelectOp : Lgc_ElementwiseOp<"select",
    [AllTypesMatch<["on_true", "on_false", "result"]>,
     DeclareOpInterfaceMethods<Lgc_GradientOpInterface>]> {
  let summary = "one of two elements";
  let arguments = (ins Lgc_BoolTensor:$condition, Lgc_Tensor:$on_true, Lgc_Tensor:$on_false);
  let results = (outs Lgc_Tensor:$result);
  let assemblyFormat = "$condition `,` $on_true `,` $on_false attr-dict `:` type($condition) `,` type($result)";
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

#endif // LGC_ELEMENTWISE_OPS_TD
