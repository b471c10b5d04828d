//===- GroupAttr.h - How fusion's choice stands in the IR -------*- C++ -*-===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef LGC_LIB_FUSION_GROUPATTR_H
#define LGC_LIB_FUSION_GROUPATTR_H

#include "llvm/ADT/StringRef.h"

namespace lgc {

/// The number (i64) of the group that an operation belongs to.
inline constexpr llvm::StringLiteral kGroupAttr = "lgc.group";
/// On a kernel's argument: the numbers of the results of which one may take over its memory.
inline constexpr llvm::StringLiteral kInPlaceAttr = "lgc.inplace";

} // namespace lgc

#endif // LGC_LIB_FUSION_GROUPATTR_H
