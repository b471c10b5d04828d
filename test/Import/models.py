"""Writes the small models of the tests of import: `models.py NAME FILE`."""

import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper


def tensor(name, shape, kind=TensorProto.FLOAT):
    return helper.make_tensor_value_info(name, kind, shape)


def weight(name, *shape, fill=None):
    values = np.arange(np.prod(shape)) / 7 if fill is None else np.full(np.prod(shape), fill)
    return numpy_helper.from_array(values.reshape(shape).astype(np.float32), name)


def scoped(node, *modules):
    """The node with the metadata by which PyTorch tells its module."""
    entry = node.metadata_props.add()
    entry.key, entry.value = "pkg.torch.onnx.name_scopes", str(["", *modules, "operation"])
    return node


def model(nodes, inputs, outputs, initializers=(), opset=20):
    graph = helper.make_graph(nodes, "main", inputs, outputs, list(initializers))
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=10)


def merged():
    """Two layers whose norms start equal: the exporter keeps one scale."""
    nodes = [
        scoped(helper.make_node("RMSNormalization", ["x", "a.norm.weight"], ["h"], name="n0"), "a", "a.norm"),
        scoped(helper.make_node("RMSNormalization", ["h", "a.norm.weight"], ["y"], name="n1"), "b", "b.norm"),
    ]
    return model(nodes, [tensor("x", [2, 4])], [tensor("y", [2, 4])],
                 [weight("a.norm.weight", 4, fill=1.0)], opset=23)


def cut():
    """An embedding and, as its output layer, a transposed copy of it."""
    table = numpy_helper.to_array(weight("wte", 5, 4))
    nodes = [helper.make_node("Gather", ["wte", "ids"], ["h"]),
             helper.make_node("MatMul", ["h", "val_1"], ["y"])]
    return model(nodes, [tensor("ids", [3], TensorProto.INT64)], [tensor("y", [3, 5])],
                 [weight("wte", 5, 4), numpy_helper.from_array(table.T.copy(), "val_1")])


def batchnorm():
    """A normalisation in training mode and a dropout."""
    nodes = [
        helper.make_node("BatchNormalization", ["x", "s", "b", "m", "v"], ["h", "m2", "v2"],
                         training_mode=1, name="bn"),
        helper.make_node("Dropout", ["h", "ratio", "on"], ["y"], name="drop"),
    ]
    on = numpy_helper.from_array(np.array(True), "on")
    ratio = numpy_helper.from_array(np.array(0.25, np.float32), "ratio")
    return model(nodes, [tensor("x", [4, 3])], [tensor("y", [4, 3])],
                 [weight("s", 3), weight("b", 3), weight("m", 3), weight("v", 3), ratio, on])


def symbolic():
    """Two symbolic dimensions, and shape arithmetic on one of them."""
    nodes = [helper.make_node("Shape", ["x"], ["s"], start=0, end=1),
             helper.make_node("Concat", ["s", "rest"], ["t"], axis=0),
             helper.make_node("Reshape", ["x", "t"], ["y"])]
    rest = numpy_helper.from_array(np.array([-1]), "rest")
    return model(nodes, [tensor("x", ["batch", "length", 3])], [tensor("y", ["batch", None])], [rest])


def unsupported():
    """Two operators that import doesn't know, one of them twice."""
    nodes = [helper.make_node("Det", ["x"], ["a"], name="first"),
             helper.make_node("Det", ["x"], ["b"], name="second"),
             helper.make_node("Unique", ["x"], ["c"], name="third")]
    return model(nodes, [tensor("x", [2, 2])], [tensor("a", [])])


onnx.save({f.__name__: f for f in (merged, cut, batchnorm, symbolic, unsupported)}[sys.argv[1]](),
          sys.argv[2])
