//===- PartialKernel.cpp - A kernel without some results ------------------===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "PartialKernel.h"
#include "lgc/IR/LgcDialect.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;
using namespace lgc;

static constexpr llvm::StringLiteral inPlaceAttr = "lgc.inplace";

/// What the chosen results depend on, arguments included.
static llvm::DenseSet<Value> findNeeded(func::FuncOp kernel, const llvm::BitVector &results) {
  Block &body = kernel.getBody().front();
  llvm::DenseSet<Value> needed;
  for (unsigned number : results.set_bits())
    needed.insert(body.getTerminator()->getOperand(number));
  for (Operation &op : llvm::reverse(body.without_terminator()))
    if (llvm::any_of(op.getResults(), [&](Value result) { return needed.contains(result); }))
      op.walk([&](Operation *nested) {
        needed.insert(nested->operand_begin(), nested->operand_end());
      });
  return needed;
}

llvm::BitVector lgc::findNeededArguments(func::FuncOp kernel, const llvm::BitVector &results) {
  llvm::DenseSet<Value> needed = findNeeded(kernel, results);
  llvm::BitVector arguments(kernel.getNumArguments());
  for (BlockArgument argument : kernel.getArguments())
    if (needed.contains(argument))
      arguments.set(argument.getArgNumber());
  return arguments;
}

/// Renumbers the results that an argument's memory may become.
static void keepTakers(func::FuncOp kernel, unsigned argument, const llvm::BitVector &results) {
  auto takers = kernel.getArgAttrOfType<DenseI64ArrayAttr>(argument, inPlaceAttr);
  if (!takers)
    return;
  SmallVector<int64_t> kept;
  for (unsigned taker : takers.asArrayRef())
    if (results.test(taker))
      kept.push_back(
          llvm::count_if(results.set_bits(), [&](unsigned result) { return result < taker; }));
  if (kept.empty())
    kernel.removeArgAttr(argument, inPlaceAttr);
  else
    kernel.setArgAttr(argument, inPlaceAttr,
                      Builder(kernel.getContext()).getDenseI64ArrayAttr(kept));
}

func::FuncOp lgc::getPartialKernel(func::FuncOp kernel, const llvm::BitVector &results) {
  auto module = kernel->getParentOfType<ModuleOp>();
  std::string name = (kernel.getName() + ".results").str();
  for (unsigned number : results.set_bits())
    name += "_" + std::to_string(number);
  if (auto known = module.lookupSymbol<func::FuncOp>(name))
    return known;
  func::FuncOp partial = kernel.clone();
  partial.setName(name);
  for (unsigned argument = 0; argument < partial.getNumArguments(); ++argument)
    keepTakers(partial, argument, results);
  llvm::DenseSet<Value> needed = findNeeded(partial, results);
  llvm::BitVector unneeded = findNeededArguments(partial, results).flip();
  Block &body = partial.getBody().front();
  llvm::BitVector dropped = results;
  dropped.flip();
  body.getTerminator()->eraseOperands(dropped);
  SmallVector<Operation *> ops;
  for (Operation &op : body.without_terminator())
    if (llvm::none_of(op.getResults(), [&](Value result) { return needed.contains(result); }))
      ops.push_back(&op);
  for (Operation *op : llvm::reverse(ops))
    op->erase();
  (void)partial.eraseArguments(unneeded);
  (void)partial.eraseResults(dropped);
  module.insert(std::next(kernel->getIterator()), partial);
  return partial;
}
