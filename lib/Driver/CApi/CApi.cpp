//===- CApi.cpp - The compiler as a shared library ------------------------===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "lgc/Driver/CApi.h"
#include "../Compilation.h"
#include "../Diagnostics.h"
#include "lgc/Driver/Registration.h"
#include "lgc/Target/CPU/Jit.h"
#include "llvm/Support/Base64.h"
#include "llvm/Support/JSON.h"
#include <cstring>

using namespace mlir;
using namespace lgc;

struct lgc_program {
  std::unique_ptr<CompiledProgram> program;
  std::vector<std::string> roles;
};

namespace {
struct ApiOptions {
  CompilationRequest request;
  CpuTargetOptions target;
};
} // namespace

static llvm::Error readImportOptions(const llvm::json::Object &json, CompilationRequest &request) {
  if (auto batch = json.getInteger("batch"))
    request.batch = *batch;
  if (const llvm::json::Object *dims = json.getObject("dims"))
    for (const auto &[name, value] : *dims) {
      std::optional<int64_t> size = value.getAsInteger();
      if (!size)
        return llvm::createStringError("\"dims\" has something other than a number");
      request.import.dims[name.str()] = *size;
    }
  request.import.batchnormTrain = json.getBoolean("batchnorm_train").value_or(false);
  request.import.keepTies = json.getBoolean("keep_ties").value_or(false);
  request.import.asWritten = json.getBoolean("as_written").value_or(false);
  if (const llvm::json::Object *inputs = json.getObject("inputs"))
    for (const auto &[name, value] : *inputs) {
      std::optional<StringRef> text = value.getAsString();
      std::vector<char> bytes;
      if (!text)
        return llvm::createStringError("\"inputs\" has something other than base64 text");
      if (llvm::Error error = llvm::decodeBase64(*text, bytes))
        return error;
      request.import.boundInputs[name.str()] = std::string(bytes.begin(), bytes.end());
    }
  return llvm::Error::success();
}

static llvm::Expected<ApiOptions> readOptions(const char *text) {
  ApiOptions options;
  CompilationRequest &request = options.request;
  request.isInference = true;
  options.target.optimizationLevel = 1;
  if (!text || !*text)
    return options;
  llvm::Expected<llvm::json::Value> parsed = llvm::json::parse(text);
  if (!parsed)
    return parsed.takeError();
  const llvm::json::Object *json = parsed->getAsObject();
  if (!json)
    return llvm::createStringError("the options aren't a JSON object");
  auto getText = [&](StringRef key, StringRef otherwise) {
    return json->getString(key).value_or(otherwise).str();
  };
  request.input = getText("path", "");
  request.isInference = json->getBoolean("inference").value_or(true);
  request.training.loss = getText("loss", "");
  request.training.optimizer = getText("optimizer", "adamw");
  request.training.frozen = getText("frozen", "");
  request.training.checkpoint = getText("checkpoint", "");
  request.training.microBatches = json->getInteger("micro_batches").value_or(1);
  request.training.clipNorm = json->getNumber("clip_norm").value_or(0);
  request.fuse = json->getBoolean("fusion").value_or(true);
  options.target.optimizationLevel = json->getInteger("optimization_level").value_or(1);
  options.target.approximateMath = json->getBoolean("approximate_math").value_or(true);
  if (llvm::Error error = readImportOptions(*json, request))
    return error;
  return options;
}

static lgc_program *compileProgram(MLIRContext &context, const void *onnx, size_t size,
                                   const ApiOptions &options) {
  FailureOr<Compilation> compilation =
      onnx
          ? compileBytes(context, StringRef(static_cast<const char *>(onnx), size), options.request)
          : compile(context, options.request);
  if (failed(compilation))
    return nullptr;
  auto program = CompiledProgram::create(*compilation->module, options.target);
  if (failed(program))
    return nullptr;
  auto *result = new lgc_program{std::move(*program), {}};
  for (const ProgramBuffer &buffer : result->program->getBuffers())
    result->roles.push_back(stringifyRole(buffer.role).str());
  return result;
}

static char *copyText(const std::string &text) {
  char *copy = static_cast<char *>(std::malloc(text.size() + 1));
  if (copy)
    std::memcpy(copy, text.c_str(), text.size() + 1);
  return copy;
}

lgc_program *lgc_compile(const void *onnx, size_t size, const char *text, char **error) {
  llvm::Expected<ApiOptions> options = readOptions(text);
  if (!options) {
    std::string message = llvm::toString(options.takeError());
    if (error)
      *error = copyText(message);
    return nullptr;
  }
  static DialectRegistry registry = [] {
    DialectRegistry registry;
    registerDialects(registry);
    return registry;
  }();
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  CollectedDiagnostics diagnostics(context);
  lgc_program *program = compileProgram(context, onnx, size, *options);
  if (!program && error)
    *error = copyText(diagnostics.getErrorText());
  return program;
}

void lgc_free(lgc_program *program) { delete program; }
void lgc_free_error(char *error) { std::free(error); }

static const ProgramBuffer &getBuffer(const lgc_program *program, int64_t index) {
  return program->program->getBuffers()[index];
}

int64_t lgc_num_buffers(const lgc_program *program) {
  return program->program->getBuffers().size();
}
const char *lgc_buffer_name(const lgc_program *program, int64_t index) {
  return getBuffer(program, index).name.c_str();
}
const char *lgc_buffer_role(const lgc_program *program, int64_t index) {
  return program->roles[index].c_str();
}
const char *lgc_buffer_type(const lgc_program *program, int64_t index) {
  return getBuffer(program, index).elementType.c_str();
}
int64_t lgc_buffer_rank(const lgc_program *program, int64_t index) {
  return getBuffer(program, index).shape.size();
}
const int64_t *lgc_buffer_shape(const lgc_program *program, int64_t index) {
  return getBuffer(program, index).shape.data();
}
int64_t lgc_buffer_bytes(const lgc_program *program, int64_t index) {
  return getBuffer(program, index).bytes;
}
void *lgc_buffer_data(const lgc_program *program, int64_t index) {
  return program->program->getAddress(getBuffer(program, index));
}
int64_t lgc_arena_bytes(const lgc_program *program) { return program->program->getArenaBytes(); }

int lgc_run_forward(lgc_program *program) { return program->program->run("forward") ? 0 : 1; }
int lgc_run_train_step(lgc_program *program) { return program->program->run("train_step") ? 0 : 1; }
