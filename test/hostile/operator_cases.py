"""Nodes with attributes, inputs or shapes that their operators don't allow.

Most are one line: a node that reads `h` [4, 6], and the constants that it reads.
"""

import numpy
from onnx import AttributeProto, TensorProto, helper

from cases import FLOAT, add, around, case, constant, node, weight

MIN_INT64 = -(2**63)


def wrong(name, bad_node, *constants, **options):
    add(name, lambda folder: around(bad_node, *constants, **options))


# Attributes: of the wrong type, missing, unknown, out of range.
wrong("attribute_is_a_string_for_an_integer", node("Softmax", axis="last"))
wrong("attribute_is_a_float_for_an_integer", node("Softmax", axis=1.5))
wrong("attribute_is_an_integer_for_integers", node("Transpose", perm=1))
wrong("attribute_is_a_tensor_for_an_integer",
      node("Softmax", axis=helper.make_tensor("t", FLOAT, [1], [1.0])))
wrong("attribute_is_unknown", node("Relu", colour="red"))
wrong("attribute_is_missing", node("Concat", "h", "h"))
wrong("attribute_to_of_cast_is_missing", node("Cast"))
wrong("axis_beyond_the_rank", node("Softmax", axis=2))
wrong("axis_below_the_rank", node("Softmax", axis=-3))
wrong("axis_at_the_end_of_64_bits", node("Softmax", axis=MIN_INT64))
wrong("axis_of_concat_beyond_the_rank", node("Concat", "h", "h", axis=7))
wrong("axis_of_flatten_beyond_the_rank", node("Flatten", axis=5))
wrong("axis_of_gather_beyond_the_rank", node("Gather", "h", "i", axis=2), constant("i", [0]))
wrong("axis_of_reduction_beyond_the_rank", node("ReduceMean", axes=[9]))
wrong("axis_of_reduction_twice", node("ReduceMean", axes=[1, -1]))
wrong("axis_of_layer_norm_beyond_the_rank",
      node("LayerNormalization", "h", "scale", axis=4), weight("scale", 6))
wrong("axis_of_unsqueeze_twice", node("Unsqueeze", "h", "a"), constant("a", [0, 0]))
wrong("axis_of_squeeze_not_one", node("Squeeze", "h", "a"), constant("a", [1]))
wrong("permutation_repeats_an_axis", node("Transpose", perm=[0, 0]))
wrong("permutation_too_short", node("Transpose", perm=[0]))
wrong("permutation_beyond_the_rank", node("Transpose", perm=[0, 2]))
wrong("permutation_negative", node("Transpose", perm=[-1, 0]))
wrong("cast_to_an_unknown_type", node("Cast", to=999))
wrong("cast_to_strings", node("Cast", to=TensorProto.STRING))
wrong("einsum_without_equation", node("Einsum", "h", "h"))
wrong("einsum_that_is_no_equation", node("Einsum", "h", "h", equation="]->[,,"))
wrong("einsum_with_too_few_letters", node("Einsum", "h", "h", equation="i,ij->j"))
wrong("einsum_with_sizes_that_differ", node("Einsum", "h", "h", equation="ij,jk->ik"))
wrong("einsum_with_an_output_letter_from_nowhere", node("Einsum", "h", equation="ij->iz"))


@case()
def attribute_with_two_values(folder):
    bad = node("Softmax", axis=1)
    bad.attribute[0].f = 1.0
    bad.attribute[0].type = AttributeProto.FLOAT
    return around(bad)


@case()
def attribute_given_twice(folder):
    bad = node("Softmax", axis=1)
    bad.attribute.append(helper.make_attribute("axis", 0))
    return around(bad)


@case()
def attribute_that_refers_to_no_function(folder):
    bad = node("Softmax", axis=1)
    bad.attribute[0].ref_attr_name = "outer"
    return around(bad)


# Inputs and outputs: too few, too many, left out, of the wrong type or shape.
wrong("too_few_inputs", node("MatMul", "h"))
wrong("no_inputs", helper.make_node("Relu", [], ["y"], name="bad"))
wrong("too_many_inputs", node("Relu", "h", "h"))
wrong("required_input_left_out", node("MatMul", "h", ""))
wrong("too_many_outputs", node("Relu", outputs=("y", "z")))
wrong("no_output", [helper.make_node("Relu", ["h"], [], name="bad"), node("Neg")])
wrong("shapes_that_do_not_broadcast", node("Add", "h", "v"), weight("v", 5))
wrong("shapes_that_do_not_multiply", node("MatMul", "h", "m"), weight("m", 5, 3))
wrong("gemm_of_three_dimensions", node("Gemm", "h", "m"), weight("m", 6, 2, 2))
wrong("gemm_with_a_bias_that_does_not_fit", node("Gemm", "h", "m", "v"), weight("m", 6, 2),
      weight("v", 3))
