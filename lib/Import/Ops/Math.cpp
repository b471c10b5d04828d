//===- Math.cpp - Functions of one real number -----------------------------===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "../NodeImporter.h"

using namespace mlir;
using namespace lgc;

template <typename OpTy> static void unary(NodeImporter &n) {
  n.setResult(n.unary<OpTy>(n.operand(0)));
}

void lgc::registerMathOps(OpTable &table) {
  table["Exp"] = unary<ExpOp>;
  table["Log"] = unary<LogOp>;
  table["Sqrt"] = unary<SqrtOp>;
  table["Sin"] = unary<SinOp>;
  table["Cos"] = unary<CosOp>;
  table["Tan"] = unary<TanOp>;
  table["Asin"] = unary<AsinOp>;
  table["Acos"] = unary<AcosOp>;
  table["Atan"] = unary<AtanOp>;
  table["Sinh"] = unary<SinhOp>;
  table["Cosh"] = unary<CoshOp>;
  table["Tanh"] = unary<TanhOp>;
  table["Asinh"] = unary<AsinhOp>;
  table["Acosh"] = unary<AcoshOp>;
  table["Atanh"] = unary<AtanhOp>;
  table["Erf"] = unary<ErfOp>;
  table["Sigmoid"] = unary<LogisticOp>;
}
