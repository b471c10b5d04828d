//===- IndexingOps.td - Elements picked by computed indices ----*- tablegen -*-===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===--------------------------------------------------------------------------===//

#ifndef LGC_INDEXING_OPS_TD
#define LGC_INDEXING_OPS_TD

include "lgc/IR/ShapeOps.td"

// Indices count from 0. An index outside of the dimension is a fault of the data (the runtime
// checks inputs that are used as indices); gathers clamp it and scatters drop the update, so
// that memory outside of the operand is never touched.

class Lgc_ScatterBase<string mnemonic>
    : Lgc_TensorOp<mnemonic,
        [DeclareOpInterfaceMethods<Lgc_KernelOpInterface>,
         DeclareOpInterfaceMethods<Lgc_GradientOpInterface>,
         AllTypesMatch<["operand", "result"]>]> {
  let hasVerifier = 1;
}

def Lgc_GatherOp : Lgc_DifferentiableElementalOp<"gather", [InferTypeOpAdaptor],
                                                 ["getShardingRule"]> {
  let summary = "slices of a tensor by index along a dimension: embedding look-up";
  let description = [{
    The result's shape is the operand's with dimension `axis` replaced by the shape of the indices.
  }];
  let arguments = (ins Lgc_Tensor:$operand, Lgc_IndexTensor:$indices, I64Attr:$axis);
  let results = (outs Lgc_Tensor:$result);
  let assemblyFormat = "$operand `,` $indices `axis` `=` $axis attr-dict `:` type($operand) `,` type($indices)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Lgc_ScatterOp : Lgc_ScatterBase<"scatter"> {
  let summary = "slices put or added at indices along a dimension: the transpose of gather";
  let arguments = (ins Lgc_ScatterKindAttr:$kind, Lgc_Tensor:$operand, Lgc_IndexTensor:$indices,
                       Lgc_Tensor:$updates, I64Attr:$axis);
  let results = (outs Lgc_Tensor:$result);
  let assemblyFormat = "$kind $operand `,` $indices `,` $updates `axis` `=` $axis attr-dict `:` type($operand) `,` type($indices) `,` type($updates)";
}

def Lgc_GatherNdOp : Lgc_DifferentiableElementalOp<"gather_nd", [InferTypeOpAdaptor]> {
  let summary = "slices by index tuples";
  let description = [{
    `indices` is [batch..., positions..., k]: each k-tuple names a slice of the operand (behind
    `batch_dims` common leading dimensions). The result is [batch..., positions..., slice...].
  }];
  let arguments = (ins Lgc_Tensor:$operand, Lgc_IndexTensor:$indices, I64Attr:$batch_dims);
  let results = (outs Lgc_Tensor:$result);
  let assemblyFormat = "$operand `,` $indices `batch_dims` `=` $batch_dims attr-dict `:` type($operand) `,` type($indices)";
  let hasVerifier = 1;
}

def Lgc_ScatterNdOp : Lgc_ScatterBase<"scatter_nd"> {
  let summary = "slices put or combined at index tuples";
  let arguments = (ins Lgc_ScatterKindAttr:$kind, Lgc_Tensor:$operand, Lgc_IndexTensor:$indices,
                       Lgc_Tensor:$updates, I64Attr:$batch_dims);
  let results = (outs Lgc_Tensor:$result);
  let assemblyFormat = "$kind $operand `,` $indices `,` $updates `batch_dims` `=` $batch_dims attr-dict `:` type($operand) `,` type($indices) `,` type($updates)";
}

def Lgc_GatherElementsOp : Lgc_DifferentiableElementalOp<"gather_elements", [InferTypeOpAdaptor]> {
  let summary = "single elements by index along a dimension";
  let description = [{
    The result has the shape of the indices (of the operand's rank, in no other dimension larger):
    `result[i][j] = operand[indices[i][j]][j]` for axis 0.
  }];
  let arguments = (ins Lgc_Tensor:$operand, Lgc_IndexTensor:$indices, I64Attr:$axis);
  let results = (outs Lgc_Tensor:$result);
  let assemblyFormat = "$operand `,` $indices `axis` `=` $axis attr-dict `:` type($operand) `,` type($indices)";
  let hasVerifier = 1;
}

def Lgc_ScatterElementsOp : Lgc_ScatterBase<"scatter_elements"> {
  let summary = "single elements put or combined at indices along a dimension";
  let arguments = (ins Lgc_ScatterKindAttr:$kind, Lgc_Tensor:$operand, Lgc_IndexTensor:$indices,
                       Lgc_Tensor:$updates, I64Attr:$axis);
  let results = (outs Lgc_Tensor:$result);
  let assemblyFormat = "$kind $operand `,` $indices `,` $updates `axis` `=` $axis attr-dict `:` type($operand) `,` type($indices) `,` type($updates)";
}

#endif // LGC_INDEXING_OPS_TD
