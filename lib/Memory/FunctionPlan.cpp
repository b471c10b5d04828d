//===- FunctionPlan.cpp - Which tensors share memory ----------------------===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "FunctionPlan.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;
using namespace lgc;

static RankedTensorType getTensor(Value value) { return cast<RankedTensorType>(value.getType()); }

namespace {

class FunctionPlanner {
public:
  FunctionPlanner(func::FuncOp function, const NamedBuffers &named)
      : function(function), named(named) {}

  FailureOr<FunctionPlan> plan();

private:
  void number(Block &block);
  int64_t getStart(Value value);
  int64_t getLastUse(Value value);

  unsigned addBlock(int64_t bytes) {
    blockPlan.blocks.push_back({});
    blockPlan.blocks.back().bytes = bytes;
    return blockPlan.blocks.size() - 1;
  }
  /// Places a value in a block, which then lives as long as the value.
  void put(Value value, Place place);
  bool canOverwrite(LaunchOp launch, unsigned result, Value old);
  void wish(Value value, Value old, unsigned block);

  LogicalResult planBlock(Block &block);
  void planLaunch(LaunchOp launch);
  std::optional<unsigned> findDyingOperand(LaunchOp launch, unsigned result);
  LogicalResult planLoop(MicroBatchesOp loop);
  unsigned getCarriedBlock(MicroBatchesOp loop, unsigned index);
  void planReturn();
  void planOutput(Operation *terminator, Value value, StringAttr name,
                  SmallVectorImpl<PlannedCopy> &copies);
  void copyTogether(ArrayRef<PlannedCopy> copies);

  func::FuncOp function;
  const NamedBuffers &named;
  FunctionPlan blockPlan;
  DenseMap<Operation *, int64_t> positions, ends;
  DenseMap<Value, int64_t> lastUses;
  DenseMap<StringAttr, unsigned> namedBlocks;
  /// Blocks that results are to be written to: those of the parameters that they update, of the
  /// carried values whose next ones they are.
  DenseMap<Value, unsigned> wishes;
};

} // namespace

//===----------------------------------------------------------------------===//
// Moments
//===----------------------------------------------------------------------===//

void FunctionPlanner::number(Block &block) {
  for (Operation &op : block) {
    positions[&op] = positions.size() + 1;
    if (auto loop = dyn_cast<MicroBatchesOp>(op)) {
      number(loop.getBody().front());
      // The terminator's moment is the loop's last.
      ends[&op] = positions[loop.getBody().front().getTerminator()];
    }
  }
}

int64_t FunctionPlanner::getStart(Value value) {
  if (Operation *op = value.getDefiningOp())
    return isa<MicroBatchesOp>(op) ? ends[op] : positions[op];
  Operation *parent = value.getParentBlock()->getParentOp();
  return isa<MicroBatchesOp>(parent) ? positions[parent] : 0;
}

int64_t FunctionPlanner::getLastUse(Value value) {
  if (auto at = lastUses.find(value); at != lastUses.end())
    return at->second;
  int64_t last = getStart(value);
  Block *block = value.getParentBlock();
  for (OpOperand &use : value.getUses()) {
    Operation *user = use.getOwner();
    if (user->getBlock() != block) {
      // Each pass of the loop reads it again.
      last = std::max(last, ends[block->findAncestorOpInBlock(*user)]);
    } else if (auto view = dyn_cast<ViewOpInterface>(user)) {
      last = std::max(last, positions[user]);
      for (OpResult result : user->getResults())
        if (&view.getViewed(result.getResultNumber()) == &use)
          last = std::max(last, getLastUse(result));
    } else if (auto loop = dyn_cast<MicroBatchesOp>(user)) {
      bool isBatched = use.getOperandNumber() < loop.getBatched().size();
      last = std::max(last, isBatched ? ends[user] : positions[user]);
    } else {
      last = std::max(last, positions[user]);
    }
  }
  return lastUses[value] = last;
}

void FunctionPlanner::put(Value value, Place place) {
  blockPlan.places[value] = place;
  MemoryBlock &block = blockPlan.blocks[place.block];
  block.first = std::min(block.first, getStart(value));
  block.last = std::max(block.last, getLastUse(value));
}

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

/// Whether the kernel reads an operand so that a result may take over its memory.
static bool mayTakeOver(LaunchOp launch, unsigned operand, unsigned result) {
  auto kernel = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(launch, launch.getKernelAttr());
  auto results = kernel.getArgAttrOfType<DenseI64ArrayAttr>(operand, "lgc.inplace");
  return results && llvm::is_contained(results.asArrayRef(), static_cast<int64_t>(result));
}

/// Whether the launch may write a result to the memory of `old`, which nothing reads later.
bool FunctionPlanner::canOverwrite(LaunchOp launch, unsigned result, Value old) {
  int64_t last = getLastUse(old), position = positions[launch];
  if (last > position)
    return false;
  for (auto [number, input] : llvm::enumerate(launch.getInputs()))
    if (getRoot(input) == old && !mayTakeOver(launch, number, result))
      return false;
  return true;
}

