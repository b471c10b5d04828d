//===- SnapshotTest.cpp - Whole snapshots, whatever happens ---------------===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "lgc/Runtime/Snapshot.h"

#include "TemporaryFolder.h"
#include "lgc/Runtime/AtomicFile.h"
#include "lgc/Runtime/Error.h"

#include <gtest/gtest.h>

#include <cstring>

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace lgc::runtime;

namespace {
constexpr int64_t elements = 1000;

Manifest makeManifest(int64_t size = elements) {
  Manifest manifest;
  manifest.model = "m.onnx";
  manifest.arenaBytes = 3 * size * 4;
  auto add = [&](const char *name, Role role, int64_t offset) {
    Buffer buffer;
    buffer.name = name;
    buffer.role = role;
    buffer.shape = {size};
    buffer.offset = offset;
    buffer.bytes = size * 4;
    manifest.buffers.push_back(buffer);
  };
  add("x", Role::Input, 0);
  add("w", Role::Parameter, size * 4);
  add("w.m", Role::State, 2 * size * 4);
  return manifest;
}

void fillArena(const Arena &arena, const Manifest &manifest, float value) {
  for (int64_t i = 0; i < manifest.arenaBytes / 4; ++i)
    std::memcpy(arena.data() + i * 4, &value, sizeof(value));
}

TrainingState stateOf(int64_t step) {
  TrainingState state;
  state.model = "m.onnx";
  state.step = step;
  state.position = step * 64;
  state.seed = -3;
  state.learningRate = 0.1;
  state.schedule = "cosine(warmup=3)";
  return state;
}

/// Runs in a child process that the limit on file sizes kills at that byte, or that ends
/// by itself.
template <typename Body> void runUntilByte(rlim_t bytes, Body body) {
  pid_t child = fork();
  if (child == 0) {
    rlimit limit{bytes, bytes};
    setrlimit(RLIMIT_FSIZE, &limit); // SIGXFSZ kills the process within a write
    body();
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
}
} // namespace

TEST(TrainingState, RoundTrip) {
  TrainingState state = stateOf(12);
  state.shuffled = false;
  state.learningRate = 1.0 / 3;
  auto read = TrainingState::fromJson(state.toJson());
  ASSERT_TRUE(read);
  EXPECT_EQ(read->toJson(), state.toJson());
  EXPECT_EQ(read->learningRate, state.learningRate);
  for (const char *text : {"", "{}", "[]", "{\"format\": 2}", "{\"format\": 1, \"step\": \"x\"}"})
    EXPECT_FALSE(TrainingState::fromJson(text)) << text;
}

TEST(Snapshot, RoundTrip) {
  TemporaryFolder folder;
  Manifest manifest = makeManifest();
  Arena arena(manifest.arenaBytes, 64);
  fillArena(arena, manifest, 2);
  SnapshotFolder snapshots(folder.path());
  snapshots.save(manifest, arena, stateOf(5));
  fillArena(arena, manifest, 7);
  std::vector<std::string> warnings;
  EXPECT_EQ(snapshots.load(manifest, arena, warnings).toJson(), stateOf(5).toJson());
  EXPECT_TRUE(warnings.empty());
  EXPECT_EQ(floatAt(arena.at(manifest.buffers[0]), ElementType::F32, 3), 7); // no input
  EXPECT_EQ(floatAt(arena.at(manifest.buffers[1]), ElementType::F32, 3), 2);
  EXPECT_EQ(floatAt(arena.at(manifest.buffers[2]), ElementType::F32, elements - 1), 2);
}

TEST(Snapshot, OtherModelsAreRefused) {
  TemporaryFolder folder;
  Manifest manifest = makeManifest(), other = makeManifest(elements / 2);
  Arena arena(manifest.arenaBytes, 64);
  SnapshotFolder snapshots(folder.path());
  snapshots.save(manifest, arena, stateOf(5));
  std::vector<std::string> warnings;
  EXPECT_THROW(snapshots.load(other, arena, warnings), Error);
  other = makeManifest();
  other.buffers[2].name = "w.v";
  EXPECT_THROW(snapshots.load(other, arena, warnings), Error);
  other.buffers.pop_back();
  EXPECT_THROW(snapshots.load(other, arena, warnings), Error);
}

TEST(Snapshot, FoldersWithoutOneAreRefused) {
  TemporaryFolder folder;
  Manifest manifest = makeManifest();
  Arena arena(manifest.arenaBytes, 64);
  std::vector<std::string> warnings;
  EXPECT_THROW(SnapshotFolder(folder.path() + "/absent").load(manifest, arena, warnings), Error);
  EXPECT_THROW(SnapshotFolder(folder.path()).load(manifest, arena, warnings), Error);
  folder.write("step-x.safetensors", "");
  folder.write("step-3.safetensors.lgc-partial", "");
  EXPECT_THROW(SnapshotFolder(folder.path()).load(manifest, arena, warnings), Error);
}

TEST(Snapshot, ProcessThatDiesWithinAnyWriteLeavesTheOldOne) {
  TemporaryFolder folder;
  Manifest manifest = makeManifest();
  Arena arena(manifest.arenaBytes, 64);
  SnapshotFolder snapshots(folder.path());
  fillArena(arena, manifest, 1);
  snapshots.save(manifest, arena, stateOf(1));
  fillArena(arena, manifest, 2);
  int64_t whole = int64_t(folder.read("step-000000001.safetensors").size());
  for (int64_t bytes :
       {int64_t(0), int64_t(1), int64_t(200), int64_t(3000), whole / 2, whole - 1}) {
    runUntilByte(rlim_t(bytes), [&] { snapshots.save(manifest, arena, stateOf(2)); });
    std::vector<std::string> warnings;
    Arena restored(manifest.arenaBytes, 64);
    EXPECT_EQ(snapshots.load(manifest, restored, warnings).step, 1) << bytes;
    EXPECT_EQ(floatAt(restored.at(manifest.buffers[1]), ElementType::F32, 0), 1);
    EXPECT_TRUE(warnings.empty());
  }
  runUntilByte(rlim_t(whole) + 100, [&] { snapshots.save(manifest, arena, stateOf(2)); });
  std::vector<std::string> warnings;
  EXPECT_EQ(snapshots.load(manifest, arena, warnings).step, 2);
}

TEST(AtomicFile, WithoutCommitNothingChanges) {
  TemporaryFolder folder;
  std::string path = folder.write("f", "old");
  {
    AtomicFile file(path);
    file.write("new");
  }
  EXPECT_EQ(folder.read("f"), "old");
  AtomicFile file(path);
  file.write("new");
  file.commit();
  EXPECT_EQ(folder.read("f"), "new");
  int files = 0;
  for ([[maybe_unused]] auto &entry : std::filesystem::directory_iterator(folder.path()))
    ++files;
  EXPECT_EQ(files, 1);
}

TEST(AtomicFile, FailuresAreErrors) {
  TemporaryFolder folder;
  EXPECT_THROW(AtomicFile(folder.path() + "/absent/f"), Error);
  EXPECT_THROW(AtomicFile(folder.path() + "/" + std::string(300, 'x')), Error);
  // A folder can't be replaced by a file.
  std::filesystem::create_directory(folder.path() + "/d");
  AtomicFile file(folder.path() + "/d");
  EXPECT_THROW(file.commit(), Error);
}
