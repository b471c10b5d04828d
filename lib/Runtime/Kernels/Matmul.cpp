//===- Matmul.cpp - Matrix products on oneDNN's sgemm ---------------------===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//
//
// A product is brought to as few and as large calls of sgemm as its strides allow:
// batch dimensions that A and C share become rows, summed ones become part of k. What
// is left of the batch runs in parallel, one sgemm a thread, where it is long enough to
// feed all threads, else one multi-threaded sgemm after the other.
//
// sgemm and not the matmul primitive: on AVX2 the primitive calls the same code for
// plain layouts, and needs an object per shape (docs/executable.md has the figures).
//
//===----------------------------------------------------------------------===//

#include "Kernels.h"

#include <oneapi/dnnl/dnnl.h>

#include <algorithm>
#include <cstring>

using namespace lgc::kernels;

namespace {
/// A dimension of the batch: its size, and its stride in each matrix.
struct Dimension {
  int64_t size, a, b, c;
};

struct DimensionList {
  Dimension entries[LGC_MATMUL_MAX_BATCH_RANK];
  int rank = 0;

  int64_t count() const {
    int64_t product = 1;
    for (int i = 0; i < rank; ++i)
      product *= entries[i].size;
    return product;
  }
  void erase(int index) {
    std::copy(entries + index + 1, entries + rank, entries + index);
    --rank;
  }
};

/// A matrix as sgemm takes it: row-major or transposed, with a leading dimension.
struct Operand {
  const float *base;
  char transposed;
  int64_t leading;
  /// Bytes of scratch that hold a packed copy, 0 if the matrix is used in place.
  int64_t packedBytes;
};

struct Product {
  int64_t m, n, k;
  int64_t a[2], b[2], c[2];
  /// Dimensions with an own part of C, and dimensions summed into one part of it.
  DimensionList outer, summed;
  bool empty;
};

bool mergeRows(Product &product, const Dimension &d) {
  bool rowsContinue =
      product.m == 1 || (d.a == product.m * product.a[0] && d.c == product.m * product.c[0]);
  if (d.b != 0 || !rowsContinue)
    return false;
  if (product.m == 1) {
    product.a[0] = d.a;
    product.c[0] = d.c;
  }
  product.m *= d.size;
  return true;
}

bool mergeSummed(Product &product, const Dimension &d) {
  if (product.k == 1) {
    product.a[1] = d.a;
    product.b[0] = d.b;
  } else if (d.a != product.k * product.a[1] || d.b != product.k * product.b[0]) {
    return false;
  }
  product.k *= d.size;
  return true;
}

void collapseNeighbours(DimensionList &list) {
  for (int i = list.rank - 2; i >= 0; --i) {
    Dimension &outer = list.entries[i];
    const Dimension &inner = list.entries[i + 1];
    if (outer.a != inner.a * inner.size || outer.b != inner.b * inner.size ||
        outer.c != inner.c * inner.size)
      continue;
    outer = {outer.size * inner.size, inner.a, inner.b, inner.c};
    list.erase(i + 1);
  }
}

Product normalize(const lgc_matmul_descriptor &descriptor) {
  Product product;
  product.m = descriptor.m;
  product.n = descriptor.n;
  product.k = descriptor.k;
  std::copy_n(descriptor.a_strides, 2, product.a);
  std::copy_n(descriptor.b_strides, 2, product.b);
  std::copy_n(descriptor.c_strides, 2, product.c);
  product.empty = product.m == 0 || product.n == 0;
  for (int64_t i = 0; i < descriptor.batch_rank; ++i) {
    Dimension d{descriptor.batch[i], descriptor.a_batch_strides[i], descriptor.b_batch_strides[i],
                descriptor.c_batch_strides[i]};
    if (d.size == 1)
      continue;
    DimensionList &list = d.c == 0 ? product.summed : product.outer;
    list.entries[list.rank++] = d;
    if (d.size == 0) {
      // An empty sum is 0; without an outer index nothing is written.
      if (d.c == 0)
        product.k = 0;
      else
        product.empty = true;
    }
  }
  if (product.empty || product.k == 0) {
    product.summed.rank = 0;
    return product;
  }
  collapseNeighbours(product.outer);
  collapseNeighbours(product.summed);
  while (product.outer.rank > 0 &&
         mergeRows(product, product.outer.entries[product.outer.rank - 1]))
    --product.outer.rank;
  while (product.summed.rank > 0 &&
         mergeSummed(product, product.summed.entries[product.summed.rank - 1]))
    --product.summed.rank;
  return product;
}

/// Batch elements of a matrix that differ: all but the dimensions with stride 0.
int64_t distinctCount(const Product &product, int64_t Dimension::*stride) {
  int64_t count = 1;
  for (const DimensionList *list : {&product.outer, &product.summed})
    for (int i = 0; i < list->rank; ++i)
      if (list->entries[i].*stride != 0)
        count *= list->entries[i].size;
  return count;
}

Operand describe(const Product &product, int64_t rows, int64_t columns, const int64_t *strides,
                 int64_t Dimension::*batchStride) {
  if ((columns == 1 || strides[1] == 1) && (rows == 1 || strides[0] >= columns))
    return {nullptr, 'N', rows == 1 ? columns : strides[0], 0};
  if ((rows == 1 || strides[0] == 1) && (columns == 1 || strides[1] >= rows))
    return {nullptr, 'T', columns == 1 ? rows : strides[1], 0};
  int64_t elements = distinctCount(product, batchStride) * rows * columns;
  return {nullptr, 'N', columns, alignBlock(elements * int64_t(sizeof(float)))};
}

/// Copies every distinct matrix of the operand densely to `packed`, and makes the
/// product's strides of it those of the copy.
void pack(Product &product, int64_t Dimension::*stride, const float *source, int64_t rows,
          int64_t columns, const int64_t *strides, float *packed) {
  Dimension *dimensions[2 * LGC_MATMUL_MAX_BATCH_RANK];
  int64_t sourceStrides[2 * LGC_MATMUL_MAX_BATCH_RANK];
  int rank = 0;
  for (DimensionList *list : {&product.outer, &product.summed})
    for (int i = 0; i < list->rank; ++i)
      if (list->entries[i].*stride != 0)
        dimensions[rank++] = &list->entries[i];
  int64_t matrices = 1;
  for (int i = rank - 1; i >= 0; --i) {
    sourceStrides[i] = dimensions[i]->*stride;
    dimensions[i]->*stride = matrices * rows * columns;
    matrices *= dimensions[i]->size;
  }
  parallelFor(matrices * rows, std::max<int64_t>(1, 16384 / columns),
              [&](int64_t begin, int64_t end) {
                for (int64_t line = begin; line < end; ++line) {
                  int64_t index = line / rows;
                  const float *from = source + line % rows * strides[0];
                  for (int i = rank - 1; i >= 0; --i) {
                    from += index % dimensions[i]->size * sourceStrides[i];
                    index /= dimensions[i]->size;
                  }
                  float *to = packed + line * columns;
                  for (int64_t column = 0; column < columns; ++column)
                    to[column] = from[column * strides[1]];
                }
              });
}

struct Offsets {
  int64_t a = 0, b = 0, c = 0;
};

Offsets offsetsOf(const DimensionList &list, int64_t index) {
  Offsets offsets;
  for (int i = list.rank - 1; i >= 0; --i) {
    const Dimension &d = list.entries[i];
    int64_t position = index % d.size;
    index /= d.size;
    offsets.a += position * d.a;
    offsets.b += position * d.b;
    offsets.c += position * d.c;
  }
  return offsets;
}

/// What C holds before the products are added to it.
void initialize(const Product &product, const float *bias, bool accumulate, float *c) {
  if (accumulate && !bias)
    return;
  parallelFor(product.outer.count() * product.m, std::max<int64_t>(1, 16384 / product.n),
              [&](int64_t begin, int64_t end) {
                for (int64_t line = begin; line < end; ++line) {
                  float *row = c + offsetsOf(product.outer, line / product.m).c +
                               line % product.m * product.c[0];
                  if (!bias)
                    std::memset(row, 0, size_t(product.n) * sizeof(float));
                  else if (!accumulate)
                    std::memcpy(row, bias, size_t(product.n) * sizeof(float));
                  else
                    for (int64_t column = 0; column < product.n; ++column)
                      row[column] += bias[column];
                }
              });
}

/// One sgemm per thread pays if it keeps the threads about equally busy, or if a single
/// product is too small to be worth splitting.
bool parallelOverBatch(const Product &product, int64_t matrices) {
  int64_t threads = lgc_num_threads();
  if (matrices == 1 || threads == 1)
    return false;
  int64_t rounds = (matrices + threads - 1) / threads;
  bool balanced = matrices * 10 >= rounds * threads * 8;
  return balanced || product.m * product.n * product.k < 64 * 64 * 64;
}

void multiply(const Product &product, const Operand &a, const Operand &b, float *c, float alpha,
              bool accumulate) {
  int64_t matrices = product.outer.count(), terms = product.summed.count();
  int64_t leadingC = product.m == 1 ? product.n : product.c[0];
  auto run = [&](int64_t begin, int64_t end) {
    for (int64_t index = begin; index < end; ++index) {
      Offsets outer = offsetsOf(product.outer, index);
      for (int64_t term = 0; term < terms; ++term) {
        Offsets summed = offsetsOf(product.summed, term);
        float beta = accumulate || term > 0 ? 1.0f : 0.0f;
        if (dnnl_sgemm(a.transposed, b.transposed, product.m, product.n, product.k, alpha,
                       a.base + outer.a + summed.a, a.leading, b.base + outer.b + summed.b,
                       b.leading, beta, c + outer.c, leadingC) != dnnl_success)
          fail("matmul", "oneDNN could not run sgemm; is memory exhausted?");
      }
    }
  };
  if (!parallelOverBatch(product, matrices))
    return run(0, matrices);
  int64_t work = std::max<int64_t>(1, product.m * product.n * product.k * terms);
  parallelFor(matrices, std::max<int64_t>(1, 32768 / work), run);
}

bool isValid(const lgc_matmul_descriptor &descriptor) {
  if (descriptor.m < 0 || descriptor.n < 0 || descriptor.k < 0 || descriptor.batch_rank < 0 ||
      descriptor.batch_rank > LGC_MATMUL_MAX_BATCH_RANK)
    return false;
  if (descriptor.n > 1 && descriptor.c_strides[1] != 1)
    return false;
  return descriptor.m <= 1 || descriptor.c_strides[0] >= descriptor.n;
}
} // namespace

