//===- ConvolutionTest.cpp - Convolutions against plain loops -------------===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "LibraryConvolution.h"
#include "MatrixConvolution.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <random>
#include <vector>

namespace {
using Values = std::vector<float>;

Values randomValues(int64_t count, unsigned seed) {
  std::mt19937 generator(seed);
  std::uniform_real_distribution<float> distribution(-1, 1);
  Values values(static_cast<size_t>(count));
  for (float &value : values)
    value = distribution(generator);
  return values;
}

int64_t volume(const lgc_conv_descriptor &d, const int64_t *sizes) {
  int64_t product = 1;
  for (int64_t i = 0; i < d.spatial_rank; ++i)
    product *= sizes[i];
  return product;
}

/// Position of an activation's element in memory.
size_t at(const lgc_conv_descriptor &d, int64_t sample, int64_t channel, int64_t channels,
          int64_t position, int64_t positions) {
  if (d.layout == LGC_CHANNELS_LAST)
    return size_t((sample * positions + position) * channels + channel);
  return size_t((sample * channels + channel) * positions + position);
}

/// Calls `visit(inputIndex, weightIndex, outputIndex, outChannel)` for every product of
/// the convolution.
template <typename Visit> void forEachProduct(const lgc_conv_descriptor &d, Visit visit) {
  int64_t inputs = volume(d, d.input), outputs = volume(d, d.output), taps = volume(d, d.kernel);
  int64_t inGroup = d.in_channels / d.groups, outGroup = d.out_channels / d.groups;
  for (int64_t sample = 0; sample < d.batch; ++sample)
    for (int64_t out = 0; out < d.out_channels; ++out)
      for (int64_t position = 0; position < outputs; ++position)
        for (int64_t tap = 0; tap < taps; ++tap) {
          int64_t source = 0, scale = 1, restPosition = position, restTap = tap;
          bool inside = true;
          for (int64_t i = d.spatial_rank - 1; i >= 0; --i) {
            int64_t coordinate = restPosition % d.output[i] * d.strides[i] +
                                 restTap % d.kernel[i] * d.dilations[i] - d.pads_begin[i];
            restPosition /= d.output[i];
            restTap /= d.kernel[i];
            inside &= coordinate >= 0 && coordinate < d.input[i];
            source += coordinate * scale;
            scale *= d.input[i];
          }
          if (!inside)
            continue;
          for (int64_t in = 0; in < inGroup; ++in)
            visit(at(d, sample, out / outGroup * inGroup + in, d.in_channels, source, inputs),
                  size_t((out * inGroup + in) * taps + tap),
                  at(d, sample, out, d.out_channels, position, outputs));
        }
}

void expectNear(const Values &actual, const std::vector<double> &expected, const char *what) {
  ASSERT_EQ(actual.size(), expected.size());
  double largest = 1;
  for (double value : expected)
    largest = std::max(largest, std::abs(value));
  for (size_t i = 0; i < actual.size(); ++i)
    ASSERT_NEAR(actual[i], expected[i], 1e-5 * largest) << what << ", element " << i;
}

struct Scratch {
  explicit Scratch(int64_t bytes)
      : memory(bytes > 0 ? std::aligned_alloc(64, size_t(bytes)) : nullptr) {}
  ~Scratch() { std::free(memory); }
  void *memory;
};

using lgc::kernels::ConvolutionArguments;
using lgc::kernels::ConvolutionPlan;
using lgc::kernels::Direction;

/// What the three directions should give.
struct Expected {
  std::vector<double> output, inputGradient, weightsGradient, biasGradient;
};

struct Tensors {
  Values input, weights, bias, gradient;

