"""Tables for other programs: every run, in order, whole files or none."""

from __future__ import annotations

import csv
import gzip
import io
import json
import os
import subprocess
import sys
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import IO, Any

import numpy as np
import pytest
from runs import SMALL
from stores import TINY, filled, outcomes, small

from genoku.engine.history import FIELDS, Record
from genoku.errors import FormatError, MissingExtraError
from genoku.lab.export import write_csv, write_jsonl, write_parquet
from genoku.lab.store import CLOCKS, COLUMNS, Row, Store, unpack
from genoku.lab.study import Instance, Study, arm
from genoku.puzzle.board import Puzzle


@pytest.fixture
def store(tmp_path: Path) -> Any:
    with filled(tmp_path / "small.db", small()) as made:
        yield made


def rows_of(study: Study) -> list[Row]:
    return [each for each in outcomes(study) if isinstance(each, Row)]


def csv_of(store: Store, **options: Any) -> list[dict[str, str]]:
    file = io.StringIO()
    count = write_csv(store, file, **options)
    lines = list(csv.DictReader(io.StringIO(file.getvalue())))
    assert len(lines) == count
    return lines


def jsonl_of(store: Store, **options: Any) -> list[dict[str, Any]]:
    file = io.StringIO()
    count = write_jsonl(store, file, **options)
    lines = [json.loads(line) for line in file.getvalue().splitlines()]
    assert len(lines) == count
    return lines


def test_json_lines_hold_every_run_as_it_is_in_the_store(store: Store) -> None:
    lines = jsonl_of(store)
    study = store.study
    for line, row in zip(lines, rows_of(study), strict=True):
        assert line["arm"] == study.arms[row.arm].name
        assert line["puzzle"] == study.instances[row.instance].name
        assert line["until"] == study.arms[row.arm].until
        assert all(line[name] == getattr(row, name) for name in COLUMNS[2:])
        geometry = study.instances[row.instance].puzzle.geometry
        assert Puzzle.parse(line["board"], box=geometry).digits == row.board
        assert bytes.fromhex(line["key"]) == row.key
        assert line["set.population"] == (30 if row.arm == 0 else None)


def test_csv_says_the_same_as_json_lines(store: Store) -> None:
    words = {"true": True, "false": False, "": None}
    for fields, line in zip(csv_of(store), jsonl_of(store), strict=True):
        assert list(fields) == list(line)
        for name, value in line.items():
            read = words[fields[name]] if fields[name] in words else type(value)(fields[name])
            assert read == value


def test_histories_are_a_line_per_recorded_step(store: Store) -> None:
    lines = jsonl_of(store, histories=True)
    assert list(lines[0]) == ["arm", "puzzle", "seed", *store.study.record.fields]
    place = 0
    for row, history in store.histories():
        mine = lines[place : place + history.rows]
        place += history.rows
        assert {(line["arm"], line["puzzle"], line["seed"]) for line in mine} == {
            (store.study.arms[row.arm].name, store.study.instances[row.instance].name, row.seed)
        }
        for field, column in history.items():
            told = np.array([np.nan if line[field] is None else line[field] for line in mine])
            np.testing.assert_allclose(told, column, rtol=5e-5, equal_nan=True)
    assert place == len(lines) == len(csv_of(store, histories=True))


def test_without_times_equal_studies_give_equal_bytes(tmp_path: Path) -> None:
    study = replace(small(), record=Record(fields=tuple(FIELDS)))
    slow = [row._replace(seconds=9.9, cpu_seconds=8.8) for row in rows_of(study)]
    with (
        filled(tmp_path / "one.db", study) as one,
        Store.create(tmp_path / "two.db", study) as two,
    ):
        two.add(reversed(slow))
        for write in (write_csv, write_jsonl):
            texts = []
            for each in (one, two):
                file = io.StringIO()
                write(each, file, clocks=False)
                texts.append(file.getvalue())
            assert texts[0] == texts[1]
        assert not set(CLOCKS) & set(jsonl_of(one, clocks=False)[0])
        assert "seconds" in jsonl_of(one, histories=True)[0]
        assert "seconds" not in jsonl_of(one, histories=True, clocks=False)[0]
        assert set(CLOCKS) <= set(csv_of(one)[0])


def test_an_empty_store_is_a_header(tmp_path: Path) -> None:
    with Store.create(tmp_path / "empty.db", small()) as store:
        file = io.StringIO()
        assert write_csv(store, file) == 0
        assert file.getvalue().startswith("arm,puzzle,until,seed,solved,cost,")
        assert file.getvalue().count("\n") == 1
        assert jsonl_of(store) == []


