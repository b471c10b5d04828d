//===- MemoryVerificationTest.cpp - A wrong plan is found -----------------===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "lgc/Runtime/MemoryVerification.h"

#include "lgc/Runtime/Error.h"

#include <gtest/gtest.h>

#include <cstdlib>

using namespace lgc::runtime;

namespace {
/// x, w, the loss, and a temporary, one float each.
Manifest makeManifest() {
  Manifest manifest;
  manifest.arenaBytes = 256;
  manifest.alignment = 64;
  manifest.trainLoss = "loss";
  auto add = [&](const char *name, Role role, int64_t offset) {
    Buffer buffer;
    buffer.name = name;
    buffer.role = role;
    buffer.offset = offset;
    buffer.bytes = 4;
    manifest.buffers.push_back(buffer);
  };
  add("x", Role::Input, 0);
  add("w", Role::Parameter, 64);
  add("loss", Role::Output, 128);
  return manifest;
}

float &at(uint8_t *arena, int64_t offset) { return *reinterpret_cast<float *>(arena + offset); }

void step(uint8_t *arena) {
  at(arena, 192) = at(arena, 64) * at(arena, 0);
  at(arena, 128) = at(arena, 192);
  at(arena, 64) -= 0.5f;
  // A plan may write over inputs.
  at(arena, 0) = 0;
}

/// Reads the temporary before anything has written it.
void wrongStep(uint8_t *arena) {
  float old = at(arena, 192);
  step(arena);
  at(arena, 128) += old;
}

/// Leaves another parameter behind.
void wrongUpdate(uint8_t *arena) {
  step(arena);
  at(arena, 64) += 1.0f;
}

void allocatingStep(uint8_t *arena) {
  step(arena);
  // Volatile, so that no compiler sees through it.
  void *volatile memory = std::malloc(1000);
  std::free(memory);
}

class Verified : public testing::Test {
protected:
  Verified() : manifest(makeManifest()), arena(manifest.arenaBytes, manifest.alignment) {
    at(arena.data(), 0) = 3;
    at(arena.data(), 64) = 2;
    at(arena.data(), 192) = 7;
  }

  Manifest manifest;
  Arena arena;
};
} // namespace

TEST_F(Verified, RunsEachStepOnce) {
  ProgramFunctions functions{step, nullptr, step};
  MemoryVerification verification(manifest, functions, arena);
  verification.runStep(1);
  EXPECT_EQ(at(arena.data(), 128), 6);
  EXPECT_EQ(at(arena.data(), 64), 1.5f);
  EXPECT_NE(verification.summary().find("1 steps gave the same bits"), std::string::npos);
  EXPECT_NE(verification.summary().find("nothing was allocated"), std::string::npos);
}

TEST_F(Verified, FindsAnotherLoss) {
  ProgramFunctions functions{step, nullptr, wrongStep};
  MemoryVerification verification(manifest, functions, arena);
  try {
    verification.runStep(4);
    FAIL() << "the loss differs";
  } catch (const Error &error) {
    EXPECT_NE(std::string(error.what()).find("step 4 gives another 'loss'"), std::string::npos)
        << error.what();
  }
}

TEST_F(Verified, FindsAnotherParameter) {
  ProgramFunctions functions{step, nullptr, wrongUpdate};
  MemoryVerification verification(manifest, functions, arena);
  EXPECT_THROW(verification.runStep(1), Error);
}

TEST_F(Verified, CountsAllocations) {
#ifdef LGC_SANITIZED
  GTEST_SKIP() << "the sanitizer's malloc doesn't count";
#endif
  ProgramFunctions functions{allocatingStep, nullptr, step};
  MemoryVerification verification(manifest, functions, arena);
  verification.runStep(1);
  EXPECT_NE(verification.summary().find("1 times a step, 1000 bytes in all"), std::string::npos)
      << verification.summary();
}
