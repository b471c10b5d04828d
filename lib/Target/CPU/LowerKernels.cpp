//===- LowerKernels.cpp - From kernels on tensors to loops ----------------===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "ElementEmitter.h"
#include "KernelLoops.h"
#include "LibraryKernel.h"
#include "lgc/Target/CPU/Passes.h"
#include "lgc/Target/CPU/Scratch.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include <map>

using namespace mlir;
using namespace lgc;

namespace lgc {
#define GEN_PASS_DEF_CPULOWERKERNELSPASS
#include "lgc/Target/CPU/Passes.h.inc"
} // namespace lgc

namespace {

/// For each output of a launch the input whose memory it takes over, or -1.
using InPlaceInputs = SmallVector<int64_t>;

struct CpuLowerKernelsPass : lgc::impl::CpuLowerKernelsPassBase<CpuLowerKernelsPass> {
  void runOnOperation() override;

private:
  FailureOr<StringAttr> getVariant(func::FuncOp kernel, const InPlaceInputs &inPlace,
                                   LaunchOp launch);
  FailureOr<func::FuncOp> lower(func::FuncOp kernel, const InPlaceInputs &inPlace);
  void bindConstants(OpBuilder &builder, KernelLowering &lowering);

  std::map<std::pair<Operation *, InPlaceInputs>, StringAttr> variants;
  /// Globals of the constants that kernels read from memory.
  DenseMap<ElementsAttr, StringAttr> globals;
  SymbolTable *symbols = nullptr;
};

} // namespace

/// Whether two views of the arena start at the same byte. Empty buffers share none.
static bool isSameMemory(Value a, Value b) {
  if (cast<MemRefType>(a.getType()).getNumElements() == 0)
    return false;
  if (a == b)
    return true;
  auto viewA = a.getDefiningOp<memref::ViewOp>(), viewB = b.getDefiningOp<memref::ViewOp>();
  if (!viewA || !viewB || viewA.getSource() != viewB.getSource())
    return false;
  return viewA.getByteShift() == viewB.getByteShift() ||
         (getConstantIntValue(viewA.getByteShift()) &&
          getConstantIntValue(viewA.getByteShift()) == getConstantIntValue(viewB.getByteShift()));
}

static InPlaceInputs getInPlaceInputs(LaunchOp launch) {
  InPlaceInputs inPlace;
  for (Value output : launch.getOutputs()) {
    inPlace.push_back(-1);
    for (auto [i, input] : llvm::enumerate(launch.getInputs()))
      if (isSameMemory(input, output))
        inPlace.back() = i;
  }
  return inPlace;
}

/// Gives each constant that isn't one number a buffer: a global of the module.
void CpuLowerKernelsPass::bindConstants(OpBuilder &builder, KernelLowering &lowering) {
  for (auto op : lowering.kernel.getOps<ConstantOp>()) {
    if (op.getValue().isSplat())
      continue;
    MemRefType type = getBufferType(op.getType());
    StringAttr &name = globals[op.getValue()];
    if (!name) {
      auto dense = cast<DenseElementsAttr>(op.getValue());
      if (dense.getElementType() != type.getElementType())
        dense = dense.bitcast(type.getElementType());
      // The symbol table renames what it inserts, not what the module holds already.
      OpBuilder detached(builder.getContext());
      auto global = memref::GlobalOp::create(detached, op.getLoc(), "lgc_constant",
                                             builder.getStringAttr("private"), type, dense,
                                             /*constant=*/true, builder.getI64IntegerAttr(64));
      name = symbols->insert(global, getOperation().getBody()->begin());
    }
    lowering.inputs[op.getResult()] =
        memref::GetGlobalOp::create(builder, op.getLoc(), type, name.getValue());
  }
}

