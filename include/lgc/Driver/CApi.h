/*===- CApi.h - The compiler as a shared library ------------------*- C -*-===*\
|*                                                                            *|
|* Part of lgc, the large graph compiler, under the Apache License v2.0.      *|
|* SPDX-License-Identifier: Apache-2.0                                        *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* Compiles ONNX models and runs them in this process (liblgc.so), for tests  *|
|* in other languages. Nothing touches the disk.                              *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#ifndef LGC_DRIVER_CAPI_H
#define LGC_DRIVER_CAPI_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct lgc_program lgc_program;

/* Compiles a serialized model or, with `onnx` null, the file named by the option "path". Returns null
   and an error (to be freed by lgc_free_error) where that fails. Options are a JSON object or null:

   "inference": true (the default) for the forward function only; else a training step, with
   "loss", "optimizer", "micro_batches", "clip_norm", "frozen", "checkpoint";
   "batch": N, "dims": {NAME: N}, "batchnorm_train", "keep_ties", "as_written": import options;
   "inputs": {NAME: base64 of a serialized TensorProto}: inputs that become constants;
   "fusion": true, "optimization_level": 1, "approximate_math": true. */
lgc_program *lgc_compile(const void *onnx, size_t size, const char *options, char **error);
void lgc_free(lgc_program *program);
void lgc_free_error(char *error);

/* The named tensors: inputs, parameters, states, scalars and outputs. */
int64_t lgc_num_buffers(const lgc_program *program);
const char *lgc_buffer_name(const lgc_program *program, int64_t index);
/* "input", "parameter", "state", "scalar" or "output". */
const char *lgc_buffer_role(const lgc_program *program, int64_t index);
/* Element type as in the manifest: "f32", "i64", "ui8", ... */
const char *lgc_buffer_type(const lgc_program *program, int64_t index);
int64_t lgc_buffer_rank(const lgc_program *program, int64_t index);
const int64_t *lgc_buffer_shape(const lgc_program *program, int64_t index);
int64_t lgc_buffer_bytes(const lgc_program *program, int64_t index);
/* Where it lies; contents of an output are those of the last function that computed it. */
void *lgc_buffer_data(const lgc_program *program, int64_t index);
int64_t lgc_arena_bytes(const lgc_program *program);

/* Return 0, or 1 if the program has no such function. */
int lgc_run_forward(lgc_program *program);
int lgc_run_train_step(lgc_program *program);

#ifdef __cplusplus
}
#endif

#endif /* LGC_DRIVER_CAPI_H */
