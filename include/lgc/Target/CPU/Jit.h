//===- Jit.h - Programs run in the compiler's process -----------*- C++ -*-===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//
//
// The object code that an executable would be linked from, loaded into this process: how tests
// run what the compiler emits.
//
//===----------------------------------------------------------------------===//

#ifndef LGC_TARGET_CPU_JIT_H
#define LGC_TARGET_CPU_JIT_H

#include "lgc/IR/LgcAttributes.h"
#include "lgc/Target/CPU/Codegen.h"
#include <chrono>
#include <memory>
#include <string>
#include <vector>

namespace llvm::orc {
class LLJIT;
} // namespace llvm::orc

namespace lgc {

/// A named tensor in the arena of a program.
struct ProgramBuffer {
  std::string name;
  Role role;
  /// Element type as MLIR prints it (f32, i64, ui8, ...), and the shape.
  std::string elementType;
  std::vector<int64_t> shape;
  /// Bytes from the start of the arena, and bytes in all.
  int64_t offset, bytes;
};

/// Times the launches of a program in its process, one after the other.
class LaunchClock {
public:
  struct Sample {
    /// An index of `getKernels()`.
    size_t kernel;
    /// From the end of the launch before.
    int64_t nanoseconds;
  };

  void addKernel(llvm::StringRef name) { kernels.push_back(name.str()); }
  /// Forgets the samples; the first launch begins now.
  void start() {
    samples.clear();
    last = std::chrono::steady_clock::now();
  }
  void tick(size_t kernel) {
    auto now = std::chrono::steady_clock::now();
    samples.push_back(
        {kernel, std::chrono::duration_cast<std::chrono::nanoseconds>(now - last).count()});
    last = now;
  }
  /// Names of the kernels that the program launches.
  const std::vector<std::string> &getKernels() const { return kernels; }
  /// Launches since the start, in their order.
  const std::vector<Sample> &getSamples() const { return samples; }

private:
  std::vector<std::string> kernels;
  std::vector<Sample> samples;
  std::chrono::steady_clock::time_point last;
};

/// A compiled program with its arena.
class CompiledProgram {
public:
  /// Compiles a module after Memory; the module is consumed (lowered in place). Parameters and
  /// states get their initial values where these are in the module. Errors are emitted on it. A
  /// clock, which must outlive the program, times every launch.
  static mlir::FailureOr<std::unique_ptr<CompiledProgram>>
  create(mlir::ModuleOp module, const CpuTargetOptions &options, LaunchClock *clock = nullptr);
  ~CompiledProgram();

  llvm::ArrayRef<ProgramBuffer> getBuffers() const { return buffers; }
  /// Null if there is no such buffer.
  const ProgramBuffer *find(llvm::StringRef name) const;
  /// The bytes of a buffer.
  uint8_t *getAddress(const ProgramBuffer &buffer) const { return arena + buffer.offset; }
  int64_t getArenaBytes() const { return arenaBytes; }

  /// Runs an entry function by its name in the IR ("forward", "train_step"); false if the program
  /// has none.
  bool run(llvm::StringRef function);

private:
  CompiledProgram() = default;

  std::unique_ptr<llvm::orc::LLJIT> jit;
  std::vector<ProgramBuffer> buffers;
  uint8_t *arena = nullptr;
  int64_t arenaBytes = 0;
};

} // namespace lgc

#endif // LGC_TARGET_CPU_JIT_H
