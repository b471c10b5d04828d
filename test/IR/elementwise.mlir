// RUN: lgc-opt %s | lgc-opt - | FileCheck %s
// RUN: lgc-opt %s -mlir-print-op-generic | lgc-opt - | FileCheck %s

// CHECK-LABEL: func @unary
func.func @unary(%x: tensor<2x3xf32>) {
  // CHECK: lgc.neg %{{.*}} : tensor<2x3xf32>
  %neg = lgc.neg %x : tensor<2x3xf32>
  // CHECK: lgc.abs %{{.*}} : tensor<2x3xf32>
  %abs = lgc.abs %x : tensor<2x3xf32>
  // CHECK: lgc.exp %{{.*}} : tensor<2x3xf32>
  %exp = lgc.exp %x : tensor<2x3xf32>
  // CHECK: lgc.log %{{.*}} : tensor<2x3xf32>
  %log = lgc.log %x : tensor<2x3xf32>
  // CHECK: lgc.log1p %{{.*}} : tensor<2x3xf32>
  %log1p = lgc.log1p %x : tensor<2x3xf32>
  // CHECK: lgc.sqrt %{{.*}} : tensor<2x3xf32>
  %sqrt = lgc.sqrt %x : tensor<2x3xf32>
  // CHECK: lgc.rsqrt %{{.*}} : tensor<2x3xf32>
  %rsqrt = lgc.rsqrt %x : tensor<2x3xf32>
  // CHECK: lgc.sin %{{.*}} : tensor<2x3xf32>
  %sin = lgc.sin %x : tensor<2x3xf32>
  // CHECK: lgc.cos %{{.*}} : tensor<2x3xf32>
  %cos = lgc.cos %x : tensor<2x3xf32>
  // CHECK: lgc.tan %{{.*}} : tensor<2x3xf32>
  %tan = lgc.tan %x : tensor<2x3xf32>
  // CHECK: lgc.asin %{{.*}} : tensor<2x3xf32>
  %asin = lgc.asin %x : tensor<2x3xf32>
  // CHECK: lgc.acos %{{.*}} : tensor<2x3xf32>
  %acos = lgc.acos %x : tensor<2x3xf32>
  // CHECK: lgc.atan %{{.*}} : tensor<2x3xf32>
  %atan = lgc.atan %x : tensor<2x3xf32>
  // CHECK: lgc.sinh %{{.*}} : tensor<2x3xf32>
  %sinh = lgc.sinh %x : tensor<2x3xf32>
  // CHECK: lgc.cosh %{{.*}} : tensor<2x3xf32>
  %cosh = lgc.cosh %x : tensor<2x3xf32>
  // CHECK: lgc.tanh %{{.*}} : tensor<2x3xf32>
  %tanh = lgc.tanh %x : tensor<2x3xf32>
  // CHECK: lgc.asinh %{{.*}} : tensor<2x3xf32>
  %asinh = lgc.asinh %x : tensor<2x3xf32>
  // CHECK: lgc.acosh %{{.*}} : tensor<2x3xf32>
  %acosh = lgc.acosh %x : tensor<2x3xf32>
  // CHECK: lgc.atanh %{{.*}} : tensor<2x3xf32>
  %atanh = lgc.atanh %x : tensor<2x3xf32>
  // CHECK: lgc.erf %{{.*}} : tensor<2x3xf32>
  %erf = lgc.erf %x : tensor<2x3xf32>
  // CHECK: lgc.logistic %{{.*}} : tensor<2x3xf32>
  %logistic = lgc.logistic %x : tensor<2x3xf32>
  // CHECK: lgc.sign %{{.*}} : tensor<2x3xf32>
  %sign = lgc.sign %x : tensor<2x3xf32>
  // CHECK: lgc.ceil %{{.*}} : tensor<2x3xf32>
  %ceil = lgc.ceil %x : tensor<2x3xf32>
  // CHECK: lgc.floor %{{.*}} : tensor<2x3xf32>
  %floor = lgc.floor %x : tensor<2x3xf32>
  // CHECK: lgc.round_even %{{.*}} : tensor<2x3xf32>
  %round_even = lgc.round_even %x : tensor<2x3xf32>
  return
}

// CHECK-LABEL: func @unary_types
func.func @unary_types(%x: tensor<2xui8>, %y: tensor<2xi1>, %z: tensor<bf16>, %w: tensor<0x4xf16>) {
  // CHECK: lgc.not %{{.*}} : tensor<2xui8>
  %0 = lgc.not %x : tensor<2xui8>
  // CHECK: lgc.not %{{.*}} : tensor<2xi1>
  %1 = lgc.not %y : tensor<2xi1>
  // CHECK: lgc.neg %{{.*}} : tensor<2xui8>
  %2 = lgc.neg %x : tensor<2xui8>
  // CHECK: lgc.exp %{{.*}} : tensor<bf16>
  %3 = lgc.exp %z : tensor<bf16>
  // CHECK: lgc.tanh %{{.*}} : tensor<0x4xf16>
  %4 = lgc.tanh %w : tensor<0x4xf16>
  return
}

