"""The runner: batches, failures, dead workers, one driver at a time."""

from __future__ import annotations

import json
import os
import signal
import threading
import time
from collections import Counter
from concurrent.futures import BrokenExecutor, ProcessPoolExecutor, ThreadPoolExecutor
from itertools import product
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, strategies as st
from patience import PATIENCE
from short_studies import SMALL, end, exported, rows_of, short_study

from genoku.errors import GenokuError, StoreError, StudyError
from genoku.lab.runner import (
    BATCH_SECONDS,
    MAX_DEATHS,
    MAX_KILLS,
    Batch,
    BatchQueue,
    RunTimes,
    Shard,
    StudyProgress,
    run_study,
)
from genoku.lab.store import Row, Store, is_locked, lock, merge
from genoku.lab.study import Arm, Instance, PlannedRun, Study, arm
from genoku.puzzle.board import Puzzle
from genoku.runtime.workers import WorkerDiedError, WorkerPool

SPAWN = get_context("spawn")  # a fork of this process, which has threads, may never wake up

# Shards


ARM, INSTANCE = arm("sundy"), Instance("small", Puzzle.parse(SMALL))


@given(count=st.integers(1, 200), of=st.integers(1, 30))
def test_every_run_is_in_exactly_one_shard(count: int, of: int) -> None:
    study = Study("any", (ARM,), (INSTANCE,), tuple(range(count)))
    parts = [Shard(part, of) for part in range(1, of + 1)]
    shards = [list(part.runs(study)) for part in parts]
    assert sorted(run for shard in shards for run in shard) == sorted(study.runs())
    counts = [part.count(study) for part in parts]
    assert counts == [len(shard) for shard in shards]
    assert max(counts) - min(counts) <= 1


def test_a_shard_has_something_of_every_arm() -> None:
    arms = tuple(arm("sundy", str(size), settings={"population": size}) for size in (10, 20, 30))
    study = Study("three", arms, (INSTANCE,), tuple(range(30)))
    for part in (1, 2, 3):
        counts = Counter(planned.arm for planned in Shard(part, 3).runs(study))
        assert sorted(counts) == [0, 1, 2]


@pytest.mark.parametrize("text", ["0/3", "4/3", "2", "a/b", "1/0", "-1/3", "1/3/5", ""])
def test_a_shard_that_is_none_is_refused(text: str) -> None:
    with pytest.raises(StudyError):
        Shard.parse(text)


# Batches


def row(arm: int, seed: int, seconds: float) -> Row:
    counts = (0, 0, 0.0, 0.0, 1, 1, 0)
    return Row(b"", arm, 0, seed, True, *counts, seconds, seconds, "solved", b"", b"")


