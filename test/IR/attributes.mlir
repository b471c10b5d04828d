// RUN: lgc-opt %s | lgc-opt - | FileCheck %s

module attributes {
  // A matrix product.
  // CHECK: test.dot = #lgc.sharding_rule<([i, k], [k, j]) -> ([i, j]) {i = 8, j = 16, k = 32} reduction = {k}>
  test.dot = #lgc.sharding_rule<([i, k], [k, j]) -> ([i, j]) {i = 8, j = 16, k = 32} reduction = {k}>,
  // CHECK: test.many = #lgc.sharding_rule<([i, y, z0, z1]) -> ([ijklmnopqrstuvwxyz0z1])
  test.many = #lgc.sharding_rule<([i, y, z0, z1]) -> ([ijklmnopqrstuvwxyz0z1]) {i = 2, j = 2, k = 2, l = 2, m = 2, n = 2, o = 2, p = 2, q = 2, r = 2, s = 2, t = 2, u = 2, v = 2, w = 2, x = 2, y = 2, z0 = 2, z1 = 3}>,
  // A reshape of 2x12 to 2x3x4.
  // CHECK: test.reshape = #lgc.sharding_rule<([i, jk]) -> ([i, j, k]) {i = 2, j = 3, k = 4}>
  test.reshape = #lgc.sharding_rule<([i, jk]) -> ([i, j, k]) {i = 2, j = 3, k = 4}>,
  // CHECK: test.role = #lgc.role<state>
  test.role = #lgc.role<state>,
  // CHECK: test.scalar = #lgc.sharding_rule<([], []) -> ([]) {}>
  test.scalar = #lgc.sharding_rule<([], []) -> ([]) {}>,
  // CHECK: test.sort = #lgc.sharding_rule<([1, i, j]) -> ([1, i, j], [1, i, j]) {i = 2, j = 3} replicated = {j}>
  test.sort = #lgc.sharding_rule<([1, i, j]) -> ([1, i, j], [1, i, j]) {i = 2, j = 3} replicated = {j}>
} {}
