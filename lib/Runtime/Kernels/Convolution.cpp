//===- Convolution.cpp - Convolutions: cache and entry points -------------===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "ConvolutionPlan.h"

#include <oneapi/dnnl/dnnl.hpp>

#include <cstring>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>

using namespace lgc::kernels;

namespace {
/// A plan with the scratch that it allocates itself where the planned one is too small.
struct CachedPlan {
  std::unique_ptr<ConvolutionPlan> plan;
  std::unique_ptr<void, decltype(&std::free)> ownScratch{nullptr, &std::free};
};

std::string keyOf(lgc_conv_descriptor descriptor, Direction direction) {
  descriptor.scratch_bytes = 0;
  std::string key(sizeof(descriptor) + 1, '\0');
  std::memcpy(&key[0], &descriptor, sizeof(descriptor));
  key.back() = static_cast<char>(direction);
  return key;
}

std::mutex &planMutex() {
  static std::mutex mutex;
  return mutex;
}

/// Plans are found by content, not by address: code that runs in process comes and goes.
CachedPlan &planFor(const lgc_conv_descriptor &descriptor, Direction direction) {
  static auto &plans = *new std::unordered_map<std::string, std::unique_ptr<CachedPlan>>();
  std::unique_ptr<CachedPlan> &entry = plans[keyOf(descriptor, direction)];
  if (!entry)
    entry.reset(new CachedPlan{planConvolution(descriptor, direction)});
  return *entry;
}

int64_t scratchBytes(const lgc_conv_descriptor *descriptor, Direction direction) {
  if (!isValid(*descriptor))
    return -1;
  lgc_num_threads(); // the need depends on it
  std::lock_guard<std::mutex> lock(planMutex());
  const CachedPlan &cached = planFor(*descriptor, direction);
  return cached.plan ? cached.plan->scratchBytes() : -1;
}

/// What the compiler planned is too small on this processor or with this many threads.
void *allocateScratch(CachedPlan &cached, int64_t plannedBytes) {
  if (cached.ownScratch)
    return cached.ownScratch.get();
  static bool reported = false;
  if (!reported)
    std::fprintf(
        stderr,
        "note: a convolution needs %lld bytes of scratch here, and %lld were planned where "
        "the program was compiled; it is allocated beside the arena: compile "
        "for this processor and number of threads to avoid it\n",
        static_cast<long long>(cached.plan->scratchBytes()), static_cast<long long>(plannedBytes));
  reported = true;
  cached.ownScratch.reset(std::aligned_alloc(blockAlignment, size_t(cached.plan->scratchBytes())));
  if (!cached.ownScratch)
    fail("convolution", "memory for its scratch is exhausted");
  return cached.ownScratch.get();
}

void run(const lgc_conv_descriptor *descriptor, Direction direction,
         const ConvolutionArguments &arguments, void *scratch) {
  if (!isValid(*descriptor))
    fail("convolution", "its descriptor is not supported; query its scratch when compiling");
  lgc_num_threads();
  std::lock_guard<std::mutex> lock(planMutex());
  try {
    CachedPlan &cached = planFor(*descriptor, direction);
    if (!cached.plan)
      fail("convolution", "its descriptor is not supported; query its scratch when compiling");
    if (cached.plan->scratchBytes() > descriptor->scratch_bytes)
      scratch = allocateScratch(cached, descriptor->scratch_bytes);
    cached.plan->run(arguments, scratch);
  } catch (const dnnl::error &error) {
    fail("convolution", error.message);
  }
}
} // namespace

int64_t lgc_conv_forward_scratch_bytes(const lgc_conv_descriptor *descriptor) {
  return scratchBytes(descriptor, Direction::Forward);
}

int64_t lgc_conv_backward_data_scratch_bytes(const lgc_conv_descriptor *descriptor) {
  return scratchBytes(descriptor, Direction::BackwardData);
}

int64_t lgc_conv_backward_weights_scratch_bytes(const lgc_conv_descriptor *descriptor) {
  return scratchBytes(descriptor, Direction::BackwardWeights);
}

void lgc_conv_forward(const lgc_conv_descriptor *descriptor, const void *input, const void *weights,
                      const void *bias, void *output, void *scratch) {
  run(descriptor, Direction::Forward,
      {const_cast<void *>(input), const_cast<void *>(weights), const_cast<void *>(bias), output},
      scratch);
}

void lgc_conv_backward_data(const lgc_conv_descriptor *descriptor, const void *output_gradient,
                            const void *weights, void *input_gradient, void *scratch) {
  run(descriptor, Direction::BackwardData,
      {input_gradient, const_cast<void *>(weights), nullptr, const_cast<void *>(output_gradient)},
      scratch);
}

void lgc_conv_backward_weights(const lgc_conv_descriptor *descriptor, const void *input,
                               const void *output_gradient, void *weights_gradient,
                               void *bias_gradient, void *scratch) {
  run(descriptor, Direction::BackwardWeights,
      {const_cast<void *>(input), weights_gradient, bias_gradient,
       const_cast<void *>(output_gradient)},
      scratch);
}
