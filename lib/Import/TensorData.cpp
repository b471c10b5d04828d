//===- TensorData.cpp - ONNX tensors as attributes ------------------------===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "TensorData.h"
#include "TensorBuilder.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace lgc;
using onnx::TensorProto;

Type lgc::elementTypeOf(MLIRContext &context, int32_t onnxType) {
  auto integer = [&](unsigned width, bool isUnsigned = false) -> Type {
    return IntegerType::get(&context, width,
                            isUnsigned ? IntegerType::Unsigned : IntegerType::Signless);
  };
  switch (onnxType) {
  case TensorProto::FLOAT:
    return Float32Type::get(&context);
  case TensorProto::DOUBLE:
    return Float64Type::get(&context);
  case TensorProto::FLOAT16:
    return Float16Type::get(&context);
  case TensorProto::BFLOAT16:
    return BFloat16Type::get(&context);
  case TensorProto::BOOL:
    return integer(1);
  case TensorProto::INT4:
  case TensorProto::INT8:
    return integer(8);
  case TensorProto::INT16:
    return integer(16);
  case TensorProto::INT32:
    return integer(32);
  case TensorProto::INT64:
    return integer(64);
  case TensorProto::UINT4:
  case TensorProto::UINT8:
    return integer(8, true);
  case TensorProto::UINT16:
    return integer(16, true);
  case TensorProto::UINT32:
    return integer(32, true);
  case TensorProto::UINT64:
    return integer(64, true);
  default:
    return {};
  }
}

int32_t lgc::onnxTypeOf(Type element) {
  if (element.isF32())
    return TensorProto::FLOAT;
  if (element.isF64())
    return TensorProto::DOUBLE;
  if (element.isF16())
    return TensorProto::FLOAT16;
  if (element.isBF16())
    return TensorProto::BFLOAT16;
  bool isUnsigned = element.isUnsignedInteger();
  switch (element.getIntOrFloatBitWidth()) {
  case 1:
    return TensorProto::BOOL;
  case 8:
    return isUnsigned ? TensorProto::UINT8 : TensorProto::INT8;
  case 16:
    return isUnsigned ? TensorProto::UINT16 : TensorProto::INT16;
  case 32:
    return isUnsigned ? TensorProto::UINT32 : TensorProto::INT32;
  default:
    return isUnsigned ? TensorProto::UINT64 : TensorProto::INT64;
  }
}

std::string lgc::onnxTypeName(int32_t onnxType) {
  if (!TensorProto::DataType_IsValid(onnxType))
    return "number " + std::to_string(onnxType);
  return TensorProto::DataType_Name(TensorProto::DataType(onnxType));
}

FailureOr<RankedTensorType> lgc::tensorTypeOf(const TensorProto &tensor, Location loc) {
  Type element = elementTypeOf(*loc.getContext(), tensor.data_type());
  if (!element)
    return emitError(loc, "tensor '" + tensor.name() + "' has the element type " +
                              onnxTypeName(tensor.data_type()) +
                              ", which isn't supported; export it as another type");
  SmallVector<int64_t> shape(tensor.dims().begin(), tensor.dims().end());
  std::optional<int64_t> count = elementCount(shape);
  if (!count || *count > (int64_t(1) << 40))
    return emitError(loc, "tensor '" + tensor.name() +
                              "' has impossible dimensions; the file is damaged");
  return RankedTensorType::get(shape, element);
}

//===----------------------------------------------------------------------===//
// External data
//===----------------------------------------------------------------------===//

static bool is4Bit(int32_t type) { return type == TensorProto::INT4 || type == TensorProto::UINT4; }

static int64_t storedBytes(const TensorProto &tensor, RankedTensorType type) {
  if (is4Bit(tensor.data_type()))
    return (type.getNumElements() + 1) / 2;
  unsigned width = type.getElementTypeBitWidth();
  return type.getNumElements() * int64_t(width == 1 ? 1 : width / 8);
}

/// A path that stays in the model's directory, without what could lead out of it.
static bool staysInside(StringRef path) {
  if (path.empty() || llvm::sys::path::is_absolute(path) || path.contains('\0'))
    return false;
  for (StringRef part : llvm::make_range(llvm::sys::path::begin(path), llvm::sys::path::end(path)))
    if (part == "..")
      return false;
  return true;
}

/// The file behind links must be inside of the directory behind links.
static bool isRealFileInside(StringRef directory, StringRef path) {
  SmallString<256> realDirectory, realPath;
  if (llvm::sys::fs::real_path(directory.empty() ? "." : directory, realDirectory) ||
      llvm::sys::fs::real_path(path, realPath))
    return false;
  return StringRef(realPath).starts_with(realDirectory) && llvm::sys::fs::is_regular_file(realPath);
}

