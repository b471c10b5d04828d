// RUN: lgc-opt %s --lgc-verify-training --split-input-file --verify-diagnostics

// expected-error @below {{has no @train_step in place of @training_forward; run lgc-build-train-step}}
module {}

// -----

// expected-error @below {{has no @forward, which gives the loss without training; import a model}}
module {
  func.func @train_step() {
    return
  }
}

// -----

// expected-error @below {{has no scalar result 'lgc.loss'; add the loss}}
func.func @train_step(%x: tensor<1xf32> {lgc.name = "x", lgc.role = #lgc.role<input>})
    -> (tensor<1xf32> {lgc.name = "lgc.loss"}) {
  return %x : tensor<1xf32>
}
func.func @forward() {
  return
}

// -----

func.func @train_step(%x: tensor<f32> {lgc.name = "x", lgc.role = #lgc.role<input>})
    -> (tensor<f32> {lgc.name = "lgc.loss"}) {
  return %x : tensor<f32>
}
// expected-error @below {{has no scalar result 'lgc.forward_loss'; add the loss}}
func.func @forward() {
  return
}

// -----

// expected-error @below {{has argument 0 without a name and a role; give it both}}
func.func @train_step(%x: tensor<f32> {lgc.name = "x"})
    -> (tensor<f32> {lgc.name = "lgc.loss"}) {
  return %x : tensor<f32>
}
func.func @forward() {
  return
}

// -----

lgc.parameter @w <state> : tensor<f32> = 1.0 : f32
// expected-error @below {{takes 'w', for which there is no lgc.parameter of its role and type; declare it}}
func.func @train_step(%w: tensor<f32> {lgc.name = "w", lgc.role = #lgc.role<parameter>})
    -> (tensor<f32> {lgc.name = "lgc.loss"}) {
  return %w : tensor<f32>
}
func.func @forward() {
  return
}

// -----

lgc.parameter @w <parameter> : tensor<f32> = 1.0 : f32
// expected-error @below {{updates 'w' twice; keep one of them}}
func.func @train_step(%w: tensor<f32> {lgc.name = "w", lgc.role = #lgc.role<parameter>})
    -> (tensor<f32> {lgc.name = "lgc.loss"}, tensor<f32> {lgc.updates = "w"}, tensor<f32> {lgc.updates = "w"}) {
  return %w, %w, %w : tensor<f32>, tensor<f32>, tensor<f32>
}
func.func @forward(%w: tensor<f32> {lgc.name = "w", lgc.role = #lgc.role<parameter>})
    -> (tensor<f32> {lgc.name = "lgc.forward_loss"}) {
  return %w : tensor<f32>
}

// -----

// expected-error @below {{updates 'w' by a value that isn't of its argument's type; both must be equal}}
func.func @train_step(%x: tensor<f32> {lgc.name = "x", lgc.role = #lgc.role<input>})
    -> (tensor<f32> {lgc.name = "lgc.loss"}, tensor<f32> {lgc.updates = "w"}) {
  return %x, %x : tensor<f32>, tensor<f32>
}
func.func @forward(%x: tensor<f32> {lgc.name = "x", lgc.role = #lgc.role<input>})
    -> (tensor<f32> {lgc.name = "lgc.forward_loss"}) {
  return %x : tensor<f32>
}
