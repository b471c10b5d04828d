//===- RecomputationProblem.cpp - Launches as plain steps -----------------===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "RecomputationProblem.h"
#include "PartialKernel.h"
#include "lgc/Memory/Passes.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace lgc;

int64_t lgc::getPlacedBytes(Type type) {
  return static_cast<int64_t>(llvm::alignTo(getTensorBytes(type), 64));
}

/// Operands of an operation, and of those nested in it, that the block defines.
static SmallVector<OpOperand *> getOperands(Operation *op, Block &block) {
  SmallVector<OpOperand *> operands;
  op->walk([&](Operation *nested) {
    for (OpOperand &operand : nested->getOpOperands())
      if (operand.get().getParentBlock() == &block || nested == op)
        operands.push_back(&operand);
  });
  return operands;
}

static func::FuncOp getKernel(LaunchOp launch) {
  return SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(launch, launch.getKernelAttr());
}

/// Whether a kernel reads an operand so that a result may take over its memory.
static bool mayTakeOver(func::FuncOp kernel, unsigned operand, unsigned result) {
  auto results = kernel.getArgAttrOfType<DenseI64ArrayAttr>(operand, "lgc.inplace");
  return results && llvm::is_contained(results.asArrayRef(), static_cast<int64_t>(result));
}

/// Nanoseconds of a launch: what fusion has estimated, else of moving its bytes.
static int64_t getCost(LaunchOp launch, func::FuncOp kernel) {
  if (auto cost = kernel->getAttrOfType<IntegerAttr>(kCostAttr))
    return cost.getInt();
  return 1500 +
         (getTensorBytes(launch->getOperandTypes()) + getTensorBytes(launch->getResultTypes())) /
             10;
}

//===----------------------------------------------------------------------===//
// Reading a block
//===----------------------------------------------------------------------===//

BlockProblem::BlockProblem(Block &block) : block(block) {
  for (Operation &op : block.without_terminator())
    if (!isa<ViewOpInterface>(op) || isa<EchoOp>(op))
      addStep(&op);
  addTerminator();
  for (unsigned number = 0; number < problem.steps.size(); ++number)
    if (!problem.steps[number].onceWrites.empty())
      separateRepetition(number);
}

unsigned BlockProblem::getTensor(Value root) {
  auto [at, isNew] = tensors.try_emplace(root, problem.tensors.size());
  if (isNew) {
    Operation *producer = root.getDefiningOp();
    bool isOurs = producer && producer->getBlock() == &block;
    problem.tensors.push_back({isOurs ? getPlacedBytes(root.getType()) : 0, !isOurs, false});
  }
  return at->second;
}

void BlockProblem::addStep(Operation *op) {
  recomputation::Step step;
  llvm::SetVector<unsigned> reads;
  for (OpOperand *operand : getOperands(op, block))
    reads.insert(getTensor(getRoot(operand->get())));
  step.reads.assign(reads.begin(), reads.end());
  step.mayRepeat = isa<LaunchOp>(op);
  if (!isa<EchoOp>(op))
    for (Value result : op->getResults())
      step.writes.push_back(getTensor(result));
  if (auto launch = dyn_cast<LaunchOp>(op))
    addLaunch(launch, step);
  if (auto loop = dyn_cast<MicroBatchesOp>(op))
    for (auto [first, last] : llvm::zip_equal(loop.getCarried(), loop.getResults()))
      step.inPlace.push_back({getTensor(getRoot(first)), getTensor(last)});
  steps[op] = operations.size();
  operations.push_back(op);
  problem.steps.push_back(std::move(step));
}

