#!/usr/bin/env python3
"""How long the exact solver takes for MiniMalloc's eleven instances; writes a Markdown table.

The published times are those of MiniMalloc's authors, on a processor that they don't name.
"""

import argparse
import json
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
CAPACITY = 1048576
PUBLISHED_MS = {
    "A": 4910, "B": 3661, "C": 637, "D": 2674, "E": 3717, "F": 5358,
    "G": 1181, "H": 1808, "I": 3908, "J": 883, "K": 628,
}  # fmt: skip


def solve(tool, name, limit):
    path = ROOT / "test/Offsets/minimalloc" / f"{name}.{CAPACITY}.csv"
    command = [tool, path, "--json", f"--capacity={CAPACITY}", f"--time-limit={limit}"]
    return json.loads(subprocess.run(command, check=True, capture_output=True).stdout)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tool", default=ROOT / "build/bin/lgc-offsets", help="path of lgc-offsets")
    parser.add_argument("--time-limit", type=float, default=60, help="seconds for each instance")
    parser.add_argument("--runs", type=int, default=1, help="the median of so many counts")
    arguments = parser.parse_args()
    print("| Instance | Blocks | Capacity | Reached | Seconds | Published | Ratio |")
    print("|---|---|---|---|---|---|---|")
    solved = True
    for name, published in PUBLISHED_MS.items():
        runs = [solve(arguments.tool, name, arguments.time_limit) for _ in range(arguments.runs)]
        run = sorted(runs, key=lambda run: run["seconds"])[len(runs) // 2]
        fits = run["bytes"] <= CAPACITY
        solved &= fits
        ratio = f"{run['seconds'] / (published / 1000):.3f}" if fits else "not solved"
        print(
            f"| {name} | {len(run['offsets'])} | {CAPACITY} | {run['bytes']} | {run['seconds']:.2f} "
            f"| {published / 1000:.2f} | {ratio} |",
            flush=True,
        )
    return 0 if solved else 1


if __name__ == "__main__":
    sys.exit(main())
