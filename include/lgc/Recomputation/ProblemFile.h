//===- ProblemFile.h - Problems of recomputation as JSON --------*- C++ -*-===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//
//
// {"tensors": [{"bytes": 64}, {"bytes": 0, "always": true}, {"bytes": 4, "end": true}],
//  "steps": [{"cost": 10, "scratch": 0, "repeat": true, "reads": [1], "writes": [0, 2],
//             "destroys": [], "in_place": [[1, 0]], "once_reads": [], "once_writes": [2]}]}
//
// What is left out is 0, false or empty, but for "repeat", which is true.
//
//===----------------------------------------------------------------------===//

#ifndef LGC_RECOMPUTATION_PROBLEMFILE_H
#define LGC_RECOMPUTATION_PROBLEMFILE_H

#include "lgc/Recomputation/Recomputation.h"
#include "llvm/Support/JSON.h"

namespace lgc::recomputation {

llvm::json::Value toJson(const Problem &problem);

/// Reads a problem; what isn't one gives an error that says where.
llvm::Expected<Problem> parseProblem(llvm::StringRef text);

} // namespace lgc::recomputation

#endif // LGC_RECOMPUTATION_PROBLEMFILE_H
