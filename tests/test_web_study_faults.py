"""Studies of the web app on full disks, and files in its folder that mean no good."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from fulldisk import nearly_full
from test_web_studies import LIMITS, QUICK, Studies
from web_server import client_of

from genoku.evolve.recipe import as_toml
from genoku.web.handlers import studies as jobs
from genoku.web.http_errors import ConflictError
from genoku.web.routes.studies import NewStudyRequest


@pytest.fixture(scope="module")
def studies(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Studies]:
    folder = tmp_path_factory.mktemp("web")
    with client_of(folder, LIMITS) as client:
        yield Studies(client, folder / "studies")


def test_hostile_files_are_faulty_lines_and_hide_no_other(studies: Studies) -> None:
    files = {
        "deep.toml": "x = " + "[" * 100_000,
        "dotted.toml": "a." * 3000 + "a = 1",
        "digits.toml": "seeds = " + "9" * 5000,
        "large.toml": "#" * 2_000_000,
    }
    studies.create("well")
    for name, text in files.items():
        (studies.folder / name).write_text(text, "utf-8")
    pipes = ("pipe.toml", "pipe2.db", "pipe3.db.lock") if hasattr(os, "mkfifo") else ()
    for name in pipes:
        os.mkfifo(studies.folder / name)
    if pipes:
        (studies.folder / "pipe3.db").touch()
    try:
        listed = {each["name"]: each["state"] for each in studies.ask("GET").json()}
        names = [name.partition(".")[0] for name in (*files, *pipes)]
        assert {name: listed[name] for name in names} == dict.fromkeys(names, "faulty")
        assert listed["well"] == "stopped"
        for name in names[: len(files)]:
            assert studies.ask("GET", f"/{name}").json()["state"] == "faulty"
    finally:
        for name in (*files, *pipes, "pipe3.db"):
            (studies.folder / name).unlink(missing_ok=True)


def test_a_study_created_on_a_full_disk_is_not_there_and_can_be_created_later(
    tmp_path: Path,
) -> None:
    body = NewStudyRequest(name="full", **QUICK)
    for left in (10, 5000):  # for half of the file, and for half of the store
        with nearly_full(left), pytest.raises(ConflictError):
            jobs.create(tmp_path, body, 1000, 10**6)
        assert not list(tmp_path.iterdir())
    jobs.create(tmp_path, body, 1000, 10**6)
    (line,) = jobs.listing(tmp_path, [])
    assert (line["state"], line["planned"]) == ("stopped", 12)


@pytest.mark.parametrize("left", [b"", b"nothing of a store"])
def test_a_study_whose_store_was_never_begun_can_be_run_and_one_that_is_damaged_cannot(
    studies: Studies, left: bytes
) -> None:
    text = as_toml({**QUICK, "puzzles": ["charles-basic"], "algorithms": ["charles"]})
    (studies.folder / "again.toml").write_text(text, "utf-8")
    (studies.folder / "again.db").write_bytes(left)
    if left:
        assert "again.db" in studies.ask("POST", "/again/run", 409).json()["detail"]
        (studies.folder / "again.db").unlink()
    assert studies.ask("GET", "/again").json()["state"] == "stopped"
    studies.ask("POST", "/again/run")
    assert studies.finished("again")["done"] == 2
    studies.ask("DELETE", "/again", 204)
