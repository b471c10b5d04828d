//===- Manifest.cpp - What a program tells the runtime --------------------===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Manifest.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace lgc;

static std::string printType(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

/// The initializers of the source model that a parameter is written back to.
static llvm::json::Array makeExports(ParameterOp parameter) {
  llvm::json::Array targets;
  for (Attribute attribute : parameter.getInitializersAttr()) {
    auto list = cast<ArrayAttr>(attribute);
    llvm::json::Object target{{"initializer", cast<StringAttr>(list[0]).str()}};
    if (list.size() > 1)
      if (auto permutation = dyn_cast<DenseI64ArrayAttr>(list[1]);
          permutation && !permutation.empty())
        target["permutation"] = llvm::json::Array(permutation.asArrayRef());
    targets.push_back(std::move(target));
  }
  return targets;
}

static llvm::json::Object makeBuffer(BufferOp buffer, const ProgramFacts &facts,
                                     const Weights &weights, ParameterOp parameter) {
  auto type = cast<RankedTensorType>(buffer.getType());
  std::string name = buffer.getName().str();
  llvm::json::Object entry{{"name", name},
                           {"role", stringifyRole(buffer.getRole())},
                           {"type", printType(type.getElementType())},
                           {"shape", llvm::json::Array(type.getShape())},
                           {"offset", static_cast<int64_t>(buffer.getOffset())},
                           {"bytes", getTensorBytes(type)}};
  if (auto at = facts.inputs.find(name); at != facts.inputs.end()) {
    if (at->second.batchDim)
      entry["batch_dim"] = *at->second.batchDim;
    if (at->second.range)
      entry["range"] = llvm::json::Array{at->second.range->first, at->second.range->second};
    if (!at->second.alsoAllowed.empty())
      entry["also"] = llvm::json::Array(at->second.alsoAllowed);
  }
  if (const llvm::json::Value *init = weights.find(name))
    entry["init"] = *init;
  if (buffer.getRole() == Role::Parameter)
    entry["trainable"] = facts.trainable.count(name) > 0;
  if (parameter && parameter.getInitializersAttr())
    entry["onnx"] = makeExports(parameter);
  return entry;
}

/// Names that a function has under an attribute and that satisfy the condition.
static llvm::json::Array listNames(func::FuncOp function, StringRef attribute,
                                   llvm::function_ref<bool(StringRef)> condition) {
  llvm::json::Array names;
  if (auto list = function->getAttrOfType<ArrayAttr>(attribute))
    for (auto name : list.getAsRange<StringAttr>())
      if (condition(name))
        names.push_back(name.str());
  return names;
}

static llvm::json::Object makeFunction(func::FuncOp function, StringRef loss, StringRef others,
                                       const ProgramFacts &facts) {
  llvm::json::Object entry{{"inputs", listNames(function, "lgc.arguments", [&](StringRef name) {
                              return facts.inputs.count(name.str()) > 0;
                            })}};
  auto isLoss = [&](StringRef name) { return name == loss; };
  if (!listNames(function, "lgc.results", isLoss).empty())
    entry["loss"] = loss;
  entry[others] = listNames(function, "lgc.results", [&](StringRef name) { return !isLoss(name); });
  return entry;
}

llvm::json::Object lgc::makeManifest(const Compilation &compilation, const Weights &weights,
                                     StringRef model) {
  ModuleOp module = *compilation.module;
  const ProgramFacts &facts = compilation.facts;
  llvm::json::Array buffers;
  for (auto buffer : module.getOps<BufferOp>())
    buffers.push_back(makeBuffer(
        buffer, facts, weights,
        dyn_cast_or_null<ParameterOp>(SymbolTable::lookupSymbolIn(module, buffer.getName()))));
  llvm::json::Object functions;
  if (auto step = module.lookupSymbol<func::FuncOp>("train_step"))
    functions["train_step"] = makeFunction(step, "lgc.loss", "metrics", facts);
  if (auto forward = module.lookupSymbol<func::FuncOp>("forward"))
    functions["forward"] = makeFunction(forward, "lgc.forward_loss", "outputs", facts);
  llvm::json::Object manifest{
      {"format", 1},
      {"model", llvm::sys::path::filename(model)},
      {"compiler", "lgc 0.1.0"},
      {"target", "cpu"},
      {"arena_bytes", module->getAttrOfType<IntegerAttr>("lgc.arena_bytes").getInt()},
      {"alignment", 64},
      {"batch", facts.batch},
      {"micro_batches", facts.microBatches},
      {"learning_rate", facts.learningRate},
      {"buffers", std::move(buffers)},
      {"functions", std::move(functions)},
      {"source", llvm::json::Object{{"onnx", model}}}};
  if (facts.classification)
    manifest["classification"] = llvm::json::Object(*facts.classification);
  return manifest;
}

llvm::json::Object lgc::makePlanSummary(const Compilation &compilation, StringRef model) {
  ModuleOp module = *compilation.module;
  const ProgramFacts &facts = compilation.facts;
  std::map<Role, int64_t> bytes;
  int64_t numParameters = 0, numElements = 0;
  for (auto buffer : module.getOps<BufferOp>()) {
    auto type = cast<RankedTensorType>(buffer.getType());
    bytes[buffer.getRole()] += getTensorBytes(type);
    if (buffer.getRole() == Role::Parameter) {
      ++numParameters;
      numElements += type.getNumElements();
    }
  }
  int64_t arena = module->getAttrOfType<IntegerAttr>("lgc.arena_bytes").getInt();
  int64_t bound = module->getAttrOfType<IntegerAttr>("lgc.arena_lower_bound").getInt();
  int64_t named = bytes[Role::Parameter] + bytes[Role::State] + bytes[Role::Input];
  return llvm::json::Object{
      {"format", 1},
      {"model", llvm::sys::path::filename(model)},
      {"target", "cpu"},
      {"devices", 1},
      {"batch", facts.batch},
      {"micro_batches", facts.microBatches},
      {"precision", "f32"},
      {"parameters", llvm::json::Object{{"tensors", numParameters}, {"elements", numElements}}},
      {"memory", llvm::json::Object{{"arena_bytes", arena},
                                    {"lower_bound_bytes", bound},
                                    {"parameter_bytes", bytes[Role::Parameter]},
                                    {"state_bytes", bytes[Role::State]},
                                    {"input_bytes", bytes[Role::Input]},
                                    {"temporary_bytes", arena - named}}},
      {"launches", facts.numLaunches},
      {"recomputation", llvm::json::Object{{"launches", facts.numRecomputed},
                                           {"extra_time", facts.recomputedShare}}},
      {"kernels", facts.numKernels},
      {"predicted_step_seconds", facts.stepNanoseconds / 1e9},
      {"costs", llvm::json::Object{{"kernels", facts.numStepKernels},
                                   {"measured", facts.numMeasured},
                                   {"calibration_seconds", facts.calibrationSeconds}}}};
}
