//===- LgcOps.cpp - Generated code of the operations ----------------------===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "lgc/IR/LgcOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/OpImplementation.h"

using namespace mlir;
using namespace lgc;

#define GET_OP_CLASSES
#include "lgc/IR/LgcOps.cpp.inc"
