//===- TensorBuilder.cpp - Builds lgc ops from unchecked operands ---------===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "TensorBuilder.h"
#include "mlir/IR/Verifier.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace lgc;

std::optional<SmallVector<int64_t>> lgc::broadcastShape(ArrayRef<int64_t> lhs,
                                                        ArrayRef<int64_t> rhs) {
  SmallVector<int64_t> shape(std::max(lhs.size(), rhs.size()), 1);
  for (size_t i = 0; i < shape.size(); ++i) {
    int64_t left = i < lhs.size() ? lhs[lhs.size() - 1 - i] : 1;
    int64_t right = i < rhs.size() ? rhs[rhs.size() - 1 - i] : 1;
    if (left != right && left != 1 && right != 1)
      return std::nullopt;
    shape[shape.size() - 1 - i] = left == 1 ? right : left;
  }
  return shape;
}

std::optional<int64_t> lgc::elementCount(ArrayRef<int64_t> shape) {
  int64_t count = 1;
  for (int64_t size : shape)
    if (size < 0 || llvm::MulOverflow(count, size, count))
      return std::nullopt;
  return count;
}

static std::string text(ArrayRef<int64_t> shape) {
  std::string result = "[";
  for (auto [i, size] : llvm::enumerate(shape))
    result += (i ? ", " : "") + std::to_string(size);
  return result + "]";
}

Value TensorBuilder::error(const Twine &message) {
  mlir::emitError(loc, message);
  return {};
}

SmallVector<Value> TensorBuilder::build(StringRef name, ValueRange operands,
                                        ArrayRef<NamedAttribute> attributes, TypeRange types) {
  // No tensor of a real model comes near this; sizes derived from it then can't overflow.
  constexpr int64_t largestCount = int64_t(1) << 40;
  for (Type type : types) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    std::optional<int64_t> count = tensor ? elementCount(tensor.getShape()) : std::nullopt;
    if (!count || *count > largestCount) {
      error("a result would have the shape " + (tensor ? text(tensor.getShape()) : "?") +
            ", which no machine can hold; check the sizes that the model computes");
      return SmallVector<Value>(std::max<size_t>(types.size(), 3));
    }
  }
  OperationState state(loc, name, operands, types, attributes);
  Operation *op = Operation::create(state);
  if (failed(verify(op, /*verifyRecursively=*/false))) {
    op->destroy();
    return SmallVector<Value>(std::max<size_t>(types.size(), 3));
  }
  builder.insert(op);
  SmallVector<Value> results;
  if (succeeded(builder.tryFold(op, results)) && !results.empty()) {
    op->erase();
    return results;
  }
  return SmallVector<Value>(op->getResults());
}

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

Value TensorBuilder::constant(ElementsAttr value) {
  return ConstantOp::create(builder, loc, value.getType(), value);
}

TypedAttr TensorBuilder::numberAttr(Type element, double value) {
  if (auto type = dyn_cast<FloatType>(element))
    return FloatAttr::get(type, value);
  auto type = cast<IntegerType>(element);
  APInt bits(type.getWidth(), uint64_t(int64_t(value)), /*isSigned=*/true, /*implicitTrunc=*/true);
  return IntegerAttr::get(type, bits);
}

Value TensorBuilder::splat(double value, Type element, ArrayRef<int64_t> shape) {
  if (!elementCount(shape))
    return error("a constant has the impossible shape " + text(shape));
  return constant(
      DenseElementsAttr::get(RankedTensorType::get(shape, element), numberAttr(element, value)));
}

Value TensorBuilder::splatInt(int64_t value, Type element, ArrayRef<int64_t> shape) {
  if (isa<FloatType>(element))
    return splat(double(value), element, shape);
  APInt bits(element.getIntOrFloatBitWidth(), uint64_t(value), /*isSigned=*/true,
             /*implicitTrunc=*/true);
  return constant(DenseElementsAttr::get(RankedTensorType::get(shape, element), bits));
}

Value TensorBuilder::like(Value model, double value) {
  return model ? splat(value, elementOf(model), shapeOf(model)) : Value();
}

