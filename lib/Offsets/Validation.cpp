//===- Validation.cpp - Is a layout of memory blocks right? ---------------===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "lgc/Offsets/Validation.h"
#include <algorithm>
#include <map>
#include <tuple>

using namespace lgc;

static std::optional<std::string> validatePlace(const OffsetProblem &problem, const Layout &layout,
                                                size_t index) {
  const LiveBlock &block = problem.blocks[index];
  int64_t offset = layout.offsets[index];
  std::string name = "block " + std::to_string(index) + ", at " + std::to_string(offset) + ",";
  if (offset < 0)
    return name + " lies below zero";
  if (block.bytes > 0 && (offset > layout.bytes || block.bytes > layout.bytes - offset))
    return name + " ends behind the " + std::to_string(layout.bytes) + " bytes of the layout";
  if (block.fixed && offset != *block.fixed)
    return name + " is fixed at " + std::to_string(*block.fixed);
  if (!block.fixed && (offset % block.alignment != 0 || offset % problem.alignment != 0))
    return name + " is not aligned";
  return std::nullopt;
}

/// Sweeps time, with a map of what lies where.
static std::optional<std::string> validateOverlaps(const OffsetProblem &problem,
                                                   const Layout &layout) {
  struct Event {
    int64_t moment;
    bool begins;
    size_t block;
  };
  std::vector<Event> events;
  for (size_t i = 0; i < problem.blocks.size(); ++i) {
    if (problem.blocks[i].bytes == 0)
      continue;
    events.push_back({problem.blocks[i].first, true, i});
    events.push_back({problem.blocks[i].last, false, i});
  }
  std::sort(events.begin(), events.end(), [](const Event &a, const Event &b) {
    return std::make_tuple(a.moment, !a.begins, a.block) <
           std::make_tuple(b.moment, !b.begins, b.block);
  });
  std::map<int64_t, size_t> live;
  for (const Event &event : events) {
    int64_t offset = layout.offsets[event.block];
    if (!event.begins) {
      live.erase(offset);
      continue;
    }
    auto above = live.lower_bound(offset);
    const size_t *other = nullptr;
    if (above != live.end() && above->first - offset < problem.blocks[event.block].bytes)
      other = &above->second;
    else if (above != live.begin() &&
             offset - std::prev(above)->first < problem.blocks[std::prev(above)->second].bytes)
      other = &std::prev(above)->second;
    if (other)
      return "blocks " + std::to_string(*other) + " and " + std::to_string(event.block) +
             " share memory at moment " + std::to_string(event.moment);
    live[offset] = event.block;
  }
  return std::nullopt;
}

std::optional<std::string> lgc::validateLayout(const OffsetProblem &problem, const Layout &layout) {
  if (layout.offsets.size() != problem.blocks.size())
    return "there are " + std::to_string(problem.blocks.size()) + " blocks and " +
           std::to_string(layout.offsets.size()) + " offsets";
  if (layout.lowerBound > layout.bytes)
    return "the layout is smaller than its lower bound";
  for (size_t i = 0; i < problem.blocks.size(); ++i)
    if (auto fault = validatePlace(problem, layout, i))
      return fault;
  return validateOverlaps(problem, layout);
}
