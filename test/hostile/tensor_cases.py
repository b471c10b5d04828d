"""Initializers whose data is not what they say, inside the file and outside of it."""

import os

import numpy
import onnx
from onnx import TensorProto, helper

from cases import CLASSIFY, INT64, add, around, case, classifier, node

WEIGHT_BYTES = 3 * 2 * 4


def _with_weight(change):
    """The sound model after a change of its matrix [3, 2]."""
    proto = classifier()
    change(proto.graph.initializer[0])
    return proto


def weight_case(change):
    add(change.__name__, lambda folder: _with_weight(change), options=CLASSIFY)
    return change


@weight_case
def data_shorter_than_the_shape(w):
    w.raw_data = w.raw_data[:-4]


@weight_case
def data_longer_than_the_shape(w):
    w.raw_data += bytes(4)


@weight_case
def data_of_no_whole_elements(w):
    w.raw_data = w.raw_data[:-1]


@weight_case
def no_data(w):
    w.ClearField("raw_data")


@weight_case
def data_twice(w):
    w.float_data.extend([0.0] * 6)


@weight_case
def floats_in_the_integers(w):
    w.ClearField("raw_data")
    w.int32_data.extend([1] * 6)


@weight_case
def floats_in_the_doubles(w):
    w.ClearField("raw_data")
    w.double_data.extend([1.0] * 6)


@weight_case
def too_few_floats(w):
    w.ClearField("raw_data")
    w.float_data.extend([1.0] * 5)


@weight_case
def negative_dimension(w):
    w.dims[0] = -3


@weight_case
def two_negative_dimensions(w):
    # Their product is the right number of elements.
    w.dims[:] = [-3, -2]


@weight_case
def dimensions_whose_product_wraps_around(w):
    # 2^33 * 2^33 * 4 bytes are 0 modulo 2^64.
    w.dims[:] = [2**33, 2**33]
    w.raw_data = b""


@weight_case
def dimensions_whose_product_wraps_to_the_right_size(w):
    # (2^63 + 3) * 2 is 6 modulo 2^64, as a signed dimension.
    w.dims[:] = [3 - 2**63, 2]


@weight_case
def dimensions_of_an_exabyte(w):
    w.dims[:] = [2**40, 2**18]


@weight_case
def shape_that_does_not_multiply(w):
    w.dims[:] = [2, 3]


@weight_case
def scalar_where_a_matrix_is_needed(w):
    del w.dims[:]
    w.raw_data = w.raw_data[:4]


@weight_case
def undefined_element_type(w):
    w.data_type = TensorProto.UNDEFINED


@weight_case
def unknown_element_type(w):
    w.data_type = 4711


@weight_case
def element_type_of_strings(w):
    w.data_type = TensorProto.STRING


@weight_case
def element_type_of_strings_with_strings(w):
    w.data_type = TensorProto.STRING
    w.ClearField("raw_data")
    w.string_data.extend([b"1"] * 6)


@weight_case
def segment_of_a_tensor(w):
    w.segment.begin = 0
    w.segment.end = 2**60


def _external(entries, shape=(3, 2)):
    """The sound model with its matrix in another file."""
    proto = classifier()
    w = proto.graph.initializer[0]
    w.ClearField("raw_data")
    w.dims[:] = shape
    w.data_location = TensorProto.EXTERNAL
    for key, value in entries.items():
        w.external_data.add(key=key, value=value)
    return proto


def _beside(folder, name="model.data", size=WEIGHT_BYTES):
    (folder / name).write_bytes(bytes(size))


def external_case(name, size=WEIGHT_BYTES, **entries):
    """A case of entries of the external data, beside a sound data file."""

    def make(folder):
        _beside(folder, size=size)
        return _external({"location": "model.data", **entries})

    add(f"external_{name}", make, options=CLASSIFY)


