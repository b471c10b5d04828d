// RUN: lgc-opt %s --lgc-verify-memory --split-input-file --verify-diagnostics

// The second launch reads value 0, over which the first one has written value 1.
module attributes {lgc.arena_bytes = 128 : i64} {
  lgc.buffer "x" <input> : tensor<16xf32> at 0
  func.func @forward(%arena: memref<128xi8>) attributes {
      lgc.arguments = ["x"], lgc.results = [], lgc.updated = [],
      lgc.reads = array<i64: 0>, lgc.writes = array<i64>} {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %x = memref.view %arena[%c0][] : memref<128xi8> to memref<16xf32>
    %y = memref.view %arena[%c64][] : memref<128xi8> to memref<16xf32>
    lgc.launch @neg(%x) outs(%x : memref<16xf32>)
        {lgc.reads = array<i64: 0>, lgc.writes = array<i64: 1>} : (memref<16xf32>) -> ()
    // expected-error @below {{reads value 0 from bytes 0 to 63 of the arena, which don't hold it (any more)}}
    lgc.launch @neg(%x) outs(%y : memref<16xf32>)
        {lgc.reads = array<i64: 0>, lgc.writes = array<i64: 2>} : (memref<16xf32>) -> ()
    return
  }
  func.func private @neg(%x: tensor<16xf32> {lgc.inplace = array<i64: 0>}) -> tensor<16xf32>
      attributes {lgc.kernel} {
    %0 = lgc.neg %x : tensor<16xf32>
    return %0 : tensor<16xf32>
  }
}

// -----

// Not every kernel may write over what it reads.
module attributes {lgc.arena_bytes = 64 : i64} {
  lgc.buffer "x" <input> : tensor<16xf32> at 0
  func.func @forward(%arena: memref<64xi8>) attributes {
      lgc.arguments = ["x"], lgc.results = [], lgc.updated = [],
      lgc.reads = array<i64: 0>, lgc.writes = array<i64>} {
    %c0 = arith.constant 0 : index
    %x = memref.view %arena[%c0][] : memref<64xi8> to memref<16xf32>
    // expected-error @below {{writes output #0 over input #0, which the kernel still reads}}
    lgc.launch @reverse(%x) outs(%x : memref<16xf32>)
        {lgc.reads = array<i64: 0>, lgc.writes = array<i64: 1>} : (memref<16xf32>) -> ()
    return
  }
  func.func private @reverse(%x: tensor<16xf32>) -> tensor<16xf32> attributes {lgc.kernel} {
    %0 = lgc.reverse %x dims = [0] : tensor<16xf32>
    return %0 : tensor<16xf32>
  }
}

// -----

// A function leaves alone what it doesn't update.
module attributes {lgc.arena_bytes = 128 : i64} {
  lgc.buffer "x" <input> : tensor<16xf32> at 0
  // expected-error @below {{doesn't hold value -3 after @forward; something else was written there}}
  lgc.buffer "w" <parameter> : tensor<16xf32> at 64
  func.func @forward(%arena: memref<128xi8>) attributes {
      lgc.arguments = ["x"], lgc.results = [], lgc.updated = [],
      lgc.reads = array<i64: 0>, lgc.writes = array<i64>} {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %x = memref.view %arena[%c0][] : memref<128xi8> to memref<16xf32>
    %w = memref.view %arena[%c64][] : memref<128xi8> to memref<16xf32>
    lgc.launch @neg(%x) outs(%w : memref<16xf32>)
        {lgc.reads = array<i64: 0>, lgc.writes = array<i64: 1>} : (memref<16xf32>) -> ()
    return
  }
  func.func private @neg(%x: tensor<16xf32>) -> tensor<16xf32> attributes {lgc.kernel} {
    %0 = lgc.neg %x : tensor<16xf32>
    return %0 : tensor<16xf32>
  }
}

// -----

module attributes {lgc.arena_bytes = 128 : i64} {
  // expected-error @below {{overlaps "b"}}
  lgc.buffer "a" <input> : tensor<32xf32> at 0
  lgc.buffer "b" <input> : tensor<16xf32> at 64
}

// -----

module attributes {lgc.arena_bytes = 128 : i64} {
  // expected-error @below {{isn't at a multiple of 64 bytes within the arena}}
  lgc.buffer "a" <input> : tensor<32xf32> at 64
}
