//===- LgcDialect.h - The lgc dialect ---------------------------*- C++ -*-===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef LGC_IR_LGCDIALECT_H
#define LGC_IR_LGCDIALECT_H

#include "lgc/IR/LgcAttributes.h"
#include "lgc/IR/LgcDialect.h.inc"

#endif // LGC_IR_LGCDIALECT_H
