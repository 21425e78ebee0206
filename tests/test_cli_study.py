"""`genoku study`: what it says and how it ends, also when things go wrong."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest
from patience import PATIENCE
from short_studies import (
    done_in,
    everybody_is_gone,
    exported,
    genoku_process,
    short_study,
    study_file,
)

from genoku.cli.study import StudyLines
from genoku.lab.runner import RunningBatch, StudyProgress, run_study
from genoku.lab.store import Store
from genoku.lab.study import PlannedRun

OWN = """
import ctypes, pathlib, time

def picky(boards, rate, problem, rng):
    if problem.puzzle.side == 9:
        raise ValueError("nine is too much")
    return boards.copy()

def deadly(boards, rate, problem, rng):
    if problem.puzzle.side == 9:
        ctypes.string_at(0)
    return boards.copy()

def gated(boards, rate, problem, rng):
    while problem.puzzle.side == 9 and not pathlib.Path("open").exists():
        time.sleep(0.01)
    return boards.copy()

def impatient(boards, rate, problem, rng):
    if problem.puzzle.side == 9:
        raise KeyboardInterrupt
    return boards.copy()
"""


def own_study(folder: Path, part: str, seeds: int) -> None:
    """A study with a mutation of one's own, after two arms without."""
    (folder / "mine.py").write_text(OWN)
    with study_file(folder, seeds).open("a", encoding="utf-8") as file:
        file.write(f'[[algorithms]]\npreset = "sundy"\nset.mutation = "mine:{part}"\n')


def started(folder: Path, *words: str, runs: int = 5) -> subprocess.Popen[str]:
    """A study that is under way in a process of its own."""
    running = genoku_process(folder, "study", *words)
    while done_in(folder / "short.db") < runs:
        assert running.poll() is None, running.communicate()
        time.sleep(0.02)
    return running


# How it goes


def test_a_study_runs_says_what_came_of_it_and_is_not_run_again(
    genoku: Any, tmp_path: Path
) -> None:
    study_file(tmp_path, 3)
    done = genoku("study", "run", "short.toml", "--jobs", "1")
    assert done.code == 0
    head, *rows = done.out.splitlines()
    assert head.startswith("algorithm ")
    assert [row.split(",")[0] for row in rows] == ["sundy", "sundy"]
    assert "Next: genoku report short.db" in done.err
    before = genoku("study", "export", "short.db").out  # with its times
    again = genoku("study", "run", "short.toml")
    assert again.code == 0
    assert again.out == done.out
    assert genoku("study", "export", "short.db").out == before
    assert sorted(path.name for path in tmp_path.iterdir()) == ["short.db", "short.toml"]


def test_status_tells_all_as_text_and_as_json(genoku: Any, tmp_path: Path) -> None:
    study_file(tmp_path, 2)
    genoku("study", "run", "short.toml", "--jobs", "1", "--shard", "1/2")
    told = genoku("study", "status", "short.1-of-2.db")
    assert [row.split(",")[0] for row in told.out.splitlines()[1:]] == ["sundy", "sundy"]
    facts = json.loads(genoku("study", "status", "short.1-of-2.db", "--json").out)
    assert facts["planned"] == facts["done"] == 4
    assert facts["question"] in told.err
    assert facts["shard"] == "1/2"
    assert facts["running"] is None
    assert facts["failures"] == []
    assert sum(arm["runs"] for arm in facts["algorithms"]) == 4


def test_shards_that_went_into_one_store_are_counted_as_the_whole(
    genoku: Any, tmp_path: Path
) -> None:
    study_file(tmp_path, 2)
    words = ("study", "run", "short.toml", "--store", "one.db", "--jobs", "1", "--shard")
    seen = []
    for shard in ("1/3", "2/3", "3/3"):
        done = genoku(*words, shard)
        assert done.code == 0
        facts = json.loads(genoku("study", "status", "one.db", "--json").out)
        seen.append((facts["shard"], facts["done"], facts["planned"], "report" in done.err))
    assert seen == [("1/3", 3, 3, False), (None, 6, 8, False), (None, 8, 8, True)]


