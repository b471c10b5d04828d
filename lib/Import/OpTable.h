//===- OpTable.h - Which ONNX operators are translated how ------*- C++ -*-===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//
//
// Each file in Ops/ translates a family of operators and adds its functions to the table. An
// operator that isn't there is expanded by the function body that its ONNX schema may have.
//
//===----------------------------------------------------------------------===//

#ifndef LGC_LIB_IMPORT_OPTABLE_H
#define LGC_LIB_IMPORT_OPTABLE_H

#include "llvm/ADT/StringMap.h"

namespace lgc {

class NodeImporter;

/// Translates a node: reads its operands and attributes, and sets its results.
using OpHandler = void (*)(NodeImporter &node);

/// Handlers by operator name; those of another domain than ai.onnx by "domain:name".
using OpTable = llvm::StringMap<OpHandler>;

void registerElementwiseOps(OpTable &table);
void registerMathOps(OpTable &table);
void registerActivationOps(OpTable &table);
void registerComparisonOps(OpTable &table);
void registerIntegerOps(OpTable &table);
void registerConstantOps(OpTable &table);
void registerShapeOps(OpTable &table);
void registerSliceOps(OpTable &table);
void registerReductionOps(OpTable &table);
void registerMatmulOps(OpTable &table);
void registerConvolutionOps(OpTable &table);
void registerPoolingOps(OpTable &table);
void registerNormalizationOps(OpTable &table);
void registerIndexingOps(OpTable &table);
void registerRandomOps(OpTable &table);
void registerControlFlowOps(OpTable &table);
void registerSequenceOps(OpTable &table);
void registerSortingOps(OpTable &table);
void registerResizeOps(OpTable &table);
void registerQuantizationOps(OpTable &table);
void registerRecurrentOps(OpTable &table);
void registerLossOps(OpTable &table);
void registerSignalOps(OpTable &table);
void registerImageOps(OpTable &table);
void registerEinsumOps(OpTable &table);
void registerOptimizerOps(OpTable &table);
void registerAttentionOps(OpTable &table);

/// The table of all operators.
const OpTable &opTable();

} // namespace lgc

#endif // LGC_LIB_IMPORT_OPTABLE_H
