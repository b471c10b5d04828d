"""Runs an ONNX graph by PyTorch operations, so that it can be differentiated.

Only what the zoo's files hold, and only as they use it: `export.py` trains each file by it and so
shows that the file, not just the module that it came from, leads to the reference losses.
"""

import numpy
import onnx
import torch
import torch.nn.functional as F
from onnx import numpy_helper

_TYPES = {
    onnx.TensorProto.FLOAT: torch.float32,
    onnx.TensorProto.INT32: torch.int32,
    onnx.TensorProto.INT64: torch.int64,
    onnx.TensorProto.BOOL: torch.bool,
}


def run(proto, values):
    """Computes the graph's only output from `values`, its inputs and initializers by name."""
    values = {"": None, **values}
    opset = next(i.version for i in proto.opset_import if i.domain == "")
    for node in proto.graph.node:
        attributes = {a.name: onnx.helper.get_attribute_value(a) for a in node.attribute}
        compute = _OPERATORS.get(node.op_type)
        if compute is None:
            raise NotImplementedError(node.op_type)
        if node.op_type in _CHANGED_BY_OPSET:
            attributes["opset"] = opset
        outputs = compute(*(values[name] for name in node.input), **attributes)
        if not isinstance(outputs, tuple):
            outputs = (outputs,)
        values.update(zip(node.output, outputs))
    return values[proto.graph.output[0].name]


def to_torch(tensor):
    return torch.from_numpy(numpy_helper.to_array(tensor).copy())


def _ints(tensor):
    return None if tensor is None else [int(i) for i in tensor.flatten()]


def _constant(value=None, **plain):
    return to_torch(value) if value is not None else torch.tensor(next(iter(plain.values())))


def _constant_of_shape(shape, value=None):
    fill = to_torch(value) if value is not None else torch.zeros(1)
    return fill.flatten().repeat(_count(shape)).reshape(_ints(shape))


def _count(shape):
    return int(numpy.prod(_ints(shape)))


def _reshape(x, shape, allowzero=0):
    sizes = [
        x.shape[place] if size == 0 and not allowzero else size
        for place, size in enumerate(_ints(shape))
    ]
    return x.reshape(sizes)


def _expand(x, shape):
    return x.expand(torch.broadcast_shapes(x.shape, _ints(shape)))


def _slice(x, starts, ends, axes=None, steps=None):
    axes = _ints(axes) or range(len(starts))
    for axis, start, end, step in zip(
        axes, _ints(starts), _ints(ends), _ints(steps) or [1] * len(starts)
    ):
        x = x.movedim(axis, 0)[slice(start, end, step)].movedim(0, axis)
    return x


def _gather(x, indices, axis=0):
    indices = torch.where(indices < 0, indices + x.shape[axis], indices)
    taken = x.index_select(axis, indices.flatten())
    axis %= x.ndim
    return taken.reshape(*x.shape[:axis], *indices.shape, *x.shape[axis + 1 :])


def _gather_nd(x, indices, batch_dims=0):
    assert batch_dims == 0
    return x[tuple(indices.unbind(-1))]


def _split(x, sizes=None, axis=0, num_outputs=None):
    if sizes is None:
        return x.chunk(num_outputs, axis)
    return x.split(_ints(sizes), axis)


def _split_to_sequence(x, sizes, axis=0, keepdims=1):
    # A sequence is a list, so that it counts as one output.
    return list(x.split(int(sizes) if sizes.ndim == 0 else _ints(sizes), axis))


def _unsqueeze(x, axes):
    axes = sorted(a % (x.ndim + len(_ints(axes))) for a in _ints(axes))
    for axis in axes:
        x = x.unsqueeze(axis)
    return x


def _squeeze(x, axes=None):
    return x.squeeze() if axes is None else x.squeeze(tuple(_ints(axes)))


def _cast(x, to):
    return x.to(x.dtype if to == onnx.TensorProto.FLOAT and x.is_floating_point() else _TYPES[to])


def _reduce(operation):
    def compute(x, axes=None, keepdims=1, noop_with_empty_axes=0):
        axes = list(axes) if isinstance(axes, (list, tuple)) else _ints(axes)
        return operation(x, tuple(axes or range(x.ndim)), keepdim=bool(keepdims))

    return compute


def _softmax(x, opset, axis=None):
    if opset < 13:
        raise NotImplementedError("softmax over flattened dimensions")
    return x.softmax(-1 if axis is None else axis)


def _gemm(a, b, c=None, alpha=1.0, beta=1.0, transA=0, transB=0):
    product = alpha * ((a.T if transA else a) @ (b.T if transB else b))
    return product if c is None else product + beta * c


def _layer_normalization(x, scale, bias=None, axis=-1, epsilon=1e-5, stash_type=1):
    return F.layer_norm(x, x.shape[axis:], scale, bias, epsilon)


def _rms_normalization(x, scale, axis=-1, epsilon=1e-5, stash_type=1):
    return F.rms_norm(x, x.shape[axis:], scale, epsilon)


