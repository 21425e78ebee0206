"""Studies: checking, estimating, creating, listing and deleting them; results and exports.

Requests cannot name files. `genoku.lab` checks everything else, and imports no users' own parts.
"""

from __future__ import annotations

import math
import re
import sqlite3
import tomllib
from contextlib import closing, suppress
from dataclasses import replace
from html import escape
from pathlib import Path
from typing import Any
from urllib.parse import quote

from genoku.errors import GenokuError, MissingExtraError, RecipeError, StoreError, StudyError
from genoku.evolve.presets import preset
from genoku.evolve.recipe import as_toml
from genoku.lab.estimate import Amount, Estimate, estimate
from genoku.lab.export import write_csv, write_jsonl
from genoku.lab.report.charts import FULL, HALF, BoardGallery, Chart, HeatMap, svg
from genoku.lab.report.page import Figure, HtmlWriter, Page
from genoku.lab.store import Store, driver_of, is_locked, lock
from genoku.lab.study import Study, at
from genoku.lab.studyfile import study_of
from genoku.puzzle.bundled_puzzles import bundled
from genoku.puzzle.resolve import resolve
from genoku.runtime.text import format_study_size
from genoku.runtime.toml import read_toml
from genoku.web.http_errors import ConflictError
from genoku.web.live.lanes import population_size, read_puzzle
from genoku.web.routes import studies as api
from genoku.web.study_processes import StudyFiles, study_files, study_names, without_folder

Facts = dict[str, Any]
MAX_ARMS = 500
MAX_STUDIES = 1000
MAX_PUZZLES = 500
PILOT_SECONDS = 3.0  # of pilot runs
MAX_FAILURES = 20  # shown
SECTIONS = (  # of a report that the app shows
    "Summary",
    "Success and effort",
    "Convergence and running time",
    "Final results",
    "Comparisons",
    "Boards",
)


def plan(jobs: int, asked: api.EstimateRequest, runs: int, cells: int) -> Facts:
    """Describe a planned study, with an estimate for `jobs` processes; or why it cannot be run."""
    try:
        study = _study(_study_table(asked, runs), cells)
    except GenokuError as error:
        return {"ok": False, "problem": str(error)}
    guess = replace(estimate(study, PILOT_SECONDS), cores=jobs) if asked.pilot else None
    return {"ok": True, **_plan_facts(study), "estimate": guess and _estimate(guess)}


def create(home: Path, asked: api.NewStudyRequest, runs: int, cells: int) -> None:
    """Write a study's file and its empty store; ConflictError if the name is taken."""
    files = study_files(home, asked.name)
    taken = ConflictError(f"there is already a study {files.name!r}: choose another name")
    if files.exists:
        raise taken
    if len(study_names(home)) >= MAX_STUDIES:
        raise ConflictError(f"there are already {MAX_STUDIES:,} studies: delete one first")
    facts = _study_table(asked, runs)
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
        for each in files.paths():
            each.unlink(missing_ok=True)
        raise ConflictError(f"cannot save the study: {without_folder(str(error), home)}") from None


def delete(files: StudyFiles) -> None:
    """Delete a study; ConflictError if it is running."""
    try:
        with lock(files.db):
            for each in files.paths():
                each.unlink(missing_ok=True)
    except (StoreError, OSError) as error:
        raise ConflictError(without_folder(str(error), files.folder)) from None


def listing(folder: Path, running: list[str]) -> list[Facts]:
    """List all studies of a folder. The counts of `running` ones may be outdated."""
    found = []
    for name in study_names(folder):
        try:
            files = study_files(folder, name)
            facts = _store_facts(files, name in running) if files.has_store else _file_facts(files)
            found.append({**facts, "modified": files.modified})
        except (GenokuError, OSError) as error:
            found.append(_faulty_facts(name, error, folder))
    return found


def detail(files: StudyFiles, is_ours: bool) -> Facts:
    """Describe a study, without its results."""
    try:
        if not files.has_store:
            return _file_facts(files)
        with Store.open(files.db) as store:
            study, failures = store.study, store.failures()
        shown = [
            {
                "algorithm": study.arms[each.arm].name,
                "puzzle": study.instances[each.instance].name,
                "seed": each.seed,
                "message": each.message[:500],
            }
            for each in failures[:MAX_FAILURES]
        ]
        size = sum(each.stat().st_size for each in files.paths())
        more = {"failures": shown, "bytes": size}
        return {**_store_facts(files, is_ours), **_plan_facts(study), **more}
    except (GenokuError, OSError) as error:
        return _faulty_facts(files.name, error, files.folder)


