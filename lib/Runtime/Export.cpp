//===- Export.cpp - The source model with trained weights -----------------===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "lgc/Runtime/Export.h"

#include "ExternalData.h"
#include "lgc/Runtime/AtomicFile.h"
#include "lgc/Runtime/Error.h"

#include <onnx/onnx_pb.h>

#include <google/protobuf/io/zero_copy_stream_impl.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <set>

#include <fcntl.h>
#include <unistd.h>

using namespace lgc::runtime;

namespace {
using Bytes = std::string;

std::optional<ElementType> typeOfInitializer(int32_t type) {
  switch (type) {
  case onnx::TensorProto::DOUBLE:
    return ElementType::F64;
  case onnx::TensorProto::FLOAT:
    return ElementType::F32;
  case onnx::TensorProto::FLOAT16:
    return ElementType::F16;
  case onnx::TensorProto::BFLOAT16:
    return ElementType::BF16;
  case onnx::TensorProto::BOOL:
    return ElementType::I1;
  case onnx::TensorProto::INT8:
    return ElementType::I8;
  case onnx::TensorProto::INT16:
    return ElementType::I16;
  case onnx::TensorProto::INT32:
    return ElementType::I32;
  case onnx::TensorProto::INT64:
    return ElementType::I64;
  case onnx::TensorProto::UINT8:
    return ElementType::UI8;
  case onnx::TensorProto::UINT16:
    return ElementType::UI16;
  case onnx::TensorProto::UINT32:
    return ElementType::UI32;
  case onnx::TensorProto::UINT64:
    return ElementType::UI64;
  default:
    return std::nullopt;
  }
}

std::vector<int64_t> denseStrides(const Shape &shape) {
  std::vector<int64_t> strides(shape.size());
  int64_t stride = 1;
  for (size_t i = shape.size(); i-- > 0; stride *= shape[i])
    strides[i] = stride;
  return strides;
}

/// The elements of a strided view, densely.
Bytes gather(const std::byte *source, const Shape &shape, const std::vector<int64_t> &strides,
             int64_t elementBytes) {
  int64_t count = *elementCount(shape);
  Bytes result(size_t(count * elementBytes), '\0');
  if (strides == denseStrides(shape)) {
    std::memcpy(&result[0], source, result.size());
    return result;
  }
  std::vector<int64_t> index(shape.size(), 0);
  int64_t offset = 0;
  for (int64_t i = 0; i < count; ++i) {
    std::memcpy(&result[size_t(i * elementBytes)], source + offset * elementBytes,
                size_t(elementBytes));
    for (size_t d = shape.size(); d-- > 0;) {
      offset += strides[d];
      if (++index[d] < shape[d])
        break;
      offset -= shape[d] * strides[d];
      index[d] = 0;
    }
  }
  return result;
}

/// Strides that repeat a dense tensor of `shape` over `target`, as NumPy broadcasts.
std::optional<std::vector<int64_t>> broadcastStrides(const Shape &shape, const Shape &target) {
  if (shape.size() > target.size())
    return std::nullopt;
  std::vector<int64_t> dense = denseStrides(shape), strides(target.size(), 0);
  size_t added = target.size() - shape.size();
  for (size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] == target[added + i])
      strides[added + i] = dense[i];
    else if (shape[i] != 1)
      return std::nullopt;
  }
  return strides;
}

Bytes convert(const Bytes &source, ElementType from, ElementType to) {
  if (from == to)
    return source;
  int64_t count = int64_t(source.size()) / sizeOf(from);
  Bytes result(size_t(count * sizeOf(to)), '\0');
  auto *in = reinterpret_cast<const std::byte *>(source.data());
  auto *out = reinterpret_cast<std::byte *>(&result[0]);
  for (int64_t i = 0; i < count; ++i)
    store(out + i * sizeOf(to), to,
          isInteger(from) ? double(integerAt(in, from, i)) : floatAt(in, from, i));
  return result;
}

class Exporter {
public:
  Exporter(const Manifest &manifest, const Arena &arena, const std::string &sourcePath);

  void replaceWeights();
  void write(const std::string &path, int64_t singleFileLimit);

private:
  void replace(const Buffer &buffer, const ExportTarget &target);
  Bytes valueFor(const Buffer &buffer, const ExportTarget &target,
                 const onnx::TensorProto &initializer) const;
  onnx::TensorProto &copyForUses(onnx::TensorProto &initializer, const Buffer &buffer,
                                 const ExportTarget &target);

  const Manifest &manifest;
  const Arena &arena;
  std::string sourcePath;
  onnx::ModelProto model;
  std::map<std::string, onnx::TensorProto *> initializers;
};
} // namespace

Exporter::Exporter(const Manifest &manifest, const Arena &arena, const std::string &sourcePath)
    : manifest(manifest), arena(arena), sourcePath(sourcePath) {
  int descriptor = ::open(sourcePath.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0)
    raise(sourcePath, ": the source model can't be read: ", systemError(),
          "; --export needs the program's folder whole");
  google::protobuf::io::FileInputStream stream(descriptor);
  stream.SetCloseOnDelete(true);
  if (!model.ParseFromZeroCopyStream(&stream))
    raise(sourcePath, ": it is no ONNX model; compile the model again");
  for (onnx::TensorProto &tensor : *model.mutable_graph()->mutable_initializer())
    initializers.emplace(tensor.name(), &tensor);
}

