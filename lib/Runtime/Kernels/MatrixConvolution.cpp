//===- MatrixConvolution.cpp - Convolutions as matrix products ------------===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "MatrixConvolution.h"

#include <algorithm>
#include <cstring>

using namespace lgc::kernels;

namespace {
/// Windows of about this size stay in the caches between being made and being used; with
/// fewer rows, products lose speed.
constexpr int64_t windowBytes = 1 << 20, windowRows = 256;

/// [samples, rows, columns] to [samples, columns, rows].
void transpose(const float *source, float *target, int64_t samples, int64_t rows, int64_t columns) {
  constexpr int64_t block = 16;
  int64_t blocks = (rows + block - 1) / block;
  parallelFor(samples * blocks, std::max<int64_t>(1, 8192 / (block * columns)),
              [=](int64_t begin, int64_t end) {
                for (int64_t i = begin; i < end; ++i) {
                  const float *from = source + i / blocks * rows * columns;
                  float *to = target + i / blocks * rows * columns;
                  int64_t firstRow = i % blocks * block, endRow = std::min(rows, firstRow + block);
                  for (int64_t column = 0; column < columns; ++column)
                    for (int64_t row = firstRow; row < endRow; ++row)
                      to[column * rows + row] = from[row * columns + column];
                }
              });
}

/// C[m, n] (+)= A B in which A and B may lie transposed.
lgc_matmul_descriptor product(int64_t m, int64_t n, int64_t k, bool transposeA, bool transposeB,
                              bool accumulate) {
  lgc_matmul_descriptor descriptor = {};
  descriptor.m = m;
  descriptor.n = n;
  descriptor.k = k;
  descriptor.a_strides[0] = transposeA ? 1 : k;
  descriptor.a_strides[1] = transposeA ? m : 1;
  descriptor.b_strides[0] = transposeB ? 1 : n;
  descriptor.b_strides[1] = transposeB ? k : 1;
  descriptor.c_strides[0] = n;
  descriptor.c_strides[1] = 1;
  descriptor.alpha = 1;
  descriptor.accumulate = accumulate;
  return descriptor;
}

int64_t floatBytes(int64_t count) { return count * int64_t(sizeof(float)); }
} // namespace

MatrixConvolution::MatrixConvolution(const lgc_conv_descriptor &d, Direction direction)
    : direction(direction), batch(d.batch), inChannels(d.in_channels), outChannels(d.out_channels),
      taps(1), inputPositions(1), outputPositions(1),
      channelsFirst(d.layout == LGC_CHANNELS_FIRST) {
  constexpr int64_t rank = LGC_CONV_MAX_SPATIAL_RANK;
  for (int64_t i = 0; i < rank; ++i) {
    int64_t from = i - (rank - d.spatial_rank);
    bool present = from >= 0;
    geometry.input[i] = present ? d.input[from] : 1;
    geometry.output[i] = present ? d.output[from] : 1;
    geometry.kernel[i] = present ? d.kernel[from] : 1;
    geometry.strides[i] = present ? d.strides[from] : 1;
    geometry.dilations[i] = present ? d.dilations[from] : 1;
    geometry.pads[i] = present ? d.pads_begin[from] : 0;
    taps *= geometry.kernel[i];
    inputPositions *= geometry.input[i];
    outputPositions *= geometry.output[i];
  }
  int64_t sampleBytes = floatBytes(outputPositions * inChannels * taps);
  samplesAtOnce = std::max({int64_t(1), windowBytes / sampleBytes, windowRows / outputPositions});
  samplesAtOnce = std::min(batch, samplesAtOnce);
  windowsAreInput = taps == 1 && std::equal(geometry.input, geometry.input + rank, geometry.output);
  if (windowsAreInput)
    samplesAtOnce = batch;
  else
    windowsOffset = reserve(samplesAtOnce * sampleBytes);
  tapsOutside = direction == Direction::BackwardWeights && taps > 1 &&
                batch * outputPositions > 4 * outChannels;
  if (tapsOutside)
    weightsOffset = reserve(floatBytes(outChannels * inChannels * taps));
  if (channelsFirst) {
    inputOffset = reserve(floatBytes(batch * inputPositions * inChannels));
    outputOffset = reserve(floatBytes(batch * outputPositions * outChannels));
  }
}