void FunctionPlanner::wish(Value value, Value old, unsigned block) {
  auto root = dyn_cast<OpResult>(getRoot(value));
  if (!root || wishes.contains(root) || root.getParentBlock() != old.getParentBlock())
    return;
  if (auto launch = dyn_cast<LaunchOp>(root.getOwner())) {
    if (canOverwrite(launch, root.getResultNumber(), old))
      wishes[root] = block;
  } else if (auto loop = dyn_cast<MicroBatchesOp>(root.getOwner())) {
    // The parameter itself is carried if it starts the loop and nothing else reads it.
    if (getRoot(loop.getCarried()[root.getResultNumber()]) == old &&
        getLastUse(old) <= positions[loop])
      wishes[root] = block;
  }
}

std::optional<unsigned> FunctionPlanner::findDyingOperand(LaunchOp launch, unsigned result) {
  int64_t bytes = getTensorBytes(getTensor(launch.getResult(result)));
  for (auto [number, input] : llvm::enumerate(launch.getInputs())) {
    if (!mayTakeOver(launch, number, result))
      continue;
    const Place &place = blockPlan.places[input];
    const MemoryBlock &block = blockPlan.blocks[place.block];
    auto sharesBlock = [&](Value other) { return blockPlan.places[other].block == place.block; };
    if (!place.loop && block.isTemporary() && block.bytes == bytes &&
        block.last <= positions[launch] && llvm::count_if(launch.getInputs(), sharesBlock) == 1)
      return place.block;
  }
  return std::nullopt;
}

