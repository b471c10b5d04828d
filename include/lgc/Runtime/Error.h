//===- Error.h - Errors that the user can act on ----------------*- C++ -*-===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef LGC_RUNTIME_ERROR_H
#define LGC_RUNTIME_ERROR_H

#include <sstream>
#include <stdexcept>
#include <string>

namespace lgc::runtime {

/// What is wrong with the program's input, in one line that names the file and the
/// tensor, and says what to do. The main program prints it and exits with status 1.
class Error : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

/// A command line that can't be meant; exit status 2.
class UsageError : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

/// The parts as one string.
template <typename... Parts> std::string concat(const Parts &...parts) {
  std::ostringstream stream;
  (stream << ... << parts);
  return stream.str();
}

template <typename... Parts> [[noreturn]] void raise(const Parts &...parts) {
  throw Error(concat(parts...));
}

/// Text from a file, fit for a message of one line: control characters replaced, and
/// shortened.
std::string quote(const std::string &text);

/// The system's words for errno.
std::string systemError();

} // namespace lgc::runtime

#endif // LGC_RUNTIME_ERROR_H