Value TensorBuilder::largest(Type element, ArrayRef<int64_t> shape) {
  if (isa<FloatType>(element))
    return splat(std::numeric_limits<double>::infinity(), element, shape);
  unsigned width = element.getIntOrFloatBitWidth();
  bool isUnsigned = isUnsignedElement(element);
  APInt bits = isUnsigned ? APInt::getMaxValue(width) : APInt::getSignedMaxValue(width);
  return constant(DenseElementsAttr::get(RankedTensorType::get(shape, element), bits));
}

Value TensorBuilder::smallest(Type element, ArrayRef<int64_t> shape) {
  if (isa<FloatType>(element))
    return splat(-std::numeric_limits<double>::infinity(), element, shape);
  unsigned width = element.getIntOrFloatBitWidth();
  bool isUnsigned = isUnsignedElement(element);
  APInt bits = isUnsigned ? APInt::getMinValue(width) : APInt::getSignedMinValue(width);
  return constant(DenseElementsAttr::get(RankedTensorType::get(shape, element), bits));
}

Value TensorBuilder::vectorI64(ArrayRef<int64_t> values) {
  return constant(builder.getI64TensorAttr(values));
}

Value TensorBuilder::iota(ArrayRef<int64_t> shape, int64_t dim, Type element) {
  return createTyped<IotaOp>(RankedTensorType::get(shape, element), {}, {integer("dim", dim)});
}

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

Value TensorBuilder::compare(ComparePredicate predicate, Value lhs, Value rhs) {
  if (!broadcastTogether(lhs, rhs))
    return {};
  return create<CompareOp>(
      {lhs, rhs}, {named("predicate", ComparePredicateAttr::get(builder.getContext(), predicate))});
}

Value TensorBuilder::compare(ComparePredicate predicate, Value lhs, double rhs) {
  return compare(predicate, lhs, like(lhs, rhs));
}

Value TensorBuilder::select(Value condition, Value onTrue, Value onFalse) {
  Value operands[] = {condition, onTrue, onFalse};
  if (!broadcastTogether(operands))
    return {};
  if (!isBool(operands[0]))
    return error("a condition must be boolean; cast it");
  if (operands[1].getType() != operands[2].getType())
    return error("the two values to choose from have different element types; cast one");
  return createTyped<SelectOp>(operands[1].getType(), operands);
}

Value TensorBuilder::convert(Value operand, Type element, bool saturate) {
  if (!operand || elementOf(operand) == element)
    return operand;
  if (!element)
    return error("the element type to convert to isn't supported");
  SmallVector<NamedAttribute> attributes;
  if (saturate)
    attributes.push_back(unit("saturate"));
  return createTyped<CastOp>(typeOf(operand).clone(element), {operand}, attributes);
}

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

Value TensorBuilder::broadcastTo(Value operand, ArrayRef<int64_t> shape) {
  if (!operand)
    return {};
  int64_t missing = int64_t(shape.size()) - rankOf(operand);
  if (missing < 0)
    return error("a tensor of shape " + text(shapeOf(operand)) + " can't be broadcast to " +
                 text(shape));
  SmallVector<int64_t> dims;
  for (int64_t i = 0; i < rankOf(operand); ++i)
    dims.push_back(missing + i);
  return broadcastDims(operand, shape, dims);
}

Value TensorBuilder::broadcastDims(Value operand, ArrayRef<int64_t> shape, ArrayRef<int64_t> dims) {
  if (!operand || shapeOf(operand) == shape)
    return operand;
  for (auto [size, dim] : llvm::zip(shapeOf(operand), dims))
    if (size != 1 && size != shape[dim])
      return error("a tensor of shape " + text(shapeOf(operand)) + " can't be broadcast to " +
                   text(shape));
  return createTyped<BroadcastOp>(RankedTensorType::get(shape, elementOf(operand)), {operand},
                                  {ints("dims", dims)});
}

