//===- CostStore.cpp - Costs of kernels that were measured ----------------===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "lgc/Calibration/CostStore.h"
#include "lgc/Runtime/Kernels.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/TargetParser/Host.h"
#include <cstdlib>

using namespace llvm;
using namespace lgc;

static constexpr StringLiteral formatName = "lgc kernel costs";
static constexpr int64_t formatVersion = 1;
/// A day; what is above was never measured.
static constexpr int64_t largestCost = int64_t(86400) * 1000 * 1000 * 1000;

/// The model's name; a hypervisor may hide it, then LLVM's name of the architecture.
static std::string getProcessor() {
  if (auto text = MemoryBuffer::getFileAsStream("/proc/cpuinfo")) {
    SmallVector<StringRef> lines;
    (*text)->getBuffer().split(lines, '\n');
    for (StringRef line : lines)
      if (auto [key, value] = line.split(':'); key.trim() == "model name")
        return value.trim().str();
  }
  return sys::getHostCPUName().str();
}

std::string lgc::describeMachine() {
  return getProcessor() + "; " + std::to_string(lgc_num_threads()) +
         " threads; lgc " LGC_VERSION ", LLVM " LLVM_VERSION_STRING;
}

std::string CostStore::getDefaultPath() {
  SmallString<128> path;
  if (const char *folder = std::getenv("XDG_CACHE_HOME"); folder && sys::path::is_absolute(folder))
    path = folder;
  else if (!sys::path::home_directory(path))
    return "";
  else
    sys::path::append(path, ".cache");
  sys::path::append(path, "lgc", "costs.json");
  return path.str().str();
}

CostStore CostStore::load(StringRef path, StringRef machine) {
  CostStore store;
  store.path = path.str();
  store.machine = machine.str();
  if (!path.empty())
    store.read();
  return store;
}

void CostStore::read() {
  auto ignore = [&](const Twine &reason) {
    warning = ("the file of costs '" + path + "' is ignored: " + reason +
               "; remove it, or give another with --costs")
                  .str();
  };
  auto text = MemoryBuffer::getFile(path, /*IsText=*/true);
  if (!text) {
    if (text.getError() != std::errc::no_such_file_or_directory)
      ignore(text.getError().message());
    return;
  }
  Expected<json::Value> parsed = json::parse((*text)->getBuffer());
  if (!parsed) {
    consumeError(parsed.takeError());
    return ignore("it isn't JSON");
  }
  json::Object *object = parsed->getAsObject();
  if (!object || object->getString("format") != StringRef(formatName))
    return ignore("it holds something else");
  if (object->getInteger("version") != formatVersion)
    return ignore("it is of another version");
  json::Object *found = object->getObject("machines");
  if (!found)
    return ignore("it names no machines");
  machines = std::move(*found);
}

std::optional<int64_t> CostStore::find(StringRef kernel) const {
  const json::Object *kernels = machines.getObject(machine);
  std::optional<int64_t> cost = kernels ? kernels->getInteger(kernel) : std::nullopt;
  if (cost && (*cost < 1 || *cost > largestCost))
    return std::nullopt;
  return cost;
}

void CostStore::set(StringRef kernel, int64_t nanoseconds) {
  json::Value &kernels = machines[json::ObjectKey(machine)];
  if (!kernels.getAsObject())
    kernels = json::Object();
  (*kernels.getAsObject())[json::ObjectKey(kernel.str())] =
      std::clamp<int64_t>(nanoseconds, 1, largestCost);
}

Error CostStore::write() const {
  if (path.empty())
    return createStringError(
        "there is no folder to remember costs in; set XDG_CACHE_HOME or give --costs=FILE");
  if (!warning.empty() && path != getDefaultPath())
    return createStringError("'" + path +
                             "' isn't a file of costs and stays; give another with --costs");
  auto refuse = [&](const Twine &reason) {
    return createStringError("can't write the costs to '" + path + "': " + reason +
                             "; give another file with --costs");
  };
  if (StringRef folder = sys::path::parent_path(path); !folder.empty())
    if (std::error_code failure = sys::fs::create_directories(folder))
      return refuse(failure.message());
  json::Value file = json::Object{
      {"format", formatName}, {"version", formatVersion}, {"machines", json::Object(machines)}};
  if (Error error = writeToOutput(path, [&](raw_ostream &stream) {
        stream << formatv("{0:2}\n", file);
        return Error::success();
      }))
    return refuse(toString(std::move(error)));
  return Error::success();
}
