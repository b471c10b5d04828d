#!/usr/bin/env python3
"""Writes the corpus of broken and hostile files, one folder a case, to look at or to fuzz from.

    make_corpus.py FOLDER [PART OF A NAME]
"""

import pathlib
import sys

import cases
# Each registers its cases.
import file_cases  # noqa: F401
import operator_cases  # noqa: F401
import structure_cases  # noqa: F401
import tensor_cases  # noqa: F401
import usage_cases  # noqa: F401

CASES = cases.CASES


def main(folder, part=""):
    chosen = [case for case in CASES if part in case.name]
    for case in chosen:
        (folder / case.name).mkdir(parents=True, exist_ok=True)
        case.write(folder / case.name)
    print(f"{len(chosen)} cases in {folder}")


if __name__ == "__main__":
    if not 2 <= len(sys.argv) <= 3:
        sys.exit(__doc__)
    main(pathlib.Path(sys.argv[1]), *sys.argv[2:])
