"""Export the runs of a store to files for other programs.

CSV, JSON lines and Parquet have a row per run, or per recorded step, in the order of the plan.
Runs are read one at a time. Without clocks, studies with equal results give equal bytes.

IOHprofiler's format (https://iohprofiler.github.io/IOHanalyzer/data) is a folder that IOHanalyzer
and `iohinspector` read. An arm is an algorithm in a folder of its own, a puzzle a function, its
blanks the dimension, and every seed a run on instance 1. The cost of the best board so far is
minimised over evaluations. Readers take a row with evaluation 1 as the start of a run; if nothing
was recorded that early, it gets the worst cost of a board, so that no target is hit too soon. An
improvement counts from the end of its step.
"""

from __future__ import annotations

import csv
import json
import math
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from itertools import islice
from os import PathLike
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO, Any

import numpy as np

from genoku import __version__
from genoku.engine.history import FIELDS, INTEGER_FIELDS, History
from genoku.errors import StoreError, require_extra
from genoku.lab.store import CLOCKS, COLUMNS, REAL, Store
from genoku.lab.study import Study
from genoku.puzzle.board import Puzzle
from genoku.puzzle.formats.entries import binary_writer

__all__ = ["write_csv", "write_ioh", "write_jsonl", "write_parquet"]

Filter = Callable[[Iterable[Any]], Iterable[Any]]  # all lines pass through it: a progress bar
BATCH = 10_000  # lines of a row group in Parquet


def write_csv(
    store: Store,
    file: IO[str],
    *,
    histories: bool = False,
    clocks: bool = True,
    progress: Filter = iter,
) -> int:
    """Write CSV: a header and a line per run or recorded step; missing values are empty.

    Parameters
    ----------
    store, file
        The runs, and an open text file.
    histories
        Whether to write a line per recorded step.
    clocks
        Whether to include times, which differ between machines.
    progress
        A function that all lines pass through, such as a progress bar.

    Returns
    -------
    int
        The number of lines without the header.
    """
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(_column_names(store.study, histories, clocks))
    count = 0
    for line in progress(_rows(store, histories, clocks)):
        writer.writerow(map(_field, line))
        count += 1
    return count


def write_jsonl(
    store: Store,
    file: IO[str],
    *,
    histories: bool = False,
    clocks: bool = True,
    progress: Filter = iter,
) -> int:
    """Write JSON lines: an object per run or step; missing or infinite values are null.

    Parameters and result are those of `write_csv`.
    """
    keys = _column_names(store.study, histories, clocks)
    count = 0
    for line in progress(_rows(store, histories, clocks)):
        finite = (
            None if isinstance(each, float) and not math.isfinite(each) else each for each in line
        )
        facts = dict(zip(keys, finite, strict=True))
        file.write(json.dumps(facts, ensure_ascii=False) + "\n")
        count += 1
    return count


def write_parquet(
    store: Store,
    path: str | PathLike[str],
    *,
    histories: bool = False,
    clocks: bool = True,
    progress: Filter = iter,
) -> int:
    """Write a Parquet file, which replaces an older one when it is complete.

    Parameters and result are those of `write_csv`.
    """
    require_extra("parquet", "Parquet requires pyarrow", "pyarrow")
    import pyarrow
    from pyarrow.parquet import ParquetWriter

    schema = _schema(store.study, histories, clocks)
    text = pyarrow.string()
    lines = iter(progress(_rows(store, histories, clocks)))
    count = 0
    with binary_writer(path) as stream, ParquetWriter(stream, schema, compression="zstd") as writer:
        while batch := list(islice(lines, BATCH)):
            columns = [
                pyarrow.array(list(map(_text, column)) if kind == text else column, kind)
                for column, kind in zip(zip(*batch, strict=True), schema.types, strict=True)
            ]
            writer.write_table(pyarrow.table(columns, schema=schema))
            count += len(batch)
    return count


def _column_names(study: Study, histories: bool, clocks: bool) -> list[str]:
    if histories:
        return ["arm", "puzzle", "seed", *_select(study.record.fields, clocks)]
    names = ["arm", "puzzle", "until", "seed", *_select(COLUMNS[3:], clocks), "board", "key"]
    return [*names, *(f"set.{key}" for key in _settings(study))]


def _rows(store: Store, histories: bool, clocks: bool) -> Iterator[list[Any]]:
    study = store.study
    if histories:
        for row, history in store.histories():
            who = (study.arms[row.arm].name, study.instances[row.instance].name, row.seed)
            columns = (
                history[field].tolist() if field in INTEGER_FIELDS else map(_round, history[field])
                for field in _select(study.record.fields, clocks)
            )
            yield from ([*who, *step] for step in zip(*columns, strict=True))
        return
    settings = _settings(study)
    for row in store.rows():
        arm, (puzzle_name, puzzle) = study.arms[row.arm], study.instances[row.instance]
        yield [
            *(arm.name, puzzle_name, arm.until, row.seed),
            *(getattr(row, name) for name in _select(COLUMNS[3:], clocks)),
            str(Puzzle(puzzle.geometry, row.board)),
            row.key.hex(),
            *(arm.settings.get(key) for key in settings),
        ]


def _select(names: Iterable[str], clocks: bool) -> list[str]:
    return [name for name in names if clocks or name not in CLOCKS]


def _settings(study: Study) -> list[str]:
    return list(dict.fromkeys(key for arm in study.arms for key in arm.settings))


def _round(value: float) -> float | None:
    """Round to five digits: histories keep four."""
    return None if math.isnan(value) else float(f"{value:.5g}")