@given(
    times=st.lists(st.floats(1e-5, 5.0), min_size=1, max_size=5),
    seeds=st.integers(1, 200),
    deaths=st.lists(st.booleans(), max_size=60),
)
def test_whatever_dies_every_run_comes_back_once_and_the_innocent_are_never_blamed(
    times: list[float], seeds: int, deaths: list[bool]
) -> None:
    arms = len(times)
    plan = [PlannedRun(arm, 0, seed) for seed, arm in product(range(seeds), range(arms))]
    guilty = {plan[len(plan) // 3]}
    run_times = RunTimes()
    run_times.left.update(planned.arm for planned in plan)
    queue = BatchQueue(iter(plan), run_times)
    done: list[PlannedRun] = []
    blamed: list[PlannedRun] = []
    killers = iter(deaths)
    flying: list[Batch] = []
    while True:
        while len(flying) < 4 and (batch := queue.next(bool(flying))) is not None:
            flying.append(batch)
        if not flying:
            break
        batch = flying.pop(0)
        is_guilty = bool(guilty & set(batch.runs))
        if is_guilty or next(killers, False):
            error = WorkerDiedError(-signal.SIGSEGV if is_guilty else -9)
            if queue.blame(batch, error):
                blamed += batch.runs
        else:
            run_times.add(row(each.arm, each.seed, times[each.arm]) for each in batch.runs)
            done += batch.runs
            assert len(batch.runs) == 1 or sum(times[r.arm] for r in batch.runs) < 2 * BATCH_SECONDS
        queue.finish(batch)
    assert sorted(done + blamed) == sorted(plan)
    assert set(blamed) == guilty
    assert run_times.left.total() == 1


def test_short_runs_go_out_together_and_long_ones_alone() -> None:
    plan = [PlannedRun(seed % 2, 0, seed) for seed in range(4000)]
    run_times = RunTimes()
    run_times.add(row(0, seed, 0.001) for seed in range(1000))
    run_times.add(row(1, seed, 60.0) for seed in range(3))
    queue = BatchQueue(iter(plan), run_times)
    sizes = [len(batch.runs) for batch in iter(lambda: queue.next(True), None)]
    assert sizes == [1] * 4000
    queue = BatchQueue((each for each in plan if each.arm == 0), run_times)
    first = queue.next(False)
    assert first is not None
    assert 499 <= len(first.runs) <= 501


def test_the_last_try_of_a_suspect_is_made_when_nothing_else_runs() -> None:
    queue = BatchQueue(iter([PlannedRun(0, 0, seed) for seed in range(9)]), RunTimes())
    suspect = queue.next(False)
    assert suspect is not None
    waits = None
    for _ in range(MAX_DEATHS - 1):
        assert queue.blame(suspect, BrokenExecutor()) == ""
        queue.finish(suspect)
        waits = queue.next(True)
        suspect = waits or queue.next(False)
        assert suspect is not None
    assert waits is None
    assert queue.next(True) is None
    assert queue.next(False) is None
    assert queue.blame(suspect, BrokenExecutor()), "which is given up, and why"
    queue.finish(suspect)
    assert queue.next(False) is not None
    assert MAX_KILLS > MAX_DEATHS


# Studies


def test_a_study_is_run_once_and_what_is_there_is_not_run_again(tmp_path: Path) -> None:
    study, path = short_study(tmp_path, 3), tmp_path / "short.db"
    told: list[StudyProgress] = []
    done = run_study(study, path, progress=told.append)
    assert done[:4] == (12, 12, done.solved, 0)
    assert told[0].done == 0
    assert told[-1].done == 12
    before = exported(path)
    stamp = [row.seconds for row in rows_of(path)]
    again = run_study(study, path, jobs=2)
    assert again.done == 12
    assert again.workers == 0
    assert exported(path) == before
    assert [row.seconds for row in rows_of(path)] == stamp


def test_a_study_that_has_grown_keeps_its_runs(tmp_path: Path) -> None:
    path = tmp_path / "short.db"
    run_study(short_study(tmp_path, 2), path)
    stamps = {row.key: row.seconds for row in rows_of(path)}
    run_study(short_study(tmp_path, 4), path)
    rows = {row.key: row.seconds for row in rows_of(path)}
    assert len(rows) == 16
    assert stamps.items() <= rows.items()


def test_any_executor_makes_the_same_runs(tmp_path: Path) -> None:
    study = short_study(tmp_path, 4)
    run_study(study, tmp_path / "here.db")
    with ThreadPoolExecutor(2) as threads:
        run_study(study, tmp_path / "threads.db", executor=threads)
    with ProcessPoolExecutor(2, SPAWN) as processes:
        run_study(study, tmp_path / "processes.db", executor=processes)
    assert exported(tmp_path / "threads.db") == exported(tmp_path / "here.db")
    assert exported(tmp_path / "processes.db") == exported(tmp_path / "here.db")


class Elsewhere(ThreadPoolExecutor):
    """Workers whose genoku makes other results, as far as they can tell."""

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Any:
        text, *others = args
        facts = json.loads(text) | {"results_version": 2}
        return super().submit(fn, json.dumps(facts), *others, **kwargs)


def test_workers_with_other_results_end_a_study_in_words(tmp_path: Path) -> None:
    study, path = short_study(tmp_path, 2), tmp_path / "short.db"
    with Elsewhere(1) as workers, pytest.raises(StudyError):
        run_study(study, path, executor=workers)
    with Store.open(path) as store:
        assert not store.done()
        assert not store.failures()
    assert run_study(study, path).done == 8


def test_an_executor_that_breaks_keeps_what_was_done(tmp_path: Path) -> None:
    study, path = short_study(tmp_path, 2), tmp_path / "short.db"
    with ProcessPoolExecutor(1, SPAWN) as workers:
        with pytest.raises(BrokenExecutor):
            workers.submit(end, 1).result(PATIENCE)
        with pytest.raises(GenokuError):
            run_study(study, path, executor=workers)
    assert run_study(study, path).done == 8


def test_a_second_driver_is_told_who_the_first_one_is(tmp_path: Path) -> None:
    study, path = short_study(tmp_path, 3), tmp_path / "short.db"
    seen: list[str] = []

    def try_as_well(_now: StudyProgress) -> None:
        if not seen:
            assert is_locked(path)
            with pytest.raises(StoreError) as refused:
                run_study(study, path)
            seen.append(str(refused.value))

    run_study(study, path, progress=try_as_well)
    assert seen == [f"{path}: process {os.getpid()} is running this study"]
    assert not is_locked(path)
    assert not (tmp_path / "short.db.lock").exists()


def test_only_one_of_many_holds_the_lock(tmp_path: Path) -> None:
    path, held, most = tmp_path / "x.db", [0], [0]
    counting = threading.Lock()

    def hold() -> None:
        for _ in range(5):
            try:
                with lock(path):
                    with counting:
                        held[0] += 1
                        most[0] = max(most[0], held[0])
                    time.sleep(0.001)
                    with counting:
                        held[0] -= 1
            except StoreError:
                continue

    threads = [threading.Thread(target=hold) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert most == [1]


def holds(path: Path, times: int) -> int:
    """Hold a claim that many times, and return how often somebody else held it too."""
    mark, held, shared = path.with_suffix(".mark"), 0, 0
    while held < times:
        try:
            with lock(path):
                held += 1
                mark.touch(exist_ok=False)
                time.sleep(0.0005)
                mark.unlink()
        except FileExistsError:
            shared += 1
        except StoreError as error:
            if "cannot be written" in str(error):
                raise
    return shared


@pytest.mark.parametrize("times", [200, pytest.param(5000, marks=pytest.mark.release)])
def test_only_one_of_many_processes_holds_a_claim(tmp_path: Path, times: int) -> None:
    # They come and go fast: the number of a file that is gone soon belongs to another.
    with WorkerPool(4) as pool:
        shared = [pool.submit(holds, tmp_path / "x.db", times) for _ in range(4)]
        assert [each.result(PATIENCE) for each in shared] == [0] * 4
    assert not list(tmp_path.iterdir())


def test_a_thread_that_asks_in_vain_takes_nothing_from_the_one_who_holds(tmp_path: Path) -> None:
    path = tmp_path / "x.db"
    with lock(path):
        with pytest.raises(StoreError), lock(path):
            pass
        with WorkerPool(1) as pool:
            assert pool.submit(is_locked, path).result(PATIENCE)


def test_who_ends_leaves_the_lock_of_the_next_alone(tmp_path: Path) -> None:
    path, file = tmp_path / "x.db", tmp_path / "x.db.lock"
    with lock(path):
        file.unlink()  # as deleting a study does
        file.touch()  # as the next process does
    assert file.exists()


def test_a_claim_left_behind_by_a_crash_is_in_nobodys_way(tmp_path: Path) -> None:
    path = tmp_path / "x.db"
    (tmp_path / "x.db.lock").touch()
    assert not is_locked(path)
    with lock(path):
        assert is_locked(path)


GATE = threading.Event()


def waits(boards: Any, rate: float, problem: Any, rng: Any) -> Any:
    GATE.wait(PATIENCE)
    return boards.copy()


def test_after_a_while_without_news_it_is_told_what_is_under_way(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("genoku.lab.runner.STALL_SECONDS", 0.6)
    waiting = arm("sundy", "waiting", settings={"mutation": "test_runner:waits"}, trust=True)
    study = Study("gate", (waiting,), (INSTANCE,), (3, 4, 5))
    seen: list[StudyProgress] = []

    def watch(now: StudyProgress) -> None:
        if now.stalled:
            seen.append(now)
            GATE.set()

    with ThreadPoolExecutor(1) as pool:
        done = run_study(study, tmp_path / "gate.db", executor=pool, progress=watch)
    assert done.done == 3
    ((runs, seconds),) = seen[0].stalled  # what waits for the worker is not under way
    assert list(runs) == [(0, 0, 3)]
    assert 0.1 < seconds < 60


def test_a_change_of_a_part_of_ones_own_is_told_as_long_as_older_runs_are_there(
    tmp_path: Path,
) -> None:
    mine = tmp_path / "changing_part.py"
    mine.write_text("def nothing(boards, rate, problem, rng):\n    return boards.copy()\n")
    part = {"use": "changing_part:nothing"}
    recipe = {**ARM.recipe, "mutation": part}
    own = Arm("own", recipe, "generations=2", trust=True)
    study = Study("own", (own,), (INSTANCE,), (1, 2))
    path, told = tmp_path / "own.db", list[str]()

    def run(**options: Any) -> list[str]:
        told.clear()
        run_study(study, path, folder=str(tmp_path), warn=told.append, **options)
        return list(told)

    assert run(shard=Shard(1, 2)) == run() == run() == []
    mine.write_text(mine.read_text() + "# another\n")
    (said,) = run()
    assert said.startswith(f"{path}: changing_part.py ")
    assert run() == [said]
    run_study(study, tmp_path / "new.db", folder=str(tmp_path), warn=told.append)
    assert told == [said]
    merge(tmp_path / "both.db", [path, tmp_path / "new.db"], warn=told.append)
    (mixed,) = told[1:]
    assert all(name in mixed for name in ("new.db", "changing_part.py", str(path)))
