//===- Comparison.cpp - Comparisons and choices ----------------------------===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "../NodeImporter.h"

using namespace mlir;
using namespace lgc;

template <ComparePredicate predicate> static void compare(NodeImporter &n) {
  Value lhs = n.operand(0), rhs = n.operand(1);
  n.setResult(n.compare(predicate, lhs, rhs));
}

template <typename OpTy> static void logical(NodeImporter &n) {
  Value lhs = n.operand(0), rhs = n.operand(1);
  n.setResult(n.binary<OpTy>(lhs, rhs));
}

static void importNot(NodeImporter &n) { n.setResult(n.unary<NotOp>(n.operand(0))); }

static void importWhere(NodeImporter &n) {
  Value condition = n.operand(0), onTrue = n.operand(1), onFalse = n.operand(2);
  n.setResult(n.select(condition, onTrue, onFalse));
}

static void importIsNaN(NodeImporter &n) { n.setResult(n.unary<IsNanOp>(n.operand(0))); }

static void importIsInf(NodeImporter &n) {
  auto flag = [&](StringRef name, StringRef attribute) {
    return n.named(name, n.builder.getBoolAttr(n.intAttr(attribute, 1) != 0));
  };
  n.setResult(n.create<IsInfOp>({n.operand(0)}, {flag("detect_negative", "detect_negative"),
                                                 flag("detect_positive", "detect_positive")}));
}

void lgc::registerComparisonOps(OpTable &table) {
  table["Equal"] = compare<ComparePredicate::EQ>;
  table["Less"] = compare<ComparePredicate::LT>;
  table["LessOrEqual"] = compare<ComparePredicate::LE>;
  table["Greater"] = compare<ComparePredicate::GT>;
  table["GreaterOrEqual"] = compare<ComparePredicate::GE>;
  table["And"] = logical<AndOp>;
  table["Or"] = logical<OrOp>;
  table["Xor"] = logical<XorOp>;
  table["Not"] = importNot;
  table["Where"] = importWhere;
  table["IsNaN"] = importIsNaN;
  table["IsInf"] = importIsInf;
}
