//===- CommandLine.cpp - What the user asks for ---------------------------===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "CommandLine.h"
#include "Diagnostics.h"
#include "lgc/Calibration/CostStore.h"
#include "lgc/Driver/Driver.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Path.h"
#include <cmath>
#include <utility>

using namespace mlir;
using namespace lgc;
namespace cl = llvm::cl;

bool lgc::isPassInvocation(int argc, const char *const *argv) {
  bool isOutput = false;
  for (StringRef argument : llvm::ArrayRef(argv, argc).drop_front()) {
    StringRef option = argument.ltrim('-');
    // What is written says nothing about what is read.
    if (std::exchange(isOutput, option == "o" && argument != option))
      continue;
    if (argument == "-")
      return true;
    if (!argument.starts_with("-")) {
      if (argument.ends_with(".mlir") || argument.ends_with(".mlirbc"))
        return true;
    } else if ((option.starts_with("lgc-") || option.starts_with("pass-pipeline") ||
                option.starts_with("show-dialects") || option.starts_with("list-passes"))) {
      return true;
    }
  }
  return false;
}

namespace {

/// The options; they exist only while a command line is parsed, so that they don't meet those of
/// MLIR's tools.
struct Flags {
  cl::OptionCategory category{"lgc-opt options"};
  cl::opt<std::string> input{cl::Positional, cl::desc("model.onnx"), cl::cat(category)};

#define LGC_TEXT(member, name, text, meta, initial)                                                \
  cl::opt<std::string> member{name, cl::desc(initial[0] ? text " (default: " initial ")" : text),  \
                              cl::value_desc(meta), cl::init(initial), cl::cat(category)};
#define LGC_FLAG(member, name, text) cl::opt<bool> member{name, cl::desc(text), cl::cat(category)};
  LGC_TEXT(devices, "devices", "devices to train on", "N", "1")
  LGC_TEXT(target, "target", "what to emit for: cpu", "NAME", "cpu")
  LGC_TEXT(memory, "memory", "memory limit per device, such as 512MiB", "SIZE", "")
  LGC_TEXT(cluster, "cluster", "devices and links to plan for", "NAME|FILE", "")
  LGC_TEXT(loss, "loss",
           "a scalar output's name, or cross_entropy(logits, labels), mse(output, target), ...; "
           "by default the only scalar float output",
           "SPEC", "")
  LGC_TEXT(optimizer, "optimizer", "sgd, momentum, adam, adamw, with parameters: adamw(lr=3e-4)",
           "SPEC", "adamw")
  LGC_TEXT(clipNorm, "clip-norm", "largest global norm of the gradients", "X", "")
  LGC_TEXT(frozen, "frozen", "parameters not to train: glob patterns, separated by commas",
           "PATTERNS", "")
  LGC_TEXT(batch, "batch", "global batch: the size of the inputs' symbolic first dimension", "N",
           "")
  LGC_TEXT(microBatches, "micro-batches", "micro-batches of a step", "N", "1")
  LGC_TEXT(precision, "precision", "compute type: f32", "TYPE", "f32")
  LGC_TEXT(strategy, "strategy", "restricts the planner: auto", "NAME", "auto")
  LGC_TEXT(checkpoint, "checkpoint",
           "where activations are recomputed: none, in regions given by patterns of node names or "
           "module paths, such as model.layers.*, or auto: as far as --memory makes it necessary",
           "WHERE", "auto")
  LGC_TEXT(batchnorm, "batchnorm",
           "train: batch statistics also where the model doesn't ask for them", "MODE", "model")
  LGC_TEXT(fusion, "fusion", "merge operations into kernels: on, off", "on|off", "on")
  LGC_TEXT(emit, "emit", "what to write: exe, plan, mlir", "WHAT", "exe")
  LGC_TEXT(output, "o", "output folder (--emit=exe) or file", "PATH", "")
  LGC_TEXT(costs, "costs",
           "measured costs of kernels: the file that --calibrate writes; by default in the user's "
           "cache folder",
           "FILE", "")
  LGC_TEXT(dumpStages, "dump-stages", "write the module after every stage to this folder", "DIR",
           "")
  LGC_FLAG(inference, "inference", "no training: a program with the forward function only")
  LGC_FLAG(keepTies, "keep-ties", "leave initializers that were merged as one parameter")
  LGC_FLAG(keepCuts, "keep-cuts", "leave transposed copies of an initializer apart")
  LGC_FLAG(calibrate, "calibrate", "measure the model's kernels on this machine, and remember")
  LGC_FLAG(quiet, "quiet", "print nothing but errors")
  LGC_FLAG(json, "json", "print the summary as JSON")
#undef LGC_TEXT
#undef LGC_FLAG
  cl::list<std::string> dims{"dim", cl::desc("binds a symbolic dimension"),
                             cl::value_desc("NAME=VALUE"), cl::cat(category)};
};

/// Reads the flags into a request; remembers the first fault.
class Reader {
public:
  Reader(const Flags &flags, Request &request) : flags(flags), request(request) {}
  std::optional<EarlyExit> read();

private:
  void fail(int status, const Twine &message) {
    if (!fault)
      fault = EarlyExit{status, message.str()};
  }
  int64_t readCount(const cl::opt<std::string> &option, int64_t otherwise);
  /// Fails with 2 unless the value is among the known ones, and with 1 unless it is one that works.
  void checkChoice(const cl::opt<std::string> &option, ArrayRef<StringRef> works,
                   ArrayRef<StringRef> known, StringRef reason);
  void readDims();
  void readMemory();
  void readTraining();
  void readOutput();