external_case("offset_beyond_the_file", offset="1000")
external_case("offset_negative", offset="-24")
external_case("offset_no_number", offset="first")
external_case("offset_empty", offset="")
external_case("offset_with_trailing_letters", offset="0x10")
external_case("offset_larger_than_64_bits", offset="99999999999999999999999999")
external_case("offset_and_length_wrap_around", offset=str(2**64 - 8), length=str(WEIGHT_BYTES))
external_case("length_beyond_the_file", length="4096")
external_case("length_negative", length="-1")
external_case("length_no_number", length="all")
external_case("length_of_all_memory", length=str(2**63 - 1))
external_case("length_other_than_the_shape", size=4096, length="20")
external_case("file_too_short", size=WEIGHT_BYTES - 1)
external_case("file_empty", size=0)


def location_case(name, location):
    """A case of a location that leaves the folder or is none, with a sound file outside."""

    def make(folder):
        inner = folder / "inner"
        inner.mkdir()
        _beside(folder)
        path = inner / "model.onnx"
        place = location(folder, inner)
        path.write_bytes(_external({} if place is None else {"location": place})
                         .SerializeToString())
        return path

    add(f"external_location_{name}", make, options=CLASSIFY)


location_case("in_the_parent", lambda folder, inner: "../model.data")
location_case("in_the_parent_by_a_detour", lambda folder, inner: "a/../../model.data")
location_case("with_backslashes", lambda folder, inner: "..\\model.data")
location_case("absolute", lambda folder, inner: str(folder / "model.data"))
location_case("of_the_system", lambda folder, inner: "/etc/passwd")
location_case("absent", lambda folder, inner: "absent.data")
location_case("empty", lambda folder, inner: "")
location_case("missing", lambda folder, inner: None)
location_case("the_folder", lambda folder, inner: ".")
location_case("a_file_as_a_folder", lambda folder, inner: "model.onnx/")
location_case("very_long", lambda folder, inner: "d/" * 50_000 + "model.data")


def _symlink_to_file(folder, inner):
    (inner / "link.data").symlink_to(folder / "model.data")
    return "link.data"


def _symlink_to_folder(folder, inner):
    (inner / "sub").symlink_to(folder)
    return "sub/model.data"


def _symlink_to_itself(folder, inner):
    (inner / "link.data").symlink_to(inner / "link.data")
    return "link.data"


def _symlink_to_device(folder, inner):
    (inner / "link.data").symlink_to("/dev/zero")
    return "link.data"


def _pipe(folder, inner):
    # Opening a pipe that nobody writes to waits for ever.
    os.mkfifo(inner / "pipe.data")
    return "pipe.data"


location_case("a_link_to_a_file_outside", _symlink_to_file)
location_case("through_a_link_to_a_folder_outside", _symlink_to_folder)
location_case("a_link_to_itself", _symlink_to_itself)
location_case("a_link_to_a_device", _symlink_to_device)
location_case("a_pipe", _pipe)


@case(options=CLASSIFY)
def external_shape_larger_than_any_file(folder):
    _beside(folder)
    return _external({"location": "model.data"}, shape=(2**40, 2))


@case(options=CLASSIFY)
def external_data_beside_inner_data(folder):
    _beside(folder)
    proto = _external({"location": "model.data", "length": "1"})
    proto.graph.initializer[0].raw_data = bytes(WEIGHT_BYTES)
    return proto


def constant_case(name, **attributes):
    """A `Constant` node whose value isn't there or is there twice."""
    add(f"constant_{name}",
        lambda folder: around([helper.make_node("Constant", [], ["k"], name="bad", **attributes),
                               helper.make_node("Add", ["h", "k"], ["y"])]))


def _broken_tensor():
    return onnx.TensorProto(dims=[1000, 1000], data_type=INT64, raw_data=bytes(8))


constant_case("without_value")
constant_case("with_two_values", value_float=1.0, value_int=1)
constant_case("with_data_shorter_than_its_shape", value=_broken_tensor())
constant_case("of_a_string", value_string="text")


@case()
def shape_given_by_a_float(folder):
    target = helper.make_tensor("target", TensorProto.FLOAT, [2], [6.0, 4.0])
    return around(node("Reshape", "h", "target"), target)


@case()
def shape_with_too_little_data(folder):
    target = onnx.TensorProto(name="target", dims=[3], data_type=INT64,
                              raw_data=numpy.array([24], numpy.int64).tobytes())
    return around(node("Reshape", "h", "target"), target)
