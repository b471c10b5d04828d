#!/usr/bin/env python3
"""Continues a text with a trained model: generate.py trained.onnx "The import statement "."""

import sys

import numpy
import onnxruntime

TEMPERATURE = 0.7


def main(path, text, characters=200):
    session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
    batch, length = session.get_inputs()[0].shape
    random = numpy.random.default_rng(0)
    for _ in range(characters):
        window = text[-length:].encode("ascii")
        # The model's shape is fixed; what stands right of the window changes nothing before it.
        tokens = numpy.zeros((batch, length), numpy.int64)
        tokens[0, : len(window)] = list(window)
        (logits,) = session.run(None, {"input_ids": tokens})
        scores = logits[0, len(window) - 1].astype(numpy.float64) / TEMPERATURE
        probabilities = numpy.exp(scores - scores.max())
        text += chr(random.choice(len(scores), p=probabilities / probabilities.sum()))
    print(text)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(sys.argv[1], sys.argv[2])