  const Flags &flags;
  Request &request;
  std::optional<EarlyExit> fault;
};

} // namespace

int64_t Reader::readCount(const cl::opt<std::string> &option, int64_t otherwise) {
  if (option.empty())
    return otherwise;
  int64_t value = 0;
  if (StringRef(option).getAsInteger(10, value) || value < 1) {
    fail(2, "--" + option.ArgStr + "=" + option + " isn't a positive number; give one");
    return otherwise;
  }
  return value;
}

void Reader::checkChoice(const cl::opt<std::string> &option, ArrayRef<StringRef> works,
                         ArrayRef<StringRef> known, StringRef reason) {
  StringRef value = option.getValue();
  if (llvm::is_contained(works, value))
    return;
  std::string choices = llvm::join(works, " or ");
  if (llvm::is_contained(known, value) || (known.empty() && !reason.empty()))
    return fail(1, "--" + option.ArgStr + "=" + value + " " + reason + "; use " + choices);
  fail(2, "--" + option.ArgStr + "=" + value + " isn't known; use " + choices);
}

void Reader::readDims() {
  for (const std::string &dim : flags.dims) {
    auto [name, text] = StringRef(dim).split('=');
    int64_t value = 0;
    if (name.empty() || text.getAsInteger(10, value) || value < 1)
      return fail(2, "--dim=" + dim +
                         " doesn't bind a dimension to a positive number; write "
                         "--dim NAME=VALUE");
    auto [at, isNew] = request.compilation.import.dims.try_emplace(name.str(), value);
    if (!isNew && at->second != value)
      return fail(2, "--dim binds '" + name + "' to both " + Twine(at->second) + " and " +
                         Twine(value) + "; bind it once");
  }
}

void Reader::readMemory() {
  if (flags.memory.empty())
    return;
  StringRef text = StringRef(flags.memory.getValue()).trim();
  StringRef number = text.take_while([](char c) { return llvm::isDigit(c) || c == '.'; });
  StringRef unit = text.drop_front(number.size()).trim();
  std::optional<double> scale = llvm::StringSwitch<std::optional<double>>(unit.lower())
                                    .Cases({"", "b"}, 1.0)
                                    .Cases({"k", "kb"}, 1e3)
                                    .Cases({"m", "mb"}, 1e6)
                                    .Cases({"g", "gb"}, 1e9)
                                    .Case("tb", 1e12)
                                    .Cases({"ki", "kib"}, 1024.0)
                                    .Cases({"mi", "mib"}, 1024.0 * 1024)
                                    .Cases({"gi", "gib"}, 1024.0 * 1024 * 1024)
                                    .Case("tib", 1024.0 * 1024 * 1024 * 1024)
                                    .Default(std::nullopt);
  double value = 0;
  if (!scale || number.getAsDouble(value) || value * *scale < 1 || value * *scale > 9e18)
    return fail(2, "--memory=" + flags.memory + " isn't a size; write one like 512MiB or 80GB");
  request.compilation.memoryLimit = static_cast<int64_t>(value * *scale);
}

