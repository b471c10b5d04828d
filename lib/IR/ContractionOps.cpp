//===- ContractionOps.cpp - Matrix products and convolutions -------------- ===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "OperandCheck.h"
#include "ScalarMath.h"
#include "lgc/IR/LgcOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace lgc;

static RankedTensorType getType(Value value) { return cast<RankedTensorType>(value.getType()); }

//===----------------------------------------------------------------------===//
// DotOp
//===----------------------------------------------------------------------===//

/// Dimensions that are neither batch nor contracted.
static SmallVector<int64_t> getFreeDims(int64_t rank, ArrayRef<int64_t> batch,
                                        ArrayRef<int64_t> contract) {
  SmallVector<int64_t> dims;
  for (int64_t dim = 0; dim < rank; ++dim)
    if (!llvm::is_contained(batch, dim) && !llvm::is_contained(contract, dim))
      dims.push_back(dim);
  return dims;
}

/// Whether batch and contracted dimensions are different dimensions of the rank.
static bool areDistinct(int64_t rank, ArrayRef<int64_t> batch, ArrayRef<int64_t> contract) {
  SmallVector<int64_t> dims(batch);
  llvm::append_range(dims, contract);
  llvm::sort(dims);
  if (std::adjacent_find(dims.begin(), dims.end()) != dims.end())
    return false;
  return llvm::all_of(dims, [&](int64_t dim) { return dim >= 0 && dim < rank; });
}

LogicalResult DotOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc, Adaptor adaptor,
                                      SmallVectorImpl<Type> &types) {
  if (failed(checkOperands(loc, adaptor.getOperands())))
    return failure();
  RankedTensorType lhs = ::getType(adaptor.getLhs()), rhs = ::getType(adaptor.getRhs());
  ArrayRef<int64_t> lhsBatch = adaptor.getLhsBatch(), rhsBatch = adaptor.getRhsBatch();
  ArrayRef<int64_t> lhsContract = adaptor.getLhsContract(), rhsContract = adaptor.getRhsContract();
  if (lhs.getElementType() != rhs.getElementType())
    return emitOptionalError(loc, "multiplies elements of different types; cast one of them");
  if (lhsBatch.size() != rhsBatch.size() || lhsContract.size() != rhsContract.size() ||
      !areDistinct(lhs.getRank(), lhsBatch, lhsContract) ||
      !areDistinct(rhs.getRank(), rhsBatch, rhsContract))
    return emitOptionalError(loc, "has batch and contracted dimensions that don't pair up; name "
                                  "each dimension of an operand once at most");
  SmallVector<int64_t> shape;
  auto check = [&](ArrayRef<int64_t> left, ArrayRef<int64_t> right) {
    return llvm::all_of(llvm::zip_equal(left, right), [&](auto pair) {
      return lhs.getDimSize(std::get<0>(pair)) == rhs.getDimSize(std::get<1>(pair));
    });
  };
  if (!check(lhsBatch, rhsBatch) || !check(lhsContract, rhsContract))
    return emitOptionalError(loc, "pairs dimensions of different sizes in ", lhs, " and ", rhs,
                             "; paired dimensions must be equal");
  for (int64_t dim : lhsBatch)
    shape.push_back(lhs.getDimSize(dim));
  for (int64_t dim : getFreeDims(lhs.getRank(), lhsBatch, lhsContract))
    shape.push_back(lhs.getDimSize(dim));
  for (int64_t dim : getFreeDims(rhs.getRank(), rhsBatch, rhsContract))
    shape.push_back(rhs.getDimSize(dim));
  types.push_back(lhs.clone(shape));
  return success();
}

LogicalResult DotOp::verify() { return success(); }

SmallVector<int64_t> DotOp::getReductionShape() {
  SmallVector<int64_t> shape;
  for (int64_t dim : getLhsContract())
    shape.push_back(::getType(getLhs()).getDimSize(dim));
  return shape;
}