def _plan_facts(study: Study) -> Facts:
    """Return algorithms, puzzles and size of a study as plain data."""
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
            "conflicts": [f"{each}." for each in puzzle.conflicts()],
        }
        for name, puzzle in study.instances
    ]
    size = format_study_size(len(study.arms), len(study.instances), len(study.seeds))
    return {
        "question": study.question,
        "planned": len(study),
        "size": f"{size} ({study.seeds_text})",
        "algorithms": algorithms,
        "puzzles": puzzles,
        "seeds": study.seeds_text,
    }


def _faulty_facts(name: str, error: Exception, folder: Path) -> Facts:
    return {"name": name, "state": "faulty", "said": without_folder(str(error), folder)}


def _file_facts(files: StudyFiles) -> Facts:
    """A study that was put there as a file and has no store yet: counted when it is run."""
    try:
        facts = read_toml(files.toml)
    except tomllib.TOMLDecodeError as error:
        raise StudyError(f"{files.toml.name}: expected TOML: {error}") from None
    question = facts.get("question", "")
    question = question if isinstance(question, str) else ""
    return {"name": files.name, "question": question, "state": "stopped", "planned": None}


def _store_facts(files: StudyFiles, is_ours: bool) -> Facts:
    """Return the progress of a study, and who runs it."""
    counted = _count_runs(files, is_ours)
    by = driver_of(files.db) if not is_ours and is_locked(files.db) else ""
    is_over = counted["done"] + counted["failed"] >= counted["planned"]
    state = "running" if by or is_ours else "done" if is_over else "stopped"
    return {"name": files.name, **counted, "state": state, "by": by}


# By store: the version of its files when its runs were last counted, and the counts.
_counts: dict[Path, tuple[Any, Facts]] = {}


def _count_runs(files: StudyFiles, is_ours: bool) -> Facts:
    """Count the runs of a store; again only if its files changed and we do not run it."""
    version = files.version
    before, counted = _counts.get(files.db, (None, Facts()))
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
    if len(_counts) > MAX_STUDIES:
        _counts.clear()
    _counts[files.db] = version, counted
    return counted


def _study_table(plan: api.StudyPlanRequest, runs: int) -> Facts:
    """Return the table of a study's file; StudyError if it is too large."""
    puzzles = [_puzzle_table(each, place) for place, each in enumerate(plan.puzzles)]
    _refuse_too_many(plan, runs)
    shared = plan.model_dump(
        include={"question", "until", "allow_conflicts"}, exclude_defaults=True
    )
    if _accept_conflicts(plan, puzzles):
        shared["allow_conflicts"] = True
    algorithms = [_algorithm_table(each) for each in plan.algorithms]
    seeds = plan.seeds.model_dump()
    return {**shared, "seeds": seeds, "puzzles": puzzles, "algorithms": algorithms}


def _accept_conflicts(plan: api.StudyPlanRequest, puzzles: list[Facts]) -> bool:
    """Whether givens conflict, in puzzles that the presets of all algorithms accept."""
    boards = [
        resolve(each["puzzle"], box=each.get("box")).puzzle for each in puzzles if "puzzle" in each
    ]
    clashing = [each for each in boards if each.conflicts()]
    if not clashing or any(each.recipe is not None for each in plan.algorithms):
        return False
    with suppress(RecipeError):  # a preset that does not exist is refused with its place
        chosen = [preset(each.preset) for each in plan.algorithms]
        return all(each.accepts(board) for each in chosen for board in clashing)
    return False


def _algorithm_table(asked: api.AlgorithmRequest) -> Facts:
    base = {"preset": asked.preset} if asked.recipe is None else {"recipe": asked.recipe}
    more = {"name": asked.name, "set": asked.settings, "grid": asked.grid}
    return {**base, **{key: value for key, value in more.items() if value}}


def _puzzle_table(asked: api.StudyPuzzleRequest, place: int) -> Facts:
    """Return a puzzle of a study's file: a bundled name, a board, or how many to generate."""
    with at(f"puzzles[{place}]"):
        kinds = ("puzzle", "bundled", "generate")
        given = [key for key in kinds if getattr(asked, key) is not None]
        if len(given) != 1:
            raise StudyError(f"expected one of puzzle, bundled and generate, got {given or 'none'}")
        named = {"name": asked.name} if asked.name else {}
        if asked.generate is not None:
            return asked.model_dump(exclude_defaults=True, exclude={"box"})
        if asked.bundled is not None:
            if asked.bundled not in bundled():
                raise StudyError(f"expected the name of a bundled puzzle, got {asked.bundled!r}")
            return {**named, "puzzle": asked.bundled}
        # Printed by us, so that no text can be taken for a file name.
        found = read_puzzle(asked.puzzle or "", asked.box or None, asked.seed)
        named = named or ({"name": found.name} if found.name else {})
        return {**named, "puzzle": str(found.puzzle), "box": found.puzzle.geometry.box}


