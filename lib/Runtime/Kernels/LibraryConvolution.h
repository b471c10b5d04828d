//===- LibraryConvolution.h - Convolutions by oneDNN ------*- C++ -*-===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef LGC_LIB_RUNTIME_KERNELS_LIBRARYCONVOLUTION_H
#define LGC_LIB_RUNTIME_KERNELS_LIBRARYCONVOLUTION_H

#include "ConvolutionPlan.h"

#include <oneapi/dnnl/dnnl.hpp>

#include <functional>
#include <unordered_map>
#include <vector>

namespace lgc::kernels {

/// A primitive of oneDNN, with reorders of what doesn't have its layout. Throws
/// dnnl::error if oneDNN has none.
class LibraryConvolution : public ConvolutionPlan {
public:
  LibraryConvolution(const lgc_conv_descriptor &descriptor, Direction direction);

  const char *implementation() const override { return implementationName; }

  /// Creates the primitives at the first call.
  void run(const ConvolutionArguments &arguments, void *scratch) override;

private:
  /// A tensor, in the program's layout and in the one that the primitive wants; the
  /// latter lies in scratch unless both are the same.
  struct Tensor {
    int argument = 0;
    bool isResult = false;
    dnnl::memory::desc outside, inside;
    int64_t scratchOffset = -1;
    dnnl::memory outsideMemory, insideMemory;
    dnnl::reorder reorder;
  };

  void addTensor(int argument, bool isResult, const dnnl::memory::desc &outside,
                 const dnnl::memory::desc &inside);
  void createPrimitives();

  std::function<dnnl::primitive()> createPrimitive;
  const char *implementationName = nullptr;
  /// In the order input, weights, output, and bias where there is one.
  std::vector<Tensor> tensors;
  dnnl::memory::desc scratchpad;
  int64_t scratchpadOffset = 0;

  dnnl::primitive primitive;
  std::unordered_map<int, dnnl::memory> primitiveArguments;
  dnnl::memory scratchpadMemory;
};

} // namespace lgc::kernels

#endif // LGC_LIB_RUNTIME_KERNELS_LIBRARYCONVOLUTION_H
