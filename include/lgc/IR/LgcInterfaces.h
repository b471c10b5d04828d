//===- LgcInterfaces.h - What every lgc operation declares ------*- C++ -*-===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef LGC_IR_LGCINTERFACES_H
#define LGC_IR_LGCINTERFACES_H

#include "lgc/IR/LgcAttributes.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace lgc {

/// Gives the scalar of compute type of an operand at indices of type index.
using ElementReader = llvm::function_ref<mlir::Value(unsigned operand, mlir::ValueRange indices)>;

/// The type in which elements are computed: f32 for f16 and bf16, signless for unsigned
/// integers, else the element type itself.
mlir::Type getComputeType(mlir::Type elementType);

/// The rule of an operation without one of its own: elementwise operations pass every dimension
/// through, others need every dimension whole.
ShardingRuleAttr getDefaultShardingRule(mlir::Operation *op);

/// One FLOP for each point of the operation's loops.
int64_t getDefaultFlops(mlir::Operation *op);

/// Bytes of an element in memory; a boolean takes one.
int64_t getElementBytes(mlir::Type elementType);

/// Bytes of tensors in memory.
int64_t getTensorBytes(mlir::TypeRange types);

/// The value that a chain of views sees.
mlir::Value getRoot(mlir::Value value);

/// Whether an integer type's bits are read without a sign; booleans' are.
bool isUnsignedElement(mlir::Type elementType);

/// The standard output: what writes to it stays, and stays in order.
struct ConsoleResource : mlir::SideEffects::Resource::Base<ConsoleResource> {
  llvm::StringRef getName() final { return "console"; }
};

namespace OpTrait {
/// The derivative is zero wherever it exists: autodiff stops there without an error.
template <typename ConcreteType>
class ZeroGradient : public mlir::OpTrait::TraitBase<ConcreteType, ZeroGradient> {};
} // namespace OpTrait

} // namespace lgc

#include "lgc/IR/LgcInterfaces.h.inc"

#endif // LGC_IR_LGCINTERFACES_H
