"""The kernels' tests with every kernel as plain Python.

This finds what compiled code hides: a negative index that wraps, an overflow, a result that depends
on compilation.
"""

from __future__ import annotations

from release.judging import Seen, run_check
from release.suite import ran_kernel_tests


def main(arguments: list[str]) -> int:
    """Run them, or those that pytest's `arguments` select."""
    return run_check("nojit", lambda _folder: look(arguments), arguments)


def look(arguments: list[str]) -> Seen:
    return Seen(ran_kernel_tests("nojit", arguments, NUMBA_DISABLE_JIT="1"))
