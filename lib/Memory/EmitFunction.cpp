//===- EmitFunction.cpp - Planned functions on the arena ------------------===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "FunctionPlan.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace lgc;

namespace {

class FunctionEmitter {
public:
  FunctionEmitter(const FunctionPlan &plan, Value arena, SymbolTable &symbols)
      : plan(plan), arena(arena), symbols(symbols), builder(arena.getContext()) {
    for (const PlannedCopy &copy : plan.copies)
      copies[copy.before].push_back(&copy);
  }

  /// Names what the function finds in the arena, what it leaves there and what it updates, and
  /// says which values these are (the numbers in `lgc.reads`, and `lgc.writes` of results, then
  /// updates).
  void setNames(func::FuncOp planned, func::FuncOp function);
  void emitBlock(Block &from, Block &to, Block::iterator before);

private:
  Value emitView(Location loc, const Place &place, RankedTensorType type);
  Value emitView(Location loc, Value value) {
    return emitView(loc, plan.places.lookup(value), cast<RankedTensorType>(value.getType()));
  }
  void emitCopies(Operation *before);
  void emitLaunch(LaunchOp launch);
  void emitLoop(MicroBatchesOp loop);
  FlatSymbolRefAttr getCopyKernel(Location loc, RankedTensorType type);
  int64_t getNumber(Value value);
  DenseI64ArrayAttr getNumbers(ValueRange values);
  void setValues(LaunchOp launch, ValueRange read, ValueRange written);
  void numberLoop(MicroBatchesOp loop);
  void setCarried(scf::ForOp emitted, MicroBatchesOp loop);

  const FunctionPlan &plan;
  Value arena;
  SymbolTable &symbols;
  OpBuilder builder;
  DenseMap<Operation *, SmallVector<const PlannedCopy *>> copies;
  DenseMap<Operation *, Value> counters;
  DenseMap<Type, FlatSymbolRefAttr> copyKernels;
  /// Numbers of values, for whoever checks the plan; views have that of what they view.
  DenseMap<Value, int64_t> numbers;
};

} // namespace

/// The element type in memory: integers without sign.
static MemRefType getBufferType(RankedTensorType type) {
  Type element = type.getElementType();
  if (auto integer = dyn_cast<IntegerType>(element))
    element = IntegerType::get(type.getContext(), integer.getWidth());
  return MemRefType::get(type.getShape(), element);
}

Value FunctionEmitter::emitView(Location loc, const Place &place, RankedTensorType type) {
  Value shift = arith::ConstantIndexOp::create(builder, loc, plan.blocks[place.block].offset);
  if (MicroBatchesOp loop = place.loop) {
    Value size = arith::ConstantIndexOp::create(builder, loc, place.pieceBytes);
    Value distance = arith::MulIOp::create(builder, loc, counters.lookup(loop), size);
    shift = arith::AddIOp::create(builder, loc, shift, distance);
  }
  return memref::ViewOp::create(builder, loc, getBufferType(type), arena, shift, ValueRange());
}

/// A kernel that copies a tensor: a reshape to its own shape.
FlatSymbolRefAttr FunctionEmitter::getCopyKernel(Location loc, RankedTensorType type) {
  FlatSymbolRefAttr &name = copyKernels[type];
  if (name)
    return name;
  auto kernel = func::FuncOp::create(loc, "copy", builder.getFunctionType(type, type));
  kernel.setPrivate();
  kernel->setAttr(LgcDialect::kKernelAttr, builder.getUnitAttr());
  OpBuilder inner = OpBuilder::atBlockBegin(kernel.addEntryBlock());
  Value copy = ReshapeOp::create(inner, loc, type, kernel.getArgument(0));
  func::ReturnOp::create(inner, loc, copy);
  symbols.insert(kernel);
  return name = FlatSymbolRefAttr::get(kernel);
}

//===----------------------------------------------------------------------===//
// What each buffer is meant to hold
//===----------------------------------------------------------------------===//

int64_t FunctionEmitter::getNumber(Value value) {
  return numbers.try_emplace(getRoot(value), numbers.size()).first->second;
}

DenseI64ArrayAttr FunctionEmitter::getNumbers(ValueRange values) {
  SmallVector<int64_t> list;
  for (Value value : values)
    list.push_back(getNumber(value));
  return builder.getDenseI64ArrayAttr(list);
}

void FunctionEmitter::setValues(LaunchOp launch, ValueRange read, ValueRange written) {
  launch->setAttr("lgc.reads", getNumbers(read));
  launch->setAttr("lgc.writes", getNumbers(written));
}

/// A piece is part of what it is a piece of.
void FunctionEmitter::numberLoop(MicroBatchesOp loop) {
  for (auto [index, batched] : llvm::enumerate(loop.getBatched()))
    numbers[loop.getBody().front().getArgument(1 + index)] = getNumber(batched);
}

