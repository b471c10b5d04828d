// RUN: lgc-opt %s --lgc-poison-memory --split-input-file --verify-diagnostics | FileCheck %s

// %a is written, then %b from it: then %a is dead, until it is written again. What nothing has written at
// the start is overwritten there; the parameter and the result never are.
lgc.buffer "w" <parameter> : tensor<16xf32> at 0
lgc.buffer "lgc.loss" <output> : tensor<16xf32> at 256
func.func private @exp(%x: tensor<16xf32>) -> tensor<16xf32> attributes {lgc.kernel} {
  %0 = lgc.exp %x : tensor<16xf32>
  return %0 : tensor<16xf32>
}
// CHECK-LABEL: func.func @train_step_poisoned
// CHECK-SAME: (%[[ARENA:.*]]: memref<320xi8>)
// CHECK: %[[START:.*]] = memref.view %[[ARENA]][%c64{{.*}}][] : memref<320xi8> to memref<192xi8>
// CHECK: lgc.poison %[[START]] : memref<192xi8>
// CHECK: lgc.launch
// CHECK-NOT: lgc.poison
// CHECK: lgc.launch
// CHECK: %[[A:.*]] = memref.view %[[ARENA]][%c64{{.*}}][] : memref<320xi8> to memref<64xi8>
// CHECK: lgc.poison %[[A]] : memref<64xi8>
// CHECK: lgc.launch
// CHECK: %[[B:.*]] = memref.view %[[ARENA]][%c128{{.*}}][] : memref<320xi8> to memref<64xi8>
// CHECK: lgc.poison %[[B]] : memref<64xi8>
// CHECK: lgc.launch
// CHECK: lgc.poison %{{.*}} : memref<64xi8>
// CHECK-NEXT: return
// CHECK-LABEL: func.func @train_step(
// CHECK-NOT: lgc.poison
func.func @train_step(%arena: memref<320xi8>) attributes {lgc.results = ["lgc.loss"]} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %c256 = arith.constant 256 : index
  %w = memref.view %arena[%c0][] : memref<320xi8> to memref<16xf32>
  %a = memref.view %arena[%c64][] : memref<320xi8> to memref<16xf32>
  %b = memref.view %arena[%c128][] : memref<320xi8> to memref<16xf32>
  %loss = memref.view %arena[%c256][] : memref<320xi8> to memref<16xf32>
  lgc.launch @exp(%w) outs(%a : memref<16xf32>) : (memref<16xf32>) -> ()
  lgc.launch @exp(%a) outs(%b : memref<16xf32>) : (memref<16xf32>) -> ()
  lgc.launch @exp(%b) outs(%a : memref<16xf32>) : (memref<16xf32>) -> ()
  lgc.launch @exp(%a) outs(%loss : memref<16xf32>) : (memref<16xf32>) -> ()
  return
}

// -----

// What every pass of a loop reads stays until the loop has ended.
lgc.buffer "lgc.loss" <output> : tensor<16xf32> at 128
func.func private @exp(%x: tensor<16xf32>) -> tensor<16xf32> attributes {lgc.kernel} {
  %0 = lgc.exp %x : tensor<16xf32>
  return %0 : tensor<16xf32>
}
// CHECK-LABEL: func.func @train_step_poisoned
// CHECK: lgc.launch
// CHECK: scf.for
// CHECK: lgc.launch
// CHECK-NOT: lgc.poison
// CHECK: lgc.launch
// CHECK: memref.view %{{.*}}[%c64{{.*}}][] : memref<192xi8> to memref<64xi8>
// CHECK-NEXT: lgc.poison
// CHECK-NEXT: }
// CHECK-NEXT: arith.constant 0
// CHECK-NEXT: memref.view %{{.*}}[%c0{{.*}}][] : memref<192xi8> to memref<64xi8>
// CHECK-NEXT: lgc.poison
// CHECK-NEXT: return
func.func @train_step(%arena: memref<192xi8>) attributes {lgc.results = ["lgc.loss"]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %a = memref.view %arena[%c0][] : memref<192xi8> to memref<16xf32>
  %b = memref.view %arena[%c64][] : memref<192xi8> to memref<16xf32>
  %loss = memref.view %arena[%c128][] : memref<192xi8> to memref<16xf32>
  lgc.launch @exp(%loss) outs(%a : memref<16xf32>) : (memref<16xf32>) -> ()
  scf.for %i = %c0 to %c2 step %c1 {
    lgc.launch @exp(%a) outs(%b : memref<16xf32>) : (memref<16xf32>) -> ()
    lgc.launch @exp(%b) outs(%loss : memref<16xf32>) : (memref<16xf32>) -> ()
  }
  return
}

// -----

// expected-error @below {{isn't a function on the arena; plan its memory first}}
func.func @train_step(%x: tensor<4xf32>) {
  return
}
