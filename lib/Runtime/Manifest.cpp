//===- Manifest.cpp - The manifest of an emitted program ------------------===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

//
// The manifest comes from the compiler, so what is wrong with it is a fault of ours. It
// is checked all the same: a buffer outside of the arena would corrupt memory.
//
//===----------------------------------------------------------------------===//

#include "lgc/Runtime/Manifest.h"

#include "lgc/Runtime/Error.h"

#include <nlohmann/json.hpp>

#include <algorithm>

using namespace lgc::runtime;
using nlohmann::json;

namespace {
constexpr int64_t knownFormat = 1;

[[noreturn]] void refuse(const std::string &problem) {
  raise("the program's manifest is damaged: ", problem, "; compile the model again");
}

Role parseRole(const std::string &name) {
  constexpr std::pair<const char *, Role> roles[] = {{"input", Role::Input},
                                                     {"parameter", Role::Parameter},
                                                     {"state", Role::State},
                                                     {"scalar", Role::Scalar},
                                                     {"output", Role::Output}};
  for (auto [text, role] : roles)
    if (name == text)
      return role;
  refuse(concat("there is no role ", quote(name)));
}

ExportTarget parseExport(const json &entry) {
  ExportTarget target;
  target.initializer = entry.at("initializer").get<std::string>();
  target.permutation = entry.value("permutation", std::vector<int64_t>());
  target.hasShape = entry.contains("shape");
  target.shape = entry.value("shape", Shape());
  if (entry.contains("uses"))
    for (const json &use : entry.at("uses"))
      target.uses.push_back({use.at("node").get<int64_t>(), use.at("input").get<int64_t>()});
  return target;
}

void parseInit(const json &init, Buffer &buffer) {
  if (!init.contains("file")) {
    buffer.initValue = init.at("fill").get<double>();
    return;
  }
  buffer.initFile = init.at("file").get<std::string>();
  buffer.initOffset = init.value("offset", int64_t(0));
  if (init.value("bytes", buffer.bytes) != buffer.bytes || buffer.initOffset < 0)
    refuse(concat("the initial value of ", quote(buffer.name), " has another size than it"));
}

Buffer parseBuffer(const json &entry, int64_t arenaBytes) {
  Buffer buffer;
  buffer.name = entry.at("name").get<std::string>();
  buffer.role = parseRole(entry.at("role").get<std::string>());
  auto typeName = entry.at("type").get<std::string>();
  auto type = typeFromName(typeName);
  if (!type)
    refuse(concat(quote(buffer.name), " has the unknown type ", quote(typeName)));
  buffer.type = *type;
  buffer.shape = entry.at("shape").get<Shape>();
  buffer.offset = entry.at("offset").get<int64_t>();
  auto count = elementCount(buffer.shape);
  if (!count)
    refuse(concat(quote(buffer.name), " has the shape ", print(buffer.shape)));
  buffer.bytes = *count * sizeOf(buffer.type);
  if (entry.value("bytes", buffer.bytes) != buffer.bytes)
    refuse(concat(quote(buffer.name), " has another size than its type and shape take"));
  if (buffer.offset < 0 || buffer.bytes > arenaBytes || buffer.offset > arenaBytes - buffer.bytes)
    refuse(concat(quote(buffer.name), " lies outside of the arena"));
  if (entry.contains("batch_dim")) {
    buffer.batchDimension = entry.at("batch_dim").get<size_t>();
    if (*buffer.batchDimension >= buffer.shape.size())
      refuse(concat(quote(buffer.name), " has no dimension ", *buffer.batchDimension));
  }
  if (entry.contains("range")) {
    auto range = entry.at("range").get<std::pair<int64_t, int64_t>>();
    if (range.first > range.second)
      refuse(concat(quote(buffer.name), " allows no values"));
    buffer.range = range;
  }
  buffer.alsoAllowed = entry.value("also", std::vector<int64_t>());
  if (entry.contains("init"))
    parseInit(entry.at("init"), buffer);
  buffer.trainable = entry.value("trainable", false);
  if (entry.contains("onnx"))
    for (const json &target : entry.at("onnx"))
      buffer.exports.push_back(parseExport(target));
  return buffer;
}

void parseFunctions(const json &functions, Manifest &manifest) {
  using Names = std::vector<std::string>;
  if (!functions.is_object())
    refuse("its functions are no object");
  if (functions.contains("train_step")) {
    const json &step = functions.at("train_step");
    manifest.hasTrainStep = true;
    manifest.trainInputs = step.value("inputs", Names());
    manifest.trainLoss = step.at("loss").get<std::string>();
    manifest.trainMetrics = step.value("metrics", Names());
  }
  if (functions.contains("forward")) {
    const json &forward = functions.at("forward");
    manifest.hasForward = true;
    manifest.forwardInputs = forward.value("inputs", Names());
    manifest.forwardOutputs = forward.value("outputs", Names());
    manifest.forwardLoss = forward.value("loss", "");
  }
}

/// Every name that the manifest uses must be one of a buffer that suits.
void checkReferences(const Manifest &manifest) {
  auto require = [&](const std::string &name) -> const Buffer & {
    const Buffer *buffer = manifest.find(name);
    if (!buffer)
      refuse(concat("there is no buffer ", quote(name)));
    return *buffer;
  };
  for (const auto *names : {&manifest.trainInputs, &manifest.forwardInputs,
                            &manifest.forwardOutputs, &manifest.trainMetrics})
    for (const std::string &name : *names)
      require(name);
  for (const auto *inputs : {&manifest.trainInputs, &manifest.forwardInputs})
    for (const std::string &name : *inputs) {
      const Buffer &buffer = require(name);
      if (buffer.batchDimension && buffer.shape[*buffer.batchDimension] % manifest.batch != 0)
        refuse(
            concat("the batch dimension of ", quote(name), " is no multiple of ", manifest.batch));
    }
  for (const std::string &loss : {manifest.trainLoss, manifest.forwardLoss}) {
    if (loss.empty())
      continue;
    const Buffer &buffer = require(loss);
    bool readable = buffer.type == ElementType::F32 || buffer.type == ElementType::F64;
    if (!readable || elementCount(buffer.shape) != 1)
      refuse(concat("the loss ", quote(loss), " is not a scalar of f32 or f64"));
  }
  if (!manifest.classification)
    return;
  const Classification &classes = *manifest.classification;
  Shape expected = require(classes.logits).shape;
  if (classes.classDimension >= expected.size())
    refuse("the logits have no class dimension");
  expected.erase(expected.begin() + int64_t(classes.classDimension));
  const Buffer &labels = require(classes.labels);
  if (labels.shape != expected || !isInteger(labels.type))
    refuse("the labels are not integers of the logits' shape without the classes");
}
} // namespace