// CHECK-LABEL: func @predicates
func.func @predicates(%x: tensor<2x3xf64>) -> (tensor<2x3xi1>, tensor<2x3xi1>, tensor<2x3xi1>) {
  // CHECK: lgc.is_nan %{{.*}} : tensor<2x3xf64>
  %0 = lgc.is_nan %x : tensor<2x3xf64>
  // CHECK: lgc.is_inf %{{.*}} : tensor<2x3xf64>
  %1 = lgc.is_inf %x : tensor<2x3xf64>
  // CHECK: lgc.is_inf %{{.*}} {detect_negative = false} : tensor<2x3xf64>
  %2 = lgc.is_inf %x {detect_negative = false} : tensor<2x3xf64>
  return %0, %1, %2 : tensor<2x3xi1>, tensor<2x3xi1>, tensor<2x3xi1>
}

// CHECK-LABEL: func @conversions
func.func @conversions(%x: tensor<2xf32>) {
  // CHECK: lgc.cast %{{.*}} : tensor<2xf32> to tensor<2xi8>
  %0 = lgc.cast %x : tensor<2xf32> to tensor<2xi8>
  // CHECK: lgc.cast %{{.*}} saturate : tensor<2xf32> to tensor<2xui8>
  %1 = lgc.cast %x saturate : tensor<2xf32> to tensor<2xui8>
  // CHECK: lgc.bitcast %{{.*}} : tensor<2xf32> to tensor<2xi32>
  %2 = lgc.bitcast %x : tensor<2xf32> to tensor<2xi32>
  return
}

// CHECK-LABEL: func @binary
func.func @binary(%x: tensor<4xf32>, %y: tensor<4xf32>, %i: tensor<4xui16>, %j: tensor<4xui16>) {
  // CHECK: lgc.add %{{.*}}, %{{.*}} : tensor<4xf32>
  %add = lgc.add %x, %y : tensor<4xf32>
  // CHECK: lgc.sub %{{.*}}, %{{.*}} : tensor<4xf32>
  %sub = lgc.sub %x, %y : tensor<4xf32>
  // CHECK: lgc.mul %{{.*}}, %{{.*}} : tensor<4xf32>
  %mul = lgc.mul %x, %y : tensor<4xf32>
  // CHECK: lgc.div %{{.*}}, %{{.*}} : tensor<4xf32>
  %div = lgc.div %x, %y : tensor<4xf32>
  // CHECK: lgc.rem %{{.*}}, %{{.*}} : tensor<4xf32>
  %rem = lgc.rem %x, %y : tensor<4xf32>
  // CHECK: lgc.pow %{{.*}}, %{{.*}} : tensor<4xf32>
  %pow = lgc.pow %x, %y : tensor<4xf32>
  // CHECK: lgc.atan2 %{{.*}}, %{{.*}} : tensor<4xf32>
  %atan2 = lgc.atan2 %x, %y : tensor<4xf32>
  // CHECK: lgc.max %{{.*}}, %{{.*}} : tensor<4xf32>
  %max = lgc.max %x, %y : tensor<4xf32>
  // CHECK: lgc.min %{{.*}}, %{{.*}} : tensor<4xf32>
  %min = lgc.min %x, %y : tensor<4xf32>
  // CHECK: lgc.and %{{.*}}, %{{.*}} : tensor<4xui16>
  %and = lgc.and %i, %j : tensor<4xui16>
  // CHECK: lgc.or %{{.*}}, %{{.*}} : tensor<4xui16>
  %or = lgc.or %i, %j : tensor<4xui16>
  // CHECK: lgc.xor %{{.*}}, %{{.*}} : tensor<4xui16>
  %xor = lgc.xor %i, %j : tensor<4xui16>
  // CHECK: lgc.shift_left %{{.*}}, %{{.*}} : tensor<4xui16>
  %shift_left = lgc.shift_left %i, %j : tensor<4xui16>
  // CHECK: lgc.shift_right %{{.*}}, %{{.*}} : tensor<4xui16>
  %shift_right = lgc.shift_right %i, %j : tensor<4xui16>
  // CHECK: lgc.compare eq %{{.*}}, %{{.*}} : tensor<4xf32>
  %ceq = lgc.compare eq %x, %y : tensor<4xf32>
  // CHECK: lgc.compare ne %{{.*}}, %{{.*}} : tensor<4xf32>
  %cne = lgc.compare ne %x, %y : tensor<4xf32>
  // CHECK: lgc.compare lt %{{.*}}, %{{.*}} : tensor<4xf32>
  %clt = lgc.compare lt %x, %y : tensor<4xf32>
  // CHECK: lgc.compare le %{{.*}}, %{{.*}} : tensor<4xf32>
  %cle = lgc.compare le %x, %y : tensor<4xf32>
  // CHECK: lgc.compare gt %{{.*}}, %{{.*}} : tensor<4xf32>
  %cgt = lgc.compare gt %x, %y : tensor<4xf32>
  // CHECK: lgc.compare ge %{{.*}}, %{{.*}} : tensor<4xf32>
  %cge = lgc.compare ge %x, %y : tensor<4xf32>
  // CHECK: lgc.select %{{.*}}, %{{.*}}, %{{.*}} : tensor<4xi1>, tensor<4xf32>
  %select = lgc.select %clt, %x, %y : tensor<4xi1>, tensor<4xf32>
  return
}