template <typename Visit>
void MatrixConvolution::forEachTap(int64_t outputPosition, Visit visit) const {
  const Geometry &g = geometry;
  int64_t z = outputPosition / (g.output[1] * g.output[2]);
  int64_t y = outputPosition / g.output[2] % g.output[1], x = outputPosition % g.output[2];
  int64_t tap = 0;
  for (int64_t dz = 0; dz < g.kernel[0]; ++dz) {
    int64_t inZ = z * g.strides[0] + dz * g.dilations[0] - g.pads[0];
    for (int64_t dy = 0; dy < g.kernel[1]; ++dy) {
      int64_t inY = y * g.strides[1] + dy * g.dilations[1] - g.pads[1];
      for (int64_t dx = 0; dx < g.kernel[2]; ++dx, ++tap) {
        int64_t inX = x * g.strides[2] + dx * g.dilations[2] - g.pads[2];
        if (inZ >= 0 && inZ < g.input[0] && inY >= 0 && inY < g.input[1] && inX >= 0 &&
            inX < g.input[2])
          visit(tap, (inZ * g.input[1] + inY) * g.input[2] + inX);
      }
    }
  }
}

void MatrixConvolution::gatherWindows(const float *input, int64_t samples, float *windows) const {
  int64_t rowSize = inChannels * taps;
  parallelFor(samples * outputPositions, std::max<int64_t>(1, 8192 / rowSize),
              [&](int64_t begin, int64_t end) {
                for (int64_t row = begin; row < end; ++row) {
                  float *window = windows + row * rowSize;
                  const float *sample = input + row / outputPositions * inputPositions * inChannels;
                  if (taps > 1)
                    std::memset(window, 0, size_t(floatBytes(rowSize)));
                  forEachTap(row % outputPositions, [&](int64_t tap, int64_t position) {
                    const float *from = sample + position * inChannels;
                    if (tapsOutside) {
                      std::memcpy(window + tap * inChannels, from, size_t(floatBytes(inChannels)));
                      return;
                    }
                    for (int64_t channel = 0; channel < inChannels; ++channel)
                      window[channel * taps + tap] = from[channel];
                  });
                }
              });
}

const float *MatrixConvolution::windowsOf(const float *input, int64_t firstSample, int64_t samples,
                                          float *windows) const {
  const float *first = input + firstSample * inputPositions * inChannels;
  if (windowsAreInput)
    return first;
  gatherWindows(first, samples, windows);
  return windows;
}

void MatrixConvolution::scatterWindows(const float *windows, int64_t samples, float *input) const {
  // Threads take samples, or where those are few, channels of each.
  int64_t parts = samples >= lgc_num_threads() ? 1 : std::min(inChannels, lgc_num_threads());
  parallelFor(samples * parts, 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      int64_t sample = i / parts, part = i % parts;
      int64_t firstChannel = inChannels * part / parts;
      int64_t endChannel = inChannels * (part + 1) / parts;
      float *target = input + sample * inputPositions * inChannels;
      for (int64_t position = 0; position < inputPositions; ++position)
        std::fill(target + position * inChannels + firstChannel,
                  target + position * inChannels + endChannel, 0.0f);
      for (int64_t output = 0; output < outputPositions; ++output) {
        const float *window = windows + (sample * outputPositions + output) * inChannels * taps;
        forEachTap(output, [&](int64_t tap, int64_t position) {
          float *to = target + position * inChannels;
          for (int64_t channel = firstChannel; channel < endChannel; ++channel)
            to[channel] += window[channel * taps + tap];
        });
      }
    }
  });
}

