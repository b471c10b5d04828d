"""Graphs that don't hold together: names, cycles, types and shapes of inputs and outputs."""

import numpy
import onnx
from onnx import TensorProto, helper

from cases import (
    CLASSIFY, FLOAT, INT64, around, case, classifier, constant, model, node, tensor, weight,
)


@case(options=CLASSIFY)
def cycle_of_two_nodes(folder):
    proto = classifier()
    proto.graph.node[0].input[0] = "back"
    proto.graph.node.append(helper.make_node("MatMul", ["logits", "v"], ["back"]))
    proto.graph.initializer.append(weight("v", 2, 3))
    return proto


@case(options=CLASSIFY)
def node_reads_its_own_output(folder):
    proto = classifier()
    proto.graph.node[1].input[0] = "logits"
    return proto


@case("absent", options=CLASSIFY)
def input_that_nothing_makes(folder):
    proto = classifier()
    proto.graph.node[0].input[1] = "absent"
    return proto


@case(options=CLASSIFY)
def output_that_nothing_makes(folder):
    proto = classifier()
    proto.graph.node[1].output[0] = "elsewhere"
    return proto


@case(options=CLASSIFY)
def nodes_out_of_order(folder):
    proto = classifier()
    nodes = list(reversed(proto.graph.node))
    del proto.graph.node[:]
    proto.graph.node.extend(nodes)
    return proto


@case(options=CLASSIFY)
def two_nodes_make_one_name(folder):
    proto = classifier()
    proto.graph.node.append(helper.make_node("Relu", ["h"], ["logits"]))
    return proto


@case(options=CLASSIFY)
def node_overwrites_an_input(folder):
    proto = classifier()
    proto.graph.node.append(helper.make_node("Relu", ["h"], ["x"]))
    return proto


@case(options=CLASSIFY)
def node_overwrites_an_initializer(folder):
    proto = classifier()
    proto.graph.node.append(helper.make_node("Relu", ["h"], ["b"]))
    return proto


@case(options=CLASSIFY)
def two_initializers_of_one_name(folder):
    proto = classifier()
    proto.graph.initializer.append(weight("w", 3, 2))
    return proto


@case(options=CLASSIFY)
def two_inputs_of_one_name(folder):
    proto = classifier()
    proto.graph.input.append(tensor("x", [4, 3]))
    return proto


@case(options=CLASSIFY)
def initializer_without_name(folder):
    proto = classifier()
    proto.graph.initializer[0].name = ""
    return proto


@case(options=CLASSIFY)
def node_without_operator(folder):
    proto = classifier()
    proto.graph.node[1].op_type = ""
    return proto


@case(options=CLASSIFY)
def no_outputs(folder):
    proto = classifier()
    del proto.graph.output[:]
    return proto


@case(options=CLASSIFY)
def no_nodes(folder):
    return model([], [tensor("logits", [4, 2])], [tensor("logits", [4, 2])])


@case(options=CLASSIFY)
def nothing_to_train(folder):
    return model(
        [helper.make_node("Relu", ["x"], ["logits"])],
        [tensor("x", [4, 2])], [tensor("logits", [4, 2])],
    )


@case(options=("--loss=mean_of_nothing",), status=(1, 2))
def loss_that_is_no_output(folder):
    return classifier()


@case()
def no_scalar_output_and_no_loss(folder):
    return classifier()


@case()
def two_scalar_outputs_and_no_loss(folder):
    proto = around(node("Relu"))
    proto.graph.node.append(helper.make_node("ReduceMax", ["y"], ["other"], keepdims=0))
    proto.graph.output.append(tensor("other", []))
    return proto


@case()
def loss_independent_of_the_parameters(folder):
    proto = around(node("Relu"))
    proto.graph.node[2].input[0] = "x"
    return proto


@case("rows", "columns")
def unbound_dimensions_all_named(folder):
    proto = around(node("Relu"))
    proto.graph.input[0].CopyFrom(tensor("x", ["rows", "columns"]))
    return proto


@case(options=("--dim=rows=5",))
def dimension_bound_to_what_cannot_be(folder):
    proto = around(node("Add", "h", "x2"))
    proto.graph.input.append(tensor("x2", ["rows", 6]))
    return proto


@case(options=CLASSIFY)
def input_without_shape(folder):
    proto = classifier()
    proto.graph.input[0].type.tensor_type.ClearField("shape")
    return proto


