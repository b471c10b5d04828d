// RUN: lgc-opt %s --lgc-cpu-lower-kernels --convert-scf-to-cf --lgc-cpu-to-llvm | FileCheck %s

// A kernel's entry is never inlined, so that every launch of it gives the same bits. Labels are globals, and
// dead memory is filled with ones.
// CHECK-DAG: llvm.mlir.global internal constant @[[LABEL:lgc_label_0]]("first part")
// CHECK-DAG: llvm.func @lgc_print(!llvm.ptr, i64)
// CHECK-LABEL: llvm.func @lgc_train_step
// CHECK: llvm.call @[[ENTRY:.*_entry]](
// CHECK: %[[TEXT:.*]] = llvm.mlir.addressof @[[LABEL]]
// CHECK: %[[LENGTH:.*]] = llvm.mlir.constant(10 : i64)
// CHECK: llvm.call @lgc_print(%{{.*}}, %[[LENGTH]])
// CHECK: %[[ONES:.*]] = llvm.mlir.constant(-1 : i8)
// CHECK: %[[BYTES:.*]] = llvm.mlir.constant(64 : i64)
// CHECK: "llvm.intr.memset"(%{{.*}}, %[[ONES]], %[[BYTES]])
// CHECK-SAME: isVolatile = true
// CHECK: llvm.func internal @[[ENTRY:.*_entry]](
// CHECK-SAME: no_inline
module attributes {lgc.arena_bytes = 128 : i64} {
  func.func private @exp(%x: tensor<16xf32>) -> tensor<16xf32> attributes {lgc.kernel} {
    %0 = lgc.exp %x : tensor<16xf32>
    return %0 : tensor<16xf32>
  }
  func.func @train_step(%arena: memref<128xi8>) {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %x = memref.view %arena[%c0][] : memref<128xi8> to memref<16xf32>
    %y = memref.view %arena[%c64][] : memref<128xi8> to memref<16xf32>
    lgc.launch @exp(%x) outs(%y : memref<16xf32>) : (memref<16xf32>) -> ()
    lgc.print "first part"
    %dead = memref.view %arena[%c0][] : memref<128xi8> to memref<64xi8>
    lgc.poison %dead : memref<64xi8>
    return
  }
}
