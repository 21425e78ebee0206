"""The kernels' tests with every kernel as plain Python: the loops mean what they say.

What a compiler would forgive shows here: an index below 0 that wraps, a number that outgrows its
type, a result that depends on how it was compiled.
"""

from __future__ import annotations

from release.judging import Seen, judged
from release.suite import ran_kernel_tests


def main(arguments: list[str]) -> int:
    """Run them, or those that pytest's `arguments` choose."""
    return judged("nojit", lambda _folder: look(arguments), arguments)


def look(arguments: list[str]) -> Seen:
    return Seen(ran_kernel_tests("nojit", arguments, NUMBA_DISABLE_JIT="1"))
