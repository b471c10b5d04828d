//===- OutputFolder.cpp - A program's folder, whole or not at all ---------===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "OutputFolder.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include <cstdio>

using namespace lgc;
using llvm::Error;
using llvm::SmallString;
using llvm::StringRef;
using llvm::Twine;
namespace fs = llvm::sys::fs;

static Error fail(const Twine &action, std::error_code failure, const Twine &advice) {
  return llvm::createStringError("can't " + action + ": " + failure.message() + "; " + advice);
}

/// Whether a folder holds nothing, or what an earlier run of this compiler wrote.
static bool isReplaceable(StringRef path) {
  std::error_code failure;
  fs::directory_iterator at(path, failure), end;
  if (failure)
    return false;
  SmallString<256> plan(path);
  llvm::sys::path::append(plan, "plan.json");
  return at == end || fs::exists(plan);
}

llvm::Expected<OutputFolder> OutputFolder::create(StringRef path) {
  if (fs::exists(path) && (!fs::is_directory(path) || !isReplaceable(path)))
    return llvm::createStringError(
        "'" + path + "' is there already and isn't a program's folder; choose another -o");
  SmallString<256> temporary;
  fs::createUniquePath(path + ".%%%%%%.lgc-partial", temporary, /*MakeAbsolute=*/false);
  if (std::error_code failure = fs::create_directory(temporary, /*IgnoreExisting=*/false))
    return fail("make the folder '" + Twine(temporary) + "'", failure, "choose another -o");
  return OutputFolder(path.str(), temporary.str().str());
}

OutputFolder::OutputFolder(OutputFolder &&other)
    : path(std::move(other.path)), temporary(std::move(other.temporary)) {
  other.temporary.clear();
}

OutputFolder::~OutputFolder() {
  if (!temporary.empty())
    fs::remove_directories(temporary, /*IgnoreErrors=*/true);
}

std::string OutputFolder::getPath(StringRef name) const {
  SmallString<256> file(temporary);
  llvm::sys::path::append(file, name);
  return file.str().str();
}

Error OutputFolder::write(StringRef name, llvm::function_ref<void(llvm::raw_ostream &)> write) {
  std::error_code failure;
  llvm::raw_fd_ostream stream(getPath(name), failure);
  if (!failure) {
    write(stream);
    stream.close();
    failure = stream.error();
    stream.clear_error();
  }
  if (failure)
    return fail("write '" + Twine(name) + "'", failure, "free some space or choose another -o");
  return Error::success();
}

Error OutputFolder::commit() {
  // A folder can't be renamed over one that isn't empty: the old one steps aside first.
  std::string old;
  if (fs::exists(path)) {
    old = temporary + ".old";
    if (std::error_code failure = fs::rename(path, old))
      return fail("replace '" + Twine(path) + "'", failure, "choose another -o");
  }
  if (std::error_code failure = fs::rename(temporary, path)) {
    if (!old.empty())
      fs::rename(old, path);
    return fail("make '" + Twine(path) + "'", failure, "choose another -o");
  }
  if (!old.empty())
    fs::remove_directories(old, /*IgnoreErrors=*/true);
  temporary.clear();
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Linking
//===----------------------------------------------------------------------===//

std::string lgc::findLinkArguments() {
  static int anchor;
  SmallString<256> path(fs::getMainExecutable(nullptr, &anchor));
  llvm::sys::path::remove_filename(path);
  llvm::sys::path::append(path, "..", "lib", "lgc_runtime.rsp");
  return path.str().str();
}

Error lgc::linkProgram(StringRef object, StringRef linkArguments, StringRef executable) {
  std::string compiler;
  for (StringRef name : {"clang++-22", "c++", "g++", "clang++"})
    if (auto found = llvm::sys::findProgramByName(name)) {
      compiler = *found;
      break;
    }
  if (compiler.empty())
    return llvm::createStringError("there is no C++ compiler to link the program with; install "
                                   "clang-22 or g++");
  if (!fs::exists(linkArguments))
    return llvm::createStringError("the runtime isn't built ('" + linkArguments +
                                   "' is missing); build lgc_runtime");
  std::string response = ("@" + linkArguments).str();
  llvm::SmallVector<StringRef> command = {compiler, object, response, "-o", executable};
  if (StringRef(compiler).contains("clang") && llvm::sys::findProgramByName("ld.lld-22"))
    command.push_back("-fuse-ld=lld");
  SmallString<256> log;
  if (std::error_code failure = fs::createTemporaryFile("lgc-link", "log", log))
    return fail("make a temporary file", failure, "free some space");
  llvm::FileRemover remover(log);
  std::optional<StringRef> redirects[] = {StringRef(""), StringRef(log), StringRef(log)};
  std::string message;
  int status =
      llvm::sys::ExecuteAndWait(compiler, command, std::nullopt, redirects, 0, 0, &message);
  if (status == 0)
    return Error::success();
  if (auto text = llvm::MemoryBuffer::getFile(log))
    message += (*text)->getBuffer().take_front(400).str();
  return llvm::createStringError("linking the program with " + compiler + " failed: " + message);
}
