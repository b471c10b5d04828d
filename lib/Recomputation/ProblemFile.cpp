//===- ProblemFile.cpp - Problems of recomputation as JSON ----------------===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "lgc/Recomputation/ProblemFile.h"

using namespace lgc::recomputation;
using namespace llvm;

static json::Array toJson(const std::vector<unsigned> &numbers) {
  json::Array array;
  for (unsigned number : numbers)
    array.push_back(number);
  return array;
}

json::Value lgc::recomputation::toJson(const Problem &problem) {
  json::Array tensors, steps;
  for (const Tensor &tensor : problem.tensors) {
    json::Object object{{"bytes", tensor.bytes}};
    if (tensor.livesAlways)
      object["always"] = true;
    if (tensor.isNeededAtEnd)
      object["end"] = true;
    tensors.push_back(std::move(object));
  }
  for (const Step &step : problem.steps) {
    json::Object object{
        {"cost", step.cost}, {"reads", ::toJson(step.reads)}, {"writes", ::toJson(step.writes)}};
    if (step.scratchBytes != 0)
      object["scratch"] = step.scratchBytes;
    if (!step.mayRepeat)
      object["repeat"] = false;
    if (!step.destroys.empty())
      object["destroys"] = ::toJson(step.destroys);
    if (!step.onceReads.empty())
      object["once_reads"] = ::toJson(step.onceReads);
    if (!step.onceWrites.empty())
      object["once_writes"] = ::toJson(step.onceWrites);
    if (!step.inPlace.empty()) {
      json::Array pairs;
      for (auto [operand, result] : step.inPlace)
        pairs.push_back(json::Array{operand, result});
      object["in_place"] = std::move(pairs);
    }
    steps.push_back(std::move(object));
  }
  return json::Object{{"tensors", std::move(tensors)}, {"steps", std::move(steps)}};
}

namespace lgc::recomputation {

static bool fromJson(const json::Value &value, std::pair<unsigned, unsigned> &pair,
                     json::Path path) {
  std::vector<unsigned> numbers;
  if (!json::fromJSON(value, numbers, path))
    return false;
  if (numbers.size() != 2) {
    path.report("expected two numbers of tensors");
    return false;
  }
  pair = {numbers[0], numbers[1]};
  return true;
}

static bool fromJSON(const json::Value &value, Tensor &tensor, json::Path path) {
  json::ObjectMapper map(value, path);
  return map && map.map("bytes", tensor.bytes) && map.mapOptional("always", tensor.livesAlways) &&
         map.mapOptional("end", tensor.isNeededAtEnd);
}

static bool fromJSON(const json::Value &value, Step &step, json::Path path) {
  json::ObjectMapper map(value, path);
  if (!map || !map.map("cost", step.cost) || !map.mapOptional("scratch", step.scratchBytes) ||
      !map.mapOptional("repeat", step.mayRepeat) || !map.mapOptional("reads", step.reads) ||
      !map.mapOptional("writes", step.writes) || !map.mapOptional("destroys", step.destroys) ||
      !map.mapOptional("once_reads", step.onceReads) ||
      !map.mapOptional("once_writes", step.onceWrites))
    return false;
  const json::Array *pairs = value.getAsObject()->getArray("in_place");
  if (!pairs)
    return true;
  for (auto [index, pair] : enumerate(*pairs))
    if (!fromJson(pair, step.inPlace.emplace_back(), path.field("in_place").index(index)))
      return false;
  return true;
}

static bool fromJSON(const json::Value &value, Problem &problem, json::Path path) {
  json::ObjectMapper map(value, path);
  return map && map.map("tensors", problem.tensors) && map.map("steps", problem.steps);
}

} // namespace lgc::recomputation

/// Whether all numbers of tensors are those of tensors, each is written once at most, and no size
/// or cost is below zero.
static bool isSound(const Problem &problem) {
  auto exist = [&](const std::vector<unsigned> &numbers) {
    return all_of(numbers, [&](unsigned number) { return number < problem.tensors.size(); });
  };
  auto isPart = [](const std::vector<unsigned> &part, const std::vector<unsigned> &whole) {
    return all_of(part, [&](unsigned tensor) { return is_contained(whole, tensor); });
  };
  std::vector<bool> isWritten(problem.tensors.size(), false);
  auto isNew = [&](unsigned tensor) {
    bool isNew = !problem.tensors[tensor].livesAlways && !isWritten[tensor];
    isWritten[tensor] = true;
    return isNew;
  };
  return all_of(problem.tensors, [](const Tensor &tensor) { return tensor.bytes >= 0; }) &&
         all_of(problem.steps, [&](const Step &step) {
           return step.cost >= 0 && step.scratchBytes >= 0 && exist(step.reads) &&
                  exist(step.writes) && exist(step.destroys) && all_of(step.writes, isNew) &&
                  isPart(step.onceReads, step.reads) && isPart(step.onceWrites, step.writes) &&
                  all_of(step.inPlace, [&](auto pair) {
                    return is_contained(step.reads, pair.first) &&
                           is_contained(step.writes, pair.second);
                  });
         });
}

Expected<Problem> lgc::recomputation::parseProblem(StringRef text) {
  auto problem = json::parse<Problem>(text, "problem");
  if (problem && !isSound(*problem))
    return createStringError("a number of a tensor doesn't exist or is written twice, or a size or "
                             "cost is negative");
  return problem;
}
