//===- Diagnostics.cpp - What the user reads ------------------------------===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Diagnostics.h"
#include "mlir/IR/Location.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace lgc;

/// Lines beyond these bury the reason.
static constexpr size_t mostErrors = 24, mostNotes = 6;

std::string lgc::makePrintable(StringRef text, size_t longest) {
  std::string printable = text.take_front(longest).str();
  for (char &c : printable)
    if ((static_cast<unsigned char>(c) < 0x20 && c != '\n') || c == 0x7f)
      c = '?';
  if (text.size() > longest)
    printable += "...";
  return printable;
}

static void collectPlaces(Location location, llvm::SetVector<StringRef> &places) {
  llvm::TypeSwitch<LocationAttr>(location)
      .Case([&](NameLoc named) {
        if (!named.getName().empty())
          places.insert(named.getName());
        collectPlaces(named.getChildLoc(), places);
      })
      .Case([&](FileLineColLoc file) {
        if (!file.getFilename().empty() && file.getFilename() != "-")
          places.insert(file.getFilename());
      })
      .Case([&](CallSiteLoc call) { collectPlaces(call.getCallee(), places); })
      .Case([&](FusedLoc fused) {
        for (Location part : fused.getLocations())
          collectPlaces(part, places);
      });
}

/// The ONNX node's name and its module's path, the file's if there is no more.
static std::string describePlace(Location location) {
  llvm::SetVector<StringRef> places;
  collectPlaces(location, places);
  SmallVector<StringRef> shown(places.begin(), places.end());
  if (shown.size() > 3)
    shown.truncate(3);
  return llvm::join(shown, " in ");
}

CollectedDiagnostics::CollectedDiagnostics(MLIRContext &context) : context(context) {
  handler = context.getDiagEngine().registerHandler([&](Diagnostic &diagnostic) {
    std::string text = describePlace(diagnostic.getLocation());
    if (!text.empty())
      text += ": ";
    text = makePrintable(text + diagnostic.str());
    std::lock_guard<std::mutex> lock(mutex);
    (diagnostic.getSeverity() == DiagnosticSeverity::Error ? errors : notes).push_back(text);
    return success();
  });
}

CollectedDiagnostics::~CollectedDiagnostics() { context.getDiagEngine().eraseHandler(handler); }

static std::string joinLines(const std::vector<std::string> &lines, StringRef first, StringRef next,
                             size_t mostLines) {
  std::string text;
  llvm::SetVector<StringRef> distinct;
  for (const std::string &line : lines)
    distinct.insert(line);
  for (auto [i, line] : llvm::enumerate(distinct.getArrayRef().take_front(mostLines)))
    text += (Twine(i == 0 ? first : next) + line + "\n").str();
  if (distinct.size() > mostLines)
    text += (next + Twine(distinct.size() - mostLines) + " more\n").str();
  return text;
}

std::string CollectedDiagnostics::getErrorText() const {
  return joinLines(errors, "error: ", "  also: ", mostErrors);
}

std::string CollectedDiagnostics::getNoteText() const {
  return joinLines(notes, "note: ", "note: ", mostNotes);
}
