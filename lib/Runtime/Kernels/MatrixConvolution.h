//===- MatrixConvolution.h - Convolutions as matrix products ----*- C++ -*-===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef LGC_LIB_RUNTIME_KERNELS_MATRIXCONVOLUTION_H
#define LGC_LIB_RUNTIME_KERNELS_MATRIXCONVOLUTION_H

#include "ConvolutionPlan.h"

namespace lgc::kernels {

/// A convolution without groups as a product of its windows, a row for each output
/// position, with the weights as they lie in memory:
///
///   forward            output[row, out] = windows[row, in * tap] weights[out, in * tap]^T
///   backward data      windows = output weights, added up where windows overlap
///   backward weights   weights = output^T windows
///
/// Windows are made for a few samples at a time, so that they stay in the caches and
/// scratch small. Making them is faster as [tap, in], in runs of channels, but then
/// weights must be permuted: their gradient is, where positions outnumber its rows. With
/// channels first, activations are transposed before and after.
class MatrixConvolution : public ConvolutionPlan {
public:
  MatrixConvolution(const lgc_conv_descriptor &descriptor, Direction direction);

  const char *implementation() const override { return "matrix product"; }
  void run(const ConvolutionArguments &arguments, void *scratch) override;

private:
  /// Sizes with three spatial dimensions, the leading ones being 1.
  struct Geometry {
    int64_t input[3], output[3], kernel[3], strides[3], dilations[3], pads[3];
  };

  void runForward(const float *input, const float *weights, const float *bias, float *output,
                  float *windows) const;
  void runBackwardData(const float *output, const float *weights, float *input,
                       float *windows) const;
  void runBackwardWeights(const float *input, const float *output, float *weights, float *bias,
                          float *windows, float *permutedWeights) const;

  /// Calls `visit(tap, position)` for the taps of an output position that lie inside of
  /// the input.
  template <typename Visit> void forEachTap(int64_t outputPosition, Visit visit) const;
  void gatherWindows(const float *input, int64_t samples, float *windows) const;
  /// The windows of some samples, in `windows` unless they lie in the input as they are.
  const float *windowsOf(const float *input, int64_t firstSample, int64_t samples,
                         float *windows) const;
  void scatterWindows(const float *windows, int64_t samples, float *input) const;

  Direction direction;
  Geometry geometry;
  int64_t batch, inChannels, outChannels, taps, inputPositions, outputPositions;
  bool channelsFirst;
  int64_t samplesAtOnce;
  /// The windows are [row, tap, in].
  bool tapsOutside = false;
  /// One tap that visits every position.
  bool windowsAreInput;
  int64_t inputOffset = 0, outputOffset = 0, windowsOffset = 0, weightsOffset = 0;
};

} // namespace lgc::kernels

#endif // LGC_LIB_RUNTIME_KERNELS_MATRIXCONVOLUTION_H
