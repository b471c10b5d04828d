//===- LibraryConvolution.cpp - Convolutions by oneDNN --------------------===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//
//
// With channels last, activations stay as they are: oneDNN's fastest implementations
// take them. With channels first only its im2col ones would, so activations are
// reordered. Weights always are.
//
//===----------------------------------------------------------------------===//

#include "LibraryConvolution.h"

using namespace lgc::kernels;
using dnnl::memory;

namespace {
dnnl::engine &engine() {
  static dnnl::engine instance(dnnl::engine::kind::cpu, 0);
  return instance;
}

dnnl::stream &stream() {
  static dnnl::stream instance(engine());
  return instance;
}

memory::dims spatial(const lgc_conv_descriptor &descriptor, const int64_t *values) {
  return memory::dims(values, values + descriptor.spatial_rank);
}

memory::dims withSpatial(memory::dims leading, const lgc_conv_descriptor &descriptor,
                         const int64_t *values) {
  leading.insert(leading.end(), values, values + descriptor.spatial_rank);
  return leading;
}

memory::dims denseStrides(const memory::dims &sizes) {
  memory::dims strides(sizes.size());
  int64_t stride = 1;
  for (size_t i = sizes.size(); i-- > 0; stride *= sizes[i])
    strides[i] = stride;
  return strides;
}

memory::desc activation(const lgc_conv_descriptor &descriptor, int64_t channels,
                        const int64_t *sizes) {
  memory::dims dims = withSpatial({descriptor.batch, channels}, descriptor, sizes);
  memory::dims strides = denseStrides(dims);
  if (descriptor.layout == LGC_CHANNELS_LAST) {
    int64_t stride = channels;
    strides[1] = 1;
    for (size_t i = dims.size(); i-- > 2; stride *= dims[i])
      strides[i] = stride;
  }
  return memory::desc(dims, memory::data_type::f32, strides);
}

memory::desc plainWeights(const lgc_conv_descriptor &d) {
  memory::dims leading = {d.out_channels, d.in_channels};
  if (d.groups > 1)
    leading = {d.groups, d.out_channels / d.groups, d.in_channels / d.groups};
  memory::dims dims = withSpatial(leading, d, d.kernel);
  return memory::desc(dims, memory::data_type::f32, denseStrides(dims));
}

memory::desc anyLayout(const memory::desc &plain) {
  return memory::desc(plain.get_dims(), plain.get_data_type(), memory::format_tag::any);
}

/// Measured on AVX2: the library's own choice for plain activations is a blocked layout,
/// whose implementations take up to twice as long, but not with few channels, with one
/// tap, or for the gradient of the weights.
bool wantsChannelsLast(const lgc_conv_descriptor &d, Direction direction) {
  constexpr int64_t fewChannels = 8;
  int64_t taps = 1;
  for (int64_t i = 0; i < d.spatial_rank; ++i)
    taps *= d.kernel[i];
  return d.layout == LGC_CHANNELS_LAST ||
         (direction != Direction::BackwardWeights && d.groups == 1 &&
          d.in_channels >= fewChannels && taps > 1);
}
} // namespace

