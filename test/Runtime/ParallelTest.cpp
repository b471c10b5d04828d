//===- ParallelTest.cpp - Every element once, whatever the split ----------===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "lgc/Runtime/Kernels.h"

#include <gtest/gtest.h>

#include <atomic>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

namespace {
struct Visits {
  std::vector<std::atomic<int>> counts;
  std::mutex mutex;
  std::vector<std::pair<int64_t, int64_t>> ranges;

  explicit Visits(int64_t count) : counts(size_t(count)) {}

  static void visit(void *context, int64_t begin, int64_t end) {
    Visits &visits = *static_cast<Visits *>(context);
    for (int64_t i = begin; i < end; ++i)
      ++visits.counts[size_t(i)];
    std::lock_guard<std::mutex> lock(visits.mutex);
    visits.ranges.push_back({begin, end});
  }
};
} // namespace

TEST(ParallelFor, VisitsEveryElementOnce) {
  for (int64_t count : {1, 2, 3, 7, 64, 1000, 1001})
    for (int64_t grain : {1, 2, 10, 999, 5000}) {
      Visits visits(count);
      lgc_parallel_for(Visits::visit, &visits, count, grain);
      for (auto &visited : visits.counts)
        EXPECT_EQ(visited, 1);
      EXPECT_LE(int64_t(visits.ranges.size()), lgc_num_threads());
      for (auto [begin, end] : visits.ranges)
        EXPECT_TRUE(end - begin >= std::min(grain, count) || end == count);
    }
}

TEST(ParallelFor, EmptyLoopCallsNothing) {
  Visits visits(1);
  lgc_parallel_for(Visits::visit, &visits, 0, 1);
  lgc_parallel_for(Visits::visit, &visits, -5, 1);
  EXPECT_TRUE(visits.ranges.empty());
}

TEST(ParallelFor, RunsInlineUpToTheGrain) {
  Visits visits(100);
  lgc_parallel_for(Visits::visit, &visits, 100, 100);
  ASSERT_EQ(visits.ranges.size(), 1u);
}

TEST(ParallelFor, NestedLoopsRunInline) {
  static std::atomic<int> innerRanges;
  innerRanges = 0;
  auto outer = [](void *, int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i)
      lgc_parallel_for([](void *, int64_t, int64_t) { ++innerRanges; }, nullptr, 100, 1);
  };
  lgc_parallel_for(outer, nullptr, 8, 1);
  if (lgc_num_threads() > 1) {
    EXPECT_EQ(innerRanges, 8);
  }
}

TEST(ParallelFor, SeveralThreadsMayCallAtOnce) {
  std::vector<std::thread> callers;
  std::atomic<int> failures{0};
  for (int caller = 0; caller < 4; ++caller)
    callers.emplace_back([&] {
      for (int repeat = 0; repeat < 50; ++repeat) {
        Visits visits(500);
        lgc_parallel_for(Visits::visit, &visits, 500, 1);
        for (auto &visited : visits.counts)
          failures += visited != 1;
      }
    });
  for (std::thread &caller : callers)
    caller.join();
  EXPECT_EQ(failures, 0);
}
