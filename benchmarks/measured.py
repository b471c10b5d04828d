"""Runs commands and tells their wall time and their peak of resident memory.

The kernel counts the memory of the process that started a command as the command's own. A
process of this small file starts it, not the benchmark, which holds PyTorch.
"""

import json
import os
import subprocess
import sys
import time


def run(command, **options):
    """Runs a command that must succeed; returns seconds and bytes."""
    launcher = [sys.executable, "-S", "-E", os.path.abspath(__file__), *map(str, command)]
    done = subprocess.run(launcher, stdout=subprocess.PIPE, text=True, **options)
    if done.returncode != 0:
        raise SystemExit(f"failed: {' '.join(map(str, command))}")
    result = json.loads(done.stdout)
    return result["seconds"], result["peak"]


def main(command):
    start = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - start
    print(json.dumps({"seconds": seconds, "peak": usage.ru_maxrss * 1024}))
    sys.exit(os.waitstatus_to_exitcode(status) != 0)


if __name__ == "__main__":
    main(sys.argv[1:])
