//===- Spec.cpp - Specifications like adamw(lr=3e-4) ----------------------===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "lgc/Training/Spec.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <cmath>

using namespace lgc;

static llvm::Error makeError(const llvm::Twine &message) {
  return llvm::createStringError(message);
}

llvm::Expected<Spec> Spec::parse(llvm::StringRef text) {
  Spec spec;
  llvm::StringRef rest = text.trim();
  size_t open = rest.find('(');
  spec.name = rest.take_front(open).trim().str();
  if (spec.name.empty())
    return makeError("'" + text + "' has no name; write name or name(key=value, ...)");
  if (open == llvm::StringRef::npos)
    return spec;
  spec.call = true;
  rest = rest.drop_front(open + 1).rtrim();
  if (!rest.consume_back(")") || rest.contains('(') || rest.contains(')'))
    return makeError("'" + text + "' has parentheses that don't match; write name(key=value, ...)");
  if (rest.trim().empty())
    return spec;
  llvm::SmallVector<llvm::StringRef> parts;
  rest.split(parts, ',');
  for (llvm::StringRef part : parts) {
    auto [key, value] = part.split('=');
    key = key.trim();
    value = value.trim();
    if (key.empty() || (part.contains('=') && value.empty()))
      return makeError("'" + text + "' has an empty argument; write name(key=value, ...)");
    if (llvm::is_contained(llvm::make_first_range(spec.values), key))
      return makeError("'" + text + "' gives '" + key + "' twice; keep one of them");
    if (part.contains('='))
      spec.values.push_back({key.str(), value.str()});
    else
      spec.arguments.push_back(key.str());
  }
  return spec;
}

std::optional<std::string> Spec::get(llvm::StringRef key) {
  known.push_back(key.str());
  for (const auto &[name, value] : values)
    if (name == key)
      return value;
  return std::nullopt;
}

llvm::Expected<double> Spec::getNumber(llvm::StringRef key, double otherwise) {
  std::optional<std::string> value = get(key);
  if (!value)
    return otherwise;
  double number;
  if (llvm::StringRef(*value).getAsDouble(number) || !std::isfinite(number))
    return makeError("'" + name + "' has " + key + "=" + *value +
                     ", which is no number; write one such as 0.001");
  return number;
}

llvm::Expected<int64_t> Spec::getInteger(llvm::StringRef key, int64_t otherwise) {
  std::optional<std::string> value = get(key);
  if (!value)
    return otherwise;
  int64_t number;
  if (llvm::StringRef(*value).getAsInteger(10, number))
    return makeError("'" + name + "' has " + key + "=" + *value +
                     ", which is no integer; write one such as 1");
  return number;
}

llvm::Expected<bool> Spec::getFlag(llvm::StringRef key, bool otherwise) {
  std::optional<std::string> value = get(key);
  if (!value)
    return otherwise;
  if (*value == "true" || *value == "1")
    return true;
  if (*value == "false" || *value == "0")
    return false;
  return makeError("'" + name + "' has " + key + "=" + *value + "; write true or false");
}

llvm::Error Spec::checkAllKnown() const {
  for (const auto &[key, value] : values)
    if (!llvm::is_contained(known, key))
      return makeError("'" + name + "' has no parameter '" + key + "'; " +
                       (known.empty() ? "leave it out" : "it has " + llvm::join(known, ", ")));
  return llvm::Error::success();
}
