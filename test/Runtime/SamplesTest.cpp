//===- SamplesTest.cpp - Batches as the model wants them ------------------===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "lgc/Runtime/Samples.h"

#include "TemporaryFolder.h"
#include "lgc/Runtime/Error.h"
#include "lgc/Runtime/Validation.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <numeric>

using namespace lgc::runtime;

namespace {
Buffer input(const char *name, ElementType type, Shape shape, int64_t offset,
             std::optional<size_t> batchDimension) {
  Buffer buffer;
  buffer.name = name;
  buffer.type = type;
  buffer.shape = std::move(shape);
  buffer.offset = offset;
  buffer.bytes = *elementCount(buffer.shape) * sizeOf(type);
  buffer.batchDimension = batchDimension;
  return buffer;
}

Manifest manifestOf(std::vector<Buffer> buffers, int64_t batch) {
  Manifest manifest;
  manifest.arenaBytes = 4096;
  manifest.batch = batch;
  manifest.buffers = std::move(buffers);
  return manifest;
}

class SamplesTest : public testing::Test {
protected:
  /// Writes a file of one tensor with the elements 0, 1, 2, ...
  template <typename T>
  std::string write(const std::string &file, const std::string &name, ElementType type,
                    const Shape &shape) {
    std::vector<T> values(size_t(*elementCount(shape)));
    std::iota(values.begin(), values.end(), T(0));
    return writeValues(file, name, type, shape, values);
  }

  template <typename T>
  std::string writeValues(const std::string &file, const std::string &name, ElementType type,
                          const Shape &shape, const std::vector<T> &values) {
    auto *data = reinterpret_cast<const std::byte *>(values.data());
    std::string bytes = safetensorsHeader({{name, type, shape, data}}, {});
    bytes.append(reinterpret_cast<const char *>(data), values.size() * sizeof(T));
    return folder.write(file, bytes);
  }

  std::vector<float> floats(const Arena &arena, const Buffer &buffer) {
    std::vector<float> values(size_t(buffer.bytes / 4));
    std::memcpy(values.data(), arena.at(buffer), size_t(buffer.bytes));
    return values;
  }

  TemporaryFolder folder;
  Arena arena{4096, 64};
};
} // namespace

TEST_F(SamplesTest, BatchInTheMiddle) {
  // Two steps of time, three samples, two features; in the file [sample, time, feature].
  Manifest manifest = manifestOf({input("x", ElementType::F32, {2, 3, 2}, 0, 1)}, 3);
  Samples samples(manifest, {"x"},
                  {write<float>("a.safetensors", "x", ElementType::F32, {5, 2, 2})});
  EXPECT_EQ(samples.count(), 5);
  samples.load(arena, {4, 0, 1});
  EXPECT_EQ(floats(arena, manifest.buffers[0]),
            (std::vector<float>{16, 17, 0, 1, 4, 5, 18, 19, 2, 3, 6, 7}));
}

TEST_F(SamplesTest, SeveralRowsOfASample) {
  // Labels of a language model, flattened to [batch * length].
  Manifest manifest = manifestOf({input("x", ElementType::F32, {6}, 0, 0)}, 2);
  Samples samples(manifest, {"x"}, {write<float>("a.safetensors", "x", ElementType::F32, {9})});
  EXPECT_EQ(samples.count(), 3);
  samples.load(arena, {2, 0});
  EXPECT_EQ(floats(arena, manifest.buffers[0]), (std::vector<float>{6, 7, 8, 0, 1, 2}));
}

TEST_F(SamplesTest, InputsWithoutSamplesAreGivenOnce) {
  Manifest manifest = manifestOf({input("x", ElementType::F32, {2}, 0, 0),
                                  input("p", ElementType::F32, {1, 3}, 64, std::nullopt)},
                                 2);
  Samples samples(manifest, {"x", "p"},
                  {write<float>("a.safetensors", "x", ElementType::F32, {4}),
                   write<float>("b.safetensors", "p", ElementType::F32, {1, 3})});
  EXPECT_EQ(samples.count(), 4);
  samples.load(arena, {3, 3});
  EXPECT_EQ(floats(arena, manifest.buffers[0]), (std::vector<float>{3, 3}));
  EXPECT_EQ(floats(arena, manifest.buffers[1]), (std::vector<float>{0, 1, 2}));
}

TEST_F(SamplesTest, TensorsGivenTwiceAreRefused) {
  Manifest manifest = manifestOf({input("x", ElementType::F32, {2}, 0, 0)}, 2);
  auto first = write<float>("a.safetensors", "x", ElementType::F32, {4});
  auto second = write<float>("b.safetensors", "x", ElementType::F32, {4});
  EXPECT_THROW(Samples(manifest, {"x"}, {first, second}), Error);
}

TEST_F(SamplesTest, BooleansAreZeroOrOne) {
  Manifest manifest = manifestOf({input("mask", ElementType::I1, {2}, 0, 0)}, 2);
  Samples(manifest, {"mask"},
          {writeValues<uint8_t>("a.safetensors", "mask", ElementType::I1, {2}, {1, 0})});
  EXPECT_THROW(
      Samples(manifest, {"mask"},
              {writeValues<uint8_t>("b.safetensors", "mask", ElementType::I1, {2}, {1, 2})}),
      Error);
}

