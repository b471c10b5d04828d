//===- ReductionKinds.cpp - Neutral elements and combinations ------------- ===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "ReductionKinds.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace lgc;

Value lgc::emitNeutral(ScalarMath &s, ReductionKind kind) {
  switch (kind) {
  case ReductionKind::Sum:
  case ReductionKind::Or:
    return s.constant(0.0);
  case ReductionKind::Product:
    return s.constant(1.0);
  case ReductionKind::Max:
    return s.smallest();
  case ReductionKind::Min:
    return s.largest();
  case ReductionKind::And:
    return s.bitNot(s.constant(0.0));
  }
  return {};
}

Value lgc::emitReduced(ScalarMath &s, ReductionKind kind, Value x, Value y) {
  switch (kind) {
  case ReductionKind::Sum:
    return s.accumulateSum(x, y);
  case ReductionKind::Product:
    return s.accumulateProduct(x, y);
  case ReductionKind::Max:
    return s.max(x, y);
  case ReductionKind::Min:
    return s.min(x, y);
  case ReductionKind::And:
    return s.binary<arith::AndIOp>(x, y);
  case ReductionKind::Or:
    return s.binary<arith::OrIOp>(x, y);
  }
  return {};
}

bool lgc::isDefined(ReductionKind kind, Type element) {
  if (kind == ReductionKind::And || kind == ReductionKind::Or)
    return isa<IntegerType>(element);
  return !element.isInteger(1) || kind == ReductionKind::Max || kind == ReductionKind::Min;
}
