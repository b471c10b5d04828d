//===- LgcAttributes.h - Attributes of the lgc dialect ----------*- C++ -*-===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef LGC_IR_LGCATTRIBUTES_H
#define LGC_IR_LGCATTRIBUTES_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpImplementation.h"

#include "lgc/IR/LgcEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "lgc/IR/LgcAttributes.h.inc"

#endif // LGC_IR_LGCATTRIBUTES_H
