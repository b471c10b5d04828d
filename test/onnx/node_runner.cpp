//===- node_runner.cpp - Models compiled and run for a test script --------===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//
//
// A shared library with a C interface that node_test.py loads: a serialized model goes through
// import, fusion, memory planning and the CPU target, and its @forward runs in this process.
//
//===----------------------------------------------------------------------===//

#include "lgc/Driver/InProcess.h"
#include "lgc/Driver/Registration.h"
#include "lgc/IR/LgcOps.h"
#include "lgc/Import/Import.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <cstring>

using namespace mlir;

namespace {

enum Outcome { Compiled = 0, Refused = 1, CompilerFailed = 2 };

MLIRContext &context() {
  static MLIRContext *instance = [] {
    DialectRegistry registry;
    lgc::registerDialects(registry);
    auto *created = new MLIRContext(registry, MLIRContext::Threading::DISABLED);
    created->loadAllAvailableDialects();
    return created;
  }();
  return *instance;
}

/// How a model computes in 16 bits. The suite's values for these are rounded after every operation,
/// also within a softmax or a product; a fused kernel is more exact, and rounds only what it
/// stores.
enum class Precision { Full, Half, Unreproducible };

Precision precisionOf(ModuleOp module) {
  Precision precision = Precision::Full;
  module.walk([&](Operation *op) {
    for (Type type : op->getResultTypes()) {
      auto tensor = dyn_cast<RankedTensorType>(type);
      if (!tensor || !(tensor.getElementType().isF16() || tensor.getElementType().isBF16()))
        continue;
      bool inexact = isa<lgc::DotOp, lgc::ExpOp, lgc::SoftmaxOp>(op);
      Precision here =
          inexact && tensor.getElementType().isBF16() ? Precision::Unreproducible : Precision::Half;
      precision = std::max(precision, here);
    }
  });
  return precision;
}

void copyMessage(const std::string &text, char *message, int64_t capacity) {
  size_t length = std::min<size_t>(text.size(), size_t(capacity) - 1);
  std::memcpy(message, text.data(), length);
  message[length] = '\0';
}

} // namespace

/// Compiles a model whose inputs `boundNames` have the values that serialized tensors give. Gives
/// an outcome, and the program or the message of the first error.
extern "C" int lgc_node_compile(const char *model, int64_t length, const char *const *boundNames,
                                const char *const *boundTensors, const int64_t *boundLengths,
                                int boundCount, lgc::CompiledProgram **program, char *message,
                                int64_t capacity) {
  lgc::ImportOptions options;
  options.asWritten = true;
  for (int i = 0; i < boundCount; ++i)
    options.boundInputs[boundNames[i]] = std::string(boundTensors[i], size_t(boundLengths[i]));
  std::string errors;
  ScopedDiagnosticHandler collect(&context(), [&](Diagnostic &diagnostic) {
    if (diagnostic.getSeverity() == DiagnosticSeverity::Error && errors.empty())
      errors = diagnostic.str();
    return success();
  });
  auto module = lgc::importOnnxBytes(context(), StringRef(model, size_t(length)), options);
  if (failed(module)) {
    copyMessage(errors.empty() ? "no reason was given" : errors, message, capacity);
    return Refused;
  }
  if (auto training = (*module)->lookupSymbol<func::FuncOp>("training_forward"))
    training.erase();
  Precision precision = precisionOf(**module);
  if (precision == Precision::Unreproducible) {
    copyMessage("the expected values are rounded to bfloat16 inside of operations, which lgc "
                "computes in float32",
                message, capacity);
    return Refused;
  }
  lgc::InProcessOptions inProcess;
  inProcess.backend.fuse = precision == Precision::Full;
  auto compiled = lgc::compileInProcess(**module, inProcess);
  if (failed(compiled)) {
    copyMessage(errors.empty() ? "no reason was given" : errors, message, capacity);
    return CompilerFailed;
  }
  *program = compiled->release();
  return Compiled;
}

/// Copies between a buffer of the program and the caller; the buffer's bytes, or -1 without one.
extern "C" int64_t lgc_node_write(lgc::CompiledProgram *program, const char *name,
                                  const void *bytes, int64_t length) {
  const lgc::ProgramBuffer *buffer = program->find(name);
  if (!buffer)
    return -1;
  if (buffer->bytes == length)
    std::memcpy(program->getAddress(*buffer), bytes, size_t(length));
  return buffer->bytes;
}

extern "C" int64_t lgc_node_read(lgc::CompiledProgram *program, const char *name, void *bytes,
                                 int64_t length) {
  const lgc::ProgramBuffer *buffer = program->find(name);
  if (!buffer)
    return -1;
  if (buffer->bytes == length)
    std::memcpy(bytes, program->getAddress(*buffer), size_t(length));
  return buffer->bytes;
}

/// The element type and shape of a buffer, as in `f32 2 3`; empty without one.
extern "C" void lgc_node_type(lgc::CompiledProgram *program, const char *name, char *text,
                              int64_t capacity) {
  const lgc::ProgramBuffer *buffer = program->find(name);
  std::string type = buffer ? buffer->elementType : "";
  if (buffer)
    for (int64_t size : buffer->shape)
      type += " " + std::to_string(size);
  copyMessage(type, text, capacity);
}

extern "C" int lgc_node_run(lgc::CompiledProgram *program) { return program->run("forward"); }

extern "C" void lgc_node_free(lgc::CompiledProgram *program) { delete program; }
