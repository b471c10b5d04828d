"""Recomputation in regions: the order of execution, losses that it doesn't change, less memory.

`LGC_OPT` names the compiler, by default the `lgc-opt` of the search path.
"""

import json
import os
import pathlib
import subprocess

import numpy
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

HERE = pathlib.Path(__file__).resolve().parent
LGC_OPT = os.environ.get("LGC_OPT", "lgc-opt")
MANIFEST = {entry["name"]: entry for entry in json.loads((HERE / "manifest.json").read_text())}


def run(command, **options):
    return subprocess.run([str(word) for word in command], capture_output=True, text=True,
                          timeout=300, **options)


def must(command):
    done = run(command)
    assert done.returncode == 0, f"{' '.join(map(str, command))}\n{done.stdout}\n{done.stderr}"
    return done.stdout


class Network:
    """A chain of nodes."""

    def __init__(self, width, seed=0):
        self.random = numpy.random.default_rng(seed)
        self.width = width
        self.nodes, self.weights = [], []
        self.last, self.region, self.part = "x", None, ""

    def node(self, op, inputs=(), **attributes):
        name = f"{self.part}.{op.lower()}{len(self.nodes)}"
        node = helper.make_node(op, [self.last, *inputs], [name + ".out"], name=name, **attributes)
        if self.region:
            entry = node.metadata_props.add()
            entry.key, entry.value = "lgc.checkpoint", self.region
        self.nodes.append(node)
        self.last = name + ".out"

    def weight(self, shape):
        name = f"w{len(self.weights)}"
        values = self.random.standard_normal(shape).astype(numpy.float32) / shape[0] ** 0.5
        self.weights.append(numpy_helper.from_array(values, name))
        return name

    def linear_relu(self):
        self.node("Gemm", [self.weight((self.width, self.width)), self.weight((self.width,))])
        self.node("Relu")

    def echo(self, label):
        self.node("Echo", domain="lgc", label=str(label))

    def save(self, path, batch):
        shape = [batch, self.width]
        graph = helper.make_graph(
            self.nodes, "network",
            [helper.make_tensor_value_info("x", TensorProto.FLOAT, shape)],
            [helper.make_tensor_value_info(self.last, TensorProto.FLOAT, shape)], self.weights)
        opsets = [helper.make_opsetid("", 21), helper.make_opsetid("lgc", 1)]
        onnx.save(helper.make_model(graph, opset_imports=opsets, ir_version=10), path)
        return f"--loss=mse({self.last}, target)"


def three_parts(path, regions_in_file=False):
    """Echo 1 and 2 in the first part, 3 and 4 in the second, 5 in the third."""
    network = Network(1000)
    for part, labels in (("first", (1, 2)), ("second", (3, 4)), ("third", (5,))):
        network.part = part
        network.region = part if regions_in_file and part != "third" else None
        for label in labels:
            network.linear_relu()
            network.echo(label)
        if part == "third":
            network.linear_relu()
    return network.save(path, batch=16)


ONCE = "1 2 3 4 5"


@pytest.mark.parametrize("options,in_file,expected", [
    (["--checkpoint=first,second"], False, ONCE + " 3 4 1 2"),
    ([], True, ONCE + " 3 4 1 2"),
    (["--checkpoint=none"], True, ONCE),
    ([], False, ONCE),
    (["--checkpoint=second"], True, ONCE + " 3 4"),
    (["--checkpoint=first,second", "--fusion=off"], False, ONCE + " 3 4 1 2"),
    (["--checkpoint=first,second", "--micro-batches=2", "--batch=16"], False,
     " ".join([ONCE + " 3 4 1 2"] * 2)),
], ids=["patterns", "file", "none", "default", "patterns-first", "unfused", "micro-batches"])
def test_order_of_execution(options, in_file, expected, tmp_path):
    loss = three_parts(tmp_path / "parts.onnx", in_file)
    must([LGC_OPT, tmp_path / "parts.onnx", "--target=cpu", "--quiet", loss, *options, "-o",
          tmp_path / "m.lgc"])
    printed = must([tmp_path / "m.lgc" / "train", "--steps", 1]).splitlines()
    assert [line for line in printed if line in list("12345")] == expected.split()


