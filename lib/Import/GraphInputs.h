//===- GraphInputs.h - A model's inputs with their sizes bound --*- C++ -*-===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef LGC_LIB_IMPORT_GRAPHINPUTS_H
#define LGC_LIB_IMPORT_GRAPHINPUTS_H

#include "ModelReader.h"
#include "lgc/Import/Import.h"
#include "mlir/IR/BuiltinTypes.h"

#include <vector>

namespace lgc {

/// An input of the program.
struct GraphInput {
  std::string name;
  mlir::RankedTensorType type;
};

/// The inputs that the user doesn't bind and that no initializer stands for, with the sizes that
/// the options give to symbolic dimensions. All that are left unbound are one error.
mlir::FailureOr<std::vector<GraphInput>>
bindInputs(const Model &model, const ImportOptions &options, mlir::Location loc);

} // namespace lgc

#endif // LGC_LIB_IMPORT_GRAPHINPUTS_H
