"""Gives the emitted program broken data files and options: one clear error each, no crash.

`LGC_OPT` names the compiler, by default the `lgc-opt` of the search path.
"""

import json
import struct
import subprocess

import numpy
import pytest
from safetensors.numpy import save

import cases
from hostile_test import ENVIRONMENT, LONGEST_OUTPUT, TIME_LIMIT, compile_model

SOUND = {
    "x": numpy.zeros((8, 3), numpy.float32),
    "labels": numpy.zeros(8, numpy.int64),
}


def changed(**tensors):
    """The bytes of a sound file with some tensors replaced, or left out for None."""
    return save({k: v for k, v in {**SOUND, **tensors}.items() if v is not None})


def with_header(header, data=bytes(8 * 3 * 4 + 8 * 8)):
    """The bytes of a file with the given header, an object or text."""
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + data


def entry(dtype, shape, begin, end):
    return {"dtype": dtype, "shape": shape, "data_offsets": [begin, end]}


X, LABELS = entry("F32", [8, 3], 0, 96), entry("I64", [8], 96, 160)

FILES = {
    "empty": b"",
    "shorter_than_its_length_field": b"\x01\x02\x03",
    "header_length_beyond_the_file": struct.pack("<Q", 10_000) + b"{}",
    "header_length_of_all_memory": struct.pack("<Q", 2**63 - 1) + b"{}",
    "header_length_wraps_around": struct.pack("<Q", 2**64 - 8) + b"{}",
    "header_no_json": with_header(b"x = 3"),
    "header_cut_short": with_header(b'{"x": {"dtype": "F32"'),
    "header_a_list": with_header([1, 2, 3]),
    "header_nested_deeply": with_header(b"[" * 100_000 + b"]" * 100_000),
    "entry_a_number": with_header({"x": 1, "labels": LABELS}),
    "entry_without_shape": with_header({"x": {"dtype": "F32", "data_offsets": [0, 96]},
                                        "labels": LABELS}),
    "unknown_type": with_header({"x": entry("F7", [8, 3], 0, 96), "labels": LABELS}),
    "offsets_beyond_the_file": with_header({"x": entry("F32", [8, 3], 4096, 4192),
                                            "labels": LABELS}),
    "offsets_reversed": with_header({"x": entry("F32", [8, 3], 96, 0), "labels": LABELS}),
    "offsets_negative": with_header({"x": entry("F32", [8, 3], -96, 0), "labels": LABELS}),
    "offsets_with_fractions": with_header({"x": entry("F32", [8, 3], 0.5, 96.5),
                                           "labels": LABELS}),
    "offsets_of_another_size": with_header({"x": entry("F32", [8, 3], 0, 92), "labels": LABELS}),
    "offsets_not_aligned": with_header({"x": entry("F32", [8, 3], 1, 97), "labels": LABELS}),
    "shape_negative": with_header({"x": entry("F32", [-8, -3], 0, 96), "labels": LABELS}),
    "shape_wraps_around": with_header({"x": entry("F32", [2**62, 4, 3], 0, 0),
                                       "labels": LABELS}),
    "shape_with_text": with_header({"x": entry("F32", ["8", "3"], 0, 96), "labels": LABELS}),
    "truncated": changed()[:-16],
    "input_missing": changed(x=None),
    "labels_missing": changed(labels=None),
    "input_of_another_shape": changed(x=numpy.zeros((8, 5), numpy.float32)),
    "input_of_another_rank": changed(x=numpy.zeros((8, 3, 1), numpy.float32)),
    "input_of_another_type": changed(x=numpy.zeros((8, 3), numpy.float64)),
    "labels_of_another_type": changed(labels=numpy.zeros(8, numpy.float32)),
    "no_samples": changed(x=numpy.zeros((0, 3), numpy.float32),
                          labels=numpy.zeros(0, numpy.int64)),
    "samples_of_different_number": changed(labels=numpy.zeros(7, numpy.int64)),
    "label_beyond_the_classes": changed(labels=numpy.full(8, 2, numpy.int64)),
    "label_negative": changed(labels=numpy.full(8, -7, numpy.int64)),
    "label_out_of_range": changed(labels=numpy.full(8, 2**40, numpy.int64)),
}

OPTIONS = {
    "unknown_option": ["--frobnicate"],
    "steps_missing": ["--steps"],
    "steps_negative": ["--steps", "-3"],
    "steps_no_number": ["--steps", "many"],
    "steps_out_of_range": ["--steps", "99999999999999999999"],
    "shuffle_neither_on_nor_off": ["--shuffle", "perhaps"],
    "seed_no_number": ["--seed", "lucky"],
    "schedule_unknown": ["--lr-schedule", "downhill"],
    "schedule_without_closing": ["--lr-schedule", "cosine(warmup=3"],
    "log_in_no_folder": ["--log", "absent/run.jsonl"],
    "resume_from_nothing": ["--resume", "absent"],
    "save_every_nothing": ["--save", "snapshots", "--every", "0"],
    "export_to_no_folder": ["--export", "absent/trained.onnx"],
    "data_absent": ["--data", "absent.safetensors"],
    "data_of_unknown_kind": ["--data", "/dev/null"],
    "validate_absent": ["--validate", "absent.safetensors"],
}


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    folder = tmp_path_factory.mktemp("program")
    path = folder / "model.onnx"
    path.write_bytes(cases.classifier().SerializeToString())
    done = compile_model(path, folder / "model.lgc", *cases.CLASSIFY)
    assert done.returncode == 0, done.stderr.decode(errors="replace")
    return folder / "model.lgc" / "train"


def assert_refused(program, folder, *options):
    done = subprocess.run([str(program), *options], cwd=folder, capture_output=True,
                          timeout=TIME_LIMIT, env=ENVIRONMENT)
    messages = done.stderr.decode(errors="replace")
    assert done.returncode in (1, 2), messages
    assert messages.count("error:") == 1, messages
    assert len(done.stderr) <= LONGEST_OUTPUT


@pytest.mark.parametrize("name", FILES)
def test_data_refused(name, program, tmp_path):
    (tmp_path / "data.safetensors").write_bytes(FILES[name])
    assert_refused(program, tmp_path, "--data", "data.safetensors", "--steps", "2")


@pytest.mark.parametrize("name", OPTIONS)
def test_options_refused(name, program, tmp_path):
    (tmp_path / "data.safetensors").write_bytes(changed())
    given = [] if "--data" in OPTIONS[name] else ["--data", "data.safetensors"]
    steps = [] if "--steps" in OPTIONS[name] else ["--steps", "2"]
    assert_refused(program, tmp_path, *given, *steps, *OPTIONS[name])


def test_numpy_file_of_objects_refused(program, tmp_path):
    """A pickle in a file must never be opened."""
    numpy.save(tmp_path / "x.npy", numpy.array([{"a": 1}], dtype=object), allow_pickle=True)
    assert_refused(program, tmp_path, "--data", "x.npy", "--steps", "2")


def test_numpy_file_with_broken_header_refused(program, tmp_path):
    (tmp_path / "x.npy").write_bytes(b"\x93NUMPY\x01\x00\xff\xff{'descr': '<f4'")
    assert_refused(program, tmp_path, "--data", "x.npy", "--steps", "2")


def test_sound_data_accepted(program, tmp_path):
    (tmp_path / "data.safetensors").write_bytes(changed())
    done = subprocess.run([str(program), "--data", "data.safetensors", "--steps", "2"],
                          cwd=tmp_path, capture_output=True, timeout=TIME_LIMIT)
    assert done.returncode == 0, done.stderr.decode(errors="replace")
