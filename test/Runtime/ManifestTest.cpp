//===- ManifestTest.cpp - Manifests that would corrupt memory -------------===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "lgc/Runtime/Manifest.h"

#include "lgc/Runtime/Error.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

using namespace lgc::runtime;
using nlohmann::json;

namespace {
json sound() {
  return json::parse(R"({
    "format": 1, "model": "m.onnx", "arena_bytes": 256, "batch": 4,
    "buffers": [
      {"name": "x", "role": "input", "type": "f32", "shape": [4, 3], "offset": 0, "batch_dim": 0},
      {"name": "y", "role": "input", "type": "i64", "shape": [4], "offset": 64, "batch_dim": 0,
       "range": [0, 2], "also": [-100]},
      {"name": "z", "role": "output", "type": "f32", "shape": [4, 3], "offset": 128},
      {"name": "loss", "role": "output", "type": "f32", "shape": [], "offset": 192}],
    "functions": {"train_step": {"inputs": ["x", "y"], "loss": "loss"},
                  "forward": {"inputs": ["x"], "outputs": ["z"]}},
    "classification": {"logits": "z", "labels": "y", "class_dim": 1, "ignore_index": -100}})");
}
} // namespace

TEST(Manifest, Sound) {
  Manifest manifest = Manifest::parse(sound().dump());
  EXPECT_EQ(manifest.buffers.size(), 4u);
  EXPECT_EQ(manifest.find("y")->range->second, 2);
  EXPECT_EQ(manifest.find("z")->bytes, 48);
  EXPECT_TRUE(manifest.hasTrainStep && manifest.hasForward);
  EXPECT_EQ(manifest.classification->ignoredLabel, -100);
}

TEST(Manifest, DamagedOnesAreRefused) {
  const std::pair<const char *, json> changes[] = {
      {"/format", 2},
      {"/arena_bytes", 190},
      {"/arena_bytes", -1},
      {"/batch", 0},
      {"/batch", 3},
      {"/alignment", 48},
      {"/buffers/0/offset", -4},
      {"/buffers/0/offset", 250},
      {"/buffers/0/offset", INT64_MAX},
      {"/buffers/0/shape", {1 << 20, 1 << 20}},
      {"/buffers/0/shape", {-4, 3}},
      {"/buffers/0/bytes", 44},
      {"/buffers/0/type", "f31"},
      {"/buffers/0/role", "guest"},
      {"/buffers/0/name", "y"},
      {"/buffers/0/batch_dim", 2},
      {"/buffers/1/range", {3, 2}},
      {"/buffers/3/type", "i64"},
      {"/buffers/3/shape", {2}},
      {"/functions/train_step/loss", "absent"},
      {"/functions/forward/inputs/0", "absent"},
      {"/classification/class_dim", 2},
      {"/classification/class_dim", 0},
      {"/classification/labels", "x"},
      {"/functions", 3},
      {"/buffers", nullptr},
  };
  for (const auto &[place, value] : changes) {
    json changed = sound();
    changed[json::json_pointer(place)] = value;
    if (value.is_null())
      changed.erase("buffers");
    EXPECT_THROW(Manifest::parse(changed.dump()), Error) << place << " " << value;
  }
  EXPECT_THROW(Manifest::parse("{"), Error);
  EXPECT_THROW(Manifest::parse(""), Error);
}