bool TensorBuilder::broadcastTogether(MutableArrayRef<Value> operands) {
  Shape common;
  for (Value operand : operands) {
    if (!operand)
      return false;
    auto shape = broadcastShape(common, shapeOf(operand));
    if (!shape) {
      error("tensors of shapes " + text(common) + " and " + text(shapeOf(operand)) +
            " can't be broadcast together");
      return false;
    }
    common = std::move(*shape);
  }
  for (Value &operand : operands)
    operand = broadcastTo(operand, common);
  return llvm::all_of(operands, [](Value operand) { return bool(operand); });
}

bool TensorBuilder::broadcastTogether(Value &lhs, Value &rhs) {
  Value operands[] = {lhs, rhs};
  bool fits = broadcastTogether(operands);
  lhs = operands[0];
  rhs = operands[1];
  return fits;
}

Value TensorBuilder::reshape(Value operand, ArrayRef<int64_t> shape) {
  if (!operand || shapeOf(operand) == shape)
    return operand;
  if (elementCount(shape) != elementCount(shapeOf(operand)))
    return error("a tensor of shape " + text(shapeOf(operand)) + " can't take the shape " +
                 text(shape) + ": the numbers of elements differ");
  return createTyped<ReshapeOp>(RankedTensorType::get(shape, elementOf(operand)), {operand});
}

Value TensorBuilder::transpose(Value operand, ArrayRef<int64_t> permutation) {
  if (!operand)
    return {};
  SmallVector<bool> seen(permutation.size(), false);
  bool sorted = true;
  for (auto [i, dim] : llvm::enumerate(permutation)) {
    if (dim < 0 || dim >= int64_t(permutation.size()) || seen[dim])
      return error("a transpose's 'perm' is no permutation: " + text(permutation));
    seen[dim] = true;
    sorted &= int64_t(i) == dim;
  }
  if (int64_t(permutation.size()) != rankOf(operand))
    return error("a transpose's 'perm' has another number of entries than the tensor dimensions");
  return sorted ? operand : create<TransposeOp>({operand}, {ints("permutation", permutation)});
}

Value TensorBuilder::slice(Value operand, ArrayRef<int64_t> starts, ArrayRef<int64_t> limits,
                           ArrayRef<int64_t> strides) {
  if (!operand)
    return {};
  Shape ones(starts.size(), 1);
  if (strides.empty())
    strides = ones;
  bool whole = limits == shapeOf(operand);
  for (auto [start, stride] : llvm::zip(starts, strides))
    whole &= start == 0 && stride == 1;
  if (whole)
    return operand;
  return create<SliceOp>(
      {operand}, {ints("starts", starts), ints("limits", limits), ints("strides", strides)});
}

Value TensorBuilder::sliceDim(Value operand, int64_t dim, int64_t start, int64_t limit) {
  if (!operand)
    return {};
  Shape starts(rankOf(operand), 0), limits(shapeOf(operand));
  starts[dim] = start;
  limits[dim] = limit;
  return slice(operand, starts, limits);
}

Value TensorBuilder::pad(Value operand, ArrayRef<int64_t> low, ArrayRef<int64_t> high, double value,
                         ArrayRef<int64_t> interior) {
  if (!operand)
    return {};
  Shape none(low.size(), 0);
  if (interior.empty())
    interior = none;
  auto isZero = [](int64_t size) { return size == 0; };
  if (llvm::all_of(low, isZero) && llvm::all_of(high, isZero) && llvm::all_of(interior, isZero))
    return operand;
  return create<PadOp>({operand},
                       {named("value", numberAttr(elementOf(operand), value)), ints("low", low),
                        ints("high", high), ints("interior", interior)});
}

Value TensorBuilder::concat(ValueRange operands, int64_t dim) {
  if (operands.size() == 1)
    return operands.front();
  return create<ConcatOp>(operands, {integer("dim", dim)});
}

Value TensorBuilder::reverse(Value operand, ArrayRef<int64_t> dims) {
  if (!operand || dims.empty())
    return operand;
  return create<ReverseOp>({operand}, {ints("dims", dims)});
}

