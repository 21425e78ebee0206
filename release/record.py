"""The last result of every check, said on the screen and kept in docs/release.md."""

from __future__ import annotations

import platform
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

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
