//===- Snapshot.cpp - Training states on disk -----------------------------===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "lgc/Runtime/Snapshot.h"

#include "lgc/Runtime/AtomicFile.h"
#include "lgc/Runtime/Error.h"
#include "lgc/Runtime/TensorFile.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <filesystem>

using namespace lgc::runtime;
using nlohmann::json;
namespace fs = std::filesystem;

namespace {
constexpr const char *stateKey = "lgc.state";
constexpr const char *prefix = "step-", *suffix = ".safetensors";

std::vector<TensorView> storedTensors(const Manifest &manifest, const Arena &arena) {
  std::vector<TensorView> tensors;
  for (const Buffer &buffer : manifest.buffers)
    if (buffer.isStored())
      tensors.push_back(arena.view(buffer));
  return tensors;
}

/// The step in a snapshot's file name.
std::optional<int64_t> stepOf(const std::string &name) {
  std::string start = prefix, end = suffix;
  if (name.size() <= start.size() + end.size() || name.compare(0, start.size(), start) != 0 ||
      name.compare(name.size() - end.size(), end.size(), end) != 0)
    return std::nullopt;
  const char *first = name.data() + start.size(), *last = name.data() + name.size() - end.size();
  int64_t step = 0;
  auto [next, error] = std::from_chars(first, last, step);
  if (error != std::errc() || next != last || step < 0)
    return std::nullopt;
  return step;
}

/// Throws unless the file holds exactly the program's tensors.
void checkTensors(const TensorFile &file, const std::vector<TensorView> &wanted) {
  for (const TensorView &tensor : wanted) {
    const TensorView *found = file.find(tensor.name);
    if (!found)
      raise(file.path(), ": it has no tensor ", quote(tensor.name),
            "; resume a snapshot of the same model and optimizer");
    if (found->type != tensor.type || found->shape != tensor.shape)
      raise(file.path(), ": tensor ", quote(tensor.name), " is ", nameOf(found->type),
            print(found->shape), " and the program's is ", nameOf(tensor.type), print(tensor.shape),
            "; resume a snapshot of the same model and optimizer");
  }
  if (file.tensors().size() != wanted.size())
    raise(file.path(), ": it has ", file.tensors().size(), " tensors and the program has ",
          wanted.size(), "; resume a snapshot of the same model and optimizer");
}
} // namespace

std::string TrainingState::toJson() const {
  return json{{"format", 1},
              {"model", model},
              {"step", step},
              {"position", position},
              {"data_samples", dataSamples},
              {"seed", seed},
              {"shuffle", shuffled},
              {"steps", steps},
              {"learning_rate", learningRate},
              {"lr_schedule", schedule}}
      .dump(-1, ' ', /*ensure_ascii=*/false, json::error_handler_t::replace);
}

std::optional<TrainingState> TrainingState::fromJson(const std::string &text) try {
  json entries = json::parse(text);
  if (entries.at("format").get<int64_t>() != 1)
    return std::nullopt;
  TrainingState state;
  entries.at("model").get_to(state.model);
  entries.at("step").get_to(state.step);
  entries.at("position").get_to(state.position);
  entries.at("data_samples").get_to(state.dataSamples);
  entries.at("seed").get_to(state.seed);
  entries.at("shuffle").get_to(state.shuffled);
  entries.at("steps").get_to(state.steps);
  entries.at("learning_rate").get_to(state.learningRate);
  entries.at("lr_schedule").get_to(state.schedule);
  if (state.step < 0 || state.position < 0)
    return std::nullopt;
  return state;
} catch (const json::exception &) {
  return std::nullopt;
}

std::string SnapshotFolder::fileOf(int64_t step) const {
  // Padded, so that names sort like steps.
  std::string digits = std::to_string(step);
  constexpr size_t width = 9;
  return concat(path, "/", prefix, std::string(width - std::min(width, digits.size()), '0'), digits,
                suffix);
}

std::vector<int64_t> SnapshotFolder::steps() const {
  std::vector<int64_t> steps;
  std::error_code ignored;
  for (const fs::directory_entry &entry : fs::directory_iterator(path, ignored))
    if (auto step = stepOf(entry.path().filename().string()))
      steps.push_back(*step);
  std::sort(steps.begin(), steps.end());
  return steps;
}

void SnapshotFolder::save(const Manifest &manifest, const Arena &arena,
                          const TrainingState &state) const {
  std::vector<TensorView> tensors = storedTensors(manifest, arena);
  AtomicFile file(fileOf(state.step));
  file.write(safetensorsHeader(tensors, {{stateKey, state.toJson()}}));
  for (const TensorView &tensor : tensors)
    file.write(tensor.data, tensor.bytes());
  file.commit();
  // The one before stays as well, should the disk lose the new one.
  std::vector<int64_t> older = steps();
  older.erase(std::lower_bound(older.begin(), older.end(), state.step), older.end());
  std::error_code ignored;
  for (size_t i = 0; i + 1 < older.size(); ++i)
    fs::remove(fileOf(older[i]), ignored);
}

TrainingState SnapshotFolder::load(const Manifest &manifest, const Arena &arena,
                                   std::vector<std::string> &warnings) const {
  std::error_code failure;
  if (!fs::is_directory(path, failure))
    raise(path, ": there is no such folder; give the one of --save");
  std::vector<int64_t> candidates = steps();
  if (candidates.empty())
    raise(path, ": it holds no snapshot; give the folder of --save");
  std::vector<TensorView> tensors = storedTensors(manifest, arena);
  for (;;) {
    std::string name = fileOf(candidates.back());
    candidates.pop_back();
    try {
      TensorFile file = TensorFile::openSafetensors(name);
      auto entry = file.metadata().find(stateKey);
      auto state =
          entry == file.metadata().end() ? std::nullopt : TrainingState::fromJson(entry->second);
      if (!state)
        raise(name, ": it is not a snapshot of a training; give the folder of --save");
      checkTensors(file, tensors);
      for (const TensorView &tensor : tensors)
        std::memcpy(const_cast<std::byte *>(tensor.data), file.find(tensor.name)->data,
                    size_t(tensor.bytes()));
      return *state;
    } catch (const Error &error) {
      if (candidates.empty())
        throw;
      warnings.push_back(error.what());
    }
  }
}
