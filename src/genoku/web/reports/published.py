"""The published reproductions: pages of the documentation and their claims, kept in the package."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal

Verdict = Literal["holds", "fails", "undecided"]

PACKED = Path(__file__).parent.parent / "reproductions"
"""Where a built package has the pages."""
WRITTEN = Path(__file__).parents[4] / "docs" / "reproductions"
"""Where they are in the sources."""


@dataclass(frozen=True)
class Claim:
    """A claim of a report, where it makes it, and what became of it.

    The texts may hold **bold**, *italics* and `code`.
    """

    id: str
    text: str
    where: str
    verdict: Verdict
    because: str


@dataclass(frozen=True)
class Published:
    """A reproduction: its claims, and its page as Markdown."""

    title: str
    subtitle: str
    summary: str
    counts: dict[Verdict, int]
    claims: tuple[Claim, ...]
    evidence: str
    """What the page has below its claims."""
    figures: tuple[str, ...]
    """Names of its drawings."""


def folder() -> Path | None:
    """Where the pages are, if they are there."""
    return next((each for each in (PACKED, WRITTEN) if (each / "000.md").is_file()), None)


@cache
def published(number: str) -> Published | None:
    """The reproduction of a report."""
    place = folder()
    if place is None:
        return None
    facts = json.loads((place / f"{number}-claims.json").read_text("utf-8"))
    _, *sections = (place / f"{number}.md").read_text("utf-8").split("\n## ")
    evidence = "".join(f"## {section}\n" for section in sections[1:])  # the first has the claims
    drawings = sorted(path.name for path in (place / f"{number}-figures").glob("*.svg"))
    return Published(
        facts["title"],
        facts["subtitle"],
        facts["summary"],
        facts["counts"],
        claims_of(facts),
        evidence.strip(),
        tuple(drawings),
    )


def claims_of(facts: dict[str, Any]) -> tuple[Claim, ...]:
    """The claims of a `claims.json`."""
    fields = Claim.__dataclass_fields__
    return tuple(Claim(**{name: each[name] for name in fields}) for each in facts["claims"])


def figure(number: str, name: str) -> Path | None:
    """A drawing of a page, if it has one of that name."""
    page, place = published(number), folder()
    if page is None or place is None or name not in page.figures:
        return None
    return place / f"{number}-figures" / name
