//===- ModelReader.cpp - An ONNX file as checked protocol buffers ---------===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "ModelReader.h"
#include "RawDataScanner.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <onnx/checker.h>
#include <onnx/version_converter/convert.h>

using namespace mlir;
using namespace lgc;

/// Operator sets of ai.onnx that the translation knows. Older ones, whose operators broadcast by an
/// attribute, are brought to the oldest of these by ONNX's converter.
static constexpr int64_t kOldestOpset = 7, kNewestOpset = 28;

std::string lgc::functionKey(StringRef domain, StringRef name, StringRef overload) {
  if (domain == "ai.onnx")
    domain = "";
  return (domain + ":" + name + ":" + overload).str();
}

Opsets
lgc::readOpsets(const google::protobuf::RepeatedPtrField<onnx::OperatorSetIdProto> &imports) {
  Opsets opsets;
  for (const onnx::OperatorSetIdProto &import : imports)
    opsets[import.domain() == "ai.onnx" ? "" : import.domain()] = import.version();
  return opsets;
}

static LogicalResult parse(Model &model, StringRef bytes, Location loc) {
  if (bytes.size() > size_t(INT_MAX))
    return emitError(loc, "the file is larger than 2 GiB, which no ONNX file can be; save the "
                          "weights as external data");
  google::protobuf::io::ArrayInputStream stream(bytes.data(), int(bytes.size()));
  google::protobuf::io::CodedInputStream coded(&stream);
  if (!model.proto.ParseFromCodedStream(&coded) || !coded.ConsumedEntireMessage())
    return emitError(loc, "this is no complete ONNX model: the file is cut off, damaged or of "
                          "another format; export or copy it again");
  if (!model.proto.has_graph())
    return emitError(loc, "the model holds no graph; export it again");
  return success();
}

static LogicalResult checkVersions(const Model &model, Location loc) {
  auto version = model.opsets.find("");
  if (version == model.opsets.end())
    return success();
  if (version->second < 1 || version->second > kNewestOpset)
    return emitError(loc, "the model uses version " + Twine(version->second) +
                              " of ONNX's operators; versions 1 to " + Twine(kNewestOpset) +
                              " are supported, export it with one of them");
  return success();
}

namespace {

/// Takes large and external initializers out of a graph while it is checked: the checker would
/// look for external data by itself and copy the others. Graph inputs of their types stand in.
class WithoutWeights {
public:
  explicit WithoutWeights(onnx::GraphProto &graph) : graph(graph), inputs(graph.input_size()) {
    graph.mutable_initializer()->Swap(&weights);
    llvm::StringMap<bool> isInput;
    for (const onnx::ValueInfoProto &input : graph.input())
      isInput[input.name()] = true;
    for (const onnx::TensorProto &tensor : weights) {
      if (tensor.name().empty() || isInput.lookup(tensor.name()))
        continue;
      isInput[tensor.name()] = true;
      onnx::ValueInfoProto &input = *graph.add_input();
      input.set_name(tensor.name());
      auto &type = *input.mutable_type()->mutable_tensor_type();
      type.set_elem_type(tensor.data_type());
      type.mutable_shape();
      for (int64_t size : tensor.dims())
        type.mutable_shape()->add_dim()->set_dim_value(size);
    }
  }
  ~WithoutWeights() {
    graph.mutable_input()->DeleteSubrange(inputs, graph.input_size() - inputs);
    graph.mutable_initializer()->Swap(&weights);
  }

  /// What the checker says of tensors whose data are in the model.
  void checkTensors(int irVersion) const {
    onnx::checker::CheckerContext context;
    context.set_ir_version(irVersion);
    for (const onnx::TensorProto &tensor : weights) {
      if (tensor.has_segment())
        throw std::runtime_error("initializer '" + tensor.name() + "' is a segment of a tensor");
      if (tensor.data_location() != onnx::TensorProto::EXTERNAL)
        onnx::checker::check_tensor(tensor, context);
    }
  }

private:
  onnx::GraphProto &graph;
  int inputs;
  google::protobuf::RepeatedPtrField<onnx::TensorProto> weights;
};

} // namespace

static LogicalResult check(Model &model, Location loc) {
  llvm::StringMap<bool> names;
  for (const onnx::TensorProto &tensor : model.proto.graph().initializer()) {
    if (tensor.name().empty())
      return emitError(loc, "an initializer has no name; export the model again");
    if (!names.try_emplace(tensor.name(), true).second)
      return emitError(loc, "two initializers are called '" + tensor.name() +
                                "'; export the model again");
  }
  WithoutWeights light(*model.proto.mutable_graph());
  try {
    light.checkTensors(int(model.proto.ir_version()));
    onnx::checker::check_model(model.proto, /*full_check=*/false);
  } catch (const std::exception &fault) {
    std::string message = StringRef(fault.what()).trim().str();
    for (char &c : message)
      if (c == '\n')
        c = ' ';
    return emitError(loc, "the model breaks the rules of ONNX: " + message);
  }
  return success();
}

static LogicalResult convertOldVersion(Model &model, Location loc) {
  auto version = model.opsets.find("");
  if (version == model.opsets.end() || version->second >= kOldestOpset)
    return success();
  try {
    model.proto = onnx::version_conversion::ConvertVersion(model.proto, int(kOldestOpset));
  } catch (const std::exception &fault) {
    return emitError(loc, "the model uses version " + Twine(version->second) +
                              " of ONNX's operators and can't be converted to version " +
                              Twine(kOldestOpset) + " (" + fault.what() +
                              "); export it with a newer one");
  }
  model.opsets = readOpsets(model.proto.opset_import());
  model.wasConverted = true;
  return success();
}

static LogicalResult prepare(Model &model, StringRef bytes, Location loc) {
  if (failed(parse(model, bytes, loc)))
    return failure();
  model.opsets = readOpsets(model.proto.opset_import());
  if (failed(checkVersions(model, loc)) || failed(check(model, loc)) ||
      failed(convertOldVersion(model, loc)))
    return failure();
  for (const onnx::FunctionProto &function : model.proto.functions())
    model.functions[functionKey(function.domain(), function.name(), function.overload())] =
        &function;
  return success();
}

std::unique_ptr<Model> lgc::readModel(StringRef path, MLIRContext &context) {
  Location loc = NameLoc::get(StringAttr::get(&context, path));
  if (llvm::sys::fs::is_directory(path)) {
    emitError(loc, "this is a folder; name the ONNX file in it");
    return nullptr;
  }
  auto file = llvm::MemoryBuffer::getFile(path, /*IsText=*/false,
                                          /*RequiresNullTerminator=*/false);
  if (!file) {
    emitError(loc, "can't read the model: " + file.getError().message());
    return nullptr;
  }
  auto model = std::make_unique<Model>();
  StringRef directory = llvm::sys::path::parent_path(path);
  model->directory = directory.empty() ? "." : directory.str();
  model->fileName = llvm::sys::path::filename(path).str();
  StringRef bytes = (*file)->getBuffer();
  if (failed(prepare(*model, bytes, loc)))
    return nullptr;
  model->rawData = scanRawData(bytes);
  return model;
}

std::unique_ptr<Model> lgc::readModelBytes(StringRef bytes, MLIRContext &context) {
  auto model = std::make_unique<Model>();
  if (failed(prepare(*model, bytes, NameLoc::get(StringAttr::get(&context, "model")))))
    return nullptr;
  return model;
}
