//===- Safetensors.cpp - The safetensors format ---------------------------===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

//
// A file is the header's length as 8 bytes, the header in JSON, and the data:
//   {"name": {"dtype": "F32", "shape": [2, 3], "data_offsets": [0, 24]},
//    "__metadata__": {"key": "text"}}
// Offsets count from the end of the header. Tensors cover the data without overlap.
//
//===----------------------------------------------------------------------===//

#include "lgc/Runtime/Error.h"
#include "lgc/Runtime/TensorFile.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstring>
#include <set>

using namespace lgc::runtime;
using nlohmann::json;

namespace {
/// The limit of the format's reference implementation.
constexpr uint64_t longestHeader = 100'000'000;

[[noreturn]] void refuse(const std::string &path, const std::string &problem) {
  raise(path, ": ", problem, "; write the file again with the safetensors library");
}

json parseHeader(const std::string &path, const char *begin, const char *end) {
  std::set<std::string> names;
  std::string duplicate;
  bool tooDeep = false;
  json header = json::parse(
      begin, end,
      [&](int depth, json::parse_event_t event, json &value) {
        // Deeper levels than a file has aren't built.
        if (depth > 4) {
          tooDeep = true;
          return false;
        }
        if (depth == 1 && event == json::parse_event_t::key &&
            !names.insert(value.get<std::string>()).second)
          duplicate = value.get<std::string>();
        return true;
      },
      /*allow_exceptions=*/false);
  if (header.is_discarded() || tooDeep || !header.is_object())
    refuse(path, "its header is not a JSON object of tensors");
  if (!duplicate.empty())
    refuse(path, concat("its header has two tensors named ", quote(duplicate)));
  return header;
}

/// A list of non-negative integers that int64_t represents.
std::optional<std::vector<int64_t>> parseSizes(const json &entry, const char *key) {
  auto found = entry.find(key);
  if (found == entry.end() || !found->is_array())
    return std::nullopt;
  std::vector<int64_t> sizes;
  for (const json &size : *found) {
    if (!size.is_number_unsigned() || size.get<uint64_t>() > uint64_t(INT64_MAX))
      return std::nullopt;
    sizes.push_back(size.get<int64_t>());
  }
  return sizes;
}

struct Extent {
  int64_t begin, end;
  std::string name;
};

Extent parseTensor(const std::string &path, const std::string &name, const json &entry,
                   int64_t dataBytes, TensorView &view) {
  std::string where = concat("tensor ", quote(name), ": ");
  if (!entry.is_object() || !entry.contains("dtype") || !entry["dtype"].is_string())
    refuse(path, where + "its entry has no dtype");
  std::string typeName = entry["dtype"].get<std::string>();
  auto type = typeFromSafetensorsName(typeName);
  if (!type)
    refuse(path, concat(where, "its type ", quote(typeName), " is unknown"));
  auto shape = parseSizes(entry, "shape");
  auto offsets = parseSizes(entry, "data_offsets");
  if (!shape)
    refuse(path, where + "its shape is not a list of sizes");
  if (!offsets || offsets->size() != 2 || (*offsets)[0] > (*offsets)[1])
    refuse(path, where + "its data_offsets are not a begin and an end");
  if ((*offsets)[1] > dataBytes)
    refuse(path, concat(where, "its data ends at byte ", (*offsets)[1], " of ", dataBytes,
                        ": the file is cut off or its header is wrong"));
  auto count = elementCount(*shape);
  if (!count || *count * sizeOf(*type) != (*offsets)[1] - (*offsets)[0])
    refuse(path, concat(where, "its shape ", print(*shape), " of ", typeName, " does not take the ",
                        (*offsets)[1] - (*offsets)[0], " bytes that it has"));
  view.name = name;
  view.type = *type;
  view.shape = *shape;
  return {(*offsets)[0], (*offsets)[1], name};
}

/// The format allows no two tensors to share bytes, nor bytes of no tensor.
void checkCoverage(const std::string &path, std::vector<Extent> extents, int64_t dataBytes) {
  std::sort(extents.begin(), extents.end(), [](const Extent &a, const Extent &b) {
    return std::tie(a.begin, a.end) < std::tie(b.begin, b.end);
  });
  int64_t end = 0;
  for (const Extent &extent : extents) {
    if (extent.begin < end)
      refuse(path, concat("tensor ", quote(extent.name), " overlaps another one"));
    if (extent.begin > end)
      refuse(path, concat("bytes ", end, " to ", extent.begin, " of its data belong to no tensor"));
    end = extent.end;
  }
  if (end != dataBytes)
    refuse(path, concat("it has ", dataBytes - end, " bytes after its last tensor"));
}
} // namespace

TensorFile TensorFile::openSafetensors(const std::string &path) {
  TensorFile result;
  result.filePath = path;
  result.file = std::make_unique<MappedFile>(path);
  const char *bytes = reinterpret_cast<const char *>(result.file->data());
  int64_t size = result.file->size();
  uint64_t headerBytes = 0;
  if (size < int64_t(sizeof(headerBytes)))
    refuse(path, "it is too short for a safetensors file");
  std::memcpy(&headerBytes, bytes, sizeof(headerBytes));
  if (headerBytes > longestHeader || int64_t(headerBytes) > size - int64_t(sizeof(headerBytes)))
    refuse(path, concat("its header of ", headerBytes, " bytes does not fit the file"));
  const char *begin = bytes + sizeof(headerBytes), *end = begin + headerBytes;
  int64_t dataBytes = bytes + size - end;
  json header = parseHeader(path, begin, end);
  std::vector<Extent> extents;
  for (const auto &[name, entry] : header.items()) {
    if (name == "__metadata__") {
      if (!entry.is_object())
        refuse(path, "its metadata is not an object");
      for (const auto &[key, value] : entry.items()) {
        if (!value.is_string())
          refuse(path, concat("its metadata ", quote(key), " is not text"));
        result.entries[key] = value.get<std::string>();
      }
      continue;
    }
    TensorView view;
    extents.push_back(parseTensor(path, name, entry, dataBytes, view));
    view.data = reinterpret_cast<const std::byte *>(end) + extents.back().begin;
    result.views.push_back(std::move(view));
  }
  checkCoverage(path, std::move(extents), dataBytes);
  return result;
}

std::string lgc::runtime::safetensorsHeader(const std::vector<TensorView> &tensors,
                                            const std::map<std::string, std::string> &metadata) {
  nlohmann::ordered_json header;
  if (!metadata.empty())
    header["__metadata__"] = metadata;
  int64_t offset = 0;
  for (const TensorView &tensor : tensors) {
    int64_t end = offset + tensor.bytes();
    header[tensor.name] = {{"dtype", safetensorsNameOf(tensor.type)},
                           {"shape", tensor.shape},
                           {"data_offsets", {offset, end}}};
    offset = end;
  }
  std::string text = tensors.empty() && metadata.empty() ? "{}" : header.dump();
  uint64_t length = 0;
  constexpr size_t alignment = 64;
  text.append((alignment - (sizeof(length) + text.size()) % alignment) % alignment, ' ');
  length = text.size();
  return std::string(reinterpret_cast<const char *>(&length), sizeof(length)) + text;
}