wrong("types_that_differ", node("Add", "h", "i"), constant("i", [1] * 6))
wrong("logical_operator_on_floats", node("And", "h", "h"))
wrong("condition_that_is_no_bool", node("Where", "h", "h", "h"))
wrong("gather_by_floats", node("Gather", "h", "v"), weight("v", 2))
wrong("concat_of_shapes_that_differ", node("Concat", "h", "m", axis=0), weight("m", 2, 5))
wrong("layer_norm_with_a_scale_that_does_not_fit", node("LayerNormalization", "h", "v"),
      weight("v", 5))

# Shapes computed from constants.
wrong("reshape_to_another_count", node("Reshape", "h", "s"), constant("s", [5, 5]))
wrong("reshape_with_two_unknowns", node("Reshape", "h", "s"), constant("s", [-1, -1]))
wrong("reshape_with_an_unknown_that_is_no_integer", node("Reshape", "h", "s"),
      constant("s", [-1, 7]))
wrong("reshape_to_negative", node("Reshape", "h", "s"), constant("s", [-4, -6]))
wrong("reshape_to_a_product_that_wraps_around", node("Reshape", "h", "s"),
      constant("s", [2**62, 2**62, 3]))
wrong("reshape_keeps_a_dimension_that_is_not_there", node("Reshape", "h", "s"),
      constant("s", [4, 6, 0]))
wrong("reshape_to_a_matrix_of_sizes", node("Reshape", "h", "s"), constant("s", [[4, 6]]))
wrong("expand_to_what_does_not_broadcast", node("Expand", "h", "s"), constant("s", [4, 5]))
wrong("expand_to_more_than_any_memory", node("Expand", "h", "s"), constant("s", [2**50, 4, 6]))
wrong("expand_to_negative", node("Expand", "h", "s"), constant("s", [-2, 4, 6]))
wrong("tile_by_negative", node("Tile", "h", "s"), constant("s", [-1, 1]))
wrong("tile_by_too_few", node("Tile", "h", "s"), constant("s", [2]))
wrong("tile_to_more_than_any_memory", node("Tile", "h", "s"), constant("s", [2**40, 2**40]))
wrong("gather_beyond_the_end", node("Gather", "h", "i"), constant("i", [4]))
wrong("gather_before_the_start", node("Gather", "h", "i"), constant("i", [-5]))
wrong("slice_by_a_step_of_zero", node("Slice", "h", "a", "b", "x0", "s"), constant("a", [0]),
      constant("b", [4]), constant("x0", [0]), constant("s", [0]))
wrong("slice_with_more_starts_than_ends", node("Slice", "h", "a", "b"), constant("a", [0, 0]),
      constant("b", [4]))
wrong("slice_of_an_axis_beyond_the_rank", node("Slice", "h", "a", "b", "x3"), constant("a", [0]),
      constant("b", [4]), constant("x3", [3]))
wrong("split_into_parts_of_another_sum", node("Split", "h", "s", outputs=("y", "z")),
      constant("s", [1, 2]))
wrong("split_into_negative_parts", node("Split", "h", "s", outputs=("y", "z")),
      constant("s", [-1, 5]))
wrong("split_into_more_parts_than_outputs", node("Split", "h", "s", outputs=("y", "z")),
      constant("s", [1, 1, 2]))
wrong("pad_by_too_few", node("Pad", "h", "p"), constant("p", [1, 1]))
wrong("pad_to_negative_size", node("Pad", "h", "p"), constant("p", [-3, 0, -3, 0]))
wrong("pad_to_more_than_any_memory", node("Pad", "h", "p"), constant("p", [2**60, 0, 2**60, 0]))
wrong("topk_of_more_than_there_are", node("TopK", "h", "k", outputs=("y", "z")),
      constant("k", [7]))
wrong("topk_of_negative", node("TopK", "h", "k", outputs=("y", "z")), constant("k", [-1]))
wrong("one_hot_of_negative_depth", node("OneHot", "i", "d", "v"), constant("i", [1, 2]),
      constant("d", [-3]), weight("v", 2))
wrong("one_hot_deeper_than_any_memory", node("OneHot", "i", "d", "v"), constant("i", [1, 2]),
      constant("d", [2**60]), weight("v", 2))


def sized(name, *nodes, constants=()):
    """A case whose constants compute the `s` to which `h` is reshaped."""
    wrong(name, [*nodes, helper.make_node("Reshape", ["h", "s"], ["y"], name="reshape")],
          *constants)


def compute(operator, *inputs, **attributes):
    return helper.make_node(operator, list(inputs), ["s"], name="bad", **attributes)


sized("sizes_divided_by_zero", compute("Div", "a", "b"),
      constants=[constant("a", [4, 6]), constant("b", [1, 0])])
sized("sizes_modulo_zero", compute("Mod", "a", "b"),
      constants=[constant("a", [4, 6]), constant("b", [1, 0])])
sized("sizes_divided_out_of_range", compute("Div", "a", "b"),
      constants=[constant("a", [MIN_INT64, 24]), constant("b", [-1, 1])])
sized("sizes_multiplied_out_of_range", compute("Mul", "a", "b"),
      constants=[constant("a", [2**62, 24]), constant("b", [4, 1])])
