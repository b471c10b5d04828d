//===- GraphInputs.cpp - A model's inputs with their sizes bound ----------===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "GraphInputs.h"
#include "TensorBuilder.h"
#include "TensorData.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace lgc;

namespace {

/// Binds dimensions and notes what is left unbound and which names were used.
class DimensionBinder {
public:
  explicit DimensionBinder(const ImportOptions &options) : options(options) {}

  int64_t bind(const onnx::TensorShapeProto::Dimension &dimension, const std::string &input,
               int number) {
    if (dimension.has_dim_value())
      return dimension.dim_value();
    const std::string &name = dimension.dim_param();
    if (auto bound = options.dims.find(name); !name.empty() && bound != options.dims.end()) {
      used.insert(name);
      return bound->second;
    }
    if (number == 0 && options.batch) {
      // The name stands for the same size wherever it appears.
      if (!name.empty())
        batchName = name;
      return *options.batch;
    }
    if (!name.empty() && name == batchName)
      return *options.batch;
    std::string place = "dimension " + std::to_string(number) + " of '" + input + "'";
    if (name.empty())
      unbound.push_back(place + " (which has no name; export it with one)");
    else if (reported.insert(name).second)
      unbound.push_back("'" + name + "' (" + place + ")");
    return 1;
  }

  LogicalResult finish(Location loc) {
    for (const auto &[name, size] : options.dims)
      if (!used.contains(name))
        return emitError(loc, "no input has a dimension called '" + name +
                                  "'; remove --dim=" + name + "=...");
    if (unbound.empty())
      return success();
    return emitError(loc, "the sizes of these dimensions are needed: " + llvm::join(unbound, ", ") +
                              "; give each with --dim=NAME=SIZE, or a first dimension with "
                              "--batch=SIZE");
  }

  const ImportOptions &options;

private:
  std::vector<std::string> unbound;
  llvm::StringSet<> used, reported;
  std::string batchName;
};

} // namespace

static FailureOr<RankedTensorType> typeOf(const onnx::ValueInfoProto &input,
                                          DimensionBinder &binder, Location loc) {
  const onnx::TypeProto &type = input.type();
  if (!type.has_tensor_type())
    return emitError(loc, "input '" + input.name() +
                              "' is a sequence, a map, an optional or sparse, but only dense "
                              "tensors can enter a model; export it with tensors");
  Type element = elementTypeOf(*loc.getContext(), type.tensor_type().elem_type());
  int32_t onnxType = type.tensor_type().elem_type();
  if (!element || onnxType == onnx::TensorProto::INT4 || onnxType == onnx::TensorProto::UINT4)
    return emitError(loc, "input '" + input.name() + "' has the element type " +
                              onnxTypeName(onnxType) +
                              ", which isn't supported; export it as another type");
  if (!type.tensor_type().has_shape())
    return emitError(loc,
                     "input '" + input.name() + "' has no shape; export the model with shapes");
  SmallVector<int64_t> shape;
  for (auto [i, dimension] : llvm::enumerate(type.tensor_type().shape().dim()))
    shape.push_back(binder.bind(dimension, input.name(), int(i)));
  std::optional<int64_t> count = elementCount(shape);
  if (!count || *count > (int64_t(1) << 40))
    return emitError(loc, "input '" + input.name() +
                              "' has impossible dimensions; check the sizes it is given");
  if (*count == 0 && !binder.options.asWritten)
    return emitError(loc, "input '" + input.name() +
                              "' has no elements: one of its dimensions is 0; give it another "
                              "size");
  return RankedTensorType::get(shape, element);
}

FailureOr<std::vector<GraphInput>> lgc::bindInputs(const Model &model, const ImportOptions &options,
                                                   Location loc) {
  llvm::StringSet<> known;
  for (const onnx::TensorProto &tensor : model.proto.graph().initializer())
    known.insert(tensor.name());
  for (const auto &[name, bytes] : options.boundInputs)
    known.insert(name);
  DimensionBinder binder(options);
  std::vector<GraphInput> inputs;
  bool failed = false;
  for (const onnx::ValueInfoProto &input : model.proto.graph().input()) {
    if (known.contains(input.name()))
      continue;
    FailureOr<RankedTensorType> type = typeOf(input, binder, loc);
    failed |= mlir::failed(type);
    if (!failed)
      inputs.push_back({input.name(), *type});
  }
  if (mlir::failed(binder.finish(loc)) || failed)
    return failure();
  return inputs;
}
