//===- Schedule.h - Learning-rate schedules ---------------------*- C++ -*-===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef LGC_RUNTIME_SCHEDULE_H
#define LGC_RUNTIME_SCHEDULE_H

#include <cstdint>
#include <string>

namespace lgc::runtime {

/// A factor of the learning rate for every step.
///
///   constant(warmup=W)          1
///   linear(warmup=W, min=M)     1 falling to M on a line
///   cosine(warmup=W, min=M)     1 falling to M on half a wave
///
/// In the first W steps the factor rises on a line, step s having s / W; what follows
/// spans the rest: with p = (s - 1 - W) / (steps - W), linear is M + (1 - M)(1 - p) and
/// cosine M + (1 - M)(1 + cos(pi p)) / 2. W and M are 0 where they aren't given.
class Schedule {
public:
  /// Throws UsageError.
  static Schedule parse(const std::string &specification);

  /// `step` counts from 1.
  double factor(int64_t step, int64_t steps) const;
  const std::string &specification() const { return text; }

private:
  enum class Shape { Constant, Linear, Cosine };
  Shape shape = Shape::Constant;
  int64_t warmup = 0;
  double minimum = 0;
  std::string text = "constant";
};

} // namespace lgc::runtime

#endif // LGC_RUNTIME_SCHEDULE_H
