"""Reproductions of reports: run their studies again, judge their claims, and write a page.

A folder per report holds its studies, what it published and claims, the text of its page and a
script with the verdicts; README.md describes the files. This module combines them, with the public
interface of `genoku.lab`.
"""

from __future__ import annotations

import json
import math
import re
import sys
import tomllib
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, nullcontext
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from genoku.errors import StudyError
from genoku.lab import Store, Study, run_study, study_of
from genoku.lab.claims import RULES, Claim, Judgement, count_verdicts
from genoku.lab.report.charts import Series, Style, numbers
from genoku.lab.report.page import Claims, Code, Details, Figure, Notice, Page, Part, Section, Table
from genoku.lab.runner import ProgressCallback
from genoku.puzzle.formats import binary_writer
from genoku.reports import reports
from genoku.runtime.text import format_count

__all__ = [
    "CLAIMS_TITLE",
    "OBSERVATIONS_TITLE",
    "REPORTS",
    "Findings",
    "Reproduced",
    "Scale",
    "band",
    "published",
    "reproduce",
    "studies_of",
    "write_claims",
]

HERE = Path(__file__).parent
REPORTS = {number: each.name for number, each in reports().items()}
"""The reports by number, and what they are called."""

CLAIMS_TITLE = "Which claims hold"
OBSERVATIONS_TITLE = "What else we found"

Shown = Callable[[Study, Path], AbstractContextManager[ProgressCallback | None]]


@dataclass(frozen=True)
class Scale:
    """How much to run: quick or full, or with another number of seeds than the studies."""

    quick: bool = False
    seeds: int | None = None

    @property
    def options(self) -> str:
        """As typed on the command line."""
        quick = " --quick" if self.quick else ""
        return quick + (f" --seeds {self.seeds}" if self.seeds else "")

    @property
    def warning(self) -> str:
        """The notice before the verdicts of a smaller version; "" for the full one."""
        if not self.options:
            return ""
        kind = "The quick version" if self.quick else "Not the full version"
        seeds = (
            f"{format_count(self.seeds, 'seed')} in place of its own"
            if self.seeds
            else "fewer seeds"
        )
        return f"{kind}, with {seeds}: verdicts may differ, and more claims are left undecided."


@dataclass(frozen=True)
class Findings:
    """What the script of a report returns."""

    judgements: Mapping[str, Judgement]
    """On every claim and every observation of `published.toml`, by id."""
    parts: Mapping[str, Part]
    """The tables and figures that `page.md` names."""
    words: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """The values that `page.md` and the claims name in braces."""
    figures: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """Numbers for other programs."""


@dataclass(frozen=True)
class Reproduced:
    """A finished reproduction: its claims, and its page."""

    number: str
    scale: Scale
    title: str
    subtitle: str
    claims: tuple[Claim, ...]
    observations: tuple[Claim, ...]
    """What we say and the report does not: judged alike, and not counted among its claims."""
    sections: tuple[Section, ...]
    figures: Mapping[str, Any]
    own: Section | None = None
    """The report's own experiment: see `reproductions.own_experiment`."""

    @property
    def summary(self) -> str:
        """The numbers of claims that hold, fail and are undecided, and the rules."""
        said = ", ".join(
            f"**{count} {_VERBS[verdict][count != 1]}**"
            for verdict, count in count_verdicts(self.claims).items()
        )
        return f"Of {format_count(len(self.claims), 'claim')} {said}. {RULES}"

    @cached_property
    def page(self) -> Page:
        """The report's own experiment, verdicts, evidence, and the command that repeats it."""
        warning = (Notice(self.scale.warning),) if self.scale.warning else ()
        verdicts = Section(CLAIMS_TITLE, (*warning, self.summary, Claims(self.claims)))
        beside = Section(
            OBSERVATIONS_TITLE,
            (
                "Not claims of the report, and not counted among them; judged by the same rules.",
                Claims(self.observations),
            ),
        )
        again = Section(
            "How to reproduce this page",
            (
                "Every run has a seed: the same command gives the same results, times aside, with "
                "any number of processes. An interrupted one resumes.",
                Code(
                    f"python3 run.py reproduce {self.number} --claims{self.scale.options} "
                    "-o report.html --markdown report.md",
                    "sh",
                ),
            ),
        )
        besides = (beside,) if self.observations else ()
        own = (self.own,) if self.own else ()
        sections = (*own, verdicts, *besides, *self.sections, again)
        return Page(self.title, self.subtitle, sections)

    @property
    def facts(self) -> dict[str, Any]:
        """For other programs, as `claims.json` has them."""
        facts: dict[str, Any] = {
            "report": self.number,
            "title": self.title,
            "subtitle": self.subtitle,
            "quick": self.scale.quick,
            "seeds": self.scale.seeds,
            "counts": count_verdicts(self.claims),
            "summary": self.summary,
            "claims": [asdict(each) for each in self.claims],
            "observations": [asdict(each) for each in self.observations],
            "figures": self.figures,
        }
        found: dict[str, Any] = _plain(facts)
        return found


