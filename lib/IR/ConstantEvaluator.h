//===- ConstantEvaluator.h - Folding of constant tensors --------*- C++ -*-===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef LGC_LIB_IR_CONSTANTEVALUATOR_H
#define LGC_LIB_IR_CONSTANTEVALUATOR_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace lgc {

/// One element of a constant: a double for floating-point types (exact for all of them), else
/// an integer of the type's width.
struct ConstantElement {
  double number = 0.0;
  llvm::APInt bits;
};

/// Floating-point constants of more elements are folded only where that makes no new data (splats):
/// weights stay what they are.
constexpr int64_t maxFoldedElements = 1 << 16;

/// Whether folding may make a constant of this type: integers and booleans (shapes, indices, masks)
/// may be larger.
bool isFoldable(mlir::RankedTensorType type);

/// Calls `body` with element i of the operands (all of the result's shape) for each i and makes the
/// result of what it returns; null if an operand isn't a known constant, is too large, or `body`
/// gives nothing.
mlir::Attribute foldElements(
    mlir::RankedTensorType type, llvm::ArrayRef<mlir::Attribute> operands,
    llvm::function_ref<std::optional<ConstantElement>(llvm::ArrayRef<ConstantElement>)> body);

/// Makes a constant whose element i is element `source(i)` of `operand`, linear row-major indices;
/// null as for `foldElements`.
mlir::Attribute foldRearrangement(mlir::RankedTensorType type, mlir::Attribute operand,
                                  llvm::function_ref<int64_t(int64_t)> source);

/// Where the elements of a box lie in a row-major tensor: at `offset + sum(index * strides)`.
struct StridedBox {
  int64_t offset = 0;
  llvm::SmallVector<int64_t> strides;
};

/// Strides of a row-major tensor.
llvm::SmallVector<int64_t> getRowMajorStrides(llvm::ArrayRef<int64_t> shape);

/// Makes a constant from the elements of `operand` at `box`, whose shape is the type's; null as for
/// `foldElements`.
mlir::Attribute foldGather(mlir::RankedTensorType type, mlir::Attribute operand,
                           const StridedBox &box);

/// Makes a constant of `padding` (a number; null if the operands cover everything), with the
/// elements of each operand at its box; null as for `foldElements`.
mlir::Attribute foldScatter(mlir::RankedTensorType type, mlir::Attribute padding,
                            llvm::ArrayRef<mlir::Attribute> operands,
                            llvm::ArrayRef<StridedBox> boxes);

/// Element i of a dense constant.
ConstantElement getElement(mlir::DenseElementsAttr constant, int64_t index);

/// An element as an attribute of the element type, rounded to it.
mlir::Attribute getElementAttr(mlir::Type elementType, const ConstantElement &element);

} // namespace lgc

#endif // LGC_LIB_IR_CONSTANTEVALUATOR_H
