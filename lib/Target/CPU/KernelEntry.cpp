//===- KernelEntry.cpp - The uniform entry of each kernel -----------------===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "KernelEntry.h"
#include "lgc/IR/LgcDialect.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace lgc;

KernelEntries lgc::collectKernelEntries(ModuleOp module) {
  KernelEntries entries;
  MLIRContext *context = module.getContext();
  for (auto kernel : llvm::make_early_inc_range(module.getOps<func::FuncOp>())) {
    if (!kernel->hasAttr(LgcDialect::kKernelAttr))
      continue;
    auto work = kernel->getAttrOfType<DenseI64ArrayAttr>("lgc.work");
    KernelEntry entry;
    entry.name = StringAttr::get(context, kernel.getName() + "_entry");
    entry.numBuffers = kernel.getNumArguments() - 2;
    entry.count = work[0];
    entry.grain = work[1];
    entry.library = kernel->getAttrOfType<StringAttr>("lgc.library");
    entry.descriptor = kernel->getAttrOfType<DenseI64ArrayAttr>("lgc.descriptor");
    entry.arguments = kernel->getAttrOfType<DenseI64ArrayAttr>("lgc.arguments");
    entries.insert({kernel.getSymNameAttr(), entry});
    if (entry.library)
      kernel.erase();
    else
      kernel->setAttr("llvm.linkage", LLVM::LinkageAttr::get(context, LLVM::Linkage::Internal));
  }
  return entries;
}

namespace {

/// Emits the body of one entry.
class EntryEmitter {
public:
  EntryEmitter(ModuleOp module)
      : module(module), builder(OpBuilder::atBlockEnd(module.getBody())),
        pointer(LLVM::LLVMPointerType::get(module.getContext())), word(builder.getI64Type()),
        none(LLVM::LLVMVoidType::get(module.getContext())), loc(module.getLoc()) {}

  void declareRuntime(StringRef name, ArrayRef<Type> types) {
    if (!module.lookupSymbol(name)) {
      OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPointToStart(module.getBody());
      LLVM::LLVMFuncOp::create(builder, loc, name, LLVM::LLVMFunctionType::get(none, types));
    }
  }

  void declareParallelFor() { declareRuntime("lgc_parallel_for", {pointer, pointer, word, word}); }
  void declarePrint() { declareRuntime("lgc_print", {pointer, word}); }

  void emit(StringAttr kernel, const KernelEntry &entry) {
    builder.setInsertionPointToEnd(module.getBody());
    auto function = LLVM::LLVMFuncOp::create(
        builder, loc, entry.name, LLVM::LLVMFunctionType::get(none, {pointer, word, word}),
        LLVM::Linkage::Internal);
    // A launch gives the same bits wherever it stands: inlined, a multiplication of one kernel and
    // an addition of the next could become one rounding.
    function.setNoInline(true);
    Block *block = function.addEntryBlock(builder);
    builder.setInsertionPointToStart(block);
    SmallVector<Value> addresses;
    for (int64_t i = 0; i < entry.numBuffers; ++i) {
      Value slot = LLVM::GEPOp::create(builder, loc, pointer, pointer, block->getArgument(0),
                                       ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(i)});
      addresses.push_back(LLVM::LoadOp::create(builder, loc, pointer, slot));
    }
    if (entry.library) {
      emitLibraryCall(kernel, entry, addresses);
    } else {
      addresses.push_back(block->getArgument(1));
      addresses.push_back(block->getArgument(2));
      LLVM::CallOp::create(builder, loc, TypeRange(), kernel, addresses);
    }
    LLVM::ReturnOp::create(builder, loc, ValueRange());
  }

private:
  void emitLibraryCall(StringAttr kernel, const KernelEntry &entry, ArrayRef<Value> addresses) {
    std::string name = (kernel.getValue() + "_descriptor").str();
    {
      OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPointToStart(module.getBody());
      Type type = LLVM::LLVMArrayType::get(word, entry.descriptor.size());
      LLVM::GlobalOp::create(builder, loc, type, /*isConstant=*/true, LLVM::Linkage::Internal, name,
                             builder.getI64TensorAttr(entry.descriptor.asArrayRef()),
                             /*alignment=*/8);
    }
    SmallVector<Value> operands{LLVM::AddressOfOp::create(builder, loc, pointer, name)};
    for (int64_t argument : entry.arguments.asArrayRef())
      operands.push_back(argument < 0 ? Value(LLVM::ZeroOp::create(builder, loc, pointer))
                                      : addresses[argument]);
    declareRuntime(entry.library, SmallVector<Type>(operands.size(), pointer));
    LLVM::CallOp::create(builder, loc, TypeRange(), entry.library, operands);
  }

  ModuleOp module;
  OpBuilder builder;
  Type pointer, word, none;
  Location loc;
};

} // namespace

void lgc::emitKernelEntries(ModuleOp module, const KernelEntries &entries) {
  EntryEmitter emitter(module);
  emitter.declareParallelFor();
  emitter.declarePrint();
  for (const auto &[kernel, entry] : entries)
    emitter.emit(kernel, entry);
}
