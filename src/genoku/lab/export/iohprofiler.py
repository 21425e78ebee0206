"""A study as IOHprofiler data: https://iohprofiler.github.io/IOHanalyzer/data.

An arm is an algorithm in a folder of its own, a puzzle a function, its blanks the dimension, and
every seed a run on instance 1. The cost of the best board so far is minimised. Effort is counted
in evaluations, which every algorithm counts. Readers take a row with evaluation 1 as the start of
a run; where nothing was recorded as early as that, it has the worst cost that a board can have, so
that no target seems to be hit before it was. A step is recorded as a whole: an improvement counts
from the end of its step on.
"""

from __future__ import annotations

import json
import re
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from genoku import __version__
from genoku.errors import StoreError
from genoku.history import History
from genoku.lab.store import Store
from genoku.lab.study import Arm, Instance
from genoku.lab.work import Row

FORMAT = "0.3.8"  # of IOHexperimenter, whose layout this is
MOST_FUNCTIONS = 65_535  # readers keep their numbers in 16 bits
NOTE = "README.txt"

Point = tuple[int, int]
"""A number of evaluations, and the lowest cost by then."""

Pairs = Iterable[tuple[int, int]]
Passing = Callable[[Pairs], Pairs]


def write_ioh(store: Store, folder: str | PathLike[str], *, passing: Passing = iter) -> int:
    """Write a folder for IOHanalyzer and `iohinspector`, which takes its place when it is whole.

    An earlier export is replaced; any other folder with something in it is left alone.
    """
    fields, study = store.study.record.fields, store.study
    if "evals" not in fields or not {"best", "best_ever"} & set(fields):
        raise StoreError(
            f"{store.path}: IOHprofiler wants evals and best_ever of every run, "
            f"got {', '.join(fields)}"
        )
    if len(study.instances) > MOST_FUNCTIONS:
        raise StoreError(
            f"{store.path}: IOHprofiler knows up to {MOST_FUNCTIONS:,} functions, "
            f"got {len(study.instances):,} puzzles"
        )
    count = 0
    pairs = [(a, i) for a in range(len(study.arms)) for i in range(len(study.instances))]
    with _replacing(Path(folder)) as whole:
        for arm, instance in passing(pairs):
            place = whole / f"{arm + 1:03}-{_plain(study.arms[arm].name)}"
            count += _write_pair(store, arm, instance, place)
        whole.joinpath(NOTE).write_text(_note(store), encoding="utf-8")
    return count


def trajectory(history: History, cost: int, evaluations: int, worst: int) -> list[Point]:
    """A run as evaluations and best costs: the first, every improvement, and the end.

    >>> steps = {"evals": np.array([40, 80, 120, 160]), "best_ever": np.array([9, 9, 4, 4])}
    >>> trajectory(History(steps), cost=4, evaluations=160, worst=216)
    [(1, 216), (40, 9), (120, 4), (160, 4)]
    """
    lowest = history["best_ever" if "best_ever" in history else "best"]
    at_once = history["evals"] <= 1
    points: list[Point] = [(1, int(lowest[at_once].min(initial=worst)))]
    for count, best in zip(history["evals"].tolist(), lowest.tolist(), strict=True):
        if count > 1 and best < points[-1][1]:
            if count == points[-1][0]:
                points.pop()
            points.append((count, best))
    last, best = points[-1]
    if evaluations > last:
        points.append((evaluations, min(best, cost)))
    return points


