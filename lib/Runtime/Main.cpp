//===- Main.cpp - The main function of an emitted program -----------------===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "lgc/Runtime/Error.h"
#include "lgc/Runtime/Program.h"
#include "lgc/Runtime/Training.h"

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <new>

using namespace lgc::runtime;

namespace {
std::string programFolder() {
  std::error_code failure;
  auto path = std::filesystem::read_symlink("/proc/self/exe", failure);
  return failure ? "." : path.parent_path().string();
}

/// A launcher that starts several processes would train the same model several times.
void checkRanks() {
  for (const char *variable : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"})
    if (const char *size = std::getenv(variable))
      if (std::atoi(size) > 1)
        throw UsageError(concat("the program was compiled for 1 device and was started on ", size,
                                " ranks; start it once, or compile with --devices=", size));
}

int runMain(int argc, char **argv) {
  Manifest manifest = Manifest::parse(lgc_manifest);
  ProgramFunctions functions{manifest.hasTrainStep ? lgc_train_step : nullptr,
                             manifest.hasForward ? lgc_forward : nullptr, lgc_train_step_poisoned};
  if ((manifest.hasTrainStep && !functions.trainStep) ||
      (manifest.hasForward && !functions.forward))
    raise("the program lacks a function that its manifest names; compile the model again");
  auto options = parseOptions(argc, argv, manifest);
  if (!options)
    return 0;
  checkRanks();
  return runProgram(manifest, functions, *options, programFolder());
}
} // namespace

int main(int argc, char **argv) {
  try {
    return runMain(argc, argv);
  } catch (const UsageError &error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    return 2;
  } catch (const std::bad_alloc &) {
    std::fprintf(stderr, "error: memory is exhausted; close other programs or compile the model "
                         "with a smaller batch\n");
    return 1;
  } catch (const std::exception &error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    return 1;
  }
}