@case(options=CLASSIFY)
def input_without_type(folder):
    proto = classifier()
    proto.graph.input[0].ClearField("type")
    return proto


@case(options=CLASSIFY)
def input_with_undefined_element_type(folder):
    proto = classifier()
    proto.graph.input[0].type.tensor_type.elem_type = 0
    return proto


@case(options=CLASSIFY)
def input_with_unknown_element_type(folder):
    proto = classifier()
    proto.graph.input[0].type.tensor_type.elem_type = 12345
    return proto


@case(options=CLASSIFY)
def input_of_strings(folder):
    proto = classifier()
    proto.graph.input[0].type.tensor_type.elem_type = TensorProto.STRING
    return proto


@case(options=CLASSIFY)
def input_of_integers_where_floats_are_needed(folder):
    proto = classifier()
    proto.graph.input[0].type.tensor_type.elem_type = INT64
    return proto


@case()
def input_that_is_a_sequence(folder):
    proto = around(node("ConcatFromSequence", "s", axis=0))
    proto.graph.input.append(
        helper.make_tensor_sequence_value_info("s", FLOAT, [2, 3])
    )
    return proto


@case(options=CLASSIFY)
def input_with_a_negative_dimension(folder):
    proto = classifier()
    proto.graph.input[0].CopyFrom(tensor("x", [-4, 3]))
    return proto


@case(options=CLASSIFY)
def input_with_a_zero_dimension(folder):
    proto = classifier()
    proto.graph.input[0].CopyFrom(tensor("x", [0, 3]))
    proto.graph.output[0].CopyFrom(tensor("logits", [0, 2]))
    return proto


@case(options=CLASSIFY)
def input_of_more_elements_than_can_be_counted(folder):
    proto = classifier()
    proto.graph.input[0].CopyFrom(tensor("x", [2**62, 3]))
    proto.graph.output[0].CopyFrom(tensor("logits", [2**62, 2]))
    return proto


@case(options=CLASSIFY)
def input_larger_than_any_memory(folder):
    proto = classifier()
    proto.graph.input[0].CopyFrom(tensor("x", [10**13, 3]))
    proto.graph.output[0].CopyFrom(tensor("logits", [10**13, 2]))
    return proto


@case(options=(*CLASSIFY, "--memory=64MiB"))
def model_larger_than_the_memory_allowed(folder):
    proto = classifier()
    proto.graph.input[0].CopyFrom(tensor("x", [2**25, 3]))
    proto.graph.output[0].CopyFrom(tensor("logits", [2**25, 2]))
    return proto


@case()
def input_of_a_thousand_dimensions(folder):
    proto = around(node("Relu", "z"))
    proto.graph.input.append(tensor("z", [2] * 1000))
    return proto


@case(options=CLASSIFY)
def output_of_another_shape_than_stated(folder):
    proto = classifier()
    proto.graph.output[0].CopyFrom(tensor("logits", [4, 7]))
    return proto


@case(options=CLASSIFY)
def output_of_another_type_than_stated(folder):
    proto = classifier()
    proto.graph.output[0].CopyFrom(tensor("logits", [4, 2], INT64))
    return proto


@case()
def branch_reads_what_nothing_makes(folder):
    def branch(source):
        return helper.make_graph(
            [helper.make_node("Relu", [source], ["r"])], "branch", [], [tensor("r", [4, 6])]
        )

    condition = constant("c", True, numpy.bool_)
    return around(
        node("If", "c", then_branch=branch("absent"), else_branch=branch("h")), condition
    )


@case("Loop")
def loop_without_end(folder):
    body = helper.make_graph(
        [helper.make_node("Identity", ["c"], ["c_out"]), helper.make_node("Relu", ["v"], ["v_out"])],
        "body",
        [tensor("i", [], INT64), tensor("c", [], TensorProto.BOOL), tensor("v", [4, 6])],
        [tensor("c_out", [], TensorProto.BOOL), tensor("v_out", [4, 6])],
    )
    counts = [constant("n", 2**62), constant("go", True, numpy.bool_)]
    return around(node("Loop", "n", "go", "h", body=body), *counts)


@case()
def sparse_parameter(folder):
    proto = around(node("Add", "h", "sparse"))
    values = constant("sparse", [1.0, 2.0], numpy.float32)
    indices = constant("sparse_indices", [99999, 5])
    proto.graph.sparse_initializer.append(onnx.helper.make_sparse_tensor(values, indices, [4, 6]))
    return proto
