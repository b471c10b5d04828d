//===- Options.cpp - The command line of an emitted program ---------------===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "lgc/Runtime/Options.h"

#include "lgc/Runtime/Error.h"

#include <CLI/CLI.hpp>

#include <charconv>
#include <iostream>
#include <limits>

using namespace lgc::runtime;

namespace {
/// A whole number that is not below `least`.
CLI::Validator wholeNumber(int64_t least) {
  constexpr int64_t most = 1'000'000'000'000'000;
  return CLI::Validator(
      [=](std::string &text) -> std::string {
        int64_t value = 0;
        const char *end = text.data() + text.size();
        auto [next, error] = std::from_chars(text.data(), end, value);
        if (error == std::errc() && next == end && value >= least && value <= most)
          return "";
        return concat(quote(text), " is not a whole number from ", least, " to ", most);
      },
      /*validator_desc=*/"");
}

CLI::Validator onOrOff() {
  return CLI::Validator(
      [](std::string &text) -> std::string {
        return text == "on" || text == "off" ? "" : concat(quote(text), " is neither on nor off");
      },
      /*validator_desc=*/"");
}

/// What only makes sense together.
void checkCombination(const Options &options, const Manifest &manifest) {
  auto require = [](bool condition, const char *message) {
    if (!condition)
      throw UsageError(message);
  };
  require(options.save.empty() ? !options.saveEvery : true,
          "--every: there is nothing to write; add --save DIR");
  require(options.validate.empty() ? !options.validateEvery : true,
          "--validate-every: there is nothing to validate on; add --validate FILE");
  require(options.validate.empty() || manifest.hasForward,
          "--validate: the program has no forward function; compile the model with one");
  require(options.exportPath.empty() || !manifest.sourceModel.empty(),
          "--export: the program's folder doesn't hold the source model; compile it again");
  require(!options.verifyMemory || manifest.hasTrainStep,
          "--verify-memory: the program has no training step; compile the model with --loss");
  if (!manifest.hasTrainStep) {
    require(!options.steps || *options.steps == 0,
            "--steps: the program only runs forward; compile the model with --loss to train it");
    return;
  }
  bool otherWork = !options.validate.empty() || !options.exportPath.empty();
  require(options.steps || otherWork || !options.resume.empty(),
          "--steps is missing; say how many steps to train, as in --steps 1000");
}
} // namespace

std::optional<Options> lgc::runtime::parseOptions(int argc, const char *const *argv,
                                                  const Manifest &manifest) {
  Options options;
  std::string schedule, shuffle;
  CLI::App app("Trains " + manifest.model + " (compiled by " + manifest.compiler + ")", "train");
  app.set_version_flag("--version", manifest.compiler + ", " + manifest.model);
  app.get_formatter()->column_width(32);
  std::string data = "Data", training = "Training", output = "Output";

  app.add_option("--data", options.data,
                 "safetensors or .npy files whose tensors are named after the inputs, the "
                 "first dimension being the sample; without it, one random batch")
      ->type_name("FILE")
      ->group(data);
  app.add_option("--shuffle", shuffle, "order of the samples: on (default) or off")
      ->type_name("on|off")
      ->check(onOrOff())
      ->group(data);
  app.add_option("--seed", options.seed, "seed of shuffling and dropout (default 0)")
      ->type_name("N")
      ->group(data);
  app.add_option("--validate", options.validate, "files to measure loss and accuracy on")
      ->type_name("FILE")
      ->group(data);
  app.add_option("--validate-every", options.validateEvery,
                 "also validate after every N steps, not only at the end")
      ->type_name("N")
      ->check(wholeNumber(1))
      ->group(data);
  app.add_option("--steps", options.steps, "number of the last step, a resumed run's included")
      ->type_name("N")
      ->check(wholeNumber(0))
      ->group(training);
  app.add_option("--lr", options.learningRate,
                 concat("learning rate (default ", manifest.learningRate, ")"))
      ->type_name("X")
      ->group(training);
  app.add_option("--lr-schedule", schedule,
                 "constant (default), linear or cosine, as in cosine(warmup=100, min=0.1)")
      ->type_name("SPEC")
      ->group(training);
  app.add_option("--log", options.log, "a JSON object a line, of every step")
      ->type_name("FILE")
      ->group(output);
  app.add_option("--save", options.save, "folder for snapshots, written at the end")
      ->type_name("DIR")
      ->group(output);
  app.add_option("--every", options.saveEvery, "also save after every N steps")
      ->type_name("N")
      ->check(wholeNumber(1))
      ->group(output);
  app.add_option("--resume", options.resume, "continue from the newest snapshot of a folder")
      ->type_name("DIR")
      ->group(output);
  app.add_option("--export", options.exportPath, "write the ONNX model with trained weights")
      ->type_name("FILE")
      ->group(output);
  app.add_flag("--verify-memory", options.verifyMemory,
               "run every step a second time with dead memory overwritten, and compare")
      ->group(training);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success &request) {
    app.exit(request, std::cout, std::cerr);
    return std::nullopt;
  } catch (const CLI::ParseError &error) {
    throw UsageError(concat(error.what(), "; --help lists the options"));
  }
  if (app.count("--lr-schedule"))
    options.schedule = Schedule::parse(schedule);
  if (!shuffle.empty())
    options.shuffle = shuffle == "on";
  if (options.learningRate &&
      !(*options.learningRate >= 0 && *options.learningRate <= std::numeric_limits<double>::max()))
    throw UsageError("--lr: it must be a number that is not negative");
  for (auto [name, value] :
       {std::make_pair("--log", &options.log), std::make_pair("--save", &options.save),
        std::make_pair("--resume", &options.resume),
        std::make_pair("--export", &options.exportPath)})
    if (app.count(name) && value->empty())
      throw UsageError(concat(name, ": its path is empty"));
  checkCombination(options, manifest);
  return options;
}