_VERBS = {
    "holds": ("holds", "hold"),
    "fails": ("fails", "fail"),
    "undecided": ("is undecided", "are undecided"),
}


def _plain(value: Any) -> Any:
    """Convert to JSON values: numbers of six digits, None for infinite and unknown ones."""
    if isinstance(value, Mapping):
        return {str(key): _plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float):
        return float(f"{value:.6g}") if math.isfinite(value) else None
    return value


def write_claims(found: Reproduced, path: Path) -> None:
    """Write `claims.json` atomically."""
    with binary_writer(path) as stream:
        text = json.dumps(found.facts, ensure_ascii=False, allow_nan=False, indent=1)
        stream.write(f"{text}\n".encode())


def folder_of(number: str) -> Path:
    """Return the folder of a report's reproduction."""
    if number not in REPORTS:
        raise StudyError(f"expected the number of a report, {', '.join(REPORTS)}, got {number!r}")
    return HERE / number


def read_toml(path: Path) -> dict[str, Any]:
    return tomllib.loads(path.read_text("utf-8"))


def published(number: str) -> dict[str, Any]:
    """Read a report's `published.toml`: its claims, and what of it only the verdicts need."""
    return read_toml(folder_of(number) / "published.toml")


def script_of(number: str) -> Any:
    """Import the module with the verdicts of a report."""
    folder = str(folder_of(number))
    if folder not in sys.path:  # where its recipes find parts of its own too
        sys.path.insert(0, folder)
    return import_module(f"verdicts_{number}")


def studies_of(number: str, scale: Scale) -> dict[str, Study]:
    """Return the studies of a report by name, at a scale.

    `quick.toml` has the changes of the quick version.
    """
    folder = folder_of(number)
    script_of(number)
    quick = read_toml(folder / "quick.toml") if scale.quick else {}
    studies: dict[str, Study] = {}
    for path in sorted((folder / "studies").glob("*.toml")):
        facts = {**read_toml(path), **quick.get(path.stem, {})}
        if scale.seeds:
            facts["seeds"] = {"first": 1, "count": scale.seeds}
        studies[path.stem] = study_of(facts, path.parent, path.stem, trust=True)
    return studies


def reproduce(
    number: str,
    scale: Scale,
    folder: str | Path,
    *,
    jobs: int = 1,
    shown: Shown = lambda _study, _path: nullcontext(),
) -> Reproduced:
    """Make the runs that are missing from the folder's stores, and judge the report's claims.

    `shown` gives what watches a study as long as it runs.
    """
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    studies = studies_of(number, scale)
    paths = {name: folder / f"{name}.db" for name in studies}
    for name, study in studies.items():
        with shown(study, paths[name]) as watch:
            own = str(folder_of(number))
            run_study(study, paths[name], jobs=jobs, progress=watch, folder=own)
    with ExitStack() as stack:
        stores = {name: stack.enter_context(Store.open(path)) for name, path in paths.items()}
        for name, store in stores.items():
            for failure in store.failures()[:1]:
                raise StudyError(f"{paths[name]}: a run failed: {failure.message}")
        return judge_report(number, scale, stores)


