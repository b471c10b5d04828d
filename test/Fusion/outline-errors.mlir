// RUN: lgc-opt %s --lgc-outline-kernels --lgc-verify-fusion --split-input-file --verify-diagnostics

// expected-error @below {{has groups of operations that wait for each other}}
func.func @cycle(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %0 = lgc.neg %x {lgc.group = 0 : i64} : tensor<4x4xf32>
  %1 = lgc.exp %0 {lgc.group = 1 : i64} : tensor<4x4xf32>
  %2 = lgc.add %0, %1 {lgc.group = 0 : i64} : tensor<4x4xf32>
  return %2 : tensor<4x4xf32>
}

// -----

func.func @no_group(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{must be part of a kernel after fusion; outline it}}
  %0 = lgc.neg %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// expected-error @below {{is a kernel and must be private}}
func.func @public(%x: tensor<4xf32>) -> tensor<4xf32> attributes {lgc.kernel} {
  %0 = lgc.neg %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// expected-error @below {{isn't a group of operations that a target can emit as one kernel}}
func.func private @two_shapes(%x: tensor<4xf32>, %y: tensor<5xf32>) -> (tensor<4xf32>, tensor<5xf32>)
    attributes {lgc.kernel} {
  %0 = lgc.neg %x : tensor<4xf32>
  %1 = lgc.neg %y : tensor<5xf32>
  return %0, %1 : tensor<4xf32>, tensor<5xf32>
}

// -----

// expected-error @below {{argument #0 gives its memory to result 1, which doesn't exist}}
func.func private @no_result(%x: tensor<4xf32> {lgc.inplace = array<i64: 1>}) -> tensor<4xf32>
    attributes {lgc.kernel} {
  %0 = lgc.neg %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// expected-error @below {{their sizes must be equal}}
func.func private @sizes(%x: tensor<4xf32> {lgc.inplace = array<i64: 0>}) -> tensor<4xf64>
    attributes {lgc.kernel} {
  %0 = lgc.cast %x : tensor<4xf32> to tensor<4xf64>
  return %0 : tensor<4xf64>
}
