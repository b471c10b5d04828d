//===- ExternalData.h - Tensors beside an ONNX file -------------*- C++ -*-===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef LGC_LIB_RUNTIME_EXTERNALDATA_H
#define LGC_LIB_RUNTIME_EXTERNALDATA_H

#include "lgc/Runtime/AtomicFile.h"
#include "lgc/Runtime/TensorFile.h"

#include <onnx/onnx_pb.h>

#include <functional>
#include <map>
#include <memory>

namespace lgc::runtime {

/// Removes every form of data from a tensor, its type, shape and name staying.
void clearData(onnx::TensorProto &tensor);

/// Tensors whose data lies in files beside a model.
class ExternalData {
public:
  explicit ExternalData(const std::string &modelPath);

  /// Bytes that the model's tensors have outside of it.
  int64_t bytesOf(onnx::ModelProto &model);
  /// Brings all data into the model.
  void embed(onnx::ModelProto &model);
  /// Writes the data of all large tensors to a file, which the model will know by `name`.
  void moveTo(onnx::ModelProto &model, AtomicFile &file, const std::string &name);

private:
  struct Slice {
    const std::byte *data;
    int64_t bytes;
  };
  /// Throws Error where the place that the tensor names doesn't exist, or lies outside of
  /// the model's folder.
  Slice find(const onnx::TensorProto &tensor);

  std::string folder;
  std::map<std::string, std::unique_ptr<MappedFile>> files;
};

} // namespace lgc::runtime

#endif // LGC_LIB_RUNTIME_EXTERNALDATA_H
