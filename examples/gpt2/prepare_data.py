#!/usr/bin/env python3
"""Writes the Python language reference, which every Python brings along, as text to learn from.

    prepare_data.py FOLDER    # writes gpt2_train.safetensors and gpt2_test.safetensors
"""

import pathlib
import sys

import numpy
from pydoc_data.topics import topics
from safetensors.numpy import save_file

# Tokens are ASCII characters.
CHARACTERS = 128
LENGTH = 128
BATCH = 16
HELD_OUT = 10 * BATCH


def splits():
    """Windows of text, each character's label the one after it; the last part is held out."""
    text = "\n".join(topics[name] for name in sorted(topics))
    tokens = numpy.frombuffer(text.encode("ascii", "ignore"), dtype=numpy.uint8)
    count = (len(tokens) - 1) // LENGTH // BATCH * BATCH
    inputs = tokens[: count * LENGTH].reshape(count, LENGTH).astype(numpy.int64)
    labels = tokens[1 : count * LENGTH + 1].reshape(count, LENGTH).astype(numpy.int64)
    parts = {"train": slice(0, count - HELD_OUT), "test": slice(count - HELD_OUT, count)}
    return {
        name: {"input_ids": inputs[chosen].copy(), "labels": labels[chosen].copy()}
        for name, chosen in parts.items()
    }


def main(folder):
    folder.mkdir(parents=True, exist_ok=True)
    for name, tensors in splits().items():
        path = folder / f"gpt2_{name}.safetensors"
        save_file(tensors, str(path))
        print(f"{path}: {len(tensors['labels'])} sequences of {LENGTH} characters")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(pathlib.Path(sys.argv[1]))
