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

/// A compiled program with its arena.
class CompiledProgram {
public:
  /// Compiles a module after Memory; the module is consumed (lowered in place). Parameters and
  /// states get their initial values where these are in the module. Errors are emitted on it.
  static mlir::FailureOr<std::unique_ptr<CompiledProgram>> create(mlir::ModuleOp module,
                                                                  const CpuTargetOptions &options);
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
