//===- lgc-recomputation.cpp - Plans recomputation of a JSON file ---------===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "lgc/Recomputation/ProblemFile.h"
#include "lgc/Recomputation/Validation.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/ToolOutputFile.h"
#include <chrono>

using namespace lgc;
using namespace llvm;

namespace {

enum ExitCode { Success = 0, BadInput = 1, BadUsage = 2 };

cl::OptionCategory category("Options");
cl::opt<std::string> input(cl::Positional, cl::desc("<file.json>"), cl::init("-"),
                           cl::cat(category));
cl::opt<std::string> output("o", cl::desc("Where the plan goes (default: standard output)"),
                            cl::value_desc("file"), cl::init("-"), cl::cat(category));
cl::opt<int64_t> limit("limit",
                       cl::desc("That live at most at a moment (default: as few as possible)"),
                       cl::value_desc("bytes"), cl::init(0), cl::cat(category));

int fail(ExitCode code, const Twine &message) {
  errs() << message << '\n';
  return code;
}

Error write(const recomputation::Plan &plan, double seconds) {
  std::error_code error;
  ToolOutputFile file(output, error, sys::fs::OpenFlags::OF_Text);
  if (error)
    return createStringError(output + ": cannot be written: " + error.message() +
                             "; give another path with -o");
  json::OStream writer(file.os());
  writer.object([&] {
    writer.attribute("peak", plan.peak);
    writer.attribute("extra_cost", plan.extraCost);
    writer.attribute("lower_bound", plan.lowerBound);
    writer.attribute("seconds", seconds);
    writer.attributeArray("sequence", [&] {
      for (unsigned number : plan.sequence)
        writer.value(number);
    });
  });
  file.os() << '\n';
  file.os().flush();
  if (file.os().has_error())
    return createStringError(output + ": cannot be written to the end; free some space");
  file.keep();
  return Error::success();
}

void summarize(const recomputation::Problem &problem, const recomputation::Plan &plan,
               double seconds) {
  errs() << "peak " << plan.peak << " bytes, " << plan.sequence.size() - problem.steps.size()
         << " steps repeated for " << plan.extraCost << " ns";
  if (limit > 0 && plan.peak > limit)
    errs() << ", above the limit";
  else if (limit > 0)
    errs() << ", lower bound " << plan.lowerBound << " ns";
  errs() << ", " << format("%.3f", seconds) << " s\n";
}

int run() {
  auto buffer = MemoryBuffer::getFileOrSTDIN(input, /*IsText=*/true);
  if (!buffer)
    return fail(BadInput, input + ": cannot be read: " + buffer.getError().message() +
                              "; give the path of a JSON file");
  Expected<recomputation::Problem> problem = recomputation::parseProblem((*buffer)->getBuffer());
  if (!problem)
    return fail(BadInput, input + ": " + toString(problem.takeError()) +
                              "; lgc-recompute-launches writes such files with problem-file");
  auto start = std::chrono::steady_clock::now();
  recomputation::Plan plan = limit > 0 ? recomputation::planRecomputation(*problem, limit)
                                       : recomputation::findMinimumPeak(*problem);
  std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  if (plan.sequence.empty() && !problem->steps.empty())
    return fail(BadInput, input + ": a step reads what no earlier step writes; correct the file");
  recomputation::Replay replayed = recomputation::replay(*problem, plan.sequence);
  if (!replayed.error.empty() || replayed.peak != plan.peak || replayed.extraCost != plan.extraCost)
    return fail(BadInput, input + ": the plan is wrong: " + replayed.error +
                              "; please report it with this file");
  if (Error error = write(plan, seconds.count()))
    return fail(BadInput, toString(std::move(error)));
  summarize(*problem, plan, seconds.count());
  return Success;
}

} // namespace

int main(int argc, char **argv) {
  cl::HideUnrelatedOptions(category);
  if (!cl::ParseCommandLineOptions(argc, argv, "Says which steps run again, within a limit\n",
                                   &errs()))
    return BadUsage;
  if (limit < 0)
    return fail(BadUsage, "--limit must not be negative");
  return run();
}
