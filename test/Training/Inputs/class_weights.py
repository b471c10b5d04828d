"""Writes a linear classifier whose loss weighs classes and ignores a label."""

import sys

import numpy
import onnx
from onnx import TensorProto, helper, numpy_helper

weights = [
    numpy_helper.from_array(numpy.ones((4, 3), numpy.float32), "fc"),
    numpy_helper.from_array(numpy.array([1.0, 2.0, 0.5], numpy.float32), "class_weights"),
]
nodes = [
    helper.make_node("MatMul", ["x", "fc"], ["logits"], name="fc"),
    helper.make_node("SoftmaxCrossEntropyLoss", ["logits", "labels", "class_weights"], ["loss"],
                     name="loss", ignore_index=-1),
]
inputs = [
    helper.make_tensor_value_info("x", TensorProto.FLOAT, [6, 4]),
    helper.make_tensor_value_info("labels", TensorProto.INT64, [6]),
]
outputs = [helper.make_tensor_value_info("loss", TensorProto.FLOAT, [])]
graph = helper.make_graph(nodes, "classifier", inputs, outputs, weights)
opsets = [helper.make_opsetid("", 17)]
onnx.save(helper.make_model(graph, opset_imports=opsets, ir_version=8), sys.argv[1])
