"""Files that are no ONNX model, or break below the graph: bytes, versions, opsets, functions."""

import random

import onnx
from onnx import helper

from cases import CLASSIFY, FLOAT, INT64, around, case, classifier, model, node, tensor, weight


@case(options=CLASSIFY)
def empty_file(folder):
    return b""


@case(options=CLASSIFY, status=(1, 2))
def missing_file(folder):
    return folder / "absent.onnx"


@case(options=CLASSIFY, status=(1, 2))
def folder_instead_of_file(folder):
    path = folder / "folder.onnx"
    path.mkdir()
    return path


@case(options=CLASSIFY)
def random_bytes(folder):
    return random.Random(0).randbytes(4096)


@case(options=CLASSIFY)
def zero_bytes(folder):
    return bytes(4096)


@case(options=CLASSIFY)
def text_file(folder):
    return b"This is not a model.\n" * 50


@case(options=CLASSIFY)
def truncated_in_the_middle(folder):
    whole = classifier().SerializeToString()
    return whole[: len(whole) // 2]


@case(options=CLASSIFY)
def truncated_by_one_byte(folder):
    return classifier().SerializeToString()[:-1]


@case(options=CLASSIFY)
def trailing_garbage(folder):
    return classifier().SerializeToString() + b"\xff" * 64


@case(options=CLASSIFY)
def length_beyond_the_file(folder):
    # Field 7, the graph, of a length of 2^31 - 1.
    return b"\x08\x08\x3a\xff\xff\xff\xff\x07"


@case(options=CLASSIFY)
def no_graph(folder):
    proto = classifier()
    proto.ClearField("graph")
    return proto


@case(options=CLASSIFY)
def no_version_of_the_format(folder):
    proto = classifier()
    proto.ClearField("ir_version")
    return proto


@case(options=CLASSIFY)
def version_of_the_format_from_the_future(folder):
    proto = classifier()
    proto.ir_version = 2**40
    return proto


@case(options=CLASSIFY)
def no_opset(folder):
    proto = classifier()
    proto.ClearField("opset_import")
    return proto


@case(options=CLASSIFY)
def opset_from_the_future(folder):
    proto = classifier()
    proto.opset_import[0].version = 999
    return proto


@case(options=CLASSIFY)
def opset_zero(folder):
    proto = classifier()
    proto.opset_import[0].version = 0
    return proto


@case(options=CLASSIFY)
def opset_negative(folder):
    proto = classifier()
    proto.opset_import[0].version = -(2**63)
    return proto


@case("Frobnicate")
def unknown_operator(folder):
    return around(node("Frobnicate"))


@case("Imaginary")
def unknown_domain(folder):
    proto = around(node("Imaginary", domain="org.example.none"))
    proto.opset_import.append(helper.make_opsetid("org.example.none", 1))
    return proto


@case()
def domain_without_opset(folder):
    return around(node("Imaginary", domain="org.example.none"))


@case("NonMaxSuppression", "StringNormalizer", "Unique")
def several_unsupported_operators_named_at_once(folder):
    proto = around(
        [helper.make_node("NonMaxSuppression", ["boxes", "scores"], ["a"], name="first"),
         helper.make_node("StringNormalizer", ["s"], ["t"], name="second"),
         helper.make_node("Unique", ["h"], ["y"], name="third")],
    )
    proto.graph.input.extend([
        tensor("s", [3], onnx.TensorProto.STRING), tensor("boxes", [1, 6, 4]),
        tensor("scores", [1, 2, 6]),
    ])
    proto.graph.output.extend([
        tensor("t", [3], onnx.TensorProto.STRING), tensor("a", ["selected", 3], INT64),
    ])
    return proto


def _bytes_in_place_of(proto, text, replacement):
    """The file with a name changed to bytes that Python's protobuf refuses to write."""
    whole = proto.SerializeToString()
    assert text in whole and len(text) == len(replacement)
    return whole.replace(text, replacement)


@case(options=CLASSIFY)
def node_name_not_unicode(folder):
    proto = classifier()
    proto.graph.node[0].name = "NODENAME"
    proto.graph.node[0].input[1] = "absent"
    return _bytes_in_place_of(proto, b"NODENAME", b"\xff\xfe\x80\x00\xc0\xc1\xf5\xff")


@case()
def operator_name_not_unicode(folder):
    return _bytes_in_place_of(around(node("OPERATOR")), b"OPERATOR", b"\xff\xfe\x80\xc0OP\xf5\xff")


@case()
def operator_name_with_terminal_codes(folder):
    return around(node("\x1b[2J\x1b]0;owned\x07" * 100))


@case()
def operator_name_of_a_megabyte(folder):
    return around(node("A" * 1_000_000))


def _function(name, nodes, domain="local"):
    return helper.make_function(
        domain, name, ["a"], ["b"], nodes,
        [helper.make_opsetid("", 17), helper.make_opsetid(domain, 1)],
    )


def _call(name, source="a", target="b"):
    return helper.make_node(name, [source], [target], domain="local")


def _with_functions(*functions, call="f"):
    proto = around(node(call, domain="local"))
    proto.opset_import.append(helper.make_opsetid("local", 1))
    proto.functions.extend(functions)
    return proto


@case()
def function_calls_itself(folder):
    return _with_functions(_function("f", [_call("f")]))


@case()
def functions_call_each_other(folder):
    return _with_functions(
        _function("f", [_call("g")]), _function("g", [_call("h")]), _function("h", [_call("f")])
    )


@case()
def functions_that_expand_to_a_trillion_nodes(folder):
    functions = [_function("f0", [helper.make_node("Relu", ["a"], ["b"])])]
    for level in range(1, 41):
        callee = f"f{level - 1}"
        functions.append(_function(f"f{level}", [_call(callee, "a", "m"), _call(callee, "m", "b")]))
    return _with_functions(*functions, call="f40")


@case()
def function_without_opset(folder):
    function = _function("f", [helper.make_node("Relu", ["a"], ["b"])])
    function.ClearField("opset_import")
    return _with_functions(function)


@case()
def function_defined_twice(folder):
    return _with_functions(
        _function("f", [helper.make_node("Relu", ["a"], ["b"])]),
        _function("f", [helper.make_node("Neg", ["a"], ["b"])]),
    )


@case()
def function_called_with_too_many_inputs(folder):
    proto = _with_functions(_function("f", [helper.make_node("Relu", ["a"], ["b"])]))
    proto.graph.node[1].input.extend(["h", "h"])
    return proto


@case()
def function_output_that_nothing_makes(folder):
    return _with_functions(_function("f", [helper.make_node("Relu", ["a"], ["other"])]))


def _field(number, payload):
    """A length-delimited protobuf field."""
    size, prefix = len(payload), bytearray([number << 3 | 2])
    while size > 127:
        prefix.append(size & 127 | 128)
        size >>= 7
    return bytes(prefix) + bytes([size]) + payload


@case()
def conditions_nested_a_thousand_deep(folder):
    # By hand, since Python's protobuf doesn't write such nesting either.
    proto = model([], [tensor("x", [4])], [tensor("loss", [])], [weight("w", 4)])
    value = helper.make_node("ReduceMean", ["x"], ["r"], keepdims=0).SerializeToString()
    output = tensor("r", []).SerializeToString()
    branch = _field(1, value) + _field(2, b"inner") + _field(12, output)
    # In NodeProto 1 is input, 2 output, 4 op_type, 5 attribute; AttributeProto 6 is a graph.
    for _ in range(1000):
        kind = b"\xa0\x01\x05"
        attributes = b"".join(
            _field(5, _field(1, name) + _field(6, branch if name == b"then_branch" else
                                               _field(2, b"e") + _field(12, output)) + kind)
            for name in (b"then_branch", b"else_branch")
        )
        nested = _field(1, b"c") + _field(2, b"r") + _field(4, b"If") + attributes
        branch = _field(1, nested) + _field(2, b"inner") + _field(12, output)
    proto.graph.input.append(tensor("c", [], onnx.TensorProto.BOOL))
    proto.graph.output[0].CopyFrom(tensor("r", [], FLOAT))
    return proto.SerializeToString() + _field(7, branch)
