//===- Schedule.cpp - Learning-rate schedules -----------------------------===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "lgc/Runtime/Schedule.h"

#include "lgc/Runtime/Error.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <vector>

using namespace lgc::runtime;

namespace {
std::string trimmed(const std::string &text) {
  size_t begin = text.find_first_not_of(" \t");
  if (begin == std::string::npos)
    return "";
  return text.substr(begin, text.find_last_not_of(" \t") - begin + 1);
}

[[noreturn]] void refuse(const std::string &specification, const std::string &problem) {
  throw UsageError(concat("--lr-schedule ", quote(specification), ": ", problem,
                          "; write constant, linear or cosine, with parameters as in "
                          "cosine(warmup=100, min=0.1)"));
}

std::vector<std::string> split(const std::string &text) {
  std::vector<std::string> parts;
  for (size_t begin = 0; begin <= text.size();) {
    size_t comma = std::min(text.find(',', begin), text.size());
    parts.push_back(trimmed(text.substr(begin, comma - begin)));
    begin = comma + 1;
  }
  return parts;
}

template <typename T> bool parseNumber(const std::string &text, T &value) {
  const char *end = text.data() + text.size();
  auto [next, error] = std::from_chars(text.data(), end, value);
  return error == std::errc() && next == end;
}
} // namespace

Schedule Schedule::parse(const std::string &specification) {
  Schedule schedule;
  schedule.text = trimmed(specification);
  std::string name = schedule.text, parameters;
  if (size_t open = name.find('('); open != std::string::npos) {
    if (name.back() != ')')
      refuse(specification, "the parenthesis is not closed at its end");
    parameters = trimmed(name.substr(open + 1, name.size() - open - 2));
    name = trimmed(name.substr(0, open));
  }
  if (name == "constant")
    schedule.shape = Shape::Constant;
  else if (name == "linear")
    schedule.shape = Shape::Linear;
  else if (name == "cosine")
    schedule.shape = Shape::Cosine;
  else
    refuse(specification, concat("there is no schedule ", quote(name)));
  if (parameters.empty())
    return schedule;
  for (const std::string &parameter : split(parameters)) {
    size_t equals = parameter.find('=');
    if (equals == std::string::npos)
      refuse(specification, concat(quote(parameter), " is not of the form name=value"));
    std::string key = trimmed(parameter.substr(0, equals));
    std::string value = trimmed(parameter.substr(equals + 1));
    if (key == "warmup") {
      if (!parseNumber(value, schedule.warmup) || schedule.warmup < 0)
        refuse(specification, concat("warmup is ", quote(value), ", not a number of steps"));
    } else if (key == "min" && schedule.shape != Shape::Constant) {
      if (!parseNumber(value, schedule.minimum) || !(schedule.minimum >= 0) ||
          !(schedule.minimum <= 1))
        refuse(specification, concat("min is ", quote(value), ", not a factor from 0 to 1"));
    } else {
      refuse(specification, concat(name, " has no parameter ", quote(key)));
    }
  }
  return schedule;
}

double Schedule::factor(int64_t step, int64_t steps) const {
  if (step <= warmup)
    return double(step) / double(warmup);
  if (shape == Shape::Constant || steps <= warmup)
    return 1;
  double progress = std::min(1.0, double(step - 1 - warmup) / double(steps - warmup));
  double height = shape == Shape::Linear ? 1 - progress : (1 + std::cos(M_PI * progress)) / 2;
  return minimum + (1 - minimum) * height;
}
