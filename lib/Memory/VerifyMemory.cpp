//===- VerifyMemory.cpp - The contract after memory planning --------------===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//
//
// Shares no code with the planner. A launch says which values it is meant to read and write
// (numbers in `lgc.reads` and `lgc.writes`, taken from the program before planning); the
// replay keeps which value each byte of the arena holds and compares.
//
//===----------------------------------------------------------------------===//

#include "lgc/IR/LgcOps.h"
#include "lgc/Memory/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include <map>

using namespace mlir;
using namespace lgc;

namespace lgc {
#define GEN_PASS_DEF_VERIFYMEMORYPASS
#include "lgc/Memory/Passes.h.inc"
} // namespace lgc

namespace {

struct Bytes {
  int64_t begin, end;
  bool overlaps(const Bytes &other) const { return begin < other.end && other.begin < end; }
  bool operator==(const Bytes &other) const { return begin == other.begin && end == other.end; }
};

/// Which value each byte of the arena holds.
class Contents {
public:
  void write(Bytes bytes, int64_t value) {
    if (bytes.begin == bytes.end)
      return;
    cutAt(bytes.begin);
    cutAt(bytes.end);
    runs.erase(runs.lower_bound(bytes.begin), runs.lower_bound(bytes.end));
    runs[bytes.begin] = {bytes.end, value};
  }
  bool holds(Bytes bytes, int64_t value) const {
    auto at = runs.upper_bound(bytes.begin);
    int64_t reached = bytes.begin;
    if (at != runs.begin())
      --at;
    for (; at != runs.end() && reached < bytes.end && at->first <= reached; ++at) {
      if (at->second.end <= reached)
        continue;
      if (at->second.value != value)
        return false;
      reached = at->second.end;
    }
    return reached >= bytes.end;
  }
  bool contains(int64_t value) const {
    return llvm::any_of(runs, [&](const auto &run) { return run.second.value == value; });
  }
  void rename(int64_t from, int64_t to) {
    for (auto &[begin, run] : runs)
      if (run.value == from)
        run.value = to;
  }

private:
  struct Run {
    int64_t end, value;
  };
  void cutAt(int64_t position) {
    auto at = runs.lower_bound(position);
    if (at == runs.begin())
      return;
    --at;
    if (at->second.end <= position)
      return;
    Run rest = at->second;
    at->second.end = position;
    runs[position] = rest;
  }

  std::map<int64_t, Run> runs;
};

class Replay {
public:
  Replay(func::FuncOp function, SymbolTable &symbols, int64_t arenaBytes)
      : function(function), symbols(symbols), arenaBytes(arenaBytes) {}

  LogicalResult run(ArrayRef<BufferOp> buffers);

private:
  LogicalResult runBlock(Block &block);
  LogicalResult runLaunch(LaunchOp launch);
  LogicalResult runLoop(scf::ForOp loop);
  FailureOr<Bytes> getBytes(Operation *user, Value view);
  std::optional<int64_t> evaluate(Value index);

  func::FuncOp function;
  SymbolTable &symbols;
  int64_t arenaBytes;
  Contents contents;
  DenseMap<Value, int64_t> counters;
};

/// What scratch memory holds after a launch, and no value is.
constexpr int64_t garbage = -1;

} // namespace

static Bytes getBufferBytes(BufferOp buffer) {
  auto type = cast<RankedTensorType>(buffer.getType());
  int64_t begin = buffer.getOffset();
  return {begin, begin + type.getNumElements() * std::max(1u, type.getElementTypeBitWidth() / 8u)};
}

std::optional<int64_t> Replay::evaluate(Value index) {
  if (auto at = counters.find(index); at != counters.end())
    return at->second;
  if (auto constant = getConstantIntValue(index))
    return constant;
  Operation *op = index.getDefiningOp();
  if (!op || !isa<arith::AddIOp, arith::MulIOp>(op))
    return std::nullopt;
  std::optional<int64_t> lhs = evaluate(op->getOperand(0)), rhs = evaluate(op->getOperand(1));
  if (!lhs || !rhs)
    return std::nullopt;
  return isa<arith::AddIOp>(op) ? *lhs + *rhs : *lhs * *rhs;
}

