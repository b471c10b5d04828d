func.func @forward(%x: tensor<4xi64> {lgc.name = "x", lgc.role = #lgc.role<input>},
                   %w: tensor<4x3xf32> {lgc.name = "w", lgc.role = #lgc.role<parameter>},
                   %b: tensor<4xf32> {lgc.name = "b", lgc.role = #lgc.role<parameter>})
    -> (tensor<4x3xf32> {lgc.name = "logits"}, tensor<4xi64> {lgc.name = "words"},
        tensor<4xf32> {lgc.name = "flat"}) {
  return %w, %x, %b : tensor<4x3xf32>, tensor<4xi64>, tensor<4xf32>
}
