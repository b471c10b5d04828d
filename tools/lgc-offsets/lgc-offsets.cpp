//===- lgc-offsets.cpp - Places blocks of memory from a CSV file ----------===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Csv.h"
#include "lgc/Offsets/Validation.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/ToolOutputFile.h"
#include <cmath>

using namespace lgc;
using namespace llvm;

namespace {

enum ExitCode { Success = 0, BadInput = 1, BadUsage = 2 };

cl::OptionCategory category("Options");
cl::opt<std::string> input(cl::Positional, cl::desc("<file.csv>"), cl::init("-"),
                           cl::cat(category));
cl::opt<std::string> output("o", cl::desc("Where the CSV goes (default: standard output)"),
                            cl::value_desc("file"), cl::init("-"), cl::cat(category));
cl::opt<int64_t> capacity("capacity", cl::desc("Stop at the first layout of at most so many bytes"),
                          cl::value_desc("bytes"), cl::init(0), cl::cat(category));
cl::opt<int64_t> alignment("alignment",
                           cl::desc("Of all offsets; sizes are rounded up to it (default: 1)"),
                           cl::value_desc("bytes"), cl::init(1), cl::cat(category));
cl::opt<double> timeLimit("time-limit",
                          cl::desc("Of the exact search, 0 for heuristics only (default: 10)"),
                          cl::value_desc("seconds"), cl::init(10), cl::cat(category));
cl::opt<bool> json("json", cl::desc("Write JSON, with the figures, instead of CSV"),
                   cl::cat(category));

int fail(ExitCode code, const Twine &message) {
  errs() << message << '\n';
  return code;
}

void writeJson(raw_ostream &os, const CsvProblem &csv, const Layout &layout) {
  json::OStream writer(os, 2);
  writer.object([&] {
    writer.attribute("bytes", layout.bytes);
    writer.attribute("lower_bound", layout.lowerBound);
    writer.attribute("optimal", layout.isOptimal());
    writer.attribute("seconds", layout.seconds);
    writer.attribute("nodes", layout.nodes);
    writer.attributeObject("offsets", [&] {
      for (auto [id, offset] : zip_equal(csv.ids, layout.offsets))
        writer.attribute(json::fixUTF8(id), offset);
    });
  });
  os << '\n';
}

void summarize(const Layout &layout) {
  double gap = layout.lowerBound == 0
                   ? 0
                   : 100.0 * static_cast<double>(layout.bytes - layout.lowerBound) /
                         static_cast<double>(layout.lowerBound);
  errs() << "bytes " << layout.bytes << ", lower bound " << layout.lowerBound << ", gap "
         << format("%.3f", gap) << "%, " << (layout.isOptimal() ? "optimal" : "not proven optimal")
         << ", " << format("%.3f", layout.seconds) << " s, " << layout.nodes << " nodes\n";
}

int run() {
  auto buffer = MemoryBuffer::getFileOrSTDIN(input, /*IsText=*/true);
  if (!buffer)
    return fail(BadInput, input + ": cannot be read: " + buffer.getError().message() +
                              "; give the path of a CSV file");
  Expected<CsvProblem> csv = readCsv(input, (*buffer)->getBuffer());
  if (!csv)
    return fail(BadInput, toString(csv.takeError()));
  csv->problem.alignment = alignment;
  if (std::optional<std::string> fault = findFault(csv->problem))
    return fail(BadInput, input + ": " + *fault + " (blocks are counted from 0); correct the file");
  OffsetOptions options;
  options.timeLimit = timeLimit;
  options.capacity = capacity;
  Layout layout = solveOffsets(csv->problem, options);
  if (std::optional<std::string> fault = validateLayout(csv->problem, layout))
    return fail(BadInput, input + ": the solver's layout is wrong: " + *fault +
                              "; please report it with this file");
  std::error_code error;
  ToolOutputFile file(output, error, sys::fs::OpenFlags::OF_Text);
  if (error)
    return fail(BadInput,
                output + ": cannot be written: " + error.message() + "; give another path with -o");
  if (json)
    writeJson(file.os(), *csv, layout);
  else
    writeCsv(file.os(), *csv, layout);
  file.os().flush();
  if (file.os().has_error())
    return fail(BadInput, output + ": cannot be written to the end; free some space");
  file.keep();
  summarize(layout);
  return Success;
}

} // namespace

int main(int argc, char **argv) {
  cl::HideUnrelatedOptions(category);
  if (!cl::ParseCommandLineOptions(argc, argv, "Places blocks of memory with known lives\n",
                                   &errs()))
    return BadUsage;
  if (!std::isfinite(timeLimit) || timeLimit < 0 || timeLimit > 1e6)
    return fail(BadUsage, "--time-limit must lie between 0 and 1,000,000 seconds");
  if (capacity < 0)
    return fail(BadUsage, "--capacity must not be negative");
  if (alignment < 1 || alignment > (int64_t(1) << 30))
    return fail(BadUsage, "--alignment must lie between 1 and 2^30");
  return run();
}