FailureOr<Bytes> Replay::getBytes(Operation *user, Value value) {
  auto view = value.getDefiningOp<memref::ViewOp>();
  if (!view || view.getSource() != function.getArgument(0))
    return user->emitOpError("uses memory that is no view of the arena; plan its memory");
  std::optional<int64_t> begin = evaluate(view.getByteShift());
  if (!begin)
    return user->emitOpError("uses a view whose offset isn't known; make it a constant, or a "
                             "multiple of the loop's counter");
  MemRefType type = view.getType();
  int64_t size = type.getNumElements() * std::max(1u, type.getElementTypeBitWidth() / 8u);
  if (*begin < 0 || *begin + size > arenaBytes)
    return user->emitOpError("uses bytes ")
           << *begin << " to " << *begin + size - 1 << ", beyond the arena of " << arenaBytes;
  return Bytes{*begin, *begin + size};
}

LogicalResult Replay::runLaunch(LaunchOp launch) {
  auto reads = launch->getAttrOfType<DenseI64ArrayAttr>("lgc.reads");
  auto writes = launch->getAttrOfType<DenseI64ArrayAttr>("lgc.writes");
  auto kernel = symbols.lookup<func::FuncOp>(launch.getKernel());
  if (!reads || !writes || !kernel || launch.getNumResults() > 0 ||
      reads.size() != static_cast<int64_t>(launch.getInputs().size()) ||
      writes.size() != static_cast<int64_t>(launch.getOutputs().size()))
    return launch.emitOpError("doesn't say which values its buffers hold; plan memory first");
  SmallVector<Bytes> inputs, outputs;
  for (auto [input, value] : llvm::zip_equal(launch.getInputs(), reads.asArrayRef())) {
    FailureOr<Bytes> bytes = getBytes(launch, input);
    if (failed(bytes))
      return failure();
    if (!contents.holds(*bytes, value))
      return launch.emitOpError("reads value ")
             << value << " from bytes " << bytes->begin << " to " << bytes->end - 1
             << " of the arena, which don't hold it (any more)";
    inputs.push_back(*bytes);
  }
  for (auto [number, output] : llvm::enumerate(launch.getOutputs())) {
    FailureOr<Bytes> bytes = getBytes(launch, output);
    if (failed(bytes))
      return failure();
    for (const Bytes &other : outputs)
      if (bytes->overlaps(other))
        return launch.emitOpError("writes two outputs to the same memory");
    for (auto [argument, input] : llvm::enumerate(inputs)) {
      auto takers = kernel.getArgAttrOfType<DenseI64ArrayAttr>(argument, "lgc.inplace");
      bool mayTakeOver =
          takers && llvm::is_contained(takers.asArrayRef(), static_cast<int64_t>(number));
      if (bytes->overlaps(input) && !(mayTakeOver && *bytes == input))
        return launch.emitOpError("writes output #")
               << number << " over input #" << argument << ", which the kernel still reads";
    }
    outputs.push_back(*bytes);
  }
  if (Value scratch = launch.getScratch()) {
    FailureOr<Bytes> bytes = getBytes(launch, scratch);
    if (failed(bytes))
      return failure();
    auto overlaps = [&](const Bytes &other) { return bytes->overlaps(other); };
    if (llvm::any_of(inputs, overlaps) || llvm::any_of(outputs, overlaps))
      return launch.emitOpError("has scratch memory that overlaps its inputs or outputs");
    contents.write(*bytes, garbage);
  }
  for (auto [bytes, value] : llvm::zip_equal(outputs, writes.asArrayRef()))
    contents.write(bytes, value);
  return success();
}

LogicalResult Replay::runLoop(scf::ForOp loop) {
  auto carried = loop->getAttrOfType<ArrayAttr>("lgc.carried");
  std::optional<int64_t> count = getConstantIntValue(loop.getUpperBound());
  if (!carried || carried.size() != 4 || !count)
    return loop.emitOpError("is no loop over micro-batches; plan memory first");
  auto getValues = [&](unsigned i) { return cast<DenseI64ArrayAttr>(carried[i]).asArrayRef(); };
  // A value is carried where it lies, unless a copy under the new name was made.
  auto renameAll = [&](unsigned from, unsigned to) {
    for (auto [before, after] : llvm::zip_equal(getValues(from), getValues(to)))
      if (!contents.contains(after))
        contents.rename(before, after);
  };
  renameAll(0, 1);
  for (int64_t i = 0; i < *count; ++i) {
    counters[loop.getInductionVar()] = i;
    if (failed(runBlock(*loop.getBody())))
      return failure();
    renameAll(2, 1);
  }
  renameAll(1, 3);
  return success();
}

