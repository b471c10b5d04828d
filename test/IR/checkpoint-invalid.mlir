// RUN: lgc-opt %s -split-input-file -verify-diagnostics

func.func @arguments(%x: tensor<4xf32>) {
  // expected-error @below {{has a body whose arguments aren't its inputs; give one for each}}
  %0 = lgc.checkpoint "a" inputs(%x) : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<5xf32>):
    %1 = lgc.constant dense<0.0> : tensor<4xf32>
    lgc.yield %1 : tensor<4xf32>
  }
  return
}

// -----

func.func @results(%x: tensor<4xf32>) {
  // expected-error @below {{has a body that doesn't yield its results}}
  %0 = lgc.checkpoint "a" inputs(%x) : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>):
    lgc.yield
  }
  return
}

// -----

func.func @outside(%x: tensor<4xf32>) {
  // expected-note @below {{required by region isolation constraints}}
  %0 = lgc.checkpoint "a" inputs(%x) : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>):
    // expected-error @below {{using value defined outside the region}}
    %1 = lgc.tanh %x : tensor<4xf32>
    lgc.yield %1 : tensor<4xf32>
  }
  return
}

// -----

func.func @barrier(%x: tensor<4xf32>) {
  // expected-error @below {{has results of other types than its values; make them equal}}
  %0 = lgc.barrier(%x) after(%x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<5xf32>
  return
}
