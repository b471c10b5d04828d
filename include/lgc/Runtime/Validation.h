//===- Validation.h - Loss and accuracy on held-out samples -----*- C++ -*-===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef LGC_RUNTIME_VALIDATION_H
#define LGC_RUNTIME_VALIDATION_H

#include "lgc/Runtime/Samples.h"

namespace lgc::runtime {

struct ValidationResult {
  int64_t samples = 0;
  /// Means over all labels that count, or over samples where the program has no labels.
  std::optional<double> loss, accuracy;
  /// Samples of the last batch that the loss leaves out, since there is nothing to mask
  /// the rest of that batch with.
  int64_t samplesWithoutLoss = 0;
};

/// Runs the forward function over samples, batch by batch. The last batch is filled up;
/// labels of what fills it are the ignored one, so that they don't count.
class Validation {
public:
  Validation(const Manifest &manifest, const std::vector<std::string> &paths);

  ValidationResult run(const Arena &arena, void (*forward)(uint8_t *arena)) const;

private:
  struct Counts {
    int64_t labels = 0, correct = 0;
  };

  bool masksLabels() const;
  void ignoreLabelsFrom(const Arena &arena, int64_t realSamples) const;
  Counts countLabels(const Arena &arena, int64_t realSamples) const;

  const Manifest &manifest;
  Samples samples;
};

} // namespace lgc::runtime

#endif // LGC_RUNTIME_VALIDATION_H