SmallVector<Value> DotOp::emitElement(OpBuilder &builder, ValueRange indices, ElementReader read) {
  RankedTensorType lhs = ::getType(getLhs()), rhs = ::getType(getRhs());
  SmallVector<Value> left(lhs.getRank()), right(rhs.getRank());
  size_t at = 0;
  for (auto [l, r] : llvm::zip_equal(getLhsBatch(), getRhsBatch()))
    left[l] = right[r] = indices[at++];
  for (int64_t dim : getFreeDims(lhs.getRank(), getLhsBatch(), getLhsContract()))
    left[dim] = indices[at++];
  for (int64_t dim : getFreeDims(rhs.getRank(), getRhsBatch(), getRhsContract()))
    right[dim] = indices[at++];
  for (auto [l, r] : llvm::zip_equal(getLhsContract(), getRhsContract()))
    left[l] = right[r] = indices[at++];
  ScalarMath s(builder, getLoc(), lhs.getElementType());
  return {s.mul(read(0, left), read(1, right))};
}

/// The sum that all contractions accumulate.
#define LGC_SUM_REDUCTION(OP)                                                                      \
  SmallVector<Value> OP::emitInit(OpBuilder &builder) {                                            \
    return {ScalarMath(builder, getLoc(), ::getType(getResult()).getElementType()).zero()};        \
  }                                                                                                \
  SmallVector<Value> OP::emitCombine(OpBuilder &builder, ValueRange accumulators,                  \
                                     ValueRange elements) {                                        \
    ScalarMath s(builder, getLoc(), ::getType(getResult()).getElementType());                      \
    return {s.accumulateSum(accumulators[0], elements[0])};                                        \
  }

LGC_SUM_REDUCTION(DotOp)
LGC_SUM_REDUCTION(ConvolutionOp)
LGC_SUM_REDUCTION(ConvolutionInputOp)
LGC_SUM_REDUCTION(ConvolutionFilterOp)
#undef LGC_SUM_REDUCTION

//===----------------------------------------------------------------------===//
// Convolutions
//===----------------------------------------------------------------------===//

namespace {
/// The geometry of a convolution and the shapes of its three tensors.
struct Convolution {
  ArrayRef<int64_t> strides, dilations, low, high;
  int64_t groups;
  ArrayRef<int64_t> input, filter, output;

  size_t getSpatialRank() const { return strides.size(); }
};
} // namespace

template <typename Op>
static Convolution getConvolution(Op &&op, Value input, Value filter, ArrayRef<int64_t> output) {
  return {op.getStrides(),
          op.getDilations(),
          op.getLow(),
          op.getHigh(),
          static_cast<int64_t>(op.getGroups()),
          ::getType(input).getShape(),
          ::getType(filter).getShape(),
          output};
}

/// The output's shape that input, filter and geometry give; none if they don't fit.
static std::optional<SmallVector<int64_t>> getOutputShape(const Convolution &c) {
  size_t rank = c.input.size();
  if (rank < 2 || c.filter.size() != rank || c.strides.size() != rank - 2 ||
      c.dilations.size() != rank - 2 || c.low.size() != rank - 2 || c.high.size() != rank - 2)
    return std::nullopt;
  if (c.groups < 1 || c.input[1] != c.filter[1] * c.groups || c.filter[0] % c.groups != 0)
    return std::nullopt;
  SmallVector<int64_t> shape{c.input[0], c.filter[0]};
  // So that no product below overflows.
  constexpr int64_t most = int64_t(1) << 30;
  for (size_t i = 0; i + 2 < rank; ++i) {
    if (c.strides[i] < 1 || c.dilations[i] < 1 || c.filter[i + 2] < 1 ||
        std::max({c.strides[i], c.dilations[i], std::abs(c.low[i]), std::abs(c.high[i]),
                  c.input[i + 2], c.filter[i + 2]}) > most)
      return std::nullopt;
    int64_t room =
        c.input[i + 2] + c.low[i] + c.high[i] - (c.filter[i + 2] - 1) * c.dilations[i] - 1;
    if (room < 0)
      return std::nullopt;
    shape.push_back(room / c.strides[i] + 1);
  }
  return shape;
}

static const char *const misfit =
    "has input, filter, geometry and output that don't fit each other; input is [N, C, spatial], "
    "filter [O, C / groups, kernel], output [N, O, spatial]";

LogicalResult ConvolutionOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc,
                                              Adaptor adaptor, SmallVectorImpl<Type> &types) {
  if (failed(checkOperands(loc, adaptor.getOperands())))
    return failure();
  std::optional<SmallVector<int64_t>> shape =
      getOutputShape(getConvolution(adaptor, adaptor.getInput(), adaptor.getFilter(), {}));
  if (!shape)
    return emitOptionalError(loc, misfit);
  types.push_back(::getType(adaptor.getInput()).clone(*shape));
  return success();
}

