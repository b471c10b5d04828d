//===- RawDataScanner.h - Where a model file holds its weights --*- C++ -*-===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef LGC_LIB_IMPORT_RAWDATASCANNER_H
#define LGC_LIB_IMPORT_RAWDATASCANNER_H

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"

namespace lgc {

/// Offset and length of the raw data of each initializer of the main graph of a serialized
/// ModelProto. A parser copies them and forgets where they were; training programs read them from
/// the model's own file. What doesn't look as expected is left out.
llvm::StringMap<std::pair<int64_t, int64_t>> scanRawData(llvm::StringRef model);

} // namespace lgc

#endif // LGC_LIB_IMPORT_RAWDATASCANNER_H
