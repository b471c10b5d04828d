//===- LgcOps.td - All operations of the lgc dialect -----------*- tablegen -*-===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===--------------------------------------------------------------------------===//

include "lgc/IR/ElementwiseOps.td"
include "lgc/IR/ShapeOps.td"
include "lgc/IR/ReductionOps.td"
include "lgc/IR/ContractionOps.td"
include "lgc/IR/IndexingOps.td"
include "lgc/IR/CompositeOps.td"
include "lgc/IR/ProgramOps.td"
include "lgc/IR/CheckpointOps.td"