void BlockProblem::addLaunch(LaunchOp launch, recomputation::Step &step) {
  func::FuncOp kernel = getKernel(launch);
  step.cost = getCost(launch, kernel);
  if (auto bytes = kernel->getAttrOfType<IntegerAttr>("lgc.scratch_bytes"))
    step.scratchBytes = static_cast<int64_t>(llvm::alignTo(bytes.getInt(), 64));
  llvm::SmallDenseSet<unsigned> taken;
  for (auto [number, result] : llvm::enumerate(launch.getResults()))
    for (auto [index, input] : llvm::enumerate(launch.getInputs())) {
      Value root = getRoot(input);
      if (mayTakeOver(kernel, index, number) &&
          getTensorBytes(root.getType()) == getTensorBytes(result.getType()) &&
          llvm::count_if(launch.getInputs(), [&](Value v) { return getRoot(v) == root; }) == 1 &&
          taken.insert(getTensor(root)).second) {
        step.inPlace.push_back({getTensor(root), getTensor(result)});
        break;
      }
    }
}

/// What leaves the block lives to its end, in the memory of the old value where it can.
void BlockProblem::addTerminator() {
  Operation *terminator = block.getTerminator();
  auto function = dyn_cast<func::FuncOp>(block.getParentOp());
  for (auto [number, value] : llvm::enumerate(terminator->getOperands())) {
    Value root = getRoot(value), old;
    problem.tensors[getTensor(root)].isNeededAtEnd = true;
    if (!function) {
      auto loop = cast<MicroBatchesOp>(block.getParentOp());
      old = block.getArgument(1 + loop.getBatched().size() + number);
    } else if (auto name =
                   function.getResultAttrOfType<StringAttr>(number, LgcDialect::kUpdatesAttr)) {
      for (BlockArgument argument : block.getArguments())
        if (function.getArgAttr(argument.getArgNumber(), LgcDialect::kNameAttr) == name)
          old = argument;
    }
    auto result = dyn_cast<OpResult>(root);
    if (old && result && result.getOwner()->getBlock() == &block)
      overwrite(result, old);
  }
}

/// The new value of `old` is made once, and written there if nothing reads `old` later.
void BlockProblem::overwrite(OpResult result, Value old) {
  unsigned number = steps[result.getOwner()], oldTensor = getTensor(old);
  recomputation::Step &step = problem.steps[number];
  if (unsigned written = getTensor(result); !llvm::is_contained(step.onceWrites, written))
    step.onceWrites.push_back(written);
  for (const recomputation::Step &later : ArrayRef(problem.steps).drop_front(number + 1))
    if (llvm::is_contained(later.reads, oldTensor))
      return;
  if (auto launch = dyn_cast<LaunchOp>(result.getOwner())) {
    for (auto [index, input] : llvm::enumerate(launch.getInputs()))
      if (getRoot(input) == old && !mayTakeOver(getKernel(launch), index, result.getResultNumber()))
        return;
  } else {
    auto loop = cast<MicroBatchesOp>(result.getOwner());
    if (getRoot(loop.getCarried()[result.getResultNumber()]) != old)
      return;
  }
  unsigned written = getTensor(result);
  llvm::erase_if(step.inPlace, [&](auto pair) { return pair.second == written; });
  step.destroys.push_back(oldTensor);
  problem.tensors[written].bytes = 0;
}

/// The results of a launch that a repetition makes.
static llvm::BitVector findRepeated(LaunchOp launch, llvm::function_ref<bool(Value)> isOnce) {
  llvm::BitVector results(launch.getNumResults());
  for (OpResult result : launch->getResults())
    if (!isOnce(result))
      results.set(result.getResultNumber());
  return results;
}

/// Says what a step reads that makes new values of parameters or states when it runs again without
/// these; a step that makes nothing else doesn't.
void BlockProblem::separateRepetition(unsigned number) {
  recomputation::Step &step = problem.steps[number];
  auto launch = dyn_cast<LaunchOp>(operations[number]);
  if (!launch || step.onceWrites.size() == step.writes.size()) {
    step.mayRepeat = false;
    step.onceWrites.clear();
    return;
  }
  llvm::BitVector results = findRepeated(
      launch, [&](Value result) { return llvm::is_contained(step.onceWrites, getTensor(result)); });
  llvm::BitVector arguments = findNeededArguments(getKernel(launch), results);
  llvm::SmallDenseSet<unsigned> needed;
  for (unsigned argument : arguments.set_bits())
    needed.insert(getTensor(getRoot(launch.getInputs()[argument])));
  for (unsigned tensor : step.reads)
    if (!needed.contains(tensor))
      step.onceReads.push_back(tensor);
}

