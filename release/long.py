"""The tests that take too long for every change: those that are marked `release`."""

from __future__ import annotations

import os
import sys

from release.judging import ROOT, Seen, judged
from release.suite import ran_suite


def main(arguments: list[str]) -> int:
    """Run them, or those that pytest's `arguments` choose."""
    return judged("long", lambda _folder: look(arguments), arguments)


def look(arguments: list[str]) -> Seen:
    marked = ("-m", "release", *arguments)
    return Seen(ran_suite(sys.executable, *marked, cwd=ROOT, variables=dict(os.environ)))
