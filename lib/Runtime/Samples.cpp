//===- Samples.cpp - Batches for the inputs of a program ------------------===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "lgc/Runtime/Samples.h"

#include "lgc/Runtime/Error.h"
#include "lgc/Runtime/SampleOrder.h"

#include <algorithm>
#include <cmath>
#include <cstring>

using namespace lgc::runtime;

namespace {
/// Shape of an input without its batch dimension.
Shape withoutBatch(const Buffer &buffer) {
  Shape shape = buffer.shape;
  shape.erase(shape.begin() + int64_t(*buffer.batchDimension));
  return shape;
}

std::string expectedShape(const Buffer &buffer, int64_t rowsPerSample) {
  if (!buffer.batchDimension)
    return print(buffer.shape);
  std::string text = rowsPerSample == 1 ? "[samples" : concat("[", rowsPerSample, " * samples");
  for (int64_t size : withoutBatch(buffer))
    text += ", " + std::to_string(size);
  return text + "]";
}

/// The allowed values of an integer input; a Boolean is a byte of 0 or 1.
std::optional<std::pair<int64_t, int64_t>> allowedRange(const Buffer &buffer) {
  if (buffer.range)
    return buffer.range;
  if (buffer.type == ElementType::I1)
    return std::make_pair(int64_t(0), int64_t(1));
  return std::nullopt;
}

uint64_t hashName(const std::string &name) {
  uint64_t hash = 0;
  for (char c : name)
    hash = mix(hash ^ static_cast<unsigned char>(c));
  return hash;
}

/// Uniform in (0, 1].
double uniform(uint64_t bits) { return (double(bits >> 11) + 1) * 0x1p-53; }

double normal(uint64_t key) {
  return std::sqrt(-2 * std::log(uniform(mix(key)))) *
         std::cos(2 * M_PI * uniform(mix(key ^ 0x5851f42d4c957f2du)));
}
} // namespace

const TensorView *Samples::findTensor(const std::string &name, std::string &path) const {
  const TensorView *tensor = nullptr;
  for (const TensorFile &file : files)
    if (const TensorView *found = file.find(name)) {
      if (tensor)
        raise(file.path(), ": tensor ", quote(name), " is also in ", path,
              "; give each input once");
      tensor = found;
      path = file.path();
    }
  return tensor;
}

void Samples::bind(const Manifest &manifest, const Buffer &buffer) {
  Binding binding;
  binding.buffer = &buffer;
  binding.tensor = findTensor(buffer.name, binding.path);
  if (!binding.tensor)
    raise(files.size() == 1 ? files[0].path() : "the data", ": it has no tensor ",
          quote(buffer.name), ", an input of ", quote(manifest.model),
          "; add it or rename a tensor");
  const TensorView &tensor = *binding.tensor;
  std::string where = concat(binding.path, ": tensor ", quote(buffer.name), ": ");
  if (tensor.type != buffer.type)
    raise(where, "its type is ", nameOf(tensor.type), " and the input's is ", nameOf(buffer.type),
          "; convert it before it is saved");
  if (!buffer.batchDimension) {
    if (tensor.shape != buffer.shape)
      raise(where, "its shape is ", print(tensor.shape), " and the input's is ",
            expectedShape(buffer, 1), "; the input is not batched: give it once");
    bindings.push_back(std::move(binding));
    return;
  }
  size_t dimension = *buffer.batchDimension;
  binding.rowsPerSample = buffer.shape[dimension] / manifest.batch;
  bool matches = !tensor.shape.empty() &&
                 Shape(tensor.shape.begin() + 1, tensor.shape.end()) == withoutBatch(buffer) &&
                 tensor.shape[0] % binding.rowsPerSample == 0;
  if (!matches)
    raise(where, "its shape is ", print(tensor.shape), " and the input needs ",
          expectedShape(buffer, binding.rowsPerSample), "; reshape it before it is saved");
  for (size_t i = 0; i < dimension; ++i)
    binding.outer *= buffer.shape[i];
  binding.innerBytes = sizeOf(buffer.type);
  for (size_t i = dimension + 1; i < buffer.shape.size(); ++i)
    binding.innerBytes *= buffer.shape[i];
  int64_t samples = tensor.shape[0] / binding.rowsPerSample;
  if (samples == 0)
    raise(where, "it has no samples; save at least one");
  if (sampleCount >= 0 && samples != sampleCount)
    raise(where, "it has ", samples, " samples and another tensor has ", sampleCount,
          "; save the same number of each");
  sampleCount = samples;
  bindings.push_back(std::move(binding));
}

