"""Rearrange published pages without their runs: `python3 -m reproductions.published_pages 003`.

The full studies take long, and their stores are not kept beside the pages. This makes the report's
own tables and figures anew and puts them at the head, and folds the evidence of the verdicts, which
stay those of claims.json. All other sections stay as they are.
"""

from __future__ import annotations

import json
import re
import sys
import tempfile
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

from genoku import __version__
from genoku.errors import StudyError
from genoku.lab.claims import Claim
from genoku.lab.report.page import Claims, Page, Section
from genoku.runtime.workers import cores
from reproductions import CLAIMS_TITLE, OBSERVATIONS_TITLE, REPORTS
from reproductions.own_experiment import OWN_TITLE, own_experiment

PAGES = Path(__file__).parents[1] / "docs" / "reproductions"
VERDICTS = {CLAIMS_TITLE: "claims", OBSERVATIONS_TITLE: "observations"}
"""The sections with verdicts, and the lists of claims.json that they show."""

_FIRST_VERDICT = re.compile(r"^(?:\| claim \||<details>)", re.MULTILINE)


def rearrange(number: str, own: Section | None, folder: Path = PAGES) -> None:
    """Rearrange the page of a report in place, with its own experiment at the head if it is given.

    Raises
    ------
    StudyError
        If the page and claims.json disagree.
    """
    path = folder / f"{number}.md"
    title, below, sections = split_page(path.read_text("utf-8"))
    facts = json.loads((folder / f"{number}-claims.json").read_text("utf-8"))
    for heading, kind in VERDICTS.items():
        if heading in sections:
            claims = [Claim(**each) for each in facts[kind]]
            sections[heading] = fold_evidence(sections[heading], claims)
    done = "the evidence of every verdict is folded"
    if own is not None:
        written, drawings = write_section(own, number)
        sections = {OWN_TITLE: written, **{k: v for k, v in sections.items() if k != OWN_TITLE}}
        figures = folder / f"{number}-figures"
        for each in figures.glob("report-*.svg"):
            each.unlink()
        for name, drawing in drawings.items():
            (figures / name).write_text(drawing, "utf-8")
    if OWN_TITLE in sections:
        done = (
            f"the report's own tables and figures, which `genoku reproduce {number}` made, are "
            f"first, and {done}"
        )
    today = datetime.now(UTC)
    mark = (
        f"*Rearranged by a script on {today.day} {today:%B %Y}, genoku {__version__}: {done}. "
        f"Verdicts, evidence and all other sections are those of the stored "
        f"[{number}-claims.json]({number}-claims.json) and of the page made with it; no run of "
        "their studies was made again.*"
    )
    parts = [f"{title}\n\n{below}\n\n{mark}\n"]
    parts += [f"## {heading}\n\n{text}\n" for heading, text in sections.items()]
    path.write_text("\n".join(parts), "utf-8")


def split_page(text: str) -> tuple[str, str, dict[str, str]]:
    """Return the title of a page, the line below it, and its sections by heading."""
    head, *sections = text.split("\n## ")
    lines = [line for line in head.splitlines() if line]
    title, below = lines[0], lines[1]
    parts = (each.partition("\n") for each in sections)
    return title, below, {heading: body.strip() for heading, _, body in parts}


def fold_evidence(section: str, claims: Sequence[Claim]) -> str:
    """Replace the verdicts of a section by the same verdicts with folded evidence."""
    said, *rest = _FIRST_VERDICT.split(section, maxsplit=1)
    shown = "".join(rest)
    for each in claims:
        if each.because.replace("|", "\\|") not in shown and each.because not in shown:
            raise StudyError(f"the page does not have the evidence of claim {each.id}")
    verdicts = re.findall(r"(?:\*\*|<b>)(holds|fails|undecided)(?:\*\* \||</b>:)", shown)
    if verdicts != [each.verdict for each in claims]:
        raise StudyError("the verdicts of the page are not those of its claims.json")
    text, _ = write_section(Section("", (Claims(tuple(claims)),)), "claims")
    return f"{said.rstrip()}\n\n{text}"


def write_section(section: Section, stem: str) -> tuple[str, Mapping[str, str]]:
    """Write a section as Markdown; return it without its heading, and its drawings by file name."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, f"{stem}.md")
        Page("", "", (section,)).write_markdown(path)
        _, _, text = path.read_text("utf-8").partition(f"## {section.title}\n")
        drawings = {
            each.name: each.read_text("utf-8")
            for each in sorted(Path(folder, f"{stem}-figures").glob("*.svg"))
        }
    return text.strip(), drawings


if __name__ == "__main__":
    for each in sys.argv[1:] or REPORTS:
        rearrange(each, own_experiment(each, cores()))
        print(f"docs/reproductions/{each}.md")