//===----------------------------------------------------------------------===//
// Writing a block
//===----------------------------------------------------------------------===//

namespace {

/// The latest copies of values while a block is written anew.
class LatestCopies {
public:
  explicit LatestCopies(Block &block) : block(block), builder(block.getTerminator()) {}

  /// Lets the next operation, or the terminator, read the latest copies.
  void redirect(Operation *op) {
    for (OpOperand *operand : getOperands(op, block))
      operand->set(get(operand->get()));
  }
  void add(ValueRange originals, ValueRange results) {
    for (auto [original, result] : llvm::zip_equal(originals, results))
      copies[original] = result;
  }

private:
  /// The latest copy of what a value views, seen as the value sees it.
  Value get(Value value) {
    Value root = getRoot(value);
    Value copy = copies.contains(root) ? copies[root] : root;
    if (copy.getType() == value.getType())
      return copy;
    Value &view = views[{copy, value.getType()}];
    if (!view)
      view = ReshapeOp::create(builder, value.getLoc(), value.getType(), copy);
    return view;
  }

  Block &block;
  OpBuilder builder;
  DenseMap<Value, Value> copies;
  DenseMap<std::pair<Value, Type>, Value> views;
};

} // namespace

/// A copy of a step's operation that makes what a repetition makes, still with the operands of the
/// original, and the results of the original that it makes.
Operation *BlockProblem::repeat(unsigned number, SmallVectorImpl<Value> &originals) {
  Operation *op = operations[number];
  const recomputation::Step &step = problem.steps[number];
  if (step.onceWrites.empty()) {
    llvm::append_range(originals, op->getResults());
    return op->clone();
  }
  auto launch = cast<LaunchOp>(op);
  llvm::BitVector results = findRepeated(
      launch, [&](Value result) { return llvm::is_contained(step.onceWrites, getTensor(result)); });
  func::FuncOp kernel = getKernel(launch);
  SmallVector<Value> inputs;
  for (unsigned argument : findNeededArguments(kernel, results).set_bits())
    inputs.push_back(launch.getInputs()[argument]);
  for (unsigned result : results.set_bits())
    originals.push_back(launch.getResult(result));
  func::FuncOp partial = getPartialKernel(kernel, results);
  OpBuilder builder(block.getParentOp()->getContext());
  return LaunchOp::create(builder, launch.getLoc(), TypeRange(ValueRange(originals)),
                          FlatSymbolRefAttr::get(partial), inputs, ValueRange(), Value());
}

void BlockProblem::apply(const recomputation::Plan &plan) {
  SmallVector<Operation *> views;
  for (Operation &op : block.without_terminator())
    if (isa<ViewOpInterface>(op) && !isa<EchoOp>(op))
      views.push_back(&op);
  // The operands of the originals are what says which views they read.
  SmallVector<std::pair<Operation *, SmallVector<Value>>> sequence;
  llvm::SmallDenseSet<unsigned> done;
  for (unsigned number : plan.sequence) {
    auto &[op, originals] = sequence.emplace_back(operations[number], SmallVector<Value>());
    if (done.insert(number).second)
      llvm::append_range(originals, op->getResults());
    else
      op = repeat(number, originals);
  }
  LatestCopies copies(block);
  for (auto &[op, originals] : sequence) {
    copies.redirect(op);
    if (op->getBlock())
      op->remove();
    block.getOperations().insert(Block::iterator(block.getTerminator()), op);
    if (!isa<EchoOp>(op))
      copies.add(originals, op->getResults());
  }
  copies.redirect(block.getTerminator());
  for (Operation *view : llvm::reverse(views))
    view->erase();
}
