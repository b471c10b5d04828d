//===- RandomOps.cpp - Random numbers ----------------------------------- ===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "lgc/IR/LgcOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace lgc;

static RankedTensorType getType(Value value) { return cast<RankedTensorType>(value.getType()); }

namespace {

/// Philox 4x32-10 of Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", SC'11. 32-bit
/// words are held in i32.
class PhiloxEmitter {
public:
  PhiloxEmitter(OpBuilder &builder, Location loc)
      : builder(builder), loc(loc), word(builder.getI32Type()) {}

  /// Four random words from a counter of four words and a key of two.
  SmallVector<Value> emit(SmallVector<Value> counter, SmallVector<Value> key) {
    for (unsigned round = 0; round < 10; ++round) {
      if (round > 0) {
        key[0] = arith::AddIOp::create(builder, loc, key[0], constant(0x9E3779B9));
        key[1] = arith::AddIOp::create(builder, loc, key[1], constant(0xBB67AE85));
      }
      auto [low0, high0] = multiply(counter[0], 0xD2511F53);
      auto [low1, high1] = multiply(counter[2], 0xCD9E8D57);
      counter = {exclusiveOr(exclusiveOr(high1, counter[1]), key[0]), low1,
                 exclusiveOr(exclusiveOr(high0, counter[3]), key[1]), low0};
    }
    return counter;
  }

  /// Low and high word of a 64-bit number.
  std::pair<Value, Value> split(Value number) {
    Value shift = arith::ConstantOp::create(builder, loc, builder.getI64IntegerAttr(32));
    Value high = arith::ShRUIOp::create(builder, loc, number, shift);
    return {arith::TruncIOp::create(builder, loc, word, number),
            arith::TruncIOp::create(builder, loc, word, high)};
  }

  Value constant(uint32_t value) {
    return arith::ConstantOp::create(builder, loc,
                                     IntegerAttr::get(word, static_cast<int32_t>(value)));
  }

private:
  Value exclusiveOr(Value x, Value y) { return arith::XOrIOp::create(builder, loc, x, y); }

  std::pair<Value, Value> multiply(Value x, uint32_t factor) {
    Type wide = builder.getI64Type();
    Value y = arith::ConstantOp::create(builder, loc,
                                        builder.getI64IntegerAttr(static_cast<int64_t>(factor)));
    Value product =
        arith::MulIOp::create(builder, loc, arith::ExtUIOp::create(builder, loc, wide, x), y);
    return split(product);
  }

  OpBuilder &builder;
  Location loc;
  Type word;
};

} // namespace

SmallVector<Value> RandomUniformOp::emitElement(OpBuilder &builder, ValueRange indices,
                                                ElementReader read) {
  Location loc = getLoc();
  RankedTensorType type = ::getType(getResult());
  Value linear = arith::ConstantIndexOp::create(builder, loc, 0);
  for (auto [size, index] : llvm::zip_equal(type.getShape(), indices)) {
    Value scale = arith::ConstantIndexOp::create(builder, loc, size);
    linear = arith::AddIOp::create(builder, loc, arith::MulIOp::create(builder, loc, linear, scale),
                                   index);
  }
  // The counter is the element's index and the step's low word with the stream; the key is the
  // seed. A step beyond 2^32 starts the numbers anew.
  PhiloxEmitter philox(builder, loc);
  Value number = arith::IndexCastOp::create(builder, loc, builder.getI64Type(), linear);
  auto [indexLow, indexHigh] = philox.split(number);
  auto [seedLow, seedHigh] = philox.split(read(0, {}));
  auto [step, stepHigh] = philox.split(read(1, {}));
  Value stream = philox.constant(static_cast<uint32_t>(getStream()));
  SmallVector<Value> words = philox.emit({indexLow, indexHigh, step, stream}, {seedLow, seedHigh});

  auto shift = [&](Value bits, int64_t places) -> Value {
    Value amount =
        arith::ConstantOp::create(builder, loc, IntegerAttr::get(bits.getType(), places));
    return arith::ShRUIOp::create(builder, loc, bits, amount);
  };
  Type compute = getComputeType(type.getElementType());
  auto scale = [&](Value bits, int64_t places) -> SmallVector<Value> {
    Value integer = arith::UIToFPOp::create(builder, loc, compute, bits);
    Value unit = arith::ConstantOp::create(
        builder, loc, FloatAttr::get(compute, std::ldexp(1.0, -static_cast<int>(places))));
    return {arith::MulFOp::create(builder, loc, integer, unit)};
  };
  if (!compute.isF64()) {
    // As many bits as the element type holds exactly, so that rounding never gives 1.
    int64_t bits = cast<FloatType>(type.getElementType()).getFPMantissaWidth();
    return scale(shift(words[0], 32 - bits), bits);
  }
  Type wide = builder.getI64Type();
  Value high = arith::ExtUIOp::create(builder, loc, wide, words[1]);
  Value places = arith::ConstantOp::create(builder, loc, builder.getI64IntegerAttr(32));
  Value both = arith::OrIOp::create(builder, loc, arith::ShLIOp::create(builder, loc, high, places),
                                    arith::ExtUIOp::create(builder, loc, wide, words[0]));
  return scale(shift(both, 11), 53);
}
