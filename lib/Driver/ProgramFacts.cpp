//===- ProgramFacts.cpp - What a program's manifest says ------------------===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "ProgramFacts.h"

using namespace mlir;
using namespace lgc;

namespace {

/// Follows an integer argument to the look-ups that it is an index of.
class IndexUses {
public:
  void follow(Value value, bool isShifted);
  InputFacts facts;

private:
  void allow(int64_t low, int64_t high) {
    if (!facts.range)
      facts.range = {low, high};
    facts.range->first = std::max(facts.range->first, low);
    facts.range->second = std::min(facts.range->second, high);
  }
  void followUse(OpOperand &use, bool isShifted);

  std::set<std::pair<Operation *, bool>> visited;
};

} // namespace

static int64_t getSize(Value tensor, int64_t dim) {
  return cast<RankedTensorType>(tensor.getType()).getDimSize(dim);
}

/// A negative index counts from the end; importers write it as a choice between the index
/// and the index plus the size, which is what `isShifted` means.
void IndexUses::followUse(OpOperand &use, bool isShifted) {
  Operation *user = use.getOwner();
  unsigned number = use.getOperandNumber();
  auto allowIndex = [&](int64_t size) { allow(isShifted ? -size : 0, size - 1); };
  if (auto gather = dyn_cast<GatherOp>(user)) {
    if (number == 1)
      allowIndex(getSize(gather.getOperand(), gather.getAxis()));
  } else if (auto gather = dyn_cast<GatherElementsOp>(user)) {
    if (number == 1)
      allowIndex(getSize(gather.getOperand(), gather.getAxis()));
  } else if (auto entropy = dyn_cast<CrossEntropyOp>(user)) {
    if (number != 1)
      return;
    allowIndex(getSize(entropy.getLogits(), entropy.getDim()));
    if (std::optional<uint64_t> ignored = entropy.getIgnoreIndex())
      facts.alsoAllowed = {static_cast<int64_t>(*ignored)};
  } else if (isa<ReshapeOp, TransposeOp, BroadcastOp, SliceOp>(user)) {
    follow(user->getResult(0), isShifted);
  } else if (auto cast_ = dyn_cast<CastOp>(user)) {
    if (getElementTypeOrSelf(cast_.getType()).isInteger())
      follow(cast_.getResult(), isShifted);
  } else if (isa<SelectOp>(user) && number > 0) {
    bool addsSize = llvm::any_of(user->getOperands().drop_front(), [](Value choice) {
      return choice.getDefiningOp<AddOp>() != nullptr;
    });
    follow(user->getResult(0), isShifted || addsSize);
  } else if (auto loop = dyn_cast<MicroBatchesOp>(user)) {
    if (number < loop.getBatched().size())
      follow(loop.getBody().front().getArgument(1 + number), isShifted);
  }
}

void IndexUses::follow(Value value, bool isShifted) {
  for (OpOperand &use : value.getUses())
    if (visited.insert({use.getOwner(), isShifted}).second)
      followUse(use, isShifted);
}

InputFacts lgc::findIndexRange(BlockArgument argument) {
  IndexUses uses;
  uses.follow(argument, /*isShifted=*/false);
  return uses.facts;
}

/// The size of the samples' dimension: what the user gave, or the first dimension that most
/// inputs share.
static int64_t findBatch(ArrayRef<func::FuncOp> functions, std::optional<int64_t> given) {
  if (given)
    return *given;
  std::map<int64_t, int64_t> votes;
  int64_t best = 1;
  for (func::FuncOp function : functions)
    for (unsigned i = 0; i < function.getNumArguments(); ++i) {
      auto role = function.getArgAttrOfType<RoleAttr>(i, LgcDialect::kRoleAttr);
      auto type = cast<RankedTensorType>(function.getArgumentTypes()[i]);
      if (role && role.getValue() == Role::Input && type.getRank() > 0 && type.getDimSize(0) > 0)
        if (int64_t size = type.getDimSize(0); ++votes[size] > votes[best])
          best = size;
    }
  return best;
}

static void merge(const InputFacts &found, InputFacts &facts) {
  if (found.range && !facts.range)
    facts.range = found.range;
  else if (found.range)
    facts.range = {std::max(facts.range->first, found.range->first),
                   std::min(facts.range->second, found.range->second)};
  if (!found.alsoAllowed.empty())
    facts.alsoAllowed = found.alsoAllowed;
}

ProgramFacts lgc::collectFacts(ModuleOp module, std::optional<int64_t> batch) {
  ProgramFacts facts;
  SmallVector<func::FuncOp> functions;
  for (StringRef name : {"train_step", "forward"})
    if (auto function = module.lookupSymbol<func::FuncOp>(name))
      functions.push_back(function);
  facts.batch = findBatch(functions, batch);
  for (func::FuncOp function : functions) {
    for (BlockArgument argument : function.getArguments()) {
      unsigned i = argument.getArgNumber();
      auto role = function.getArgAttrOfType<RoleAttr>(i, LgcDialect::kRoleAttr);
      auto name = function.getArgAttrOfType<StringAttr>(i, LgcDialect::kNameAttr);
      if (!role || !name || role.getValue() != Role::Input)
        continue;
      InputFacts &input = facts.inputs[name.str()];
      auto type = cast<RankedTensorType>(argument.getType());
      if (type.getRank() > 0 && type.getDimSize(0) > 0 && type.getDimSize(0) % facts.batch == 0)
        input.batchDim = 0;
      if (type.getElementType().isInteger() && !type.getElementType().isInteger(1))
        merge(findIndexRange(argument), input);
    }
    for (unsigned i = 0; i < function.getNumResults(); ++i)
      if (auto updated = function.getResultAttrOfType<StringAttr>(i, LgcDialect::kUpdatesAttr))
        facts.trainable.insert(updated.str());
  }
  if (auto rate = module->getAttrOfType<FloatAttr>("lgc.learning_rate"))
    facts.learningRate = rate.getValueAsDouble();
  if (auto count = module->getAttrOfType<IntegerAttr>("lgc.micro_batches"))
    facts.microBatches = count.getInt();
  if (auto entries = module->getAttrOfType<DictionaryAttr>("lgc.classification")) {
    facts.classification.emplace();
    for (NamedAttribute entry : entries) {
      if (auto text = dyn_cast<StringAttr>(entry.getValue()))
        (*facts.classification)[entry.getName().str()] = text.str();
      else if (auto number = dyn_cast<IntegerAttr>(entry.getValue()))
        (*facts.classification)[entry.getName().str()] = number.getInt();
    }
  }
  return facts;
}
