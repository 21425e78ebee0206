"""Studies and islands on a Dask cluster of real processes."""

from __future__ import annotations

import json
import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from patience import PATIENCE
from short_studies import (
    USUAL,
    exported,
    genoku_process,
    short_study,
    study_file,
    undisturbed_export,
)
from slow_imports import Lazy

from genoku import Puzzle
from genoku.engine.run import run
from genoku.errors import GenokuError
from genoku.evolve.algorithms import Genetic, Islands
from genoku.lab.runner import Shard, dask_workers, run_study
from genoku.lab.store import Store, merge

distributed = Lazy("distributed")
SEEDS, GENERATIONS = 60, 100


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    """A scheduler, and two workers that are processes of their own."""
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, dashboard_address=":0", silence_logs=50
    ) as cluster:
        yield cluster


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> str:
    return undisturbed_export(tmp_path_factory.mktemp("undisturbed"), SEEDS, GENERATIONS)


def test_one_process_two_processes_and_three_shards_give_equal_results(
    tmp_path: Path, undisturbed: str
) -> None:
    study = short_study(tmp_path, SEEDS, GENERATIONS)
    run_study(study, tmp_path / "two.db", jobs=2)
    assert exported(tmp_path / "two.db") == undisturbed
    shards = [Shard(part, 3) for part in (1, 2, 3)]
    paths = [tmp_path / f"{shard.part}.db" for shard in shards]
    for shard, path in zip(shards, paths, strict=True):
        done = run_study(study, path, shard=shard)
        assert done.planned == done.done == len(study) // 3
    merged = merge(tmp_path / "merged.db", paths)
    assert merged.added == merged.done == merged.planned == len(study)
    assert exported(tmp_path / "merged.db") == undisturbed


def test_a_dask_worker_killed_on_the_way_costs_nothing(
    cluster: Any, tmp_path: Path, undisturbed: str
) -> None:
    study_file(tmp_path, SEEDS, GENERATIONS)
    words = ("study", "run", "short.toml", "--dask", cluster.scheduler_address)
    running = genoku_process(tmp_path, *words)
    store = tmp_path / "short.db"
    while not (store.exists() and _kept(store) > 20):
        assert running.poll() is None
        time.sleep(0.02)
    victim = next(iter(cluster.workers.values())).process.pid
    os.kill(victim, signal.SIGKILL)
    _, said = running.communicate(timeout=PATIENCE)
    assert running.returncode == 0, said
    assert "2 workers" in said
    assert exported(store) == undisturbed


def _kept(path: Path) -> int:
    try:
        with Store.open(path) as store:
            return len(store.done())
    except GenokuError:  # not all of it is there yet
        return 0


@pytest.mark.release
def test_parts_of_ones_own_reach_the_workers_by_the_name_of_their_module(
    cluster: Any, tmp_path: Path
) -> None:
    (tmp_path / "mine.py").write_text(
        "def nothing(boards, rate, problem, rng):\n    return boards.copy()\n"
    )
    study_file(tmp_path, 2)
    with (tmp_path / "short.toml").open("a") as file:
        file.write('set.mutation = "mine:nothing"\n')
    stores = []
    for name, where in (("a", ("--jobs", "2")), ("b", ("--dask", cluster.scheduler_address))):
        words = ("study", "run", "short.toml", "--store", f"{name}.db", *where, "--trust")
        running = genoku_process(tmp_path, *words)
        _, said = running.communicate(timeout=PATIENCE)
        assert running.returncode == 0, said
        stores.append(exported(tmp_path / f"{name}.db"))
    assert stores[0] == stores[1]


@pytest.mark.release
def test_a_cluster_of_its_own_does_as_well(genoku: Any, tmp_path: Path) -> None:
    study = short_study(tmp_path, 3)
    run_study(study, tmp_path / "here.db")
    running = genoku_process(
        tmp_path, "study", "run", "short.toml", "--dask", "local", "--jobs", "2"
    )
    _, said = running.communicate(timeout=PATIENCE)
    assert running.returncode == 0, said
    assert "distributed" not in said
    assert exported(tmp_path / "short.db") == exported(tmp_path / "here.db")