void Reader::readTraining() {
  CompilationRequest &compilation = request.compilation;
  compilation.isInference = flags.inference;
  compilation.training.loss = flags.loss;
  compilation.training.optimizer = flags.optimizer;
  compilation.training.frozen = flags.frozen;
  compilation.training.mayCheckpoint = flags.checkpoint != "none";
  if (flags.checkpoint != "none" && flags.checkpoint != "auto")
    compilation.training.checkpoint = flags.checkpoint;
  compilation.mayRecompute = flags.checkpoint == "auto";
  compilation.training.microBatches = readCount(flags.microBatches, 1);
  if (!flags.clipNorm.empty()) {
    double norm = 0;
    if (StringRef(flags.clipNorm.getValue()).getAsDouble(norm) || !(norm > 0) ||
        !std::isfinite(norm))
      fail(2, "--clip-norm=" + flags.clipNorm + " isn't a positive number; give one");
    compilation.training.clipNorm = norm;
  }
  if (llvm::Error error = checkOptimizer(flags.optimizer))
    fail(2, "--optimizer=" + flags.optimizer + ": " + llvm::toString(std::move(error)));
  if (llvm::Error error = flags.loss.empty() ? llvm::Error::success() : checkLoss(flags.loss))
    fail(2, "--loss=" + flags.loss + ": " + llvm::toString(std::move(error)));
  if (flags.loss.getNumOccurrences() > 0 && flags.loss.empty())
    fail(2, "--loss is empty; name a scalar output or a function such as "
            "cross_entropy(logits, labels)");
  if (flags.inference && flags.loss.empty() &&
      (flags.optimizer.getNumOccurrences() > 0 || compilation.training.microBatches > 1))
    fail(2, "--inference excludes --optimizer and --micro-batches; leave them out");
}

void Reader::readOutput() {
  request.quiet = flags.quiet;
  request.json = flags.json;
  request.compilation.dumpFolder = flags.dumpStages;
  request.compilation.costsFile =
      flags.costs.empty() ? CostStore::getDefaultPath() : flags.costs.getValue();
  request.compilation.calibrate = flags.calibrate;
  checkChoice(flags.emit, {"exe", "plan", "mlir"}, {}, "");
  request.emit = flags.emit == "plan"   ? Emit::Plan
                 : flags.emit == "mlir" ? Emit::Module
                                        : Emit::Executable;
  request.output = flags.output;
  if (request.output.empty() && request.emit == Emit::Executable)
    request.output = (llvm::sys::path::stem(flags.input) + ".lgc").str();
  while (request.output.size() > 1 && llvm::sys::path::is_separator(request.output.back()))
    request.output.pop_back();
}

std::optional<EarlyExit> Reader::read() {
  if (flags.input.empty())
    fail(2, "no model is given; write lgc-opt model.onnx, or --help for the options");
  request.compilation.input = flags.input;
  if (readCount(flags.devices, 1) > 1)
    fail(1, "--devices=" + flags.devices +
                " needs plans for several devices, which this version "
                "doesn't make; use --devices=1");
  checkChoice(flags.target, {"cpu"}, {"cuda"}, "isn't emitted by this version");
  checkChoice(flags.precision, {"f32"}, {"bf16", "f16"}, "isn't emitted by this version");
  checkChoice(flags.strategy, {"auto"},
              {"ddp", "zero1", "zero2", "zero3", "megatron", "gpipe", "1f1b"},
              "needs plans for several devices, which this version doesn't make");
  if (flags.checkpoint == "all")
    fail(1,
         "--checkpoint=all would recompute every operation, which this version doesn't plan; give "
         "patterns of the modules to recompute, such as model.layers.*");
  checkChoice(flags.batchnorm, {"model", "train"}, {}, "");
  checkChoice(flags.fusion, {"on", "off"}, {}, "");
  if (!flags.cluster.empty())
    fail(1,
         "--cluster describes several devices, which this version doesn't plan for; leave it out");
  ImportOptions &import = request.compilation.import;
  import.batchnormTrain = flags.batchnorm == "train";
  import.keepTies = flags.keepTies;
  import.keepCuts = flags.keepCuts;
  request.compilation.fuse = flags.fusion == "on";
  if (int64_t batch = readCount(flags.batch, 0))
    request.compilation.batch = batch;
  readDims();
  readMemory();
  readTraining();
  readOutput();
  return fault;
}

std::optional<EarlyExit> lgc::parseCommandLine(int argc, char **argv, Request &request) {
  Flags flags;
  cl::HideUnrelatedOptions(flags.category);
  std::string faults;
  llvm::raw_string_ostream stream(faults);
  // Option names of LLVM's own can't be given, only shown by --help-hidden.
  if (!cl::ParseCommandLineOptions(argc, argv,
                                   "The large graph compiler: from an ONNX model to a native "
                                   "training program.\n",
                                   &stream)) {
    StringRef text = StringRef(faults).trim();
    text.consume_front("lgc-opt: ");
    return EarlyExit{2, makePrintable(text.split('\n').first)};
  }
  return Reader(flags, request).read();
}
