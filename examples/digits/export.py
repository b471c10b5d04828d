#!/usr/bin/env python3
"""Makes digits.onnx: a small convolutional net, exported by PyTorch with its fresh weights.

Run with the reference environment (`scripts/setup --references`). With `--train`, also trains
the net in PyTorch as the README does with the compiled program, and prints its accuracy.
"""

import argparse
import pathlib
import warnings

import onnx
import torch
import torch.nn.functional as F
from torch import nn

BATCH = 64
STEPS = 600
WARM_UP = 20
LEARNING_RATE = 3e-3


def network():
    """Two convolutions of 3x3, a pooling, and two layers, normalised and with dropout."""
    torch.manual_seed(0)
    return nn.Sequential(
        nn.Conv2d(1, 16, 3, padding=1, bias=False), nn.BatchNorm2d(16), nn.ReLU(),
        nn.Conv2d(16, 32, 3, padding=1, bias=False), nn.BatchNorm2d(32), nn.ReLU(),
        nn.MaxPool2d(2), nn.Dropout(0.25), nn.Flatten(),
        nn.Linear(32 * 4 * 4, 64), nn.ReLU(), nn.Dropout(0.25), nn.Linear(64, 10),
    )


def export(path):
    """Writes the net as the older exporter does, which keeps batch statistics and dropout.

    The default exporter folds the normalisations into the convolutions.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.onnx.export(
            network().train(), (torch.zeros(BATCH, 1, 8, 8),), str(path), dynamo=False,
            training=torch.onnx.TrainingMode.TRAINING, do_constant_folding=False,
            opset_version=17, input_names=["image"], output_names=["logits"],
        )
    onnx.checker.check_model(str(path), full_check=True)


def train():
    """Trains for the README's steps and returns the accuracy on the held-out images."""
    from prepare_data import splits

    data = {name: {k: torch.from_numpy(v) for k, v in s.items()} for name, s in splits().items()}
    images, labels = data["train"]["image"], data["train"]["labels"]
    net = network()
    decayed = [p for p in net.parameters() if p.ndim > 1]
    others = [p for p in net.parameters() if p.ndim <= 1]
    optimizer = torch.optim.AdamW(
        [{"params": decayed, "weight_decay": 0.01}, {"params": others, "weight_decay": 0.0}],
        lr=LEARNING_RATE,
    )
    schedule = torch.optim.lr_scheduler.SequentialLR(
        optimizer,
        [torch.optim.lr_scheduler.LinearLR(optimizer, 1 / WARM_UP, 1.0, WARM_UP),
         torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, STEPS - WARM_UP)],
        milestones=[WARM_UP],
    )
    order = torch.empty(0, dtype=torch.long)
    for _ in range(STEPS):
        if len(order) < BATCH:
            order = torch.cat([order, torch.randperm(len(images))])
        batch, order = order[:BATCH], order[BATCH:]
        optimizer.zero_grad()
        F.cross_entropy(net(images[batch]), labels[batch]).backward()
        optimizer.step()
        schedule.step()
    predicted = net.eval()(data["test"]["image"]).argmax(1)
    return float((predicted == data["test"]["labels"]).float().mean())


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--train", action="store_true")
    torch.set_num_threads(1)
    export(pathlib.Path(__file__).resolve().parent / "digits.onnx")
    if parser.parse_args().train:
        print(f"accuracy on held-out images: {train():.2%}")