void MatrixConvolution::runForward(const float *input, const float *weights, const float *bias,
                                   float *output, float *windows) const {
  for (int64_t sample = 0; sample < batch; sample += samplesAtOnce) {
    int64_t samples = std::min(samplesAtOnce, batch - sample);
    const float *rows = windowsOf(input, sample, samples, windows);
    auto descriptor = product(samples * outputPositions, outChannels, inChannels * taps,
                              /*transposeA=*/false, /*transposeB=*/true, /*accumulate=*/false);
    lgc_matmul_bias(&descriptor, rows, weights, bias,
                    output + sample * outputPositions * outChannels, nullptr);
  }
}

void MatrixConvolution::runBackwardData(const float *output, const float *weights, float *input,
                                        float *windows) const {
  for (int64_t sample = 0; sample < batch; sample += samplesAtOnce) {
    int64_t samples = std::min(samplesAtOnce, batch - sample);
    auto descriptor = product(samples * outputPositions, inChannels * taps, outChannels,
                              /*transposeA=*/false, /*transposeB=*/false, /*accumulate=*/false);
    float *target = input + sample * inputPositions * inChannels;
    lgc_matmul(&descriptor, output + sample * outputPositions * outChannels, weights,
               windowsAreInput ? target : windows, nullptr);
    if (!windowsAreInput)
      scatterWindows(windows, samples, target);
  }
}

void MatrixConvolution::runBackwardWeights(const float *input, const float *output, float *weights,
                                           float *bias, float *windows,
                                           float *permutedWeights) const {
  float *result = tapsOutside ? permutedWeights : weights;
  for (int64_t sample = 0; sample < batch; sample += samplesAtOnce) {
    int64_t samples = std::min(samplesAtOnce, batch - sample);
    const float *rows = windowsOf(input, sample, samples, windows);
    auto descriptor = product(outChannels, inChannels * taps, samples * outputPositions,
                              /*transposeA=*/true, /*transposeB=*/false,
                              /*accumulate=*/sample > 0);
    lgc_matmul(&descriptor, output + sample * outputPositions * outChannels, rows, result, nullptr);
  }
  if (tapsOutside)
    transpose(result, weights, outChannels, taps, inChannels);
  if (!bias)
    return;
  int64_t rows = batch * outputPositions;
  parallelFor(outChannels, std::max<int64_t>(16, 16384 / rows), [&](int64_t begin, int64_t end) {
    std::fill(bias + begin, bias + end, 0.0f);
    for (int64_t row = 0; row < rows; ++row)
      for (int64_t channel = begin; channel < end; ++channel)
        bias[channel] += output[row * outChannels + channel];
  });
}

void MatrixConvolution::run(const ConvolutionArguments &arguments, void *scratch) {
  char *base = static_cast<char *>(scratch);
  auto *windows = reinterpret_cast<float *>(base + windowsOffset);
  auto *input = static_cast<float *>(arguments.input);
  auto *output = static_cast<float *>(arguments.output);
  if (channelsFirst) {
    input = reinterpret_cast<float *>(base + inputOffset);
    output = reinterpret_cast<float *>(base + outputOffset);
    if (direction != Direction::BackwardData)
      transpose(static_cast<float *>(arguments.input), input, batch, inChannels, inputPositions);
    if (direction != Direction::Forward)
      transpose(static_cast<float *>(arguments.output), output, batch, outChannels,
                outputPositions);
  }
  auto *weights = static_cast<float *>(arguments.weights);
  auto *bias = static_cast<float *>(arguments.bias);
  switch (direction) {
  case Direction::Forward:
    runForward(input, weights, bias, output, windows);
    if (channelsFirst)
      transpose(output, static_cast<float *>(arguments.output), batch, outputPositions,
                outChannels);
    break;
  case Direction::BackwardData:
    runBackwardData(output, weights, input, windows);
    if (channelsFirst)
      transpose(input, static_cast<float *>(arguments.input), batch, inputPositions, inChannels);
    break;
  case Direction::BackwardWeights:
    runBackwardWeights(input, output, weights, bias, windows,
                       reinterpret_cast<float *>(base + weightsOffset));
    break;
  }
}
