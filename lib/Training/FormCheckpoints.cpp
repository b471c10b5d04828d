//===- FormCheckpoints.cpp - Regions of the forward pass to recompute -----===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "lgc/IR/LgcOps.h"
#include "lgc/Training/Training.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/GlobPattern.h"
#include <map>

using namespace mlir;
using namespace lgc;

namespace lgc {
#define GEN_PASS_DEF_FORMCHECKPOINTSPASS
#include "lgc/Training/Passes.h.inc"
} // namespace lgc

namespace {

/// A pattern of names, part by part.
class PathPattern {
public:
  static llvm::Expected<PathPattern> create(StringRef text);

  /// The start of the name that the pattern matches, up to the end of a part.
  std::optional<StringRef> match(StringRef name) const;
  size_t size() const { return parts.size(); }
  StringRef getText() const { return text; }

private:
  std::string text;
  std::vector<llvm::GlobPattern> parts;
};

using Members = SmallVector<Operation *>;
/// The name of the region that an operation belongs to, if any.
using GetRegion = llvm::function_ref<std::optional<StringRef>(Operation *)>;

} // namespace

static constexpr const char *separators = "./";

llvm::Expected<PathPattern> PathPattern::create(StringRef text) {
  PathPattern pattern;
  pattern.text = text.str();
  StringRef rest = text.ltrim(separators);
  while (!rest.empty()) {
    size_t end = rest.find_first_of(separators);
    auto part = llvm::GlobPattern::create(rest.take_front(end));
    if (!part)
      return part.takeError();
    pattern.parts.push_back(std::move(*part));
    rest = end == StringRef::npos ? StringRef() : rest.drop_front(end + 1);
  }
  return pattern;
}

std::optional<StringRef> PathPattern::match(StringRef name) const {
  size_t at = name.size() - name.ltrim(separators).size();
  for (auto [number, part] : llvm::enumerate(parts)) {
    if (at >= name.size())
      return std::nullopt;
    size_t end = std::min(name.find_first_of(separators, at), name.size());
    if (!part.match(name.slice(at, end)))
      return std::nullopt;
    if (number + 1 == parts.size())
      return name.take_front(end);
    at = end + 1;
  }
  return std::nullopt;
}

/// The names in a location: of the module, which comes last, then of the node.
static SmallVector<StringRef> getNames(Operation *op) {
  SmallVector<StringRef> names;
  op->getLoc()->walk([&](Location loc) {
    if (auto name = dyn_cast<NameLoc>(loc))
      names.push_back(name.getName());
    return WalkResult::advance();
  });
  std::reverse(names.begin(), names.end());
  return names;
}

/// The region that the file asks for, at one level of its nesting: the first parts of a
/// path such as `outer/inner`.
static std::optional<StringRef> getRequestedRegion(Operation *op, size_t level) {
  StringAttr path;
  op->getLoc()->walk([&](Location loc) {
    auto fused = dyn_cast<FusedLoc>(loc);
    path = fused ? dyn_cast_or_null<StringAttr>(fused.getMetadata()) : nullptr;
    return path ? WalkResult::interrupt() : WalkResult::advance();
  });
  if (!path)
    return std::nullopt;
  size_t end = 0;
  for (size_t i = 0; i <= level; ++i) {
    if (end == StringRef::npos)
      return std::nullopt;
    end = path.getValue().find('/', i == 0 ? 0 : end + 1);
  }
  return path.getValue().take_front(end);
}

/// Whether the value follows from constants alone.
static bool isConstant(Value value) {
  Operation *op = value.getDefiningOp();
  return op && isPure(op) && op->getNumRegions() == 0 &&
         llvm::all_of(op->getOperands(), isConstant);
}

/// Adds what lies on paths between members, in the block's order.
static Members closeUnderPaths(Block &block, ArrayRef<Operation *> members) {
  llvm::SmallPtrSet<Operation *, 32> after(members.begin(), members.end()), before = after;
  Operation *first = members.front(), *last = members.back();
  auto inside = llvm::make_range(first->getIterator(), std::next(last->getIterator()));
  for (Operation &op : inside)
    if (llvm::any_of(op.getOperands(),
                     [&](Value operand) { return after.contains(operand.getDefiningOp()); }))
      after.insert(&op);
  for (Operation &op : llvm::reverse(inside))
    if (llvm::any_of(op.getUsers(), [&](Operation *user) {
          return before.contains(block.findAncestorOpInBlock(*user));
        }))
      before.insert(&op);
  Members closed;
  for (Operation &op : inside)
    if (after.contains(&op) && before.contains(&op))
      closed.push_back(&op);
  return closed;
}

/// Moves what stands between members but waits for them behind the last.
static void gather(ArrayRef<Operation *> members) {
  llvm::SmallPtrSet<Operation *, 32> inside(members.begin(), members.end()), waiting = inside;
  Members moved;
  for (Operation *op = members.front(); op != members.back(); op = op->getNextNode())
    if (!inside.contains(op) && llvm::any_of(op->getOperands(), [&](Value operand) {
          return waiting.contains(operand.getDefiningOp());
        })) {
      waiting.insert(op);
      moved.push_back(op);
    }
  Operation *last = members.back();
  for (Operation *op : moved) {
    op->moveAfter(last);
    last = op;
  }
}

