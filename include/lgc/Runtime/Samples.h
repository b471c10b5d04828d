//===- Samples.h - Batches for the inputs of a program ----------*- C++ -*-===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef LGC_RUNTIME_SAMPLES_H
#define LGC_RUNTIME_SAMPLES_H

#include "lgc/Runtime/Arena.h"
#include "lgc/Runtime/TensorFile.h"

namespace lgc::runtime {

/// The samples in a set of files, bound to the inputs of a program.
class Samples {
public:
  /// Throws Error unless every input has one tensor of its type and shape, all with the
  /// same number of samples, and all integers are allowed ones.
  Samples(const Manifest &manifest, const std::vector<std::string> &inputs,
          const std::vector<std::string> &paths);

  int64_t count() const { return sampleCount; }

  /// Copies the samples to the inputs of the arena, `indices` having one for each sample
  /// of the batch.
  void load(const Arena &arena, const std::vector<int64_t> &indices) const;

  /// Tensors of the files that no input is named after.
  const std::vector<std::string> &unusedTensors() const { return unused; }

private:
  struct Binding {
    const Buffer *buffer;
    const TensorView *tensor;
    std::string path;
    /// An input is [outer, samples, inner] around its batch dimension, a tensor
    /// [samples, outer, inner].
    int64_t outer = 1, innerBytes = 0;
    int64_t rowsPerSample = 1;
  };

  const TensorView *findTensor(const std::string &name, std::string &path) const;
  void bind(const Manifest &manifest, const Buffer &buffer);
  void checkValues(const Binding &binding, int64_t firstSample, int64_t endSample) const;

  std::vector<TensorFile> files;
  std::vector<Binding> bindings;
  std::vector<std::string> unused;
  int64_t sampleCount = -1;
};

/// Fills the inputs with one random batch: floating-point values of a standard normal
/// distribution, integers evenly from those allowed.
void loadSyntheticBatch(const Manifest &manifest, const std::vector<std::string> &inputs,
                        const Arena &arena, uint64_t seed);

} // namespace lgc::runtime

#endif // LGC_RUNTIME_SAMPLES_H
