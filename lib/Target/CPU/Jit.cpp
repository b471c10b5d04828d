//===- Jit.cpp - Programs run in the compiler's process -------------------===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "lgc/Target/CPU/Jit.h"
#include "ElementEmitter.h"
#include "LaunchClock.h"
#include "lgc/IR/LgcOps.h"
#include "lgc/Runtime/Kernels.h"
#include "llvm/ExecutionEngine/Orc/AbsoluteSymbols.h"
#include "llvm/ExecutionEngine/Orc/ExecutionUtils.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/Support/MemoryBuffer.h"
#include <cstdlib>
#include <cstring>
#include <sys/mman.h>

using namespace mlir;
using namespace lgc;

static constexpr int64_t arenaAlignment = 64, hugePageBytes = 2 << 20;

CompiledProgram::~CompiledProgram() { std::free(arena); }

const ProgramBuffer *CompiledProgram::find(StringRef name) const {
  for (const ProgramBuffer &buffer : buffers)
    if (buffer.name == name)
      return &buffer;
  return nullptr;
}

static ProgramBuffer describe(BufferOp op) {
  auto type = cast<RankedTensorType>(op.getType());
  std::string element;
  llvm::raw_string_ostream(element) << type.getElementType();
  return {op.getName().str(),
          op.getRole(),
          element,
          std::vector<int64_t>(type.getShape().begin(), type.getShape().end()),
          static_cast<int64_t>(op.getOffset()),
          getTensorBytes(type)};
}

/// Writes the initial value of a parameter, as far as the module holds it.
static void initialize(ParameterOp parameter, const ProgramBuffer &buffer, uint8_t *address) {
  Type element = cast<RankedTensorType>(parameter.getType()).getElementType();
  int64_t size = getElementBytes(element);
  auto writeBits = [&](uint8_t *to, const llvm::APInt &bits) {
    std::memcpy(to, bits.getRawData(), size);
  };
  auto getBits = [](Attribute value) {
    if (auto number = dyn_cast<FloatAttr>(value))
      return number.getValue().bitcastToAPInt();
    return cast<IntegerAttr>(value).getValue();
  };
  if (auto dense = dyn_cast<DenseElementsAttr>(parameter.getInitial())) {
    for (auto [i, value] : llvm::enumerate(dense.getValues<Attribute>()))
      writeBits(address + i * size, getBits(value));
  } else if (isa<FloatAttr, IntegerAttr>(parameter.getInitial())) {
    llvm::APInt bits = getBits(parameter.getInitial());
    for (int64_t at = 0; at < buffer.bytes; at += size)
      writeBits(address + at, bits);
  }
}

/// The compiler's own library converts float64 to float16, for which processors have no
/// instruction; a process doesn't export its symbols.
extern "C" _Float16 __truncdfhf2(double);

static llvm::Expected<std::unique_ptr<llvm::orc::LLJIT>> load(const ObjectCode &object) {
  auto jit = llvm::orc::LLJITBuilder().create();
  if (!jit)
    return jit.takeError();
  llvm::orc::JITDylib &library = (*jit)->getMainJITDylib();
  llvm::orc::SymbolMap runtime;
  auto define = [&](StringRef name, auto *function) {
    runtime[(*jit)->mangleAndIntern(name)] = {llvm::orc::ExecutorAddr::fromPtr(function),
                                              llvm::JITSymbolFlags::Exported};
  };
  define("lgc_parallel_for", &lgc_parallel_for);
  define("lgc_print", &lgc_print);
  define("lgc_launch_end", &lgc_launch_end);
  define("lgc_matmul", &lgc_matmul);
  define("__truncdfhf2", &__truncdfhf2);
  define("lgc_conv_forward", &lgc_conv_forward);
  define("lgc_conv_backward_data", &lgc_conv_backward_data);
  define("lgc_conv_backward_weights", &lgc_conv_backward_weights);
  if (llvm::Error error = library.define(llvm::orc::absoluteSymbols(std::move(runtime))))
    return std::move(error);
  // The C library's mathematical functions.
  auto process = llvm::orc::DynamicLibrarySearchGenerator::GetForCurrentProcess(
      (*jit)->getDataLayout().getGlobalPrefix());
  if (!process)
    return process.takeError();
  library.addGenerator(std::move(*process));
  auto code = llvm::MemoryBuffer::getMemBufferCopy(StringRef(object.data(), object.size()), "lgc");
  if (llvm::Error error = (*jit)->addObjectFile(std::move(code)))
    return std::move(error);
  return std::move(*jit);
}

FailureOr<std::unique_ptr<CompiledProgram>>
CompiledProgram::create(ModuleOp module, const CpuTargetOptions &options, LaunchClock *clock) {
  std::unique_ptr<CompiledProgram> program(new CompiledProgram());
  auto size = module->getAttrOfType<IntegerAttr>("lgc.arena_bytes");
  if (!size)
    return module.emitError("has no planned memory; run lgc-plan-memory first");
  program->arenaBytes = size.getInt();
  int64_t alignment = program->arenaBytes < hugePageBytes ? arenaAlignment : hugePageBytes;
  int64_t rounded = std::max<int64_t>(1, llvm::divideCeil(program->arenaBytes, alignment));
  program->arena = static_cast<uint8_t *>(std::aligned_alloc(alignment, rounded * alignment));
  if (!program->arena)
    return module.emitError("needs an arena of ")
           << program->arenaBytes << " bytes, more than this machine has";
  // As the executable does, so that the same code takes the same time.
  if (alignment == hugePageBytes)
    madvise(program->arena, rounded * alignment, MADV_HUGEPAGE);
  for (BufferOp op : module.getOps<BufferOp>()) {
    program->buffers.push_back(describe(op));
    const ProgramBuffer &buffer = program->buffers.back();
    if (auto parameter =
            dyn_cast_or_null<ParameterOp>(SymbolTable::lookupSymbolIn(module, op.getName())))
      initialize(parameter, buffer, program->getAddress(buffer));
  }
  if (failed(lowerToLLVM(module, options)))
    return failure();
  if (clock)
    insertClock(module, *clock);
  FailureOr<ObjectCode> object = emitObject(module, /*manifest=*/"", options);
  if (failed(object))
    return failure();
  auto jit = load(*object);
  if (!jit)
    return module.emitError("can't be loaded: ") << llvm::toString(jit.takeError()), failure();
  program->jit = std::move(*jit);
  return std::move(program);
}

bool CompiledProgram::run(StringRef function) {
  auto address = jit->lookup(("lgc_" + function).str());
  if (!address) {
    llvm::consumeError(address.takeError());
    return false;
  }
  address->toPtr<void (*)(uint8_t *)>()(arena);
  return true;
}
