//===- ExportTest.cpp - Initializers in every form ------------------------===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "lgc/Runtime/Export.h"

#include "TemporaryFolder.h"
#include "lgc/Runtime/Error.h"

#include <onnx/onnx_pb.h>

#include <gtest/gtest.h>

#include <cstring>
#include <numeric>

using namespace lgc::runtime;

namespace {
class ExportTest : public testing::Test {
protected:
  ExportTest() {
    model.set_ir_version(8);
    model.mutable_graph()->set_name("g");
  }

  onnx::TensorProto &addInitializer(const std::string &name, const Shape &shape,
                                    int type = onnx::TensorProto::FLOAT) {
    onnx::TensorProto &tensor = *model.mutable_graph()->add_initializer();
    tensor.set_name(name);
    tensor.set_data_type(type);
    for (int64_t size : shape)
      tensor.add_dims(size);
    for (int64_t i = 0; i < *elementCount(shape); ++i)
      tensor.add_float_data(-1);
    return tensor;
  }

  /// A parameter with the elements 0, 1, 2, ...
  Buffer &addParameter(const std::string &name, const Shape &shape, ExportTarget target) {
    Buffer buffer;
    buffer.name = name;
    buffer.role = Role::Parameter;
    buffer.shape = shape;
    buffer.offset = used;
    buffer.bytes = *elementCount(shape) * 4;
    buffer.exports = {std::move(target)};
    std::vector<float> values(size_t(*elementCount(shape)));
    std::iota(values.begin(), values.end(), 0.0f);
    std::memcpy(arena.data() + used, values.data(), size_t(buffer.bytes));
    used += buffer.bytes;
    manifest.buffers.push_back(buffer);
    return manifest.buffers.back();
  }

  onnx::ModelProto exported(int64_t singleFileLimit = largestSingleFile) {
    std::string source = folder.write("source.onnx", model.SerializeAsString());
    exportModel(manifest, arena, source, folder.path() + "/out.onnx", singleFileLimit);
    onnx::ModelProto result;
    EXPECT_TRUE(result.ParseFromString(folder.read("out.onnx")));
    return result;
  }

  static std::vector<float> values(const onnx::TensorProto &tensor) {
    EXPECT_EQ(tensor.float_data_size(), 0);
    std::vector<float> result(tensor.raw_data().size() / 4);
    std::memcpy(result.data(), tensor.raw_data().data(), tensor.raw_data().size());
    return result;
  }

  TemporaryFolder folder;
  onnx::ModelProto model;
  Manifest manifest;
  Arena arena{1 << 16, 64};
  int64_t used = 0;
};

ExportTarget to(const std::string &initializer) {
  ExportTarget target;
  target.initializer = initializer;
  return target;
}
} // namespace

TEST_F(ExportTest, PermutationThenShapeThenBroadcast) {
  addInitializer("w", {2, 6});
  ExportTarget target = to("w");
  target.permutation = {1, 0};
  target.shape = {1, 6};
  target.hasShape = true;
  addParameter("p", {2, 3}, target);
  EXPECT_EQ(values(exported().graph().initializer(0)),
            (std::vector<float>{0, 3, 1, 4, 2, 5, 0, 3, 1, 4, 2, 5}));
}

TEST_F(ExportTest, DimensionsOfSizeOneMayDiffer) {
  addInitializer("w", {4});
  addParameter("p", {1, 4, 1}, to("w"));
  onnx::ModelProto result = exported();
  EXPECT_EQ(result.graph().initializer(0).dims_size(), 1);
  EXPECT_EQ(values(result.graph().initializer(0)), (std::vector<float>{0, 1, 2, 3}));
}

TEST_F(ExportTest, MergedInitializersAreSplit) {
  addInitializer("w", {2});
  for (int i = 0; i < 3; ++i) {
    onnx::NodeProto &node = *model.mutable_graph()->add_node();
    node.set_op_type("Mul");
    node.add_input("x");
    node.add_input("w");
  }
  ExportTarget own = to("w");
  own.uses = {{1, 1}};
  addParameter("second.w", {2}, own);
  addParameter("first.w", {2}, to("w"));
  onnx::ModelProto result = exported();
  EXPECT_EQ(result.graph().initializer_size(), 2);
  EXPECT_EQ(result.graph().node(0).input(1), "w");
  EXPECT_EQ(result.graph().node(1).input(1), "second.w");
  EXPECT_EQ(result.graph().initializer(1).name(), "second.w");
  EXPECT_EQ(values(result.graph().initializer(1)), (std::vector<float>{0, 1}));
  EXPECT_EQ(result.graph().input_size(), 0);
  model.set_ir_version(3); // where every initializer is an input
  EXPECT_EQ(exported().graph().input(0).name(), "second.w");
}

TEST_F(ExportTest, LargeModelsKeepTheirWeightsBeside) {
  addInitializer("large", {1000});
  addInitializer("small", {2});
  addParameter("p", {1000}, to("large"));
  addParameter("q", {2}, to("small"));
  onnx::ModelProto result = exported(/*singleFileLimit=*/1000);
  const onnx::TensorProto &large = result.graph().initializer(0);
  EXPECT_EQ(large.data_location(), onnx::TensorProto::EXTERNAL);
  EXPECT_EQ(large.external_data(0).value(), "out.onnx.data");
  EXPECT_EQ(large.external_data(2).value(), "4000");
  std::string data = folder.read("out.onnx.data");
  ASSERT_EQ(data.size(), 4000u);
  float last;
  std::memcpy(&last, &data[3996], sizeof(last));
  EXPECT_EQ(last, 999);
  EXPECT_EQ(values(result.graph().initializer(1)), (std::vector<float>{0, 1}));
}

TEST_F(ExportTest, ExternalDataIsBroughtIn) {
  onnx::TensorProto &tensor = addInitializer("frozen", {2});
  tensor.clear_float_data();
  tensor.set_data_location(onnx::TensorProto::EXTERNAL);
  auto set = [&](const char *key, const char *value) {
    auto &entry = *tensor.add_external_data();
    entry.set_key(key);
    entry.set_value(value);
  };
  set("location", "weights.bin");
  set("offset", "4");
  set("length", "8");
  folder.write("weights.bin", std::string("xxxx\0\0\x80\x3f\0\0\0\x40", 12));
  EXPECT_EQ(values(exported().graph().initializer(0)), (std::vector<float>{1, 2}));
  tensor.mutable_external_data(2)->set_value("9");
  EXPECT_THROW(exported(), Error);
  tensor.mutable_external_data(2)->set_value("8");
  for (const char *escape : {"../weights.bin", "/etc/passwd", "a/../../b", ""}) {
    tensor.mutable_external_data(0)->set_value(escape);
    EXPECT_THROW(exported(), Error) << escape;
  }
}

TEST_F(ExportTest, WhatDoesNotFitIsRefused) {
  addInitializer("w", {2, 3});
  addParameter("p", {3, 3}, to("w"));
  EXPECT_THROW(exported(), Error);
  manifest.buffers[0].exports = {to("absent")};
  EXPECT_THROW(exported(), Error);
  manifest.buffers[0].exports = {to("w")};
  manifest.buffers[0].exports[0].permutation = {0, 0};
  EXPECT_THROW(exported(), Error);
  manifest.buffers[0].exports[0].permutation = {};
  manifest.buffers[0].exports[0].uses = {{7, 0}};
  EXPECT_THROW(exported(), Error);
  EXPECT_THROW(exportModel(manifest, arena, folder.path() + "/absent", "out.onnx"), Error);
  EXPECT_FALSE(std::filesystem::exists(folder.path() + "/out.onnx"));
}
