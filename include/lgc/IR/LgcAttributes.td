//===- LgcAttributes.td - Attributes of the lgc dialect --------*- tablegen -*-===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===--------------------------------------------------------------------------===//

#ifndef LGC_ATTRIBUTES_TD
#define LGC_ATTRIBUTES_TD

include "lgc/IR/LgcDialect.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"

class Lgc_Enum<string name, string description, list<I32EnumCase> cases>
    : I32Enum<name, description, cases> {
  let cppNamespace = "::lgc";
}

def Lgc_ReductionKind : Lgc_Enum<"ReductionKind", "how elements are reduced", [
  I32EnumCase<"Sum", 0, "sum">, I32EnumCase<"Product", 1, "product">,
  I32EnumCase<"Max", 2, "max">, I32EnumCase<"Min", 3, "min">,
  I32EnumCase<"And", 4, "and">, I32EnumCase<"Or", 5, "or">]>;
def Lgc_ReductionKindAttr : EnumAttr<Lgc_Dialect, Lgc_ReductionKind, "reduction"> {
  let assemblyFormat = "$value";
}

def Lgc_ComparePredicate : Lgc_Enum<"ComparePredicate", "how elements are compared", [
  I32EnumCase<"EQ", 0, "eq">, I32EnumCase<"NE", 1, "ne">, I32EnumCase<"LT", 2, "lt">,
  I32EnumCase<"LE", 3, "le">, I32EnumCase<"GT", 4, "gt">, I32EnumCase<"GE", 5, "ge">]>;
def Lgc_ComparePredicateAttr : EnumAttr<Lgc_Dialect, Lgc_ComparePredicate, "predicate"> {
  let assemblyFormat = "$value";
}

def Lgc_ScatterKind : Lgc_Enum<"ScatterKind", "how an update meets the old element", [
  I32EnumCase<"Replace", 0, "replace">, I32EnumCase<"Add", 1, "add">,
  I32EnumCase<"Multiply", 2, "multiply">, I32EnumCase<"Max", 3, "max">,
  I32EnumCase<"Min", 4, "min">]>;
def Lgc_ScatterKindAttr : EnumAttr<Lgc_Dialect, Lgc_ScatterKind, "scatter_kind"> {
  let assemblyFormat = "$value";
}

def Lgc_Role : Lgc_Enum<"Role", "what a tensor is to the training program", [
  I32EnumCase<"Input", 0, "input">, I32EnumCase<"Parameter", 1, "parameter">,
  I32EnumCase<"State", 2, "state">, I32EnumCase<"Scalar", 3, "scalar">,
  I32EnumCase<"Output", 4, "output">]>;
def Lgc_RoleAttr : EnumAttr<Lgc_Dialect, Lgc_Role, "role"> {
  let assemblyFormat = "`<` $value `>`";
}

class Lgc_Attr<string name, string attrMnemonic> : AttrDef<Lgc_Dialect, name> {
  let mnemonic = attrMnemonic;
}

def Lgc_ExternalDataAttr : Lgc_Attr<"ExternalData", "external_data"> {
  let summary = "bytes of a file: the initial value of a parameter";
  let description = [{
    `length` bytes at `offset` of `file`, little-endian elements in row-major order. The
    file is read by the training program, never by the compiler's passes.

    ```mlir
    #lgc.external_data<file = "model.onnx.data", offset = 4096, length = 1024>
    ```
  }];
  let parameters = (ins StringRefParameter<"path">:$file, "int64_t":$offset, "int64_t":$length);
  let assemblyFormat = "`<` struct(params) `>`";
}

def Lgc_ShardingRuleAttr : Lgc_Attr<"ShardingRule", "sharding_rule"> {
  let summary = "how an operation's dimensions can be split over devices";
  let description = [{
    Maps each dimension of each operand and result to factors, as einsum does. A dimension
    that is made of several factors (a reshape) lists them from the slowest to the
    fastest. Factors are *pass-through* (split freely), *reduction* (splitting one leaves
    partial results that must be summed), or *need replication* (must stay whole).

    ```mlir
    // A matrix product.
    #lgc.sharding_rule<([i, k], [k, j]) -> ([i, j]) {i = 8, j = 16, k = 32} reduction = {k}>
    // A reshape of 2x12 to 2x3x4.
    #lgc.sharding_rule<([i, jk]) -> ([i, j, k]) {i = 2, j = 3, k = 4}>
    ```

    *Constraints*: every factor is used by an operand or a result; a dimension's size is the
    product of its factors' sizes, or one of them is marked as needing replication; a factor is
    at most once in a tensor; no factor is both a reduction and in need of replication.
  }];
  // One entry per operand (result): an array attribute with, per dimension, the factor
  // numbers as a DenseI64ArrayAttr.
  let parameters = (ins
    "::mlir::ArrayAttr":$operandFactors,
    "::mlir::ArrayAttr":$resultFactors,
    ArrayRefParameter<"int64_t">:$factorSizes,
    ArrayRefParameter<"int64_t">:$reductionFactors,
    ArrayRefParameter<"int64_t">:$replicatedFactors);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

#endif // LGC_ATTRIBUTES_TD
