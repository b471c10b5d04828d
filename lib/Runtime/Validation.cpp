//===- Validation.cpp - Loss and accuracy on held-out samples -------------===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "lgc/Runtime/Validation.h"

#include "lgc/Runtime/Error.h"

#include <algorithm>
#include <cmath>

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
  Counts counts;
  const Classification &classes = *manifest.classification;
  const Buffer &labels = *manifest.find(classes.labels), &logits = *manifest.find(classes.logits);
  SampleOf sampleOf(labels, manifest.batch);
  int64_t classCount = logits.shape[classes.classDimension], inner = 1;
  for (size_t i = classes.classDimension + 1; i < logits.shape.size(); ++i)
    inner *= logits.shape[i];
  for (int64_t i = 0; i < *elementCount(labels.shape); ++i) {
    int64_t label = integerAt(arena.at(labels), labels.type, i);
    if (label == classes.ignoredLabel || sampleOf(i) >= realSamples)
      continue;
    ++counts.labels;
    const std::byte *values = arena.at(logits);
    int64_t first = i / inner * classCount * inner + i % inner, best = 0;
    double highest = floatAt(values, logits.type, first);
    for (int64_t candidate = 1; candidate < classCount; ++candidate) {
      double value = floatAt(values, logits.type, first + candidate * inner);
      if (value > highest) {
        highest = value;
        best = candidate;
      }
    }
    counts.correct += best == label && !std::isnan(highest);
  }
  return counts;
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