/// Copies what follows from constants to where it is used in the region.
static Value copyConstant(OpBuilder &builder, IRMapping &mapping, Value value) {
  if (Value known = mapping.lookupOrNull(value))
    return known;
  Operation *op = value.getDefiningOp();
  for (Value operand : op->getOperands())
    copyConstant(builder, mapping, operand);
  builder.clone(*op, mapping);
  return mapping.lookup(value);
}

static void formRegion(Block &block, StringRef name, ArrayRef<Operation *> requested) {
  Members members = closeUnderPaths(block, requested);
  gather(members);
  llvm::SmallPtrSet<Operation *, 32> inside(members.begin(), members.end());
  llvm::SetVector<Value> inputs;
  SmallVector<Value> outputs;
  for (Operation *op : members) {
    for (Value operand : op->getOperands())
      if (!inside.contains(operand.getDefiningOp()) && !isConstant(operand))
        inputs.insert(operand);
    for (Value result : op->getResults())
      if (llvm::any_of(result.getUsers(), [&](Operation *user) {
            return !inside.contains(block.findAncestorOpInBlock(*user));
          }))
        outputs.push_back(result);
  }
  OpBuilder builder(members.back());
  auto region = CheckpointOp::create(builder, members.back()->getLoc(), TypeRange(outputs), name,
                                     inputs.getArrayRef());
  SmallVector<Location> locations(inputs.size(), region.getLoc());
  Block *body = builder.createBlock(&region.getBody(), {},
                                    ValueRange(inputs.getArrayRef()).getTypes(), locations);
  IRMapping mapping;
  mapping.map(inputs.getArrayRef(), body->getArguments());
  for (Operation *op : members) {
    op->moveBefore(body, body->end());
    builder.setInsertionPoint(op);
    for (OpOperand &operand : op->getOpOperands())
      if (!inside.contains(operand.get().getDefiningOp()))
        operand.set(isConstant(operand.get()) ? copyConstant(builder, mapping, operand.get())
                                              : mapping.lookup(operand.get()));
  }
  builder.setInsertionPointToEnd(body);
  YieldOp::create(builder, region.getLoc(), outputs);
  for (auto [output, result] : llvm::zip_equal(outputs, region.getResults()))
    output.replaceUsesWithIf(result,
                             [&](OpOperand &use) { return use.getOwner()->getBlock() != body; });
}

/// Forms the regions of one level in a block and in those formed before; whether there are any.
static bool formRegions(Block &block, GetRegion getRegion) {
  llvm::MapVector<StringRef, Members> regions;
  bool formed = false;
  for (Operation &op : block.without_terminator()) {
    if (auto nested = dyn_cast<CheckpointOp>(op))
      formed |= formRegions(nested.getBody().front(), getRegion);
    else if (std::optional<StringRef> name = getRegion(&op);
             name && !op.hasTrait<mlir::OpTrait::ConstantLike>())
      regions[*name].push_back(&op);
  }
  for (auto &[name, members] : regions) {
    // A region formed before may have taken some of them.
    llvm::erase_if(members, [&](Operation *op) { return op->getBlock() != &block; });
    if (!members.empty()) {
      llvm::sort(members, [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
      formRegion(block, name, members);
      formed = true;
    }
  }
  return formed;
}

namespace {
struct FormCheckpointsPass : lgc::impl::FormCheckpointsPassBase<FormCheckpointsPass> {
  using FormCheckpointsPassBase::FormCheckpointsPassBase;

  void runOnOperation() override {
    auto forward = getOperation().lookupSymbol<func::FuncOp>("training_forward");
    if (!forward) {
      getOperation().emitError("has no function 'training_forward'; import a model for training");
      return signalPassFailure();
    }
    Block &block = forward.getBody().front();
    if (!patterns.empty())
      return formMatched(forward, block);
    size_t level = 0;
    while (formRegions(block, [&](Operation *op) { return getRequestedRegion(op, level); }))
      ++level;
  }

private:
  void formMatched(func::FuncOp forward, Block &block) {
    // By their number of parts: regions of short patterns hold those of longer ones.
    std::multimap<size_t, PathPattern> parsed;
    SmallVector<StringRef> texts;
    StringRef(patterns).split(texts, ',', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
    for (StringRef text : texts) {
      llvm::Expected<PathPattern> pattern = PathPattern::create(text.trim());
      if (!pattern) {
        forward.emitError("can't recompute '")
            << text.trim() << "': " << llvm::toString(pattern.takeError())
            << "; write a pattern such as model.layers.*";
        return signalPassFailure();
      }
      parsed.emplace(pattern->size(), std::move(*pattern));
    }
    for (const auto &entry : parsed) {
      const PathPattern &pattern = entry.second;
      bool formed = formRegions(block, [&](Operation *op) -> std::optional<StringRef> {
        for (StringRef name : getNames(op))
          if (std::optional<StringRef> start = pattern.match(name))
            return start;
        return std::nullopt;
      });
      if (!formed) {
        forward.emitError("can't recompute '")
            << pattern.getText() << "': no node's name or module path starts so; "
            << describeNames(block);
        return signalPassFailure();
      }
    }
  }

  /// A few names of the model, for messages.
  static std::string describeNames(Block &block) {
    constexpr size_t most = 4;
    llvm::SetVector<StringRef> names;
    for (Operation &op : block.without_terminator())
      if (SmallVector<StringRef> own = getNames(&op); !own.empty() && names.size() < most)
        names.insert(own.front());
    if (names.empty())
      return "the model has no names";
    return "names are such as " + llvm::join(names, ", ");
  }
};
} // namespace