SETTINGS: dict[str, dict[str, Any]] = {
    'commas, "quotes"\nand lines': {"population": 10},
    "ñandú": {"selection": {"use": "tournament", "size": 3}},
    "plain": {"selection": "rank", "population": 20},
}
ODD = Study(
    "odd",
    tuple(
        arm(replace(SMALL, population=9), name, until="generations=1", settings=settings)
        for name, settings in SETTINGS.items()
    ),
    (Instance("名", TINY),),
    (0, 2**63 - 1),
)


def test_odd_names_and_settings_come_through(tmp_path: Path) -> None:
    with filled(tmp_path / "odd.db", ODD) as store:
        told = jsonl_of(store)[:3]
        assert [line["arm"] for line in told] == [each.name for each in ODD.arms]
        assert [line["arm"] for line in csv_of(store)[:3]] == [each.name for each in ODD.arms]
        assert [line["set.population"] for line in told] == [10, None, 20]
        assert told[1]["set.selection"] == {"use": "tournament", "size": 3}
        shown = [line["set.selection"] for line in csv_of(store)[:3]]
        assert shown == ["", '{"use": "tournament", "size": 3}', "rank"]


def test_parquet_says_the_same_with_types(tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    for study in (small(), ODD):
        path = tmp_path / "runs.parquet"
        with filled(tmp_path / f"{study.name}.db", study) as store:
            assert write_parquet(store, path) == len(study)
            table = parquet.read_table(path)
            kinds = {
                name: str(kind)
                for name, kind in zip(table.column_names, table.schema.types, strict=True)
            }
            assert (kinds["solved"], kinds["cost"], kinds["loss"]) == ("bool", "int64", "double")
            assert (kinds["arm"], kinds["set.population"]) == ("string", "int64")
            expected = jsonl_of(store)
            for line in expected:
                if isinstance(line.get("set.selection"), dict):
                    line["set.selection"] = json.dumps(line["set.selection"])
            assert table.to_pylist() == expected
            write_parquet(store, path, histories=True, clocks=False)
            assert parquet.read_table(path).to_pylist() == jsonl_of(
                store, histories=True, clocks=False
            )


def test_parquet_is_written_in_pieces(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    monkeypatch.setattr("genoku.lab.export.BATCH", 5)
    with filled(tmp_path / "small.db", small()) as store:
        write_parquet(store, tmp_path / "runs.parquet")
        assert parquet.read_metadata(tmp_path / "runs.parquet").num_row_groups == 3
        assert parquet.read_table(tmp_path / "runs.parquet").to_pylist() == jsonl_of(store)


def test_parquet_without_pyarrow_says_what_to_install(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(MissingExtraError, match=r'pip install "genoku\[parquet\]"'):
        write_parquet(store, tmp_path / "runs.parquet")
    assert not (tmp_path / "runs.parquet").exists()


def test_an_older_file_stays_if_anything_fails(store: Store, tmp_path: Path) -> None:
    path = tmp_path / "runs.parquet"
    path.write_text("older")

    def failing(lines: Any) -> Any:
        yield next(iter(lines))
        raise OSError(28, "No space left on device")

    pytest.importorskip("pyarrow")
    with pytest.raises(FormatError):
        write_parquet(store, path, progress=failing)
    assert path.read_text() == "older"
    assert sorted(each.suffix for each in tmp_path.iterdir()) == [
        ".db",
        ".db-shm",
        ".db-wal",
        ".parquet",
    ]


# -- the command --


@pytest.fixture
def export(genoku: Any, tmp_path: Path) -> Any:
    filled(tmp_path / "small.db", small()).close()
    return lambda *words: genoku("study", "export", "small.db", *words)


def test_the_command_prints_csv(export: Any) -> None:
    said = export()
    lines = list(csv.DictReader(io.StringIO(said.out)))
    assert said.code == 0
    assert said.err == ""
    assert [line["seed"] for line in lines] == [str(row.seed) for row in rows_of(small())]


def test_a_study_file_stands_for_the_store_beside_it(genoku: Any, tmp_path: Path) -> None:
    filled(tmp_path / "small.db", small()).close()
    (tmp_path / "small.toml").write_text("seeds = 3\n")
    assert genoku("study", "export", "small.toml").out.count("\n") == len(small()) + 1


@pytest.mark.parametrize(
    ("name", "start"),
    [
        ("a.csv", b"arm,"),
        ("a.jsonl", b'{"arm"'),
        ("a.parquet", b"PAR1"),
        ("a.csv.gz", b"\x1f\x8b"),
        ("a", b"arm,"),
    ],
)
def test_the_suffix_says_the_format(export: Any, tmp_path: Path, name: str, start: bytes) -> None:
    said = export("-o", name)
    assert (said.code, said.out) == (0, "")
    assert said.err.endswith(f" {name}\n")
    assert (tmp_path / name).read_bytes().startswith(start)


def test_what_is_asked_for_is_written(export: Any, tmp_path: Path) -> None:
    export("--histories", "--no-times", "-o", "steps.csv.gz")
    lines = gzip.decompress((tmp_path / "steps.csv.gz").read_bytes()).decode().splitlines()
    steps = sum(unpack(row.history).rows for row in rows_of(small()))
    assert len(lines) == steps + 1
    assert export("--to", "jsonl", "--no-times").out.count("seconds") == 0
    assert export("--to", "ioh", "-o", "ioh").err == "wrote 12 runs to ioh\n"
    assert len(list(tmp_path.glob("ioh/*/IOHprofiler_f*.json"))) == 4


def test_runs_that_are_not_there_yet_are_counted(genoku: Any, tmp_path: Path) -> None:
    with Store.create(tmp_path / "small.db", small()) as store:
        store.add(outcomes(small())[:5])
    said = genoku("study", "export", "small.db", "-o", "some.csv")
    assert said.err == "wrote 5 runs to some.csv\n7 of 12 planned runs are missing\n"


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["--to", "parquet"], "--to parquet"),
        (["--to", "ioh"], "--to ioh"),
        (["--to", "ioh", "-o", "x", "--histories"], "--histories"),
        (["-o", "no/such/folder.csv"], "no/such/folder.csv: cannot be written: No such file"),
        (["-o", "no/such/folder.parquet"], "cannot be written: No such file"),
        (["--to", "ioh", "-o", "no/such/folder"], "cannot be written: No such file"),
        (["-o", "/dev/full"], "/dev/full: cannot be written: No space left on device"),
        (["-o", "."], ".: cannot be written"),
        (["-o", "./small.db"], "different files for STORE and -o"),
    ],
)
def test_what_cannot_be_done_is_said_in_one_line(
    export: Any, words: list[str], expected: str
) -> None:
    said = export(*words)
    assert said.code == 2
    assert expected in said.err
    assert said.out == ""


