"""The tests marked `release`, which take too long for every change, and properties at length."""

from __future__ import annotations

import os
import sys

from release.judging import ROOT, Seen, run_check
from release.suite import ran_suite

EXAMPLES = 10  # times those that a property asks for


def main(arguments: list[str]) -> int:
    """Run them, or those that pytest's `arguments` select."""
    return run_check("long", lambda _folder: look(arguments), arguments)


def look(arguments: list[str]) -> Seen:
    marked = _ran("release", arguments)
    properties = _ran("hypothesis and not release", arguments, GENOKU_EXAMPLES=str(EXAMPLES))
    return Seen(f"{marked}; properties with {EXAMPLES} times the examples: {properties}")


def _ran(marks: str, arguments: list[str], **variables: str) -> str:
    return ran_suite(
        sys.executable, "-m", marks, *arguments, cwd=ROOT, variables={**os.environ, **variables}
    )
