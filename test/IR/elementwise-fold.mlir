// RUN: lgc-opt %s -canonicalize -split-input-file | FileCheck %s

// CHECK-LABEL: func @shape_arithmetic
// CHECK-NEXT: %[[RESULT:.*]] = lgc.constant dense<[6, -3, 1, 9223372036854775807]> : tensor<4xi64>
// CHECK-NEXT: return %[[RESULT]]
func.func @shape_arithmetic() -> tensor<4xi64> {
  %0 = lgc.constant dense<[7, -7, 7, 1]> : tensor<4xi64>
  %1 = lgc.constant dense<[2, 2, 0, 1]> : tensor<4xi64>
  %2 = lgc.div %0, %1 : tensor<4xi64>
  %3 = lgc.mul %1, %2 : tensor<4xi64>
  %4 = lgc.rem %0, %1 : tensor<4xi64>
  %5 = lgc.constant dense<[0, 0, 1, 9223372036854775806]> : tensor<4xi64>
  %6 = lgc.sub %3, %4 : tensor<4xi64>
  %7 = lgc.constant dense<[1, 2, 0, 0]> : tensor<4xi64>
  %8 = lgc.add %6, %7 : tensor<4xi64>
  %9 = lgc.add %8, %5 : tensor<4xi64>
  return %9 : tensor<4xi64>
}

// -----

// CHECK-LABEL: func @wrapping
// CHECK: lgc.constant dense<[4, 255]> : tensor<2xui8>
// CHECK: lgc.constant dense<[-128, 0]> : tensor<2xi8>
func.func @wrapping() -> (tensor<2xui8>, tensor<2xi8>) {
  %0 = lgc.constant dense<[250, 255]> : tensor<2xui8>
  %1 = lgc.constant dense<[10, 0]> : tensor<2xui8>
  %2 = lgc.add %0, %1 : tensor<2xui8>
  %3 = lgc.constant dense<[-128, 7]> : tensor<2xi8>
  %4 = lgc.constant dense<[-1, 0]> : tensor<2xi8>
  %5 = lgc.div %3, %4 : tensor<2xi8>
  return %2, %5 : tensor<2xui8>, tensor<2xi8>
}

// -----

// CHECK-LABEL: func @unsigned_order
// CHECK-DAG: lgc.constant dense<200> : tensor<ui8>
// CHECK-DAG: lgc.constant dense<100> : tensor<ui8>
// CHECK-DAG: lgc.constant dense<true> : tensor<i1>
// CHECK-DAG: lgc.constant dense<50> : tensor<ui8>
func.func @unsigned_order() -> (tensor<ui8>, tensor<ui8>, tensor<i1>, tensor<ui8>) {
  %0 = lgc.constant dense<200> : tensor<ui8>
  %1 = lgc.constant dense<100> : tensor<ui8>
  %two = lgc.constant dense<2> : tensor<ui8>
  %max = lgc.max %0, %1 : tensor<ui8>
  %min = lgc.min %0, %1 : tensor<ui8>
  %gt = lgc.compare gt %0, %1 : tensor<ui8>
  %shift = lgc.shift_right %0, %two : tensor<ui8>
  return %max, %min, %gt, %shift : tensor<ui8>, tensor<ui8>, tensor<i1>, tensor<ui8>
}

// -----

// CHECK-LABEL: func @long_shifts
// CHECK: lgc.constant dense<[0, 2, -1]> : tensor<3xi32>
func.func @long_shifts() -> tensor<3xi32> {
  %0 = lgc.constant dense<[1, 1, -5]> : tensor<3xi32>
  %1 = lgc.constant dense<[32, 1, 0]> : tensor<3xi32>
  %2 = lgc.shift_left %0, %1 : tensor<3xi32>
  %3 = lgc.constant dense<[0, 0, 40]> : tensor<3xi32>
  %4 = lgc.shift_right %2, %3 : tensor<3xi32>
  return %4 : tensor<3xi32>
}

// -----

