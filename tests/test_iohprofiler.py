"""IOHprofiler data: the real `iohinspector` reads what the store holds."""

from __future__ import annotations

import json
import math
import sqlite3
import warnings
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st
from runs import SMALL
from slow_imports import Lazy
from stores import ANNEALING, GENETIC, TINY, filled, outcomes, small

from genoku.engine.history import History, Record
from genoku.errors import StoreError
from genoku.lab.export import trajectory, write_ioh
from genoku.lab.statistics import ert
from genoku.lab.store import Store
from genoku.lab.study import Instance, Study, arm

pytestmark = pytest.mark.skipif(not find_spec("iohinspector"), reason="no iohinspector")
iohinspector = Lazy("iohinspector")


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Many short runs, of which some solve their puzzle; the oracle decides it in no evaluation."""
    arms = (
        arm(replace(SMALL, population=4), "genetic, 4 boards", until="generations=3"),
        ANNEALING,
        arm("exact", until="seconds=60"),
    )
    study = small(arms, seeds=tuple(range(10, 22)))
    with filled(tmp_path_factory.mktemp("ioh") / "runs.db", study) as made:
        yield made


@pytest.fixture(scope="module")
def folder(store: Store, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("out") / "ioh"
    assert write_ioh(store, folder) == len(store.study)
    return folder


def manager_of(folder: Path) -> Any:
    manager = iohinspector.DataManager()
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # which is how it says that a file is not to be read
        manager.add_folder(str(folder))
    return manager


def test_iohinspector_finds_every_run(store: Store, folder: Path) -> None:
    told = manager_of(folder).overview.to_dicts()
    rows = list(store.rows())
    assert len(told) == len(rows)
    study = store.study
    for each in told:
        mine = [
            row
            for row in rows
            if study.arms[row.arm].name == each["algorithm_name"]
            and study.instances[row.instance].name == each["function_name"]
        ]
        row = mine[each["run_id"] - 1]
        puzzle = study.instances[row.instance].puzzle
        assert each["suite"] == study.name
        assert each["function_id"] == row.instance + 1
        assert each["dimension"] == puzzle.digits.count(0)
        assert each["instance"] == 1
        assert each["evals"] == max(1, row.evaluations)
        assert each["best_y"] == row.cost
        assert each["until"] == study.arms[row.arm].until


def test_every_point_agrees_with_the_history(store: Store, folder: Path) -> None:
    manager = manager_of(folder)
    data = manager.load(monotonic=False, include_meta_data=True)
    for row, history in store.histories():
        chosen = data.filter(
            (data["algorithm_name"] == store.study.arms[row.arm].name)
            & (data["function_id"] == row.instance + 1)
            & (data["run_id"] == store.study.seeds.index(row.seed) + 1)
        )
        points = list(zip(chosen["evaluations"].to_list(), chosen["raw_y"].to_list(), strict=True))
        assert points[0][0] == 1
        assert points[-1] == (max(1, row.evaluations), row.cost)
        for count, best in zip(
            history["evals"].tolist(), history["best_ever"].tolist(), strict=True
        ):
            assert min(y for x, y in points if x <= max(1, count)) == best


def test_expected_running_times_agree_with_ours(store: Store, folder: Path) -> None:
    """Where unsolved runs all spent the same, as iohinspector takes it."""
    from iohinspector.metrics import aggregate_running_time

    manager = manager_of(folder).select(algorithms=["genetic, 4 boards"], function_ids=[1])
    data = manager.load(monotonic=True, include_meta_data=True)
    runs = store.results().of(arm=0, instance=0)
    assert 0 < runs.solved.sum() < len(runs)
    budget = runs.evaluations[~runs.solved]
    assert len(set(budget.tolist())) == 1
    table: Any = aggregate_running_time(
        data, f_min=0, f_max=10, scale_f_log=False, eval_max=int(budget[0])
    )
    solved = table[table["raw_y"] == 0]
    assert solved["success_ratio"].item() == runs.solved.mean()
    assert math.isclose(solved["ERT"].item(), ert(runs.evaluations, runs.solved))


def test_best_boards_are_the_points_that_were_found(store: Store, folder: Path) -> None:
    for info in folder.glob("*/IOHprofiler_f1_*.json"):
        facts = json.loads(info.read_text())
        for run in facts["scenarios"][0]["runs"]:
            board = TINY.board.copy()
            board[board == 0] = run["best"]["x"]
            assert TINY.is_solved_by(board) == (run["best"]["y"] == 0)
            assert run["seed"] in store.study.seeds


columns = st.lists(st.tuples(st.integers(0, 30), st.integers(0, 99)), min_size=1, max_size=30)


@given(columns, st.booleans())
def test_a_trajectory_starts_at_one_and_improves_to_the_end(
    steps: list[tuple[int, int]], best_ever: bool
) -> None:
    evals = np.cumsum([count for count, _ in steps])
    best = np.array([cost for _, cost in steps])
    lowest = np.minimum.accumulate(best)
    name, column = ("best_ever", lowest) if best_ever else ("best", best)
    spent, cost = int(evals[-1]), int(lowest[-1])
    points = trajectory(History({"evals": evals, name: column}), cost, spent, worst=100)
    counts, costs = zip(*points, strict=True)
    assert counts[0] == 1
    assert list(counts) == sorted(set(counts))
    assert counts[-1] == max(1, spent)
    assert costs[-1] == cost
    assert list(costs[:-1]) == sorted(set(costs[:-1]), reverse=True)
    for count, least in zip(evals.tolist(), lowest.tolist(), strict=True):
        until_then = min(costs[i] for i in range(len(counts)) if counts[i] <= max(1, count))
        assert until_then <= least


def test_a_study_that_is_not_finished_has_the_runs_that_are_there(tmp_path: Path) -> None:
    study = small()
    with Store.create(tmp_path / "some.db", study) as store:
        store.add(outcomes(study)[:3])
        assert write_ioh(store, tmp_path / "out") == 3
    assert len(manager_of(tmp_path / "out").overview) == 3


def test_names_that_no_file_may_have_are_kept_inside(tmp_path: Path) -> None:
    names = ("../../up", "a/b\\c:d", "ñandú “x”", "..", "x" * 300)
    arms = tuple(
        arm(GENETIC.algorithm(), name, until=f"generations={i + 1}") for i, name in enumerate(names)
    )
    study = Study("odd names", arms, (Instance("1/2", TINY),), (2**63 - 1,))
    with filled(tmp_path / "odd.db", study) as store:
        write_ioh(store, tmp_path / "out" / ".." / "out")
    manager = manager_of(tmp_path / "out")
    assert set(manager.overview["algorithm_name"]) == set(names)
    assert sorted(each.name for each in tmp_path.iterdir()) == ["odd.db", "out"]


def test_an_export_replaces_an_earlier_one_and_nothing_else(tmp_path: Path) -> None:
    with filled(tmp_path / "runs.db", small()) as store:
        write_ioh(store, tmp_path / "out")
        stale = tmp_path / "out" / "stale.json"
        stale.touch()
        write_ioh(store, tmp_path / "out")
        assert not stale.exists()
        mine = tmp_path / "mine"
        mine.mkdir()
        write_ioh(store, mine)  # empty
        other = tmp_path / "other"
        other.mkdir()
        (other / "thesis.tex").touch()
        with pytest.raises(StoreError):
            write_ioh(store, other)
        assert [each.name for each in other.iterdir()] == ["thesis.tex"]
        with pytest.raises(StoreError):
            write_ioh(store, tmp_path / "runs.db")
        with pytest.raises(StoreError):
            write_ioh(store, tmp_path / "no" / "such" / "place")
    assert sorted(each.name for each in tmp_path.iterdir()) == ["mine", "other", "out", "runs.db"]


def test_a_failed_export_leaves_the_earlier_one(tmp_path: Path) -> None:
    path = tmp_path / "runs.db"
    with filled(path, small()) as store:
        write_ioh(store, tmp_path / "out")
    before = {each: each.read_bytes() for each in (tmp_path / "out").rglob("*.*") if each.is_file()}
    connection = sqlite3.connect(path)
    connection.execute("UPDATE runs SET history=x'00' WHERE rowid=9")
    connection.commit()
    connection.close()
    with Store.open(path) as store, pytest.raises(StoreError):
        write_ioh(store, tmp_path / "out")
    after = {each: each.read_bytes() for each in (tmp_path / "out").rglob("*.*") if each.is_file()}
    assert after == before
    assert sorted(each.name for each in tmp_path.iterdir()) == ["out", "runs.db"]


def test_a_study_that_recorded_too_little_is_refused(tmp_path: Path) -> None:
    study = replace(small(), record=Record(fields=("gen", "best")))
    with (
        filled(tmp_path / "few.db", study) as store,
        pytest.raises(StoreError),
    ):
        write_ioh(store, tmp_path / "out")
    assert not (tmp_path / "out").exists()
