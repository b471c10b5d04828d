//===- Snapshot.h - Training states on disk ---------------------*- C++ -*-===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef LGC_RUNTIME_SNAPSHOT_H
#define LGC_RUNTIME_SNAPSHOT_H

#include "lgc/Runtime/Arena.h"

namespace lgc::runtime {

/// What resuming needs beside the tensors.
struct TrainingState {
  std::string model;
  int64_t step = 0;
  /// Samples that training has taken, the position in the data; and how many there are.
  int64_t position = 0;
  int64_t dataSamples = 0;
  int64_t seed = 0;
  bool shuffled = true;
  int64_t steps = 0;
  double learningRate = 0;
  std::string schedule;

  std::string toJson() const;
  /// Nothing where the text is no state.
  static std::optional<TrainingState> fromJson(const std::string &text);
};

/// A folder of snapshots. Each is one safetensors file named after its step, with all
/// parameters and states of the program and the training state in its metadata, and
/// appears by one rename.
class SnapshotFolder {
public:
  explicit SnapshotFolder(std::string path) : path(std::move(path)) {}

  /// Steps of the snapshots, ascending.
  std::vector<int64_t> steps() const;

  /// Writes a snapshot, and removes older ones but the one before it.
  void save(const Manifest &manifest, const Arena &arena, const TrainingState &state) const;

  /// Reads the newest snapshot that is whole; a damaged one is passed over and named in
  /// `warnings`.
  TrainingState load(const Manifest &manifest, const Arena &arena,
                     std::vector<std::string> &warnings) const;

private:
  std::string fileOf(int64_t step) const;

  std::string path;
};

} // namespace lgc::runtime

#endif // LGC_RUNTIME_SNAPSHOT_H