// Splats fold at any size, other floating-point constants when they are small.
// CHECK-LABEL: func @numbers
// CHECK: lgc.constant dense<1.500000e+00> : tensor<1024x1024xf32>
// CHECK: lgc.constant dense<[0x7FC00000, 1.000000e+00, 0x7F800000]> : tensor<3xf32>
func.func @numbers() -> (tensor<1024x1024xf32>, tensor<3xf32>) {
  %0 = lgc.constant dense<2.25> : tensor<1024x1024xf32>
  %1 = lgc.sqrt %0 : tensor<1024x1024xf32>
  %2 = lgc.constant dense<[0x7FC00000, 0.0, 100.0]> : tensor<3xf32>
  %3 = lgc.exp %2 : tensor<3xf32>
  return %1, %3 : tensor<1024x1024xf32>, tensor<3xf32>
}

// -----

// CHECK-LABEL: func @conversions
// CHECK-DAG: lgc.constant dense<[1, -1, 0, 127]> : tensor<4xi8>
// CHECK-DAG: lgc.constant dense<[1, 0, 0, 255]> : tensor<4xui8>
// CHECK-DAG: lgc.constant dense<[1, -1, 0, 44]> : tensor<4xi8>
// CHECK-DAG: lgc.constant dense<true> : tensor<4xi1>
// CHECK-DAG: lgc.constant dense<2.56{{.*}}e+02> : tensor<bf16>
func.func @conversions() -> (tensor<4xi8>, tensor<4xui8>, tensor<4xi8>, tensor<4xi1>, tensor<bf16>) {
  %0 = lgc.constant dense<[1.9, -1.9, 0x7FC00000, 300.0]> : tensor<4xf32>
  %1 = lgc.cast %0 saturate : tensor<4xf32> to tensor<4xi8>
  %2 = lgc.cast %0 saturate : tensor<4xf32> to tensor<4xui8>
  %3 = lgc.cast %0 : tensor<4xf32> to tensor<4xi8>
  %4 = lgc.cast %0 : tensor<4xf32> to tensor<4xi1>
  %5 = lgc.constant dense<257> : tensor<i64>
  %6 = lgc.cast %5 : tensor<i64> to tensor<bf16>
  return %1, %2, %3, %4, %6 : tensor<4xi8>, tensor<4xui8>, tensor<4xi8>, tensor<4xi1>, tensor<bf16>
}

// -----

// CHECK-LABEL: func @casts_of_casts
// CHECK-SAME: (%[[X:.*]]: tensor<4xbf16>, %[[I:.*]]: tensor<4xi32>)
// CHECK-NEXT: %[[ROUNDED:.*]] = lgc.cast %[[I]] : tensor<4xi32> to tensor<4xf32>
// CHECK-NEXT: %[[BACK:.*]] = lgc.cast %[[ROUNDED]] : tensor<4xf32> to tensor<4xi32>
// CHECK-NEXT: %[[DOUBLE:.*]] = lgc.cast %[[X]] : tensor<4xbf16> to tensor<4xf64>
// CHECK-NEXT: return %[[X]], %[[BACK]], %[[DOUBLE]]
func.func @casts_of_casts(%x: tensor<4xbf16>, %i: tensor<4xi32>) -> (tensor<4xbf16>, tensor<4xi32>, tensor<4xf64>) {
  %0 = lgc.cast %x : tensor<4xbf16> to tensor<4xf32>
  %1 = lgc.cast %0 : tensor<4xf32> to tensor<4xbf16>
  %2 = lgc.cast %i : tensor<4xi32> to tensor<4xf32>
  %3 = lgc.cast %2 : tensor<4xf32> to tensor<4xi32>
  %4 = lgc.cast %0 : tensor<4xf32> to tensor<4xf64>
  return %1, %3, %4 : tensor<4xbf16>, tensor<4xi32>, tensor<4xf64>
}

// -----