def _batch_normalization(x, scale, bias, mean, variance, training_mode=0, epsilon=1e-5,
                         momentum=0.9):
    if training_mode:
        return F.batch_norm(x, None, None, scale, bias, True, eps=epsilon)
    return F.batch_norm(x, mean, variance, scale, bias, False, eps=epsilon)


def _spatial(pads):
    """ONNX's begins and ends, which the zoo's files have equal, as PyTorch's paddings."""
    half = len(pads) // 2
    assert pads[:half] == pads[half:]
    return pads[:half]


def _conv(x, w, b=None, dilations=(1, 1), group=1, kernel_shape=None, pads=(0, 0, 0, 0),
          strides=(1, 1), auto_pad=b"NOTSET"):
    return F.conv2d(x, w, b, strides, _spatial(pads), dilations, group)


def _max_pool(x, kernel_shape, pads=(0, 0, 0, 0), strides=(1, 1), dilations=(1, 1), ceil_mode=0,
              auto_pad=b"NOTSET", storage_order=0):
    return F.max_pool2d(x, kernel_shape, strides, _spatial(pads), dilations, bool(ceil_mode))


def _dropout(x, ratio=None, training=None, seed=None):
    """Without a mask: the files that are compared drop nothing."""
    assert ratio is None or float(ratio) == 0 or not bool(training)
    return x


def _gelu(x, approximate=b"none"):
    return F.gelu(x, approximate=approximate.decode())


def _top_k(x, k, axis=-1, largest=1, sorted=1):
    return tuple(x.topk(int(k), axis, bool(largest), bool(sorted)))


def _scatter(x, indices, updates, axis=0, reduction=b"none"):
    assert reduction == b"none"
    return x.scatter(axis, indices, updates)


def _cumsum(x, axis, exclusive=0, reverse=0):
    assert not exclusive and not reverse
    return x.cumsum(int(axis))


def _div(a, b):
    return a / b if a.is_floating_point() else torch.div(a, b, rounding_mode="trunc")


def _mod(a, b, fmod=0):
    return a.fmod(b) if fmod else a.remainder(b)


_CHANGED_BY_OPSET = {"Softmax"}

_OPERATORS = {
    "Add": torch.add,
    "And": torch.logical_and,
    "BatchNormalization": _batch_normalization,
    "Cast": _cast,
    "CastLike": lambda x, like: x.to(like.dtype),
    "Concat": lambda *parts, axis: torch.cat(parts, axis),
    "Constant": _constant,
    "ConstantOfShape": _constant_of_shape,
    "Conv": _conv,
    "Cos": torch.cos,
    "CumSum": _cumsum,
    "Div": _div,
    "Dropout": _dropout,
    "Einsum": lambda *operands, equation: torch.einsum(equation.decode(), *operands),
    "Equal": torch.eq,
    "Erf": torch.erf,
    "Expand": _expand,
    "Flatten": lambda x, axis=1: x.reshape(int(numpy.prod(x.shape[:axis])), -1),
    "Gather": _gather,
    "GatherElements": lambda x, indices, axis=0: x.gather(axis, indices),
    "GatherND": _gather_nd,
    "Gelu": _gelu,
    "Gemm": _gemm,
    "GlobalAveragePool": lambda x: x.mean((2, 3), keepdim=True),
    "GreaterOrEqual": torch.ge,
    "Identity": lambda x: x,
    "LayerNormalization": _layer_normalization,
    "LeakyRelu": lambda x, alpha=0.01: F.leaky_relu(x, alpha),
    "LessOrEqual": torch.le,
    "MatMul": torch.matmul,
    "Max": torch.maximum,
    "MaxPool": _max_pool,
    "Mod": _mod,
    "Mul": torch.mul,
    "Neg": torch.neg,
    "Not": torch.logical_not,
    "Pow": torch.pow,
    "RMSNormalization": _rms_normalization,
    "Range": lambda start, end, step: torch.arange(int(start), int(end), int(step)),
    "Reciprocal": torch.reciprocal,
    "ReduceMean": _reduce(torch.mean),
    "ReduceSum": _reduce(torch.sum),
    "Relu": torch.relu,
    "Reshape": _reshape,
    "ScatterElements": _scatter,
    "SequenceAt": lambda sequence, place: sequence[int(place)],
    "Shape": lambda x, start=0, end=None: torch.tensor(x.shape[start:end]),
    "Sigmoid": torch.sigmoid,
    "Sin": torch.sin,
    "Slice": _slice,
    "Softmax": _softmax,
    "Split": _split,
    "SplitToSequence": _split_to_sequence,
    "Sqrt": torch.sqrt,
    "Squeeze": _squeeze,
    "Sub": torch.sub,
    "Tanh": torch.tanh,
    "Tile": lambda x, repeats: x.repeat(_ints(repeats)),
    "TopK": _top_k,
    "Transpose": lambda x, perm: x.permute(perm),
    "Unsqueeze": _unsqueeze,
    "Where": torch.where,
}
