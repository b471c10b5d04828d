//===- Training.cpp - A run of an emitted program -------------------------===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "lgc/Runtime/Training.h"

#include "lgc/Runtime/Error.h"
#include "lgc/Runtime/Export.h"
#include "lgc/Runtime/Kernels.h"
#include "lgc/Runtime/MemoryVerification.h"
#include "lgc/Runtime/RunLog.h"
#include "lgc/Runtime/SampleOrder.h"
#include "lgc/Runtime/Snapshot.h"
#include "lgc/Runtime/Validation.h"

#include <nlohmann/json.hpp>

#include <cmath>
#include <csignal>
#include <filesystem>

#include <unistd.h>

using namespace lgc::runtime;
using Record = nlohmann::ordered_json;
namespace fs = std::filesystem;

namespace {
volatile std::sig_atomic_t interrupted = 0;

/// The first interrupt ends the run after the step, a second one ends the process.
void catchInterrupts() {
  struct sigaction action = {};
  action.sa_handler = [](int) { interrupted = 1; };
  action.sa_flags = static_cast<int>(SA_RESETHAND) | SA_RESTART;
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

std::string joined(const std::vector<std::string> &parts) {
  std::string text;
  for (const std::string &part : parts)
    text += (text.empty() ? "" : ", ") + part;
  return text;
}

void note(const std::string &text) { std::fprintf(stderr, "note: %s\n", text.c_str()); }

/// Fails now rather than after hours of training.
void checkCanBeWritten(const std::string &option, const std::string &path) {
  fs::path folder = fs::path(path).parent_path();
  if (folder.empty())
    folder = ".";
  if (fs::is_directory(path))
    raise(path, ": it is a folder; give ", option, " the name of a file");
  if (access(folder.c_str(), W_OK) != 0)
    raise(path, ": its folder can't be written to: ", systemError(), "; create it, or give ",
          option, " another path");
}

class Run {
public:
  Run(const Manifest &manifest, const ProgramFunctions &functions, const Options &options,
      const std::string &folder);

  int execute();

private:
  void resume();
  void openData();
  void prepareSnapshots();
  void describe() const;
  void openLog();
  bool trainAllSteps();
  double trainStep(int64_t step);
  void fillBatch();
  void logStep(int64_t step, double loss, double learningRate);
  void validate();
  void save();
  double learningRateOf(int64_t step) const;

  const Manifest &manifest;
  const ProgramFunctions &functions;
  const Options &options;
  std::string folder;
  Arena arena;
  TrainingState state;
  Schedule schedule;
  std::optional<Samples> samples;
  std::optional<SampleOrder> order;
  std::optional<Validation> validation;
  std::optional<MemoryVerification> verification;
  std::optional<RunLog> log;
  std::optional<Progress> progress;
  int64_t lastValidated = -1, lastSaved = -1;
  bool reportedBadLoss = false;
};
} // namespace

Run::Run(const Manifest &manifest, const ProgramFunctions &functions, const Options &options,
         const std::string &folder)
    : manifest(manifest), functions(functions), options(options), folder(folder),
      arena(manifest.arenaBytes, manifest.alignment) {
  state.model = manifest.model;
  state.learningRate = manifest.learningRate;
  state.schedule = schedule.specification();
  if (options.resume.empty())
    arena.initialize(manifest, folder);
  else
    resume();
  // What the command line says goes before what the snapshot does.
  schedule = options.schedule ? *options.schedule : Schedule::parse(state.schedule);
  state.schedule = schedule.specification();
  state.steps = options.steps.value_or(state.steps);
  state.learningRate = options.learningRate.value_or(state.learningRate);
  state.seed = options.seed.value_or(state.seed);
  state.shuffled = options.shuffle.value_or(state.shuffled);
  openData();
  if (!options.validate.empty())
    validation.emplace(manifest, options.validate);
  if (options.verifyMemory && !functions.trainStepPoisoned)
    raise("the program has no step for --verify-memory; compile the model again");
  if (options.verifyMemory)
    verification.emplace(manifest, functions, arena);
  if (!options.exportPath.empty())
    checkCanBeWritten("--export", options.exportPath);
  prepareSnapshots();
  openLog();
}

void Run::resume() {
  std::vector<std::string> warnings;
  state = SnapshotFolder(options.resume).load(manifest, arena, warnings);
  for (const std::string &warning : warnings)
    note(warning + "; an older snapshot is resumed");
}

void Run::openData() {
  if (options.data.empty())
    return;
  const auto &inputs = manifest.hasTrainStep ? manifest.trainInputs : manifest.forwardInputs;
  samples.emplace(manifest, inputs, options.data);
  if (!samples->unusedTensors().empty())
    note("the model has no input named " + joined(samples->unusedTensors()) +
         "; what the data has of it is left out");
  order.emplace(samples->count(), state.shuffled, uint64_t(state.seed));
  if (state.step > 0 && state.dataSamples != samples->count())
    note(concat("the data has ", samples->count(), " samples and had ", state.dataSamples,
                " before; the run goes on at sample ", state.position % samples->count()));
  state.dataSamples = samples->count();
}

void Run::prepareSnapshots() {
  if (options.save.empty())
    return;
  std::error_code failure;
  fs::create_directories(options.save, failure);
  if (failure || access(options.save.c_str(), W_OK) != 0)
    raise(options.save, ": the folder for snapshots can't be written to",
          "; check its path and permissions");
  std::vector<int64_t> steps = SnapshotFolder(options.save).steps();
  if (!steps.empty() && steps.back() > state.step)
    raise(options.save, ": it holds a snapshot of step ", steps.back(),
          " of another run; resume it, or save to another folder");
}

void Run::openLog() {
  if (options.log.empty())
    return;
  log.emplace(options.log, /*append=*/!options.resume.empty());
  Record record = {{"model", manifest.model},
                   {"compiler", manifest.compiler},
                   {"target", manifest.target},
                   {"batch", manifest.batch},
                   {"micro_batches", manifest.microBatches},
                   {"arena_bytes", manifest.arenaBytes},
                   {"threads", lgc_num_threads()},
                   {"first_step", state.step + 1},
                   {"steps", state.steps},
                   {"seed", state.seed},
                   {"learning_rate", state.learningRate},
                   {"lr_schedule", state.schedule}};
  if (samples) {
    record["data"] = options.data;
    record["samples"] = samples->count();
    record["shuffle"] = state.shuffled;
  } else {
    record["data"] = "synthetic";
  }
  if (!options.resume.empty())
    record["resumed_from"] = options.resume;
  log->write(record);
  log->flush();
}

void Run::describe() const {
  int64_t parameters = 0, trainable = 0;
  for (const Buffer &buffer : manifest.buffers) {
    if (buffer.role != Role::Parameter)
      continue;
    parameters += *elementCount(buffer.shape);
    trainable += buffer.trainable ? *elementCount(buffer.shape) : 0;
  }
  std::printf("%s: %lld parameters, %lld trained; %s of memory for everything, %lld threads\n",
              manifest.model.c_str(), static_cast<long long>(parameters),
              static_cast<long long>(trainable), printBytes(manifest.arenaBytes).c_str(),
              static_cast<long long>(lgc_num_threads()));
  if (state.step > 0)
    std::printf("resumed after step %lld\n", static_cast<long long>(state.step));
  if (state.steps <= state.step)
    return;
  std::printf("batch of %lld", static_cast<long long>(manifest.batch));
  if (samples)
    std::printf(" from %lld samples in %s, %s", static_cast<long long>(samples->count()),
                joined(options.data).c_str(), state.shuffled ? "shuffled" : "in order");
  else
    std::printf(": SYNTHETIC, random values, the same in every step (give real ones with --data)");
  std::printf("; learning rate %g, %s; seed %lld\n", state.learningRate, state.schedule.c_str(),
              static_cast<long long>(state.seed));
}

double Run::learningRateOf(int64_t step) const {
  return state.learningRate * schedule.factor(step, state.steps);
}

void Run::fillBatch() {
  if (!samples) {
    loadSyntheticBatch(manifest, manifest.trainInputs, arena, uint64_t(state.seed));
    return;
  }
  std::vector<int64_t> indices;
  indices.reserve(size_t(manifest.batch));
  for (int64_t i = 0; i < manifest.batch; ++i)
    indices.push_back(order->at(state.position + i));
  samples->load(arena, indices);
}

double Run::trainStep(int64_t step) {
  fillBatch();
  double learningRate = learningRateOf(step);
  arena.setScalar(manifest, "lgc.learning_rate", learningRate);
  arena.setScalar(manifest, "lgc.step", step);
  arena.setScalar(manifest, "lgc.seed", state.seed);
  if (verification)
    verification->runStep(step);
  else
    functions.trainStep(arena.data());
  state.step = step;
  state.position += manifest.batch;
  double loss = arena.scalar(*manifest.find(manifest.trainLoss));
  logStep(step, loss, learningRate);
  return loss;
}

void Run::logStep(int64_t step, double loss, double learningRate) {
  if (!log)
    return;
  Record record = {{"step", step}, {"loss", loss}, {"learning_rate", learningRate}};
  for (const std::string &metric : manifest.trainMetrics) {
    // The manifest's names are those of the IR, which sets ours apart with a prefix.
    std::string prefix = "lgc.";
    bool ours = metric.compare(0, prefix.size(), prefix) == 0;
    record[ours ? metric.substr(prefix.size()) : metric] = arena.scalar(*manifest.find(metric));
  }
  record["seconds"] = progress->seconds();
  log->write(record);
}

bool Run::trainAllSteps() {
  int64_t first = state.step + 1;
  progress.emplace(first, state.steps, manifest.batch);
  double firstLoss = 0, loss = 0;
  for (int64_t step = first; step <= state.steps && !interrupted; ++step) {
    loss = trainStep(step);
    if (step == first)
      firstLoss = loss;
    progress->report(step, loss);
    if (!std::isfinite(loss) && !reportedBadLoss) {
      progress->endLine();
      note(concat("the loss of step ", step,
                  " is not finite; training goes on, but a lower "
                  "learning rate or gradient clipping may be needed"));
      reportedBadLoss = true;
    }
    if (options.validateEvery && step % *options.validateEvery == 0)
      validate();
    if (options.saveEvery && step % *options.saveEvery == 0)
      save();
  }
  progress->endLine();
  int64_t done = state.step - first + 1;
  double seconds = progress->seconds();
  std::printf("%s %lld steps in %s, %.4g samples/s: loss %.4f -> %.4f\n",
              interrupted ? "interrupted after" : "trained", static_cast<long long>(done),
              printDuration(seconds).c_str(), double(done * manifest.batch) / seconds, firstLoss,
              loss);
  if (verification)
    std::printf("%s\n", verification->summary().c_str());
  return !interrupted;
}

void Run::validate() {
  if (lastValidated == state.step)
    return;
  lastValidated = state.step;
  if (progress)
    progress->endLine();
  arena.setScalar(manifest, "lgc.step", state.step);
  arena.setScalar(manifest, "lgc.seed", state.seed);
  ValidationResult result = validation->run(arena, functions.forward);
  std::printf("validation on %lld samples:", static_cast<long long>(result.samples));
  Record values = {{"samples", result.samples}};
  if (result.loss) {
    std::printf("  loss %.4f", *result.loss);
    values["loss"] = *result.loss;
  }
  if (result.accuracy) {
    std::printf("  accuracy %.2f%%", *result.accuracy * 100);
    values["accuracy"] = *result.accuracy;
  }
  if (result.samplesWithoutLoss > 0) {
    std::printf("  (the loss leaves out the last %lld samples, which don't fill a batch)",
                static_cast<long long>(result.samplesWithoutLoss));
    values["samples_without_loss"] = result.samplesWithoutLoss;
  }
  std::printf("\n");
  std::fflush(stdout);
  if (log) {
    log->write({{"step", state.step}, {"validation", values}});
    log->flush();
  }
}

void Run::save() {
  if (lastSaved == state.step)
    return;
  lastSaved = state.step;
  SnapshotFolder(options.save).save(manifest, arena, state);
}

int Run::execute() {
  describe();
  bool completed = true;
  if (state.steps > state.step) {
    catchInterrupts();
    completed = trainAllSteps();
    if (!options.save.empty()) {
      save();
      std::printf("saved step %lld to %s\n", static_cast<long long>(state.step),
                  options.save.c_str());
    }
  }
  constexpr int interruptedStatus = 128 + SIGINT;
  if (completed) {
    if (validation)
      validate();
    if (!options.exportPath.empty()) {
      bool absolute = manifest.sourceModel[0] == '/';
      exportModel(manifest, arena,
                  absolute ? manifest.sourceModel : folder + "/" + manifest.sourceModel,
                  options.exportPath);
      std::printf("exported the trained model to %s\n", options.exportPath.c_str());
    }
  }
  if (log)
    log->flush();
  return completed ? 0 : interruptedStatus;
}

int lgc::runtime::runProgram(const Manifest &manifest, const ProgramFunctions &functions,
                             const Options &options, const std::string &folder) {
  return Run(manifest, functions, options, folder).execute();
}
