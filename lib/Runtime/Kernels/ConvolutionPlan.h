//===- ConvolutionPlan.h - A convolution as oneDNN runs it ------*- C++ -*-===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef LGC_LIB_RUNTIME_KERNELS_CONVOLUTIONPLAN_H
#define LGC_LIB_RUNTIME_KERNELS_CONVOLUTIONPLAN_H

#include "Kernels.h"

#include <oneapi/dnnl/dnnl.hpp>

#include <functional>
#include <unordered_map>
#include <vector>

namespace lgc::kernels {

enum class Direction { Forward, BackwardData, BackwardWeights };

/// The tensors of a call: input and output are gradients in the directions that write
/// or read those.
struct ConvolutionArguments {
  void *input;
  void *weights;
  void *bias;
  void *output;
};

/// One convolution in one direction: which implementation of oneDNN runs it, in which
/// layouts, and where in scratch reordered copies lie. Throws dnnl::error if oneDNN has
/// none.
class ConvolutionPlan {
public:
  ConvolutionPlan(const lgc_conv_descriptor &descriptor, Direction direction);

  int64_t scratchBytes() const { return totalBytes; }
  const char *implementation() const { return implementationName; }

  /// Creates the primitives at the first call.
  void run(const ConvolutionArguments &arguments, void *scratch);

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

  void addTensor(int argument, bool isResult, dnnl::memory::desc outside,
                 dnnl::memory::desc inside);
  int64_t reserve(int64_t bytes);
  void createPrimitives();

  std::function<dnnl::primitive()> createPrimitive;
  const char *implementationName = nullptr;
  /// In the order input, weights, output, and bias where there is one.
  std::vector<Tensor> tensors;
  dnnl::memory::desc scratchpad;
  int64_t scratchpadOffset = 0;
  int64_t totalBytes = 0;

  dnnl::primitive primitive;
  std::unordered_map<int, dnnl::memory> primitiveArguments;
  dnnl::memory scratchpadMemory;
};

/// Whether the descriptor is one that ONNX could mean: positive sizes, and an output
/// size that follows from the others.
bool isValid(const lgc_conv_descriptor &descriptor);

} // namespace lgc::kernels

#endif // LGC_LIB_RUNTIME_KERNELS_CONVOLUTIONPLAN_H