TEST_F(SamplesTest, SyntheticBatchesKeepToTheRange) {
  Manifest manifest = manifestOf(
      {input("x", ElementType::F32, {200}, 0, 0), input("y", ElementType::I64, {200}, 1024, 0)},
      200);
  manifest.buffers[1].range = {-3, 4};
  loadSyntheticBatch(manifest, {"x", "y"}, arena, 1);
  double sum = 0, squares = 0;
  for (float value : floats(arena, manifest.buffers[0])) {
    sum += value;
    squares += double(value) * double(value);
  }
  EXPECT_NEAR(sum / 200, 0, 0.35);
  EXPECT_NEAR(squares / 200, 1, 0.5);
  std::vector<int> counts(8);
  for (int64_t i = 0; i < 200; ++i) {
    int64_t value = integerAt(arena.at(manifest.buffers[1]), ElementType::I64, i);
    ASSERT_TRUE(value >= -3 && value <= 4);
    ++counts[size_t(value + 3)];
  }
  for (int count : counts)
    EXPECT_GT(count, 5);
}

namespace {
/// Logits [2, 3] at byte 0 are one-hot of the first input at 64; the loss at 128 is the
/// mean of that input.
void oneHot(uint8_t *arena) {
  int64_t classes[2];
  std::memcpy(classes, arena + 64, sizeof(classes));
  float logits[2][3] = {};
  for (int i = 0; i < 2; ++i)
    logits[i][classes[i]] = 1;
  std::memcpy(arena, logits, sizeof(logits));
  float loss = float(classes[0] + classes[1]) / 2;
  std::memcpy(arena + 128, &loss, sizeof(loss));
}

Manifest classifier() {
  Manifest manifest = manifestOf({input("logits", ElementType::F32, {2, 3}, 0, std::nullopt),
                                  input("x", ElementType::I64, {2}, 64, 0),
                                  input("labels", ElementType::I64, {2}, 96, 0),
                                  input("loss", ElementType::F32, {}, 128, std::nullopt)},
                                 2);
  manifest.buffers[1].range = {0, 2};
  manifest.forwardInputs = {"x", "labels"};
  manifest.forwardLoss = "loss";
  manifest.classification = Classification{"logits", "labels", 1, std::nullopt};
  return manifest;
}
} // namespace

TEST_F(SamplesTest, ValidationLeavesAnIncompleteBatchOutOfALossItCannotMask) {
  Manifest manifest = classifier();
  auto x = writeValues<int64_t>("x.safetensors", "x", ElementType::I64, {5}, {0, 1, 2, 1, 2});
  auto labels =
      writeValues<int64_t>("l.safetensors", "labels", ElementType::I64, {5}, {0, 1, 1, 1, 2});
  ValidationResult result = Validation(manifest, {x, labels}).run(arena, oneHot);
  EXPECT_EQ(result.samples, 5);
  EXPECT_EQ(result.samplesWithoutLoss, 1);
  EXPECT_DOUBLE_EQ(*result.loss, (0.5 * 2 + 1.5 * 2) / 4);
  EXPECT_DOUBLE_EQ(*result.accuracy, 4.0 / 5);
}

TEST_F(SamplesTest, ValidationOfLessThanABatchHasNoLoss) {
  Manifest manifest = classifier();
  auto x = writeValues<int64_t>("x.safetensors", "x", ElementType::I64, {1}, {2});
  auto labels = writeValues<int64_t>("l.safetensors", "labels", ElementType::I64, {1}, {2});
  ValidationResult result = Validation(manifest, {x, labels}).run(arena, oneHot);
  EXPECT_FALSE(result.loss);
  EXPECT_EQ(result.accuracy, 1.0);
}

TEST_F(SamplesTest, ValidationLeavesIgnoredLabelsOut) {
  Manifest manifest = classifier();
  manifest.classification->ignoredLabel = -100;
  auto x = writeValues<int64_t>("x.safetensors", "x", ElementType::I64, {3}, {0, 1, 2});
  auto labels =
      writeValues<int64_t>("l.safetensors", "labels", ElementType::I64, {3}, {-100, 0, 2});
  ValidationResult result = Validation(manifest, {x, labels}).run(arena, oneHot);
  EXPECT_EQ(result.samplesWithoutLoss, 0);
  EXPECT_DOUBLE_EQ(*result.accuracy, 0.5);
  // One label counts in each batch; the second batch holds sample 2 twice.
  EXPECT_DOUBLE_EQ(*result.loss, (0.5 + 2) / 2);
}

TEST_F(SamplesTest, ValidationOfClassesInTheMiddle) {
  Manifest manifest = classifier();
  manifest.buffers[0].shape = {1, 3, 2};
  manifest.buffers[1].shape = manifest.buffers[2].shape = {1, 2};
  manifest.batch = 1;
  auto x = writeValues<int64_t>("x.safetensors", "x", ElementType::I64, {1, 2}, {2, 1});
  auto labels = writeValues<int64_t>("l.safetensors", "labels", ElementType::I64, {1, 2}, {2, 0});
  auto forward = [](uint8_t *arena) {
    float logits[3][2] = {{0, 1}, {0, 0}, {1, 0}}; // class 2, then class 0
    std::memcpy(arena, logits, sizeof(logits));
  };
  EXPECT_EQ(Validation(manifest, {x, labels}).run(arena, forward).accuracy, 1.0);
}
