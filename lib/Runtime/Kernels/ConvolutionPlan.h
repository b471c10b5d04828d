//===- ConvolutionPlan.h - How a convolution is run -----------*- C++ -*-===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef LGC_LIB_RUNTIME_KERNELS_CONVOLUTIONPLAN_H
#define LGC_LIB_RUNTIME_KERNELS_CONVOLUTIONPLAN_H

#include "Kernels.h"

#include <memory>

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

/// One convolution in one direction, and the layout of its scratch.
class ConvolutionPlan {
public:
  virtual ~ConvolutionPlan() = default;

  int64_t scratchBytes() const { return totalBytes; }
  /// What runs it, for measurements.
  virtual const char *implementation() const = 0;
  virtual void run(const ConvolutionArguments &arguments, void *scratch) = 0;

protected:
  /// Offset of a new block of scratch.
  int64_t reserve(int64_t bytes) {
    int64_t offset = totalBytes;
    totalBytes += alignBlock(bytes);
    return offset;
  }

private:
  int64_t totalBytes = 0;
};

/// The plan that is expected to be fastest; null where there is none.
std::unique_ptr<ConvolutionPlan> planConvolution(const lgc_conv_descriptor &descriptor,
                                                 Direction direction);

/// Whether the descriptor is one that ONNX could mean: positive sizes, and an output
/// size that follows from the others.
bool isValid(const lgc_conv_descriptor &descriptor);

} // namespace lgc::kernels

#endif // LGC_LIB_RUNTIME_KERNELS_CONVOLUTIONPLAN_H
