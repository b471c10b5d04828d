//===- Validation.h - Is a layout of memory blocks right? -------*- C++ -*-===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef LGC_OFFSETS_VALIDATION_H
#define LGC_OFFSETS_VALIDATION_H

#include "lgc/Offsets/Offsets.h"

namespace lgc {

/// What is wrong with a layout, if anything is: blocks that share a byte at some moment, a block
/// that is not aligned, not where it was fixed, below zero, or beyond `layout.bytes`, or a lower
/// bound above the layout. Shares no code with the solver.
std::optional<std::string> validateLayout(const OffsetProblem &problem, const Layout &layout);

} // namespace lgc

#endif // LGC_OFFSETS_VALIDATION_H
