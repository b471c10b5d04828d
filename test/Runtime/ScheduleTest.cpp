//===- ScheduleTest.cpp - Learning rates and orders of samples ------------===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "lgc/Runtime/Schedule.h"

#include "lgc/Runtime/Error.h"
#include "lgc/Runtime/SampleOrder.h"

#include <gtest/gtest.h>

#include <set>
#include <vector>

using namespace lgc::runtime;

TEST(Schedule, Constant) {
  Schedule schedule = Schedule::parse("constant");
  EXPECT_EQ(schedule.factor(1, 10), 1);
  EXPECT_EQ(schedule.factor(10, 10), 1);
  Schedule warm = Schedule::parse(" constant ( warmup = 4 ) ");
  EXPECT_EQ(warm.factor(1, 10), 0.25);
  EXPECT_EQ(warm.factor(4, 10), 1);
  EXPECT_EQ(warm.factor(5, 10), 1);
}

TEST(Schedule, Linear) {
  Schedule schedule = Schedule::parse("linear(warmup=2, min=0.5)");
  EXPECT_EQ(schedule.factor(1, 12), 0.5);
  EXPECT_EQ(schedule.factor(3, 12), 1);
  EXPECT_DOUBLE_EQ(schedule.factor(8, 12), 0.75);
  EXPECT_DOUBLE_EQ(schedule.factor(20, 12), 0.5); // beyond the end
  EXPECT_EQ(Schedule::parse("linear").factor(1, 10), 1);
}

TEST(Schedule, Cosine) {
  Schedule schedule = Schedule::parse("cosine(min=0.1)");
  EXPECT_EQ(schedule.factor(1, 100), 1);
  EXPECT_NEAR(schedule.factor(51, 100), 0.55, 1e-12);
  EXPECT_GT(schedule.factor(100, 100), 0.1);
  EXPECT_LT(schedule.factor(100, 100), 0.101);
}

TEST(Schedule, WarmupLongerThanTheRun) {
  EXPECT_DOUBLE_EQ(Schedule::parse("cosine(warmup=100)").factor(10, 10), 0.1);
}

TEST(Schedule, RefusesWhatItDoesNotKnow) {
  for (const char *text :
       {"", "downhill", "cosine(", "cosine)", "cosine(warmup)", "cosine(warmup=-1)",
        "cosine(warmup=1.5)", "cosine(warmup=many)", "cosine(min=2)", "cosine(min=nan)",
        "cosine(speed=1)", "cosine(warmup=1,)", "constant(min=0.5)", "cosine(warmup=1))",
        "linear(warmup=99999999999999999999)"})
    EXPECT_THROW(Schedule::parse(text), UsageError) << text;
}

TEST(SampleOrder, InOrderWrapsAround) {
  SampleOrder order(5, /*shuffled=*/false, 0);
  for (int64_t position = 0; position < 12; ++position)
    EXPECT_EQ(order.at(position), position % 5);
}

TEST(SampleOrder, EveryEpochVisitsEachSampleOnce) {
  for (int64_t count : {1, 2, 3, 4, 5, 16, 17, 100, 1000, 4097}) {
    SampleOrder order(count, /*shuffled=*/true, 42);
    for (int64_t epoch = 0; epoch < 3; ++epoch) {
      std::set<int64_t> seen;
      for (int64_t i = 0; i < count; ++i)
        seen.insert(order.at(epoch * count + i));
      EXPECT_EQ(int64_t(seen.size()), count);
      EXPECT_EQ(*seen.begin(), 0);
      EXPECT_EQ(*seen.rbegin(), count - 1);
    }
  }
}

TEST(SampleOrder, EpochsAndSeedsDiffer) {
  auto epoch = [](uint64_t seed, int64_t number) {
    SampleOrder order(100, /*shuffled=*/true, seed);
    std::vector<int64_t> samples;
    for (int64_t i = 0; i < 100; ++i)
      samples.push_back(order.at(number * 100 + i));
    return samples;
  };
  EXPECT_EQ(epoch(1, 0), epoch(1, 0));
  EXPECT_NE(epoch(1, 0), epoch(1, 1));
  EXPECT_NE(epoch(1, 0), epoch(2, 0));
}

TEST(SampleOrder, SamplesComeAnywhereEquallyOften) {
  // Each of 10 samples in each of 10 places, over 10,000 epochs: about 1,000 times.
  SampleOrder order(10, /*shuffled=*/true, 7);
  std::vector<int> counts(100);
  for (int64_t position = 0; position < 100000; ++position)
    ++counts[size_t(order.at(position) * 10 + position % 10)];
  for (int count : counts)
    EXPECT_NEAR(count, 1000, 160); // over five standard deviations
}
