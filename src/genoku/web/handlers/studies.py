"""Studies from a page: checked, counted, tried, written down, and how far each of them is.

What comes from outside names no files; the laboratory itself checks all else, and imports nobody's
own parts.
"""

from __future__ import annotations

import math
import re
import sqlite3
import tomllib
from contextlib import closing
from dataclasses import replace
from html import escape
from pathlib import Path
from typing import Any
from urllib.parse import quote

from genoku.board import Puzzle
from genoku.collection import bundled
from genoku.errors import GenokuError, MissingExtraError, StoreError, StudyError
from genoku.lab.charts import FULL, HALF, Boards, Chart, Heat, svg
from genoku.lab.estimate import Amount, Estimate, estimate
from genoku.lab.export import write_csv, write_jsonl
from genoku.lab.page import Figure, HtmlWriter, Page
from genoku.lab.store import Store, driver_of, is_locked, locked
from genoku.lab.study import Study, at
from genoku.lab.studyfile import study_of
from genoku.recipe import as_toml
from genoku.toml import read_toml
from genoku.web.drivers import StudyFiles, files_of, names_in, within
from genoku.web.live.choice import boards_of
from genoku.web.refusals import ConflictError
from genoku.web.routes.studies import Algorithm, AskedPlan, NewStudy, Plan, StudyPuzzle
from genoku.words import runs_of

Facts = dict[str, Any]
MOST_ARMS = 500
MOST_STUDIES = 1000
MOST_PUZZLES = 500
PILOT = 3.0  # seconds of runs that are tried
FAILURES = 20  # that are told
SHOWN = (
    "Summary",
    "Success and effort",
    "How runs proceed",
    "Where runs end",
    "Comparisons",
    "Boards",
)
"""Sections of a report that the app shows."""


def plan(jobs: int, asked: AskedPlan, runs: int, cells: int) -> Facts:
    """What a study would run, and with a pilot how long by so many processes; or why it cannot."""
    try:
        study = _study(_facts(asked, runs), cells)
    except GenokuError as error:
        return {"ok": False, "problem": str(error)}
    guess = replace(estimate(study, PILOT), cores=jobs) if asked.pilot else None
    return {"ok": True, **_told(study), "estimate": guess and _estimate(guess)}


def create(folder: str, asked: NewStudy, runs: int, cells: int) -> None:
    """Write a study's file, and its store without runs; ConflictError if there is one."""
    home = Path(folder)
    files = files_of(home, asked.name)
    taken = ConflictError(f"there is a study {files.name!r} already: take another name")
    if files.exist:
        raise taken
    if len(names_in(home)) >= MOST_STUDIES:
        raise ConflictError(f"there are {MOST_STUDIES:,} studies already: delete one first")
    facts = _facts(asked, runs)
    study = _study(facts, cells, files.name)
    home.mkdir(parents=True, exist_ok=True)
    try:
        file = files.toml.open("x", encoding="utf-8")
    except FileExistsError:
        raise taken from None
    try:
        with file:
            file.write(as_toml(facts))
        Store.create(files.db, study).close()
    except (OSError, StoreError) as error:  # such as a full disk
        for each in files.present():
            each.unlink(missing_ok=True)
        raise ConflictError(f"the study cannot be kept: {within(str(error), home)}") from None


def delete(folder: str, name: str) -> None:
    """Remove a study; ConflictError if somebody is running it."""
    files = files_of(Path(folder), name)
    try:
        with locked(files.db):
            for each in files.present():
                each.unlink(missing_ok=True)
    except (StoreError, OSError) as error:
        raise ConflictError(within(str(error), Path(folder))) from None


def listing(folder: str, running: list[str]) -> list[Facts]:
    """All studies of a folder; those that a driver of ours runs only as they last were."""
    return [_listed(Path(folder), name, name in running) for name in names_in(Path(folder))]


def detail(folder: str, name: str, is_ours: bool) -> Facts:
    """All about one study but its results."""
    files = files_of(Path(folder), name)
    try:
        return _detailed(files, is_ours) if files.is_begun else _of_file(files)
    except (GenokuError, OSError) as error:
        return _faulty(name, error, Path(folder))


def _detailed(files: StudyFiles, is_ours: bool) -> Facts:
    with Store.open(files.db) as store:
        study, failures = store.study, store.failures()
    shown = [
        {
            "algorithm": study.arms[each.arm].name,
            "puzzle": study.instances[each.instance].name,
            "seed": each.seed,
            "message": each.message[:500],
        }
        for each in failures[:FAILURES]
    ]
    size = sum(each.stat().st_size for each in files.present())
    return {**_of_store(files, is_ours), **_told(study), "failures": shown, "bytes": size}


