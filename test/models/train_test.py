"""Trains every model of the zoo with the compiler and compares the losses with PyTorch's.

Needs no PyTorch: the losses to compare with are committed (see README.md). `LGC_OPT` names the
compiler, by default the `lgc-opt` of the search path. Also runs as a script:
`train_test.py [PART OF A NAME]`.
"""

import json
import os
import pathlib
import subprocess
import sys

import numpy
import onnx
import onnxruntime
import pytest
from safetensors.numpy import load_file

HERE = pathlib.Path(__file__).resolve().parent
LGC_OPT = os.environ.get("LGC_OPT", "lgc-opt")
TOLERANCE = 1e-4
STEPS = 20
TIME_LIMIT = 300

MANIFEST = {entry["name"]: entry for entry in json.loads((HERE / "manifest.json").read_text())}
WITH_REFERENCE = [
    (name, optimizer)
    for name, entry in MANIFEST.items()
    if entry["reference"]
    for optimizer in entry["optimizers"]
]
WITHOUT_REFERENCE = [name for name, entry in MANIFEST.items() if not entry["reference"]]


def run(command):
    """Runs a command that must succeed."""
    command = [str(word) for word in command]
    done = subprocess.run(command, capture_output=True, text=True, timeout=TIME_LIMIT)
    assert done.returncode == 0, f"{' '.join(command)}\n{done.stdout}\n{done.stderr}"


def compiled(entry, optimizer, folder):
    """Compiles a model with one of its optimizers; returns the training program."""
    output = folder / "model.lgc"
    run([LGC_OPT, HERE / entry["file"], "--target=cpu", "--quiet", *entry["options"],
         f"--optimizer={entry['optimizers'][optimizer]}", "-o", output])
    return output / "train"


def trained(program, entry, folder, *options, steps=STEPS):
    """Trains, and returns the loss of every step."""
    log = folder / "run.jsonl"
    run([program, "--data", HERE / entry["data"], "--steps", steps, "--shuffle=off",
         "--log", log, *options])
    # The first line describes the run.
    records = [json.loads(line) for line in log.read_text().splitlines()[1:]]
    records = [record for record in records if "loss" in record]
    assert [record["step"] for record in records] == list(range(1, steps + 1))
    return [record["loss"] for record in records]


def assert_close(losses, expected):
    """Compares step by step, and shows the whole curve where it fails."""
    differences = [abs(a - b) / abs(b) for a, b in zip(losses, expected)]
    table = "\n".join(
        f"step {step:2}: {loss:.7f}, expected {wanted:.7f}, relative difference {difference:.1e}"
        for step, (loss, wanted, difference) in enumerate(zip(losses, expected, differences), 1)
    )
    # Written so that a loss that is no number fails too.
    assert all(difference <= TOLERANCE for difference in differences), "\n" + table


@pytest.mark.parametrize("name,optimizer", WITH_REFERENCE)
def test_losses(name, optimizer, tmp_path):
    entry = MANIFEST[name]
    reference = json.loads((HERE / entry["reference"]).read_text())["optimizers"][optimizer]
    assert reference["spec"] == entry["optimizers"][optimizer]
    program = compiled(entry, optimizer, tmp_path)
    assert_close(trained(program, entry, tmp_path), reference["losses"])


@pytest.mark.parametrize("name", WITHOUT_REFERENCE)
def test_dropout(name, tmp_path):
    """Random masks follow the seed, and training with them still learns its few batches."""
    entry = MANIFEST[name]
    program = compiled(entry, "adamw", tmp_path)
    first = trained(program, entry, tmp_path, "--seed", 1, steps=60)
    again = trained(program, entry, tmp_path, "--seed", 1, steps=60)
    other = trained(program, entry, tmp_path, "--seed", 2, steps=60)
    assert first == again
    assert first[0] != other[0]
    assert numpy.mean(first[-4:]) < 0.95 * numpy.mean(first[:4])


@pytest.mark.parametrize("name", ["gpt2.dynamo", "vit.torchscript"])
def test_export(name, tmp_path):
    """The exported file computes what the next training step would have seen."""
    entry = MANIFEST[name]
    program = compiled(entry, "adamw", tmp_path)
    exported = tmp_path / "trained.onnx"
    trained(program, entry, tmp_path, "--export", exported)
    onnx.checker.check_model(str(exported), full_check=True)
    next_loss = trained(program, entry, tmp_path, steps=STEPS + 1)[-1]
    first = STEPS * entry["batch"]
    data = load_file(HERE / entry["data"])
    batch = {n: t.take(range(first, first + entry["batch"]), 0, mode="wrap")
             for n, t in data.items()}
    assert abs(onnx_loss(exported, batch) - next_loss) <= TOLERANCE * next_loss


def onnx_loss(path, batch):
    """The mean cross-entropy of a file's only output, by ONNX Runtime and NumPy."""
    session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    names = [i.name for i in session.get_inputs()]
    (logits,) = session.run(None, {name: batch[name] for name in names})
    logits = logits.reshape(-1, logits.shape[-1]).astype(numpy.float64)
    labels = batch["labels"].ravel()
    kept = labels != -100
    logits, labels = logits[kept], labels[kept]
    shifted = logits - logits.max(1, keepdims=True)
    chosen = shifted[numpy.arange(len(labels)), labels]
    return float(numpy.mean(numpy.log(numpy.exp(shifted).sum(1)) - chosen))


if __name__ == "__main__":
    selected = ["-k", sys.argv[1]] if len(sys.argv) > 1 else []
    sys.exit(pytest.main([__file__, "-q", *selected]))
