//===- RunLog.cpp - What a run reports ------------------------------------===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "lgc/Runtime/RunLog.h"

#include "lgc/Runtime/Error.h"

#include <nlohmann/json.hpp>

#include <cerrno>

#include <fcntl.h>
#include <unistd.h>

using namespace lgc::runtime;

namespace {
double secondsBetween(Clock::time_point from, Clock::time_point to) {
  return std::chrono::duration<double>(to - from).count();
}
} // namespace

RunLog::RunLog(const std::string &path, bool append) : path(path), lastFlush(Clock::now()) {
  int mode = append ? O_APPEND : O_TRUNC;
  descriptor = ::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | mode, 0666);
  if (descriptor < 0)
    raise(path, ": the log can't be written: ", systemError(),
          "; check that the folder exists and may be written to");
}

RunLog::~RunLog() {
  try {
    flush();
  } catch (const Error &) {
    // Reported by the flush before the end of the run, if there was one.
  }
  ::close(descriptor);
}

void RunLog::write(const nlohmann::ordered_json &record) {
  pending += record.dump(-1, ' ', /*ensure_ascii=*/false,
                         nlohmann::ordered_json::error_handler_t::replace);
  pending += '\n';
  if (secondsBetween(lastFlush, Clock::now()) > 0.5)
    flush();
}

void RunLog::flush() {
  lastFlush = Clock::now();
  size_t done = 0;
  while (done < pending.size()) {
    ssize_t written = ::write(descriptor, pending.data() + done, pending.size() - done);
    if (written < 0 && errno == EINTR)
      continue;
    if (written < 0) {
      pending.clear();
      raise(path, ": the log can't be written: ", systemError(), "; check the space on the disk");
    }
    done += size_t(written);
  }
  pending.clear();
}

Progress::Progress(int64_t firstStep, int64_t steps, int64_t batch)
    : firstStep(firstStep), steps(steps), batch(batch), terminal(isatty(STDOUT_FILENO)),
      start(Clock::now()), lastReport(start), lastReportedStep(firstStep - 1) {}

double Progress::seconds() const { return secondsBetween(start, Clock::now()); }

void Progress::report(int64_t step, double loss) {
  Clock::time_point now = Clock::now();
  double elapsed = secondsBetween(lastReport, now);
  bool atEnd = step == firstStep || step == steps;
  constexpr int64_t linesPerRun = 10;
  int64_t interval = std::max<int64_t>(1, steps / linesPerRun);
  if (!atEnd && (terminal ? elapsed < 0.2 : step % interval != 0 && elapsed < 60))
    return;
  double rate = double(step - lastReportedStep) * double(batch) / std::max(elapsed, 1e-9);
  double perStep = secondsBetween(start, now) / double(step - firstStep + 1);
  std::printf("%sstep %lld/%lld  loss %.4f  %.4g samples/s  %s left%s", terminal ? "\r\x1b[K" : "",
              static_cast<long long>(step), static_cast<long long>(steps), loss, rate,
              printDuration(perStep * double(steps - step)).c_str(), terminal ? "" : "\n");
  std::fflush(stdout);
  lineOpen = terminal;
  lastReport = now;
  lastReportedStep = step;
}

void Progress::endLine() {
  if (lineOpen)
    std::printf("\n");
  lineOpen = false;
  std::fflush(stdout);
}

std::string lgc::runtime::printBytes(int64_t bytes) {
  const char *units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  double value = double(bytes);
  size_t unit = 0;
  for (; value >= 1024 && unit + 1 < std::size(units); ++unit)
    value /= 1024;
  char text[32];
  std::snprintf(text, sizeof(text), unit == 0 ? "%.0f %s" : "%.1f %s", value, units[unit]);
  return text;
}

std::string lgc::runtime::printDuration(double seconds) {
  char text[32];
  if (seconds < 60) {
    std::snprintf(text, sizeof(text), seconds < 10 ? "%.1f s" : "%.0f s", seconds);
    return text;
  }
  auto whole = static_cast<long long>(seconds);
  std::snprintf(text, sizeof(text), "%lld:%02lld:%02lld", whole / 3600, whole / 60 % 60,
                whole % 60);
  return text;
}
