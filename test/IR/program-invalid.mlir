// RUN: lgc-opt %s -verify-diagnostics -split-input-file

// expected-error @+1 {{isn't a tensor of static shape; bind its dimensions}}
lgc.parameter @p <parameter> : tensor<?x3xf32> = 0.0 : f32

// -----

// expected-error @+1 {{is neither a parameter nor a state; give it one of these roles}}
lgc.parameter @p <input> : tensor<3xf32> = 0.0 : f32

// -----

// expected-error @+1 {{has an initial value of type 'tensor<2xf32>'; give one of type 'tensor<3xf32>'}}
lgc.parameter @p <parameter> : tensor<3xf32> = dense<0.0> : tensor<2xf32>

// -----

// expected-error @+1 {{takes 4 bytes of a file for 12 bytes of elements; both must be equal}}
lgc.parameter @p <parameter> : tensor<3xf32> = #lgc.external_data<file = "f", offset = 0, length = 4>

// -----

// expected-error @+1 {{starts at byte -4 of a file; give an offset of 0 or more}}
lgc.parameter @p <parameter> : tensor<3xf32> = #lgc.external_data<file = "f", offset = -4, length = 12>

// -----

// expected-error @+1 {{has an initial value that is neither elements, nor bytes of a file, nor one number of the element type}}
lgc.parameter @p <parameter> : tensor<3xf32> = 0.0 : f64

// -----

// expected-error @+1 {{has an initial value that is neither elements, nor bytes of a file, nor one number of the element type}}
lgc.parameter @p <parameter> : tensor<3xf32> = "zero"

// -----

func.func @no_micro_batches(%x: tensor<8xf32>) {
  // expected-error @+1 {{runs 0 micro-batches; give at least 1}}
  lgc.micro_batches count = 0 batched(%x) carried() : (tensor<8xf32>) -> () {
  ^bb0(%i: tensor<i64>, %piece: tensor<8xf32>):
    lgc.yield
  }
  return
}

// -----

func.func @unequal_pieces(%x: tensor<8xf32>) {
  // expected-error @+1 {{can't split 'tensor<8xf32>' into 3 equal pieces; choose a divisor of the batch}}
  lgc.micro_batches count = 3 batched(%x) carried() : (tensor<8xf32>) -> () {
  ^bb0(%i: tensor<i64>, %piece: tensor<2xf32>):
    lgc.yield
  }
  return
}

// -----

func.func @results_not_carried(%x: tensor<8xf32>, %c: tensor<f32>) {
  // expected-error @+1 {{has results of other types than its carried values; make them equal}}
  %0 = lgc.micro_batches count = 2 batched(%x) carried(%c) : (tensor<8xf32>, tensor<f32>) -> tensor<f64> {
  ^bb0(%i: tensor<i64>, %piece: tensor<4xf32>, %acc: tensor<f32>):
    lgc.yield %acc : tensor<f32>
  }
  return
}

// -----

func.func @body_with_other_arguments(%x: tensor<8xf32>) {
  // expected-error @+1 {{has a body whose arguments aren't the number of the micro-batch, the pieces and the carried values}}
  lgc.micro_batches count = 2 batched(%x) carried() : (tensor<8xf32>) -> () {
  ^bb0(%piece: tensor<4xf32>):
    lgc.yield
  }
  return
}

// -----

func.func @body_that_yields_nothing(%x: tensor<8xf32>, %c: tensor<f32>) {
  // expected-error @+1 {{has a body that doesn't yield the carried values}}
  %0 = lgc.micro_batches count = 2 batched(%x) carried(%c) : (tensor<8xf32>, tensor<f32>) -> tensor<f32> {
  ^bb0(%i: tensor<i64>, %piece: tensor<4xf32>, %acc: tensor<f32>):
    lgc.yield
  }
  return
}

// -----

func.func @yield_elsewhere() {
  // expected-error @+1 {{expects parent op to be one of 'lgc.micro_batches, lgc.checkpoint'}}
  lgc.yield
}

// -----

func.func @launch_of_nothing(%x: tensor<8xf32>) {
  // expected-error @+1 {{runs 'kernel', which is no kernel; outline it first}}
  %y = lgc.launch @kernel(%x) : (tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

func.func private @kernel(%x: tensor<8xf32>) -> tensor<8xf32>

func.func @launch_with_other_results(%x: tensor<8xf32>) {
  // expected-error @+1 {{has other results than 'kernel'}}
  %y = lgc.launch @kernel(%x) : (tensor<8xf32>) -> tensor<4xf32>
  return
}

// -----

func.func private @kernel(%x: tensor<8xf32>) -> tensor<8xf32>

func.func @launch_with_other_inputs(%x: tensor<4xf32>) {
  // expected-error @+1 {{has inputs that don't fit the arguments of 'kernel'}}
  %y = lgc.launch @kernel(%x) : (tensor<4xf32>) -> tensor<8xf32>
  return
}

// -----

func.func private @kernel(%x: tensor<8xf32>) -> tensor<8xf32>

func.func @launch_with_other_outputs(%x: memref<8xf32>, %y: memref<4xf32>) {
  // expected-error @+1 {{has outputs that don't fit the results of 'kernel'}}
  lgc.launch @kernel(%x) outs(%y : memref<4xf32>) : (memref<8xf32>) -> ()
  return
}

// -----

// expected-error @+1 {{has an 'lgc.role' that isn't a role; write #lgc.role<input> or the like}}
func.func @f(%x: tensor<4xf32> {lgc.role = "input"}) {
  return
}

// -----

// expected-error @+1 {{has an attribute 'lgc.updates' that isn't a string; give the name}}
func.func @f(%x: tensor<4xf32>) -> (tensor<4xf32> {lgc.updates = @x}) {
  return %x : tensor<4xf32>
}

// -----

func.func @f(%x: tensor<4xf32>) {
  // expected-error @+1 {{has 'lgc.kernel', which belongs on functions; remove it}}
  %0 = lgc.exp %x {lgc.kernel} : tensor<4xf32>
  return
}
