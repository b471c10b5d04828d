"""The ways in which PyTorch writes ONNX files, and the checks that a file computes its module."""

import contextlib
import io
import re
import warnings

import numpy
import onnx
import onnxruntime
import torch

# Each name is the middle part of a file's name, `MODEL.EXPORT.onnx`.
_DYNAMO = {
    "dynamo": {},
    "dynamic": {"dynamic": True},
    "unoptimized": {"optimize": False},
    "opset23": {"opset_version": 23},
}
BATCH_DIMENSION = "batch"


def export(model, way, path):
    """Writes `model` to `path` in one of the ways, and checks the file against the module."""
    network = model.fresh_network()
    batch = {name: model.data()[name][: model.batch] for name in model.inputs}
    # The exporters print pages about every operator, the older one the whole graph on failure.
    with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
        warnings.simplefilter("ignore")
        if way == "torchscript":
            _export_torchscript(model, network, batch, path)
        else:
            _export_dynamo(model, network, batch, path, **_DYNAMO[way])
    proto = onnx.load(path)
    _shorten_traces(proto)
    onnx.save(proto, path)
    onnx.checker.check_model(path, full_check=True)
    if model.has_reference:
        _check_against_module(model, path, batch, statistics_frozen="unoptimized" == way)


def _export_dynamo(model, network, batch, path, dynamic=False, **options):
    if dynamic:
        dimension = torch.export.Dim(BATCH_DIMENSION)
        options["dynamic_shapes"] = tuple({0: dimension} for _ in model.inputs)
    torch.onnx.export(
        network, tuple(batch.values()), str(path), dynamo=True, external_data=False,
        verbose=False, input_names=list(model.inputs), output_names=[model.output], **options,
    )


def _export_torchscript(model, network, batch, path):
    if hasattr(network, "explicit_mask"):
        network.explicit_mask = True
    torch.onnx.export(
        network, tuple(batch.values()), str(path), dynamo=False, opset_version=model.opset,
        training=torch.onnx.TrainingMode.TRAINING, do_constant_folding=False,
        input_names=list(model.inputs), output_names=[model.output],
    )


def _shorten_traces(proto):
    """Cuts what makes the files large or tells where they were made.

    Of a stack trace the innermost frame stays, with its path below `site-packages`; the textual
    copy of each traced node goes.
    """
    for node in _nodes(proto):
        node.doc_string = ""
        kept = [p for p in node.metadata_props if p.key != "pkg.torch.onnx.fx_node"]
        for prop in kept:
            if prop.key == "pkg.torch.onnx.stack_trace":
                innermost = prop.value.rstrip().rfind('File "')
                prop.value = re.sub(
                    r'File ".*?/(?:site-packages|models)/', 'File "', prop.value[innermost:]
                )
        kept = [onnx.StringStringEntryProto(key=p.key, value=p.value) for p in kept]
        del node.metadata_props[:]
        node.metadata_props.extend(kept)


def _nodes(proto):
    yield from proto.graph.node
    for function in proto.functions:
        yield from function.node


def _check_against_module(model, path, batch, statistics_frozen):
    """Runs the file in ONNX Runtime on a batch and compares with the module."""
    network = model.fresh_network()
    if statistics_frozen:
        network.eval()
    with torch.no_grad():
        expected = network(*batch.values()).numpy()
    # The optimisations of the session would turn training nodes into inference ones.
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.intra_op_num_threads = 1
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(str(path), options, ["CPUExecutionProvider"])
    wanted = {i.name for i in session.get_inputs()}
    outputs = session.run(None, {n: t.numpy() for n, t in batch.items() if n in wanted})
    numpy.testing.assert_allclose(outputs[0], expected, rtol=1e-3, atol=1e-4)
