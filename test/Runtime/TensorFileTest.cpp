//===- TensorFileTest.cpp - Files that are what they say ------------------===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "lgc/Runtime/TensorFile.h"

#include "TemporaryFolder.h"
#include "lgc/Runtime/Error.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <random>

using namespace lgc::runtime;
using testing::HasSubstr;

namespace {
std::string withHeader(const std::string &header, size_t dataBytes) {
  uint64_t length = header.size();
  return std::string(reinterpret_cast<const char *>(&length), sizeof(length)) + header +
         std::string(dataBytes, '\0');
}

std::string entry(const std::string &name, const std::string &type, const std::string &shape,
                  const std::string &offsets) {
  return "\"" + name + "\": {\"dtype\": \"" + type + "\", \"shape\": " + shape +
         ", \"data_offsets\": " + offsets + "}";
}

std::string numpy(const std::string &header, size_t dataBytes) {
  auto length = static_cast<uint16_t>(header.size());
  return std::string("\x93NUMPY\x01\x00", 8) +
         std::string(reinterpret_cast<const char *>(&length), sizeof(length)) + header +
         std::string(dataBytes, '\0');
}

class TensorFileTest : public testing::Test {
protected:
  /// The error that opening the bytes gives, or nothing.
  std::string problem(const std::string &name, const std::string &bytes) {
    try {
      TensorFile::open(folder.write(name, bytes));
    } catch (const Error &error) {
      EXPECT_THAT(error.what(), HasSubstr(name));
      EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
      return error.what();
    }
    return "";
  }

  TemporaryFolder folder;
};
} // namespace

TEST_F(TensorFileTest, WhatIsWrittenIsRead) {
  float values[] = {1, 2, 3, 4, 5, 6};
  int64_t labels[] = {7, 8};
  std::vector<TensorView> tensors = {
      {"x", ElementType::F32, {2, 3}, reinterpret_cast<const std::byte *>(values)},
      {"none", ElementType::BF16, {0, 5}, nullptr},
      {"label \"s\"/::", ElementType::I64, {2}, reinterpret_cast<const std::byte *>(labels)}};
  std::string bytes = safetensorsHeader(tensors, {{"key", "some \"text\""}});
  EXPECT_EQ(bytes.size() % 64, 0u);
  bytes.append(reinterpret_cast<const char *>(values), sizeof(values));
  bytes.append(reinterpret_cast<const char *>(labels), sizeof(labels));
  TensorFile file = TensorFile::open(folder.write("a.safetensors", bytes));
  EXPECT_EQ(file.metadata().at("key"), "some \"text\"");
  ASSERT_EQ(file.tensors().size(), 3u);
  const TensorView *x = file.find("x"), *read = file.find("label \"s\"/::");
  ASSERT_TRUE(x && read && file.find("none"));
  EXPECT_EQ(x->type, ElementType::F32);
  EXPECT_EQ(x->shape, (Shape{2, 3}));
  EXPECT_EQ(std::memcmp(x->data, values, sizeof(values)), 0);
  EXPECT_EQ(integerAt(read->data, read->type, 1), 8);
  EXPECT_EQ(file.find("y"), nullptr);
}

TEST_F(TensorFileTest, EmptySafetensors) {
  TensorFile file = TensorFile::open(folder.write("a.safetensors", safetensorsHeader({}, {})));
  EXPECT_TRUE(file.tensors().empty());
}

TEST_F(TensorFileTest, BrokenSafetensorsAreRefused) {
  std::string a = entry("a", "F32", "[2]", "[0, 8]");
  const std::pair<std::string, const char *> cases[] = {
      {"", "too short"},
      {"abc", "too short"},
      {std::string("\xff\xff\xff\xff\xff\xff\xff\xff{}", 10), "does not fit"},
      {std::string("\x20\0\0\0\0\0\0\0{}", 10), "does not fit"},
      {withHeader("x", 0), "not a JSON object"},
      {withHeader("[1]", 0), "not a JSON object"},
      {withHeader(std::string(100000, '['), 0), "not a JSON object"},
      {withHeader("{\"a\":" + std::string(50000, '[') + std::string(50000, ']') + "}", 0),
       "not a JSON object"},
      {withHeader("{\"a\": 1}", 0), "no dtype"},
      {withHeader("{" + entry("a", "F7", "[2]", "[0, 8]") + "}", 8), "'F7' is unknown"},
      {withHeader("{" + entry("a", "F32", "[-2]", "[0, 8]") + "}", 8), "not a list of sizes"},
      {withHeader("{" + entry("a", "F32", "[2.0]", "[0, 8]") + "}", 8), "not a list of sizes"},
      {withHeader("{" + entry("a", "F32", "\"2\"", "[0, 8]") + "}", 8), "not a list of sizes"},
      {withHeader("{" + entry("a", "F32", "[2]", "[8, 0]") + "}", 8), "begin and an end"},
      {withHeader("{" + entry("a", "F32", "[2]", "[0]") + "}", 8), "begin and an end"},
      {withHeader("{" + entry("a", "F32", "[2]", "[0, 99999999999999999999]") + "}", 8),
       "begin and an end"},
      {withHeader("{" + a + "}", 7), "cut off"},
      {withHeader("{" + entry("a", "F32", "[3]", "[0, 8]") + "}", 8), "does not take"},
      {withHeader("{" + entry("a", "F32", "[4611686018427387904, 4]", "[0, 0]") + "}", 0),
       "does not take"},
      {withHeader("{" + a + ", " + a + "}", 8), "two tensors named 'a'"},
      {withHeader("{" + a + ", " + entry("b", "F32", "[2]", "[4, 12]") + "}", 12), "overlaps"},
      {withHeader("{" + a + ", " + entry("b", "F32", "[1]", "[12, 16]") + "}", 16),
       "belong to no tensor"},
      {withHeader("{" + a + "}", 9), "after its last tensor"},
      {withHeader("{\"__metadata__\": {\"a\": 1}}", 0), "is not text"},
      {withHeader("{\"__metadata__\": 3}", 0), "not an object"},
  };
  for (const auto &[bytes, message] : cases)
    EXPECT_THAT(problem("a.safetensors", bytes), HasSubstr(message));
}