Bytes Exporter::valueFor(const Buffer &buffer, const ExportTarget &target,
                         const onnx::TensorProto &initializer) const {
  auto fail = [&](const std::string &problem) {
    raise(sourcePath, ": initializer ", quote(initializer.name()), ": ", problem,
          "; the model changed since it was compiled: compile it again");
  };
  auto type = typeOfInitializer(initializer.data_type());
  if (!type)
    fail("its element type can't be written");
  Shape shape = buffer.shape;
  std::vector<int64_t> strides = denseStrides(shape);
  if (!target.permutation.empty()) {
    Shape permuted;
    std::vector<int64_t> permutedStrides;
    std::set<int64_t> dimensions(target.permutation.begin(), target.permutation.end());
    bool valid = target.permutation.size() == shape.size() && dimensions.size() == shape.size() &&
                 *dimensions.begin() == 0 && *dimensions.rbegin() + 1 == int64_t(shape.size());
    if (!valid)
      fail("its permutation in the manifest is none");
    for (int64_t d : target.permutation) {
      permuted.push_back(shape[size_t(d)]);
      permutedStrides.push_back(strides[size_t(d)]);
    }
    shape = permuted;
    strides = permutedStrides;
  }
  int64_t elementBytes = sizeOf(buffer.type);
  Bytes value = gather(arena.at(buffer), shape, strides, elementBytes);
  if (target.hasShape) {
    if (elementCount(target.shape) != elementCount(shape))
      fail("its shape in the manifest has another number of elements");
    shape = target.shape;
  }
  Shape wanted(initializer.dims().begin(), initializer.dims().end());
  if (shape != wanted) {
    // A tensor that only differs by dimensions of size 1 is the same in memory.
    auto repeated = broadcastStrides(shape, wanted);
    if (repeated)
      value = gather(reinterpret_cast<const std::byte *>(value.data()), wanted, *repeated,
                     elementBytes);
    else if (elementCount(shape) != elementCount(wanted))
      fail(concat("its shape is ", print(wanted), " and the trained one ", print(shape)));
  }
  return convert(value, buffer.type, *type);
}

/// Gives some uses of an initializer a tensor of their own. Tensors that an exporter
/// merged because they were equal are trained apart.
onnx::TensorProto &Exporter::copyForUses(onnx::TensorProto &initializer, const Buffer &buffer,
                                         const ExportTarget &target) {
  onnx::GraphProto &graph = *model.mutable_graph();
  std::string name = buffer.name;
  while (initializers.count(name))
    name += "_trained";
  onnx::TensorProto &copy = *graph.add_initializer();
  copy.set_name(name);
  copy.set_data_type(initializer.data_type());
  *copy.mutable_dims() = initializer.dims();
  initializers.emplace(name, &copy);
  // Old files must list every initializer as an input as well.
  constexpr int64_t firstWithoutInputs = 4;
  if (model.ir_version() < firstWithoutInputs) {
    onnx::ValueInfoProto &input = *graph.add_input();
    input.set_name(name);
    onnx::TypeProto::Tensor &type = *input.mutable_type()->mutable_tensor_type();
    type.set_elem_type(copy.data_type());
    for (int64_t size : copy.dims())
      type.mutable_shape()->add_dim()->set_dim_value(size);
  }
  for (const ExportTarget::Use &use : target.uses) {
    bool valid = use.node >= 0 && use.node < graph.node_size() && use.input >= 0 &&
                 use.input < graph.node(int(use.node)).input_size();
    if (!valid)
      raise(sourcePath, ": it has no node ", use.node,
            " with such an input; the model changed since it was compiled: compile it again");
    graph.mutable_node(int(use.node))->set_input(int(use.input), name);
  }
  return copy;
}

void Exporter::replace(const Buffer &buffer, const ExportTarget &target) {
  auto found = initializers.find(target.initializer);
  if (found == initializers.end())
    raise(sourcePath, ": it has no initializer ", quote(target.initializer),
          "; the model changed since it was compiled: compile it again");
  onnx::TensorProto *tensor = found->second;
  if (!target.uses.empty())
    tensor = &copyForUses(*tensor, buffer, target);
  Bytes value = valueFor(buffer, target, *tensor);
  clearData(*tensor);
  tensor->set_raw_data(std::move(value));
}

void Exporter::replaceWeights() {
  // Uses with a tensor of their own come first: they copy the type and shape of an
  // initializer that may be replaced as well.
  for (bool ownUses : {true, false})
    for (const Buffer &buffer : manifest.buffers)
      if (buffer.isStored())
        for (const ExportTarget &target : buffer.exports)
          if (!target.uses.empty() == ownUses)
            replace(buffer, target);
}

void Exporter::write(const std::string &path, int64_t singleFileLimit) {
  ExternalData external(sourcePath);
  bool single = int64_t(model.ByteSizeLong()) + external.bytesOf(model) <= singleFileLimit;
  if (single) {
    external.embed(model);
  } else {
    std::string dataPath = path + ".data";
    AtomicFile data(dataPath);
    external.moveTo(model, data, dataPath.substr(dataPath.rfind('/') + 1));
    data.commit();
  }
  std::string serialized;
  if (!model.SerializeToString(&serialized))
    raise(path, ": the model is too large for one ONNX file; report this");
  AtomicFile file(path);
  file.write(serialized);
  file.commit();
}

void lgc::runtime::exportModel(const Manifest &manifest, const Arena &arena,
                               const std::string &sourcePath, const std::string &path,
                               int64_t singleFileLimit) {
  Exporter exporter(manifest, arena, sourcePath);
  exporter.replaceWeights();
  exporter.write(path, singleFileLimit);
}
