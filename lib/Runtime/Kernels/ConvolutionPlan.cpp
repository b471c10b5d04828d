//===- ConvolutionPlan.cpp - Which plan runs a convolution ----------------===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "LibraryConvolution.h"
#include "MatrixConvolution.h"

using namespace lgc::kernels;

bool lgc::kernels::isValid(const lgc_conv_descriptor &d) {
  if (d.spatial_rank < 1 || d.spatial_rank > LGC_CONV_MAX_SPATIAL_RANK || d.batch < 1 ||
      d.groups < 1 || d.in_channels < 1 || d.out_channels < 1 || d.in_channels % d.groups != 0 ||
      d.out_channels % d.groups != 0 ||
      (d.layout != LGC_CHANNELS_FIRST && d.layout != LGC_CHANNELS_LAST))
    return false;
  for (int64_t i = 0; i < d.spatial_rank; ++i) {
    if (d.input[i] < 1 || d.output[i] < 1 || d.kernel[i] < 1 || d.strides[i] < 1 ||
        d.dilations[i] < 1 || d.pads_begin[i] < 0 || d.pads_end[i] < 0)
      return false;
    int64_t window = (d.kernel[i] - 1) * d.dilations[i] + 1;
    int64_t padded = d.input[i] + d.pads_begin[i] + d.pads_end[i];
    if (padded < window || (padded - window) / d.strides[i] + 1 != d.output[i])
      return false;
  }
  return true;
}

namespace {
/// oneDNN reorders weights in every call, and activations with channels first: on few
/// positions that takes longer than the arithmetic. The matrix product copies windows,
/// which takes longer on few channels. Measured on AVX2.
bool prefersMatrixProduct(const lgc_conv_descriptor &d, Direction direction) {
  if (d.groups != 1)
    return false;
  int64_t positions = d.batch, taps = 1;
  bool strided = false;
  for (int64_t i = 0; i < d.spatial_rank; ++i) {
    positions *= d.output[i];
    taps *= d.kernel[i];
    strided |= d.strides[i] > 1;
  }
  constexpr int64_t manyChannels = 64, fewChannels = 8, manyTaps = 25;
  int64_t fewPositions = strided || direction == Direction::BackwardWeights ? 512 : 256;
  if (d.in_channels >= manyChannels && d.out_channels >= manyChannels) {
    // With channels last, a kernel of one element and the weights' gradient need nothing
    // but the product, or little more.
    bool littleMore = taps == 1 || direction == Direction::BackwardWeights;
    if (positions <= fewPositions || (d.layout == LGC_CHANNELS_LAST && littleMore))
      return true;
  }
  // oneDNN's implementations pad the input's channels, for every tap.
  return direction == Direction::BackwardData && d.in_channels < fewChannels && taps >= manyTaps;
}
} // namespace

std::unique_ptr<ConvolutionPlan>
lgc::kernels::planConvolution(const lgc_conv_descriptor &descriptor, Direction direction) try {
  if (prefersMatrixProduct(descriptor, direction))
    return std::make_unique<MatrixConvolution>(descriptor, direction);
  return std::make_unique<LibraryConvolution>(descriptor, direction);
} catch (const dnnl::error &) {
  if (descriptor.groups == 1)
    return std::make_unique<MatrixConvolution>(descriptor, direction);
  return nullptr;
}
