//===- Weights.cpp - Initial values of parameters -------------------------===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Weights.h"
#include "lgc/IR/LgcOps.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/Path.h"
#include <cmath>

using namespace mlir;
using namespace lgc;

/// The number that fills a whole tensor, if JSON can hold it exactly.
static std::optional<double> getFill(Attribute initial) {
  if (auto dense = dyn_cast<DenseElementsAttr>(initial)) {
    if (!dense.isSplat())
      return std::nullopt;
    initial = dense.getSplatValue<Attribute>();
  }
  if (auto number = dyn_cast<FloatAttr>(initial)) {
    double value = number.getValueAsDouble();
    return std::isfinite(value) ? std::optional(value) : std::nullopt;
  }
  if (auto number = dyn_cast<IntegerAttr>(initial)) {
    double value = number.getValue().roundToDouble(!isUnsignedElement(number.getType()));
    if (std::abs(value) <= 9007199254740992.0)
      return value;
  }
  return std::nullopt;
}

static StringRef getSafetensorsType(Type type) {
  if (type.isF64())
    return "F64";
  if (type.isF32())
    return "F32";
  if (type.isF16())
    return "F16";
  if (type.isBF16())
    return "BF16";
  bool isUnsigned = type.isUnsignedInteger();
  switch (type.getIntOrFloatBitWidth()) {
  case 1:
    return "BOOL";
  case 8:
    return isUnsigned ? "U8" : "I8";
  case 16:
    return isUnsigned ? "U16" : "I16";
  case 32:
    return isUnsigned ? "U32" : "I32";
  default:
    return isUnsigned ? "U64" : "I64";
  }
}

Weights::Weights(ModuleOp module, StringRef modelFolder) {
  llvm::json::Object tensors;
  int64_t end = 0;
  std::vector<std::pair<std::string, int64_t>> starts;
  for (auto parameter : module.getOps<ParameterOp>()) {
    auto type = cast<RankedTensorType>(parameter.getType());
    int64_t bytes = getTensorBytes(type);
    std::string name = parameter.getSymName().str();
    if (auto external = dyn_cast<ExternalDataAttr>(parameter.getInitial())) {
      SmallString<256> path(modelFolder);
      llvm::sys::path::append(path, external.getFile());
      entries.emplace(name, llvm::json::Object{{"file", path.str().str()},
                                               {"offset", external.getOffset()},
                                               {"bytes", external.getLength()}});
    } else if (std::optional<double> fill = getFill(parameter.getInitial())) {
      entries.emplace(name, llvm::json::Object{{"fill", *fill}});
    } else {
      tensors[name] = llvm::json::Object{{"dtype", getSafetensorsType(type.getElementType())},
                                         {"shape", llvm::json::Array(type.getShape())},
                                         {"data_offsets", llvm::json::Array{end, end + bytes}}};
      stored.push_back({name, parameter.getInitial()});
      starts.push_back({name, end});
      end += bytes;
    }
  }
  llvm::raw_string_ostream(header) << llvm::json::Value(std::move(tensors));
  // Data starts at a multiple of 64 bytes, behind the header's length and the header.
  header.append((64 - (8 + header.size()) % 64) % 64, ' ');
  for (size_t i = 0; i < starts.size(); ++i) {
    int64_t next = i + 1 < starts.size() ? starts[i + 1].second : end;
    entries.emplace(
        starts[i].first,
        llvm::json::Object{{"file", kWeightsFile},
                           {"offset", static_cast<int64_t>(8 + header.size()) + starts[i].second},
                           {"bytes", next - starts[i].second}});
  }
}

const llvm::json::Value *Weights::find(StringRef name) const {
  auto at = entries.find(name.str());
  return at == entries.end() ? nullptr : &at->second;
}

void Weights::write(llvm::raw_ostream &stream) const {
  char length[8];
  llvm::support::endian::write64le(length, header.size());
  stream.write(length, sizeof(length));
  stream << header;
  for (const Stored &tensor : stored) {
    auto elements = cast<DenseElementsAttr>(tensor.elements);
    Type type = elements.getElementType();
    int64_t size = getElementBytes(type);
    // Raw data has one element where all are equal, and booleans are packed.
    if (!elements.isSplat() && !type.isInteger(1)) {
      stream.write(elements.getRawData().data(), elements.getRawData().size());
      continue;
    }
    for (Attribute value : elements.getValues<Attribute>()) {
      llvm::APInt bits = isa<FloatAttr>(value) ? cast<FloatAttr>(value).getValue().bitcastToAPInt()
                                               : cast<IntegerAttr>(value).getValue();
      stream.write(reinterpret_cast<const char *>(bits.getRawData()), size);
    }
  }
}
