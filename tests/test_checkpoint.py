"""A run on disk: it goes on as if it had never stopped, or says why it cannot."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from runs import BASIC, SMALL, every_algorithm, same

from genoku.engine.history import Record
from genoku.engine.run import View, resume, run
from genoku.errors import CheckpointError, RecipeError
from genoku.evolve.recipe import describe
from genoku.evolve.state import Algorithm


@every_algorithm
def test_a_resumed_run_is_the_uninterrupted_one(algorithm: Algorithm, tmp_path: Path) -> None:
    file = tmp_path / "run.ckpt"
    record = Record(individuals=True, lineage=True)
    run(BASIC, algorithm, seed=3, until="steps=5", record=record, checkpoint=file)
    resumed = resume(file, until="steps=13")
    assert same(resumed, run(BASIC, algorithm, seed=3, until="steps=13", record=record))
    assert same(resume(file, until="steps=13"), resumed)  # nothing left to do


def test_a_file_that_is_no_checkpoint_is_named(tmp_path: Path) -> None:
    file = tmp_path / "x.ckpt"
    for content in (b"", b"nonsense", b"PK\x03\x04 broken"):
        file.write_bytes(content)
        with pytest.raises(CheckpointError, match=r"x\.ckpt: "):
            resume(file)
    run(BASIC, SMALL, until="steps=2", checkpoint=file)
    whole = file.read_bytes()
    for cut in (len(whole) // 2, len(whole) - 30):
        file.write_bytes(whole[:cut])
        with pytest.raises(CheckpointError):
            resume(file)
    np.savez(tmp_path / "other.npz", a=np.arange(3))
    with pytest.raises(CheckpointError):
        resume(tmp_path / "other.npz")
    with pytest.raises(FileNotFoundError):
        resume(tmp_path / "none.ckpt")


def test_what_cannot_be_saved_is_said_before_the_run_begins(tmp_path: Path) -> None:
    nameless = replace(SMALL, mutation=lambda boards, *_: boards.copy())
    seen: list[View] = []
    with pytest.raises(RecipeError, match="lambda"):
        run(BASIC, nameless, checkpoint=tmp_path / "x", watch=seen.append)
    with pytest.raises(OSError, match="no-such-folder"):
        run(BASIC, SMALL, checkpoint=tmp_path / "no-such-folder" / "x", watch=seen.append)
    assert not seen
    assert run(BASIC, nameless, until="steps=1").steps == 1


BROKEN: dict[str, Any] = {
    "state.boards": lambda a: a[:10],
    "state.costs": lambda a: a + 1,
    "state.rng": lambda a: a[:0],
    "state.ids": lambda a: a[:3],
    "best_board": lambda a: a[:5],
    "rows": lambda a: a[:, :4],
}


@pytest.mark.parametrize("name", [*BROKEN, "values", "header"])
def test_a_checkpoint_that_does_not_hold_together_is_refused(name: str, tmp_path: Path) -> None:
    file = tmp_path / "x.ckpt"
    run(BASIC, SMALL, until="steps=2", checkpoint=file)
    with np.load(file) as saved:
        arrays = {key: saved[key] for key in saved.files}
    if name == "values":
        arrays["state.boards"] = np.full_like(arrays["state.boards"], 200)
    elif name == "header":
        text = arrays["header"].tobytes().replace(b'"best_cost": ', b'"best_cost": null, "x": ')
        arrays["header"] = np.frombuffer(text, np.uint8)
    else:
        arrays[name] = BROKEN[name](arrays[name])
    with file.open("wb") as stream_:
        np.savez(stream_, **arrays)
    with pytest.raises(CheckpointError, match=r"x\.ckpt: "):
        resume(file)


def test_a_checkpoint_follows_links_and_replaces_nothing_but_files(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "real")
    run(BASIC, SMALL, until="steps=1", checkpoint=tmp_path / "link")
    assert (tmp_path / "link").is_symlink()
    assert resume(tmp_path / "real").steps == 1
    for other in (tmp_path, Path("/dev/null")):
        with pytest.raises(CheckpointError, match="file"):
            run(BASIC, SMALL, until="steps=1", checkpoint=other)


def changed_header(file: Path, **changes: Any) -> None:
    """Write other facts into a checkpoint."""
    with np.load(file) as saved:
        arrays = {key: saved[key] for key in saved.files}
    header = json.loads(arrays["header"].tobytes()) | changes
    arrays["header"] = np.frombuffer(json.dumps(header).encode(), np.uint8)
    with file.open("wb") as stream_:
        np.savez(stream_, **arrays)


def test_a_run_is_resumed_by_every_version_that_makes_the_same_results(
    genoku: Any, tmp_path: Path
) -> None:
    file = tmp_path / "x.ckpt"
    run(BASIC, SMALL, until="steps=2", checkpoint=file)
    changed_header(file, genoku="99.0")
    assert genoku("evolve", "--resume", "x.ckpt").code in (0, 1)
    with pytest.warns(DeprecationWarning, match="any_version"):
        assert resume(file, until="steps=3", any_version=True).steps == 3


@pytest.mark.parametrize("other", [0, 2, "1", None])
def test_a_run_with_other_results_is_never_resumed(
    genoku: Any, tmp_path: Path, other: object
) -> None:
    file = tmp_path / "x.ckpt"
    run(BASIC, SMALL, until="steps=2", checkpoint=file)
    changed_header(file, results_version=other)
    with pytest.raises(CheckpointError):
        resume(file)
    for words in ((), ("--any-version",)):
        assert genoku("evolve", "--resume", "x.ckpt", *words).code == 2


def test_a_checkpoint_is_never_larger_in_memory_than_its_file(tmp_path: Path) -> None:
    file = tmp_path / "x.ckpt"
    run(BASIC, SMALL, until="steps=2", checkpoint=file)
    with np.load(file) as saved:
        arrays: dict[str, Any] = {key: saved[key] for key in saved.files}
    arrays["people"] = np.zeros((10**6, 3), np.int64)
    with file.open("wb") as stream_:
        np.savez_compressed(stream_, **arrays)
    assert file.stat().st_size < 10**6
    with pytest.raises(CheckpointError):
        resume(file)


@pytest.mark.parametrize("recipe", [{"population": 10**12}, {"use": "islands", "islands": 10**9}])
def test_nor_are_boards_made_that_are_not_in_it(recipe: dict[str, Any], tmp_path: Path) -> None:
    file = tmp_path / "x.ckpt"
    run(BASIC, SMALL, until="steps=2", checkpoint=file)
    changed_header(file, recipe={**describe(SMALL), **recipe} if len(recipe) == 1 else recipe)
    with pytest.raises(CheckpointError, match="boards"):
        resume(file)


def test_what_a_killed_process_left_is_swept_and_nothing_else(tmp_path: Path) -> None:
    dead = subprocess.Popen([sys.executable, "-c", ""])
    dead.wait()
    alive = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    try:
        left = tmp_path / f".x.0.{dead.pid}.part"
        kept = [
            tmp_path / name
            for name in (
                f".x.0.{alive.pid}.part",
                f".y.0.{dead.pid}.part",
                f"x.0.{dead.pid}.part",
                ".x.part",
                ".x.old.part",
            )
        ]
        for file in (left, *kept):
            file.touch()
        run(BASIC, SMALL, until="steps=1", checkpoint=tmp_path / "x")
        assert not left.exists()
        assert all(file.exists() for file in kept)
    finally:
        alive.communicate(b"\n")


def test_a_checkpoint_holds_no_pickle(tmp_path: Path) -> None:
    run(BASIC, SMALL, until="steps=2", checkpoint=tmp_path / "x")
    with np.load(tmp_path / "x", allow_pickle=False) as file:
        assert all(file[name].dtype != object for name in file.files)
    assert list(tmp_path.iterdir()) == [tmp_path / "x"]  # nothing half-written is left
