//===- Report.cpp - What the driver prints in the end ---------------------===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Report.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using namespace lgc;
using llvm::formatv;
using llvm::json::Object;

static int64_t get(const Object &object, llvm::StringRef key) {
  return object.getInteger(key).value_or(0);
}

static std::string formatBytes(int64_t bytes) {
  double value = static_cast<double>(bytes);
  for (const char *unit : {"B", "KiB", "MiB"}) {
    if (value < 1024)
      return formatv("{0:F1} {1}", value, unit).str();
    value /= 1024;
  }
  return formatv("{0:F2} GiB", value).str();
}

static std::string formatCount(int64_t count) {
  if (count < 10000)
    return std::to_string(count);
  return count < 10000000 ? formatv("{0:F1} k", count / 1e3).str()
                          : formatv("{0:F1} M", count / 1e6).str();
}

void lgc::printTable(const Object &summary, llvm::StringRef output, const Stopwatch &watch) {
  llvm::raw_ostream &out = llvm::outs();
  const Object &parameters = *summary.getObject("parameters");
  const Object &memory = *summary.getObject("memory");
  int64_t arena = get(memory, "arena_bytes"), bound = get(memory, "lower_bound_bytes");
  out << "model    " << *summary.getString("model") << ": "
      << formatCount(get(parameters, "elements")) << " parameters in " << get(parameters, "tensors")
      << " tensors\n";
  out << "plan     1 device (" << *summary.getString("target") << "), batch "
      << get(summary, "batch") << " in " << get(summary, "micro_batches") << " micro-batch"
      << (get(summary, "micro_batches") == 1 ? "" : "es") << ", " << *summary.getString("precision")
      << "\n";
  out << "memory   " << formatBytes(arena) << ": parameters "
      << formatBytes(get(memory, "parameter_bytes")) << ", states "
      << formatBytes(get(memory, "state_bytes")) << ", inputs "
      << formatBytes(get(memory, "input_bytes")) << ", temporaries "
      << formatBytes(get(memory, "temporary_bytes")) << "; "
      << formatv("{0:F2}", bound ? 100.0 * double(arena - bound) / double(bound) : 0.0)
      << " % above the lower bound\n";
  out << "step     " << get(summary, "launches") << " launches, " << get(summary, "kernels")
      << " different kernels";
  const Object &recomputation = *summary.getObject("recomputation");
  if (int64_t repeated = get(recomputation, "launches"))
    out << "; " << repeated << " recomputed, which takes "
        << formatv("{0:F1}", 100 * recomputation.getNumber("extra_time").value_or(0))
        << " % more time (estimated)";
  out << "\n";
  const Object &costs = *summary.getObject("costs");
  out << "         predicted step time "
      << formatv("{0:F1} ms", 1e3 * summary.getNumber("predicted_step_seconds").value_or(0)) << "; "
      << get(costs, "measured") << " of " << get(costs, "kernels") << " kernels measured";
  if (double seconds = costs.getNumber("calibration_seconds").value_or(0))
    out << " (calibration took " << formatv("{0:F1} s", seconds) << ")";
  else if (get(costs, "measured") < get(costs, "kernels"))
    out << ", the others estimated (--calibrate measures them)";
  out << "\n";
  out << "time     " << formatv("{0:F2} s", watch.total()) << " (";
  const char *separator = "";
  for (const Stopwatch::Lap &lap : watch.getLaps()) {
    out << separator << lap.name << " " << formatv("{0:F2}", lap.seconds);
    separator = ", ";
  }
  out << ")\n";
  out << "written  " << output << "/train, plan.json, step.mlir\n";
}

void lgc::printJson(const Object &summary, llvm::StringRef output, const Stopwatch &watch) {
  Object printed(summary);
  printed["output"] = output;
  Object seconds{{"total", watch.total()}};
  for (const Stopwatch::Lap &lap : watch.getLaps())
    seconds[lap.name] = lap.seconds;
  printed["seconds"] = std::move(seconds);
  llvm::outs() << llvm::json::Value(std::move(printed)) << "\n";
}
