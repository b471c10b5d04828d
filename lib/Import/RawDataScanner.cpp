//===- RawDataScanner.cpp - Where a model file holds its weights ----------===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "RawDataScanner.h"

#include <google/protobuf/wire_format_lite.h>

#include <optional>

using namespace llvm;
using google::protobuf::internal::WireFormatLite;

namespace {

/// A field of a serialized message.
struct Field {
  uint32_t number;
  StringRef bytes; ///< of a field of bytes; else empty
};

/// Goes over the fields of a serialized message.
class Fields {
public:
  explicit Fields(StringRef message) : rest(message) {}

  std::optional<Field> next() {
    std::optional<uint64_t> tag = varint();
    if (!tag)
      return std::nullopt;
    Field field{uint32_t(*tag >> 3), {}};
    switch (*tag & 7) {
    case WireFormatLite::WIRETYPE_VARINT:
      return varint() ? std::optional(field) : std::nullopt;
    case WireFormatLite::WIRETYPE_FIXED64:
      return take(8) ? std::optional(field) : std::nullopt;
    case WireFormatLite::WIRETYPE_FIXED32:
      return take(4) ? std::optional(field) : std::nullopt;
    case WireFormatLite::WIRETYPE_LENGTH_DELIMITED: {
      std::optional<uint64_t> length = varint();
      std::optional<StringRef> bytes = length ? take(*length) : std::nullopt;
      if (!bytes)
        return std::nullopt;
      field.bytes = *bytes;
      return field;
    }
    default:
      return std::nullopt;
    }
  }

private:
  StringRef rest;

  std::optional<StringRef> take(uint64_t length) {
    if (length > rest.size())
      return std::nullopt;
    StringRef bytes = rest.take_front(length);
    rest = rest.drop_front(length);
    return bytes;
  }

  std::optional<uint64_t> varint() {
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      std::optional<StringRef> byte = take(1);
      if (!byte)
        return std::nullopt;
      value |= uint64_t((*byte)[0] & 127) << shift;
      if (!((*byte)[0] & 128))
        return value;
    }
    return std::nullopt;
  }
};

constexpr uint32_t kGraphOfModel = 7, kInitializerOfGraph = 5, kNameOfTensor = 8,
                   kRawDataOfTensor = 9;

} // namespace

StringMap<std::pair<int64_t, int64_t>> lgc::scanRawData(StringRef model) {
  StringMap<std::pair<int64_t, int64_t>> positions;
  Fields modelFields(model);
  while (auto graph = modelFields.next()) {
    if (graph->number != kGraphOfModel)
      continue;
    Fields graphFields(graph->bytes);
    while (auto tensor = graphFields.next()) {
      if (tensor->number != kInitializerOfGraph)
        continue;
      StringRef name, data;
      Fields tensorFields(tensor->bytes);
      while (auto field = tensorFields.next()) {
        if (field->number == kNameOfTensor)
          name = field->bytes;
        else if (field->number == kRawDataOfTensor)
          data = field->bytes;
      }
      if (!name.empty() && !data.empty())
        positions[name] = {data.data() - model.data(), int64_t(data.size())};
    }
  }
  return positions;
}
