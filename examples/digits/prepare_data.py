#!/usr/bin/env python3
"""Writes scikit-learn's 1,797 handwritten digits as training and held-out data.

    prepare_data.py FOLDER    # writes digits_train.safetensors and digits_test.safetensors
"""

import pathlib
import sys

import numpy
from safetensors.numpy import save_file
from sklearn.datasets import load_digits

# Five whole batches of 64, so that no held-out image is left out.
HELD_OUT = 320


def splits():
    """The images of 8x8 pixels, scaled to [0, 1], and their labels, in a fixed random split."""
    digits = load_digits()
    images = (digits.images / 16).astype(numpy.float32)[:, numpy.newaxis]
    labels = digits.target.astype(numpy.int64)
    order = numpy.random.default_rng(0).permutation(len(labels))
    parts = {"test": order[:HELD_OUT], "train": order[HELD_OUT:]}
    return {
        name: {"image": numpy.ascontiguousarray(images[chosen]), "labels": labels[chosen]}
        for name, chosen in parts.items()
    }


def main(folder):
    folder.mkdir(parents=True, exist_ok=True)
    for name, tensors in splits().items():
        path = folder / f"digits_{name}.safetensors"
        save_file(tensors, str(path))
        print(f"{path}: {len(tensors['labels'])} images")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(pathlib.Path(sys.argv[1]))
