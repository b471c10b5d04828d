"""Drives a program written by hand through the runtime's whole command line.

`LGC_TEST_PROGRAM` names the program, linked as the compiler links an emitted one.
"""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy
import onnx
import onnxruntime
import pytest
from onnx import TensorProto, helper, numpy_helper
from safetensors.numpy import load_file, save_file

PROGRAM = Path(os.environ.get("LGC_TEST_PROGRAM", "regression_program"))
BATCH, FEATURES, CLASSES = 8, 4, 3
RANDOM = numpy.random.default_rng(5)
INITIAL = RANDOM.normal(size=(FEATURES, CLASSES)).astype(numpy.float32)


def samples(count, seed):
    random = numpy.random.default_rng(seed)
    labels = random.integers(0, CLASSES, count)
    x = random.normal(size=(count, FEATURES)).astype(numpy.float32)
    x[numpy.arange(count), labels] += 2
    return {"x": x, "labels": labels}


def source_model(dtype=TensorProto.FLOAT):
    """logits = x * weight^T + bias, with the weight stored as [classes, features]."""
    graph = helper.make_graph(
        [helper.make_node("Cast", ["weight"], ["w"], to=TensorProto.FLOAT),
         helper.make_node("Gemm", ["x", "w", "bias"], ["logits"], transB=1)],
        "regression",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["n", FEATURES])],
        [helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["n", CLASSES])],
        [helper.make_tensor("weight", dtype, [CLASSES, FEATURES], INITIAL.T.ravel()),
         helper.make_tensor("bias", TensorProto.FLOAT, [CLASSES], [0.25] * CLASSES)])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


@pytest.fixture
def program(tmp_path):
    """The program in a folder of its own, with initial weights, source model and data."""
    folder = tmp_path / "model.lgc"
    (folder / "source").mkdir(parents=True)
    shutil.copy(PROGRAM, folder / "train")
    (folder / "weights.bin").write_bytes(bytes(16) + INITIAL.tobytes())
    onnx.save(source_model(), folder / "source" / "model.onnx")
    save_file(samples(100, seed=1), tmp_path / "data.safetensors")
    return folder / "train"


def call(program, *options, **environment):
    return subprocess.run([str(program), *map(str, options)], cwd=program.parent.parent,
                          capture_output=True, text=True, timeout=60,
                          env={**os.environ, **environment})


def run(program, *options, **environment):
    done = call(program, *options, **environment)
    assert done.returncode == 0, done.stderr
    return done


def refused(program, *options, status=1):
    done = call(program, *options)
    assert done.returncode == status, done.stderr
    assert done.stderr.count("error: ") == 1
    assert done.stderr.count("\n") == 1, done.stderr
    return done.stderr


def log_of(program, name="run.jsonl"):
    return [json.loads(line) for line in (program.parent.parent / name).read_text().splitlines()]


def losses(program, name="run.jsonl"):
    return [record["loss"] for record in log_of(program, name) if "loss" in record]


def reference(order, steps, rate=lambda step: 0.5):
    """The same training in NumPy; returns losses and the final weights."""
    data = samples(100, seed=1)
    w, b = INITIAL.astype(numpy.float64), numpy.full(CLASSES, 0.25)
    momentum_w, momentum_b = numpy.zeros_like(w), numpy.zeros_like(b)
    result = []
    for step in range(1, steps + 1):
        indices = [order((step - 1) * BATCH + i) for i in range(BATCH)]
        x, labels = data["x"][indices].astype(numpy.float64), data["labels"][indices]
        p = numpy.exp(x @ w + b)
        p /= p.sum(1, keepdims=True)
        result.append(-numpy.log(p[range(BATCH), labels]).mean())
        p[range(BATCH), labels] -= 1
        momentum_w = 0.9 * momentum_w + x.T @ p / BATCH
        momentum_b = 0.9 * momentum_b + p.mean(0)
        w, b = w - rate(step) * momentum_w, b - rate(step) * momentum_b
    return numpy.array(result), w, b


def test_training_in_order_matches_numpy(program):
    run(program, "--data", "data.safetensors", "--steps", 40, "--shuffle=off", "--log", "run.jsonl")
    expected, _, _ = reference(lambda position: position % 100, 40)
    assert numpy.allclose(losses(program), expected, rtol=1e-4)
    first, *records = log_of(program)
    assert first["model"] == "regression.onnx" and first["samples"] == 100
    assert "loss" not in first
    assert [record["step"] for record in records] == list(range(1, 41))
    assert all(record["grad_norm"] > 0 for record in records)


