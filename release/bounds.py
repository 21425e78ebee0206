"""The kernels' tests with bounds checks, compiled into a separate cache.

A compiled kernel that leaves its array silently reads or writes other memory. The usual cache must
never hold these slower kernels.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from release.environments import ran
from release.judging import ROOT, CheckError, Seen, run_check
from release.suite import ran_kernel_tests

BEYOND = """
import numpy as np
from genoku.runtime.jit import kernel

@kernel
def beyond(values, index):
    return values[index]

try:
    beyond(np.zeros(3, np.uint64), np.uint64(3))
except IndexError:
    print("checked")
"""


def main(arguments: list[str]) -> int:
    """Run them, or those that pytest's `arguments` select."""
    return run_check("bounds", lambda folder: look(folder, arguments), arguments)


def look(folder: Path, arguments: list[str]) -> Seen:
    checked = {
        "NUMBA_BOUNDSCHECK": "1",
        "NUMBA_CACHE_DIR": str(folder / "kernels"),
        "NUMBA_DISABLE_JIT": "0",
    }
    program = [sys.executable, "-c", BEYOND]
    if "checked" not in ran(program, cwd=ROOT, variables={**os.environ, **checked}).stdout:
        raise CheckError("an index beyond its array went unseen: bounds are not checked")
    return Seen(ran_kernel_tests("bounds", arguments, **checked))