/// For each carried value what it is called before the loop, in it, at the end of a pass, and
/// after the loop.
void FunctionEmitter::setCarried(scf::ForOp emitted, MicroBatchesOp loop) {
  Block &body = loop.getBody().front();
  auto arguments = body.getArguments().drop_front(1 + loop.getBatched().size());
  emitted->setAttr(
      "lgc.carried",
      builder.getArrayAttr({getNumbers(loop.getCarried()), getNumbers(ValueRange(arguments)),
                            getNumbers(body.getTerminator()->getOperands()),
                            getNumbers(loop.getResults())}));
  if (Value number = body.getArgument(0); !number.use_empty())
    emitted->setAttr("lgc.counter", builder.getI64IntegerAttr(getNumber(number)));
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

void FunctionEmitter::emitCopies(Operation *before) {
  for (const PlannedCopy *copy : copies.lookup(before)) {
    Location loc = before->getLoc();
    auto type = cast<RankedTensorType>(copy->value.getType());
    Value from = emitView(loc, copy->from, type), to = emitView(loc, copy->to, type);
    auto launch =
        LaunchOp::create(builder, loc, TypeRange(), getCopyKernel(loc, type), from, to, Value());
    setValues(launch, copy->value, copy->becomes);
  }
}

void FunctionEmitter::emitLaunch(LaunchOp launch) {
  Location loc = launch.getLoc();
  SmallVector<Value> inputs, outputs;
  for (Value input : launch.getInputs())
    inputs.push_back(emitView(loc, input));
  for (Value result : launch.getResults())
    outputs.push_back(emitView(loc, result));
  Value scratch;
  if (auto at = plan.scratch.find(launch); at != plan.scratch.end()) {
    const MemoryBlock &block = plan.blocks[at->second];
    Value shift = arith::ConstantIndexOp::create(builder, loc, block.offset);
    scratch =
        memref::ViewOp::create(builder, loc, MemRefType::get({block.bytes}, builder.getI8Type()),
                               arena, shift, ValueRange());
  }
  auto emitted =
      LaunchOp::create(builder, loc, TypeRange(), launch.getKernelAttr(), inputs, outputs, scratch);
  setValues(emitted, launch.getInputs(), launch.getResults());
}

void FunctionEmitter::emitLoop(MicroBatchesOp loop) {
  Location loc = loop.getLoc();
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
  Value one = arith::ConstantIndexOp::create(builder, loc, 1);
  Value count = arith::ConstantIndexOp::create(builder, loc, loop.getCount());
  numberLoop(loop);
  auto emitted = scf::ForOp::create(builder, loc, zero, count, one);
  Value counter = counters[loop] = emitted.getInductionVar();
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(emitted.getBody());
  Block &body = loop.getBody().front();
  if (Value number = body.getArgument(0); !number.use_empty()) {
    Value integer = arith::IndexCastOp::create(builder, loc, builder.getIntegerType(64), counter);
    memref::StoreOp::create(builder, loc, integer, emitView(loc, number), ValueRange());
  }
  setCarried(emitted, loop);
  emitBlock(body, *emitted.getBody(), Block::iterator(emitted.getBody()->getTerminator()));
}

void FunctionEmitter::emitBlock(Block &from, Block &to, Block::iterator before) {
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(&to, before);
  for (Operation &op : from) {
    emitCopies(&op);
    if (auto launch = dyn_cast<LaunchOp>(op))
      emitLaunch(launch);
    else if (auto loop = dyn_cast<MicroBatchesOp>(op))
      emitLoop(loop);
    else if (auto echo = dyn_cast<EchoOp>(op))
      PrintOp::create(builder, echo.getLoc(), echo.getLabel());
  }
}

void FunctionEmitter::setNames(func::FuncOp planned, func::FuncOp function) {
  SmallVector<Attribute> arguments, results, updated;
  SmallVector<Value> written, overwritten;
  for (unsigned i = 0; i < function.getNumArguments(); ++i)
    arguments.push_back(function.getArgAttr(i, LgcDialect::kNameAttr));
  Operation *terminator = function.getBody().front().getTerminator();
  for (auto [i, value] : llvm::enumerate(terminator->getOperands())) {
    Attribute update = function.getResultAttr(i, LgcDialect::kUpdatesAttr);
    (update ? updated : results)
        .push_back(update ? update : function.getResultAttr(i, LgcDialect::kNameAttr));
    (update ? overwritten : written).push_back(value);
  }
  planned->setAttr("lgc.arguments", builder.getArrayAttr(arguments));
  planned->setAttr("lgc.results", builder.getArrayAttr(results));
  planned->setAttr("lgc.updated", builder.getArrayAttr(updated));
  planned->setAttr("lgc.reads", getNumbers(ValueRange(function.getArguments())));
  llvm::append_range(written, overwritten);
  planned->setAttr("lgc.writes", getNumbers(written));
}

void lgc::emitPlannedFunction(func::FuncOp function, const FunctionPlan &plan, int64_t arenaBytes,
                              SymbolTable &symbols) {
  OpBuilder builder(function);
  auto arenaType = MemRefType::get({arenaBytes}, builder.getI8Type());
  auto planned = func::FuncOp::create(builder, function.getLoc(), function.getName(),
                                      builder.getFunctionType(arenaType, {}));
  Block *entry = planned.addEntryBlock();
  OpBuilder atEnd = OpBuilder::atBlockEnd(entry);
  func::ReturnOp::create(atEnd, function.getLoc());
  FunctionEmitter emitter(plan, entry->getArgument(0), symbols);
  emitter.setNames(planned, function);
  emitter.emitBlock(function.getBody().front(), *entry, Block::iterator(entry->getTerminator()));
  symbols.remove(function);
  function.erase();
  symbols.insert(planned);
}