def test_schedule_reaches_the_program(program):
    run(program, "--data", "data.safetensors", "--steps", 30, "--shuffle=off", "--lr", 0.1,
        "--lr-schedule", "linear(warmup=5, min=0.5)", "--log", "run.jsonl")

    def rate(step):
        return 0.1 * (step / 5 if step <= 5 else 0.5 + 0.5 * (1 - (step - 6) / 25))

    expected, _, _ = reference(lambda position: position % 100, 30, rate)
    assert numpy.allclose(losses(program), expected, rtol=1e-4)
    assert numpy.allclose([r["learning_rate"] for r in log_of(program)[1:]],
                          [rate(step) for step in range(1, 31)])


def test_shuffling_follows_the_seed(program):
    def trained(*options):
        run(program, "--data", "data.safetensors", "--steps", 20, "--log", "run.jsonl", *options)
        return losses(program)

    assert trained("--seed", 3) == trained("--seed", 3)
    assert trained("--seed", 3) != trained("--seed", 4)
    assert trained("--seed", 3) != trained("--shuffle=off")


def test_numpy_files_are_data(program):
    for name, values in samples(100, seed=1).items():
        numpy.save(program.parent.parent / f"{name}.npy", values)
    run(program, "--data", "x.npy", "labels.npy", "--steps", 5, "--log", "npy.jsonl")
    run(program, "--data", "data.safetensors", "--steps", 5, "--log", "run.jsonl")
    assert losses(program, "npy.jsonl") == losses(program)


def test_without_data_a_synthetic_batch_is_announced(program):
    done = run(program, "--steps", 3, "--log", "run.jsonl")
    assert "SYNTHETIC" in done.stdout
    assert losses(program)[2] < losses(program)[0]  # it is the same batch in every step
    assert log_of(program)[0]["data"] == "synthetic"


def test_resuming_is_exact_to_the_bit(program):
    options = ["--data", "data.safetensors", "--lr-schedule", "cosine(warmup=3)", "--seed", 7]
    run(program, *options, "--steps", 50, "--log", "whole.jsonl", "--save", "whole")
    run(program, *options, "--steps", 50, "--log", "parts.jsonl", "--save", "parts", "--every", 20,
        TEST_NAN_AT="0")
    folder = program.parent.parent
    (folder / "parts" / "step-000000050.safetensors").unlink()
    (folder / "parts.jsonl").unlink()
    run(program, "--data", "data.safetensors", "--resume", "parts", "--log", "parts.jsonl",
        "--save", "parts")
    assert losses(program, "parts.jsonl") == losses(program, "whole.jsonl")[40:]
    name = "step-000000050.safetensors"
    assert (folder / "parts" / name).read_bytes() == (folder / "whole" / name).read_bytes()


def test_older_snapshots_go_but_the_last_two(program):
    run(program, "--data", "data.safetensors", "--steps", 20, "--save", "out", "--every", 3)
    kept = sorted(path.name for path in (program.parent.parent / "out").iterdir())
    assert kept == ["step-000000018.safetensors", "step-000000020.safetensors"]
    tensors = load_file(program.parent.parent / "out" / kept[1])
    assert set(tensors) == {"w", "b", "w.momentum", "b.momentum"}


def test_a_damaged_snapshot_is_passed_over(program):
    run(program, "--data", "data.safetensors", "--steps", 20, "--save", "out", "--every", 15)
    newest = program.parent.parent / "out" / "step-000000020.safetensors"
    newest.write_bytes(newest.read_bytes()[:-8])
    done = run(program, "--data", "data.safetensors", "--resume", "out", "--log", "run.jsonl")
    assert "an older snapshot is resumed" in done.stderr
    assert log_of(program)[1]["step"] == 16


def test_snapshots_of_another_run_are_not_mixed(program):
    run(program, "--data", "data.safetensors", "--steps", 20, "--save", "out")
    assert "another run" in refused(program, "--data", "data.safetensors", "--steps", 10,
                                    "--save", "out")