sized("range_by_a_step_of_zero", compute("Range", "a", "b", "c"),
      constants=[constant("a", 0), constant("b", 4), constant("c", 0)])
sized("range_of_more_than_any_memory", compute("Range", "a", "b", "c"),
      constants=[constant("a", 0), constant("b", 2**62), constant("c", 1)])
sized("constant_of_negative_shape", compute("ConstantOfShape", "a"),
      constants=[constant("a", [-2])])
sized("constant_of_more_than_any_memory", compute("ConstantOfShape", "a"),
      constants=[constant("a", [2**40, 2**20])])
sized("sizes_from_infinity", compute("Cast", "a", to=TensorProto.INT64),
      constants=[constant("a", [float("inf"), float("nan")], numpy.float32)])
sized("sizes_from_the_data", compute("NonZero", "h"))
sized("shape_of_a_span_that_is_empty", compute("Shape", "h", start=2, end=0))

# Convolution and pooling, of `h` [1, 2, 6, 6] with a kernel [4, 2, 3, 3].
KERNEL = weight("k", 4, 2, 3, 3)


def convolution(name, kernel=KERNEL, operator="Conv", **attributes):
    wrong(name, node(operator, "h", "k", **attributes), kernel, shape=(1, 2, 6, 6))


def pooling(name, operator="MaxPool", **attributes):
    wrong(name, node(operator, **attributes), shape=(1, 2, 6, 6))


convolution("convolution_of_other_channels", weight("k", 4, 3, 3, 3))
convolution("convolution_of_other_rank", weight("k", 4, 2, 3))
convolution("convolution_with_stride_zero", strides=[0, 1])
convolution("convolution_with_negative_stride", strides=[-1, 1])
convolution("convolution_with_dilation_zero", dilations=[0, 0])
convolution("convolution_with_groups_zero", group=0)
convolution("convolution_with_groups_that_do_not_divide", group=3)
convolution("convolution_with_negative_groups", group=-2)
convolution("convolution_with_negative_padding", pads=[-1, -1, -1, -1])
convolution("convolution_with_padding_out_of_range", pads=[2**62] * 4)
convolution("convolution_with_too_few_pads", pads=[1, 1])
convolution("convolution_with_another_kernel_shape", kernel_shape=[5, 5])
convolution("convolution_with_a_kernel_larger_than_the_image", weight("k", 4, 2, 9, 9))
convolution("convolution_with_dilation_out_of_range", dilations=[2**62, 2**62])
convolution("convolution_with_unknown_padding", auto_pad="SOMEWHERE")
convolution("transposed_convolution_of_other_channels", weight("k", 3, 2, 3, 3), "ConvTranspose")
convolution("transposed_convolution_with_stride_zero", weight("k", 2, 2, 3, 3), "ConvTranspose",
            strides=[0, 0])
convolution("transposed_convolution_of_negative_size", weight("k", 2, 2, 3, 3), "ConvTranspose",
            output_shape=[-4, -4])
pooling("pooling_without_kernel")
pooling("pooling_with_kernel_zero", kernel_shape=[0, 0])
pooling("pooling_with_negative_kernel", kernel_shape=[-2, 2])
pooling("pooling_with_stride_zero", kernel_shape=[2, 2], strides=[0, 0])
pooling("pooling_with_a_kernel_of_other_rank", kernel_shape=[2])
pooling("pooling_with_a_kernel_larger_than_the_image", kernel_shape=[9, 9])
pooling("average_with_kernel_zero", "AveragePool", kernel_shape=[0, 0])
wrong("normalization_of_other_channels",
      node("BatchNormalization", "h", "s", "b", "m", "v"), weight("s", 3), weight("b", 3),
      weight("m", 3), weight("v", 3), shape=(1, 2, 6, 6))
wrong("depth_to_space_of_block_zero", node("DepthToSpace", blocksize=0), shape=(1, 4, 6, 6))
wrong("depth_to_space_that_does_not_divide", node("DepthToSpace", blocksize=4), shape=(1, 4, 6, 6))
wrong("resize_to_negative", node("Resize", "h", "", "s"),
      constant("s", [1, 1, -2, 2], numpy.float32), shape=(1, 2, 6, 6))
wrong("resize_to_more_than_any_memory", node("Resize", "h", "", "s"),
      constant("s", [1, 1, 1e30, 1e30], numpy.float32), shape=(1, 2, 6, 6))

# Dropout and losses within the model.
wrong("dropout_with_ratio_two", node("Dropout", "h", "r", "t"),
      constant("r", 2.0, numpy.float32), constant("t", True, numpy.bool_))
wrong("dropout_with_ratio_that_is_no_number", node("Dropout", "h", "r", "t"),
      constant("r", float("nan"), numpy.float32), constant("t", True, numpy.bool_))
wrong("loss_with_labels_of_another_batch", node("SoftmaxCrossEntropyLoss", "h", "l"),
      constant("l", [0, 1, 2]))
wrong("loss_with_unknown_reduction", node("SoftmaxCrossEntropyLoss", "h", "l", reduction="median"),
      constant("l", [0, 1, 2, 3]))
