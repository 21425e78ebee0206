"""Tables of runs, and of their recorded steps: CSV, JSON lines and Parquet.

Runs come in the order of the plan, one at a time, so that a hundred thousand need little memory.
Without clocks, studies with equal results give equal bytes.
"""

from __future__ import annotations

import csv
import json
import math
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from os import PathLike
from typing import IO, Any

from genoku.board import Puzzle
from genoku.extras import require
from genoku.formats.writing import replacing_bytes
from genoku.history import FIELDS, WHOLE, History
from genoku.lab.results import CLOCKS, COLUMNS, REAL
from genoku.lab.store import Store
from genoku.lab.study import Study
from genoku.lab.work import Row

Line = list[Any]
Passing = Callable[[Iterable[Line]], Iterable[Line]]
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