  explicit Tensors(const lgc_conv_descriptor &d)
      : input(randomValues(d.batch * d.in_channels * volume(d, d.input), 1)),
        weights(randomValues(d.out_channels * d.in_channels / d.groups * volume(d, d.kernel), 2)),
        bias(randomValues(d.out_channels, 3)),
        gradient(randomValues(d.batch * d.out_channels * volume(d, d.output), 4)) {}
};

Expected compute(const lgc_conv_descriptor &d, const Tensors &tensors) {
  Expected expected;
  expected.output.resize(tensors.gradient.size());
  expected.inputGradient.resize(tensors.input.size());
  expected.weightsGradient.resize(tensors.weights.size());
  expected.biasGradient.resize(tensors.bias.size());
  int64_t outputs = volume(d, d.output);
  for (int64_t sample = 0; sample < d.batch; ++sample)
    for (int64_t out = 0; out < d.out_channels; ++out)
      for (int64_t position = 0; position < outputs; ++position) {
        size_t index = at(d, sample, out, d.out_channels, position, outputs);
        expected.output[index] = d.has_bias ? tensors.bias[size_t(out)] : 0;
        expected.biasGradient[size_t(out)] += tensors.gradient[index];
      }
  forEachProduct(d, [&](size_t i, size_t w, size_t o) {
    double input = tensors.input[i], weight = tensors.weights[w], gradient = tensors.gradient[o];
    expected.output[o] += input * weight;
    expected.inputGradient[i] += gradient * weight;
    expected.weightsGradient[w] += gradient * input;
  });
  return expected;
}

/// Runs all directions by `run(descriptor, direction, arguments)`.
template <typename RunDirection>
void checkDirections(lgc_conv_descriptor d, Tensors tensors, const Expected &expected,
                     RunDirection run) {
  Values output(tensors.gradient.size(), NAN);
  run(d, Direction::Forward,
      {tensors.input.data(), tensors.weights.data(), d.has_bias ? tensors.bias.data() : nullptr,
       output.data()});
  expectNear(output, expected.output, "output");

  Values weights(tensors.weights.size(), NAN), bias(tensors.bias.size(), NAN);
  run(d, Direction::BackwardWeights,
      {tensors.input.data(), weights.data(), d.has_bias ? bias.data() : nullptr,
       tensors.gradient.data()});
  expectNear(weights, expected.weightsGradient, "gradient of the weights");
  if (d.has_bias)
    expectNear(bias, expected.biasGradient, "gradient of the bias");

  d.has_bias = 0;
  Values input(tensors.input.size(), NAN);
  run(d, Direction::BackwardData,
      {input.data(), tensors.weights.data(), nullptr, tensors.gradient.data()});
  expectNear(input, expected.inputGradient, "gradient of the input");
}

void runByInterface(lgc_conv_descriptor d, Direction direction,
                    const ConvolutionArguments &arguments) {
  switch (direction) {
  case Direction::Forward: {
    d.scratch_bytes = lgc_conv_forward_scratch_bytes(&d);
    ASSERT_GE(d.scratch_bytes, 0);
    Scratch scratch(d.scratch_bytes);
    return lgc_conv_forward(&d, arguments.input, arguments.weights, arguments.bias,
                            arguments.output, scratch.memory);
  }
  case Direction::BackwardData: {
    d.scratch_bytes = lgc_conv_backward_data_scratch_bytes(&d);
    ASSERT_GE(d.scratch_bytes, 0);
    Scratch scratch(d.scratch_bytes);
    return lgc_conv_backward_data(&d, arguments.output, arguments.weights, arguments.input,
                                  scratch.memory);
  }
  case Direction::BackwardWeights: {
    d.scratch_bytes = lgc_conv_backward_weights_scratch_bytes(&d);
    ASSERT_GE(d.scratch_bytes, 0);
    Scratch scratch(d.scratch_bytes);
    return lgc_conv_backward_weights(&d, arguments.input, arguments.output, arguments.weights,
                                     arguments.bias, scratch.memory);
  }
  }
}

template <typename Plan>
void runByPlan(const lgc_conv_descriptor &d, Direction direction,
               const ConvolutionArguments &arguments) {
  Plan plan(d, direction);
  Scratch scratch(plan.scratchBytes());
  plan.run(arguments, scratch.memory);
}

/// Sets the output's size, and checks all directions in both layouts, by the interface
/// and by each plan that it could choose.
void check(lgc_conv_descriptor d) {
  for (int64_t i = 0; i < d.spatial_rank; ++i)
    d.output[i] =
        (d.input[i] + d.pads_begin[i] + d.pads_end[i] - ((d.kernel[i] - 1) * d.dilations[i] + 1)) /
            d.strides[i] +
        1;
  Tensors tensors(d);
  for (int64_t layout : {LGC_CHANNELS_FIRST, LGC_CHANNELS_LAST})
    for (int64_t hasBias : {0, 1}) {
      SCOPED_TRACE(testing::Message() << "layout " << layout << ", bias " << hasBias);
      d.layout = layout;
      d.has_bias = hasBias;
      Expected expected = compute(d, tensors);
      checkDirections(d, tensors, expected, runByInterface);
      checkDirections(d, tensors, expected, runByPlan<lgc::kernels::LibraryConvolution>);
      if (d.groups == 1)
        checkDirections(d, tensors, expected, runByPlan<lgc::kernels::MatrixConvolution>);
    }
}

lgc_conv_descriptor square(int64_t rank, int64_t batch, int64_t in, int64_t out, int64_t size,
                           int64_t kernel) {
  lgc_conv_descriptor d = {};
  d.spatial_rank = rank;
  d.batch = batch;
  d.groups = 1;
  d.in_channels = in;
  d.out_channels = out;
  for (int64_t i = 0; i < rank; ++i) {
    d.input[i] = size;
    d.kernel[i] = kernel;
    d.strides[i] = d.dilations[i] = 1;
  }
  return d;
}
} // namespace