const Buffer *Manifest::find(const std::string &name) const {
  auto found = std::find_if(buffers.begin(), buffers.end(),
                            [&](const Buffer &buffer) { return buffer.name == name; });
  return found == buffers.end() ? nullptr : &*found;
}

Manifest Manifest::parse(const std::string &text) try {
  json root = json::parse(text);
  if (root.at("format").get<int64_t>() != knownFormat)
    refuse("its format is one of another version");
  Manifest manifest;
  manifest.model = root.value("model", "model");
  manifest.compiler = root.value("compiler", "");
  manifest.target = root.value("target", "cpu");
  manifest.arenaBytes = root.at("arena_bytes").get<int64_t>();
  manifest.alignment = root.value("alignment", int64_t(64));
  manifest.batch = root.value("batch", int64_t(1));
  manifest.microBatches = root.value("micro_batches", int64_t(1));
  manifest.learningRate = root.value("learning_rate", 0.0);
  bool powerOfTwo = manifest.alignment > 0 && (manifest.alignment & (manifest.alignment - 1)) == 0;
  if (manifest.arenaBytes < 0 || !powerOfTwo || manifest.batch < 1)
    refuse("its arena or its batch has no valid size");
  for (const json &entry : root.at("buffers")) {
    Buffer buffer = parseBuffer(entry, manifest.arenaBytes);
    if (manifest.find(buffer.name))
      refuse(concat("there are two buffers ", quote(buffer.name)));
    manifest.buffers.push_back(std::move(buffer));
  }
  parseFunctions(root.at("functions"), manifest);
  if (root.contains("classification")) {
    const json &entry = root.at("classification");
    Classification classes;
    classes.logits = entry.at("logits").get<std::string>();
    classes.labels = entry.at("labels").get<std::string>();
    classes.classDimension = entry.at("class_dim").get<size_t>();
    if (entry.contains("ignore_index"))
      classes.ignoredLabel = entry.at("ignore_index").get<int64_t>();
    manifest.classification = classes;
  }
  if (root.contains("source"))
    manifest.sourceModel = root.at("source").value("onnx", "");
  checkReferences(manifest);
  return manifest;
} catch (const json::exception &error) {
  refuse(error.what());
}