void FunctionPlanner::planLaunch(LaunchOp launch) {
  SmallVector<unsigned> blocks;
  for (OpResult result : launch.getResults()) {
    if (auto at = wishes.find(result); at != wishes.end()) {
      blocks.push_back(at->second);
    } else if (auto dying = findDyingOperand(launch, result.getResultNumber());
               dying && !llvm::is_contained(blocks, *dying)) {
      blocks.push_back(*dying);
    } else {
      blocks.push_back(addBlock(getTensorBytes(getTensor(result))));
    }
  }
  for (auto [result, block] : llvm::zip_equal(launch.getResults(), blocks))
    put(result, {block, nullptr, 0});
  auto kernel = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(launch, launch.getKernelAttr());
  if (auto bytes = kernel->getAttrOfType<IntegerAttr>("lgc.scratch_bytes");
      bytes && bytes.getInt() > 0) {
    unsigned block = blockPlan.scratch[launch] = addBlock(bytes.getInt());
    blockPlan.blocks[block].first = blockPlan.blocks[block].last = positions[launch];
  }
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

/// The body's argument that holds a carried value.
static Value getCarriedArgument(MicroBatchesOp loop, unsigned index) {
  return loop.getBody().front().getArgument(1 + loop.getBatched().size() + index);
}

/// The block of a carried value: that of its first value if it dies there, else a new one that
/// the first value is copied to.
unsigned FunctionPlanner::getCarriedBlock(MicroBatchesOp loop, unsigned index) {
  Value first = loop.getCarried()[index];
  Place from = blockPlan.places[first];
  unsigned block;
  if (auto at = wishes.find(loop.getResult(index)); at != wishes.end()) {
    block = at->second;
  } else if (!from.loop && blockPlan.blocks[from.block].isTemporary() &&
             blockPlan.blocks[from.block].last <= positions[loop]) {
    block = from.block;
  } else {
    block = addBlock(getTensorBytes(getTensor(first)));
  }
  if (block != from.block)
    copyTogether(
        PlannedCopy{loop, from, {block, nullptr, 0}, first, getCarriedArgument(loop, index)});
  // From here on it is no temporary, so that no other value starts in the same block.
  blockPlan.blocks[block].isCarried = true;
  return block;
}

LogicalResult FunctionPlanner::planLoop(MicroBatchesOp loop) {
  if (loop->getParentOfType<MicroBatchesOp>())
    return loop.emitOpError("lies within another loop over micro-batches, which no memory plan "
                            "covers; make one loop of both");
  Block &body = loop.getBody().front();
  Value number = body.getArgument(0);
  if (!number.use_empty())
    put(number, {addBlock(getTensorBytes(getTensor(number))), nullptr, 0});
  for (auto [index, batched] : llvm::enumerate(loop.getBatched())) {
    Value piece = body.getArgument(1 + index);
    put(piece, {blockPlan.places[batched].block, loop, getTensorBytes(getTensor(piece))});
  }
  SmallVector<unsigned> carried;
  auto yield = cast<YieldOp>(body.getTerminator());
  for (size_t i = 0; i < loop.getCarried().size(); ++i) {
    Value argument = getCarriedArgument(loop, i);
    carried.push_back(getCarriedBlock(loop, i));
    put(argument, {carried.back(), nullptr, 0});
    put(loop.getResult(i), {carried.back(), nullptr, 0});
    wish(yield.getValues()[i], argument, carried.back());
  }
  // What comes from outside is read in every pass, the number of the pass until its end.
  for (BlockArgument argument : body.getArguments())
    if (auto at = blockPlan.places.find(argument); at != blockPlan.places.end())
      blockPlan.blocks[at->second.block].last =
          std::max(blockPlan.blocks[at->second.block].last, ends[loop]);
  if (failed(planBlock(body)))
    return failure();

  SmallVector<PlannedCopy> copies;
  for (auto [index, value] : llvm::enumerate(yield.getValues()))
    if (Place from = blockPlan.places[value]; from.block != carried[index] || from.loop)
      copies.push_back(
          {yield, from, {carried[index], nullptr, 0}, value, getCarriedArgument(loop, index)});
  copyTogether(copies);
  for (unsigned block : carried)
    blockPlan.blocks[block].isCarried = false;
  return success();
}

/// Plans copies that all read the old contents: where one reads what another writes, it goes
/// through memory of its own.
void FunctionPlanner::copyTogether(ArrayRef<PlannedCopy> copies) {
  auto isWritten = [&](unsigned block) {
    return llvm::any_of(copies, [&](const PlannedCopy &copy) { return copy.to.block == block; });
  };
  SmallVector<PlannedCopy> last;
  for (PlannedCopy copy : copies) {
    int64_t moment = positions[copy.before];
    for (unsigned block : {copy.from.block, copy.to.block}) {
      blockPlan.blocks[block].first = std::min(blockPlan.blocks[block].first, moment);
      blockPlan.blocks[block].last = std::max(blockPlan.blocks[block].last, moment);
    }
    if (isWritten(copy.from.block)) {
      Place between = {addBlock(getTensorBytes(getTensor(copy.value))), nullptr, 0};
      blockPlan.blocks[between.block].first = blockPlan.blocks[between.block].last = moment;
      blockPlan.copies.push_back({copy.before, copy.from, between, copy.value, copy.value});
      copy.from = between;
    }
    last.push_back(copy);
  }
  llvm::append_range(blockPlan.copies, last);
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

LogicalResult FunctionPlanner::planBlock(Block &block) {
  for (Operation &op : block.without_terminator()) {
    if (auto launch = dyn_cast<LaunchOp>(op)) {
      planLaunch(launch);
    } else if (auto view = dyn_cast<ViewOpInterface>(op)) {
      for (OpResult result : op.getResults())
        put(result, blockPlan.places[view.getViewed(result.getResultNumber()).get()]);
    } else if (auto loop = dyn_cast<MicroBatchesOp>(op)) {
      if (failed(planLoop(loop)))
        return failure();
    } else {
      return op.emitOpError("is no launch; run fusion before memory is planned");
    }
  }
  return success();
}

void FunctionPlanner::planOutput(Operation *terminator, Value value, StringAttr name,
                                 SmallVectorImpl<PlannedCopy> &copies) {
  Place place = blockPlan.places[value];
  if (auto at = namedBlocks.find(name); at != namedBlocks.end()) {
    copies.push_back({terminator, place, {at->second, nullptr, 0}, value, value});
    return;
  }
  if (place.loop || !blockPlan.blocks[place.block].isTemporary()) {
    Place own = {addBlock(getTensorBytes(getTensor(value))), nullptr, 0};
    copies.push_back({terminator, place, own, value, value});
    place = own;
  }
  blockPlan.blocks[place.block].output = name;
  blockPlan.blocks[place.block].outputType = getTensor(value);
}

void FunctionPlanner::planReturn() {
  Operation *terminator = function.getBody().front().getTerminator();
  SmallVector<PlannedCopy> copies;
  for (auto [number, value] : llvm::enumerate(terminator->getOperands())) {
    if (auto updated = function.getResultAttrOfType<StringAttr>(number, LgcDialect::kUpdatesAttr)) {
      Place to = {namedBlocks[updated], nullptr, 0};
      if (blockPlan.places[value].block != to.block)
        copies.push_back({terminator, blockPlan.places[value], to, value, value});
      continue;
    }
    planOutput(terminator, value,
               function.getResultAttrOfType<StringAttr>(number, LgcDialect::kNameAttr), copies);
  }
  copyTogether(copies);
}

FailureOr<FunctionPlan> FunctionPlanner::plan() {
  Block &body = function.getBody().front();
  number(body);
  for (const auto &[name, buffer] : named) {
    unsigned block = namedBlocks[name] = addBlock(getTensorBytes(buffer.type));
    blockPlan.blocks[block].named = name;
  }
  DenseMap<StringAttr, Value> arguments;
  for (BlockArgument argument : body.getArguments()) {
    auto name =
        function.getArgAttrOfType<StringAttr>(argument.getArgNumber(), LgcDialect::kNameAttr);
    arguments[name] = argument;
    put(argument, {namedBlocks[name], nullptr, 0});
  }
  for (auto [number, value] : llvm::enumerate(body.getTerminator()->getOperands()))
    if (auto updated = function.getResultAttrOfType<StringAttr>(number, LgcDialect::kUpdatesAttr))
      wish(value, arguments[updated], namedBlocks[updated]);
  if (failed(planBlock(body)))
    return failure();
  planReturn();
  return std::move(blockPlan);
}

FailureOr<FunctionPlan> lgc::planFunction(func::FuncOp function, const NamedBuffers &named) {
  return FunctionPlanner(function, named).plan();
}
