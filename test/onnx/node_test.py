"""Runs the ONNX package's own node tests, unchanged, through import and the CPU target.

    node_test.py --library liblgc_node_runner.so --bar bar.json [--support docs/onnx-support.md]
                 [--only PATTERN] [--verbose]

Each case passes, is refused with a reason, or fails: a wrong result, a crash, or an error behind
import. Exit status 0 says that none failed and that no fewer than the bar passed.
"""

import argparse
import collections
import ctypes
import fnmatch
import json
import os
import pathlib
import re
import sys
import time
import warnings

import numpy as np
import onnx
from onnx import numpy_helper

PASSED, REFUSED, FAILED = "passed", "refused", "failed"
MESSAGE_BYTES = 2000


class Library:
    """The compiler's C interface."""

    def __init__(self, path):
        self.calls = ctypes.CDLL(path)
        self.calls.lgc_node_write.restype = ctypes.c_int64
        self.calls.lgc_node_read.restype = ctypes.c_int64

    def compile(self, model, bound):
        """A program, or an outcome and the reason why there is none."""
        data = model.SerializeToString()
        names = [name.encode() for name in bound]
        tensors = [tensor.SerializeToString() for tensor in bound.values()]
        count = len(bound)
        program = ctypes.c_void_p()
        message = ctypes.create_string_buffer(MESSAGE_BYTES)
        outcome = self.calls.lgc_node_compile(
            data,
            ctypes.c_int64(len(data)),
            (ctypes.c_char_p * count)(*names),
            (ctypes.c_char_p * count)(*tensors),
            (ctypes.c_int64 * count)(*map(len, tensors)),
            count,
            ctypes.byref(program),
            message,
            ctypes.c_int64(MESSAGE_BYTES),
        )
        if outcome == 0:
            return program, None, None
        reason = message.value.decode(errors="replace")
        return None, REFUSED if outcome == 1 else FAILED, reason

    def write(self, program, name, array):
        array = np.ascontiguousarray(array)
        size = self.calls.lgc_node_write(
            program, name.encode(), array.ctypes.data_as(ctypes.c_void_p), ctypes.c_int64(array.nbytes)
        )
        return size in (-1, array.nbytes)  # an input that nothing uses has no buffer

    def read(self, program, name, like):
        array = np.zeros(like.shape, like.dtype)
        size = self.calls.lgc_node_read(
            program, name.encode(), array.ctypes.data_as(ctypes.c_void_p), ctypes.c_int64(array.nbytes)
        )
        return array if size == array.nbytes else None

    def run(self, program):
        return self.calls.lgc_node_run(program)

    def free(self, program):
        self.calls.lgc_node_free(program)


def tensor_of(value):
    """A TensorProto, or None where the value is no tensor."""
    if isinstance(value, onnx.TensorProto):
        return value
    if isinstance(value, (np.ndarray, np.generic)) and value.dtype != object:
        try:
            return numpy_helper.from_array(np.asarray(value))
        except (ValueError, TypeError, NotImplementedError, KeyError):
            return None
    return None


def array_of(value):
    if isinstance(value, onnx.TensorProto):
        return numpy_helper.to_array(value)
    return np.asarray(value)


def missing_constants(reason):
    """Names of the inputs that a refusal says must be known at compile time."""
    found = re.search(r"must be known at compile time, but depends on ((?:'[^']*'(?:, )?)+)", reason)
    return re.findall(r"'([^']*)'", found.group(1)) if found else []


def compile_case(library, model, inputs):
    """Compiles; inputs that must be constants are bound to the case's values one after another."""
    bound = {}
    while True:
        program, outcome, reason = library.compile(model, bound)
        if program or outcome != REFUSED:
            return program, outcome, reason, bound
        wanted = [n for n in missing_constants(reason) if n in inputs and n not in bound]
        tensors = {name: tensor_of(inputs[name]) for name in wanted}
        if not wanted or None in tensors.values():
            return None, outcome, reason, bound
        bound.update(tensors)


def compare(expected, actual, rtol, atol):
    """What differs, or None."""
    if expected.dtype != actual.dtype or expected.shape != actual.shape:
        return f"{actual.dtype}{actual.shape} instead of {expected.dtype}{expected.shape}"
    if expected.dtype.kind in "biu":
        if np.array_equal(expected, actual):
            return None
        return f"{np.sum(expected != actual)} of {expected.size} elements differ"
    wide = (np.asarray(x, np.float64) for x in (actual, expected))
    try:
        np.testing.assert_allclose(*wide, rtol=rtol, atol=atol)
    except AssertionError as error:
        return " ".join(str(error).split())[:300]
    return None


