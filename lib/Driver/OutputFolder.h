//===- OutputFolder.h - A program's folder, whole or not at all -*- C++ -*-===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef LGC_LIB_DRIVER_OUTPUTFOLDER_H
#define LGC_LIB_DRIVER_OUTPUTFOLDER_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"
#include <string>

namespace lgc {

/// A folder that is filled under another name and takes its own, in one step, when it is complete.
/// One of that name is replaced if it is a program's folder or empty, and never touched otherwise.
class OutputFolder {
public:
  static llvm::Expected<OutputFolder> create(llvm::StringRef path);
  OutputFolder(OutputFolder &&other);
  /// Removes what wasn't committed.
  ~OutputFolder();

  llvm::Error write(llvm::StringRef name, llvm::function_ref<void(llvm::raw_ostream &)> write);
  std::string getPath(llvm::StringRef name) const;
  llvm::Error commit();

private:
  OutputFolder(std::string path, std::string temporary)
      : path(std::move(path)), temporary(std::move(temporary)) {}

  std::string path, temporary;
};

/// The file that lists what programs are linked with, found beside this executable's folder. Ask
/// early: nobody finds an executable that was replaced while it ran.
std::string findLinkArguments();

/// Links an object file with the runtime into an executable.
llvm::Error linkProgram(llvm::StringRef object, llvm::StringRef linkArguments,
                        llvm::StringRef executable);

} // namespace lgc

#endif // LGC_LIB_DRIVER_OUTPUTFOLDER_H
