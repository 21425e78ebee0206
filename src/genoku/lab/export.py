"""The runs of a store as files for other programs.

CSV, JSON lines and Parquet have a row per run, or per recorded step. Runs come in the order of the
plan, one at a time, so that a hundred thousand need little memory. Without clocks, studies with
equal results give equal bytes.

IOHprofiler's own format (https://iohprofiler.github.io/IOHanalyzer/data) is a folder that its
analyzer and `iohinspector` read. An arm is an algorithm in a folder of its own, a puzzle a
function, its blanks the dimension, and every seed a run on instance 1. The cost of the best board
so far is minimised. Effort is counted in evaluations, which every algorithm counts. Readers take a
row with evaluation 1 as the start of a run; where nothing was recorded as early as that, it has the
worst cost that a board can have, so that no target seems to be hit before it was. A step is
recorded as a whole: an improvement counts from the end of its step on.
"""

from __future__ import annotations

import csv
import json
import math
import re
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from itertools import islice
from os import PathLike
from pathlib import Path
from typing import IO, Any

import numpy as np

from genoku import __version__
from genoku.board import Puzzle
from genoku.engine.history import FIELDS, WHOLE, History
from genoku.errors import StoreError, require
from genoku.formats.entries import replacing_bytes
from genoku.lab.store import CLOCKS, COLUMNS, REAL, Row, Store
from genoku.lab.study import Arm, Instance, Study

__all__ = ["write_csv", "write_ioh", "write_jsonl", "write_parquet"]

Line = list[Any]
Passing = Callable[[Iterable[Any]], Iterable[Any]]
"""Something that sees every line go by, such as a progress bar."""

WHO = ("arm", "puzzle", "seed")
BATCH = 10_000  # lines that Parquet keeps together


def write_csv(
    store: Store,
    file: IO[str],
    *,
    histories: bool = False,
    clocks: bool = True,
    passing: Passing = iter,
) -> int:
    """Write a header and a line per run, or per step; what there is not is an empty field."""
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(names(store.study, histories=histories, clocks=clocks))
    count = 0
    for line in passing(lines(store, histories=histories, clocks=clocks)):
        writer.writerow([_field(value) for value in line])
        count += 1
    return count


def write_jsonl(
    store: Store,
    file: IO[str],
    *,
    histories: bool = False,
    clocks: bool = True,
    passing: Passing = iter,
) -> int:
    """Write an object per run, or per step, each on a line; what there is not is null."""
    keys = names(store.study, histories=histories, clocks=clocks)
    count = 0
    for line in passing(lines(store, histories=histories, clocks=clocks)):
        told = {key: _finite(value) for key, value in zip(keys, line, strict=True)}
        file.write(json.dumps(told, ensure_ascii=False) + "\n")
        count += 1
    return count


def write_parquet(
    store: Store,
    path: str | PathLike[str],
    *,
    histories: bool = False,
    clocks: bool = True,
    passing: Passing = iter,
) -> int:
    """Write a Parquet file, which takes its place when it is whole."""
    require("parquet", "Parquet needs pyarrow", "pyarrow")
    import pyarrow
    from pyarrow.parquet import ParquetWriter

    schema = _schema(store.study, histories=histories, clocks=clocks)
    as_text = [
        name.startswith("set.") and kind == pyarrow.string()
        for name, kind in zip(schema.names, schema.types, strict=True)
    ]
    told = iter(passing(lines(store, histories=histories, clocks=clocks)))
    count = 0
    with (
        replacing_bytes(path) as stream,
        ParquetWriter(stream, schema, compression="zstd") as writer,
    ):
        while batch := list(islice(told, BATCH)):
            columns = [
                pyarrow.array([_text(value) for value in column] if plain else column, kind)
                for column, kind, plain in zip(
                    zip(*batch, strict=True), schema.types, as_text, strict=True
                )
            ]
            writer.write_table(pyarrow.table(columns, schema=schema))
            count += len(batch)
    return count


def names(study: Study, *, histories: bool = False, clocks: bool = True) -> list[str]:
    """The columns of a table."""
    if histories:
        return [*WHO, *_fields(study, clocks)]
    kept = [name for name in COLUMNS[3:] if clocks or name not in CLOCKS]
    settings = [f"set.{key}" for key in _settings(study)]
    return ["arm", "puzzle", "until", "seed", *kept, "board", "key", *settings]


def lines(store: Store, *, histories: bool = False, clocks: bool = True) -> Iterator[Line]:
    """The lines of a table, with the values of its columns."""
    if histories:
        for row, history in store.histories():
            yield from _steps(store.study, row, history, clocks)
        return
    kept = [name for name in COLUMNS[3:] if clocks or name not in CLOCKS]
    settings = _settings(store.study)
    for row in store.rows():
        arm, (puzzle_name, puzzle) = store.study.arms[row.arm], store.study.instances[row.instance]
        yield [
            *(arm.name, puzzle_name, arm.until, row.seed),
            *(getattr(row, name) for name in kept),
            str(Puzzle(puzzle.geometry, row.board)),
            row.key.hex(),
            *(arm.settings.get(key) for key in settings),
        ]


def _steps(study: Study, row: Row, history: History, clocks: bool) -> Iterator[Line]:
    who = (study.arms[row.arm].name, study.instances[row.instance].name, row.seed)
    columns = [
        history[field].tolist()
        if field in WHOLE
        else [_short(value) for value in history[field].tolist()]
        for field in _fields(study, clocks)
    ]
    for step in zip(*columns, strict=True):
        yield [*who, *step]


def _fields(study: Study, clocks: bool) -> list[str]:
    return [field for field in study.record.fields if clocks or field not in CLOCKS]


def _settings(study: Study) -> list[str]:
    """Everything that some grid sets."""
    return list(dict.fromkeys(key for arm in study.arms for key in arm.settings))


def _short(value: float) -> float | None:
    """A recorded number to the four digits that are kept of it, and one for rounding."""
    return None if math.isnan(value) else float(f"{value:.5g}")


def _field(value: Any) -> Any:
    """A value as CSV shows it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return "" if value is None else _text(value) if isinstance(value, dict | list) else value


def _finite(value: Any) -> Any:
    """JSON knows no infinity."""
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _text(value: Any) -> str | None:
    """A setting as text: a part as JSON."""
    if value is None or isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False)


def _schema(study: Study, *, histories: bool, clocks: bool) -> Any:
    """The types of all columns, as pyarrow says them."""
    import pyarrow

    text, whole, real = pyarrow.string(), pyarrow.int64(), pyarrow.float64()
    kinds: dict[str, Any] = {"solved": pyarrow.bool_()}
    kinds |= dict.fromkeys(("arm", "puzzle", "until", "stop_reason", "board", "key"), text)
    kinds |= dict.fromkeys((*REAL, *(field for field in FIELDS if field not in WHOLE)), real)
    for key in _settings(study):
        found = {type(arm.settings[key]) for arm in study.arms if key in arm.settings}
        numbers = real if float in found else whole
        kinds[f"set.{key}"] = (
            pyarrow.bool_() if found == {bool} else numbers if found <= {int, float} else text
        )
    columns = names(study, histories=histories, clocks=clocks)
    return pyarrow.schema([(name, kinds.get(name, whole)) for name in columns])


FORMAT = "0.3.8"  # of IOHexperimenter, whose layout this is
MOST_FUNCTIONS = 65_535  # readers keep their numbers in 16 bits
NOTE = "README.txt"

Point = tuple[int, int]
"""A number of evaluations, and the lowest cost by then."""


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
