"""genoku study where a file is no store, damaged, of another version, or a disk is full."""

from __future__ import annotations

import json
import os
import resource
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from short_studies import done_in, exported, short_study, study_file
from stores import altered

from genoku.errors import StoreError
from genoku.lab.runner import run_study


# What is no store, or cannot be written
def test_a_full_disk_loses_nothing(tmp_path: Path) -> None:
    study_file(tmp_path, 200, 20)
    words = [sys.executable, "-m", "genoku", "study", "run", "short.toml", "--jobs", "1"]
    limit = 150_000

    def little_room() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

    options: dict[str, Any] = {"cwd": tmp_path, "capture_output": True, "timeout": 120}
    full = subprocess.run(words, preexec_fn=little_room, check=False, text=True, **options)
    assert full.returncode == 2
    assert "Traceback" not in full.stderr
    assert "genoku: short.db: " in full.stderr
    kept = done_in(tmp_path / "short.db")
    assert 0 < kept < 800
    subprocess.run(words, check=True, **options)
    run_study(short_study(tmp_path, 200, 20), tmp_path / "whole.db")
    assert exported(tmp_path / "short.db") == exported(tmp_path / "whole.db")


def damaged(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[4096:] = os.urandom(len(data) - 4096)
    path.write_bytes(data)


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:5000])


def of_the_future(path: Path) -> None:
    altered(path, "PRAGMA user_version=99")


def with_other_results(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection, connection:
        (text,) = connection.execute("SELECT value FROM meta WHERE name='study'").fetchone()
        changed = json.dumps({**json.loads(text), "results_version": 2})
        connection.execute("UPDATE meta SET value=? WHERE name='study'", (changed,))
        connection.execute("DELETE FROM meta WHERE name='study_checksum'")


def another_database(path: Path) -> None:
    path.unlink()
    altered(path, "CREATE TABLE mine (x)")


def some_text(path: Path) -> None:
    path.write_text("puzzles = []\n" * 100)


def test_runs_with_other_results_can_be_read_but_not_added_to(genoku: Any, tmp_path: Path) -> None:
    path = tmp_path / "short.db"
    run_study(short_study(tmp_path, 2), path)
    with_other_results(path)
    before = path.read_bytes()
    told = genoku("study", "status", "short.db", "--json")
    assert told.code == 0
    assert json.loads(told.out)["done"] == 8
    assert len(genoku("study", "export", "short.db").out.splitlines()) == 9
    for command in (
        ("run", "short.toml", "--jobs", "1"),
        ("resume", "short.db", "--jobs", "1"),
        ("merge", "new.db", "short.db"),
    ):
        done = genoku("study", *command)
        assert done.code == 2, command
        assert len(done.err.splitlines()) == 1
    assert path.read_bytes() == before
    assert not (tmp_path / "new.db").exists()


def test_another_study_does_not_replace_the_one_of_a_store(genoku: Any, tmp_path: Path) -> None:
    run_study(short_study(tmp_path, 1), tmp_path / "short.db")
    other = study_file(tmp_path, 1, generations=3).rename(tmp_path / "other.toml")
    done = genoku("study", "run", str(other), "--store", "short.db")
    assert done.code == 2
    assert "'short'" in done.err
    assert "'other'" in done.err


@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        (damaged, "the file is damaged"),
        (cut, "the file is damaged"),
        (of_the_future, "got version 99"),
        (another_database, "got another database"),
        (some_text, "got another file"),
    ],
)
def test_what_is_no_store_of_ours_is_named_and_left_as_it_is(
    genoku: Any, tmp_path: Path, spoil: Any, words: str
) -> None:
    study = short_study(tmp_path, 2)
    path = tmp_path / "short.db"
    run_study(study, path)
    spoil(path)
    before = path.read_bytes()
    for command in (
        ("run", "short.toml", "--jobs", "1"),
        ("resume", "short.db", "--jobs", "1"),
        ("status", "short.db"),
        ("merge", "new.db", "short.db"),
    ):
        done = genoku("study", *command)
        assert done.code == 2, command
        (line,) = done.err.splitlines()
        assert words in line
        assert path.read_bytes() == before
    assert not (tmp_path / "new.db").exists()
    assert not (tmp_path / "short.db.lock").exists()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("run", "none.toml"), "none.toml"),
        (("run", "short.db"), "expected a study file, got a store"),
        (("run", "short.toml", "--shard", "0/3"), "expected a shard from 1/n to n/n"),
        (("run", "short.toml", "--shard", f"1/{10**20}"), "expected a shard from 1/n to n/n"),
        (("run", "short.toml", "--shard", f"1/{'9' * 5000}"), "expected a shard from 1/n to n/n"),
        (("run", "short.toml", "--store", "no/folder.db"), "no/folder.db"),
        (("resume", "none.db"), "none.db: expected the results of a study, got no file"),
        (("resume", "."), "got a folder"),
        (("status", "mine.toml"), "expected the results of a study"),
        (("merge", "out.db", "none.db"), "none.db: expected the results of a study"),
        (("merge", "short.db", "short.db"), "got itself"),
    ],
)
def test_what_makes_no_sense_is_refused_in_a_line(
    genoku: Any, tmp_path: Path, words: tuple[str, ...], said: str
) -> None:
    run_study(short_study(tmp_path, 1), tmp_path / "short.db")
    (tmp_path / "mine.toml").write_text("puzzles = []")
    before = sorted(path.name for path in tmp_path.iterdir())
    done = genoku("study", *words)
    assert done.code == 2
    (line,) = done.err.splitlines()
    assert said in line
    assert sorted(path.name for path in tmp_path.iterdir()) == before


def test_dask_that_is_not_installed_is_named_with_its_cure(
    genoku: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    study_file(tmp_path, 1)
    monkeypatch.setitem(sys.modules, "distributed", None)
    done = genoku("study", "run", "short.toml", "--dask", "local")
    assert done.code == 2
    assert done.err == 'genoku: --dask requires Dask distributed: pip install "genoku[cluster]"\n'


def test_a_store_in_no_folder_is_refused_by_the_folders_name(tmp_path: Path) -> None:
    study = short_study(tmp_path, 1, 1)
    with pytest.raises(StoreError) as refused:
        run_study(study, tmp_path / "nowhere" / "m.db")
    assert str(tmp_path / "nowhere" / "m.db:") in str(refused.value)
    assert str(tmp_path / "nowhere") in str(refused.value).partition(": ")[2]