def _field(value: Any) -> Any:
    """Format a value for CSV."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return "" if value is None else _text(value) if isinstance(value, dict | list) else value


def _text(value: Any) -> str | None:
    """Format a value as text: anything but text as JSON."""
    if value is None or isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False)


def _schema(study: Study, histories: bool, clocks: bool) -> Any:
    """The names and types of all columns for pyarrow."""
    import pyarrow

    text, whole, real = pyarrow.string(), pyarrow.int64(), pyarrow.float64()
    kinds: dict[str, Any] = {"solved": pyarrow.bool_()}
    kinds |= dict.fromkeys(("arm", "puzzle", "until", "stop_reason", "board", "key"), text)
    kinds |= dict.fromkeys(
        (*REAL, *(field for field in FIELDS if field not in INTEGER_FIELDS)), real
    )
    for key in _settings(study):
        found = {type(arm.settings[key]) for arm in study.arms if key in arm.settings}
        numbers = real if float in found else whole
        kinds[f"set.{key}"] = (
            pyarrow.bool_() if found == {bool} else numbers if found <= {int, float} else text
        )
    columns = _column_names(study, histories, clocks)
    return pyarrow.schema([(name, kinds.get(name, whole)) for name in columns])


FORMAT = "0.3.8"  # of IOHexperimenter, whose layout this is
MOST_FUNCTIONS = 65_535  # readers use 16 bits
README = "README.txt"

Point = tuple[int, int]  # a number of evaluations, and the lowest cost by then


def write_ioh(store: Store, folder: str | PathLike[str], *, progress: Filter = iter) -> int:
    """Write a folder for IOHanalyzer and `iohinspector`, and return the number of runs.

    An earlier export is replaced when the new one is complete.

    Raises
    ------
    StoreError
        If the study did not record `evals` and `best_ever`, or the folder holds other files.
    """
    fields, study = store.study.record.fields, store.study
    if "evals" not in fields or not {"best", "best_ever"} & set(fields):
        raise StoreError(
            f"{store.path}: IOHprofiler requires that evals and best_ever are recorded, "
            f"got {', '.join(fields)}"
        )
    if len(study.instances) > MOST_FUNCTIONS:
        raise StoreError(
            f"{store.path}: IOHprofiler supports up to {MOST_FUNCTIONS:,} functions, "
            f"got {len(study.instances):,} puzzles"
        )
    count = 0
    pairs = [(a, i) for a in range(len(study.arms)) for i in range(len(study.instances))]
    with _replacing_folder(Path(folder)) as whole:
        for arm, instance in progress(pairs):
            place = whole / f"{arm + 1:03}-{_file_name(study.arms[arm].name)}"
            count += _write_pair(store, arm, instance, place)
        whole.joinpath(README).write_text(_readme(store), encoding="utf-8")
    return count


def trajectory(history: History, cost: int, evaluations: int, worst: int) -> list[Point]:
    """Return the points of a run: the first, every improvement, and the end.

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
    """Write the points of all runs of an algorithm on a puzzle, and a file about them."""
    algorithm, puzzle = store.study.arms[arm], store.study.instances[instance]
    function, name = instance + 1, _file_name(puzzle.name)
    blanks = puzzle.puzzle.digits.count(0)
    data = Path(f"data_f{function}_{name}") / f"IOHprofiler_f{function}_DIM{blanks}.dat"
    runs: list[dict[str, Any]] = []
    lines = ["evaluations raw_y\n"]
    worst = algorithm.fitness().worst(puzzle.puzzle.geometry)
    for row, history in store.histories(arm, instance):
        points = trajectory(history, row.cost, row.evaluations, worst)
        lines += (f"{count} {best}\n" for count, best in points)
        evaluations, lowest = points[-1]
        best = {
            "evals": next(count for count, best in points if best == lowest),
            "y": lowest,
            "x": np.frombuffer(row.board, np.uint8)[puzzle.puzzle.board == 0].tolist(),
        }
        runs.append({"instance": 1, "seed": row.seed, "evals": evaluations, "best": best})
    if not runs:
        return 0
    facts = {
        "version": FORMAT,
        "suite": store.study.name,
        "function_id": function,
        "function_name": puzzle.name,
        "maximization": False,
        "algorithm": {"name": algorithm.name, "info": f"genoku {__version__}"},
        "experiment_attributes": [{"until": algorithm.until}],
        "attributes": ["evaluations", "raw_y"],
        "scenarios": [{"dimension": blanks, "path": data.as_posix(), "runs": runs}],
    }
    info = folder / f"IOHprofiler_f{function}_{name}.json"
    (folder / data).parent.mkdir(parents=True, exist_ok=True)
    (folder / data).write_text("".join(lines), encoding="utf-8", newline="\n")
    info.write_text(json.dumps(facts, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    return len(runs)


def _file_name(name: str) -> str:
    """Replace characters that file names may not have."""
    return re.sub(r"[^A-Za-z0-9]+", "-", name).strip("-")[:60] or "unnamed"


def _readme(store: Store) -> str:
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
def _replacing_folder(folder: Path) -> Iterator[Path]:
    """Yield a new folder that replaces the old one when everything is written."""
    target = folder.resolve()
    try:
        if target.exists() and not target.is_dir():
            raise StoreError(f"{folder}: expected a folder to write, got a file")
        note = target / README
        text = note.read_text("utf-8", "replace") if note.is_file() else ""
        is_export = text.startswith("IOHprofiler data of")
        if target.exists() and any(target.iterdir()) and not is_export:
            raise StoreError(
                f"{folder}: expected a new or empty folder, or an earlier export, "
                "got one with other files in it"
            )
        prefix = f".{target.name[:100]}."
        with TemporaryDirectory("", prefix, target.parent, ignore_cleanup_errors=True) as beside:
            new, old = Path(beside, "new"), Path(beside, "old")
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
    except OSError as error:
        raise StoreError(f"{folder}: cannot be written: {error.strerror or error}") from error
