"""The published reproductions: the pages of the documentation, which come with the package."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal

Verdict = Literal["holds", "fails", "undecided"]

PACKED = Path(__file__).parent.parent / "reproductions"
"""Where a built package has the pages."""
WRITTEN = Path(__file__).parents[4] / "docs" / "reproductions"
"""Where they are in the sources."""

_ROW = re.compile(r"(?<!\\)\|")
_CLAIM = re.compile(r"(?P<text>.*) \*\((?P<where>.*)\)\*")
_HEAD = "| claim | verdict | evidence |"


@dataclass(frozen=True)
class Claim:
    """A claim of a report, where it makes it, and what became of it.

    The texts may hold **bold**, *italics* and `code`.
    """

    text: str
    where: str
    verdict: Verdict
    because: str


@dataclass(frozen=True)
class Published:
    """A reproduction page: its claims, and the evidence as Markdown."""

    title: str
    subtitle: str
    summary: str
    claims: tuple[Claim, ...]
    evidence: str
    figures: tuple[str, ...]
    """Names of its drawings."""


def folder() -> Path | None:
    """Where the pages are, if they are there."""
    return next((each for each in (PACKED, WRITTEN) if (each / "000.md").is_file()), None)


@cache
def published(number: str) -> Published | None:
    """The page of a report."""
    place = folder()
    if place is None:
        return None
    text = (place / f"{number}.md").read_text("utf-8")
    before, _, table = text.partition(f"{_HEAD}\n")
    rows, _, evidence = table.partition("\n\n")
    title, subtitle, summary = _parts(before)
    drawings = sorted(path.name for path in (place / f"{number}-figures").glob("*.svg"))
    claims = tuple(_claim(row) for row in rows.splitlines()[1:])
    return Published(title, subtitle, summary, claims, evidence.strip("\n"), tuple(drawings))


def figure(number: str, name: str) -> Path | None:
    """A drawing of a page, if it has one of that name."""
    page, place = published(number), folder()
    if page is None or place is None or name not in page.figures:
        return None
    return place / f"{number}-figures" / name


def _parts(before: str) -> tuple[str, str, str]:
    """The title, the line below it, and what is said before the claims."""
    lines = [line for line in before.splitlines() if line.strip()]
    return lines[0].removeprefix("# "), lines[1], lines[-1]


def _claim(row: str) -> Claim:
    _, said, verdict, because, _ = (cell.strip() for cell in _ROW.split(row))
    found = _CLAIM.fullmatch(said)
    text, where = (found["text"], found["where"]) if found else (said, "")
    return Claim(text, where, _verdict(verdict.strip("*")), because)


def _verdict(word: str) -> Verdict:
    return "holds" if word == "holds" else "fails" if word == "fails" else "undecided"