Value TensorBuilder::unsqueeze(Value operand, ArrayRef<int64_t> dims) {
  if (!operand)
    return {};
  Shape shape(shapeOf(operand));
  SmallVector<int64_t> sorted(dims);
  llvm::sort(sorted);
  for (int64_t dim : sorted) {
    if (dim < 0 || dim > int64_t(shape.size()))
      return error("a dimension to insert is out of range");
    shape.insert(shape.begin() + dim, 1);
  }
  return reshape(operand, shape);
}

//===----------------------------------------------------------------------===//
// Reductions and products
//===----------------------------------------------------------------------===//

Value TensorBuilder::reduce(ReductionKind reduction, Value operand, ArrayRef<int64_t> dims,
                            bool keepDims) {
  if (!operand)
    return {};
  SmallVector<int64_t> sorted(dims);
  llvm::sort(sorted);
  sorted.erase(llvm::unique(sorted), sorted.end());
  if (sorted.empty())
    return operand;
  Value result = create<ReduceOp>({operand}, {kind(reduction), ints("dims", sorted)});
  if (!result || !keepDims)
    return result;
  Shape shape(shapeOf(operand));
  for (int64_t dim : sorted)
    shape[dim] = 1;
  return reshape(result, shape);
}

Value TensorBuilder::mean(Value operand, ArrayRef<int64_t> dims, bool keepDims) {
  if (!operand)
    return {};
  int64_t count = 1;
  for (int64_t dim : dims)
    count *= shapeOf(operand)[dim];
  Value sum = reduce(ReductionKind::Sum, operand, dims, keepDims);
  if (!sum)
    return {};
  if (!isFloat(sum))
    return create<DivOp>({sum, splatInt(count, elementOf(sum), shapeOf(sum))});
  return mul(sum, 1.0 / double(count));
}

Value TensorBuilder::dot(Value lhs, Value rhs, ArrayRef<int64_t> lhsBatch,
                         ArrayRef<int64_t> rhsBatch, ArrayRef<int64_t> lhsContract,
                         ArrayRef<int64_t> rhsContract) {
  return create<DotOp>({lhs, rhs},
                       {ints("lhs_batch", lhsBatch), ints("rhs_batch", rhsBatch),
                        ints("lhs_contract", lhsContract), ints("rhs_contract", rhsContract)});
}

Value TensorBuilder::matmul(Value lhs, Value rhs) {
  if (!lhs || !rhs)
    return {};
  int64_t left = rankOf(lhs), right = rankOf(rhs);
  if (left == 0 || right == 0)
    return error("a matrix product needs tensors of one or more dimensions");
  int64_t rightRow = right == 1 ? 0 : right - 2;
  if (shapeOf(lhs)[left - 1] != shapeOf(rhs)[rightRow])
    return error("matrices of shapes " + text(shapeOf(lhs)) + " and " + text(shapeOf(rhs)) +
                 " can't be multiplied");
  if (right <= 2)
    return dot(lhs, rhs, {}, {}, {left - 1}, {rightRow});
  Shape batch(shapeOf(rhs).drop_back(2));
  if (left > 2) {
    auto common = broadcastShape(shapeOf(lhs).drop_back(2), batch);
    if (!common)
      return error("the batch dimensions of a matrix product can't be broadcast together");
    batch = *common;
  }
  Shape leftShape(batch), rightShape(batch);
  llvm::append_range(leftShape, left == 1 ? shapeOf(lhs) : shapeOf(lhs).take_back(2));
  llvm::append_range(rightShape, shapeOf(rhs).take_back(2));
  lhs = broadcastTo(lhs, leftShape);
  rhs = broadcastTo(rhs, rightShape);
  SmallVector<int64_t> dims(batch.size());
  for (size_t i = 0; i < dims.size(); ++i)
    dims[i] = int64_t(i);
  return dot(lhs, rhs, dims, dims, {int64_t(leftShape.size()) - 1},
             {int64_t(rightShape.size()) - 2});
}

Value TensorBuilder::softmax(Value operand, int64_t dim) {
  return create<SoftmaxOp>({operand}, {integer("dim", dim)});
}

Value TensorBuilder::gather(Value operand, Value indices, int64_t axis) {
  return create<GatherOp>({operand, indices}, {integer("axis", axis)});
}