def test_an_interrupt_saves_and_a_resume_goes_on(program):
    options = ["--data", "data.safetensors", "--steps", "100000"]
    process = subprocess.Popen([str(program), *options, "--save", "out"],
                               cwd=program.parent.parent, stdout=subprocess.PIPE, text=True,
                               env={**os.environ, "TEST_STEP_MICROSECONDS": "1000"})
    process.stdout.readline()
    time.sleep(0.3)
    process.send_signal(signal.SIGINT)
    output, _ = process.communicate(timeout=30)
    assert process.returncode == 130
    assert "interrupted after" in output and "saved step" in output
    (snapshot,) = (program.parent.parent / "out").iterdir()
    step = int(snapshot.stem[len("step-"):])
    run(program, "--data", "data.safetensors", "--resume", "out", "--steps", step + 5,
        "--log", "run.jsonl")
    assert [r["step"] for r in log_of(program)[1:]] == list(range(step + 1, step + 6))


@pytest.mark.parametrize("attempt", range(5))
def test_killed_at_any_time_leaves_valid_snapshots(program, attempt):
    options = ["--data", "data.safetensors", "--steps", "100000", "--save", "out", "--every", "1"]
    process = subprocess.Popen([str(program), *options], cwd=program.parent.parent,
                               stdout=subprocess.PIPE)
    process.stdout.readline()
    time.sleep(0.05 + 0.037 * attempt)
    process.kill()
    process.communicate()
    newest = max((program.parent.parent / "out").glob("step-*.safetensors"))
    assert len(load_file(newest)) == 4
    step = int(newest.stem[len("step-"):])
    done = run(program, "--data", "data.safetensors", "--resume", "out", "--steps", step + 2)
    assert f"resumed after step {step}" in done.stdout and done.stderr == ""


def test_validation_masks_what_fills_the_last_batch(program):
    held_out = samples(21, seed=2)
    save_file(held_out, program.parent.parent / "test.safetensors")
    run(program, "--data", "data.safetensors", "--steps", 40, "--shuffle=off", "--log",
        "run.jsonl", "--validate", "test.safetensors", "--validate-every", 20)
    _, w, b = reference(lambda position: position % 100, 40)
    logits = held_out["x"] @ w + b
    p = numpy.exp(logits) / numpy.exp(logits).sum(1, keepdims=True)
    at_20, at_40 = [record for record in log_of(program) if "validation" in record]
    assert (at_20["step"], at_40["step"]) == (20, 40)
    assert at_40["validation"]["samples"] == 21
    assert at_40["validation"]["accuracy"] == (logits.argmax(1) == held_out["labels"]).mean()
    expected = -numpy.log(p[range(21), held_out["labels"]]).mean()
    assert abs(at_40["validation"]["loss"] - expected) < 1e-4 * expected


def test_validation_does_not_change_training(program):
    run(program, "--data", "data.safetensors", "--steps", 30, "--log", "run.jsonl")
    plain = losses(program)
    run(program, "--data", "data.safetensors", "--steps", 30, "--log", "run.jsonl",
        "--validate", "data.safetensors", "--validate-every", 7)
    assert losses(program) == plain


def test_export_runs_elsewhere(program):
    run(program, "--data", "data.safetensors", "--steps", 40, "--shuffle=off", "--export",
        "trained.onnx")
    check_exported(program.parent.parent / "trained.onnx", 1e-4)


