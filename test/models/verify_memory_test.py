"""Dead memory overwritten by NaN changes no bit of training: the memory plan holds.

`LGC_OPT` names the compiler, by default the `lgc-opt` of the search path.
"""

import subprocess

import pytest

from train_test import HERE, LGC_OPT, MANIFEST


def must(command):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True,
                          timeout=300)
    assert done.returncode == 0, f"{' '.join(map(str, command))}\n{done.stdout}\n{done.stderr}"
    return done.stdout


@pytest.mark.parametrize("name,options", [
    ("gpt2_dropout.dynamo", []),
    ("gpt2_dropout.dynamo", ["--checkpoint=model.transformer.h.*"]),
    ("gpt2.dynamic", ["--batch=4", "--micro-batches=2"]),
    ("resnet18.torchscript", []),
    ("vit.dynamo", ["--fusion=off"]),
    ("mixtral.dynamo", ["--clip-norm=1"]),
    ("mlp.dynamo", ["--optimizer=sgd"]),
], ids=["dropout", "regions", "micro-batches", "batch-statistics", "unfused", "clipped", "sgd"])
def test_dead_memory_is_dead(name, options, tmp_path):
    entry = MANIFEST[name]
    given = [] if any(o.startswith("--batch") for o in options) else entry["options"]
    must([LGC_OPT, HERE / entry["file"], "--target=cpu", "--quiet", entry["options"][0], *given[1:],
          *options, "-o", tmp_path / "m.lgc"])
    printed = must([tmp_path / "m.lgc" / "train", "--data", HERE / entry["data"], "--steps", 4,
                    "--verify-memory"])
    assert "memory verified: 4 steps gave the same bits" in printed
