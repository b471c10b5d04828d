//===- Kernels.h - Functions that emitted code calls -------------*- C++ -*-===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//
//
// The C interface between emitted kernels and the library lgc_kernels: parallel
// loops, matrix products and convolutions. The compiler links the same library, so
// that a program run in process calls the same code.
//
// Descriptors hold 8-byte fields only, without padding: emitted code may hold one as a
// constant array of i64. Unused entries of arrays, and unused fields, are zero.
//
// A library kernel may need scratch memory, which the compiler places in the arena. It
// asks the kernel's query function how many bytes, writes the answer to the
// descriptor's `scratch_bytes`, and passes memory of that size, aligned to 64 bytes, to
// each call. A query returns -1 for a descriptor that the kernel can't run. The need
// depends on the processor and the number of threads; a program that runs where it is
// larger than planned says so and allocates that kernel's scratch itself, once.
//
// Pointers of different arguments must not overlap. Calls from several threads are
// safe, and run one after the other.
//
//===----------------------------------------------------------------------===//

#ifndef LGC_RUNTIME_KERNELS_H
#define LGC_RUNTIME_KERNELS_H

#include <stdint.h>

// NOLINTBEGIN(readability-identifier-naming): the names of C
#ifdef __cplusplus
extern "C" {
#endif

//===----------------------------------------------------------------------===//
// Parallel loops
//===----------------------------------------------------------------------===//

/// Calls `body(context, begin, end)` on disjoint ranges that cover [0, count), split
/// evenly over the threads of the pool that the library kernels use as well. The split
/// depends only on `count`, `grain` and the number of threads: every range but the last
/// has at least `grain` elements. Runs as one call on the calling thread if `count <=
/// grain`, there is one thread, or the caller is itself in a parallel loop.
void lgc_parallel_for(void (*body)(void *context, int64_t begin, int64_t end), void *context,
                      int64_t count, int64_t grain);

/// Threads that kernels use: LGC_NUM_THREADS, else OMP_NUM_THREADS, else one for each
/// core that this process may run on.
int64_t lgc_num_threads(void);

//===----------------------------------------------------------------------===//
// Output
//===----------------------------------------------------------------------===//

/// Writes a line of this many bytes to the standard output, at once.
void lgc_print(const char *text, int64_t bytes);

//===----------------------------------------------------------------------===//
// Matrix products
//===----------------------------------------------------------------------===//

enum { LGC_MATMUL_MAX_BATCH_RANK = 6 };

/// C[b] = alpha * A[b] B[b] (+ bias) (+ C[b] if accumulate), in float32, for every
/// index b of the batch; A is m x k, B is k x n, C is m x n.
///
/// Strides count elements. They're arbitrary for A and B: a transposed operand is one
/// whose column stride is greater than its row stride, and 0 in a batch dimension
/// broadcasts. An operand neither of whose last two strides is 1 is copied to scratch
/// first. C's column stride must be 1. A batch stride of 0 in C sums over that
/// dimension.
typedef struct lgc_matmul_descriptor {
  int64_t m, n, k;
  int64_t batch_rank;
  int64_t batch[LGC_MATMUL_MAX_BATCH_RANK];
  int64_t a_batch_strides[LGC_MATMUL_MAX_BATCH_RANK];
  int64_t b_batch_strides[LGC_MATMUL_MAX_BATCH_RANK];
  int64_t c_batch_strides[LGC_MATMUL_MAX_BATCH_RANK];
  int64_t a_strides[2]; // row, column
  int64_t b_strides[2];
  int64_t c_strides[2];
  double alpha;
  int64_t accumulate; // 0 or 1
  int64_t scratch_bytes;
} lgc_matmul_descriptor;

int64_t lgc_matmul_scratch_bytes(const lgc_matmul_descriptor *descriptor);

void lgc_matmul(const lgc_matmul_descriptor *descriptor, const void *a, const void *b, void *c,
                void *scratch);

/// The same, with bias[n] added to every row of C.
void lgc_matmul_bias(const lgc_matmul_descriptor *descriptor, const void *a, const void *b,
                     const void *bias, void *c, void *scratch);

//===----------------------------------------------------------------------===//
// Convolutions
//===----------------------------------------------------------------------===//

enum { LGC_CONV_MAX_SPATIAL_RANK = 3 };

/// How activations (input, output and their gradients) lie in memory. Weights are
/// always dense [out_channels, in_channels / groups, kernel...].
enum lgc_activation_layout {
  LGC_CHANNELS_FIRST = 0, // [batch, channels, spatial...]
  LGC_CHANNELS_LAST = 1,  // [batch, spatial..., channels]
};

/// A convolution in float32, as ONNX defines it, on dense activations.
typedef struct lgc_conv_descriptor {
  int64_t spatial_rank; // 1 to 3
  int64_t layout;       // lgc_activation_layout
  int64_t batch, groups, in_channels, out_channels;
  int64_t input[LGC_CONV_MAX_SPATIAL_RANK];
  int64_t output[LGC_CONV_MAX_SPATIAL_RANK];
  int64_t kernel[LGC_CONV_MAX_SPATIAL_RANK];
  int64_t strides[LGC_CONV_MAX_SPATIAL_RANK];
  int64_t dilations[LGC_CONV_MAX_SPATIAL_RANK]; // 1: neighbouring elements
  int64_t pads_begin[LGC_CONV_MAX_SPATIAL_RANK];
  int64_t pads_end[LGC_CONV_MAX_SPATIAL_RANK];
  int64_t has_bias; // forward reads, backward_weights writes a bias of out_channels
  int64_t scratch_bytes;
} lgc_conv_descriptor;

int64_t lgc_conv_forward_scratch_bytes(const lgc_conv_descriptor *descriptor);
int64_t lgc_conv_backward_data_scratch_bytes(const lgc_conv_descriptor *descriptor);
int64_t lgc_conv_backward_weights_scratch_bytes(const lgc_conv_descriptor *descriptor);

/// `bias` is null unless has_bias.
void lgc_conv_forward(const lgc_conv_descriptor *descriptor, const void *input, const void *weights,
                      const void *bias, void *output, void *scratch);

/// The gradient of the input; has_bias must be 0.
void lgc_conv_backward_data(const lgc_conv_descriptor *descriptor, const void *output_gradient,
                            const void *weights, void *input_gradient, void *scratch);

/// The gradients of the weights and, with has_bias, of the bias.
void lgc_conv_backward_weights(const lgc_conv_descriptor *descriptor, const void *input,
                               const void *output_gradient, void *weights_gradient,
                               void *bias_gradient, void *scratch);

#ifdef __cplusplus
}
#endif
// NOLINTEND(readability-identifier-naming)

#endif // LGC_RUNTIME_KERNELS_H
