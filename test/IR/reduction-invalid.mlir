// RUN: lgc-opt %s -verify-diagnostics -split-input-file

func.func @order(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{reduces dims that don't increase within the rank 2; list increasing dimensions}}
  %0 = lgc.reduce sum %x dims = [1, 0] : tensor<2x3xf32>
  return
}

// -----

func.func @rank(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{reduces dims that don't increase within the rank 2}}
  %0 = lgc.reduce sum %x dims = [2] : tensor<2x3xf32>
  return
}

// -----

func.func @bits(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{reduces elements by a kind that their type doesn't have; use and or or for bits, the others for numbers}}
  %0 = lgc.reduce and %x dims = [0] : tensor<2x3xf32>
  return
}

// -----

func.func @kind(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{searches by a kind without an index; use max or min}}
  %0, %1 = lgc.arg_reduce sum %x dim = 0 : tensor<2x3xf32>
  return
}

// -----

func.func @dim(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{searches dimension 2 of a tensor of rank 2; name one of its dimensions}}
  %0, %1 = lgc.arg_reduce max %x dim = 2 : tensor<2x3xf32>
  return
}

// -----

func.func @scan_dim(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{goes along dimension -1 of a tensor of rank 2; name one of its dimensions}}
  %0 = lgc.cumulative sum %x dim = -1 : tensor<2x3xf32>
  return
}

// -----

func.func @scan_kind(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{reduces elements by a kind that their type doesn't have}}
  %0 = lgc.cumulative or %x dim = 0 : tensor<2x3xf32>
  return
}

// -----

func.func @sort_dim(%x: tensor<f32>) {
  // expected-error@+1 {{sorts along dimension 0 of a tensor of rank 0; name one of its dimensions}}
  %0, %1 = lgc.sort %x dim = 0 : tensor<f32>
  return
}