TEST(Convolution, Plain) {
  check(square(2, 2, 3, 5, 6, 3));
  check(square(2, 3, 16, 32, 8, 3));
  check(square(2, 2, 1, 16, 8, 3));
  check(square(2, 2, 8, 8, 5, 1));
  check(square(2, 1, 1, 1, 1, 1));
}

TEST(Convolution, SpatialRanks) {
  for (int64_t rank : {1, 2, 3}) {
    auto d = square(rank, 2, 4, 6, 5, 3);
    d.pads_begin[0] = d.pads_end[0] = 1;
    check(d);
  }
}

TEST(Convolution, AsymmetricPadding) {
  auto d = square(2, 2, 3, 4, 6, 3);
  d.pads_begin[0] = 2;
  d.pads_end[1] = 1;
  check(d);
  d = square(2, 2, 16, 16, 7, 3); // SAME_UPPER with stride 2 on an even size
  d.input[0] = d.input[1] = 8;
  d.strides[0] = d.strides[1] = 2;
  d.pads_end[0] = d.pads_end[1] = 1;
  check(d);
}

TEST(Convolution, PaddingWiderThanTheKernel) {
  auto d = square(2, 1, 2, 3, 4, 2);
  d.pads_begin[0] = d.pads_end[1] = 3;
  check(d);
}

TEST(Convolution, StridesAndDilations) {
  auto d = square(2, 2, 3, 8, 11, 3);
  d.strides[0] = 2;
  d.strides[1] = 3;
  check(d);
  d.dilations[0] = 2;
  d.dilations[1] = 3;
  check(d);
  d = square(2, 2, 16, 32, 9, 1);
  d.strides[0] = d.strides[1] = 2;
  check(d);
  d = square(1, 2, 4, 4, 20, 3);
  d.dilations[0] = 4;
  d.pads_begin[0] = 8; // causal
  check(d);
}

TEST(Convolution, Groups) {
  auto d = square(2, 2, 4, 6, 6, 3);
  d.groups = 2;
  check(d);
  d = square(2, 2, 16, 16, 6, 3); // depthwise
  d.groups = 16;
  check(d);
  d = square(2, 2, 5, 10, 6, 3); // depthwise with a multiplier
  d.groups = 5;
  check(d);
  d = square(2, 1, 32, 64, 5, 3);
  d.groups = 4;
  check(d);
}

TEST(Convolution, Patches) {
  auto d = square(2, 2, 3, 24, 16, 4);
  d.strides[0] = d.strides[1] = 4;
  check(d);
}

TEST(Convolution, ManyChannelsOnFewPositions) { check(square(2, 4, 72, 136, 3, 3)); }

TEST(Convolution, WindowsOfOneSampleAtATime) { check(square(2, 3, 8, 2, 110, 5)); }

TEST(Convolution, ScratchThatWasPlannedTooSmallIsReplaced) {
  auto d = square(2, 2, 16, 16, 6, 3);
  d.output[0] = d.output[1] = 4;
  Values input = randomValues(2 * 16 * 36, 1), weights = randomValues(16 * 16 * 9, 2);
  Values output(2 * 16 * 16);
  ASSERT_GT(lgc_conv_forward_scratch_bytes(&d), 0);
  testing::internal::CaptureStderr();
  lgc_conv_forward(&d, input.data(), weights.data(), nullptr, output.data(), nullptr);
  lgc_conv_forward(&d, input.data(), weights.data(), nullptr, output.data(), nullptr);
  std::string note = testing::internal::GetCapturedStderr();
  EXPECT_NE(note.find("note: a convolution needs"), std::string::npos);
  EXPECT_EQ(note.find("note:"), note.rfind("note:"));
}

TEST(Convolution, RefusesWhatItCannotRun) {
  auto d = square(2, 2, 4, 4, 6, 3);
  d.output[0] = 4;
  d.output[1] = 5; // should be 4
  EXPECT_EQ(lgc_conv_forward_scratch_bytes(&d), -1);
  d.output[1] = 4;
  EXPECT_GE(lgc_conv_forward_scratch_bytes(&d), 0);
  d.groups = 3;
  EXPECT_EQ(lgc_conv_forward_scratch_bytes(&d), -1);
  d.groups = 1;
  d.spatial_rank = 4;
  EXPECT_EQ(lgc_conv_forward_scratch_bytes(&d), -1);
  d.spatial_rank = 2;
  d.strides[0] = 0;
  EXPECT_EQ(lgc_conv_forward_scratch_bytes(&d), -1);
}
