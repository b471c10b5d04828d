//===- LaunchClock.cpp - Time of every launch -----------------------------===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "LaunchClock.h"
#include "lgc/Target/CPU/Jit.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace lgc;

static constexpr StringLiteral tickName = "lgc_launch_end";

void lgc_launch_end(void *clock, int64_t kernel) {
  static_cast<LaunchClock *>(clock)->tick(static_cast<size_t>(kernel));
}

/// The kernel that a call runs; empty if it is no launch.
static StringRef getLaunchedKernel(LLVM::CallOp call) {
  std::optional<StringRef> callee = call.getCallee();
  if (!callee)
    return "";
  StringRef entry = *callee;
  if (entry == "lgc_parallel_for") {
    auto body = call.getArgOperands().front().getDefiningOp<LLVM::AddressOfOp>();
    entry = body ? body.getGlobalName() : StringRef();
  }
  return entry.consume_back("_entry") ? entry : StringRef();
}

void lgc::insertClock(ModuleOp module, LaunchClock &clock) {
  OpBuilder builder(module.getContext());
  builder.setInsertionPointToStart(module.getBody());
  Location loc = module.getLoc();
  Type pointer = LLVM::LLVMPointerType::get(module.getContext());
  Type word = builder.getI64Type(), none = LLVM::LLVMVoidType::get(module.getContext());
  LLVM::LLVMFuncOp::create(builder, loc, tickName,
                           LLVM::LLVMFunctionType::get(none, {pointer, word}));
  llvm::StringMap<int64_t> numbers;
  for (auto function : module.getOps<LLVM::LLVMFuncOp>())
    // Entries call kernels, too, but aren't called by the program.
    if (!function.getName().ends_with("_entry"))
      function.walk([&](LLVM::CallOp call) {
        StringRef kernel = getLaunchedKernel(call);
        if (kernel.empty())
          return;
        auto [at, isNew] = numbers.try_emplace(kernel, numbers.size());
        if (isNew)
          clock.addKernel(kernel);
        builder.setInsertionPointAfter(call);
        Value address = LLVM::ConstantOp::create(
            builder, loc, word, static_cast<int64_t>(reinterpret_cast<intptr_t>(&clock)));
        Value number = LLVM::ConstantOp::create(builder, loc, word, at->second);
        LLVM::CallOp::create(
            builder, loc, TypeRange(), tickName,
            ValueRange{LLVM::IntToPtrOp::create(builder, loc, pointer, address), number});
      });
}
