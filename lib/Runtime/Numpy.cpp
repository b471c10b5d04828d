//===- Numpy.cpp - NumPy's .npy format ------------------------------------===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

//
// A file is "\x93NUMPY", the version in two bytes, the header's length in two bytes
// (version 1) or four (2 and 3), the header, and the data. The header is a literal of
// Python with three keys in any order:
//   {'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }
//
//===----------------------------------------------------------------------===//

#include "lgc/Runtime/Error.h"
#include "lgc/Runtime/TensorFile.h"

#include <cstring>

using namespace lgc::runtime;

namespace {
[[noreturn]] void refuse(const std::string &path, const std::string &problem) {
  raise(path, ": ", problem, "; write the file again with numpy.save, as an array of numbers");
}

/// Reads the header's literal; every method leaves the position after what it read, and
/// answers false where the text is something else.
class HeaderReader {
public:
  HeaderReader(const char *begin, const char *end) : next(begin), end(end) {}

  bool consume(char wanted) {
    skipSpace();
    if (next == end || *next != wanted)
      return false;
    ++next;
    return true;
  }

  bool readText(std::string &text) {
    if (!consume('\''))
      return false;
    while (next != end && *next != '\'')
      text += *next++;
    return consume('\'');
  }

  bool readWord(std::string &word) {
    skipSpace();
    while (next != end && ((*next >= 'a' && *next <= 'z') || (*next >= 'A' && *next <= 'Z')))
      word += *next++;
    return !word.empty();
  }

  bool readShape(Shape &shape) {
    if (!consume('('))
      return false;
    while (!consume(')')) {
      int64_t size = 0;
      if (!readSize(size))
        return false;
      shape.push_back(size);
      if (!consume(','))
        return consume(')');
    }
    return true;
  }

  bool atEnd() {
    skipSpace();
    return next == end;
  }

private:
  void skipSpace() {
    while (next != end && (*next == ' ' || *next == '\n' || *next == '\t'))
      ++next;
  }

  bool readSize(int64_t &size) {
    skipSpace();
    const char *first = next;
    for (; next != end && *next >= '0' && *next <= '9'; ++next)
      if (__builtin_mul_overflow(size, int64_t(10), &size) ||
          __builtin_add_overflow(size, int64_t(*next - '0'), &size))
        return false;
    return next != first;
  }

  const char *next, *end;
};

struct Header {
  std::string type, order;
  Shape shape;
};

bool parseHeader(HeaderReader reader, Header &header) {
  bool hasShape = false;
  if (!reader.consume('{'))
    return false;
  while (!reader.consume('}')) {
    std::string key;
    if (!reader.readText(key) || !reader.consume(':'))
      return false;
    bool read = false;
    if (key == "descr" && header.type.empty())
      read = reader.readText(header.type);
    else if (key == "fortran_order" && header.order.empty())
      read = reader.readWord(header.order);
    else if (key == "shape" && !hasShape)
      read = hasShape = reader.readShape(header.shape);
    if (!read)
      return false;
    if (!reader.consume(',')) {
      if (!reader.consume('}'))
        return false;
      break;
    }
  }
  return hasShape && reader.atEnd();
}

std::string stem(const std::string &path) {
  size_t slash = path.rfind('/');
  std::string name = slash == std::string::npos ? path : path.substr(slash + 1);
  return name.substr(0, name.rfind('.'));
}
} // namespace

TensorFile TensorFile::openNumpy(const std::string &path) {
  TensorFile result;
  result.filePath = path;
  result.file = std::make_unique<MappedFile>(path);
  const char *bytes = reinterpret_cast<const char *>(result.file->data());
  int64_t size = result.file->size();
  constexpr char magic[] = "\x93NUMPY";
  constexpr int64_t magicBytes = 6, versionBytes = 2;
  if (size < magicBytes + versionBytes || std::memcmp(bytes, magic, magicBytes) != 0)
    refuse(path, "it is not a .npy file");
  unsigned version = static_cast<unsigned char>(bytes[magicBytes]);
  if (version < 1 || version > 3)
    refuse(path, concat("its format version ", version, " is unknown"));
  int64_t lengthBytes = version == 1 ? 2 : 4;
  int64_t headerBegin = magicBytes + versionBytes + lengthBytes;
  uint32_t headerBytes = 0;
  if (size < headerBegin)
    refuse(path, "it is cut off in its header");
  std::memcpy(&headerBytes, bytes + magicBytes + versionBytes, size_t(lengthBytes));
  int64_t dataBegin = headerBegin + headerBytes;
  if (dataBegin > size)
    refuse(path, "it is cut off in its header");
  Header header;
  if (!parseHeader({bytes + headerBegin, bytes + dataBegin}, header))
    refuse(path, "its header is not that of an array of numbers");
  if (header.order != "False")
    raise(path, ": its elements are in Fortran order; save numpy.ascontiguousarray(...) of it");
  bool nativeOrder = !header.type.empty() && (header.type[0] == '<' || header.type[0] == '|');
  auto type = typeFromNumpyName(header.type.empty() ? "" : header.type.substr(1));
  if (!type || !(nativeOrder || (header.type[0] == '=')))
    refuse(path, concat("its element type ", quote(header.type), " is not supported"));
  auto count = elementCount(header.shape);
  if (!count || *count * sizeOf(*type) != size - dataBegin)
    refuse(path, concat("its shape ", print(header.shape), " does not take the ", size - dataBegin,
                        " bytes of data that it has"));
  result.views.push_back(
      {stem(path), *type, header.shape, reinterpret_cast<const std::byte *>(bytes + dataBegin)});
  return result;
}