def _told(study: Study) -> Facts:
    """A plan in plain data."""
    algorithms = [
        {"name": arm.name, "until": arm.until, "settings": dict(arm.settings), "recipe": arm.recipe}
        for arm in study.arms
    ]
    puzzles = [
        {
            "name": name,
            "side": puzzle.side,
            "box": puzzle.geometry.box,
            "givens": puzzle.givens,
            "puzzle": str(puzzle),
        }
        for name, puzzle in study.instances
    ]
    size = runs_of(len(study.arms), len(study.instances), len(study.seeds))
    return {
        "question": study.question,
        "planned": len(study),
        "size": f"{size} ({study.seeds_text})",
        "algorithms": algorithms,
        "puzzles": puzzles,
        "seeds": study.seeds_text,
    }


def _listed(folder: Path, name: str, is_ours: bool) -> Facts:
    try:
        files = files_of(folder, name)
        found = _of_store(files, is_ours) if files.is_begun else _of_file(files)
        return {**found, "modified": files.modified}
    except (GenokuError, OSError) as error:
        return _faulty(name, error, folder)


def _faulty(name: str, error: Exception, folder: Path) -> Facts:
    return {"name": name, "state": "faulty", "said": within(str(error), folder)}


def _of_file(files: StudyFiles) -> Facts:
    """A study that was put there as a file and has no store yet: counted when it is run."""
    try:
        facts = read_toml(files.toml)
    except tomllib.TOMLDecodeError as error:
        raise StudyError(f"{files.toml.name}: expected TOML: {error}") from None
    question = facts.get("question", "")
    question = question if isinstance(question, str) else ""
    return {"name": files.name, "question": question, "state": "stopped", "planned": None}


def _of_store(files: StudyFiles, is_ours: bool) -> Facts:
    """How far a study is, and who is at it."""
    counted = _counted(files, is_ours)
    by = driver_of(files.db) if not is_ours and is_locked(files.db) else ""
    is_over = counted["done"] + counted["failed"] >= counted["planned"]
    state = "running" if by or is_ours else "done" if is_over else "stopped"
    return {"name": files.name, **counted, "state": state, "by": by}


_known: dict[Path, tuple[Any, Facts]] = {}
"""What was last counted in a store, and the version of its files then."""


def _counted(files: StudyFiles, is_ours: bool) -> Facts:
    """The runs of a store, counted again only if its files have changed and no driver tells."""
    version = files.version
    before, counted = _known.get(files.db, (None, Facts()))
    if before is not None and (is_ours or before == version):
        return counted
    with Store.open(files.db) as store:
        study, results, failed = store.study, store.results(), len(store.failures())
    counted = {
        "question": study.question,
        "planned": len(study),
        "done": len(results),
        "solved": int(results.solved.sum()),
        "failed": failed,
    }
    if len(_known) > MOST_STUDIES:
        _known.clear()
    _known[files.db] = version, counted
    return counted


def _facts(plan: Plan, runs: int) -> Facts:
    """A study as its file has it."""
    puzzles = [_puzzle(each, place) for place, each in enumerate(plan.puzzles)]
    _refuse_too_many(plan, runs)
    shared = plan.model_dump(
        include={"question", "until", "allow_conflicts"}, exclude_defaults=True
    )
    algorithms = [_algorithm(each) for each in plan.algorithms]
    seeds = plan.seeds.model_dump()
    return {**shared, "seeds": seeds, "puzzles": puzzles, "algorithms": algorithms}


def _algorithm(asked: Algorithm) -> Facts:
    base = {"preset": asked.preset} if asked.recipe is None else {"recipe": asked.recipe}
    more = {"name": asked.name, "set": asked.settings, "grid": asked.grid}
    return {**base, **{key: value for key, value in more.items() if value}}


def _puzzle(asked: StudyPuzzle, place: int) -> Facts:
    """A puzzle of a study's file: bundled by name, to be generated, or the board itself."""
    with at(f"puzzles[{place}]"):
        kinds = [
            key for key in ("puzzle", "bundled", "generate") if getattr(asked, key) is not None
        ]
        if len(kinds) != 1:
            raise StudyError(f"expected one of puzzle, bundled and generate, got {kinds or 'none'}")
        named = {"name": asked.name} if asked.name else {}
        if kinds == ["generate"]:
            return asked.model_dump(exclude_defaults=True, exclude={"box"})
        if kinds == ["bundled"]:
            if asked.bundled not in bundled():
                raise StudyError(f"expected the name of a bundled puzzle, got {asked.bundled!r}")
            return {**named, "puzzle": asked.bundled}
        # As it is printed, so that no text is ever taken for the name of a file.
        puzzle = Puzzle.parse(asked.puzzle or "", box=asked.box or None)
        return {**named, "puzzle": str(puzzle), "box": puzzle.geometry.box}


def _refuse_too_many(plan: Plan, runs: int) -> None:
    """Count before anything is built: a grid of grids would take for ever."""
    arms = sum(math.prod(map(len, each.grid.values())) for each in plan.algorithms)
    boards = sum(each.generate or 1 for each in plan.puzzles)
    for count, most, word in ((arms, MOST_ARMS, "algorithm"), (boards, MOST_PUZZLES, "puzzle")):
        if count > most:
            raise StudyError(f"expected up to {most:,} {word}s, got {count:,}")
    if arms * boards * plan.seeds.count > runs:
        raise StudyError(
            f"expected up to {runs:,} runs, got {runs_of(arms, boards, plan.seeds.count)}"
        )


