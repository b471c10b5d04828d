//===- TestProgram.h - Programs from text, run in the test's process ------===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef LGC_TEST_TARGET_CPU_TESTPROGRAM_H
#define LGC_TEST_TARGET_CPU_TESTPROGRAM_H

#include "lgc/Driver/Pipeline.h"
#include "lgc/Driver/Registration.h"
#include "lgc/Target/CPU/Jit.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"
#include <cstring>
#include <string>
#include <vector>

namespace lgc::test {

/// A program whose @forward is `func.func @forward(<arguments>) -> <results> { <body> }`. Arguments
/// are named a0, a1, ... and results r0, r1, ...
class TestProgram {
public:
  TestProgram(const std::vector<std::string> &argumentTypes,
              const std::vector<std::string> &resultTypes, const std::string &body,
              bool fuse = true) {
    mlir::DialectRegistry registry;
    registerDialects(registry);
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
    std::string text = "func.func @forward(";
    for (size_t i = 0; i < argumentTypes.size(); ++i)
      text += (i ? ", " : "") + std::string("%a") + std::to_string(i) + ": " + argumentTypes[i] +
              " {lgc.name = \"a" + std::to_string(i) + "\", lgc.role = #lgc.role<input>}";
    text += ") -> (";
    for (size_t i = 0; i < resultTypes.size(); ++i)
      text += (i ? ", " : "") + resultTypes[i] + " {lgc.name = \"r" + std::to_string(i) + "\"}";
    text += ") {\n" + body + "\n}";
    auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
    if (!module)
      return;
    mlir::PassManager manager(&context);
    BackendOptions backend;
    backend.fuse = fuse;
    buildKernelPipeline(manager, backend);
    buildPlacementPipeline(manager);
    if (failed(manager.run(*module)))
      return;
    CpuTargetOptions options;
    options.optimizationLevel = 2;
    auto compiled = CompiledProgram::create(*module, options);
    if (succeeded(compiled))
      program = std::move(*compiled);
  }

  explicit operator bool() const { return program != nullptr; }

  template <typename T> void set(const std::string &name, const std::vector<T> &values) {
    const ProgramBuffer *buffer = program->find(name);
    ASSERT_TRUE(buffer) << name;
    ASSERT_EQ(buffer->bytes, static_cast<int64_t>(values.size() * sizeof(T))) << name;
    std::memcpy(program->getAddress(*buffer), values.data(), buffer->bytes);
  }

  template <typename T> std::vector<T> get(const std::string &name) {
    const ProgramBuffer *buffer = program->find(name);
    if (!buffer)
      return {};
    std::vector<T> values(buffer->bytes / sizeof(T));
    std::memcpy(values.data(), program->getAddress(*buffer), buffer->bytes);
    return values;
  }

  void run() { ASSERT_TRUE(program->run("forward")); }

private:
  mlir::MLIRContext context;
  std::unique_ptr<CompiledProgram> program;
};

} // namespace lgc::test

#endif // LGC_TEST_TARGET_CPU_TESTPROGRAM_H
