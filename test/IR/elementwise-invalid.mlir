// RUN: lgc-opt %s -verify-diagnostics -split-input-file

func.func @exp_of_integers(%x: tensor<2xi32>) {
  // expected-error @+1 {{operand #0 must be statically shaped tensor of floating-point number values}}
  %0 = lgc.exp %x : tensor<2xi32>
  return
}

// -----

func.func @dynamic_shape(%x: tensor<?xf32>) {
  // expected-error @+1 {{operand #0 must be statically shaped tensor}}
  %0 = lgc.neg %x : tensor<?xf32>
  return
}

// -----

func.func @no_tensor(%x: f32) {
  // expected-error @+1 {{invalid kind of type specified: expected builtin.tensor, but found 'f32'}}
  %0 = lgc.is_nan %x : f32
  return
}

// -----

func.func @dynamic_operand(%x: tensor<?xf32>) {
  // expected-error @+1 {{operand 0 has type 'tensor<?xf32>'; give a tensor of static shape}}
  %0 = lgc.compare lt %x, %x : tensor<?xf32>
  return
}

// -----

func.func @bitcast_of_other_width(%x: tensor<2xf32>) {
  // expected-error @+1 {{changes the width of its elements; use lgc.cast to convert them}}
  %0 = lgc.bitcast %x : tensor<2xf32> to tensor<2xi16>
  return
}

// -----

func.func @cast_to_other_shape(%x: tensor<2xf32>) {
  // expected-error @+1 {{all non-scalar operands/results must have the same shape and base type}}
  %0 = lgc.cast %x : tensor<2xf32> to tensor<3xf64>
  return
}

// -----

func.func @condition_of_other_shape(%c: tensor<3xi1>, %x: tensor<2xf32>) {
  // expected-error @+1 {{all non-scalar operands/results must have the same shape and base type}}
  %0 = lgc.select %c, %x, %x : tensor<3xi1>, tensor<2xf32>
  return
}

// -----

func.func @condition_of_numbers(%c: tensor<2xi8>, %x: tensor<2xf32>) {
  // expected-error @+1 {{operand #0 must be statically shaped tensor of 1-bit signless integer values}}
  %0 = lgc.select %c, %x, %x : tensor<2xi8>, tensor<2xf32>
  return
}

// -----

func.func @shift_of_floats(%x: tensor<2xf32>) {
  // expected-error @+1 {{operand #0 must be statically shaped tensor of integer values}}
  %0 = lgc.shift_left %x, %x : tensor<2xf32>
  return
}

// -----

func.func @foreign_element_type(%x: tensor<2xcomplex<f32>>) {
  // expected-error @+1 {{operand #0 must be statically shaped tensor of number values}}
  %0 = lgc.add %x, %x : tensor<2xcomplex<f32>>
  return
}

// -----

func.func @unknown_predicate(%x: tensor<2xf32>) {
  // expected-error @+2 {{expected one of [eq, ne, lt, le, gt, ge] for how elements are compared, got: below}}
  // expected-error @+1 {{failed to parse Lgc_ComparePredicateAttr}}
  %0 = lgc.compare below %x, %x : tensor<2xf32>
  return
}