def test_shards_are_merged_and_what_is_missing_is_said(genoku: Any, tmp_path: Path) -> None:
    study_file(tmp_path, 3)
    for part in ("1/3", "2/3"):
        assert genoku("study", "run", "short.toml", "--shard", part, "--jobs", "1").code == 0
    merged = genoku("study", "merge", "all.db", "short.1-of-3.db", "short.2-of-3.db")
    assert merged.code == 0
    assert done_in(tmp_path / "all.db") == 8
    assert "all.db" in merged.err
    assert genoku("study", "resume", "all.db", "--jobs", "1").code == 0
    run_study(short_study(tmp_path, 3), tmp_path / "whole.db")
    assert exported(tmp_path / "all.db") == exported(tmp_path / "whole.db")


def test_a_study_is_seen_while_it_runs_and_nobody_else_may_run_it(tmp_path: Path) -> None:
    own_study(tmp_path, "gated", 3)  # no run of which ends before the gate is open
    running = started(tmp_path, "run", "short.toml", "--jobs", "2", "--trust")
    try:
        seen = genoku_process(tmp_path, "study", "status", "short.toml", "--json")
        facts = json.loads(seen.communicate(timeout=PATIENCE)[0])
        assert facts["running"] == f"process {running.pid}"
        assert 0 < facts["done"] < facts["planned"] == 18
        second = genoku_process(tmp_path, "study", "run", "short.toml", "--trust")
        _, said = second.communicate(timeout=PATIENCE)
        assert second.returncode == 2
        assert f"process {running.pid}" in said
        assert said.count("\n") == 1
        (tmp_path / "open").touch()
        _, said = running.communicate(timeout=PATIENCE)
        assert running.returncode == 0, said
        assert done_in(tmp_path / "short.db") == 18
    finally:
        if running.poll() is None:
            os.killpg(running.pid, signal.SIGKILL)
            running.communicate()


def test_runs_under_way_are_named_ever_more_seldom(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = StudyLines(short_study(tmp_path, 2), tmp_path / "short.db")
    runs = [PlannedRun(1, 0, 1), PlannedRun(0, 1, 1)]
    said = []
    for seconds in (0, 61, 90, 123, 200, 0, 61):
        silent = (RunningBatch(runs, seconds), RunningBatch(runs[:1], 3.0)) if seconds else ()
        lines(StudyProgress(8, 2, 1, 0, seconds, None, 2, silent))
        said.append("no results lately" in (told := capsys.readouterr().err))
        if seconds == 61:
            assert all(each in told for each in ("population=20 on small", "seed 1", "61 s"))
    assert said == [False, True, False, True, False, False, True]


# How it is interrupted


def test_a_study_that_was_started_with_ctrl_c_ignored_runs_on_until_it_is_terminated(
    tmp_path: Path,
) -> None:
    study_file(tmp_path, 2000, 100)
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)  # as `&` in a script does
    try:
        running = started(tmp_path, "run", "short.toml", "--jobs", "2")
    finally:
        signal.signal(signal.SIGINT, before)
    os.killpg(running.pid, signal.SIGINT)
    done = done_in(tmp_path / "short.db")
    while done_in(tmp_path / "short.db") < done + 200:
        assert running.poll() is None
        time.sleep(0.02)
    os.killpg(running.pid, signal.SIGTERM)
    _, said = running.communicate(timeout=PATIENCE)
    assert running.returncode == 143
    assert said.endswith("Resume with: genoku study resume short.db\n")
    assert everybody_is_gone(running.pid)


