//===- CheckSpecs.cpp - Specifications by themselves ----------------------===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Optimizer.h"
#include "lgc/Training/Training.h"

using namespace lgc;

llvm::Error lgc::checkOptimizer(llvm::StringRef specification) {
  return Optimizer::create(specification).takeError();
}

llvm::Error lgc::checkLoss(llvm::StringRef specification) {
  llvm::Expected<Spec> spec = Spec::parse(specification);
  if (!spec)
    return spec.takeError();
  // The name of an output of the model can't be judged without the model.
  if (!spec->isCall())
    return llvm::Error::success();
  llvm::StringRef name = spec->getName();
  if (name != "cross_entropy" && name != "mse" && name != "l1" &&
      name != "binary_cross_entropy_with_logits")
    return llvm::createStringError("there is no loss '" + name +
                                   "'; write cross_entropy, binary_cross_entropy_with_logits, "
                                   "mse or l1");
  if (spec->getArguments().size() != 2)
    return llvm::createStringError("the loss '" + name + "' takes two names; write " + name +
                                   "(output, target)");
  // Integers, where a loss has them.
  if (name == "cross_entropy")
    for (llvm::StringRef key : {"ignore_index", "dim"})
      if (llvm::Error error = spec->getInteger(key, 0).takeError())
        return error;
  return spec->checkAllKnown();
}
