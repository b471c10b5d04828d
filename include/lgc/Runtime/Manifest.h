//===- Manifest.h - The manifest of an emitted program ----------*- C++ -*-===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef LGC_RUNTIME_MANIFEST_H
#define LGC_RUNTIME_MANIFEST_H

#include "lgc/Runtime/Tensor.h"

namespace lgc::runtime {

enum class Role { Input, Parameter, State, Scalar, Output };

/// How a parameter or state is written to an initializer of the source model: dimensions
/// permuted, then reshaped, then broadcast to the initializer's shape.
struct ExportTarget {
  std::string initializer;
  std::vector<int64_t> permutation; // empty: none
  Shape shape;                      // that after permuting, if hasShape
  bool hasShape = false;
  /// Uses of the initializer that get a copy of their own instead, as node and input
  /// index in the source graph; empty: all uses.
  struct Use {
    int64_t node, input;
  };
  std::vector<Use> uses;
};

struct Buffer {
  std::string name;
  Role role = Role::Input;
  ElementType type = ElementType::F32;
  Shape shape;
  int64_t offset = 0, bytes = 0;

  /// Inputs: the dimension that counts samples, if any.
  std::optional<size_t> batchDimension;
  /// Integer inputs: the values allowed, inclusive, and further ones.
  std::optional<std::pair<int64_t, int64_t>> range;
  std::vector<int64_t> alsoAllowed;

  /// Parameters and states: bytes of a file, or one value for all elements.
  std::string initFile;
  int64_t initOffset = 0;
  double initValue = 0;
  bool trainable = false;
  std::vector<ExportTarget> exports;

  bool isStored() const { return role == Role::Parameter || role == Role::State; }
};

struct Classification {
  std::string logits, labels;
  size_t classDimension = 1;
  std::optional<int64_t> ignoredLabel;
};

struct Manifest {
  std::string model, compiler, target;
  int64_t arenaBytes = 0, alignment = 64;
  int64_t batch = 1, microBatches = 1;
  double learningRate = 0;
  std::vector<Buffer> buffers;

  bool hasTrainStep = false, hasForward = false;
  std::vector<std::string> trainInputs, forwardInputs, forwardOutputs, trainMetrics;
  std::string trainLoss, forwardLoss; // empty: none
  std::optional<Classification> classification;
  std::string sourceModel; // empty: none

  /// The buffer of that name, or null.
  const Buffer *find(const std::string &name) const;

  /// Throws Error where the text is no manifest, or its buffers don't fit the arena.
  static Manifest parse(const std::string &json);
};

} // namespace lgc::runtime

#endif // LGC_RUNTIME_MANIFEST_H
