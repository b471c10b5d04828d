//===- Matmul.cpp - Matrix products ----------------------------------------===//
//
// Part of lgc, the large graph compiler, under the Apache License v2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "../NodeImporter.h"

using namespace mlir;
using namespace lgc;

static void importMatMul(NodeImporter &n) {
  Value lhs = n.operand(0), rhs = n.operand(1);
  n.setResult(n.matmul(lhs, rhs));
}

static void importGemm(NodeImporter &n) {
  Value a = n.operand(0), b = n.operand(1);
  if (!a || !b)
    return n.setResult(Value());
  if (TensorBuilder::rankOf(a) != 2 || TensorBuilder::rankOf(b) != 2) {
    n.error("both factors must be matrices");
    return;
  }
  int64_t left = n.intAttr("transA", 0) ? 0 : 1, right = n.intAttr("transB", 0) ? 1 : 0;
  Value product = n.dot(a, b, {}, {}, {left}, {right});
  if (double alpha = n.floatAttr("alpha", 1.0); alpha != 1.0)
    product = n.mul(product, alpha);
  Value bias = n.optionalOperand(2);
  if (!bias || !product)
    return n.setResult(product);
  if (double beta = n.floatAttr("beta", 1.0); beta != 1.0)
    bias = n.mul(bias, beta);
  n.setResult(n.add(product, n.broadcastTo(bias, TensorBuilder::shapeOf(product))));
}

void lgc::registerMatmulOps(OpTable &table) {
  table["MatMul"] = importMatMul;
  table["Gemm"] = importGemm;
}
