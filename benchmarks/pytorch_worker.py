"""One PyTorch training process, which runs as many steps as each line of its input says.

    pytorch_worker.py MODEL eager|compile THREADS VOCABULARY

Answers each line with one of JSON: the seconds of each step, and the process's peak of resident
memory so far. The first answer, before any line, is given after the warm-up.
"""

import json
import sys
import time

import torch

import models

WARM_UP = 3


def peak_memory():
    """The largest resident memory that the process ever had, in bytes."""
    with open("/proc/self/status") as status:
        for line in status:
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024
    raise RuntimeError("the kernel doesn't tell VmHWM")


def main(name, mode, threads, vocabulary):
    torch.set_num_threads(int(threads))
    benchmark = models.by_name(name, int(vocabulary))
    features, labels = benchmark.tensors().values()
    module = benchmark.module()
    optimizer = models.optimizer(module)

    def forward(x, y):
        return models.loss(module(x), y)

    if mode == "compile":
        forward = torch.compile(forward)

    def step():
        start = time.perf_counter()
        optimizer.zero_grad()
        loss = forward(features, labels)
        loss.backward()
        optimizer.step()
        # As a training program does that shows its progress.
        loss.item()
        return time.perf_counter() - start

    def answer(seconds):
        print(json.dumps({"seconds": seconds, "peak": peak_memory()}), flush=True)

    answer([step() for _ in range(WARM_UP)])
    for line in sys.stdin:
        answer([step() for _ in range(int(line))])


if __name__ == "__main__":
    main(*sys.argv[1:])