FailureOr<func::FuncOp> CpuLowerKernelsPass::lower(func::FuncOp kernel,
                                                   const InPlaceInputs &inPlace) {
  std::optional<KernelShape> shape = analyzeKernel(kernel);
  if (!shape)
    return kernel.emitOpError("isn't a group of operations that the CPU target can emit as one "
                              "kernel; fuse less, for example with --fusion=off");
  Block &tensors = kernel.getBody().front();
  SmallVector<Type> types;
  for (Type type : kernel.getArgumentTypes())
    types.push_back(getBufferType(type));
  for (Type type : kernel.getResultTypes())
    types.push_back(getBufferType(type));
  OpBuilder builder(kernel.getContext());
  Location loc = kernel.getLoc();
  int64_t scratchBytes = getCpuScratchBytes(kernel);
  if (scratchBytes > 0)
    types.push_back(MemRefType::get({scratchBytes}, builder.getI8Type()));
  types.append(2, builder.getIndexType());

  auto function = func::FuncOp::create(loc, kernel.getName(), builder.getFunctionType(types, {}));
  function.setPrivate();
  function->setAttr(LgcDialect::kKernelAttr, builder.getUnitAttr());
  symbols->insert(function, Block::iterator(kernel));
  Block *entry = function.addEntryBlock();
  builder.setInsertionPointToStart(entry);

  unsigned numInputs = kernel.getNumArguments();
  KernelLowering lowering;
  lowering.kernel = kernel;
  lowering.shape = *shape;
  lowering.end = entry->getArguments().back();
  lowering.begin = entry->getArgument(entry->getNumArguments() - 2);
  if (scratchBytes > 0)
    lowering.scratch = entry->getArgument(entry->getNumArguments() - 3);
  for (auto [i, argument] : llvm::enumerate(tensors.getArguments()))
    lowering.inputs[argument] = entry->getArgument(i);
  for (auto [i, output] : llvm::enumerate(tensors.getTerminator()->getOperands())) {
    Value buffer = entry->getArgument(numInputs + i);
    lowering.outputs.push_back({output, buffer});
    if (inPlace[i] >= 0) {
      Value input = tensors.getArgument(inPlace[i]);
      auto type = cast<MemRefType>(lowering.inputs[input].getType());
      // Another shape of the same elements is another view of the same buffer.
      if (buffer.getType() != type) {
        buffer = memref::ReinterpretCastOp::create(builder, loc, type, buffer, 0, type.getShape(),
                                                   computeStrides(type.getShape()));
      }
      lowering.inputs[input] = buffer;
    }
  }

  bindConstants(builder, lowering);

  KernelWork work;
  switch (shape->kind) {
  case KernelKind::Loop:
    work = emitLoopKernel(builder, lowering);
    break;
  case KernelKind::Reduction:
    work = emitReductionKernel(builder, lowering);
    break;
  case KernelKind::SingleReduction:
    work = emitSingleReductionKernel(builder, lowering);
    break;
  case KernelKind::OwnLoops:
    work = emitOwnLoopsKernel(builder, lowering);
    break;
  case KernelKind::Library:
    if (failed(describeLibraryCall(lowering, function)))
      return failure();
    break;
  }
  builder.setInsertionPointToEnd(entry);
  func::ReturnOp::create(builder, loc);
  function->setAttr("lgc.work", builder.getDenseI64ArrayAttr({work.count, work.grain}));
  for (unsigned i = 0, e = types.size() - 2; i < e; ++i)
    function.setArgAttr(i, LLVM::LLVMDialect::getNoAliasAttrName(), builder.getUnitAttr());
  return function;
}

FailureOr<StringAttr> CpuLowerKernelsPass::getVariant(func::FuncOp kernel,
                                                      const InPlaceInputs &inPlace,
                                                      LaunchOp launch) {
  StringAttr &name = variants[{kernel, inPlace}];
  if (name)
    return name;
  std::optional<KernelShape> shape = analyzeKernel(kernel);
  bool takesOver = llvm::any_of(inPlace, [](int64_t input) { return input >= 0; });
  // Of kernels with own loops only those are marked that can (`lgc.inplace`).
  if (takesOver && shape && shape->kind != KernelKind::Loop &&
      shape->kind != KernelKind::Reduction && shape->kind != KernelKind::OwnLoops)
    return launch.emitOpError("runs in place a kernel that can't; plan a buffer of its own for "
                              "each of its outputs");
  FailureOr<func::FuncOp> function = lower(kernel, inPlace);
  if (failed(function))
    return failure();
  name = function->getSymNameAttr();
  return name;
}

void CpuLowerKernelsPass::runOnOperation() {
  ModuleOp module = getOperation();
  SymbolTable symbolTable(module);
  symbols = &symbolTable;
  variants.clear();
  globals.clear();
  SmallVector<func::FuncOp> kernels;
  for (auto function : module.getOps<func::FuncOp>())
    if (function->hasAttr(LgcDialect::kKernelAttr))
      kernels.push_back(function);
  WalkResult result = module.walk([&](LaunchOp launch) {
    auto kernel = symbolTable.lookup<func::FuncOp>(launch.getKernel());
    if (!kernel || launch.getNumResults() > 0) {
      launch.emitOpError("has no planned buffers; plan memory before the CPU target");
      return WalkResult::interrupt();
    }
    FailureOr<StringAttr> variant = getVariant(kernel, getInPlaceInputs(launch), launch);
    if (failed(variant))
      return WalkResult::interrupt();
    launch.setKernelAttr(FlatSymbolRefAttr::get(*variant));
    return WalkResult::advance();
  });
  if (result.wasInterrupted())
    return signalPassFailure();
  for (func::FuncOp kernel : kernels)
    symbolTable.erase(kernel);
}
