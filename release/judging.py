"""Run a check, and record its result in docs/release.md."""

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
    """Print the result of a check, and update its row in the page.

    `versions` replaces the versions of this Python and its libraries.
    """
    print(line(check, result, seconds, details), flush=True)
    before, rest = page.read_text(encoding="utf-8").split(BEGIN)
    table, after = rest.split(END)
    rows = {row.split("|")[1].strip(" `"): row for row in table.strip().splitlines()[2:]}
    date = datetime.now(UTC).date().isoformat()
    cells = [
        f"`{check}`",
        date,
        versions or installed_versions(),
        result,
        f"{seconds:.0f}",
        details,
    ]
    rows[check] = f"| {' | '.join(in_a_cell(cell) for cell in cells)} |"
    ordered = sorted(rows, key=lambda name: [*CHECKS, name].index(name))
    table = HEAD + "".join(f"{rows[name]}\n" for name in ordered)
    page.write_text(f"{before}{BEGIN}\n{table}{END}{after}", encoding="utf-8")


def line(check: str, result: str, seconds: float, details: str = "") -> str:
    """Format the result of a check as a line."""
    return f"{check}: {result} in {seconds:.0f} s" + (f" ({details})" if details else "")


def in_a_cell(text: str) -> str:
    """Escape text for a cell of a Markdown table."""
    return " ".join(text.split()).replace("|", "\\|")


def installed_versions() -> str:
    """Return the versions of this Python and the main libraries."""
    libraries = ", ".join(f"{name} {version(name)}" for name in ("numpy", "numba"))
    return f"Python {platform.python_version()}, {libraries}"


class CheckError(Exception):
    """A check failed."""


class Seen(NamedTuple):
    """The details of a passed check, and its versions, if not those that run it."""

    details: str
    versions: str = ""


def run_check(check: str, look: Callable[[Path], Seen], arguments: list[str]) -> int:
    """Run a check in a temporary folder, record its result, and return an exit code.

    The folder is outside the clone, so that only installed files are found. With arguments only a
    part was checked, which is printed but not recorded.
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
    """Whether there are arguments, which this check does not take; prints an error if so."""
    if arguments:
        print(f"expected no arguments of {check}, got {' '.join(arguments)!r}", file=sys.stderr)
    return bool(arguments)
