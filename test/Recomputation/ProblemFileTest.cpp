//===- ProblemFileTest.cpp - Problems of recomputation as JSON ------------===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "lgc/Recomputation/ProblemFile.h"
#include "lgc/Recomputation/Validation.h"
#include "llvm/Support/FormatVariadic.h"
#include <gtest/gtest.h>

using namespace lgc::recomputation;

static std::string print(const Problem &problem) {
  return llvm::formatv("{0}", toJson(problem)).str();
}

/// What is wrong with a text; empty if nothing is.
static std::string findFault(llvm::StringRef text) {
  llvm::Expected<Problem> problem = parseProblem(text);
  return problem ? "" : llvm::toString(problem.takeError());
}

TEST(ProblemFile, RoundTrip) {
  Problem problem;
  problem.tensors = {{0, true, false}, {64, false, false}, {64, false, true}, {4, false, false}};
  problem.steps = {{10, 32, true, {0}, {1, 3}, {}, {}, {}, {3}},
                   {20, 0, false, {1, 0}, {2}, {0}, {{1, 2}}, {0}, {}}};
  llvm::Expected<Problem> read = parseProblem(print(problem));
  ASSERT_TRUE(bool(read)) << llvm::toString(read.takeError());
  EXPECT_EQ(print(*read), print(problem));
  Replay before = replay(problem, {0, 1}), after = replay(*read, {0, 1});
  EXPECT_EQ(before.error, "");
  EXPECT_EQ(after.peak, before.peak);
  EXPECT_EQ(replay(*read, {0, 1, 1}).error, "step 1 may not run again");
}

TEST(ProblemFile, DefaultsOfWhatIsLeftOut) {
  llvm::Expected<Problem> problem =
      parseProblem(R"({"tensors": [{"bytes": 8}], "steps": [{"cost": 1, "writes": [0]}]})");
  ASSERT_TRUE(bool(problem));
  EXPECT_TRUE(problem->steps[0].mayRepeat);
  EXPECT_FALSE(problem->tensors[0].livesAlways);
  EXPECT_EQ(problem->steps[0].scratchBytes, 0);
}

TEST(ProblemFile, FaultsAreNamed) {
  EXPECT_NE(findFault("{"), "");
  EXPECT_NE(findFault("[]"), "");
  EXPECT_NE(findFault(R"({"tensors": [{}], "steps": []})").find("bytes"), std::string::npos);
  // A tensor that doesn't exist, one written twice, one below zero, and parts that are none.
  for (const char *steps : {R"([{"cost": 1, "reads": [1]}])", R"([{"cost": 1, "writes": [0, 0]}])",
                            R"([{"cost": -1}])", R"([{"cost": 1, "once_reads": [0]}])",
                            R"([{"cost": 1, "writes": [0], "in_place": [[0, 0]]}])"})
    EXPECT_NE(
        findFault((R"({"tensors": [{"bytes": 8}], "steps": )" + llvm::Twine(steps) + "}").str()),
        "")
        << steps;
  EXPECT_NE(findFault(R"({"tensors": [{"bytes": 8}],
                          "steps": [{"cost": 1, "in_place": [[0]]}]})")
                .find("two numbers"),
            std::string::npos);
}
