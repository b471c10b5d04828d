"""What a case of the corpus is, and what the modules of cases build their models from."""

from dataclasses import dataclass
from typing import Callable

import numpy
import onnx
from onnx import TensorProto, helper, numpy_helper

FLOAT, INT64 = TensorProto.FLOAT, TensorProto.INT64
CLASSIFY = ("--loss=cross_entropy(logits, labels)",)

CASES = []


@dataclass(frozen=True)
class Case:
    """A file that must be refused, and how.

    `write` makes the file in a folder and returns its path. `mentions` are words that the error
    must contain, each of them; what every error must satisfy is in `hostile_test.py`.
    """

    name: str
    write: Callable
    options: tuple = ()
    status: tuple = (1,)
    mentions: tuple = ()


def case(*mentions, options=(), status=(1,)):
    """Registers a function of a folder that returns a path, a model, or the bytes of a file."""

    def register(make):
        add(make.__name__, make, mentions, options, status)
        return make

    return register


def add(name, make, mentions=(), options=(), status=(1,)):
    def write(folder):
        made = make(folder)
        if isinstance(made, onnx.ModelProto):
            made = made.SerializeToString()
        if isinstance(made, bytes):
            path = folder / "model.onnx"
            path.write_bytes(made)
            return path
        return made

    assert all(other.name != name for other in CASES), name
    CASES.append(Case(name, write, tuple(options), tuple(status), tuple(mentions)))


def tensor(name, shape, element_type=FLOAT):
    return helper.make_tensor_value_info(name, element_type, shape)


def constant(name, values, dtype=numpy.int64):
    return numpy_helper.from_array(numpy.asarray(values, dtype), name)


def weight(name, *shape):
    """A parameter with fixed values."""
    values = numpy.linspace(-0.5, 0.5, int(numpy.prod(shape)), dtype=numpy.float32)
    return numpy_helper.from_array(values.reshape(shape), name)


def model(nodes, inputs, outputs, initializers=(), opset=17, **options):
    graph = helper.make_graph(list(nodes), "g", list(inputs), list(outputs), list(initializers))
    imports = [helper.make_opsetid("", opset)]
    return helper.make_model(graph, opset_imports=imports, ir_version=8, **options)


def classifier():
    """A sound model, logits [4, 2] of x [4, 3], that cases break in one place."""
    return model(
        [helper.make_node("MatMul", ["x", "w"], ["h"], name="product"),
         helper.make_node("Add", ["h", "b"], ["logits"], name="sum")],
        [tensor("x", [4, 3])], [tensor("logits", [4, 2])], [weight("w", 3, 2), weight("b", 2)],
    )


def around(node, *constants, shape=(4, 6), output="y", opset=17):
    """A model with a scalar loss whose only questionable node reads `h` of the given shape.

    No shape is stated behind the node, so that nothing but the node itself is wrong.
    """
    nodes = [
        helper.make_node("Mul", ["x", "w"], ["h"], name="scale"),
        *(node if isinstance(node, list) else [node]),
        helper.make_node("ReduceMean", [output], ["loss"], name="loss", keepdims=0),
    ]
    return model(nodes, [tensor("x", list(shape))], [tensor("loss", [])],
                 [weight("w", *shape), *constants], opset=opset)


def node(operator, *inputs, outputs=("y",), **attributes):
    """The questionable node of `around`, reading `h` unless said otherwise."""
    return helper.make_node(operator, list(inputs or ("h",)), list(outputs), name="bad",
                            **attributes)