def run_case(library, case):
    """The outcome of a test case and, unless it passed, the reason."""
    names = [i.name for i in case.model.graph.input]
    outputs = [o.name for o in case.model.graph.output]
    for number, (inputs, expected) in enumerate(case.data_sets):
        values = dict(zip(names, inputs))
        program, outcome, reason, bound = compile_case(library, case.model, values)
        if not program:
            return outcome, reason
        for name, value in values.items():
            if name not in bound and not library.write(program, name, array_of(value)):
                return FAILED, f"input '{name}' has another size than the model says"
        if not library.run(program):
            return FAILED, "there is no forward function"
        for name, value in zip(outputs, expected):
            value = array_of(value)
            actual = library.read(program, name, value)
            if actual is None:
                return FAILED, f"output '{name}' is missing or has another size"
            difference = compare(value, actual, case.rtol, case.atol)
            if difference:
                return FAILED, f"output '{name}' of data set {number}: {difference}"
        library.free(program)
    return PASSED, None


def operators(model):
    """The operator that the case tests: expanded cases are named after the function."""
    nodes = collections.Counter(n.op_type for n in model.graph.node)
    return nodes.most_common(1)[0][0] if nodes else "(none)"


def run_worker(library_path, cases, first, pipe):
    """Runs cases from `first` on; each outcome is one line, so that a crash loses only its case."""
    library = Library(library_path)
    with os.fdopen(pipe, "w") as lines:
        for number in range(first, len(cases)):
            outcome, reason = run_case(library, cases[number])
            lines.write(json.dumps([number, outcome, reason]) + "\n")
            lines.flush()


def run_cases(library_path, cases):
    """Outcome and reason of each case, in a child process that is replaced when it dies."""
    results = []
    while len(results) < len(cases):
        reader, writer = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(reader)
            status = 1
            try:
                run_worker(library_path, cases, len(results), writer)
                status = 0
            finally:
                os._exit(status)
        os.close(writer)
        with os.fdopen(reader) as lines:
            for line in lines:
                _, outcome, reason = json.loads(line)
                results.append((outcome, reason))
        _, status = os.waitpid(child, 0)
        if len(results) < len(cases):
            how = f"signal {os.WTERMSIG(status)}" if os.WIFSIGNALED(status) else "an exception"
            results.append((FAILED, f"the compiler or the program died: {how}"))
    return results


def load_cases(pattern):
    from onnx.backend.test.loader import load_model_tests

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        cases = load_model_tests(kind="node")
    return sorted(
        (c for c in cases if fnmatch.fnmatch(c.name, pattern)), key=lambda case: case.name
    )


def short(reason):
    return " ".join((reason or "").split())[:140].replace("|", "\\|")


def write_support(path, cases, results):
    """The table of operators for people."""
    rows = collections.defaultdict(collections.Counter)
    reasons = collections.defaultdict(collections.Counter)
    for case, (outcome, reason) in zip(cases, results):
        name = operators(case.model)
        rows[name][outcome] += 1
        if outcome != PASSED:
            reasons[name][short(reason)] += 1
    totals = collections.Counter(outcome for outcome, _ in results)
    lines = [
        "# ONNX operators",
        "",
        "Written by `test/onnx/node_test.py`, which runs the whole, unmodified suite of node tests of",
        f"onnx {onnx.__version__} ({len(cases)} cases) through import and the CPU target: "
        f"{totals[PASSED]} pass, {totals[REFUSED]} are",
        f"refused with a reason, {totals[FAILED]} fail. A case counts for the operator that its model",
        "has most of. Inputs that must be known at compile time (shapes, axes) are bound to the case's",
        "values.",
        "",
        "| operator | passed | refused | failed | most frequent reason |",
        "| --- | --- | --- | --- | --- |",
    ]
    for name in sorted(rows):
        row = rows[name]
        reason = reasons[name].most_common(1)[0][0] if reasons[name] else ""
        lines.append(f"| {name} | {row[PASSED]} | {row[REFUSED]} | {row[FAILED]} | {reason} |")
    pathlib.Path(path).write_text("\n".join(lines) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--library", required=True)
    parser.add_argument("--bar", help="file with the least number of cases that must pass")
    parser.add_argument("--support", help="file to write the table of operators to")
    parser.add_argument("--only", default="*", help="pattern of the names of cases to run")
    parser.add_argument("--verbose", action="store_true", help="tell every case that didn't pass")
    options = parser.parse_args()

    start = time.time()
    cases = load_cases(options.only)
    results = run_cases(options.library, cases)
    totals = collections.Counter(outcome for outcome, _ in results)
    for case, (outcome, reason) in zip(cases, results):
        if outcome == FAILED or (options.verbose and outcome == REFUSED):
            print(f"{outcome} {case.name}: {short(reason)}")
    print(
        f"{len(cases)} cases in {time.time() - start:.0f} s: {totals[PASSED]} passed, "
        f"{totals[REFUSED]} refused, {totals[FAILED]} failed"
    )
    if options.support:
        write_support(options.support, cases, results)
    least = json.loads(pathlib.Path(options.bar).read_text())["passed"] if options.bar else 0
    if totals[FAILED] or totals[PASSED] < least:
        print(f"at least {least} must pass and none may fail", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