@pytest.mark.parametrize("address", ["tcp://127.0.0.1:9", "tcp://no.such.host:1"])
def test_a_scheduler_that_does_not_answer_is_named_in_a_line(
    genoku: Any, tmp_path: Path, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("genoku.lab.runner.CONNECT_SECONDS", 1)  # seconds
    study_file(tmp_path, 1)
    done = genoku("study", "run", "short.toml", "--dask", address)
    assert done.code == 2
    (line,) = done.err.splitlines()
    assert f"{address}: " in line
    assert not (tmp_path / "short.db.lock").exists()


def test_a_scheduler_that_goes_ends_the_study_in_words_and_loses_nothing(tmp_path: Path) -> None:
    study_file(tmp_path, 2000, GENERATIONS)
    store = tmp_path / "short.db"
    with distributed.LocalCluster(
        n_workers=1, threads_per_worker=1, dashboard_address=":0", silence_logs=50
    ) as cluster:
        words = ("study", "run", "short.toml", "--dask", cluster.scheduler_address)
        running = genoku_process(tmp_path, *words)
        while not (store.exists() and _kept(store) > 5):
            assert running.poll() is None
            time.sleep(0.02)
    _, said = running.communicate(timeout=PATIENCE)
    assert running.returncode == 2
    assert "Traceback" not in said
    assert cluster.scheduler_address in said
    assert _kept(store) > 5


def test_islands_on_dask_workers_come_to_the_same(cluster: Any) -> None:
    algorithm = Islands(Genetic(population=20), islands=3, interval=5)
    puzzle = Puzzle.parse(USUAL)
    options: dict[str, Any] = {"seed": 4, "until": "steps=6"}
    alone = run(puzzle, algorithm, **options)
    with dask_workers(cluster.scheduler_address, 1) as workers:
        spread = run(puzzle, algorithm, jobs=workers.executor, **options)
    assert np.array_equal(spread.board, alone.board)
    assert (spread.cost, spread.steps, spread.evaluations) == (
        alone.cost,
        alone.steps,
        alone.evaluations,
    )
    for name, column in alone.history.items():
        if name != "seconds":
            assert np.array_equal(column, spread.history[name], equal_nan=True)


def test_evolve_spreads_islands_and_solve_seeds_over_a_cluster(
    cluster: Any, genoku: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("genoku.engine.portfolio.SERIAL_SECONDS", 0.0)  # call the workers at once
    (tmp_path / "islands.toml").write_text(
        'use = "islands"\ninterval = 3\nislands = 2\nalgorithm = { use = "genetic" }\n'
    )
    for command, *words in (
        ("evolve", "--recipe", "islands.toml", "--until", "steps=4"),
        ("solve", "--preset", "sundy", "--seeds", "2", "--until", "generations=9"),
    ):
        alone = genoku(command, USUAL, *words, "--json")
        spread = genoku(command, USUAL, *words, "--json", "--dask", cluster.scheduler_address)
        assert alone.code == spread.code == 1
        same = [json.loads(each.out) for each in (alone, spread)]
        for clock in ("seconds", "cpu_seconds"):
            for each in same:
                each.pop(clock, None)
        assert same[0] == same[1]
    many = genoku("solve", "islands.toml", "--jsonl", "--dask", "local")
    assert many.code == 2


@pytest.mark.parametrize("address", ["nonsense", "tcp://127.0.0.1", "http://127.0.0.1:80", ""])
def test_what_is_no_address_is_refused_at_once(address: str, tmp_path: Path) -> None:
    with pytest.raises(GenokuError):
        run_study(short_study(tmp_path, 1), tmp_path / "small.db", dask=address)
    assert not (tmp_path / "small.db").exists()