def _study(facts: Facts, cells: int, name: str = "study") -> Study:
    """The study of a table, none of whose populations is too large."""
    study = study_of(facts, name=name)
    largest = max(each.puzzle.geometry.cells for each in study.instances)
    for arm in study.arms:
        size = boards_of(arm.recipe)
        if size * largest > cells:
            raise StudyError(
                f"{arm.name}: expected populations of up to {cells // largest:,} boards of "
                f"{largest} cells, got {size:,}"
            )
    return study


def _estimate(guess: Estimate) -> Facts:
    return {
        "seconds": _amount(guess.wall),
        "cpu_seconds": _amount(guess.cpu),
        "bytes": _amount(guess.disk),
        "cores": guess.cores,
        "pilots": guess.pilots,
        "failures": list(guess.failures),
    }


def _amount(amount: Amount | None) -> Facts | None:
    """JSON knows no infinity."""
    if amount is None:
        return None
    told = amount._asdict().items()
    return {key: float(f"{value:.3g}") if math.isfinite(value) else None for key, value in told}


# What came of a study


class Fragments(HtmlWriter):
    """Parts of a report for the app, whose policy allows no styles inside: drawings are images."""

    def figure(self, figure: Figure) -> str:
        try:
            return super().figure(figure)
        except MissingExtraError as error:
            return f'<aside class="notice">{escape(str(error))}</aside>'

    def chart(self, chart: Chart, *, several: bool, legend: bool) -> str:
        if isinstance(chart, Boards):
            return super().chart(chart, several=several, legend=legend)
        # Scripts do not run in images, whatever a drawing holds.
        drawn = quote(svg(chart, HALF if several else FULL, legend=legend))
        address, title = f"data:image/svg+xml;charset=utf-8,{drawn}", escape(chart.title)
        file = re.sub(r"[^a-z0-9]+", "-", chart.title.lower())[:60] or "figure"
        kind = "heat" if isinstance(chart, Heat) else "lines"  # where darker means more
        return (
            f'<img class="drawing {kind}" src="{address}" alt="{title}">'
            f'<a class="small" href="{address}" download="{file}.svg" '
            f'aria-label="Download as SVG: {title}">SVG</a>'
        )


def results(folder: str, name: str) -> Facts:
    """The sections of a report that say what was found, as HTML in which foreign text is text."""
    writer = Fragments()
    shown = [each for each in _report(folder, name).sections if each.title in SHOWN]
    return {
        "sections": [
            {"title": each.title, "html": "\n".join(writer.parts(each.parts))} for each in shown
        ]
    }


def report_html(folder: str, name: str) -> str:
    """The whole report, one file that needs no network."""
    return _report(folder, name).html()


def _report(folder: str, name: str) -> Page:
    from genoku.lab.report import report

    with Store.open(files_of(Path(folder), name).db) as store:
        if not store.done():
            raise StoreError("there are no runs yet, so there is nothing to show")
        return report(store)


def export(folder: str, name: str, kind: str, target: str) -> None:
    """Write a study's runs, its steps, its file or its store to a file of ours."""
    files = files_of(Path(folder), name)
    if kind == "toml" and files.toml.exists():
        Path(target).write_bytes(files.toml.read_bytes())
        return
    if kind == "db":
        _copy(files, target)
        return
    with Store.open(files.db) as store:
        if kind == "toml":
            Path(target).write_text(study_toml(store), encoding="utf-8")
            return
        with Path(target).open("w", encoding="utf-8", newline="") as file:
            if kind == "jsonl":
                write_jsonl(store, file)
            else:
                write_csv(store, file, histories=kind == "steps")


def study_toml(store: Store) -> str:
    """The study of a store as a file: every algorithm and puzzle in full."""
    study = store.study
    facts: Facts = {"name": study.name}
    facts |= {"question": study.question} if study.question else {}
    facts |= {"seeds": list(study.seeds)}
    facts |= {"allow_conflicts": True} if study.allow_conflicts else {}
    record = study.record
    facts["record"] = {
        "fields": list(record.fields),
        "every": record.every,
        "diversity_every": record.diversity_every,
    }
    facts["puzzles"] = [
        {"name": each, "puzzle": str(puzzle), "box": puzzle.geometry.box}
        for each, puzzle in study.instances
    ]
    facts["algorithms"] = [
        {"name": arm.name, "until": arm.until, "recipe": dict(arm.recipe)} for arm in study.arms
    ]
    return as_toml(facts)


def _copy(files: StudyFiles, target: str) -> None:
    """A store as it is now, also while it is written."""
    Store.open(files.db).close()  # it is one
    source = sqlite3.connect(f"{files.db.absolute().as_uri()}?mode=ro", uri=True)
    with closing(source), closing(sqlite3.connect(target)) as copy:
        source.backup(copy)