def judge_report(number: str, scale: Scale, stores: Mapping[str, Store]) -> Reproduced:
    """Judge the runs with a report's script, and return claims and sections of a page."""
    folder = folder_of(number)
    printed = published(number)
    found: Findings = script_of(number).findings(stores)
    claims, observations = (
        tuple(_claims(printed.get(kind, {}), found)) for kind in ("claims", "observations")
    )
    named = {each.id for each in (*claims, *observations)}
    if unknown := set(found.judgements) - named:
        raise StudyError(f"report {number}: judged, but no claim: {', '.join(sorted(unknown))}")
    title, subtitle, sections = read_page((folder / "page.md").read_text("utf-8"), found)
    return Reproduced(number, scale, title, subtitle, claims, observations, sections, found.figures)


def _claims(printed: Mapping[str, Mapping[str, str]], found: Findings) -> Iterator[Claim]:
    for name, entry in printed.items():
        each = {"because": "{because}", **entry}
        judged = found.judgements[name]
        words = {**found.words, **judged.figures, "because": judged.because}
        text, because = (each[key].format_map(words) for key in ("text", "because"))
        yield Claim(name, text, each["where"], judged.verdict, because, judged.figures)


def band(
    name: str,
    runs: NDArray[np.float64],
    colour: int | None = None,
    style: Style = "line",
    *,
    x: ArrayLike | None = None,
) -> Series:
    """Summarise `runs[run, row]` as one curve: medians with quartiles.

    `x` has the place of every row; without it they are generations 0, 1, …
    """
    low, middle, high = map(numbers, np.quantile(runs, (0.25, 0.5, 0.75), axis=0))
    places = np.arange(runs.shape[1]) if x is None else np.asarray(x)
    return Series(name, numbers(places), middle, low, high, style, colour)


_BLOCK = re.compile(r"\[\[(?P<name>[\w-]+)\]\]\s*(?P<caption>.*)", re.DOTALL)


def read_page(text: str, found: Findings) -> tuple[str, str, tuple[Section, ...]]:
    """Read the title, the line below it and the sections of a `page.md`, with all figures."""
    head, *bodies = re.split(r"^## ", text, flags=re.MULTILINE)
    title, _, subtitle = head.strip().partition("\n")
    sections = []
    for body in bodies:
        heading, _, rest = body.partition("\n")
        plain, *folded = re.split(r"^### ", rest, flags=re.MULTILINE)
        parts = list(_parts(plain, found))
        for each in folded:
            name, _, inside = each.partition("\n")
            parts.append(Details(name.strip(), tuple(_parts(inside, found))))
        sections.append(Section(heading.strip().format_map(found.words), tuple(parts)))
    return title.removeprefix("# "), " ".join(subtitle.split()), tuple(sections)


def _parts(text: str, found: Findings) -> Iterator[Part]:
    """Yield paragraphs with their values, tables and figures with captions, and notices."""
    for paragraph in filter(None, map(str.strip, re.split(r"\n\s*\n", text))):
        block = _BLOCK.fullmatch(paragraph)
        said = (block["caption"] if block else paragraph).format_map(found.words)
        if block:
            part = found.parts[block["name"]]
            if isinstance(part, Table | Figure):
                part = replace(part, caption=" ".join(said.split()))
            yield part
        elif said.startswith("> "):
            yield Notice(" ".join(line.removeprefix(">").strip() for line in said.splitlines()))
        elif said.startswith("- "):
            yield said
        elif said:
            yield " ".join(said.split())
