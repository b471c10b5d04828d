//===- ToLLVM.cpp - Launches and kernel loops to the LLVM dialect ---------===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "KernelEntry.h"
#include "lgc/IR/LgcOps.h"
#include "lgc/Target/CPU/Passes.h"
#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/FuncToLLVM/ConvertFuncToLLVM.h"
#include "mlir/Conversion/LLVMCommon/ConversionTarget.h"
#include "mlir/Conversion/LLVMCommon/Pattern.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/MathToLibm/MathToLibm.h"
#include "mlir/Conversion/MemRefToLLVM/MemRefToLLVM.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Transforms/DialectConversion.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace lgc;

namespace lgc {
#define GEN_PASS_DEF_CPUTOLLVMPASS
#include "lgc/Target/CPU/Passes.h.inc"
} // namespace lgc

namespace {

/// A launch stores the addresses of its buffers in an array and runs the kernel's entry, in
/// parallel where there is enough work.
struct LaunchLowering : ConvertOpToLLVMPattern<LaunchOp> {
  LaunchLowering(const LLVMTypeConverter &converter, const KernelEntries &entries)
      : ConvertOpToLLVMPattern(converter), entries(entries) {}

  LogicalResult matchAndRewrite(LaunchOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    SmallVector<Value> descriptors(adaptor.getInputs());
    llvm::append_range(descriptors, adaptor.getOutputs());
    if (op.getScratch())
      descriptors.push_back(adaptor.getScratch());
    Type pointer = LLVM::LLVMPointerType::get(op.getContext());
    Type word = rewriter.getI64Type();
    auto function = op->getParentOfType<FunctionOpInterface>();
    Value array;
    {
      // On entry, so that a loop of micro-batches doesn't grow the stack.
      OpBuilder::InsertionGuard guard(rewriter);
      rewriter.setInsertionPointToStart(&function.getFunctionBody().front());
      Value size = LLVM::ConstantOp::create(rewriter, loc, word, descriptors.size());
      array = LLVM::AllocaOp::create(rewriter, loc, pointer, pointer, size);
    }
    for (auto [i, descriptor] : llvm::enumerate(descriptors)) {
      Value address = MemRefDescriptor(descriptor).alignedPtr(rewriter, loc);
      Value slot = LLVM::GEPOp::create(rewriter, loc, pointer, pointer, array,
                                       ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(i)});
      LLVM::StoreOp::create(rewriter, loc, address, slot);
    }
    const KernelEntry &entry = entries.find(op.getKernelAttr().getAttr())->second;
    Value count = LLVM::ConstantOp::create(rewriter, loc, word, entry.count);
    if (entry.count <= entry.grain) {
      Value zero = LLVM::ConstantOp::create(rewriter, loc, word, 0);
      LLVM::CallOp::create(rewriter, loc, TypeRange(), entry.name, ValueRange{array, zero, count});
    } else {
      Value body = LLVM::AddressOfOp::create(rewriter, loc, pointer, entry.name);
      Value grain = LLVM::ConstantOp::create(rewriter, loc, word, entry.grain);
      LLVM::CallOp::create(rewriter, loc, TypeRange(), "lgc_parallel_for",
                           ValueRange{body, array, count, grain});
    }
    rewriter.eraseOp(op);
    return success();
  }

  const KernelEntries &entries;
};

/// Passes the label, a global, to the runtime.
struct PrintLowering : ConvertOpToLLVMPattern<PrintOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult matchAndRewrite(PrintOp op, OpAdaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    auto module = op->getParentOfType<ModuleOp>();
    std::string name;
    for (unsigned number = 0; name.empty() || module.lookupSymbol(name); ++number)
      name = ("lgc_label_" + Twine(number)).str();
    Value text =
        LLVM::createGlobalString(loc, rewriter, name, op.getLabel(), LLVM::Linkage::Internal);
    Value bytes = LLVM::ConstantOp::create(rewriter, loc, rewriter.getI64Type(),
                                           static_cast<int64_t>(op.getLabel().size()));
    rewriter.replaceOpWithNewOp<LLVM::CallOp>(op, TypeRange(), "lgc_print",
                                              ValueRange{text, bytes});
    return success();
  }
};

/// Bytes of ones are NaN in every floating-point type.
struct PoisonLowering : ConvertOpToLLVMPattern<PoisonOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult matchAndRewrite(PoisonOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value address = MemRefDescriptor(adaptor.getMemory()).alignedPtr(rewriter, loc);
    Value ones = LLVM::ConstantOp::create(rewriter, loc, rewriter.getI8Type(), -1);
    Value bytes = LLVM::ConstantOp::create(rewriter, loc, rewriter.getI64Type(),
                                           op.getMemory().getType().getNumElements());
    rewriter.replaceOpWithNewOp<LLVM::MemsetOp>(op, address, ones, bytes, /*isVolatile=*/true);
    return success();
  }
};

