#!/usr/bin/env python3
"""Compares compiled training programs with PyTorch eager and `torch.compile`.

All three train the same model from the same weights, with the same optimizer, on the same cores
of one machine. They take turns, a few steps each, in several rounds, so that what else the machine
does falls on all of them. Prints the medians and the peaks of resident memory as a Markdown table.

Run with the reference environment (`scripts/setup --references`).
"""

import argparse
import itertools
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

from safetensors.torch import save_file

import measured
import models

HERE = pathlib.Path(__file__).resolve().parent
PYTORCH = {"eager": "PyTorch eager", "compile": "`torch.compile`"}


class PyTorchProgram:
    """A PyTorch process that waits for its turns."""

    def __init__(self, name, mode, options):
        self.process = subprocess.Popen(
            [sys.executable, str(HERE / "pytorch_worker.py"), name, mode, str(options.threads),
             str(options.vocabulary)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment(options),
        )
        self.seconds = []
        self.peak = self._answer()["peak"]

    def turn(self, steps):
        self.process.stdin.write(f"{steps}\n")
        self.process.stdin.flush()
        answer = self._answer()
        self.seconds += answer["seconds"]
        self.peak = answer["peak"]

    def _answer(self):
        line = self.process.stdout.readline()
        if not line:
            raise SystemExit("a PyTorch process ended early")
        return json.loads(line)

    def close(self):
        self.process.stdin.close()
        self.process.wait()


class CompiledProgram:
    """A program of the compiler, started anew for each turn."""

    WARM_UP = 3

    def __init__(self, benchmark, folder, options):
        self.options = options
        self.folder = folder
        model = folder / "model.onnx"
        benchmark.export(model)
        self.data = folder / "data.safetensors"
        save_file(benchmark.tensors(), str(self.data))
        subprocess.run(
            [options.lgc_opt, str(model), "--target=cpu", "--quiet", f"--loss={models.LOSS}",
             f"--optimizer={models.OPTIMIZER}", "-o", str(folder / "model.lgc")],
            check=True,
        )
        self.seconds = []
        self.peak = 0

    def turn(self, steps):
        log = self.folder / "run.jsonl"
        _, peak = measured.run(
            [self.folder / "model.lgc" / "train", "--data", self.data, "--steps",
             self.WARM_UP + steps, "--shuffle=off", "--log", log],
            env=environment(self.options),
        )
        records = [json.loads(line) for line in log.read_text().splitlines()]
        # The log says when each step ended, in seconds since the first began.
        ends = [record["seconds"] for record in records if "loss" in record]
        times = [end - start for start, end in itertools.pairwise(ends)]
        self.seconds += times[self.WARM_UP - 1 :]
        self.peak = max(self.peak, peak)

    def close(self):
        """Nothing runs between turns."""


def environment(options):
    return {**os.environ, "OMP_NUM_THREADS": str(options.threads)}


def measure(name, options):
    """Returns the benchmark's title, and the programs after their turns."""
    benchmark = models.by_name(name, options.vocabulary)
    with tempfile.TemporaryDirectory() as folder:
        programs = {"lgc": CompiledProgram(benchmark, pathlib.Path(folder), options)}
        programs.update((mode, PyTorchProgram(name, mode, options)) for mode in PYTORCH)
        for _ in range(options.rounds):
            for program in programs.values():
                program.turn(options.steps)
        for program in programs.values():
            program.close()
    return benchmark.title, programs


def table(results):
    yield ("| model | lgc, ms | PyTorch eager, ms | `torch.compile`, ms | lgc to the faster "
           "| lgc, MB | PyTorch eager, MB | `torch.compile`, MB | lgc to the smaller |")
    yield "| --- |" + " ---: |" * 8
    for title, programs in results:
        times = {n: 1e3 * statistics.median(p.seconds) for n, p in programs.items()}
        peaks = {n: p.peak / 1e6 for n, p in programs.items()}
        cells = [title]
        for values, digits in ((times, 1), (peaks, 0)):
            best = min(values[mode] for mode in PYTORCH)
            cells += [f"{values[n]:.{digits}f}" for n in ("lgc", *PYTORCH)]
            cells.append(f"**{values['lgc'] / best:.2f}**")
        yield "| " + " | ".join(cells) + " |"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("models", nargs="*", default=["gpt2", "resnet18", "mlp"])
    parser.add_argument("--lgc-opt", default=os.environ.get("LGC_OPT", "lgc-opt"))
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--steps", type=int, default=6, help="steps of one turn")
    parser.add_argument("--vocabulary", type=int, default=50257, help="GPT-2's")
    options = parser.parse_args()
    results = [measure(name, options) for name in options.models]
    print(f"\nMedian step time and peak resident memory, {options.threads} threads, "
          f"{options.rounds} rounds of {options.steps} steps each.\n")
    print("\n".join(table(results)))


if __name__ == "__main__":
    main()
