"""Recomputation that the planner chooses: the limit holds, and losses are the same to the bit.

`LGC_OPT` names the compiler, by default the `lgc-opt` of the search path.
"""

import json
import os
import pathlib
import re
import subprocess

import pytest

HERE = pathlib.Path(__file__).resolve().parent
LGC_OPT = os.environ.get("LGC_OPT", "lgc-opt")
MANIFEST = {entry["name"]: entry for entry in json.loads((HERE / "manifest.json").read_text())}
MODELS = ("gpt2.dynamo", "gpt2_dropout.dynamo", "resnet18.torchscript", "vit.dynamo")


def run(command):
    return subprocess.run([str(word) for word in command], capture_output=True, text=True,
                          timeout=300)


def must(command):
    done = run(command)
    assert done.returncode == 0, f"{' '.join(map(str, command))}\n{done.stdout}\n{done.stderr}"
    return done.stdout


def compiled(entry, folder, *options):
    """The plan of a model."""
    must([LGC_OPT, HERE / entry["file"], "--target=cpu", "--quiet", *entry["options"], *options,
          "-o", folder])
    return json.loads((folder / "plan.json").read_text())


def losses(entry, folder):
    log = folder / "run.jsonl"
    must([folder / "train", "--data", HERE / entry["data"], "--steps", 6, "--shuffle=off", "--log",
          log])
    records = [json.loads(line) for line in log.read_text().splitlines()[1:]]
    return [record["loss"] for record in records if "loss" in record]


def find_least(entry, *options):
    """The bytes that the compiler asks for when it is given none."""
    done = run([LGC_OPT, HERE / entry["file"], *entry["options"], *options, "--memory=1KiB",
                "--emit=plan"])
    assert done.returncode == 1
    return int(re.search(r"allow (\d+) bytes", done.stderr).group(1))


@pytest.mark.parametrize("name", MODELS)
def test_budgets(name, tmp_path):
    entry = MANIFEST[name]
    plan = compiled(entry, tmp_path / "whole.lgc")
    whole = plan["memory"]["arena_bytes"]
    assert plan["recomputation"] == {"launches": 0, "extra_time": 0}
    expected = losses(entry, tmp_path / "whole.lgc")
    assert len(expected) == 6
    least = find_least(entry)
    assert least < whole
    for number in range(3):
        limit = least + (whole - least) * number // 3
        folder = tmp_path / f"{number}.lgc"
        plan = compiled(entry, folder, f"--memory={limit}")
        assert plan["memory"]["arena_bytes"] <= limit
        assert plan["recomputation"]["launches"] > 0
        assert 0 < plan["recomputation"]["extra_time"] < 2
        assert losses(entry, folder) == expected


def test_micro_batches(tmp_path):
    """The body of the loop is planned, too."""
    entry = MANIFEST["gpt2.dynamo"]
    options = ("--micro-batches=2", f"--batch={entry['batch']}")
    whole = compiled(entry, tmp_path / "whole.lgc", *options)["memory"]["arena_bytes"]
    least = find_least(entry, *options)
    assert least < whole
    plan = compiled(entry, tmp_path / "least.lgc", *options, f"--memory={least}")
    assert plan["memory"]["arena_bytes"] <= least
    assert losses(entry, tmp_path / "least.lgc") == losses(entry, tmp_path / "whole.lgc")


def test_limit_without_recomputation(tmp_path):
    """With regions given or none, the planner recomputes nothing."""
    entry = MANIFEST["gpt2.dynamo"]
    whole = find_least(entry, "--checkpoint=none")
    assert find_least(entry) < whole
    plan = compiled(entry, tmp_path / "m.lgc", "--checkpoint=none", f"--memory={whole}")
    assert plan["memory"]["arena_bytes"] == whole
    assert plan["recomputation"]["launches"] == 0