/// A constant of type bf16 becomes its bits.
struct HalfConstantLowering : ConvertOpToLLVMPattern<arith::ConstantOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult matchAndRewrite(arith::ConstantOp op, OpAdaptor,
                                ConversionPatternRewriter &rewriter) const override {
    auto value = dyn_cast<FloatAttr>(op.getValue());
    if (!value || !value.getType().isBF16())
      return failure();
    auto bits =
        rewriter.getIntegerAttr(rewriter.getIntegerType(16), value.getValue().bitcastToAPInt());
    rewriter.replaceOpWithNewOp<LLVM::ConstantOp>(op, bits);
    return success();
  }
};

struct CpuToLLVMPass : lgc::impl::CpuToLLVMPassBase<CpuToLLVMPass> {
  using CpuToLLVMPassBase::CpuToLLVMPassBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (failed(expandHalves(module)) || (approximateMath && failed(expandMath(module))))
      return signalPassFailure();
    for (Operation &op : llvm::make_early_inc_range(*module.getBody()))
      if (isa<BufferOp, ParameterOp>(op))
        op.erase();
    // A function on the arena that isn't a kernel is an entry of the program.
    for (auto function : module.getOps<func::FuncOp>())
      if (!function->hasAttr(LgcDialect::kKernelAttr))
        function.setName(("lgc_" + function.getName()).str());
    KernelEntries entries = collectKernelEntries(module);
    if (failed(convert(module, entries)))
      return signalPassFailure();
    for (auto global : module.getOps<LLVM::GlobalOp>())
      if (auto value = dyn_cast_or_null<DenseElementsAttr>(global.getValueOrNull()))
        if (value.getElementType().isBF16())
          global.setValueAttr(value.bitcast(IntegerType::get(&getContext(), 16)));
    emitKernelEntries(module, entries);
  }

private:
  /// Makes conversions from and to bf16 integer operations: few processors have them, and the
  /// functions that LLVM would call instead are in no library of the system. What is left are
  /// moves of bits, in i16.
  LogicalResult expandHalves(ModuleOp module) {
    RewritePatternSet patterns(&getContext());
    arith::populateExpandBFloat16Patterns(patterns);
    return applyPatternsGreedily(module, std::move(patterns));
  }

  LogicalResult expandMath(ModuleOp module) {
    RewritePatternSet patterns(&getContext());
    // Calls of the C library stay where a polynomial isn't good enough: the error of sine and
    // cosine grows with the angle (1e-4 at 4000, a position in a rotary embedding), and atan2 is
    // wrong at zeros and infinities.
    populateMathPolynomialApproximationPatterns(patterns, [](StringRef name) {
      return name != math::SinOp::getOperationName() && name != math::CosOp::getOperationName() &&
             name != math::Atan2Op::getOperationName();
    });
    return applyPatternsGreedily(module, std::move(patterns));
  }

  LogicalResult convert(ModuleOp module, const KernelEntries &entries) {
    MLIRContext *context = &getContext();
    LowerToLLVMOptions options(context);
    options.useBarePtrCallConv = true;
    LLVMTypeConverter converter(context, options);
    converter.addConversion(
        [](BFloat16Type type) { return IntegerType::get(type.getContext(), 16); });
    RewritePatternSet patterns(context);
    patterns.add<HalfConstantLowering>(converter, /*benefit=*/2);
    arith::populateArithToLLVMConversionPatterns(converter, patterns);
    populateFinalizeMemRefToLLVMConversionPatterns(converter, patterns);
    cf::populateControlFlowToLLVMConversionPatterns(converter, patterns);
    populateFuncToLLVMConversionPatterns(converter, patterns);
    // Intrinsics first: they vectorise, and are instructions where the machine has them (fma).
    populateMathToLLVMConversionPatterns(converter, patterns, /*approximateLog1p=*/false,
                                         /*benefit=*/2);
    // Functions that LLVM has no intrinsic for.
    populateMathToLibmConversionPatterns(patterns);
    patterns.add<LaunchLowering>(converter, entries);
    patterns.add<PrintLowering, PoisonLowering>(converter);
    LLVMConversionTarget target(*context);
    target.addLegalOp<ModuleOp>();
    return applyFullConversion(module, target, std::move(patterns));
  }
};

} // namespace

void lgc::buildCpuPipeline(OpPassManager &manager, const CpuToLLVMPassOptions &options) {
  manager.addPass(createCpuLowerKernelsPass());
  manager.addPass(createCanonicalizerPass());
  manager.addPass(createCSEPass());
  manager.addPass(createSCFToControlFlowPass());
  manager.addPass(createCpuToLLVMPass(options));
}
