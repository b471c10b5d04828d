//===- Recomputation.h - Which steps to run again ---------------*- C++ -*-===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//
//
// Given steps in an order, and a limit of memory, this says which steps run again, and when, so
// that their results needn't be kept in between. It knows plain numbers only.
//
// A plan is a sequence of steps in which each step occurs first in the given order. A read means
// the latest copy of a tensor; a copy lives from the step that makes it to the last read
// before the next copy is made. At each step, the copies that live, what it writes and its
// scratch memory must fit.
//
// The search starts from the given order. While a moment is over the limit, it takes the highest
// one and tries, for each tensor that only lives through it, to run the producer again just
// before the next read, with or without the producers of inputs that are gone by then. The
// change counts that removes most bytes over the limit, summed over moments, for a nanosecond:
// cheap steps come first, and chains between kept tensors become segments as in Chen et al.,
// "Training Deep Nets with Sublinear Memory Cost" (2016). Ranking by bytes and cost follows
// Kirisame et al., "Dynamic Tensor Rematerialization" (ICLR 2021); the problem is that of Jain et
// al., "Checkmate" (MLSys 2020), with the order given.
//
//===----------------------------------------------------------------------===//

#ifndef LGC_RECOMPUTATION_RECOMPUTATION_H
#define LGC_RECOMPUTATION_RECOMPUTATION_H

#include <cstdint>
#include <utility>
#include <vector>

namespace lgc::recomputation {

struct Tensor {
  int64_t bytes = 0;
  /// An input or parameter: readable from the start, and without cost here.
  bool livesAlways = false;
  /// Read after the last step.
  bool isNeededAtEnd = false;
};

struct Step {
  /// Estimated nanoseconds.
  int64_t cost = 0;
  /// Bytes that only this step needs.
  int64_t scratchBytes = 0;
  bool mayRepeat = true;
  /// Numbers of tensors; each tensor has one step that writes it, and no step reads its own.
  std::vector<unsigned> reads, writes;
  /// Tensors that live always until this step, which writes over them.
  std::vector<unsigned> destroys;
  /// Pairs of a read and a written tensor of the same bytes: the second lies in the memory of the
  /// first if that dies here.
  std::vector<std::pair<unsigned, unsigned>> inPlace;
  /// Of `reads` and `writes`, what a repetition does without: new values of statistics that a
  /// kernel makes beside its other results. No repetition destroys anything.
  std::vector<unsigned> onceReads = {}, onceWrites = {};
};

struct Problem {
  std::vector<Tensor> tensors;
  /// In their order; each reads what earlier ones write.
  std::vector<Step> steps;
};

struct Plan {
  /// Numbers of steps.
  std::vector<unsigned> sequence;
  /// Nanoseconds of the repetitions.
  int64_t extraCost = 0;
  /// Bytes at the highest moment.
  int64_t peak = 0;
  /// Nanoseconds: no plan within the limit repeats for less.
  int64_t lowerBound = 0;
};

/// A plan whose peak is at most `limit` bytes if the search finds one, else the lowest it met on
/// its way. The same problem gives the same plan. Problems whose steps read what is
/// neither written before nor alive give an empty sequence.
Plan planRecomputation(const Problem &problem, int64_t limit);

/// The plan with the lowest peak that the search reaches, by bisection of the limit.
Plan findMinimumPeak(const Problem &problem);

} // namespace lgc::recomputation

#endif // LGC_RECOMPUTATION_RECOMPUTATION_H
