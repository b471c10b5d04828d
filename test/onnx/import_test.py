"""Imports every model that the ONNX package has on disk: 140 small ones and nine real networks.

Each is imported, or refused for one of the reasons below; anything else is a failure.
"""

import argparse
import pathlib
import subprocess
import sys

import onnx

# Reasons for which a model may be refused.
REFUSED = [
    "the shape must be known at compile time",
    "operators that aren't supported: ai.onnx.preview.training.Gradient",
    "operators that aren't supported: StringNormalizer",
    "the sizes of these dimensions are needed: 'n'",
]
TIME_LIMIT = 120


def models():
    folder = pathlib.Path(onnx.__file__).parent / "backend" / "test" / "data"
    return sorted(folder.rglob("*.onnx"))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--import", dest="importer", required=True, help="the program lgc-import")
    options = parser.parse_args()
    imported, refused, failed = [], [], []
    for path in models():
        done = subprocess.run(
            [options.importer, path, "--quiet"], capture_output=True, text=True, timeout=TIME_LIMIT
        )
        reason = " ".join(done.stderr.split())[:300]
        if done.returncode == 0:
            imported.append(path)
            continue
        known = done.returncode == 1 and any(text in reason for text in REFUSED)
        (refused if known else failed).append(path)
        print(f"{'refused' if known else 'FAILED'} {path.parent.name}/{path.name}: {reason}")
    print(f"{len(imported)} imported, {len(refused)} refused, {len(failed)} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
