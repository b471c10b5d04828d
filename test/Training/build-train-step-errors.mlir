// RUN: lgc-opt %s --lgc-build-train-step="frozen=frozen*" --split-input-file --verify-diagnostics

// expected-error @below {{has no function 'training_forward'; import a model for training}}
module {
  lgc.parameter @frozen <parameter> : tensor<4xf32> = 1.0 : f32
}

// -----

// expected-error @below {{can't freeze 'frozen*': no parameter has such a name; there are thawed}}
module {
  lgc.parameter @thawed <parameter> : tensor<4xf32> = 1.0 : f32
  func.func @training_forward() {
    return
  }
}

// -----

lgc.parameter @frozen <parameter> : tensor<4xf32> = 1.0 : f32
// expected-error @below {{has no loss; run lgc-add-loss first}}
func.func @training_forward() {
  return
}

// -----

lgc.parameter @frozen <parameter> : tensor<4xf32> = 1.0 : f32
// expected-remark @below {{isn't trained: the loss doesn't depend on it}}
lgc.parameter @unused <parameter> : tensor<4xf32> = 1.0 : f32
// expected-error @below {{has nothing to train: every parameter is frozen or without influence on the loss; freeze fewer or choose another loss}}
func.func @training_forward(%w: tensor<4xf32> {lgc.name = "frozen", lgc.role = #lgc.role<parameter>},
                            %v: tensor<4xf32> {lgc.name = "unused", lgc.role = #lgc.role<parameter>})
    -> (tensor<f32> {lgc.name = "lgc.loss_sum"}, tensor<f32> {lgc.name = "lgc.loss_count"}) {
  // Rounding lets no gradient through.
  %r = lgc.floor %v : tensor<4xf32>
  %0 = lgc.add %w, %r : tensor<4xf32>
  %sum = lgc.reduce sum %0 dims = [0] : tensor<4xf32>
  %count = lgc.constant dense<4.0> : tensor<f32>
  return %sum, %count : tensor<f32>, tensor<f32>
}

// -----

lgc.parameter @frozen <parameter> : tensor<4xf32> = 1.0 : f32
// expected-error @below {{has a parameter 'v' without a declaration; add an lgc.parameter of its name}}
func.func @training_forward(%v: tensor<4xf32> {lgc.name = "v", lgc.role = #lgc.role<parameter>})
    -> (tensor<f32> {lgc.name = "lgc.loss_sum"}, tensor<f32> {lgc.name = "lgc.loss_count"}) {
  %sum = lgc.reduce sum %v dims = [0] : tensor<4xf32>
  %count = lgc.constant dense<4.0> : tensor<f32>
  return %sum, %count : tensor<f32>, tensor<f32>
}

// -----

// All operations without a gradient are named at once, but only those between parameters and loss.
lgc.parameter @frozen <parameter> : tensor<4xf32> = 1.0 : f32
lgc.parameter @v <parameter> : tensor<4xf32> = 1.0 : f32
func.func private @opaque(tensor<4xf32>) -> tensor<4xf32>
func.func @training_forward(%x: tensor<4xf32> {lgc.name = "x", lgc.role = #lgc.role<input>},
                            %w: tensor<4xf32> {lgc.name = "frozen", lgc.role = #lgc.role<parameter>},
                            %v: tensor<4xf32> {lgc.name = "v", lgc.role = #lgc.role<parameter>})
    -> (tensor<f32> {lgc.name = "lgc.loss_sum"}, tensor<f32> {lgc.name = "lgc.loss_count"}) {
  %unvaried = call @opaque(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %frozen = call @opaque(%w) : (tensor<4xf32>) -> tensor<4xf32>
  %unused = call @opaque(%v) : (tensor<4xf32>) -> tensor<4xf32>
  // expected-error @below {{has no gradient, but the loss depends on parameters through it; freeze these parameters or export the model without 'func.call'}}
  %0 = call @opaque(%v) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = lgc.mul %0, %unvaried : tensor<4xf32>
  // expected-error @below {{has no gradient, but the loss depends on parameters through it}}
  %2 = call @opaque(%1) : (tensor<4xf32>) -> tensor<4xf32>
  %3 = lgc.add %2, %frozen : tensor<4xf32>
  %sum = lgc.reduce sum %3 dims = [0] : tensor<4xf32>
  %count = lgc.constant dense<4.0> : tensor<f32>
  return %sum, %count : tensor<f32>, tensor<f32>
}