def test_a_store_that_is_none_is_said_in_one_line(genoku: Any, tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("nothing of ours")
    assert genoku("study", "export", "none.db").err == (
        "genoku: none.db: expected the results of a study, got no file\n"
    )
    assert genoku("study", "export", "notes.txt").err == (
        "genoku: notes.txt: expected the results of a study, got another file\n"
    )


def export_process(folder: Path, stdout: int | IO[str]) -> tuple[int, str]:
    """Export every step of many runs to an output; the exit code, and what was said."""
    filled(folder / "small.db", small(seeds=tuple(range(40)))).close()
    words = [sys.executable, "-m", "genoku", "study", "export", "small.db", "--histories"]
    done = subprocess.run(
        words, cwd=folder, stdout=stdout, stderr=subprocess.PIPE, text=True, check=False
    )
    return done.returncode, done.stderr


FULL = pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
NO_SPACE = (2, "genoku: standard output: No space left on device\n")


@FULL
def test_an_output_on_a_full_disk_is_named(
    genoku: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    filled(tmp_path / "small.db", small()).close()
    answers: list[tuple[int, str]] = []
    with suppress(OSError), Path("/dev/full").open("w", encoding="utf-8") as full:
        monkeypatch.setattr(sys, "stdout", full)  # which cannot be closed in peace either
        said = genoku("study", "export", "small.db", "--histories")
        answers.append((said.code, said.err))
    assert answers == [NO_SPACE]


@FULL
@pytest.mark.release
def test_a_process_ends_calmly_on_a_full_disk(tmp_path: Path) -> None:
    with Path("/dev/full").open("w", encoding="utf-8") as full:
        assert export_process(tmp_path, full) == NO_SPACE


@pytest.mark.skipif(os.name == "nt", reason="a pipe as on Unix")
def test_a_process_ends_calmly_where_its_reader_has_gone(tmp_path: Path) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    assert export_process(tmp_path, writing) == (1, "")
    os.close(writing)
