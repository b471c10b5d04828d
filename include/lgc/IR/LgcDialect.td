//===- LgcDialect.td - The lgc dialect and its types -----------*- tablegen -*-===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===--------------------------------------------------------------------------===//

#ifndef LGC_DIALECT_TD
#define LGC_DIALECT_TD

include "mlir/IR/OpBase.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "lgc/IR/LgcInterfaces.td"

def Lgc_Dialect : Dialect {
  let name = "lgc";
  let cppNamespace = "::lgc";
  let summary = "Tensor programs of training steps";
  let description = [{
    A small, orthogonal set of operations on statically shaped tensors. Every value's
    shape and element type is known at compile time, and every operation on tensors is
    pure: state (parameters, optimizer state, running statistics) enters a function as
    an argument and leaves it as a result.

    Element types are f16, bf16, f32, f64, i1 (booleans) and the signed (signless in
    MLIR's words) and unsigned integers of 8 to 64 bits. Operands are never broadcast
    implicitly: `lgc.broadcast` says so, and fusion makes it free.
  }];
  let useDefaultAttributePrinterParser = 1;
  let hasConstantMaterializer = 1;
  let extraClassDeclaration = [{
    /// Names of the discardable attributes that the compiler puts on functions and their
    /// arguments and results; see docs/ir.md.
    static constexpr llvm::StringLiteral kRoleAttr = "lgc.role";
    static constexpr llvm::StringLiteral kNameAttr = "lgc.name";
    static constexpr llvm::StringLiteral kUpdatesAttr = "lgc.updates";
    static constexpr llvm::StringLiteral kKernelAttr = "lgc.kernel";

  private:
    void registerAttributes();

  public:
  }];
  let hasOperationAttrVerify = 1;
  let hasRegionArgAttrVerify = 1;
  let hasRegionResultAttrVerify = 1;
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

def Lgc_Float : AnyTypeOf<[F16, BF16, F32, F64], "floating-point number">;
def Lgc_SignedInt : AnyTypeOf<[I8, I16, I32, I64], "signed integer">;
def Lgc_UnsignedInt : AnyTypeOf<[UI8, UI16, UI32, UI64], "unsigned integer">;
def Lgc_Int : AnyTypeOf<[Lgc_SignedInt, Lgc_UnsignedInt], "integer">;
def Lgc_IndexInt : AnyTypeOf<[I32, I64], "32- or 64-bit signed integer">;
def Lgc_Number : AnyTypeOf<[Lgc_Float, Lgc_Int], "number">;
def Lgc_Element : AnyTypeOf<[Lgc_Number, I1], "number or boolean">;

def Lgc_FloatTensor : StaticShapeTensorOf<[Lgc_Float]>;
def Lgc_NumberTensor : StaticShapeTensorOf<[Lgc_Number]>;
def Lgc_IntTensor : StaticShapeTensorOf<[Lgc_Int]>;
def Lgc_IntOrBoolTensor : StaticShapeTensorOf<[Lgc_Int, I1]>;
def Lgc_IndexTensor : StaticShapeTensorOf<[Lgc_IndexInt]>;
def Lgc_BoolTensor : StaticShapeTensorOf<[I1]>;
def Lgc_Tensor : StaticShapeTensorOf<[Lgc_Element]>;
def Lgc_KeyTensor : Type<0DTensorOf<[I64]>.predicate, "scalar i64 tensor", "::mlir::RankedTensorType">,
    BuildableType<"::mlir::RankedTensorType::get({}, $_builder.getIntegerType(64))">;

//===----------------------------------------------------------------------===//
// Base classes
//===----------------------------------------------------------------------===//

class Lgc_Op<string mnemonic, list<Trait> traits = []>
    : Op<Lgc_Dialect, mnemonic, traits>;

// The derivative is zero wherever it exists: autodiff stops there without an error.
def ZeroGradient : NativeOpTrait<"ZeroGradient"> { let cppNamespace = "::lgc::OpTrait"; }

// A pure operation on tensors that says how it is split over devices and what it costs. `own` names
// the methods of the two interfaces that it implements itself: `getShardingRule`, `getFlops`.
class Lgc_TensorOp<string mnemonic, list<Trait> traits = [], list<string> own = []>
    : Lgc_Op<mnemonic, !listconcat([
        Pure,
        DeclareOpInterfaceMethods<Lgc_ShardingRuleOpInterface,
            !filter(method, own, !eq(method, "getShardingRule"))>,
        DeclareOpInterfaceMethods<Lgc_CostOpInterface,
            !filter(method, own, !ne(method, "getShardingRule"))>], traits)>;

#endif // LGC_DIALECT_TD
