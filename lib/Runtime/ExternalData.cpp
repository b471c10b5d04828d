//===- ExternalData.cpp - Tensors beside an ONNX file ---------------------===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "ExternalData.h"

#include "lgc/Runtime/Error.h"

#include <charconv>

using namespace lgc::runtime;

namespace {
using Visit = std::function<void(onnx::TensorProto &)>;

void visitTensors(onnx::GraphProto &graph, const Visit &visit);

void visitTensors(onnx::NodeProto &node, const Visit &visit) {
  for (onnx::AttributeProto &attribute : *node.mutable_attribute()) {
    if (attribute.has_t())
      visit(*attribute.mutable_t());
    for (onnx::TensorProto &tensor : *attribute.mutable_tensors())
      visit(tensor);
    if (attribute.has_g())
      visitTensors(*attribute.mutable_g(), visit);
    for (onnx::GraphProto &graph : *attribute.mutable_graphs())
      visitTensors(graph, visit);
  }
}

void visitTensors(onnx::GraphProto &graph, const Visit &visit) {
  for (onnx::TensorProto &tensor : *graph.mutable_initializer())
    visit(tensor);
  for (onnx::SparseTensorProto &sparse : *graph.mutable_sparse_initializer()) {
    visit(*sparse.mutable_values());
    visit(*sparse.mutable_indices());
  }
  for (onnx::NodeProto &node : *graph.mutable_node())
    visitTensors(node, visit);
}

void visitTensors(onnx::ModelProto &model, const Visit &visit) {
  visitTensors(*model.mutable_graph(), visit);
  for (onnx::FunctionProto &function : *model.mutable_functions())
    for (onnx::NodeProto &node : *function.mutable_node())
      visitTensors(node, visit);
}

bool isExternal(const onnx::TensorProto &tensor) {
  return tensor.data_location() == onnx::TensorProto::EXTERNAL;
}

/// Whether a path stays in the folder that it is relative to.
bool staysInside(const std::string &location) {
  if (location.empty() || location[0] == '/')
    return false;
  for (size_t begin = 0; begin <= location.size();) {
    size_t slash = std::min(location.find('/', begin), location.size());
    if (location.compare(begin, slash - begin, "..") == 0)
      return false;
    begin = slash + 1;
  }
  return location.find('\0') == std::string::npos;
}
} // namespace

void lgc::runtime::clearData(onnx::TensorProto &tensor) {
  tensor.clear_float_data();
  tensor.clear_double_data();
  tensor.clear_int32_data();
  tensor.clear_int64_data();
  tensor.clear_uint64_data();
  tensor.clear_string_data();
  tensor.clear_raw_data();
  tensor.clear_external_data();
  tensor.clear_data_location();
}

ExternalData::ExternalData(const std::string &modelPath) {
  size_t slash = modelPath.rfind('/');
  folder = slash == std::string::npos ? "." : modelPath.substr(0, slash);
}

ExternalData::Slice ExternalData::find(const onnx::TensorProto &tensor) {
  auto fail = [&](const std::string &problem) {
    raise("initializer ", quote(tensor.name()), " of the source model: ", problem,
          "; the model changed since it was compiled: compile it again");
  };
  std::string location;
  int64_t offset = 0, length = -1;
  auto parse = [&](const std::string &text, int64_t &number) {
    auto [next, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || next != text.data() + text.size() || number < 0)
      fail(concat("its offset or length is ", quote(text)));
  };
  for (const onnx::StringStringEntryProto &entry : tensor.external_data()) {
    if (entry.key() == "location")
      location = entry.value();
    else if (entry.key() == "offset")
      parse(entry.value(), offset);
    else if (entry.key() == "length")
      parse(entry.value(), length);
  }
  if (!staysInside(location))
    fail(concat("its data is in ", quote(location), ", outside of the model's folder"));
  std::unique_ptr<MappedFile> &file = files[location];
  if (!file)
    file = std::make_unique<MappedFile>(folder + "/" + location);
  if (length < 0)
    length = std::max<int64_t>(0, file->size() - offset);
  if (offset > file->size() || length > file->size() - offset)
    fail(concat("its data is not in ", quote(location)));
  return {file->data() + offset, length};
}

int64_t ExternalData::bytesOf(onnx::ModelProto &model) {
  int64_t bytes = 0;
  visitTensors(model, [&](onnx::TensorProto &tensor) {
    if (isExternal(tensor))
      bytes += find(tensor).bytes;
  });
  return bytes;
}

void ExternalData::embed(onnx::ModelProto &model) {
  visitTensors(model, [&](onnx::TensorProto &tensor) {
    if (!isExternal(tensor))
      return;
    Slice slice = find(tensor);
    clearData(tensor);
    tensor.set_raw_data(slice.data, size_t(slice.bytes));
  });
}

void ExternalData::moveTo(onnx::ModelProto &model, AtomicFile &file, const std::string &name) {
  constexpr int64_t smallest = 1024, alignment = 64;
  int64_t offset = 0;
  visitTensors(model, [&](onnx::TensorProto &tensor) {
    bool external = isExternal(tensor);
    Slice slice = external ? find(tensor)
                           : Slice{reinterpret_cast<const std::byte *>(tensor.raw_data().data()),
                                   int64_t(tensor.raw_data().size())};
    if (!external && slice.bytes < smallest)
      return;
    std::string padding(size_t((alignment - offset % alignment) % alignment), '\0');
    file.write(padding);
    file.write(slice.data, slice.bytes);
    offset += int64_t(padding.size());
    clearData(tensor);
    tensor.set_data_location(onnx::TensorProto::EXTERNAL);
    auto add = [&](const char *key, const std::string &value) {
      auto &entry = *tensor.add_external_data();
      entry.set_key(key);
      entry.set_value(value);
    };
    add("location", name);
    add("offset", std::to_string(offset));
    add("length", std::to_string(slice.bytes));
    offset += slice.bytes;
  });
}
