// RUN: lgc-opt %s --lgc-add-loss="loss='cross_entropy(logits, labels)'" | FileCheck %s --check-prefix=ENTROPY
// RUN: lgc-opt %s --lgc-add-loss="loss='cross_entropy(logits, labels, dim=0, ignore_index=7)'" | FileCheck %s --check-prefix=DIM
// RUN: lgc-opt %s --lgc-add-loss="loss='mse(logits, target)'" | FileCheck %s --check-prefix=MSE
// RUN: lgc-opt %s --lgc-add-loss="loss='l1(logits, target)'" | FileCheck %s --check-prefix=L1
// RUN: lgc-opt %s --lgc-add-loss="loss='binary_cross_entropy_with_logits(logits, target)'" | FileCheck %s --check-prefix=BINARY

// Rank 2: the classes are dimension 1. The labels come behind the model's inputs, before parameters.
// ENTROPY: lgc.classification = {class_dim = 1 : i64, ignore_index = -100 : i64, labels = "labels", logits = "logits"}
// ENTROPY-LABEL: func.func @forward
// ENTROPY-SAME: %[[X:[a-z0-9]+]]: tensor<4x3xf32> {lgc.name = "x"
// ENTROPY-SAME: %[[LABELS:[a-z0-9]+]]: tensor<4xi64> {lgc.name = "labels", lgc.role = #lgc.role<input>}
// ENTROPY-SAME: {lgc.name = "w", lgc.role = #lgc.role<parameter>}
// ENTROPY-SAME: -> (tensor<4x3xf32> {lgc.name = "logits"}, tensor<f32> {lgc.name = "lgc.forward_loss"})
// ENTROPY: %[[LOSS:.*]], %{{.*}} = lgc.cross_entropy %{{.*}}, %[[LABELS]] dim = 1 ignore_index = -100
// ENTROPY: %[[SUM:.*]] = lgc.reduce sum %[[LOSS]] dims = [0]
// ENTROPY: %[[COUNTED:.*]] = lgc.compare ne %[[LABELS]]
// ENTROPY: %[[ONES:.*]] = lgc.cast %[[COUNTED]]
// ENTROPY: %[[COUNT:.*]] = lgc.reduce sum %[[ONES]] dims = [0]
// No label may be counted: the divisor isn't zero even then.
// ENTROPY: %[[ZERO:.*]] = lgc.constant dense<0.000000e+00> : tensor<f32>
// ENTROPY: %[[NONE:.*]] = lgc.compare eq %[[COUNT]], %[[ZERO]]
// ENTROPY: %[[ONE:.*]] = lgc.constant dense<1.000000e+00> : tensor<f32>
// ENTROPY: %[[DIVISOR:.*]] = lgc.select %[[NONE]], %[[ONE]], %[[COUNT]]
// ENTROPY: %[[MEAN:.*]] = lgc.div %[[SUM]], %[[DIVISOR]]
// ENTROPY: return %{{.*}}, %[[MEAN]]
// ENTROPY-LABEL: func.func @training_forward
// ENTROPY-SAME: tensor<f32> {lgc.name = "lgc.loss_sum"}, tensor<f32> {lgc.name = "lgc.loss_count"}
// ENTROPY: %[[LOSS:.*]], %{{.*}} = lgc.cross_entropy
// ENTROPY: %[[SUM:.*]] = lgc.reduce sum %[[LOSS]]
// ENTROPY: %[[COUNT:.*]] = lgc.reduce sum
// ENTROPY: return %{{.*}}, %[[SUM]], %[[COUNT]]

// DIM: lgc.classification = {class_dim = 0 : i64, ignore_index = 7 : i64
// DIM: tensor<3xi64> {lgc.name = "labels"
// DIM: lgc.cross_entropy %{{.*}}, %{{.*}} dim = 0 ignore_index = 7

// MSE-NOT: lgc.classification
// MSE-LABEL: func.func @training_forward
// MSE-SAME: %[[T:[a-z0-9]+]]: tensor<4x3xf32> {lgc.name = "target", lgc.role = #lgc.role<input>}
// MSE: %[[D:.*]] = lgc.sub %{{.*}}, %[[T]]
// MSE: %[[S:.*]] = lgc.mul %[[D]], %[[D]]
// MSE: %[[SUM:.*]] = lgc.reduce sum %[[S]] dims = [0, 1]
// MSE: %[[COUNT:.*]] = lgc.constant dense<1.200000e+01> : tensor<f32>
// MSE: return %{{.*}}, %[[SUM]], %[[COUNT]]

// L1-LABEL: func.func @training_forward
// L1: %[[D:.*]] = lgc.sub
// L1: %[[A:.*]] = lgc.abs %[[D]]
// L1: lgc.reduce sum %[[A]] dims = [0, 1]

// BINARY-LABEL: func.func @training_forward
// BINARY-SAME: %[[T:[a-z0-9]+]]: tensor<4x3xf32> {lgc.name = "target"
// BINARY: %[[POSITIVE:.*]] = lgc.max %[[X:.*]], %
// BINARY: %[[ABS:.*]] = lgc.abs %[[X]]
// BINARY: %[[NEG:.*]] = lgc.neg %[[ABS]]
// BINARY: %[[EXP:.*]] = lgc.exp %[[NEG]]
// BINARY: %[[LOG:.*]] = lgc.log1p %[[EXP]]
// BINARY: %[[XT:.*]] = lgc.mul %[[X]], %[[T]]
// BINARY: %[[DIFFERENCE:.*]] = lgc.sub %[[POSITIVE]], %[[XT]]
// BINARY: lgc.add %[[DIFFERENCE]], %[[LOG]]
func.func @forward(%x: tensor<4x3xf32> {lgc.name = "x", lgc.role = #lgc.role<input>},
                   %w: tensor<4x3xf32> {lgc.name = "w", lgc.role = #lgc.role<parameter>})
    -> (tensor<4x3xf32> {lgc.name = "logits"}) {
  %0 = lgc.mul %x, %w : tensor<4x3xf32>
  return %0 : tensor<4x3xf32>
}
func.func @training_forward(%x: tensor<4x3xf32> {lgc.name = "x", lgc.role = #lgc.role<input>},
                            %w: tensor<4x3xf32> {lgc.name = "w", lgc.role = #lgc.role<parameter>})
    -> (tensor<4x3xf32> {lgc.name = "logits"}) {
  %0 = lgc.mul %x, %w : tensor<4x3xf32>
  return %0 : tensor<4x3xf32>
}
