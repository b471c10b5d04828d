#!/usr/bin/env python3
"""Measures how long GPT-2 takes from ONNX file to finished executable, over its depth.

12 layers are GPT-2 of 124 M parameters. Prints a Markdown table: wall time, its growth against
the depth's, and the compiler's peak of resident memory.

Run with the reference environment (`scripts/setup --references`).
"""

import argparse
import os
import pathlib
import tempfile

import torch

import measured
import models


def compile_once(lgc_opt, model, output):
    """Returns wall seconds and peak bytes of one compilation."""
    result = measured.run(
        [lgc_opt, model, "--target=cpu", "--quiet", f"--loss={models.LOSS}",
         f"--optimizer={models.OPTIMIZER}", "-o", output]
    )
    if not (output / "train").exists():
        raise SystemExit("the compiler wrote no program")
    return result


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("depths", nargs="*", type=int, default=[3, 6, 12, 24])
    parser.add_argument("--lgc-opt", default=os.environ.get("LGC_OPT", "lgc-opt"))
    parser.add_argument("--repeats", type=int, default=3, help="the fastest counts")
    options = parser.parse_args()
    print("| layers | parameters, M | compile time, s | time per layer to the row above "
          "| peak memory, MB |")
    print("|" + " ---: |" * 5)
    previous = None
    for depth in options.depths:
        benchmark = models.gpt2(layers=depth, width=768, heads=12, length=1024, batch=1)
        parameters = sum(p.numel() for p in benchmark.module().parameters()) / 1e6
        with tempfile.TemporaryDirectory() as folder:
            model = pathlib.Path(folder) / "gpt2.onnx"
            with torch.no_grad():
                benchmark.export(model)
            runs = [
                compile_once(options.lgc_opt, model, pathlib.Path(folder) / f"{repeat}.lgc")
                for repeat in range(options.repeats)
            ]
        seconds, peak = min(runs)
        per_layer = seconds / depth
        growth = f"{per_layer / previous:.2f}" if previous else ""
        previous = per_layer
        print(f"| {depth} | {parameters:.0f} | {seconds:.1f} | {growth} | {peak / 1e6:.0f} |",
              flush=True)


if __name__ == "__main__":
    main()
