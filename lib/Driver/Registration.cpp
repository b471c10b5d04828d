//===- Registration.cpp - Everything that a tool can be asked for ---------------------------===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "lgc/Driver/Registration.h"
#include "lgc/Driver/Pipeline.h"
#include "lgc/Fusion/Passes.h"
#include "lgc/IR/LgcDialect.h"
#include "lgc/IR/Passes.h"
#include "lgc/Import/Passes.h"
#include "lgc/Memory/Passes.h"
#include "lgc/Target/CPU/Passes.h"
#include "lgc/Training/Training.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Func/Extensions/InlinerExtension.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

void lgc::registerDialects(DialectRegistry &registry) {
  registry.insert<LgcDialect, arith::ArithDialect, func::FuncDialect, LLVM::LLVMDialect,
                  math::MathDialect, memref::MemRefDialect, scf::SCFDialect, vector::VectorDialect,
                  cf::ControlFlowDialect>();
  func::registerInlinerExtension(registry);
}

void lgc::registerPasses() {
  registerTransformsPasses();
  // What stands between two of ours in the CPU's pipeline.
  registerPass([] { return createSCFToControlFlowPass(); });
  registerDecomposePass();
  registerImportPasses();
  registerTrainingPasses();
  registerFusionPasses();
  registerMemoryPasses();
  registerTargetCPUPasses();
  registerBackendPipelines();
}
