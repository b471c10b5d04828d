//===- Integer.cpp - Operations on bits ------------------------------------===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "../NodeImporter.h"

using namespace mlir;
using namespace lgc;

template <typename OpTy> static void bitwise(NodeImporter &n) {
  Value lhs = n.operand(0), rhs = n.operand(1);
  n.setResult(n.binary<OpTy>(lhs, rhs));
}

static void importBitwiseNot(NodeImporter &n) { n.setResult(n.unary<NotOp>(n.operand(0))); }

static void importBitShift(NodeImporter &n) {
  if (n.stringAttr("direction", "") == "LEFT")
    bitwise<ShiftLeftOp>(n);
  else
    bitwise<ShiftRightOp>(n);
}

void lgc::registerIntegerOps(OpTable &table) {
  table["BitwiseAnd"] = bitwise<AndOp>;
  table["BitwiseOr"] = bitwise<OrOp>;
  table["BitwiseXor"] = bitwise<XorOp>;
  table["BitwiseNot"] = importBitwiseNot;
  table["BitShift"] = importBitShift;
}