LogicalResult ConvolutionOp::verify() {
  if (::getType(getInput()).getElementType() != ::getType(getFilter()).getElementType())
    return emitOpError("multiplies elements of different types; cast one of them");
  return success();
}

LogicalResult ConvolutionInputOp::verify() {
  if (::getType(getOutputGradient()).getElementType() != ::getType(getFilter()).getElementType() ||
      ::getType(getResult()).getElementType() != ::getType(getFilter()).getElementType())
    return emitOpError("multiplies elements of different types; cast one of them");
  std::optional<SmallVector<int64_t>> shape =
      getOutputShape(getConvolution(*this, getResult(), getFilter(), {}));
  if (!shape || ArrayRef(*shape) != ::getType(getOutputGradient()).getShape())
    return emitOpError(misfit);
  return success();
}

LogicalResult ConvolutionFilterOp::verify() {
  if (::getType(getInput()).getElementType() != ::getType(getOutputGradient()).getElementType() ||
      ::getType(getInput()).getElementType() != ::getType(getResult()).getElementType())
    return emitOpError("multiplies elements of different types; cast one of them");
  std::optional<SmallVector<int64_t>> shape =
      getOutputShape(getConvolution(*this, getInput(), getResult(), {}));
  if (!shape || ArrayRef(*shape) != ::getType(getOutputGradient()).getShape())
    return emitOpError(misfit);
  return success();
}

namespace {
/// Index arithmetic of convolutions.
class PositionEmitter {
public:
  PositionEmitter(OpBuilder &builder, Location loc) : builder(builder), loc(loc) {
    inside = arith::ConstantOp::create(builder, loc, builder.getBoolAttr(true));
  }

  Value number(int64_t value) { return arith::ConstantIndexOp::create(builder, loc, value); }
  Value add(Value x, Value y) { return arith::AddIOp::create(builder, loc, x, y); }
  Value sub(Value x, Value y) { return arith::SubIOp::create(builder, loc, x, y); }
  Value mul(Value x, int64_t y) {
    return y == 1 ? x : Value(arith::MulIOp::create(builder, loc, x, number(y)));
  }
  Value div(Value x, int64_t y) {
    return y == 1 ? x : Value(arith::DivSIOp::create(builder, loc, x, number(y)));
  }
  Value rem(Value x, int64_t y) { return arith::RemSIOp::create(builder, loc, x, number(y)); }

  Value require(arith::CmpIPredicate predicate, Value x, Value y) {
    Value holds = arith::CmpIOp::create(builder, loc, predicate, x, y);
    inside = arith::AndIOp::create(builder, loc, inside, holds);
    return holds;
  }
  /// Requires 0 <= x < size, and gives 0 where it isn't.
  Value clamp(Value x, int64_t size) {
    Value fits = require(arith::CmpIPredicate::ult, x, number(size));
    return arith::SelectOp::create(builder, loc, fits, x, number(0));
  }
  /// The input position of an output position and a kernel position.
  Value getInput(const Convolution &c, size_t i, Value output, Value kernel) {
    Value at = add(mul(output, c.strides[i]), mul(kernel, c.dilations[i]));
    return clamp(sub(at, number(c.low[i])), c.input[i + 2]);
  }
  Value getZero(Type element) { return ScalarMath(builder, loc, element).zero(); }
  /// The product where all requirements hold, else zero.
  Value getProduct(Type element, Value x, Value y) {
    ScalarMath s(builder, loc, element);
    return arith::SelectOp::create(builder, loc, inside, s.mul(x, y), s.zero());
  }

private:
  OpBuilder &builder;
  Location loc;
  Value inside;
};
} // namespace

SmallVector<int64_t> ConvolutionOp::getReductionShape() {
  return SmallVector<int64_t>(::getType(getFilter()).getShape().drop_front());
}

