//===- Calibration.cpp - Kernels measured on this machine -----------------===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "lgc/Calibration/Calibration.h"
#include "lgc/IR/LgcOps.h"
#include "lgc/Target/CPU/Jit.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/xxhash.h"
#include <chrono>
#include <cstring>
#include <random>

using namespace mlir;
using namespace lgc;

// The first steps touch new memory.
static constexpr unsigned numWarmUps = 2;
static constexpr unsigned fewestSteps = 3, mostSteps = 60;
static constexpr std::chrono::seconds timeForSteps(5);

std::string lgc::getKernelKey(func::FuncOp kernel) {
  OwningOpRef<func::FuncOp> nameless(kernel.clone());
  nameless->setName("kernel");
  // Arguments' attributes stay: what may be written in place is another kernel.
  for (StringRef name :
       {StringRef("lgc.cost_ns"), StringRef("lgc.scratch_bytes"), StringRef(kMeasuredAttr)})
    nameless->getOperation()->removeDiscardableAttr(name);
  std::string text;
  llvm::raw_string_ostream stream(text);
  nameless->print(stream, OpPrintingFlags().useLocalScope());
  llvm::XXH128_hash_t hash = llvm::xxh3_128bits(llvm::arrayRefFromStringRef(text));
  return llvm::utohexstr(hash.high64, /*LowerCase=*/true, 16) +
         llvm::utohexstr(hash.low64, /*LowerCase=*/true, 16);
}

void lgc::applyCosts(ModuleOp module, const CostStore &store) {
  Builder builder(module.getContext());
  for (auto kernel : module.getOps<func::FuncOp>()) {
    if (!kernel->hasAttr(LgcDialect::kKernelAttr))
      continue;
    if (std::optional<int64_t> cost = store.find(getKernelKey(kernel))) {
      kernel->setAttr("lgc.cost_ns", builder.getI64IntegerAttr(*cost));
      kernel->setAttr(kMeasuredAttr, builder.getUnitAttr());
    }
  }
}

/// The bytes of some elements: numbers around zero, or integers of a range.
static std::string makePattern(StringRef type, int64_t bytesOfElement, double width,
                               std::pair<int64_t, int64_t> range) {
  constexpr size_t numElements = 1 << 16;
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> real(-width, width);
  std::uniform_int_distribution<int64_t> whole(range.first, std::max(range.first, range.second));
  const llvm::fltSemantics *semantics = type == "f32"    ? &llvm::APFloat::IEEEsingle()
                                        : type == "f64"  ? &llvm::APFloat::IEEEdouble()
                                        : type == "f16"  ? &llvm::APFloat::IEEEhalf()
                                        : type == "bf16" ? &llvm::APFloat::BFloat()
                                                         : nullptr;
  std::string pattern;
  for (size_t i = 0; i < numElements; ++i) {
    uint64_t bits = 0;
    if (semantics) {
      llvm::APFloat value(real(random));
      bool isInexact = false;
      value.convert(*semantics, llvm::APFloat::rmNearestTiesToEven, &isInexact);
      bits = value.bitcastToAPInt().getZExtValue();
    } else {
      bits = static_cast<uint64_t>(whole(random));
    }
    // The targets are little-endian.
    pattern.append(reinterpret_cast<const char *>(&bits), bytesOfElement);
  }
  return pattern;
}

/// Fills what the module gives no value: inputs, and parameters that lie in files.
static void fillBuffers(const CompiledProgram &program, const llvm::StringSet<> &external,
                        const InputRanges &ranges) {
  // Weights and a learning rate with which the numbers stay finite and normal.
  constexpr double inputWidth = 1, weightWidth = 0.03, scalarWidth = 1e-4;
  for (const ProgramBuffer &buffer : program.getBuffers()) {
    bool isStored = buffer.role == Role::Parameter || buffer.role == Role::State;
    if (buffer.role == Role::Output || buffer.bytes == 0 ||
        (isStored && !external.contains(buffer.name)))
      continue;
    double width = isStored ? weightWidth : buffer.role == Role::Scalar ? scalarWidth : inputWidth;
    auto range = ranges.find(buffer.name);
    int64_t numElements = 1;
    for (int64_t size : buffer.shape)
      numElements *= size;
    std::string pattern =
        makePattern(buffer.elementType, buffer.bytes / numElements, width,
                    // Steps count from 1, and truth is a bit.
                    range != ranges.end()         ? range->second
                    : buffer.role == Role::Scalar ? std::pair<int64_t, int64_t>(1, 1)
                                                  : std::pair<int64_t, int64_t>(0, 1));
    uint8_t *address = program.getAddress(buffer);
    for (int64_t at = 0; at < buffer.bytes; at += static_cast<int64_t>(pattern.size()))
      std::memcpy(address + at, pattern.data(),
                  std::min<int64_t>(pattern.size(), buffer.bytes - at));
  }
}

/// The mean over a kernel's launches in a step of each launch's median over the steps.
static std::map<std::string, int64_t> summarize(ArrayRef<std::vector<LaunchClock::Sample>> steps,
                                                ArrayRef<std::string> names) {
  std::vector<int64_t> sums(names.size(), 0), counts(names.size(), 0), times;
  for (size_t launch = 0; launch < steps.front().size(); ++launch) {
    times.clear();
    for (const std::vector<LaunchClock::Sample> &step : steps)
      times.push_back(step[launch].nanoseconds);
    std::nth_element(times.begin(), times.begin() + times.size() / 2, times.end());
    size_t kernel = steps.front()[launch].kernel;
    sums[kernel] += times[times.size() / 2];
    ++counts[kernel];
  }
  std::map<std::string, int64_t> costs;
  for (size_t kernel = 0; kernel < names.size(); ++kernel)
    if (counts[kernel] > 0)
      costs[names[kernel]] = sums[kernel] / counts[kernel];
  return costs;
}

FailureOr<std::map<std::string, int64_t>>
lgc::measureKernels(ModuleOp module, const InputRanges &ranges, const CpuTargetOptions &options) {
  llvm::StringSet<> external;
  for (auto parameter : module.getOps<ParameterOp>())
    if (isa<ExternalDataAttr>(parameter.getInitial()))
      external.insert(parameter.getSymName());
  StringRef step = module.lookupSymbol("train_step") ? "train_step" : "forward";
  LaunchClock clock;
  auto program = CompiledProgram::create(module, options, &clock);
  if (failed(program))
    return failure();
  fillBuffers(**program, external, ranges);
  std::vector<std::vector<LaunchClock::Sample>> steps;
  auto end = std::chrono::steady_clock::now() + timeForSteps;
  for (unsigned i = 0; i < numWarmUps + mostSteps; ++i) {
    if (steps.size() >= fewestSteps && std::chrono::steady_clock::now() > end)
      break;
    clock.start();
    if (!(*program)->run(step))
      return std::map<std::string, int64_t>();
    if (i >= numWarmUps)
      steps.push_back(clock.getSamples());
  }
  return summarize(steps, clock.getKernels());
}
