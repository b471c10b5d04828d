lgc.parameter @w <parameter> : tensor<4xf32> = 1.0 : f32
func.func @forward(%x: tensor<4xf32> {lgc.name = "x", lgc.role = #lgc.role<input>})
    -> (tensor<4xf32> {lgc.name = "y"}) {
  return %x : tensor<4xf32>
}
func.func @training_forward(%w: tensor<4xf32> {lgc.name = "w", lgc.role = #lgc.role<parameter>})
    -> (tensor<f32> {lgc.name = "lgc.loss_sum"}, tensor<f32> {lgc.name = "lgc.loss_count"}) {
  %sum = lgc.reduce sum %w dims = [0] : tensor<4xf32>
  %count = lgc.constant dense<4.0> : tensor<f32>
  return %sum, %count : tensor<f32>, tensor<f32>
}
