// RUN: lgc-opt %s -verify-diagnostics -split-input-file

func.func @axis(%x: tensor<3xf32>, %i: tensor<2xi64>) {
  // expected-error@+1 {{indexes dimension 1 of a tensor of rank 1; name one of its dimensions}}
  %0 = lgc.gather %x, %i axis = 1 : tensor<3xf32>, tensor<2xi64>
  return
}

// -----

func.func @empty(%x: tensor<0x3xf32>, %i: tensor<2xi64>) {
  // expected-error@+1 {{picks elements of a dimension that has none}}
  %0 = lgc.gather %x, %i axis = 0 : tensor<0x3xf32>, tensor<2xi64>
  return
}

// -----

func.func @updates(%x: tensor<3x4xf32>, %i: tensor<2xi64>, %u: tensor<2x3xf32>) {
  // expected-error@+1 {{has updates of type 'tensor<2x3xf32>' where 'tensor<2x4xf32>' fits}}
  %0 = lgc.scatter add %x, %i, %u axis = 0 : tensor<3x4xf32>, tensor<2xi64>, tensor<2x3xf32>
  return
}

// -----

func.func @scatter_axis(%x: tensor<3x4xf32>, %i: tensor<2xi64>, %u: tensor<2x4xf32>) {
  // expected-error@+1 {{indexes dimension -1 of a tensor of rank 2; name one of its dimensions}}
  %0 = lgc.scatter add %x, %i, %u axis = -1 : tensor<3x4xf32>, tensor<2xi64>, tensor<2x4xf32>
  return
}

// -----

func.func @tuple_width(%x: tensor<3x4xf32>, %i: tensor<2x3xi64>) {
  // expected-error@+1 {{has index tuples that don't fit the operand}}
  %0 = lgc.gather_nd %x, %i batch_dims = 0 : tensor<3x4xf32>, tensor<2x3xi64>
  return
}

// -----

func.func @tuple_batch(%x: tensor<3x4xf32>, %i: tensor<2x1xi64>) {
  // expected-error@+1 {{has index tuples that don't fit the operand}}
  %0 = lgc.gather_nd %x, %i batch_dims = 1 : tensor<3x4xf32>, tensor<2x1xi64>
  return
}

// -----

func.func @no_tuple(%x: tensor<0x4xf32>, %i: tensor<2x1xi64>) {
  // expected-error@+1 {{picks elements of an operand that has none}}
  %0 = lgc.gather_nd %x, %i batch_dims = 0 : tensor<0x4xf32>, tensor<2x1xi64>
  return
}

// -----

func.func @tuple_updates(%x: tensor<3x4xf32>, %i: tensor<2x1xi64>, %u: tensor<2x3xf32>) {
  // expected-error@+1 {{has updates of type 'tensor<2x3xf32>' where 'tensor<2x4xf32>' fits}}
  %0 = lgc.scatter_nd replace %x, %i, %u batch_dims = 0 : tensor<3x4xf32>, tensor<2x1xi64>, tensor<2x3xf32>
  return
}

// -----

func.func @scatter_tuples(%x: tensor<3x4xf32>, %i: tensor<2x3xi64>, %u: tensor<2xf32>) {
  // expected-error@+1 {{has index tuples that don't fit the operand}}
  %0 = lgc.scatter_nd replace %x, %i, %u batch_dims = 0 : tensor<3x4xf32>, tensor<2x3xi64>, tensor<2xf32>
  return
}

// -----

func.func @element_rank(%x: tensor<3x4xf32>, %i: tensor<2xi64>) {
  // expected-error@+1 {{has indices of another rank than the operand; make them equal}}
  %0 = lgc.gather_elements %x, %i axis = 0 : tensor<3x4xf32>, tensor<2xi64>
  return
}

// -----

func.func @element_size(%x: tensor<3x4xf32>, %i: tensor<2x5xi64>) {
  // expected-error@+1 {{has more indices in dimension 1 than the operand}}
  %0 = lgc.gather_elements %x, %i axis = 0 : tensor<3x4xf32>, tensor<2x5xi64>
  return
}

// -----

func.func @no_element(%x: tensor<0xf32>, %i: tensor<2xi64>) {
  // expected-error@+1 {{picks elements of an operand that has none}}
  %0 = lgc.gather_elements %x, %i axis = 0 : tensor<0xf32>, tensor<2xi64>
  return
}

// -----

func.func @element_updates(%x: tensor<3x4xf32>, %i: tensor<2x4xi64>, %u: tensor<3x4xf32>) {
  // expected-error@+1 {{needs indices and updates of one shape, of the operand's rank}}
  %0 = lgc.scatter_elements add %x, %i, %u axis = 0 : tensor<3x4xf32>, tensor<2x4xi64>, tensor<3x4xf32>
  return
}

// -----

func.func @element_type(%x: tensor<3x4xf32>, %i: tensor<2x4xi64>, %u: tensor<2x4xf64>) {
  // expected-error@+1 {{has updates of another element type than its operand; cast them}}
  %0 = lgc.scatter_elements add %x, %i, %u axis = 0 : tensor<3x4xf32>, tensor<2x4xi64>, tensor<2x4xf64>
  return
}

// -----

func.func @scatter_size(%x: tensor<3x4xf32>, %i: tensor<2x5xi64>, %u: tensor<2x5xf32>) {
  // expected-error@+1 {{has more indices in dimension 1 than the operand}}
  %0 = lgc.scatter_elements add %x, %i, %u axis = 0 : tensor<3x4xf32>, tensor<2x5xi64>, tensor<2x5xf32>
  return
}
