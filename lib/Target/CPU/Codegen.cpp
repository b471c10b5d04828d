//===- Codegen.cpp - Object code for the host -----------------------------===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "lgc/Target/CPU/Codegen.h"
#include "lgc/Target/CPU/Passes.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/SubtargetFeature.h"

using namespace mlir;
using namespace lgc;

LogicalResult lgc::lowerToLLVM(ModuleOp module, const CpuTargetOptions &options) {
  PassManager manager(module.getContext());
  CpuToLLVMPassOptions passOptions;
  passOptions.approximateMath = options.approximateMath;
  buildCpuPipeline(manager, passOptions);
  return manager.run(module);
}

static FailureOr<std::unique_ptr<llvm::TargetMachine>>
createTargetMachine(ModuleOp module, const CpuTargetOptions &options) {
  static const bool initialized = [] {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
    llvm::InitializeNativeTargetAsmParser();
    return true;
  }();
  (void)initialized;
  llvm::Triple triple(llvm::sys::getDefaultTargetTriple());
  std::string error;
  const llvm::Target *target = llvm::TargetRegistry::lookupTarget(triple, error);
  if (!target)
    return module.emitError("can't emit code for ") << triple.str() << ": " << error;
  std::string cpu = options.cpu;
  llvm::SubtargetFeatures features;
  if (cpu.empty()) {
    cpu = llvm::sys::getHostCPUName().str();
    for (const auto &feature : llvm::sys::getHostCPUFeatures())
      features.AddFeature(feature.first(), feature.second);
  }
  llvm::TargetOptions targetOptions;
  // A multiplication and an addition become one rounding where the machine can.
  targetOptions.AllowFPOpFusion = llvm::FPOpFusion::Fast;
  auto level = static_cast<llvm::CodeGenOptLevel>(std::min(options.optimizationLevel, 3u));
  std::unique_ptr<llvm::TargetMachine> machine(target->createTargetMachine(
      triple, cpu, features.getString(), targetOptions, llvm::Reloc::PIC_, std::nullopt, level));
  if (!machine)
    return module.emitError("can't emit code for processor '") << cpu << "'";
  return machine;
}

static void optimize(llvm::Module &module, llvm::TargetMachine &machine, unsigned level) {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager callGraph;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder(&machine);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(callGraph);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, callGraph, modules);
  llvm::ModulePassManager manager =
      level == 0
          ? builder.buildO0DefaultPipeline(llvm::OptimizationLevel::O0)
          : builder.buildPerModuleDefaultPipeline(level == 1   ? llvm::OptimizationLevel::O1
                                                  : level == 2 ? llvm::OptimizationLevel::O2
                                                               : llvm::OptimizationLevel::O3);
  manager.run(module, modules);
}

FailureOr<ObjectCode> lgc::emitObject(ModuleOp module, StringRef manifest,
                                      const CpuTargetOptions &options) {
  FailureOr<std::unique_ptr<llvm::TargetMachine>> machine = createTargetMachine(module, options);
  if (failed(machine))
    return failure();
  registerBuiltinDialectTranslation(*module.getContext());
  registerLLVMDialectTranslation(*module.getContext());
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> code = translateModuleToLLVMIR(module, context, "lgc");
  if (!code)
    return failure();
  code->setDataLayout((*machine)->createDataLayout());
  code->setTargetTriple((*machine)->getTargetTriple());
  if (!manifest.empty()) {
    llvm::Constant *text = llvm::ConstantDataArray::getString(context, manifest);
    new llvm::GlobalVariable(*code, text->getType(), /*isConstant=*/true,
                             llvm::GlobalValue::ExternalLinkage, text, "lgc_manifest");
  }
  for (llvm::Function &function : *code) {
    function.addFnAttr("target-cpu", (*machine)->getTargetCPU());
    function.addFnAttr("target-features", (*machine)->getTargetFeatureString());
  }
  optimize(*code, **machine, options.optimizationLevel);
  ObjectCode object;
  llvm::raw_svector_ostream stream(object);
  llvm::legacy::PassManager emitter;
  if ((*machine)->addPassesToEmitFile(emitter, stream, nullptr, llvm::CodeGenFileType::ObjectFile))
    return module.emitError("can't emit object files for this machine"), failure();
  emitter.run(*code);
  return object;
}