def test_regions_within_regions(tmp_path):
    """The inner region runs forward, for the outer one, and for itself."""
    network = Network(32)
    network.part = "outer"
    network.linear_relu()
    network.echo("a")
    network.part = "outer.inner"
    network.linear_relu()
    network.echo("b")
    network.linear_relu()
    network.part = "after"
    network.linear_relu()
    loss = network.save(tmp_path / "nested.onnx", batch=4)
    must([LGC_OPT, tmp_path / "nested.onnx", "--target=cpu", "--quiet", loss,
          "--checkpoint=outer,outer.inner", "-o", tmp_path / "m.lgc"])
    printed = must([tmp_path / "m.lgc" / "train", "--steps", 1]).splitlines()
    assert [line for line in printed if line in ("a", "b")] == list("ababb")


def losses(folder, program, data):
    log = folder / "run.jsonl"
    must([program, *data, "--steps", 8, "--shuffle=off", "--log", log])
    records = [json.loads(line) for line in log.read_text().splitlines()[1:]]
    return [record["loss"] for record in records if "loss" in record]


def compiled(model, folder, *options):
    """The program and the bytes of its arena."""
    summary = must([LGC_OPT, model, "--target=cpu", "--json", *options, "-o", folder])
    return folder / "train", json.loads(summary)["memory"]["arena_bytes"]


def dropout_network(path):
    network = Network(256)
    for layer in range(6):
        network.part = f"layers.{layer}"
        network.linear_relu()
        network.weights.append(numpy_helper.from_array(numpy.float32(0.3), f"ratio{layer}"))
        network.weights.append(numpy_helper.from_array(numpy.bool_(True), f"training{layer}"))
        network.node("Dropout", [f"ratio{layer}", f"training{layer}"])
        network.linear_relu()
    return network.save(path, batch=512)


def test_dropout_keeps_its_mask(tmp_path):
    """A recomputed dropout draws the forward's numbers: losses are equal to the bit."""
    loss = dropout_network(tmp_path / "dropout.onnx")
    curves, arenas = [], []
    for number, checkpoint in enumerate(("none", "layers.*", "layers.*,layers.*.dropout*")):
        program, arena = compiled(tmp_path / "dropout.onnx", tmp_path / f"{number}.lgc", loss,
                                  f"--checkpoint={checkpoint}")
        curves.append(losses(tmp_path, program, []))
        arenas.append(arena)
    assert curves[0] == curves[1] == curves[2]
    assert len(set(curves[0])) == len(curves[0])
    assert arenas[1] < arenas[0]


@pytest.mark.parametrize("name,pattern,saves", [
    # Two layers, whose activations are no larger than the logits: the peak is elsewhere.
    ("gpt2.dynamo", "model.transformer.h.*", False),
    ("gpt2_dropout.dynamo", "model.transformer.h.*", False),
    ("vit.dynamo", "encoder.layers.*", True),
    # Batch statistics, which recomputation must not advance a second time.
    ("resnet18.torchscript", "layer*.layer*", True),
])
def test_losses_of_models(name, pattern, saves, tmp_path):
    """Kernels fuse in other ways around regions, so that sums round differently, but no more."""
    entry = MANIFEST[name]
    results = {}
    for checkpoint in ("none", pattern):
        program, arena = compiled(HERE / entry["file"], tmp_path / f"{len(results)}.lgc",
                                  *entry["options"], f"--checkpoint={checkpoint}")
        results[checkpoint] = losses(tmp_path, program, ["--data", HERE / entry["data"]]), arena
    (curve, arena), (expected, whole) = results[pattern], results["none"]
    numpy.testing.assert_allclose(curve, expected, rtol=1e-5)
    assert arena < whole or not saves


def test_errors(tmp_path):
    loss = three_parts(tmp_path / "parts.onnx")
    done = run([LGC_OPT, tmp_path / "parts.onnx", "--target=cpu", loss, "--checkpoint=fourth", "-o",
                tmp_path / "m.lgc"])
    assert done.returncode == 1
    assert "can't recompute 'fourth'" in done.stderr and "first." in done.stderr
    assert not (tmp_path / "m.lgc").exists()
