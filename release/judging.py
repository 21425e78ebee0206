"""How a check is run: it says what it saw, or what did not hold, and that is recorded."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from release.record import line, record


class CheckError(Exception):
    """What a check looks at does not hold."""


class Seen(NamedTuple):
    """What a check saw where all is well, and with which versions, if not those that run it."""

    details: str
    versions: str = ""


def judged(check: str, look: Callable[[Path], Seen], arguments: list[str]) -> int:
    """Look in a folder that goes away afterwards, record what came of it, and return an exit code.

    The folder is outside the clone, so that nothing is found that is not installed. With
    arguments only a part was looked at, which is said and not recorded.
    """
    began = time.perf_counter()
    result, code = "passed", 0
    try:
        with tempfile.TemporaryDirectory(prefix=f"genoku-{check}-") as folder:
            seen = look(Path(folder).resolve())
    except (CheckError, subprocess.TimeoutExpired, OSError) as error:
        result, code, seen = "failed", 1, Seen(str(error))
    seconds = time.perf_counter() - began
    if arguments:
        print(line(f"{check} {' '.join(arguments)}", result, seconds, seen.details), flush=True)
    else:
        record(check, result, seconds, seen.details, versions=seen.versions)
    return code


def refused(check: str, arguments: list[str]) -> bool:
    """Whether there are arguments, which this check does not know, and say so."""
    if arguments:
        print(f"expected no arguments of {check}, got {' '.join(arguments)!r}", file=sys.stderr)
    return bool(arguments)
