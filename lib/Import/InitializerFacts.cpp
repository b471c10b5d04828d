//===- InitializerFacts.cpp - What a file tells about initializers --------===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "InitializerFacts.h"
#include "TensorData.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace lgc;
using onnx::NodeProto;

std::string
lgc::metadataOf(const google::protobuf::RepeatedPtrField<onnx::StringStringEntryProto> &entries,
                StringRef key) {
  for (const onnx::StringStringEntryProto &entry : entries)
    if (key == entry.key())
      return entry.value();
  return {};
}

/// The strings of a Python list: "['a', 'b']".
static std::vector<std::string> parseList(StringRef text) {
  std::vector<std::string> items;
  while (!text.empty()) {
    size_t start = text.find_first_of("'\"");
    if (start == StringRef::npos)
      break;
    size_t end = text.find(text[start], start + 1);
    if (end == StringRef::npos)
      break;
    items.push_back(text.slice(start + 1, end).str());
    text = text.drop_front(end + 1);
  }
  return items;
}

static void collectUses(const google::protobuf::RepeatedPtrField<NodeProto> &nodes,
                        llvm::StringMap<size_t> &numbers, std::vector<InitializerFacts> &facts,
                        unsigned depth = 0) {
  for (const NodeProto &node : nodes) {
    for (int i = 0; i < node.input_size(); ++i)
      if (auto found = numbers.find(node.input(i)); found != numbers.end())
        facts[found->second].uses.push_back({&node, unsigned(i)});
    for (const onnx::AttributeProto &attribute : node.attribute())
      if (attribute.has_g() && depth < 64)
        collectUses(attribute.g().node(), numbers, facts, depth + 1);
  }
}

std::vector<InitializerFacts> lgc::collectFacts(const Model &model) {
  const onnx::GraphProto &graph = model.proto.graph();
  std::vector<InitializerFacts> facts;
  llvm::StringMap<size_t> numbers;
  for (const onnx::TensorProto &tensor : graph.initializer()) {
    numbers[tensor.name()] = facts.size();
    InitializerFacts fact{&tensor, {}, {}, {}};
    fact.foldedFrom =
        parseList(metadataOf(tensor.metadata_props(), "pkg.onnxscript.optimizer.folded_from"));
    facts.push_back(std::move(fact));
  }
  auto readMetadata = [&](const onnx::ValueInfoProto &value) {
    auto found = numbers.find(value.name());
    if (found == numbers.end())
      return;
    InitializerFacts &fact = facts[found->second];
    fact.kind =
        metadataOf(value.metadata_props(), "pkg.torch.export.graph_signature.InputSpec.kind");
    auto sources =
        parseList(metadataOf(value.metadata_props(), "pkg.onnxscript.optimizer.folded_from"));
    if (!sources.empty())
      fact.foldedFrom = std::move(sources);
  };
  for (const onnx::ValueInfoProto &value : graph.value_info())
    readMetadata(value);
  for (const onnx::ValueInfoProto &value : graph.input())
    readMetadata(value);
  collectUses(graph.node(), numbers, facts);
  return facts;
}

bool lgc::tellsKinds(ArrayRef<InitializerFacts> facts) {
  return llvm::any_of(facts, [](const InitializerFacts &fact) { return !fact.kind.empty(); });
}

/// Whether a name is that of a parameter, not of a buffer or an intermediate value: exporters name
/// values after the operation (`add_2`, `val_14`), parameters after their module.
static bool isParameterName(StringRef name) {
  if (name.contains("inv_freq") || name.contains("running_") || name.contains("position_ids"))
    return false;
  StringRef leaf = name.rsplit('.').second.empty() ? name : name.rsplit('.').second;
  for (StringRef part : {"weight", "bias", "expert", "token", "embed"})
    if (leaf.contains(part))
      return name.contains('.') || !leaf.starts_with("embedding");
  return name.contains(".experts.") || name.contains(".parametrizations.");
}

