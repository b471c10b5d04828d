//===- Error.cpp - Errors that the user can act on ------------------------===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "lgc/Runtime/Error.h"

#include <cerrno>
#include <cstring>

using namespace lgc::runtime;

std::string lgc::runtime::quote(const std::string &text) {
  constexpr size_t longest = 120;
  std::string result = "'";
  for (char c : text.substr(0, longest))
    result += static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? '?' : c;
  return result + (text.size() > longest ? "...'" : "'");
}

std::string lgc::runtime::systemError() { return std::strerror(errno); }