// CHECK-LABEL: func @identities
// CHECK-SAME: (%[[X:.*]]: tensor<4xf32>, %[[I:.*]]: tensor<4xi32>, %[[C:.*]]: tensor<4xi1>)
// CHECK-NEXT: return %[[X]], %[[I]], %[[C]]
func.func @identities(%x: tensor<4xf32>, %i: tensor<4xi32>, %c: tensor<4xi1>) -> (tensor<4xf32>, tensor<4xi32>, tensor<4xi1>) {
  %zero = lgc.constant dense<0.0> : tensor<4xf32>
  %minus_zero = lgc.constant dense<-0.0> : tensor<4xf32>
  %one = lgc.constant dense<1.0> : tensor<4xf32>
  %0 = lgc.sub %x, %zero : tensor<4xf32>
  %1 = lgc.add %minus_zero, %0 : tensor<4xf32>
  %2 = lgc.mul %one, %1 : tensor<4xf32>
  %3 = lgc.div %2, %one : tensor<4xf32>
  %4 = lgc.pow %3, %one : tensor<4xf32>
  %5 = lgc.neg %4 : tensor<4xf32>
  %6 = lgc.neg %5 : tensor<4xf32>
  %7 = lgc.max %6, %6 : tensor<4xf32>
  %8 = lgc.select %c, %7, %7 : tensor<4xi1>, tensor<4xf32>
  %izero = lgc.constant dense<0> : tensor<4xi32>
  %ones = lgc.constant dense<-1> : tensor<4xi32>
  %9 = lgc.add %izero, %i : tensor<4xi32>
  %10 = lgc.and %9, %ones : tensor<4xi32>
  %11 = lgc.xor %10, %izero : tensor<4xi32>
  %12 = lgc.or %11, %11 : tensor<4xi32>
  %13 = lgc.mul %12, %izero : tensor<4xi32>
  %14 = lgc.add %12, %13 : tensor<4xi32>
  %15 = lgc.not %c : tensor<4xi1>
  %16 = lgc.not %15 : tensor<4xi1>
  %17 = lgc.cast %16 : tensor<4xi1> to tensor<4xi1>
  return %8, %14, %17 : tensor<4xf32>, tensor<4xi32>, tensor<4xi1>
}

// -----

