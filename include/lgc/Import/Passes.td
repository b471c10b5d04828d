//===- Passes.td - The contract after Import -------------------*- tablegen -*-===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===--------------------------------------------------------------------------===//

#ifndef LGC_IMPORT_PASSES_TD
#define LGC_IMPORT_PASSES_TD

include "mlir/Pass/PassBase.td"

def VerifyImportPass : Pass<"lgc-verify-import", "::mlir::ModuleOp"> {
  let summary = "check what holds after Import";
  let description = [{
    Fails where the module isn't as docs/pipeline.md says after Import: `@forward` and
    `@training_forward` take inputs, parameters, states and scalars in this order, each with its
    name and role; a parameter's or state's argument has its symbol's type; results have names,
    or say which state they update; nothing but `lgc` operations computes; no parameter is unused;
    what can be folded to a constant is one.

    The module is not changed:

    ```mlir
    lgc.parameter @w <parameter> : tensor<2xf32> = 0.0 : f32
    func.func @forward(%x: tensor<2xf32> {lgc.name = "x", lgc.role = #lgc.role<input>},
                       %w: tensor<2xf32> {lgc.name = "w", lgc.role = #lgc.role<parameter>})
        -> (tensor<2xf32> {lgc.name = "y"}) {
      %y = lgc.add %x, %w : tensor<2xf32>
      return %y : tensor<2xf32>
    }
    ```
  }];
}

#endif // LGC_IMPORT_PASSES_TD
