"""Gives the compiler every file of the corpus: one clear error each, and never a crash.

`LGC_OPT` names the compiler, by default the `lgc-opt` of the search path.
"""

import os
import subprocess

import pytest

import cases
from make_corpus import CASES

LGC_OPT = os.environ.get("LGC_OPT", "lgc-opt")
TIME_LIMIT = 20
# More text than this buries the reason.
LONGEST_OUTPUT = 20_000
# A sanitizer's report must not look like a refusal, whose status is 1 too.
ENVIRONMENT = {
    "ASAN_OPTIONS": "exitcode=99", "UBSAN_OPTIONS": "halt_on_error=1:exitcode=99", **os.environ
}


def compile_model(path, output, *options):
    """Runs the compiler, for the CPU unless the options name a target."""
    target = [] if any(o.startswith("--target") for o in options) else ["--target=cpu"]
    command = [LGC_OPT, str(path), *target, *options, "-o", str(output)]
    return subprocess.run(command, capture_output=True, timeout=TIME_LIMIT, env=ENVIRONMENT)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_refused(case, tmp_path):
    files = tmp_path / "case"
    files.mkdir()
    path = case.write(files)
    before = set(tmp_path.rglob("*"))
    done = compile_model(path, tmp_path / "model.lgc", *case.options)
    messages = done.stderr.decode(errors="replace")
    assert done.returncode in case.status, messages
    assert messages.count("error:") == 1, messages
    assert len(done.stderr) <= LONGEST_OUTPUT
    # Names from a file must not reach the terminal's control sequences.
    assert "\x1b" not in messages and "\x07" not in messages
    for word in case.mentions:
        assert word in messages
    assert set(tmp_path.rglob("*")) == before, "something was left behind"


def test_sound_model_compiles(tmp_path):
    """What the cases break compiles when it isn't broken."""
    for name, proto, options in (
        ("classifier", cases.classifier(), cases.CLASSIFY),
        ("around", cases.around(cases.node("Relu")), ()),
    ):
        path = tmp_path / f"{name}.onnx"
        path.write_bytes(proto.SerializeToString())
        done = compile_model(path, tmp_path / f"{name}.lgc", *options)
        assert done.returncode == 0, done.stderr.decode(errors="replace")
        assert (tmp_path / f"{name}.lgc" / "train").exists()
