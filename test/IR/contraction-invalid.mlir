// RUN: lgc-opt %s -verify-diagnostics -split-input-file

func.func @types(%a: tensor<2x3xf32>, %b: tensor<3x4xf64>) {
  // expected-error@+1 {{multiplies elements of different types; cast one of them}}
  %0 = lgc.dot %a, %b batch = [] x [] contract = [1] x [0] : tensor<2x3xf32>, tensor<3x4xf64>
  return
}

// -----

func.func @sizes(%a: tensor<2x3xf32>, %b: tensor<5x4xf32>) {
  // expected-error@+1 {{pairs dimensions of different sizes}}
  %0 = lgc.dot %a, %b batch = [] x [] contract = [1] x [0] : tensor<2x3xf32>, tensor<5x4xf32>
  return
}

// -----

func.func @twice(%a: tensor<3x3xf32>, %b: tensor<3x3xf32>) {
  // expected-error@+1 {{has batch and contracted dimensions that don't pair up; name each dimension of an operand once at most}}
  %0 = lgc.dot %a, %b batch = [0] x [0] contract = [0] x [1] : tensor<3x3xf32>, tensor<3x3xf32>
  return
}

// -----

func.func @unpaired(%a: tensor<3x3xf32>, %b: tensor<3x3xf32>) {
  // expected-error@+1 {{has batch and contracted dimensions that don't pair up}}
  %0 = lgc.dot %a, %b batch = [] x [] contract = [0, 1] x [1] : tensor<3x3xf32>, tensor<3x3xf32>
  return
}

// -----

func.func @groups(%x: tensor<1x4x8xf32>, %w: tensor<6x4x3xf32>) {
  // expected-error@+1 {{has input, filter, geometry and output that don't fit each other}}
  %0 = lgc.convolution %x, %w strides = [1] dilations = [1] low = [0] high = [0] groups = 2 : tensor<1x4x8xf32>, tensor<6x4x3xf32>
  return
}

// -----

func.func @kernel(%x: tensor<1x4x8xf32>, %w: tensor<6x4x3xf32>) {
  // expected-error@+1 {{has input, filter, geometry and output that don't fit each other}}
  %0 = lgc.convolution %x, %w strides = [1] dilations = [4] low = [0] high = [0] groups = 1 : tensor<1x4x8xf32>, tensor<6x4x3xf32>
  return
}

// -----

func.func @output(%y: tensor<1x6x5xf32>, %w: tensor<6x4x3xf32>) {
  // expected-error@+1 {{has input, filter, geometry and output that don't fit each other}}
  %0 = lgc.convolution_input %y, %w strides = [1] dilations = [1] low = [0] high = [0] groups = 1 : tensor<1x6x5xf32>, tensor<6x4x3xf32> to tensor<1x4x8xf32>
  return
}

// -----

func.func @filter(%x: tensor<1x4x8xf32>, %y: tensor<1x6x5xf32>) {
  // expected-error@+1 {{has input, filter, geometry and output that don't fit each other}}
  %0 = lgc.convolution_filter %x, %y strides = [1] dilations = [1] low = [0] high = [0] groups = 1 : tensor<1x4x8xf32>, tensor<1x6x5xf32> to tensor<6x4x3xf32>
  return
}

// -----

func.func @mixed(%x: tensor<1x4x8xf32>, %w: tensor<6x4x3xf64>) {
  // expected-error@+1 {{multiplies elements of different types; cast one of them}}
  %0 = lgc.convolution %x, %w strides = [1] dilations = [1] low = [0] high = [0] groups = 1 : tensor<1x4x8xf32>, tensor<6x4x3xf64>
  return
}
