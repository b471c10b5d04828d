//===- Profile.h - Memory of a sequence over time ---------------*- C++ -*-===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef LGC_LIB_RECOMPUTATION_PROFILE_H
#define LGC_LIB_RECOMPUTATION_PROFILE_H

#include "lgc/Recomputation/Recomputation.h"

namespace lgc::recomputation {

/// One copy of a tensor: positions of the step that makes it and of its last read. What is needed
/// at the end lives to the position behind the last.
struct Copy {
  unsigned tensor;
  int64_t first, last;
};

/// The bytes that live at each position of a sequence. It is computed anew for each
/// sequence, in time linear in the reads and writes, and keeps its buffers between.
class Profile {
public:
  explicit Profile(const Problem &problem);

  /// False if the sequence reads what isn't there.
  bool compute(const std::vector<unsigned> &sequence);

  const std::vector<int64_t> &getBytes() const { return bytes; }
  const std::vector<Copy> &getCopies() const { return copies; }
  int64_t getPeak() const { return peak; }
  /// Bytes over the limit, summed over positions.
  int64_t getExcess(int64_t limit) const;
  /// What a step is when it runs again.
  const Step &getRepetition(unsigned number) const { return repetitions[number]; }

private:
  void addUp(const std::vector<unsigned> &sequence);

  const Problem &problem;
  std::vector<Step> repetitions;
  std::vector<bool> isDone;
  std::vector<Copy> copies;
  /// The copy of each tensor that is read now, or -1; -2 for what is destroyed.
  std::vector<int64_t> current;
  /// The copies of operands of in-place pairs, in order of the sequence.
  std::vector<std::pair<int64_t, int64_t>> inPlace;
  std::vector<int64_t> bytes;
  int64_t peak = 0;
};

} // namespace lgc::recomputation

#endif // LGC_LIB_RECOMPUTATION_PROFILE_H
