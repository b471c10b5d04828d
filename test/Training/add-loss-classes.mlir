// RUN: lgc-opt %s --lgc-add-loss="loss='cross_entropy(logits, labels)'" --split-input-file | FileCheck %s

// Rank 3, as language models have it: the classes are the last dimension. bf16 logits are
// compared in f32.
// CHECK: class_dim = 2
// CHECK-LABEL: func.func @forward
// CHECK-SAME: tensor<2x5xi64> {lgc.name = "labels"
// CHECK: %[[WIDE:.*]] = lgc.cast %{{.*}} : tensor<2x5x9xbf16> to tensor<2x5x9xf32>
// CHECK: lgc.cross_entropy %[[WIDE]], %{{.*}} dim = 2
func.func @forward(%x: tensor<2x5x9xbf16> {lgc.name = "x", lgc.role = #lgc.role<input>})
    -> (tensor<2x5x9xbf16> {lgc.name = "logits"}) {
  return %x : tensor<2x5x9xbf16>
}
func.func @training_forward(%x: tensor<2x5x9xbf16> {lgc.name = "x", lgc.role = #lgc.role<input>})
    -> (tensor<2x5x9xbf16> {lgc.name = "logits"}) {
  return %x : tensor<2x5x9xbf16>
}

// -----

// Labels that the model takes say which dimension it is; i32 does too.
// CHECK: class_dim = 1
// CHECK-LABEL: func.func @forward
// CHECK-SAME: %[[LABELS:[a-z0-9]+]]: tensor<2x9xi32> {lgc.name = "labels"
// CHECK: lgc.cross_entropy %{{.*}}, %[[LABELS]] dim = 1
func.func @forward(%x: tensor<2x5x9xf32> {lgc.name = "x", lgc.role = #lgc.role<input>},
                   %l: tensor<2x9xi32> {lgc.name = "labels", lgc.role = #lgc.role<input>})
    -> (tensor<2x5x9xf32> {lgc.name = "logits"}) {
  return %x : tensor<2x5x9xf32>
}
func.func @training_forward(%x: tensor<2x5x9xf32> {lgc.name = "x", lgc.role = #lgc.role<input>},
                            %l: tensor<2x9xi32> {lgc.name = "labels", lgc.role = #lgc.role<input>})
    -> (tensor<2x5x9xf32> {lgc.name = "logits"}) {
  return %x : tensor<2x5x9xf32>
}
