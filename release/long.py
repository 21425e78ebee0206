"""The tests marked `release`, which take too long for every change."""

from __future__ import annotations

import os
import sys

from release.judging import ROOT, Seen, run_check
from release.suite import ran_suite


def main(arguments: list[str]) -> int:
    """Run them, or those that pytest's `arguments` select."""
    return run_check("long", lambda _folder: look(arguments), arguments)


def look(arguments: list[str]) -> Seen:
    marked = ("-m", "release", *arguments)
    return Seen(ran_suite(sys.executable, *marked, cwd=ROOT, variables=dict(os.environ)))
