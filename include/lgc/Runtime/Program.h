//===- Program.h - What emitted object code defines -------------*- C++ -*-===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

//
// The interface between an emitted program and the runtime it is linked with. The
// object code defines these symbols; docs/executable.md describes the manifest.
//
//===----------------------------------------------------------------------===//

#ifndef LGC_RUNTIME_PROGRAM_H
#define LGC_RUNTIME_PROGRAM_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// NUL-terminated JSON: the buffers of the arena, and what the functions read and write.
extern const char lgc_manifest[];

/// One step of the optimizer on the batch in the arena. A program that only runs forward
/// doesn't define it.
void lgc_train_step(uint8_t *arena) __attribute__((weak));

/// The same, with memory overwritten by NaN wherever the plan holds it for dead.
void lgc_train_step_poisoned(uint8_t *arena) __attribute__((weak));

/// The model's outputs on the batch in the arena, in inference mode, and the loss if
/// the program has one.
void lgc_forward(uint8_t *arena) __attribute__((weak));

#ifdef __cplusplus
}
#endif

#endif // LGC_RUNTIME_PROGRAM_H