// What would change a sign or a NaN stays.
// CHECK-LABEL: func @no_identities
// CHECK: lgc.add
// CHECK: lgc.mul
// CHECK: lgc.sub
func.func @no_identities(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %zero = lgc.constant dense<0.0> : tensor<4xf32>
  %0 = lgc.add %x, %zero : tensor<4xf32>
  %1 = lgc.mul %x, %zero : tensor<4xf32>
  %2 = lgc.sub %x, %x : tensor<4xf32>
  return %0, %1, %2 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// -----

// CHECK-LABEL: func @select_of_constant
// CHECK-SAME: (%[[X:.*]]: tensor<4xf32>, %[[Y:.*]]: tensor<4xf32>, %[[C:.*]]: tensor<4xi1>)
// CHECK-NEXT: %[[S:.*]] = lgc.select %[[C]], %[[Y]], %[[X]]
// CHECK-NEXT: return %[[X]], %[[S]]
func.func @select_of_constant(%x: tensor<4xf32>, %y: tensor<4xf32>, %c: tensor<4xi1>) -> (tensor<4xf32>, tensor<4xf32>) {
  %true = lgc.constant dense<true> : tensor<4xi1>
  %0 = lgc.select %true, %x, %y : tensor<4xi1>, tensor<4xf32>
  %not = lgc.not %c : tensor<4xi1>
  %1 = lgc.select %not, %x, %y : tensor<4xi1>, tensor<4xf32>
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}

// -----

// CHECK-LABEL: func @cheaper
// CHECK-SAME: (%[[X:.*]]: tensor<4xf32>)
// CHECK-DAG: %[[EIGHTH:.*]] = lgc.constant dense<1.250000e-01>
// CHECK-DAG: %[[THIRD:.*]] = lgc.constant dense<3.000000e+00>
// CHECK: %[[SQUARE:.*]] = lgc.mul %[[X]], %[[X]]
// CHECK: %[[AGAIN:.*]] = lgc.mul %[[X]], %[[X]]
// CHECK: %[[CUBE:.*]] = lgc.mul %[[AGAIN]], %[[X]]
// CHECK: %[[SCALED:.*]] = lgc.mul %[[X]], %[[EIGHTH]]
// CHECK: %[[DIVIDED:.*]] = lgc.div %[[X]], %[[THIRD]]
// CHECK: %[[RSQRT:.*]] = lgc.rsqrt %[[X]]
// CHECK: return %[[SQUARE]], %[[CUBE]], %[[SCALED]], %[[DIVIDED]], %[[RSQRT]]
func.func @cheaper(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %one = lgc.constant dense<1.0> : tensor<4xf32>
  %two = lgc.constant dense<2.0> : tensor<4xf32>
  %three = lgc.constant dense<3.0> : tensor<4xf32>
  %eight = lgc.constant dense<8.0> : tensor<4xf32>
  %0 = lgc.pow %x, %two : tensor<4xf32>
  %1 = lgc.pow %x, %three : tensor<4xf32>
  %2 = lgc.div %x, %eight : tensor<4xf32>
  %3 = lgc.div %x, %three : tensor<4xf32>
  %4 = lgc.sqrt %x : tensor<4xf32>
  %5 = lgc.div %one, %4 : tensor<4xf32>
  return %0, %1, %2, %3, %5 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// -----

// CHECK-LABEL: func @predicates
// CHECK-DAG: lgc.constant dense<[true, false, false]> : tensor<3xi1>
// CHECK-DAG: lgc.constant dense<[false, false, true]> : tensor<3xi1>
// CHECK-DAG: lgc.constant dense<[2143289344, 1065353216, -8388608]> : tensor<3xi32>
// CHECK-DAG: lgc.constant dense<[true, false, true]> : tensor<3xi1>
func.func @predicates() -> (tensor<3xi1>, tensor<3xi1>, tensor<3xi32>, tensor<3xi1>) {
  %0 = lgc.constant dense<[0x7FC00000, 1.0, 0xFF800000]> : tensor<3xf32>
  %one = lgc.constant dense<1.0> : tensor<3xf32>
  %1 = lgc.is_nan %0 : tensor<3xf32>
  %2 = lgc.is_inf %0 {detect_positive = false} : tensor<3xf32>
  %3 = lgc.bitcast %0 : tensor<3xf32> to tensor<3xi32>
  %4 = lgc.compare ne %0, %one : tensor<3xf32>
  return %1, %2, %3, %4 : tensor<3xi1>, tensor<3xi1>, tensor<3xi32>, tensor<3xi1>
}

// -----

// The guard that exporters put behind a masked softmax.
// CHECK-LABEL: @safe_softmax
// CHECK-SAME: (%[[X:.*]]: tensor<2x3xf32>, %[[OTHER:.*]]: tensor<2x3xf32>)
func.func @safe_softmax(%x: tensor<2x3xf32>, %other: tensor<2x3xf32>)
    -> (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>) {
  %zero = lgc.constant dense<0.0> : tensor<2x3xf32>
  %one = lgc.constant dense<1.0> : tensor<2x3xf32>
  %y = lgc.softmax %x dim = 1 : tensor<2x3xf32>
  %nan = lgc.is_nan %y : tensor<2x3xf32>
  // CHECK: %[[SAFE:.*]] = lgc.softmax %[[X]] dim = 1 safe
  %0 = lgc.select %nan, %zero, %y : tensor<2x3xi1>, tensor<2x3xf32>
  // Another number than 0, and another value than the softmax, stay as they are.
  // CHECK: %[[ONE:.*]] = lgc.select
  %1 = lgc.select %nan, %one, %y : tensor<2x3xi1>, tensor<2x3xf32>
  // CHECK: %[[OTHERS:.*]] = lgc.select
  %2 = lgc.select %nan, %zero, %other : tensor<2x3xi1>, tensor<2x3xf32>
  // CHECK: return %[[SAFE]], %[[ONE]], %[[OTHERS]]
  return %0, %1, %2 : tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>
}
