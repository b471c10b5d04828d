//===- RunLog.h - What a run reports ----------------------------*- C++ -*-===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef LGC_RUNTIME_RUNLOG_H
#define LGC_RUNTIME_RUNLOG_H

#include <nlohmann/json_fwd.hpp>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <string>

namespace lgc::runtime {

using Clock = std::chrono::steady_clock;

/// The file of --log: one JSON object a line. A line is written whole; lines of the last
/// half second may still be in memory.
class RunLog {
public:
  /// A resumed run continues the file. Throws Error.
  RunLog(const std::string &path, bool append);
  ~RunLog();
  RunLog(const RunLog &) = delete;
  RunLog &operator=(const RunLog &) = delete;

  void write(const nlohmann::ordered_json &record);
  void flush();

private:
  std::string path;
  std::string pending;
  Clock::time_point lastFlush;
  int descriptor = -1;
};

/// Progress on standard output: a line that is rewritten on a terminal, a few lines
/// otherwise.
class Progress {
public:
  Progress(int64_t firstStep, int64_t steps, int64_t batch);

  void report(int64_t step, double loss);
  /// Leaves the line, for other output or at the end.
  void endLine();
  double seconds() const;

private:
  int64_t firstStep, steps, batch;
  bool terminal, lineOpen = false;
  Clock::time_point start, lastReport;
  int64_t lastReportedStep;
};

/// Like "3.2 MiB", "1.5 GiB".
std::string printBytes(int64_t bytes);
/// Like "1:02:03" or "4.5 s".
std::string printDuration(double seconds);

} // namespace lgc::runtime

#endif // LGC_RUNTIME_RUNLOG_H
