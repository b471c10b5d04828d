// RUN: lgc-opt %s --lgc-add-loss --split-input-file --verify-diagnostics

// expected-error @below {{has no function 'forward'; import a model before adding a loss}}
module {}

// -----

// expected-error @below {{has no scalar output that could be the loss; its outputs are 'y'; say which by --loss, for example --loss="cross_entropy(logits, labels)"}}
func.func @forward(%x: tensor<4xf32> {lgc.name = "x", lgc.role = #lgc.role<input>})
    -> (tensor<4xf32> {lgc.name = "y"}) {
  return %x : tensor<4xf32>
}

// -----

// expected-error @below {{has 2 scalar outputs (a, b) that could be the loss; say which by --loss}}
func.func @forward(%x: tensor<f32> {lgc.name = "x", lgc.role = #lgc.role<input>},
                   %i: tensor<i64> {lgc.name = "i", lgc.role = #lgc.role<input>})
    -> (tensor<f32> {lgc.name = "a"}, tensor<f32> {lgc.name = "b"}, tensor<i64> {lgc.name = "c"}) {
  return %x, %x, %i : tensor<f32>, tensor<f32>, tensor<i64>
}