FailureOr<ExternalRange> lgc::externalRange(const TensorProto &tensor, StringRef directory,
                                            Location loc) {
  auto fail = [&](const Twine &message) -> FailureOr<ExternalRange> {
    return emitError(loc, "external data of tensor '" + tensor.name() + "' " + message);
  };
  FailureOr<RankedTensorType> type = tensorTypeOf(tensor, loc);
  if (failed(type))
    return failure();
  ExternalRange range{"", 0, storedBytes(tensor, *type)};
  for (const auto &entry : tensor.external_data()) {
    int64_t *number = entry.key() == "offset"   ? &range.offset
                      : entry.key() == "length" ? &range.length
                                                : nullptr;
    if (entry.key() == "location")
      range.file = entry.value();
    else if (number && (StringRef(entry.value()).getAsInteger(10, *number) || *number < 0))
      return fail("have the " + entry.key() + " '" + entry.value() + "'; the file is damaged");
  }
  if (directory.empty())
    return fail("can't be found: the model doesn't come from a file");
  if (!staysInside(range.file))
    return fail("are at '" + range.file +
                "', outside of the model's folder; move them into it and name them by a relative "
                "path");
  SmallString<256> path(directory);
  llvm::sys::path::append(path, range.file);
  uint64_t size = 0;
  if (llvm::sys::fs::file_size(path, size))
    return fail("are missing: there is no file '" + range.file +
                "' beside the model; copy it there");
  if (!isRealFileInside(directory, path))
    return fail("are at '" + range.file +
                "', which leads out of the model's folder; copy the file into it");
  if (range.length != storedBytes(tensor, *type))
    return fail("have " + Twine(range.length) + " bytes, but the tensor needs " +
                Twine(storedBytes(tensor, *type)) + "; export the model again");
  if (uint64_t(range.offset) > size || uint64_t(range.length) > size - uint64_t(range.offset))
    return fail("end beyond the end of '" + range.file + "'; the file is cut off, copy it again");
  return range;
}

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

static DenseElementsAttr fromBytes(RankedTensorType type, StringRef bytes, int32_t onnxType) {
  if (type.getElementType().isInteger(1)) {
    SmallVector<bool> values;
    for (char byte : bytes)
      values.push_back(byte != 0);
    return DenseElementsAttr::get(type, ArrayRef<bool>(values));
  }
  if (!is4Bit(onnxType))
    return DenseElementsAttr::getFromRawBuffer(type, ArrayRef<char>(bytes.data(), bytes.size()));
  std::string unpacked(type.getNumElements(), '\0');
  for (size_t i = 0; i < unpacked.size(); ++i) {
    int value = (uint8_t(bytes[i / 2]) >> (i % 2 ? 4 : 0)) & 15;
    if (onnxType == TensorProto::INT4 && value > 7)
      value -= 16;
    unpacked[i] = char(value);
  }
  return DenseElementsAttr::getFromRawBuffer(type,
                                             ArrayRef<char>(unpacked.data(), unpacked.size()));
}

/// The bytes that raw data would hold, from a field of numbers each of which holds one element (or,
/// of 4 bits, two).
template <typename Stored, typename Field> static std::string narrow(const Field &field) {
  std::string bytes;
  bytes.reserve(size_t(field.size()) * sizeof(Stored));
  for (auto number : field) {
    Stored stored = static_cast<Stored>(number);
    bytes.append(reinterpret_cast<const char *>(&stored), sizeof(Stored));
  }
  return bytes;
}

static std::string bytesOfFields(const TensorProto &tensor) {
  switch (tensor.data_type()) {
  case TensorProto::FLOAT:
    return narrow<float>(tensor.float_data());
  case TensorProto::DOUBLE:
    return narrow<double>(tensor.double_data());
  case TensorProto::INT64:
    return narrow<int64_t>(tensor.int64_data());
  case TensorProto::UINT32:
    return narrow<uint32_t>(tensor.uint64_data());
  case TensorProto::UINT64:
    return narrow<uint64_t>(tensor.uint64_data());
  case TensorProto::INT32:
    return narrow<int32_t>(tensor.int32_data());
  case TensorProto::INT16:
  case TensorProto::UINT16:
  case TensorProto::FLOAT16:
  case TensorProto::BFLOAT16:
    return narrow<uint16_t>(tensor.int32_data());
  default:
    return narrow<uint8_t>(tensor.int32_data());
  }
}

FailureOr<DenseElementsAttr> lgc::elementsOf(const TensorProto &tensor, StringRef directory,
                                             Location loc) {
  FailureOr<RankedTensorType> type = tensorTypeOf(tensor, loc);
  if (failed(type))
    return failure();
  std::string fields;
  std::unique_ptr<llvm::MemoryBuffer> file;
  StringRef bytes;
  if (tensor.data_location() == TensorProto::EXTERNAL) {
    FailureOr<ExternalRange> range = externalRange(tensor, directory, loc);
    if (failed(range))
      return failure();
    SmallString<256> path(directory);
    llvm::sys::path::append(path, range->file);
    auto slice = llvm::MemoryBuffer::getFileSlice(path, range->length, range->offset);
    if (!slice)
      return emitError(loc, "can't read '" + range->file + "': " + slice.getError().message());
    file = std::move(*slice);
    bytes = file->getBuffer();
  } else if (tensor.has_raw_data()) {
    bytes = tensor.raw_data();
  } else {
    fields = bytesOfFields(tensor);
    bytes = fields;
  }
  if (int64_t(bytes.size()) != storedBytes(tensor, *type))
    return emitError(loc, "tensor '" + tensor.name() + "' has " + Twine(bytes.size()) +
                              " bytes of data, but its type and shape need " +
                              Twine(storedBytes(tensor, *type)) + "; the file is damaged");
  if (type->getNumElements() == 0)
    return DenseElementsAttr::get(*type, ArrayRef<Attribute>());
  return fromBytes(*type, bytes, tensor.data_type());
}
