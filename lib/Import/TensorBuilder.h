//===- TensorBuilder.h - Builds lgc ops from unchecked operands -*- C++ -*-===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//
//
// What a model asks for may be impossible: shapes that don't fit, types that an operation
// doesn't take. Every method here checks before it builds, reports an error at the location of
// the node, and returns a null value; null operands give null results without another error. So
// a translation can be written as one expression and checked once, at its end.
//
// Whatever is built is folded at once: shape arithmetic on constants leaves constants.
//
//===----------------------------------------------------------------------===//

#ifndef LGC_LIB_IMPORT_TENSORBUILDER_H
#define LGC_LIB_IMPORT_TENSORBUILDER_H

#include "lgc/IR/LgcOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"

namespace lgc {

class TensorBuilder {
public:
  using Value = mlir::Value;
  using Type = mlir::Type;
  using Shape = llvm::SmallVector<int64_t>;

  TensorBuilder(mlir::OpBuilder &builder, mlir::Location loc) : builder(builder), loc(loc) {}

  mlir::OpBuilder &builder;
  mlir::Location loc;

  /// Reports an error at the node and returns a null value.
  Value error(const llvm::Twine &message);

  //===--------------------------------------------------------------------===//
  // Types
  //===--------------------------------------------------------------------===//

  static mlir::RankedTensorType typeOf(Value value) {
    return llvm::cast<mlir::RankedTensorType>(value.getType());
  }
  static llvm::ArrayRef<int64_t> shapeOf(Value value) { return typeOf(value).getShape(); }
  static int64_t rankOf(Value value) { return typeOf(value).getRank(); }
  static Type elementOf(Value value) { return typeOf(value).getElementType(); }
  static bool isFloat(Value value) { return llvm::isa<mlir::FloatType>(elementOf(value)); }
  static bool isBool(Value value) { return elementOf(value).isInteger(1); }

  Type f32() { return builder.getF32Type(); }
  Type i64() { return builder.getI64Type(); }
  Type i1() { return builder.getI1Type(); }

  //===--------------------------------------------------------------------===//
  // Attributes by the types of their values
  //===--------------------------------------------------------------------===//

  mlir::NamedAttribute named(llvm::StringRef name, mlir::Attribute value) {
    return builder.getNamedAttr(name, value);
  }
  mlir::NamedAttribute ints(llvm::StringRef name, llvm::ArrayRef<int64_t> values) {
    return named(name, builder.getDenseI64ArrayAttr(values));
  }
  mlir::NamedAttribute integer(llvm::StringRef name, int64_t value) {
    return named(name, builder.getI64IntegerAttr(value));
  }
  mlir::NamedAttribute number(llvm::StringRef name, double value) {
    return named(name, builder.getF64FloatAttr(value));
  }
  mlir::NamedAttribute unit(llvm::StringRef name) { return named(name, builder.getUnitAttr()); }
  mlir::NamedAttribute kind(ReductionKind value) {
    return named("kind", ReductionKindAttr::get(builder.getContext(), value));
  }
  mlir::NamedAttribute kind(ScatterKind value) {
    return named("kind", ScatterKindAttr::get(builder.getContext(), value));
  }

  //===--------------------------------------------------------------------===//
  // Any operation
  //===--------------------------------------------------------------------===//

  /// Builds an operation whose result types follow from its operands, folded if possible.
  template <typename OpTy>
  llvm::SmallVector<Value> createAll(mlir::ValueRange operands,
                                     llvm::ArrayRef<mlir::NamedAttribute> attributes = {}) {
    unsigned results = 1;
    if constexpr (!OpTy::template hasTrait<mlir::OpTrait::OneResult>())
      results = 2;
    llvm::SmallVector<Type> types;
    if (!allPresent(operands) || !inferTypes<OpTy>(operands, attributes, types))
      return llvm::SmallVector<Value>(std::max<size_t>(results, 3));
    return build(OpTy::getOperationName(), operands, attributes, types);
  }
  template <typename OpTy>
  Value create(mlir::ValueRange operands, llvm::ArrayRef<mlir::NamedAttribute> attributes = {}) {
    return createAll<OpTy>(operands, attributes).front();
  }
  /// Builds an operation with one result of the given type, folded if possible.
  template <typename OpTy>
  Value createTyped(Type type, mlir::ValueRange operands,
                    llvm::ArrayRef<mlir::NamedAttribute> attributes = {}) {
    if (!type || !allPresent(operands))
      return {};
    return build(OpTy::getOperationName(), operands, attributes, type).front();
  }

  //===--------------------------------------------------------------------===//
  // Constants
  //===--------------------------------------------------------------------===//

  Value constant(mlir::ElementsAttr value);
  /// A number in the given element type, repeated over a shape.
  Value splat(double value, Type element, llvm::ArrayRef<int64_t> shape = {});
  Value splatInt(int64_t value, Type element, llvm::ArrayRef<int64_t> shape = {});
  /// The number in the type and shape of another value.
  Value like(Value model, double value);
  /// The largest (smallest) number of an element type; the infinities of a floating-point type.
  Value largest(Type element, llvm::ArrayRef<int64_t> shape = {});
  Value smallest(Type element, llvm::ArrayRef<int64_t> shape = {});
  Value vectorI64(llvm::ArrayRef<int64_t> values);
  Value iota(llvm::ArrayRef<int64_t> shape, int64_t dim, Type element);
  mlir::TypedAttr numberAttr(Type element, double value);