@pytest.mark.parametrize(
    ("number", "code", "jobs"),
    [
        (signal.SIGINT, 130, "2"),
        (signal.SIGTERM, 143, "1"),
        pytest.param(signal.SIGINT, 130, "1", marks=pytest.mark.release),
        pytest.param(signal.SIGTERM, 143, "2", marks=pytest.mark.release),
    ],
)
def test_an_interrupted_study_keeps_what_is_done_and_says_how_to_go_on(
    tmp_path: Path, number: signal.Signals, code: int, jobs: str
) -> None:
    study_file(tmp_path, 2000, 100)
    running = started(tmp_path, "run", "short.toml", "--jobs", jobs)
    os.killpg(running.pid, number)
    for _ in range(3):  # some people are impatient
        time.sleep(0.05)
        if running.poll() is None:
            os.killpg(running.pid, number)
    _, said = running.communicate(timeout=PATIENCE)
    assert running.returncode == code
    assert "Traceback" not in said
    assert said.endswith("Resume with: genoku study resume short.db\n")
    assert everybody_is_gone(running.pid)
    with Store.open(tmp_path / "short.db") as store:
        store.check()
        assert 5 <= len(store.done()) < 8000


# Parts of one's own


def test_what_fails_is_told_and_tried_again(tmp_path: Path) -> None:
    own_study(tmp_path, "picky", 3)
    running = genoku_process(tmp_path, "study", "run", "short.toml", "--jobs", "2", "--trust")
    _, said = running.communicate(timeout=PATIENCE)
    assert running.returncode == 1
    with Store.open(tmp_path / "short.db") as store:
        assert len(store.done()) == 15
        failures = store.failures()
    assert [each.seed for each in failures] == [0, 1, 2]
    for told in ("mine:picky", "ValueError: nine is too much", "mine.py:6", failures[0].message):
        assert told in said
    assert "resume short.db --trust" in said
    (tmp_path / "mine.py").write_text(OWN.replace("== 9", "== 10"))
    running = genoku_process(tmp_path, "study", "resume", "short.db", "--jobs", "2", "--trust")
    _, said = running.communicate(timeout=PATIENCE)
    assert running.returncode == 0, said
    assert "failed" not in said
    assert exported(tmp_path / "short.db").count("\n") > 18


def test_a_change_of_ones_own_part_is_said_and_its_runs_stay(tmp_path: Path) -> None:
    own_study(tmp_path, "picky", 1)
    warnings = []
    for text in (OWN.replace("== 9", "== 10"), OWN.replace("== 9", "== 11")):
        (tmp_path / "mine.py").write_text(text)
        running = genoku_process(tmp_path, "study", "run", "short.toml", "--jobs", "1", "--trust")
        _, said = running.communicate(timeout=PATIENCE)
        assert running.returncode == 0, said
        warnings.append([line for line in said.splitlines() if line.startswith("genoku: ")])
    assert [len(lines) for lines in warnings] == [0, 1]
    assert "mine.py" in warnings[1][0]
    assert done_in(tmp_path / "short.db") == 6


@pytest.mark.parametrize("jobs", ["1", pytest.param("2", marks=pytest.mark.release)])
def test_an_interrupt_that_a_part_raises_is_its_failure(tmp_path: Path, jobs: str) -> None:
    own_study(tmp_path, "impatient", 1)
    running = genoku_process(tmp_path, "study", "run", "short.toml", "--jobs", jobs, "--trust")
    _, said = running.communicate(timeout=PATIENCE)
    assert running.returncode == 1, said
    assert "mine:impatient" in said
    assert done_in(tmp_path / "short.db") == 5


@pytest.mark.parametrize("jobs", [pytest.param("1", marks=pytest.mark.release), "2"])
def test_a_part_that_takes_its_process_along_harms_no_other_run(tmp_path: Path, jobs: str) -> None:
    own_study(tmp_path, "deadly", 1)
    running = genoku_process(tmp_path, "study", "run", "short.toml", "--jobs", jobs, "--trust")
    _, said = running.communicate(timeout=PATIENCE)
    assert running.returncode == 1
    with Store.open(tmp_path / "short.db") as store:
        assert len(store.done()) == 5
        (failure,) = store.failures()
    assert (failure.arm, failure.instance) == (2, 1)
    assert "SIGSEGV" in failure.message
    assert failure.message in said