LibraryConvolution::LibraryConvolution(const lgc_conv_descriptor &d, Direction direction) {
  memory::desc input = activation(d, d.in_channels, d.input);
  memory::desc output = activation(d, d.out_channels, d.output);
  memory::desc weights = plainWeights(d);
  memory::desc bias({d.out_channels}, memory::data_type::f32, memory::format_tag::a);
  memory::desc wantedInput = anyLayout(input), wantedOutput = anyLayout(output);
  if (wantsChannelsLast(d, direction)) {
    lgc_conv_descriptor inside = d;
    inside.layout = LGC_CHANNELS_LAST;
    wantedInput = activation(inside, d.in_channels, d.input);
    wantedOutput = activation(inside, d.out_channels, d.output);
  }
  memory::dims strides = spatial(d, d.strides), padsBegin = spatial(d, d.pads_begin),
               padsEnd = spatial(d, d.pads_end), dilations = spatial(d, d.dilations);
  for (memory::dim &dilation : dilations)
    --dilation; // oneDNN counts the elements that are skipped
  dnnl::primitive_attr attributes;
  attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);

  auto adopt = [&](const auto &chosen, auto makePrimitive) {
    implementationName = chosen.impl_info_str();
    scratchpad = chosen.scratchpad_desc();
    createPrimitive = [=] { return dnnl::primitive(makePrimitive(chosen)); };
  };
  constexpr auto algorithm = dnnl::algorithm::convolution_direct;
  memory::desc noBias;
  dnnl::convolution_forward::primitive_desc forward(
      engine(), dnnl::prop_kind::forward_training, algorithm, wantedInput, anyLayout(weights),
      direction == Direction::Forward && d.has_bias ? bias : noBias, wantedOutput, strides,
      dilations, padsBegin, padsEnd, attributes);
  switch (direction) {
  case Direction::Forward:
    adopt(forward, [](const auto &chosen) { return dnnl::convolution_forward(chosen); });
    addTensor(DNNL_ARG_SRC, /*isResult=*/false, input, forward.src_desc());
    addTensor(DNNL_ARG_WEIGHTS, /*isResult=*/false, weights, forward.weights_desc());
    addTensor(DNNL_ARG_DST, /*isResult=*/true, output, forward.dst_desc());
    if (d.has_bias)
      addTensor(DNNL_ARG_BIAS, /*isResult=*/false, bias, bias);
    break;
  case Direction::BackwardData: {
    dnnl::convolution_backward_data::primitive_desc backward(
        engine(), algorithm, wantedInput, anyLayout(weights), wantedOutput, strides, dilations,
        padsBegin, padsEnd, forward, attributes);
    adopt(backward, [](const auto &chosen) { return dnnl::convolution_backward_data(chosen); });
    addTensor(DNNL_ARG_DIFF_SRC, /*isResult=*/true, input, backward.diff_src_desc());
    addTensor(DNNL_ARG_WEIGHTS, /*isResult=*/false, weights, backward.weights_desc());
    addTensor(DNNL_ARG_DIFF_DST, /*isResult=*/false, output, backward.diff_dst_desc());
    break;
  }
  case Direction::BackwardWeights: {
    dnnl::convolution_backward_weights::primitive_desc backward(
        engine(), algorithm, wantedInput, anyLayout(weights), d.has_bias ? bias : noBias,
        wantedOutput, strides, dilations, padsBegin, padsEnd, forward, attributes);
    adopt(backward, [](const auto &chosen) { return dnnl::convolution_backward_weights(chosen); });
    addTensor(DNNL_ARG_SRC, /*isResult=*/false, input, backward.src_desc());
    addTensor(DNNL_ARG_DIFF_WEIGHTS, /*isResult=*/true, weights, backward.diff_weights_desc());
    addTensor(DNNL_ARG_DIFF_DST, /*isResult=*/false, output, backward.diff_dst_desc());
    if (d.has_bias)
      addTensor(DNNL_ARG_DIFF_BIAS, /*isResult=*/true, bias, bias);
    break;
  }
  }
  scratchpadOffset = reserve(int64_t(scratchpad.get_size()));
}

void LibraryConvolution::addTensor(int argument, bool isResult, const memory::desc &outside,
                                   const memory::desc &inside) {
  Tensor tensor;
  tensor.argument = argument;
  tensor.isResult = isResult;
  tensor.outside = outside;
  tensor.inside = inside;
  if (outside != inside)
    tensor.scratchOffset = reserve(int64_t(inside.get_size()));
  tensors.push_back(std::move(tensor));
}

void LibraryConvolution::createPrimitives() {
  primitive = createPrimitive();
  for (Tensor &tensor : tensors) {
    tensor.outsideMemory = memory(tensor.outside, engine(), nullptr);
    tensor.insideMemory = tensor.outsideMemory;
    if (tensor.scratchOffset >= 0) {
      tensor.insideMemory = memory(tensor.inside, engine(), nullptr);
      tensor.reorder = tensor.isResult ? dnnl::reorder(tensor.insideMemory, tensor.outsideMemory)
                                       : dnnl::reorder(tensor.outsideMemory, tensor.insideMemory);
    }
    primitiveArguments[tensor.argument] = tensor.insideMemory;
  }
  scratchpadMemory = memory(scratchpad, engine(), nullptr);
  primitiveArguments[DNNL_ARG_SCRATCHPAD] = scratchpadMemory;
}

void LibraryConvolution::run(const ConvolutionArguments &arguments, void *scratch) {
  if (!primitive)
    createPrimitives();
  char *base = static_cast<char *>(scratch);
  void *pointers[] = {arguments.input, arguments.weights, arguments.output, arguments.bias};
  for (size_t i = 0; i < tensors.size(); ++i) {
    Tensor &tensor = tensors[i];
    tensor.outsideMemory.set_data_handle(pointers[i]);
    if (tensor.scratchOffset < 0)
      continue;
    tensor.insideMemory.set_data_handle(base + tensor.scratchOffset);
    if (!tensor.isResult)
      tensor.reorder.execute(stream(), tensor.outsideMemory, tensor.insideMemory);
  }
  scratchpadMemory.set_data_handle(base + scratchpadOffset);
  primitive.execute(stream(), primitiveArguments);
  for (Tensor &tensor : tensors)
    if (tensor.isResult && tensor.scratchOffset >= 0)
      tensor.reorder.execute(stream(), tensor.insideMemory, tensor.outsideMemory);
  stream().wait();
}