SmallVector<Value> ConvolutionOp::emitElement(OpBuilder &builder, ValueRange indices,
                                              ElementReader read) {
  Convolution c = getConvolution(*this, getInput(), getFilter(), ::getType(getResult()).getShape());
  PositionEmitter e(builder, getLoc());
  if (::getType(getInput()).getNumElements() == 0)
    return {e.getZero(::getType(getInput()).getElementType())};
  size_t spatial = c.getSpatialRank();
  Value batch = indices[0], channel = indices[1], inGroup = indices[spatial + 2];
  Value group = e.div(channel, c.filter[0] / c.groups);
  SmallVector<Value> input{batch, e.add(e.mul(group, c.filter[1]), inGroup)};
  SmallVector<Value> filter{channel, inGroup};
  for (size_t i = 0; i < spatial; ++i) {
    Value kernel = indices[spatial + 3 + i];
    input.push_back(e.getInput(c, i, indices[i + 2], kernel));
    filter.push_back(kernel);
  }
  return {e.getProduct(::getType(getInput()).getElementType(), read(0, input), read(1, filter))};
}

SmallVector<int64_t> ConvolutionInputOp::getReductionShape() {
  ArrayRef<int64_t> filter = ::getType(getFilter()).getShape();
  SmallVector<int64_t> shape{filter[0] / static_cast<int64_t>(getGroups())};
  llvm::append_range(shape, filter.drop_front(2));
  return shape;
}

SmallVector<Value> ConvolutionInputOp::emitElement(OpBuilder &builder, ValueRange indices,
                                                   ElementReader read) {
  Convolution c =
      getConvolution(*this, getResult(), getFilter(), ::getType(getOutputGradient()).getShape());
  PositionEmitter e(builder, getLoc());
  if (::getType(getOutputGradient()).getNumElements() == 0)
    return {e.getZero(::getType(getResult()).getElementType())};
  size_t spatial = c.getSpatialRank();
  Value channel = indices[1], inGroup = indices[spatial + 2];
  Value group = e.div(channel, c.filter[1]);
  Value outChannel = e.add(e.mul(group, c.filter[0] / c.groups), inGroup);
  SmallVector<Value> output{indices[0], outChannel};
  SmallVector<Value> filter{outChannel, e.sub(channel, e.mul(group, c.filter[1]))};
  for (size_t i = 0; i < spatial; ++i) {
    // The output o that reads this position: o * stride = position + low - kernel * dilation.
    Value kernel = indices[spatial + 3 + i];
    Value start = e.sub(e.add(indices[i + 2], e.number(c.low[i])), e.mul(kernel, c.dilations[i]));
    e.require(arith::CmpIPredicate::sge, start, e.number(0));
    if (c.strides[i] != 1)
      e.require(arith::CmpIPredicate::eq, e.rem(start, c.strides[i]), e.number(0));
    output.push_back(e.clamp(e.div(start, c.strides[i]), c.output[i + 2]));
    filter.push_back(kernel);
  }
  return {e.getProduct(::getType(getResult()).getElementType(), read(0, output), read(1, filter))};
}

SmallVector<int64_t> ConvolutionFilterOp::getReductionShape() {
  ArrayRef<int64_t> output = ::getType(getOutputGradient()).getShape();
  SmallVector<int64_t> shape{output[0]};
  llvm::append_range(shape, output.drop_front(2));
  return shape;
}

SmallVector<Value> ConvolutionFilterOp::emitElement(OpBuilder &builder, ValueRange indices,
                                                    ElementReader read) {
  Convolution c =
      getConvolution(*this, getInput(), getResult(), ::getType(getOutputGradient()).getShape());
  PositionEmitter e(builder, getLoc());
  if (::getType(getInput()).getNumElements() == 0)
    return {e.getZero(::getType(getResult()).getElementType())};
  size_t spatial = c.getSpatialRank();
  Value outChannel = indices[0], inGroup = indices[1], batch = indices[spatial + 2];
  Value group = e.div(outChannel, c.filter[0] / c.groups);
  SmallVector<Value> input{batch, e.add(e.mul(group, c.filter[1]), inGroup)};
  SmallVector<Value> output{batch, outChannel};
  for (size_t i = 0; i < spatial; ++i) {
    Value position = indices[spatial + 3 + i];
    input.push_back(e.getInput(c, i, position, indices[i + 2]));
    output.push_back(position);
  }
  return {e.getProduct(::getType(getInput()).getElementType(), read(0, input), read(1, output))};
}