LogicalResult Replay::runBlock(Block &block) {
  for (Operation &op : block.without_terminator()) {
    if (auto launch = dyn_cast<LaunchOp>(op)) {
      if (failed(runLaunch(launch)))
        return failure();
    } else if (auto loop = dyn_cast<scf::ForOp>(op)) {
      if (failed(runLoop(loop)))
        return failure();
    } else if (auto store = dyn_cast<memref::StoreOp>(op)) {
      // The number of the micro-batch is the only value that isn't written by a launch.
      auto value = store->getParentOp()->getAttrOfType<IntegerAttr>("lgc.counter");
      FailureOr<Bytes> bytes = getBytes(store, store.getMemRef());
      if (failed(bytes) || !value)
        return failure();
      contents.write(*bytes, value.getInt());
    } else if (!isa<PrintOp, memref::ViewOp, arith::ConstantOp, arith::AddIOp, arith::MulIOp,
                    arith::IndexCastOp>(op)) {
      return op.emitOpError("doesn't belong on the arena; only launches of kernels compute");
    }
  }
  return success();
}

LogicalResult Replay::run(ArrayRef<BufferOp> buffers) {
  auto names = [&](StringRef attribute) {
    auto list = function->getAttrOfType<ArrayAttr>(attribute);
    return list ? list.getValue() : ArrayRef<Attribute>();
  };
  auto reads = function->getAttrOfType<DenseI64ArrayAttr>("lgc.reads");
  auto writes = function->getAttrOfType<DenseI64ArrayAttr>("lgc.writes");
  if (!reads || !writes || function.getNumArguments() != 1 || function.getNumResults() != 0)
    return function.emitOpError("isn't a function on the arena; plan its memory");
  // What the function doesn't take as an argument it must leave alone.
  DenseMap<Attribute, int64_t> expected;
  int64_t other = garbage;
  for (BufferOp buffer : buffers)
    if (buffer.getRole() != Role::Output)
      expected[buffer.getNameAttr()] = --other;
  for (auto [name, value] : llvm::zip_equal(names("lgc.arguments"), reads.asArrayRef()))
    expected[name] = value;
  for (BufferOp buffer : buffers)
    if (auto at = expected.find(buffer.getNameAttr()); at != expected.end())
      contents.write(getBufferBytes(buffer), at->second);
  if (failed(runBlock(function.getBody().front())))
    return failure();
  SmallVector<Attribute> written(names("lgc.results"));
  llvm::append_range(written, names("lgc.updated"));
  for (auto [name, value] : llvm::zip_equal(written, writes.asArrayRef()))
    expected[name] = value;
  for (BufferOp buffer : buffers)
    if (auto at = expected.find(buffer.getNameAttr());
        at != expected.end() && !contents.holds(getBufferBytes(buffer), at->second))
      return buffer.emitOpError("doesn't hold value ")
             << at->second << " after @" << function.getName()
             << "; something else was written there";
  return success();
}

static LogicalResult verifyBuffers(ArrayRef<BufferOp> buffers, int64_t arenaBytes) {
  for (BufferOp buffer : buffers) {
    Bytes bytes = getBufferBytes(buffer);
    if (bytes.begin < 0 || bytes.end > arenaBytes || bytes.begin % 64 != 0)
      return buffer.emitOpError("isn't at a multiple of 64 bytes within the arena");
  }
  SmallVector<BufferOp> fixed;
  for (BufferOp buffer : buffers)
    if (buffer.getRole() != Role::Output)
      fixed.push_back(buffer);
  llvm::sort(fixed, [](BufferOp a, BufferOp b) { return a.getOffset() < b.getOffset(); });
  for (auto [a, b] : llvm::zip(fixed, llvm::drop_begin(fixed)))
    if (getBufferBytes(a).overlaps(getBufferBytes(b)))
      return a.emitOpError("overlaps ") << b.getNameAttr();
  return success();
}

namespace {
struct VerifyMemoryPass : lgc::impl::VerifyMemoryPassBase<VerifyMemoryPass> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    auto bytes = module->getAttrOfType<IntegerAttr>("lgc.arena_bytes");
    SymbolTable symbols(module);
    SmallVector<BufferOp> buffers(module.getOps<BufferOp>());
    if (bytes && failed(verifyBuffers(buffers, bytes.getInt())))
      return signalPassFailure();
    for (auto function : module.getOps<func::FuncOp>()) {
      if (function.isExternal() || function->hasAttr(LgcDialect::kKernelAttr))
        continue;
      if (!bytes) {
        function.emitOpError("has no arena; plan its memory");
        return signalPassFailure();
      }
      if (failed(Replay(function, symbols, bytes.getInt()).run(buffers)))
        return signalPassFailure();
    }
  }
};
} // namespace
