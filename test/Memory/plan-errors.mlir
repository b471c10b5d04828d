// RUN: lgc-opt %s --lgc-plan-memory --split-input-file --verify-diagnostics

// expected-error @below {{argument #0 isn't a tensor of static shape with 'lgc.name' and 'lgc.role'; give it both}}
func.func @forward(%x: tensor<4xf32>) {
  return
}

// -----

// expected-error @below {{result #0 isn't a tensor of static shape with 'lgc.name' or 'lgc.updates'; give it one}}
func.func @forward(%x: tensor<4xf32> {lgc.name = "x", lgc.role = #lgc.role<input>}) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}

// -----

// expected-error @below {{updates "w", which is no argument of type 'tensor<4xf32>'; take it as one}}
func.func @forward(%x: tensor<4xf32> {lgc.name = "x", lgc.role = #lgc.role<input>})
    -> (tensor<4xf32> {lgc.updates = "w"}) {
  return %x : tensor<4xf32>
}

// -----

func.func @a(%x: tensor<4xf32> {lgc.name = "x", lgc.role = #lgc.role<input>}) {
  return
}
// expected-error @below {{a name means the same tensor in all functions}}
func.func @b(%x: tensor<5xf32> {lgc.name = "x", lgc.role = #lgc.role<input>}) {
  return
}

// -----

func.func @forward(%x: tensor<4xf32> {lgc.name = "x", lgc.role = #lgc.role<input>})
    -> (tensor<4xf32> {lgc.name = "y"}) {
  // expected-error @below {{is no launch; run fusion before memory is planned}}
  %0 = lgc.neg %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}
