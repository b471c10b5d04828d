//===- LgcOps.h - Operations of the lgc dialect -----------------*- C++ -*-===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef LGC_IR_LGCOPS_H
#define LGC_IR_LGCOPS_H

#include "lgc/IR/LgcDialect.h"
#include "lgc/IR/LgcInterfaces.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#define GET_OP_CLASSES
#include "lgc/IR/LgcOps.h.inc"

#endif // LGC_IR_LGCOPS_H
