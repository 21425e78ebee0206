"""The five reports: what is told of them, their published reproductions, and one made here.

The pages of the documentation and their claims come with the package. A reproduction is made on
this machine only where genoku runs from a clone, which has the experiments: by a process of its
own, one at a time, which can be stopped. Its runs are kept.
"""

from __future__ import annotations

import asyncio
import json
import sys
import tomllib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, fields, replace
from functools import cache
from importlib import import_module
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, Literal

from genoku.web.drivers import within
from genoku.web.refusals import ConflictError
from genoku.workers import Actor, cores, error_text, exit_text, lower_priority

Verdict = Literal["holds", "fails", "undecided"]

PACKED = Path(__file__).parent / "reproductions"
"""Where a built package has the pages."""
CLONE = Path(__file__).parents[3]
"""The clone of the repository, if genoku runs from one."""
WRITTEN = CLONE / "docs" / "reproductions"
"""Where the pages are in a clone."""
CLAIMS, PAGE = "claims.json", "index.html"


@dataclass(frozen=True)
class Told:
    """A report: who wrote it, what it did, what it claimed."""

    number: str
    name: str
    authors: str
    title: str
    did: str
    encoding: str
    fitness: str
    operators: str
    claimed: str
    found: str
    """What stands out in the reproduction."""
    seconds: int
    """That its quick reproduction takes on two cores with little else to do."""
    presets: tuple[str, ...]
    year: int | None = None


REPORTS = {
    each["number"]: Told(**each)
    for each in tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))["reports"]
}
"""By their numbers."""


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
    names = [field.name for field in fields(Claim)]
    return tuple(Claim(**{name: each[name] for name in names}) for each in facts["claims"])


def figure(number: str, name: str) -> Path | None:
    """A drawing of a page, if it has one of that name."""
    page, place = published(number), folder()
    if page is None or place is None or name not in page.figures:
        return None
    return place / f"{number}-figures" / name


def is_in_clone() -> bool:
    """Whether reproductions can be made here."""
    return (CLONE / "reproductions" / "__main__.py").is_file()


def command_of(number: str) -> str:
    """What makes the full reproduction of a report, in a clone."""
    return f"python3 run.py reproduce {number}"


def place_of(folder: Path, number: str) -> Path:
    """Where the runs and the page of a report's reproduction are kept."""
    return folder / "reproductions" / number


@dataclass(frozen=True)
class Work:
    """How far the reproduction is that is being made, or why the last one ended without a page."""

    number: str = ""
    phase: Literal["", "starting", "running", "writing"] = ""
    study: str = ""
    done: int = 0
    planned: int = 0
    left: float | None = None
    said: str = ""


class Reproducing:
    """The reproduction that a server is at, if it is at one."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.work = Work()
        self._process: Actor | None = None
        self._finished = False
        self._stopping = False
        self._ended = asyncio.Event()

    def start(self, number: str, seeds: int | None) -> None:
        """Begin, or go on, with a report; refused while another one is at work."""
        if not is_in_clone():
            raise ConflictError(f"reproductions run in a clone of genoku: {command_of(number)}")
        if self.work.phase:
            raise ConflictError(f"the reproduction of report {self.work.number} is still at work")
        self.work = Work(number, "starting")
        self._finished = self._stopping = False
        self._ended = asyncio.Event()
        self._process = Actor(
            remake,
            *(number, seeds, str(place_of(self.folder, number))),
            name=f"reproduce-{number}",
            loop=asyncio.get_running_loop(),
            on_message=self._hear,
            on_end=self._over,
        )

    async def stop(self) -> None:
        """End it where it is; its runs are kept."""
        if self.work.phase and self._process is not None:
            self._stopping = True
            self._process.kill()
            await self._ended.wait()

    def _hear(self, change: dict[str, Any]) -> None:
        """The process says what has changed, and at its end why it has no page."""
        self._finished = "said" in change
        self.work = replace(self.work, **change)

    def _over(self) -> None:
        said = self.work.said
        if not self._finished and self._process is not None:
            died = f"its process died ({exit_text(self._process.exit_code)})"
            said = f"{'it was stopped' if self._stopping else died}; the runs so far are kept"
        self.work = replace(self.work, phase="", said=said)
        self._ended.set()


def remake(server: Connection, number: str, seeds: int | None, folder: str) -> None:
    """What the process does: all runs that are missing, then the page."""
    lower_priority()
    said = ""
    try:
        _remake(server, number, seeds, Path(folder))
    except Exception as error:  # whatever it is, a person should read it
        said = within(error_text(error), Path(folder))
    server.send({"said": said})


def _remake(server: Connection, number: str, seeds: int | None, folder: Path) -> None:
    """The reproductions beside `src` are no part of the package: they are imported from there."""
    sys.path.insert(0, str(CLONE))
    reproductions = import_module("reproductions")
    scale = reproductions.Scale(quick=True, seeds=seeds)
    sizes = {name: len(study) for name, study in reproductions.studies_of(number, scale).items()}
    before: list[int] = []

    @contextmanager
    def shown(study: Any, path: Path) -> Iterator[Callable[[Any], None]]:
        def tell(now: Any) -> None:
            change = {
                "phase": "running",
                "study": path.stem,
                "done": sum(before) + now.done,
                "planned": sum(sizes.values()),
                "left": now.left,
            }
            server.send(change)

        yield tell
        before.append(len(study))

    # Runs of other numbers of seeds are other studies, and have stores of their own.
    runs = folder / (f"seeds-{seeds}" if seeds else "quick")
    found = reproductions.reproduce(number, scale, runs, jobs=max(1, cores() - 1), shown=shown)
    server.send({"phase": "writing"})
    found.page.write_html(folder / PAGE)
    reproductions.write_claims(found, folder / CLAIMS)
