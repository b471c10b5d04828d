// RUN: lgc-opt %s -verify-diagnostics -split-input-file

func.func @iota_along_no_dimension() {
  // expected-error @+1 {{counts along dimension 2 of a tensor of rank 2; name one of its dimensions}}
  %0 = lgc.iota dim = 2 : tensor<4x4xi32>
  return
}

// -----

func.func @iota_of_booleans() {
  // expected-error @+1 {{result #0 must be statically shaped tensor of number values}}
  %0 = lgc.iota dim = 0 : tensor<4xi1>
  return
}

// -----

func.func @reshape_to_other_size(%x: tensor<4x6xf32>) {
  // expected-error @+1 {{makes 20 elements of 24; both shapes must hold the same number}}
  %0 = lgc.reshape %x : tensor<4x6xf32> to tensor<4x5xf32>
  return
}

// -----

func.func @reshape_to_other_type(%x: tensor<4xf32>) {
  // expected-error @+1 {{changes the element type; use lgc.cast for that}}
  %0 = lgc.reshape %x : tensor<4xf32> to tensor<4xi32>
  return
}

// -----

func.func @transpose_without_a_dimension(%x: tensor<4x6xf32>) {
  // expected-error @+1 {{the permutation doesn't name each of the 2 dimensions once; list them in their new order}}
  %0 = lgc.transpose %x permutation = [0, 0] : tensor<4x6xf32>
  return
}

// -----

func.func @transpose_of_no_tensor(%x: index) {
  // expected-error @+1 {{invalid kind of type specified: expected builtin.tensor, but found 'index'}}
  %0 = lgc.transpose %x permutation = [] : index
  return
}

// -----

func.func @broadcast_to_other_type(%x: tensor<4xf32>) {
  // expected-error @+1 {{changes the element type; use lgc.cast for that}}
  %0 = lgc.broadcast %x dims = [0] : tensor<4xf32> to tensor<4xf64>
  return
}

// -----

func.func @broadcast_with_too_few_dims(%x: tensor<4x1xf32>) {
  // expected-error @+1 {{maps 1 dimensions of an operand of rank 2; give one number for each}}
  %0 = lgc.broadcast %x dims = [0] : tensor<4x1xf32> to tensor<4x4xf32>
  return
}

// -----

func.func @broadcast_that_transposes(%x: tensor<4x4xf32>) {
  // expected-error @+1 {{has dims that don't increase within the result's rank 2; list increasing dimensions}}
  %0 = lgc.broadcast %x dims = [1, 0] : tensor<4x4xf32> to tensor<4x4xf32>
  return
}

// -----

func.func @broadcast_of_other_size(%x: tensor<3xf32>) {
  // expected-error @+1 {{can't repeat dimension 0 of size 3 to size 6; only size 1 repeats}}
  %0 = lgc.broadcast %x dims = [0] : tensor<3xf32> to tensor<6xf32>
  return
}

// -----

func.func @slice_with_too_few_numbers(%x: tensor<4x6xf32>) {
  // expected-error @+1 {{starts, limits and strides need one number for each of the 2 dimensions}}
  %0 = lgc.slice %x starts = [0] limits = [4] strides = [1] : tensor<4x6xf32>
  return
}

// -----

func.func @slice_beyond_the_end(%x: tensor<4xf32>) {
  // expected-error @+1 {{the slice 2:5:1 leaves dimension 0 of size 4; choose 0 <= start <= limit <= size and a stride of 1 or more}}
  %0 = lgc.slice %x starts = [2] limits = [5] strides = [1] : tensor<4xf32>
  return
}

// -----

func.func @slice_without_progress(%x: tensor<4xf32>) {
  // expected-error @+1 {{the slice 0:4:0 leaves dimension 0 of size 4}}
  %0 = lgc.slice %x starts = [0] limits = [4] strides = [0] : tensor<4xf32>
  return
}

// -----

func.func @pad_with_too_few_numbers(%x: tensor<4x6xf32>) {
  // expected-error @+1 {{low, high and interior need one number for each of the 2 dimensions}}
  %0 = lgc.pad %x value = 0.0 : f32 low = [1, 1] high = [1] interior = [0, 0] : tensor<4x6xf32>
  return
}

// -----

func.func @pad_by_less_than_nothing(%x: tensor<4xf32>) {
  // expected-error @+1 {{padding is negative; use lgc.slice to drop elements}}
  %0 = lgc.pad %x value = 0.0 : f32 low = [-1] high = [0] interior = [0] : tensor<4xf32>
  return
}

// -----

func.func @pad_without_end(%x: tensor<4xf32>) {
  // expected-error @+1 {{padding makes dimension 0 larger than any tensor; choose smaller numbers}}
  %0 = lgc.pad %x value = 0.0 : f32 low = [9223372036854775807] high = [0] interior = [0] : tensor<4xf32>
  return
}

// -----

func.func @pad_with_other_type(%x: tensor<4xf32>) {
  // expected-error @+1 {{pads with a value of another type than its elements'; convert it}}
  %0 = lgc.pad %x value = 0 : i32 low = [1] high = [0] interior = [0] : tensor<4xf32>
  return
}

// -----

func.func @concat_of_nothing() {
  // expected-error @+2 {{has nothing to put together; give at least one operand}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = "lgc.concat"() {dim = 0 : i64} : () -> tensor<0xf32>
  return
}

// -----

func.func @concat_along_no_dimension(%x: tensor<4xf32>) {
  // expected-error @+1 {{joins along dimension 1 of tensors of rank 1; name one of their dimensions}}
  %0 = lgc.concat %x, %x dim = 1 : tensor<4xf32>, tensor<4xf32>
  return
}

// -----

func.func @concat_of_other_types(%x: tensor<4xf32>, %y: tensor<4xf64>) {
  // expected-error @+1 {{joins tensors of different rank or element type}}
  %0 = lgc.concat %x, %y dim = 0 : tensor<4xf32>, tensor<4xf64>
  return
}

// -----

func.func @concat_of_other_sizes(%x: tensor<4x2xf32>, %y: tensor<4x3xf32>) {
  // expected-error @+1 {{joins tensors whose sizes differ in dimension 1; only dimension 0 may differ}}
  %0 = lgc.concat %x, %y dim = 0 : tensor<4x2xf32>, tensor<4x3xf32>
  return
}

// -----

func.func @reverse_twice_along_a_dimension(%x: tensor<4x2xf32>) {
  // expected-error @+1 {{has dims that don't increase within the rank 2; list increasing dimensions}}
  %0 = lgc.reverse %x dims = [1, 1] : tensor<4x2xf32>
  return
}

// -----

func.func @constant_of_other_type() {
  // expected-error @+1 {{failed to verify that all of {value, result} have same type}}
  %0 = "lgc.constant"() {value = dense<1.0> : tensor<2xf32>} : () -> tensor<3xf32>
  return
}

// -----

func.func @slice_of_dynamic_shape(%x: tensor<?xf32>) {
  // expected-error @+1 {{operand 0 has type 'tensor<?xf32>'; give a tensor of static shape}}
  %0 = lgc.slice %x starts = [0] limits = [1] strides = [1] : tensor<?xf32>
  return
}

// -----

func.func @dot_of_dynamic_shape(%x: tensor<?x2xf32>) {
  // expected-error @+1 {{operand 0 has type 'tensor<?x2xf32>'; give a tensor of static shape}}
  %0 = lgc.dot %x, %x batch = [] x [] contract = [1] x [1] : tensor<?x2xf32>, tensor<?x2xf32>
  return
}
