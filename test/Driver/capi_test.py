"""The compiler as a shared library: forward against ONNX Runtime, and a step that trains.

`LGC_LIBRARY` names liblgc.so.
"""

import ctypes
import json
import os
import pathlib

import numpy
import onnx
import onnxruntime
import pytest

MODELS = pathlib.Path(__file__).resolve().parent.parent / "models" / "onnx"
TYPES = {"f32": numpy.float32, "f64": numpy.float64, "i64": numpy.int64, "i32": numpy.int32,
         "i1": numpy.bool_}


@pytest.fixture(scope="module")
def library():
    lib = ctypes.CDLL(os.environ["LGC_LIBRARY"])
    lib.lgc_compile.restype = ctypes.c_void_p
    lib.lgc_compile.argtypes = [ctypes.c_char_p, ctypes.c_size_t, ctypes.c_char_p,
                                ctypes.POINTER(ctypes.c_void_p)]
    for name, result in (("name", ctypes.c_char_p), ("role", ctypes.c_char_p),
                         ("type", ctypes.c_char_p), ("rank", ctypes.c_int64),
                         ("shape", ctypes.POINTER(ctypes.c_int64)), ("bytes", ctypes.c_int64),
                         ("data", ctypes.c_void_p)):
        function = getattr(lib, "lgc_buffer_" + name)
        function.restype, function.argtypes = result, [ctypes.c_void_p, ctypes.c_int64]
    lib.lgc_num_buffers.restype = ctypes.c_int64
    for name in ("num_buffers", "run_forward", "run_train_step", "free", "free_error"):
        getattr(lib, "lgc_" + name).argtypes = [ctypes.c_void_p]
    return lib


def compile_model(lib, model, **options):
    error = ctypes.c_void_p()
    program = lib.lgc_compile(model, len(model), json.dumps(options).encode(), ctypes.byref(error))
    if program:
        return program
    text = ctypes.string_at(error).decode()
    lib.lgc_free_error(error)
    raise ValueError(text)


def buffers(lib, program):
    """Views of the named tensors, by role and name."""
    found = {}
    for i in range(lib.lgc_num_buffers(program)):
        shape = [lib.lgc_buffer_shape(program, i)[d] for d in range(lib.lgc_buffer_rank(program, i))]
        memory = (ctypes.c_char * lib.lgc_buffer_bytes(program, i)).from_address(
            lib.lgc_buffer_data(program, i))
        kind = TYPES[lib.lgc_buffer_type(program, i).decode()]
        view = numpy.frombuffer(memory, dtype=kind).reshape(shape)
        found[lib.lgc_buffer_name(program, i).decode()] = view
    return found


def test_forward(library):
    model = (MODELS / "mlp.dynamo.onnx").read_bytes()
    program = compile_model(library, model)
    session = onnxruntime.InferenceSession(model)
    random = numpy.random.default_rng(0)
    feeds = {i.name: random.standard_normal(i.shape).astype(numpy.float32)
             for i in session.get_inputs()}
    tensors = buffers(library, program)
    for name, value in feeds.items():
        tensors[name][...] = value
    assert library.lgc_run_forward(program) == 0
    assert library.lgc_run_train_step(program) == 1, "there is no training step"
    for output, expected in zip(session.get_outputs(), session.run(None, feeds)):
        numpy.testing.assert_allclose(tensors[output.name], expected, rtol=1e-4, atol=1e-5)
    library.lgc_free(program)


@pytest.mark.parametrize("fusion", [True, False])
def test_training_lowers_the_loss(library, fusion):
    model = (MODELS / "mlp.dynamo.onnx").read_bytes()
    program = compile_model(library, model, inference=False, optimizer="sgd(lr=0.1)",
                            loss="cross_entropy(logits, labels)", fusion=fusion)
    tensors = buffers(library, program)
    random = numpy.random.default_rng(0)
    (name,) = [i.name for i in onnx.load_from_string(model).graph.input]
    tensors[name][...] = random.standard_normal(tensors[name].shape)
    tensors["labels"][...] = random.integers(0, 2, tensors["labels"].shape)
    tensors["lgc.learning_rate"][...] = 0.1
    losses = []
    for _ in range(10):
        assert library.lgc_run_train_step(program) == 0
        losses.append(float(tensors["lgc.loss"]))
    assert losses[-1] < losses[0]
    library.lgc_free(program)


def test_errors_are_text(library):
    with pytest.raises(ValueError, match="error: "):
        compile_model(library, b"no model")
    error = ctypes.c_void_p()
    assert not library.lgc_compile(b"", 0, b"[1]", ctypes.byref(error))
    assert b"options" in ctypes.string_at(error)
    library.lgc_free_error(error)