TEST_F(TensorFileTest, ChangedBytesNeverCrash) {
  std::string sound = withHeader("{" + entry("a", "F32", "[2, 3]", "[0, 24]") + ", " +
                                     entry("b", "I64", "[2]", "[24, 40]") + "}",
                                 40);
  std::mt19937 generator(1);
  for (int attempt = 0; attempt < 300; ++attempt) {
    std::string bytes = sound;
    for (unsigned change = 0; change < 1 + attempt % 3u; ++change)
      bytes[generator() % bytes.size()] = static_cast<char>(generator());
    if (attempt % 5 == 0)
      bytes.resize(generator() % bytes.size());
    problem("a.safetensors", bytes);
  }
}

TEST_F(TensorFileTest, NumpyFiles) {
  std::string header = "{'descr': '<i4', 'fortran_order': False, 'shape': (2, 3), }    \n";
  TensorFile file = TensorFile::open(folder.write("some.input.npy", numpy(header, 24)));
  ASSERT_EQ(file.tensors().size(), 1u);
  EXPECT_EQ(file.tensors()[0].name, "some.input");
  EXPECT_EQ(file.tensors()[0].type, ElementType::I32);
  EXPECT_EQ(file.tensors()[0].shape, (Shape{2, 3}));
  EXPECT_EQ(problem("a.npy", numpy("{'shape': (), 'descr':'|b1','fortran_order':False}", 1)), "");
  EXPECT_EQ(problem("a.npy", numpy("{'descr': '<f8', 'fortran_order': False, 'shape': (3,)}", 24)),
            "");
}

TEST_F(TensorFileTest, BrokenNumpyFilesAreRefused) {
  auto header = [](const std::string &type, const std::string &order, const std::string &shape) {
    return "{'descr': " + type + ", 'fortran_order': " + order + ", 'shape': " + shape + ", }";
  };
  const std::pair<std::string, const char *> cases[] = {
      {"", "not a .npy file"},
      {"PK\x03\x04 something long", "not a .npy file"},
      {std::string("\x93NUMPY\x09\x00\x00\x00", 10), "version 9"},
      {std::string("\x93NUMPY\x01\x00", 8), "cut off"},
      {std::string("\x93NUMPY\x01\x00\xff\xff{", 11), "cut off"},
      {numpy("", 0), "not that of an array"},
      {numpy(header("'|O'", "False", "(2,)"), 16), "'|O' is not supported"},
      {numpy(header("'>f4'", "False", "(2,)"), 8), "'>f4' is not supported"},
      {numpy(header("[('a', '<f4')]", "False", "(2,)"), 8), "not that of an array"},
      {numpy(header("'<f4'", "True", "(2, 2)"), 16), "Fortran order"},
      {numpy(header("'<f4'", "False", "(2,)"), 7), "does not take"},
      {numpy(header("'<f4'", "False", "(-2,)"), 8), "not that of an array"},
      {numpy(header("'<f4'", "False", "(4611686018427387904, 4)"), 0), "does not take"},
      {numpy(header("'<f4'", "False", "(99999999999999999999,)"), 0), "not that of an array"},
      {numpy(header("'<f4'", "False", "(2,)") + "x", 8), "not that of an array"},
      {numpy("{'descr': '<f4', 'descr': '<f4', 'shape': (2,)}", 8), "not that of an array"},
  };
  for (const auto &[bytes, message] : cases)
    EXPECT_THAT(problem("a.npy", bytes), HasSubstr(message));
}

TEST_F(TensorFileTest, OtherFilesAreRefused) {
  EXPECT_THAT(problem("a.csv", "1,2"), HasSubstr("neither"));
  EXPECT_THROW(TensorFile::open(folder.path() + "/absent.npy"), Error);
  EXPECT_THROW(TensorFile::openNumpy(folder.path()), Error);
}
