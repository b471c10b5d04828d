//===- Validation.cpp - Loss and accuracy on held-out samples -------------===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "lgc/Runtime/Validation.h"

#include "lgc/Runtime/Kernels.h"

#include <algorithm>
#include <atomic>
#include <limits>

using namespace lgc::runtime;

namespace {
/// Which sample of the batch an element of a batched buffer belongs to.
class SampleOf {
public:
  SampleOf(const Buffer &buffer, int64_t batch) {
    if (!buffer.batchDimension)
      return;
    size = buffer.shape[*buffer.batchDimension];
    rows = size / batch;
    for (size_t i = *buffer.batchDimension + 1; i < buffer.shape.size(); ++i)
      inner *= buffer.shape[i];
  }

  int64_t operator()(int64_t element) const {
    return size == 0 ? 0 : element / inner % size / rows;
  }

private:
  int64_t size = 0, rows = 1, inner = 1;
};

/// Which of `count` elements, `stride` apart, is the largest; -1 where none is a number.
template <typename Load>
int64_t largestBy(Load load, int64_t first, int64_t count, int64_t stride) {
  int64_t best = -1;
  double highest = -std::numeric_limits<double>::infinity();
  for (int64_t i = 0; i < count; ++i) {
    double value = load(first + i * stride);
    if (value > highest) {
      highest = value;
      best = i;
    }
  }
  return best;
}

int64_t largest(const TensorView &tensor, int64_t first, int64_t count, int64_t stride) {
  if (tensor.type == ElementType::F32) {
    auto *values = reinterpret_cast<const float *>(tensor.data);
    return largestBy([=](int64_t i) { return double(values[i]); }, first, count, stride);
  }
  return largestBy([&](int64_t i) { return floatAt(tensor.data, tensor.type, i); }, first, count,
                   stride);
}
} // namespace

Validation::Validation(const Manifest &manifest, const std::vector<std::string> &paths)
    : manifest(manifest), samples(manifest, manifest.forwardInputs, paths) {}

bool Validation::masksLabels() const {
  if (!manifest.classification || !manifest.classification->ignoredLabel)
    return false;
  const auto &inputs = manifest.forwardInputs;
  return std::find(inputs.begin(), inputs.end(), manifest.classification->labels) != inputs.end();
}

void Validation::ignoreLabelsFrom(const Arena &arena, int64_t realSamples) const {
  const Buffer &labels = *manifest.find(manifest.classification->labels);
  SampleOf sampleOf(labels, manifest.batch);
  int64_t size = sizeOf(labels.type);
  for (int64_t i = 0; i < labels.bytes / size; ++i)
    if (sampleOf(i) >= realSamples)
      store(arena.at(labels) + i * size, labels.type,
            double(*manifest.classification->ignoredLabel));
}

Validation::Counts Validation::countLabels(const Arena &arena, int64_t realSamples) const {
  const Classification &classes = *manifest.classification;
  const Buffer &labels = *manifest.find(classes.labels), &logits = *manifest.find(classes.logits);
  SampleOf sampleOf(labels, manifest.batch);
  int64_t classCount = logits.shape[classes.classDimension], inner = 1;
  for (size_t i = classes.classDimension + 1; i < logits.shape.size(); ++i)
    inner *= logits.shape[i];
  std::atomic<int64_t> counted{0}, correct{0};
  auto countRange = [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      int64_t label = integerAt(arena.at(labels), labels.type, i);
      if (label == classes.ignoredLabel || sampleOf(i) >= realSamples)
        continue;
      int64_t first = i / inner * classCount * inner + i % inner;
      ++counted;
      correct += label == largest(arena.view(logits), first, classCount, inner);
    }
  };
  // A language model has hundreds of millions of logits in a batch.
  lgc_parallel_for([](void *context, int64_t begin,
                      int64_t end) { (*static_cast<decltype(countRange) *>(context))(begin, end); },
                   &countRange, *elementCount(labels.shape), /*grain=*/16);
  return {counted, correct};
}

ValidationResult Validation::run(const Arena &arena, void (*forward)(uint8_t *arena)) const {
  ValidationResult result;
  result.samples = samples.count();
  double weightedLoss = 0, weights = 0;
  Counts total;
  bool labelled = false;
  if (manifest.classification) {
    const auto &inputs = manifest.forwardInputs;
    labelled =
        std::find(inputs.begin(), inputs.end(), manifest.classification->labels) != inputs.end();
  }
  for (int64_t first = 0; first < samples.count(); first += manifest.batch) {
    int64_t real = std::min(manifest.batch, samples.count() - first);
    std::vector<int64_t> indices;
    indices.reserve(size_t(manifest.batch));
    for (int64_t i = 0; i < manifest.batch; ++i)
      indices.push_back(first + std::min(i, real - 1));
    samples.load(arena, indices);
    if (real < manifest.batch && masksLabels())
      ignoreLabelsFrom(arena, real);
    forward(arena.data());
    Counts counts;
    if (labelled)
      counts = countLabels(arena, real);
    total.labels += counts.labels;
    total.correct += counts.correct;
    if (manifest.forwardLoss.empty())
      continue;
    if (real < manifest.batch && !masksLabels()) {
      result.samplesWithoutLoss = real;
      continue;
    }
    // The loss of a batch is a mean over its labels.
    double weight = double(labelled ? counts.labels : real);
    if (weight == 0)
      continue;
    weightedLoss += weight * arena.scalar(*manifest.find(manifest.forwardLoss));
    weights += weight;
  }
  if (weights > 0)
    result.loss = weightedLoss / weights;
  if (total.labels > 0)
    result.accuracy = double(total.correct) / double(total.labels);
  return result;
}
