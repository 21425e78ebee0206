"""How a check is run: it says what it saw, or what did not hold, which docs/release.md keeps."""

from __future__ import annotations

import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import NamedTuple

from release import CHECKS

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "release.md"
BEGIN, END = "<!-- results: begin -->", "<!-- results: end -->"
HEAD = "| check | date | with | result | seconds | details |\n|---|---|---|---|---:|---|\n"


def record(
    check: str,
    result: str,
    seconds: float,
    details: str = "",
    *,
    versions: str = "",
    page: Path = PAGE,
) -> None:
    """Print what came of a check, and rewrite its row in the page.

    `versions` is what it ran with, where that is not this Python and its libraries.
    """
    print(line(check, result, seconds, details), flush=True)
    before, rest = page.read_text(encoding="utf-8").split(BEGIN)
    table, after = rest.split(END)
    rows = {row.split("|")[1].strip(" `"): row for row in table.strip().splitlines()[2:]}
    date = datetime.now(UTC).date().isoformat()
    cells = [f"`{check}`", date, versions or installed(), result, f"{seconds:.0f}", details]
    rows[check] = f"| {' | '.join(in_a_cell(cell) for cell in cells)} |"
    ordered = sorted(rows, key=lambda name: [*CHECKS, name].index(name))
    table = HEAD + "".join(f"{rows[name]}\n" for name in ordered)
    page.write_text(f"{before}{BEGIN}\n{table}{END}{after}", encoding="utf-8")


def line(check: str, result: str, seconds: float, details: str = "") -> str:
    """What came of a check, in a line."""
    return f"{check}: {result} in {seconds:.0f} s" + (f" ({details})" if details else "")


def in_a_cell(text: str) -> str:
    """Text on one line, without what would end a cell of the table."""
    return " ".join(text.split()).replace("|", "\\|")


def installed() -> str:
    """This Python and the libraries that decide most."""
    libraries = ", ".join(f"{name} {version(name)}" for name in ("numpy", "numba"))
    return f"Python {platform.python_version()}, {libraries}"


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