int64_t lgc_matmul_scratch_bytes(const lgc_matmul_descriptor *descriptor) {
  if (!isValid(*descriptor))
    return -1;
  Product product = normalize(*descriptor);
  if (product.empty || product.k == 0)
    return 0;
  return describe(product, product.m, product.k, product.a, &Dimension::a).packedBytes +
         describe(product, product.k, product.n, product.b, &Dimension::b).packedBytes;
}

void lgc_matmul(const lgc_matmul_descriptor *descriptor, const void *a, const void *b, void *c,
                void *scratch) {
  lgc_matmul_bias(descriptor, a, b, nullptr, c, scratch);
}

void lgc_matmul_bias(const lgc_matmul_descriptor *descriptor, const void *a, const void *b,
                     const void *bias, void *c, void *scratch) {
  if (!isValid(*descriptor))
    fail("matmul", "its descriptor is not supported; query its scratch when compiling");
  Product product = normalize(*descriptor);
  if (product.empty)
    return;
  float *result = static_cast<float *>(c);
  bool accumulate = descriptor->accumulate != 0;
  if (bias || product.k == 0) {
    initialize(product, static_cast<const float *>(bias), accumulate, result);
    if (product.k == 0)
      return;
    accumulate = true;
  }
  lgc_num_threads();
  Operand left = describe(product, product.m, product.k, product.a, &Dimension::a);
  Operand right = describe(product, product.k, product.n, product.b, &Dimension::b);
  left.base = static_cast<const float *>(a);
  right.base = static_cast<const float *>(b);
  char *free = static_cast<char *>(scratch);
  if (left.packedBytes > 0) {
    float *packed = reinterpret_cast<float *>(free);
    pack(product, &Dimension::a, left.base, product.m, product.k, product.a, packed);
    left.base = packed;
    free += left.packedBytes;
  }
  if (right.packedBytes > 0) {
    float *packed = reinterpret_cast<float *>(free);
    pack(product, &Dimension::b, right.base, product.k, product.n, product.b, packed);
    right.base = packed;
  }
  multiply(product, left, right, result, static_cast<float>(descriptor->alpha), accumulate);
}
