// RUN: lgc-opt %s --lgc-verify-import --verify-diagnostics --split-input-file

// What holds after Import.
lgc.parameter @w <parameter> : tensor<2xf32> = 0.0 : f32
func.func @forward(%x: tensor<2xf32> {lgc.name = "x", lgc.role = #lgc.role<input>},
                   %w: tensor<2xf32> {lgc.name = "w", lgc.role = #lgc.role<parameter>})
    -> (tensor<2xf32> {lgc.name = "y"}) {
  %y = lgc.add %x, %w : tensor<2xf32>
  return %y : tensor<2xf32>
}
func.func @training_forward(%x: tensor<2xf32> {lgc.name = "x", lgc.role = #lgc.role<input>},
                            %w: tensor<2xf32> {lgc.name = "w", lgc.role = #lgc.role<parameter>})
    -> (tensor<2xf32> {lgc.name = "y"}) {
  %y = lgc.add %x, %w : tensor<2xf32>
  return %y : tensor<2xf32>
}

// -----

// expected-error @below {{has no function 'forward'}}
module {
}

// -----

// expected-error @below {{argument 0 has no 'lgc.name' or no 'lgc.role'}}
func.func @forward(%x: tensor<2xf32>) -> (tensor<2xf32> {lgc.name = "y"}) {
  return %x : tensor<2xf32>
}

// -----

// expected-error @below {{argument 'x' is out of order}}
func.func @forward(%s: tensor<i64> {lgc.name = "lgc.step", lgc.role = #lgc.role<scalar>},
                   %x: tensor<2xf32> {lgc.name = "x", lgc.role = #lgc.role<input>})
    -> (tensor<2xf32> {lgc.name = "y"}) {
  return %x : tensor<2xf32>
}

// -----

// expected-error @below {{argument 'w' has no 'lgc.parameter' of its name}}
func.func @forward(%w: tensor<2xf32> {lgc.name = "w", lgc.role = #lgc.role<parameter>})
    -> (tensor<2xf32> {lgc.name = "y"}) {
  return %w : tensor<2xf32>
}

// -----

// expected-error @below {{result 0 has neither 'lgc.name' nor 'lgc.updates'}}
func.func @forward(%x: tensor<2xf32> {lgc.name = "x", lgc.role = #lgc.role<input>})
    -> tensor<2xf32> {
  return %x : tensor<2xf32>
}
