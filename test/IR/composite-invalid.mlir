// RUN: lgc-opt %s -verify-diagnostics -split-input-file

func.func @softmax(%x: tensor<4x8xf32>) {
  // expected-error@+1 {{goes along dimension 2 of a tensor of rank 2; name one of its dimensions}}
  %0 = lgc.softmax %x dim = 2 : tensor<4x8xf32>
  return
}

// -----

func.func @log_softmax(%x: tensor<4x8xf32>) {
  // expected-error@+1 {{goes along dimension -1 of a tensor of rank 2; name one of its dimensions}}
  %0 = lgc.log_softmax %x dim = -1 : tensor<4x8xf32>
  return
}

// -----

func.func @normalize(%x: tensor<4x8xf32>) {
  // expected-error@+1 {{has dims that don't increase within the rank 2; list increasing dimensions}}
  %0, %1, %2 = lgc.normalize %x dims = [1, 0] epsilon = 0.0 : tensor<4x8xf32>
  return
}

// -----

func.func @rms_normalize(%x: tensor<4x8xf32>) {
  // expected-error@+1 {{has dims that don't increase within the rank 2; list increasing dimensions}}
  %0, %1 = lgc.rms_normalize %x dims = [2] epsilon = 0.0 : tensor<4x8xf32>
  return
}

// -----

func.func @labels(%x: tensor<4x8xf32>, %l: tensor<8xi64>) {
  // expected-error@+1 {{has labels of type 'tensor<8xi64>'; they need the shape of the logits without dimension 1}}
  %0, %1 = lgc.cross_entropy %x, %l dim = 1 : tensor<4x8xf32>, tensor<8xi64>
  return
}

// -----

func.func @class_dim(%x: tensor<4x8xf32>, %l: tensor<4xi64>) {
  // expected-error@+1 {{goes along dimension 2 of a tensor of rank 2; name one of its dimensions}}
  %0, %1 = lgc.cross_entropy %x, %l dim = 2 : tensor<4x8xf32>, tensor<4xi64>
  return
}

// -----

func.func @shapes(%q: tensor<2x3x4xf32>, %k: tensor<2x5x3xf32>, %v: tensor<2x5x6xf32>) {
  // expected-error@+1 {{has query, key and value that don't fit: they are [batch..., Q, D], [batch..., K, D] and [batch..., K, E]}}
  %0, %1 = lgc.attention %q, %k, %v scale = 1.0 : tensor<2x3x4xf32>, tensor<2x5x3xf32>, tensor<2x5x6xf32>
  return
}

// -----

func.func @types(%q: tensor<3x4xf32>, %k: tensor<5x4xf64>, %v: tensor<5x6xf32>) {
  // expected-error@+1 {{has query, key and value of different element types; cast them to one}}
  %0, %1 = lgc.attention %q, %k, %v scale = 1.0 : tensor<3x4xf32>, tensor<5x4xf64>, tensor<5x6xf32>
  return
}

// -----

func.func @bias(%q: tensor<2x3x4xf32>, %k: tensor<2x5x4xf32>, %v: tensor<2x5x6xf32>, %b: tensor<2x5xf32>) {
  // expected-error@+1 {{has a bias of type 'tensor<2x5xf32>'; it must be broadcastable to 'tensor<2x3x5xf32>'}}
  %0, %1 = lgc.attention %q, %k, %v bias %b scale = 1.0 : tensor<2x3x4xf32>, tensor<2x5x4xf32>, tensor<2x5x6xf32>, tensor<2x5xf32>
  return
}
