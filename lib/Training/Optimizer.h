//===- Optimizer.h - Update formulas of optimizers --------------*- C++ -*-===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef LGC_LIB_TRAINING_OPTIMIZER_H
#define LGC_LIB_TRAINING_OPTIMIZER_H

#include "lgc/IR/TensorMath.h"
#include "lgc/Training/Spec.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/GlobPattern.h"
#include <memory>

namespace lgc {

/// The values that every update of a step shares, scalars of the training step.
struct StepScalars {
  mlir::Value learningRate; // f32
  mlir::Value step;         // i64, from 1
};

/// An optimizer with its parameters.
class Optimizer {
public:
  virtual ~Optimizer() = default;

  /// From `--optimizer=`; fails with a sentence on what is wrong and one on what to do.
  static llvm::Expected<std::unique_ptr<Optimizer>> create(llvm::StringRef text);

  double getLearningRate() const { return learningRate; }

  /// Suffixes of the names of a parameter's states, all zero at first.
  virtual llvm::SmallVector<llvm::StringRef> getStates() const = 0;

  /// The factor of weight decay for a parameter.
  double getDecay(llvm::StringRef name, mlir::RankedTensorType type) const;

  /// Builds the new values of a parameter and its states. `decay` is the factor of weight decay.
  virtual mlir::Value update(TensorMath &t, const StepScalars &scalars, mlir::Value parameter,
                             mlir::Value gradient, double decay,
                             llvm::MutableArrayRef<mlir::Value> states) const = 0;

protected:
  /// Reads the parameters of this kind of optimizer.
  virtual llvm::Error read(Spec &spec) = 0;
  /// Reads what all optimizers have. `decayed` is which parameters decay by default.
  llvm::Error readCommon(Spec &spec, double rate, double decay, llvm::StringRef decayed);

private:
  llvm::Error readDecayed();

  double learningRate = 0.0;
  double weightDecay = 0.0;
  /// Which parameters decay: those of these names, or all, or those of rank 2 and more. The
  /// patterns refer to the text.
  std::string decayedText;
  llvm::SmallVector<llvm::GlobPattern> decayedNames;
  bool decaysVectors = true;
};

} // namespace lgc

#endif // LGC_LIB_TRAINING_OPTIMIZER_H
