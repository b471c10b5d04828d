//===- PoisonMemory.cpp - A step that overwrites what it no longer needs --===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//
//
// Liveness of bytes, backwards, on the arena alone: it uses neither the planner's blocks nor the
// numbers of values that lgc-verify-memory goes by.
//
//===----------------------------------------------------------------------===//

#include "lgc/IR/LgcOps.h"
#include "lgc/Memory/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/ADT/BitVector.h"

using namespace mlir;
using namespace lgc;

namespace lgc {
#define GEN_PASS_DEF_POISONMEMORYPASS
#include "lgc/Memory/Passes.h.inc"
} // namespace lgc

namespace {

/// Bytes of the arena.
struct Bytes {
  int64_t begin, end;
};

/// Finds where bytes die in a function on the arena, and overwrites them there.
class Poisoner {
public:
  Poisoner(func::FuncOp function, ArrayRef<BufferOp> buffers);
  void run();

private:
  using Segments = llvm::BitVector;

  void collectBoundaries(ArrayRef<BufferOp> buffers);
  /// A view's bytes; none for a piece of a batch, which is a part of an input.
  std::optional<Bytes> getBytes(Value view) const;
  void set(Segments &segments, Bytes range) const;
  Segments getSegments(ValueRange views) const;
  /// Goes back over a block from what is live behind it to what is live before it. Overwrites what
  /// dies on the way if `emit` says so.
  void visit(Block &block, Segments &live, bool emit);
  void poison(OpBuilder &builder, Location loc, const Segments &segments);

  func::FuncOp function;
  /// Where views and buffers begin and end, in order: segments lie between two of them.
  std::vector<int64_t> boundaries;
  /// What has to be there when the function has returned, and what it finds when it starts.
  Segments kept;
};

} // namespace

static Bytes getBufferBytes(BufferOp buffer) {
  int64_t begin = buffer.getOffset();
  return {begin, begin + getTensorBytes(buffer.getType())};
}

std::optional<Bytes> Poisoner::getBytes(Value value) const {
  auto view = value.getDefiningOp<memref::ViewOp>();
  std::optional<int64_t> begin =
      view ? getConstantIntValue(view.getByteShift()) : std::optional<int64_t>();
  if (!begin)
    return std::nullopt;
  MemRefType type = view.getType();
  return Bytes{*begin, *begin + type.getNumElements() * getElementBytes(type.getElementType())};
}

void Poisoner::collectBoundaries(ArrayRef<BufferOp> buffers) {
  auto add = [&](Bytes range) {
    boundaries.push_back(range.begin);
    boundaries.push_back(range.end);
  };
  add({0, cast<MemRefType>(function.getArgument(0).getType()).getNumElements()});
  for (BufferOp buffer : buffers)
    add(getBufferBytes(buffer));
  function.walk([&](memref::ViewOp view) {
    if (std::optional<Bytes> range = getBytes(view))
      add(*range);
  });
  llvm::sort(boundaries);
  boundaries.erase(llvm::unique(boundaries), boundaries.end());
}

Poisoner::Poisoner(func::FuncOp function, ArrayRef<BufferOp> buffers) : function(function) {
  collectBoundaries(buffers);
  kept.resize(boundaries.size());
  auto results = function->getAttrOfType<ArrayAttr>("lgc.results");
  for (BufferOp buffer : buffers)
    if (buffer.getRole() != Role::Output || llvm::is_contained(results, buffer.getNameAttr()))
      set(kept, getBufferBytes(buffer));
}

void Poisoner::set(Segments &segments, Bytes range) const {
  auto index = [&](int64_t byte) {
    return llvm::lower_bound(boundaries, byte) - boundaries.begin();
  };
  if (range.begin < range.end)
    segments.set(index(range.begin), index(range.end));
}

Poisoner::Segments Poisoner::getSegments(ValueRange views) const {
  Segments segments(boundaries.size());
  for (Value view : views)
    if (std::optional<Bytes> range = getBytes(view))
      set(segments, *range);
  return segments;
}

void Poisoner::poison(OpBuilder &builder, Location loc, const Segments &segments) {
  for (int begin = segments.find_first(); begin >= 0;) {
    int end = segments.find_next_unset(begin);
    int64_t bytes = boundaries[end] - boundaries[begin];
    Value shift = arith::ConstantIndexOp::create(builder, loc, boundaries[begin]);
    Value view = memref::ViewOp::create(builder, loc, MemRefType::get({bytes}, builder.getI8Type()),
                                        function.getArgument(0), shift, ValueRange());
    PoisonOp::create(builder, loc, view);
    begin = segments.find_next(end);
  }
}

void Poisoner::visit(Block &block, Segments &live, bool emit) {
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block))) {
    if (auto loop = dyn_cast<scf::ForOp>(op)) {
      Segments behind = live, again = live;
      // What a pass needs from the one before it is live at the end of each.
      visit(*loop.getBody(), again, /*emit=*/false);
      live |= again;
      if (emit) {
        Segments dead = live;
        dead.reset(behind);
        OpBuilder builder(op.getContext());
        builder.setInsertionPointAfter(&op);
        poison(builder, op.getLoc(), dead);
      }
      visit(*loop.getBody(), live, emit);
      live |= again;
      continue;
    }
    Segments read(boundaries.size()), written = read;
    if (auto launch = dyn_cast<LaunchOp>(op)) {
      read = getSegments(launch.getInputs());
      written = getSegments(launch.getOutputs());
      if (Value scratch = launch.getScratch())
        written |= getSegments(scratch);
    } else if (auto store = dyn_cast<memref::StoreOp>(op)) {
      written = getSegments(store.getMemRef());
    } else {
      continue;
    }
    if (emit) {
      Segments dead = read;
      dead |= written;
      dead.reset(live);
      OpBuilder builder(op.getContext());
      builder.setInsertionPointAfter(&op);
      poison(builder, op.getLoc(), dead);
    }
    live.reset(written);
    live |= read;
    live |= kept;
  }
}

void Poisoner::run() {
  Segments live = kept;
  Block &body = function.getBody().front();
  visit(body, live, /*emit=*/true);
  Segments dead(boundaries.size());
  dead.set(0, boundaries.size() - 1);
  dead.reset(live);
  OpBuilder builder = OpBuilder::atBlockBegin(&body);
  poison(builder, function.getLoc(), dead);
}

namespace {
struct PoisonMemoryPass : lgc::impl::PoisonMemoryPassBase<PoisonMemoryPass> {
  void runOnOperation() override {
    auto step = getOperation().lookupSymbol<func::FuncOp>("train_step");
    if (!step)
      return;
    if (step.getNumArguments() != 1 || !isa<MemRefType>(step.getArgument(0).getType())) {
      step.emitOpError("isn't a function on the arena; plan its memory first");
      return signalPassFailure();
    }
    auto twin = cast<func::FuncOp>(OpBuilder(step).clone(*step));
    twin.setName("train_step_poisoned");
    Poisoner(twin, llvm::to_vector(getOperation().getOps<BufferOp>())).run();
  }
};
} // namespace