def _refuse_too_many(plan: api.StudyPlanRequest, runs: int) -> None:
    """Refuse studies that are too large before anything is built."""
    arms = sum(math.prod(map(len, each.grid.values())) for each in plan.algorithms)
    boards = sum(each.generate or 1 for each in plan.puzzles)
    for count, most, word in ((arms, MAX_ARMS, "algorithm"), (boards, MAX_PUZZLES, "puzzle")):
        if count > most:
            raise StudyError(f"expected up to {most:,} {word}s, got {count:,}")
    if arms * boards * plan.seeds.count > runs:
        raise StudyError(
            f"expected up to {runs:,} runs, got {format_study_size(arms, boards, plan.seeds.count)}"
        )


def _study(facts: Facts, cells: int, name: str = "study") -> Study:
    """Build the study of a table; StudyError if a population is too large."""
    study = study_of(facts, name=name)
    largest = max(each.puzzle.geometry.cells for each in study.instances)
    for arm in study.arms:
        size = population_size(arm.recipe)
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
    """Round an amount; None for infinity, which JSON lacks."""
    if amount is None:
        return None
    fields = amount._asdict().items()
    return {key: float(f"{value:.3g}") if math.isfinite(value) else None for key, value in fields}


class FragmentWriter(HtmlWriter):
    """Writer of sections for the page, whose policy forbids inline styles: charts are images."""

    def figure(self, figure: Figure) -> str:
        try:
            return super().figure(figure)
        except MissingExtraError as error:
            return f'<aside class="notice">{escape(str(error))}</aside>'

    def chart(self, chart: Chart, *, several: bool, legend: bool) -> str:
        if isinstance(chart, BoardGallery):
            return super().chart(chart, several=several, legend=legend)
        # Scripts in images do not run.
        drawn = quote(svg(chart, HALF if several else FULL, legend=legend))
        address, title = f"data:image/svg+xml;charset=utf-8,{drawn}", escape(chart.title)
        file = re.sub(r"[^a-z0-9]+", "-", chart.title.lower())[:60] or "figure"
        kind = "heat" if isinstance(chart, HeatMap) else "lines"  # where darker means more
        return (
            f'<img class="drawing {kind}" src="{address}" alt="{title}">'
            f'<a class="small" href="{address}" download="{file}.svg" '
            f'aria-label="Download as SVG: {title}">SVG</a>'
        )


def results(files: StudyFiles) -> Facts:
    """Return the sections of results as HTML, with all user text escaped."""
    writer = FragmentWriter()
    sections = [
        {"title": each.title, "html": "\n".join(writer.parts(each.parts))}
        for each in _report(files).sections
        if each.title in SECTIONS
    ]
    return {"sections": sections}


def report_html(files: StudyFiles) -> str:
    """Return the whole report as a standalone HTML page."""
    return _report(files).html()


def _report(files: StudyFiles) -> Page:
    from genoku.lab.report import report

    with Store.open(files.db) as store:
        if not store.done():
            raise StoreError("this study has no finished runs yet")
        return report(store)


def export(files: StudyFiles, kind: str, path: Path) -> None:
    """Write the runs, steps, study file or store of a study to a path."""
    if kind == "toml" and files.toml.exists():
        path.write_bytes(files.toml.read_bytes())
        return
    with Store.open(files.db) as store:
        if kind == "toml":
            path.write_text(study_toml(store.study), encoding="utf-8")
        elif kind == "db":  # a consistent copy, even while the study runs
            source = sqlite3.connect(f"{files.db.absolute().as_uri()}?mode=ro", uri=True)
            with closing(source), closing(sqlite3.connect(path)) as copy:
                source.backup(copy)
        else:
            with path.open("w", encoding="utf-8", newline="") as file:
                if kind == "jsonl":
                    write_jsonl(store, file)
                else:
                    write_csv(store, file, histories=kind == "steps")


def study_toml(study: Study) -> str:
    """Return a study as TOML, with every algorithm and puzzle in full."""
    record = study.record
    facts: Facts = {
        "name": study.name,
        "question": study.question,
        "seeds": list(study.seeds),
        "allow_conflicts": study.allow_conflicts,
        "record": {
            "fields": list(record.fields),
            "every": record.every,
            "diversity_every": record.diversity_every,
        },
        "puzzles": [
            {"name": each, "puzzle": str(puzzle), "box": puzzle.geometry.box}
            for each, puzzle in study.instances
        ],
        "algorithms": [
            {"name": arm.name, "until": arm.until, "recipe": dict(arm.recipe)} for arm in study.arms
        ],
    }
    return as_toml({key: value for key, value in facts.items() if value})