def check_exported(path, tolerance):
    onnx.checker.check_model(str(path), full_check=True)
    _, w, b = reference(lambda position: position % 100, 40)
    x = samples(10, seed=3)["x"]
    (logits,) = onnxruntime.InferenceSession(
        str(path), providers=["CPUExecutionProvider"]).run(None, {"x": x})
    assert numpy.allclose(logits, x @ w + b, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("dtype,tolerance", [(TensorProto.FLOAT16, 5e-3),
                                             (TensorProto.DOUBLE, 1e-4)])
def test_export_keeps_the_type_of_initializers(program, dtype, tolerance):
    onnx.save(source_model(dtype), program.parent / "source" / "model.onnx")
    run(program, "--data", "data.safetensors", "--steps", 40, "--shuffle=off", "--export",
        "trained.onnx")
    exported = onnx.load(program.parent.parent / "trained.onnx")
    assert exported.graph.initializer[0].data_type == dtype
    check_exported(program.parent.parent / "trained.onnx", tolerance)


def test_export_brings_external_data_in(program):
    model = source_model()
    for tensor in model.graph.initializer:
        tensor.CopyFrom(numpy_helper.from_array(numpy_helper.to_array(tensor), tensor.name))
    onnx.save(model, program.parent / "source" / "model.onnx", save_as_external_data=True,
              location="model.data", size_threshold=0)
    assert (program.parent / "source" / "model.data").exists()
    run(program, "--data", "data.safetensors", "--steps", 40, "--shuffle=off", "--export",
        "trained.onnx")
    check_exported(program.parent.parent / "trained.onnx", 1e-4)


def test_export_needs_no_training(program):
    run(program, "--export", "same.onnx")
    weight = numpy_helper.to_array(onnx.load(program.parent.parent / "same.onnx")
                                   .graph.initializer[0])
    assert numpy.array_equal(weight, INITIAL.T)


def test_a_loss_that_is_no_number_is_reported_once(program):
    done = run(program, "--data", "data.safetensors", "--steps", 5, "--log", "run.jsonl",
               TEST_NAN_AT="2")
    assert done.stderr.count("the loss of step 2 is not finite") == 1
    assert losses(program)[1] is None and len(losses(program)) == 5


def test_files_stay_as_they_are_after_an_error(program):
    target = program.parent.parent / "trained.onnx"
    target.write_text("before")
    (program.parent / "source" / "model.onnx").write_bytes(b"\xff\xff not a model")
    call(program, "--data", "data.safetensors", "--steps", 2, "--export", "trained.onnx")
    assert target.read_text() == "before"
    assert not list(program.parent.parent.glob("*.lgc-partial"))


@pytest.mark.parametrize("change,message", [
    ({"labels": numpy.array([0, 1, 3])}, "sample 2 has the value 3"),
    ({"labels": numpy.array([-5, 1, 2])}, "sample 0 has the value -5"),
    ({"labels": numpy.array([0, 1])}, "samples"),
    ({"labels": numpy.array([0, 1, 2], numpy.int32)}, "its type is i32"),
    ({"x": numpy.zeros((3, 5), numpy.float32)}, "[samples, 4]"),
    ({"x": numpy.zeros((0, 4), numpy.float32), "labels": numpy.zeros(0, numpy.int64)},
     "no samples"),
])
def test_unsuitable_data_is_refused(program, change, message):
    data = {"x": numpy.zeros((3, 4), numpy.float32), "labels": numpy.array([0, 1, -100]), **change}
    save_file(data, program.parent.parent / "bad.safetensors")
    assert message in refused(program, "--data", "bad.safetensors", "--steps", 1)


def test_missing_input_is_named(program):
    save_file({"x": samples(8, 1)["x"]}, program.parent.parent / "bad.safetensors")
    assert "'labels'" in refused(program, "--data", "bad.safetensors", "--steps", 1)


@pytest.mark.parametrize("options", [
    [], ["--steps"], ["--steps", "-1"], ["--steps", "many"], ["--steps", "99999999999999999999"],
    ["--steps", "1", "--shuffle", "maybe"], ["--steps", "1", "--lr-schedule", "downhill"],
    ["--steps", "1", "--lr-schedule", "cosine(warmup=3"], ["--steps", "1", "--every", "2"],
    ["--steps", "1", "--save", "out", "--every", "0"], ["--steps", "1", "--frobnicate"],
    ["--steps", "1", "--seed", "lucky"], ["--steps", "1", "--lr", "-1"],
    ["--steps", "1", "--validate-every", "3"], ["--steps", "1", "--log="],
])
def test_bad_usage_has_status_2(program, options):
    refused(program, *options, status=2)


@pytest.mark.parametrize("options", [
    ["--log", "absent/run.jsonl"], ["--resume", "absent"], ["--export", "absent/trained.onnx"],
    ["--data", "absent.safetensors"], ["--data", "/dev/null"], ["--validate", "absent.safetensors"],
    ["--save", "data.safetensors/out"],
])
def test_impossible_requests_have_status_1(program, options):
    refused(program, "--steps", "1", *options)


def test_missing_initial_weights_are_named(program):
    (program.parent / "weights.bin").write_bytes(bytes(20))
    assert "weights.bin" in refused(program, "--steps", 1)


def test_several_ranks_are_refused(program):
    done = call(program, "--steps", 1, OMPI_COMM_WORLD_SIZE="2")
    assert done.returncode == 2 and "1 device" in done.stderr


def test_help_lists_every_option(program):
    text = run(program, "--help").stdout
    for option in ["--data", "--steps", "--lr-schedule", "--seed", "--shuffle", "--log", "--save",
                   "--every", "--resume", "--export", "--validate"]:
        assert option in text


if __name__ == "__main__":
    sys.exit(pytest.main([__file__, "-q"]))