Samples::Samples(const Manifest &manifest, const std::vector<std::string> &inputs,
                 const std::vector<std::string> &paths) {
  for (const std::string &path : paths)
    files.push_back(TensorFile::open(path));
  for (const std::string &input : inputs)
    bind(manifest, *manifest.find(input));
  if (sampleCount < 0)
    sampleCount = manifest.batch; // no input is batched: every step is the same
  for (const Binding &binding : bindings)
    checkValues(binding, 0, binding.buffer->batchDimension ? sampleCount : 1);
  for (const TensorFile &file : files)
    for (const TensorView &tensor : file.tensors())
      if (std::find(inputs.begin(), inputs.end(), tensor.name) == inputs.end())
        unused.push_back(tensor.name);
}

void Samples::checkValues(const Binding &binding, int64_t firstSample, int64_t endSample) const {
  const Buffer &buffer = *binding.buffer;
  auto range = allowedRange(buffer);
  if (!range || !isInteger(buffer.type))
    return;
  const TensorView &tensor = *binding.tensor;
  int64_t perSample = buffer.batchDimension ? binding.rowsPerSample * binding.outer *
                                                  binding.innerBytes / sizeOf(buffer.type)
                                            : *elementCount(buffer.shape);
  auto [lowest, highest] = *range;
  for (int64_t i = firstSample * perSample; i < endSample * perSample; ++i) {
    int64_t value = integerAt(tensor.data, tensor.type, i);
    if (value >= lowest && value <= highest)
      continue;
    if (std::find(buffer.alsoAllowed.begin(), buffer.alsoAllowed.end(), value) !=
        buffer.alsoAllowed.end())
      continue;
    std::string also;
    for (int64_t allowed : buffer.alsoAllowed)
      also += concat(" or ", allowed);
    raise(binding.path, ": tensor ", quote(buffer.name), ": sample ", i / perSample,
          " has the value ", value, ", and the model takes ", lowest, " to ", highest, also,
          "; correct the data");
  }
}

void Samples::load(const Arena &arena, const std::vector<int64_t> &indices) const {
  for (const Binding &binding : bindings) {
    const Buffer &buffer = *binding.buffer;
    std::byte *target = arena.at(buffer);
    if (!buffer.batchDimension) {
      std::memcpy(target, binding.tensor->data, size_t(buffer.bytes));
      continue;
    }
    int64_t rows = binding.rowsPerSample, inner = binding.innerBytes;
    int64_t rowBytes = binding.outer * inner;
    int64_t batchRows = int64_t(indices.size()) * rows;
    for (size_t i = 0; i < indices.size(); ++i) {
      // The file may have changed since it was opened; emitted code relies on the range.
      checkValues(binding, indices[i], indices[i] + 1);
      const std::byte *sample = binding.tensor->data + indices[i] * rows * rowBytes;
      if (binding.outer == 1) {
        std::memcpy(target + int64_t(i) * rows * rowBytes, sample, size_t(rows * rowBytes));
        continue;
      }
      for (int64_t row = 0; row < rows; ++row)
        for (int64_t outer = 0; outer < binding.outer; ++outer)
          std::memcpy(target + (outer * batchRows + int64_t(i) * rows + row) * inner,
                      sample + row * rowBytes + outer * inner, size_t(inner));
    }
  }
}

void lgc::runtime::loadSyntheticBatch(const Manifest &manifest,
                                      const std::vector<std::string> &inputs, const Arena &arena,
                                      uint64_t seed) {
  for (const std::string &name : inputs) {
    const Buffer &buffer = *manifest.find(name);
    std::byte *target = arena.at(buffer);
    auto range = allowedRange(buffer).value_or(std::make_pair(int64_t(0), int64_t(0)));
    uint64_t width = uint64_t(range.second) - uint64_t(range.first) + 1;
    uint64_t key = mix(seed) ^ hashName(name);
    int64_t size = sizeOf(buffer.type);
    for (int64_t i = 0; i < buffer.bytes / size; ++i) {
      uint64_t bits = mix(key + uint64_t(i));
      if (isInteger(buffer.type)) {
        uint64_t value = uint64_t(range.first) + (width ? bits % width : bits);
        std::memcpy(target + i * size, &value, size_t(size)); // little endian
      } else {
        store(target + i * size, buffer.type, normal(bits));
      }
    }
  }
}