def _write_pair(store: Store, arm: int, instance: int, folder: Path) -> int:
    """The runs of an algorithm on a puzzle: their points, and a file that says whose they are."""
    puzzle = store.study.instances[instance]
    function, name = instance + 1, _plain(puzzle.name)
    blanks = puzzle.puzzle.digits.count(0)
    data = Path(f"data_f{function}_{name}") / f"IOHprofiler_f{function}_DIM{blanks}.dat"
    runs: list[dict[str, Any]] = []
    worst = store.study.arms[arm].fitness().worst(puzzle.puzzle.geometry)
    for row, history in store.histories(arm, instance):
        if not runs:
            (folder / data).parent.mkdir(parents=True, exist_ok=True)
            (folder / data).write_text("evaluations raw_y\n", encoding="utf-8")
        points = trajectory(history, row.cost, row.evaluations, worst)
        with (folder / data).open("a", encoding="utf-8", newline="\n") as file:
            file.writelines(f"{count} {best}\n" for count, best in points)
        runs.append(_run(row, points, puzzle))
    if runs:
        facts = _facts(store, store.study.arms[arm], puzzle, function)
        facts["scenarios"] = [{"dimension": blanks, "path": data.as_posix(), "runs": runs}]
        text = json.dumps(facts, ensure_ascii=False, indent=1)
        info = folder / f"IOHprofiler_f{function}_{name}.json"
        info.write_text(text + "\n", encoding="utf-8")
    return len(runs)


def _facts(store: Store, arm: Arm, puzzle: Instance, function: int) -> dict[str, Any]:
    return {
        "version": FORMAT,
        "suite": store.study.name,
        "function_id": function,
        "function_name": puzzle.name,
        "maximization": False,
        "algorithm": {"name": arm.name, "info": f"genoku {__version__}"},
        "experiment_attributes": [{"until": arm.until}],
        "attributes": ["evaluations", "raw_y"],
    }


def _run(row: Row, points: list[Point], instance: Instance) -> dict[str, Any]:
    reached = next(count for count, best in points if best == points[-1][1])
    board, given = np.frombuffer(row.board, np.uint8), instance.puzzle.board
    return {
        "instance": 1,
        "seed": row.seed,
        "evals": points[-1][0],
        "best": {"evals": reached, "y": points[-1][1], "x": board[given == 0].tolist()},
    }


def _plain(name: str) -> str:
    """A name as files may have it."""
    return re.sub(r"[^A-Za-z0-9]+", "-", name).strip("-")[:60] or "unnamed"


def _note(store: Store) -> str:
    return (
        f"IOHprofiler data of the study {store.study.name}, written by genoku {__version__}.\n\n"
        "One folder per algorithm, one function per puzzle. The dimension is the number of\n"
        "blanks; evaluations are boards evaluated; raw_y is the lowest cost so far, and 0 is\n"
        "solved. Evaluation 1 starts a run: unless a cost was recorded there, it has the\n"
        "worst that a board can have. This folder is replaced by the next export to it.\n\n"
        "  from iohinspector import DataManager\n"
        "  manager = DataManager()\n"
        '  manager.add_folder("FOLDER")\n'
    )


@contextmanager
def _replacing(folder: Path) -> Iterator[Path]:
    """A new folder that takes its place only when all is written."""
    target = folder.resolve()
    try:
        if target.exists() and not target.is_dir():
            raise StoreError(f"{folder}: expected a folder to write, got a file")
        if target.exists() and any(target.iterdir()) and not _is_export(target):
            raise StoreError(
                f"{folder}: expected a new or empty folder, or an earlier export, "
                "got one with other files in it"
            )
        beside = Path(tempfile.mkdtemp(dir=target.parent, prefix=f".{target.name[:100]}."))
        try:
            new, old = beside / "new", beside / "old"
            new.mkdir()
            yield new
            if target.exists():
                target.rename(old)
            try:
                new.rename(target)
            except OSError:
                if old.exists():
                    old.rename(target)
                raise
        finally:
            with suppress(OSError):
                shutil.rmtree(beside)
    except OSError as error:
        raise StoreError(f"{folder}: cannot be written: {error.strerror or error}") from error


def _is_export(folder: Path) -> bool:
    note = folder / NOTE
    return note.is_file() and note.read_text("utf-8", "replace").startswith("IOHprofiler data of")
