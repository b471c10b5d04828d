// RUN: lgc-opt %s -verify-diagnostics -split-input-file

func.func @rank(%x: tensor<2x3x8xf32>) {
  // expected-error@+1 {{has windows that don't fit [batch, channels, spatial...]}}
  %0 = lgc.reduce_window max %x window = [2, 2] strides = [1, 1] dilations = [1, 1] low = [0, 0] high = [0, 0] : tensor<2x3x8xf32>
  return
}

// -----

func.func @large(%x: tensor<2x3x8xf32>) {
  // expected-error@+1 {{has windows that don't fit [batch, channels, spatial...]}}
  %0 = lgc.reduce_window max %x window = [4] strides = [1] dilations = [3] low = [0] high = [0] : tensor<2x3x8xf32>
  return
}

// -----

func.func @stride(%x: tensor<2x3x8xf32>) {
  // expected-error@+1 {{has windows that don't fit [batch, channels, spatial...]}}
  %0, %1 = lgc.window_argmax %x window = [2] strides = [0] dilations = [1] low = [0] high = [0] : tensor<2x3x8xf32>
  return
}

// -----

func.func @absurd(%x: tensor<2x3x8xf32>) {
  // expected-error@+1 {{has windows that don't fit [batch, channels, spatial...]}}
  %0 = lgc.reduce_window max %x window = [4611686018427387904] strides = [1] dilations = [4611686018427387904] low = [0] high = [9223372036854775807] : tensor<2x3x8xf32>
  return
}

// -----

func.func @kind(%x: tensor<2x3x8xf32>) {
  // expected-error@+1 {{reduces elements by a kind that their type doesn't have}}
  %0 = lgc.reduce_window or %x window = [2] strides = [1] dilations = [1] low = [0] high = [0] : tensor<2x3x8xf32>
  return
}

// -----

func.func @updates(%u: tensor<2x3x5xf32>) {
  // expected-error@+1 {{has updates that aren't one for each window of its result}}
  %0 = lgc.window_scatter %u window = [2] strides = [2] dilations = [1] low = [0] high = [0] : tensor<2x3x5xf32> to tensor<2x3x8xf32>
  return
}

// -----

func.func @indices(%u: tensor<2x3x4xf32>, %i: tensor<2x3x3xi64>) {
  // expected-error@+1 {{has indices that aren't one for each update}}
  %0 = lgc.window_scatter %u at %i window = [2] strides = [2] dilations = [1] low = [0] high = [0] : tensor<2x3x4xf32>, tensor<2x3x3xi64> to tensor<2x3x8xf32>
  return
}