/// Operands that are settings of an operation, not weights of a layer.
static bool isSetting(const InitializerUse &use) {
  StringRef op = use.node->op_type();
  unsigned i = use.operand;
  if (op == "Clip" || op == "Resize" || op == "Upsample" || op == "Pad" || op == "Dropout" ||
      op == "Pow" || op == "OneHot" || op == "HardSwish")
    return i >= 1;
  if (op == "BatchNormalization")
    return i >= 3;
  // The weights of classes: trained, they would shrink to zero.
  if (op == "SoftmaxCrossEntropyLoss" || op == "NegativeLogLikelihoodLoss")
    return i == 2;
  if (op == "QuantizeLinear" || op == "DequantizeLinear" || op == "Where" || op == "Range" ||
      op == "Cast" || op == "CastLike" || op == "Shape" || op == "Size" || op == "Identity")
    return op != "Identity";
  return op == "NonMaxSuppression" || op == "RoiAlign";
}

/// Whether a scalar's name is one that a person gave: PyTorch's parameters, not `onnx::Mul_12`,
/// `val_14` or `/attn/Constant_output_0`.
static bool isGivenName(StringRef name) {
  if (name.contains("::") || name.contains('/') || name.starts_with("Constant"))
    return false;
  StringRef stem = name.rtrim("0123456789");
  return name.contains('.') || !stem.ends_with("_");
}

bool lgc::isTrainable(const InitializerFacts &facts, bool fileTellsKinds) {
  switch (facts.tensor->data_type()) {
  case onnx::TensorProto::FLOAT:
  case onnx::TensorProto::DOUBLE:
  case onnx::TensorProto::FLOAT16:
  case onnx::TensorProto::BFLOAT16:
    break;
  default:
    return false;
  }
  // A parameter may well be one of the choices of Where: a mask token.
  auto isChoice = [](const InitializerUse &use) { return use.node->op_type() == "Where"; };
  if (facts.kind == "PARAMETER" && llvm::any_of(facts.uses, isChoice))
    return true;
  if (facts.uses.empty() || llvm::all_of(facts.uses, isSetting))
    return false;
  if (!facts.kind.empty())
    return facts.kind == "PARAMETER";
  if (!facts.foldedFrom.empty())
    return llvm::any_of(facts.foldedFrom, isParameterName) &&
           !llvm::any_of(facts.foldedFrom,
                         [](StringRef source) { return source.contains("inv_freq"); });
  if (fileTellsKinds)
    return false;
  int64_t elements = 1;
  for (int64_t size : facts.tensor->dims())
    elements *= size;
  return elements > 1 || isGivenName(facts.tensor->name());
}

InitializerBytes::InitializerBytes(const Model &model, const onnx::TensorProto &tensor) {
  if (tensor.data_location() == onnx::TensorProto::EXTERNAL) {
    MLIRContext context;
    ScopedDiagnosticHandler quiet(&context, [](Diagnostic &) { return success(); });
    auto range = externalRange(tensor, model.directory, UnknownLoc::get(&context));
    if (failed(range))
      return;
    SmallString<256> path(model.directory);
    llvm::sys::path::append(path, range->file);
    auto slice = llvm::MemoryBuffer::getFileSlice(path, range->length, range->offset);
    if (slice) {
      file = std::move(*slice);
      view = file->getBuffer();
    }
    return;
  }
  if (tensor.has_raw_data()) {
    view = tensor.raw_data();
  } else if (tensor.data_type() == onnx::TensorProto::FLOAT) {
    view = StringRef(reinterpret_cast<const char *>(tensor.float_data().data()),
                     size_t(tensor.float_data_size()) * sizeof(float));
  } else if (tensor.data_type() == onnx::TensorProto::DOUBLE) {
    view = StringRef(reinterpret_cast<const char *>(tensor.double_data().data()),
                     size_t(tensor.double_data_size()) * sizeof(double));
  }
}