  //===--------------------------------------------------------------------===//
  // Elements
  //===--------------------------------------------------------------------===//

  template <typename OpTy> Value unary(Value operand) { return create<OpTy>({operand}); }
  /// An operation of two operands, broadcast together as NumPy does.
  template <typename OpTy> Value binary(Value lhs, Value rhs) {
    if (!broadcastTogether(lhs, rhs))
      return {};
    return create<OpTy>({lhs, rhs});
  }
  /// The same with a number in place of the right operand.
  template <typename OpTy> Value binary(Value lhs, double rhs) {
    return lhs ? create<OpTy>({lhs, like(lhs, rhs)}) : Value();
  }
  Value add(Value lhs, Value rhs) { return binary<AddOp>(lhs, rhs); }
  Value sub(Value lhs, Value rhs) { return binary<SubOp>(lhs, rhs); }
  Value mul(Value lhs, Value rhs) { return binary<MulOp>(lhs, rhs); }
  Value div(Value lhs, Value rhs) { return binary<DivOp>(lhs, rhs); }
  Value mul(Value lhs, double rhs) { return binary<MulOp>(lhs, rhs); }
  Value add(Value lhs, double rhs) { return binary<AddOp>(lhs, rhs); }
  Value compare(ComparePredicate predicate, Value lhs, Value rhs);
  Value compare(ComparePredicate predicate, Value lhs, double rhs);
  Value select(Value condition, Value onTrue, Value onFalse);
  Value convert(Value operand, Type element, bool saturate = false);

  //===--------------------------------------------------------------------===//
  // Shapes
  //===--------------------------------------------------------------------===//

  /// Repeats along dimensions so that the value has the shape, right-aligned.
  Value broadcastTo(Value operand, llvm::ArrayRef<int64_t> shape);
  /// Puts dimension i of the operand at dims[i] of the shape.
  Value broadcastDims(Value operand, llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<int64_t> dims);
  bool broadcastTogether(Value &lhs, Value &rhs);
  bool broadcastTogether(llvm::MutableArrayRef<Value> operands);
  Value reshape(Value operand, llvm::ArrayRef<int64_t> shape);
  Value transpose(Value operand, llvm::ArrayRef<int64_t> permutation);
  Value slice(Value operand, llvm::ArrayRef<int64_t> starts, llvm::ArrayRef<int64_t> limits,
              llvm::ArrayRef<int64_t> strides = {});
  /// Elements [start, limit) along one dimension.
  Value sliceDim(Value operand, int64_t dim, int64_t start, int64_t limit);
  Value pad(Value operand, llvm::ArrayRef<int64_t> low, llvm::ArrayRef<int64_t> high, double value,
            llvm::ArrayRef<int64_t> interior = {});
  Value concat(mlir::ValueRange operands, int64_t dim);
  Value reverse(Value operand, llvm::ArrayRef<int64_t> dims);
  /// Inserts dimensions of size 1 so that they are at the given places of the result.
  Value unsqueeze(Value operand, llvm::ArrayRef<int64_t> dims);

  //===--------------------------------------------------------------------===//
  // Reductions and products
  //===--------------------------------------------------------------------===//

  Value reduce(ReductionKind kind, Value operand, llvm::ArrayRef<int64_t> dims, bool keepDims);
  Value mean(Value operand, llvm::ArrayRef<int64_t> dims, bool keepDims);
  Value dot(Value lhs, Value rhs, llvm::ArrayRef<int64_t> lhsBatch,
            llvm::ArrayRef<int64_t> rhsBatch, llvm::ArrayRef<int64_t> lhsContract,
            llvm::ArrayRef<int64_t> rhsContract);
  /// The product of matrices as NumPy defines it.
  Value matmul(Value lhs, Value rhs);
  Value softmax(Value operand, int64_t dim);
  Value gather(Value operand, Value indices, int64_t axis);

private:
  static bool allPresent(mlir::ValueRange operands) {
    return llvm::all_of(operands, [](Value operand) { return bool(operand); });
  }

  template <typename OpTy>
  bool inferTypes(mlir::ValueRange operands, llvm::ArrayRef<mlir::NamedAttribute> attributes,
                  llvm::SmallVectorImpl<Type> &types) {
    mlir::DictionaryAttr dictionary = builder.getDictionaryAttr(attributes);
    typename OpTy::Properties properties;
    if constexpr (!std::is_same_v<typename OpTy::Properties, mlir::EmptyProperties>) {
      auto fail = [&] { return mlir::emitError(loc); };
      if (failed(OpTy::setPropertiesFromAttr(properties, dictionary, fail)))
        return false;
    }
    return succeeded(OpTy::inferReturnTypes(builder.getContext(), loc, operands, dictionary,
                                            &properties, {}, types));
  }

  llvm::SmallVector<Value> build(llvm::StringRef name, mlir::ValueRange operands,
                                 llvm::ArrayRef<mlir::NamedAttribute> attributes,
                                 mlir::TypeRange types);
};

/// The shape that tensors of the given shapes broadcast to, if there is one.
std::optional<llvm::SmallVector<int64_t>> broadcastShape(llvm::ArrayRef<int64_t> lhs,
                                                         llvm::ArrayRef<int64_t> rhs);
/// The number of elements; nothing when a size is negative or the number has no 64 bits.
std::optional<int64_t> elementCount(llvm::ArrayRef<int64_t> shape);

} // namespace lgc

#endif // LGC_LIB_IMPORT_TENSORBUILDER_H
