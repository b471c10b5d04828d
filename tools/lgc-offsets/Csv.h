//===- Csv.h - Blocks of memory in CSV files --------------------*- C++ -*-===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//
//
// The public format of MiniMalloc: columns id, lower, upper and size in any order, where a block
// lives from `lower` to before `upper`; `alignment` and `offset` (where the block is fixed) are
// optional, as columns and in each row.
//
//===----------------------------------------------------------------------===//

#ifndef LGC_TOOLS_LGC_OFFSETS_CSV_H
#define LGC_TOOLS_LGC_OFFSETS_CSV_H

#include "lgc/Offsets/Offsets.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"

namespace lgc {

struct CsvProblem {
  OffsetProblem problem;
  /// One for each block.
  std::vector<std::string> ids;
};

/// Errors begin with the file and the line.
llvm::Expected<CsvProblem> readCsv(llvm::StringRef file, llvm::StringRef text);

/// The columns id, lower, upper, size and offset.
void writeCsv(llvm::raw_ostream &os, const CsvProblem &csv, const Layout &layout);

} // namespace lgc

#endif // LGC_TOOLS_LGC_OFFSETS_CSV_H
