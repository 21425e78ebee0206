"""The runner: batches, failures, dead workers, one driver at a time."""

from __future__ import annotations

import json
import os
import signal
import threading
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import BrokenExecutor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from short_studies import SMALL, exported, short_study

from genoku.board import Puzzle
from genoku.errors import GenokuError, StoreError, StudyError
from genoku.history import Record
from genoku.lab.claim import claimed, is_claimed
from genoku.lab.merging import merge
from genoku.lab.pacing import BATCH_SECONDS, DEATHS, KILLS, Batch, Pace, Queue
from genoku.lab.processes import Processes, WorkerDiedError
from genoku.lab.runner import Progress, Shard, run_study
from genoku.lab.store import Store
from genoku.lab.study import Arm, Instance, Planned, Study, arm
from genoku.lab.work import Row

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
    with pytest.raises(StudyError, match="expected a shard from 1/n to n/n"):
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
    plan = [Planned(arm, 0, seed) for seed, arm in product(range(seeds), range(arms))]
    guilty = {plan[len(plan) // 3]}
    pace = Pace(arms)
    for planned in plan:
        pace.expect(planned.arm)
    queue = Queue(iter(plan), pace)
    done: list[Planned] = []
    blamed: list[Planned] = []
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
            pace.note(row(each.arm, each.seed, times[each.arm]) for each in batch.runs)
            done += batch.runs
            assert len(batch.runs) == 1 or sum(times[r.arm] for r in batch.runs) < 2 * BATCH_SECONDS
        queue.landed(batch)
    assert sorted(done + blamed) == sorted(plan)
    assert set(blamed) == guilty
    assert pace.runs_left == 1


def test_short_runs_go_out_together_and_long_ones_alone() -> None:
    plan = [Planned(seed % 2, 0, seed) for seed in range(4000)]
    pace = Pace(2)
    pace.note(row(0, seed, 0.001) for seed in range(1000))
    pace.note(row(1, seed, 60.0) for seed in range(3))
    queue = Queue(iter(plan), pace)
    sizes = [len(batch.runs) for batch in iter(lambda: queue.next(True), None)]
    assert sizes == [1] * 4000
    queue = Queue((each for each in plan if each.arm == 0), pace)
    first = queue.next(False)
    assert first is not None
    assert 499 <= len(first.runs) <= 501


def test_the_last_try_of_a_suspect_is_made_when_nothing_else_runs() -> None:
    queue = Queue(iter([Planned(0, 0, seed) for seed in range(9)]), Pace(1))
    suspect = queue.next(False)
    assert suspect is not None
    waits = None
    for _ in range(DEATHS - 1):
        assert queue.blame(suspect, BrokenExecutor()) == ""
        queue.landed(suspect)
        waits = queue.next(True)
        suspect = waits or queue.next(False)
        assert suspect is not None
    assert waits is None
    assert queue.next(True) is None
    assert queue.next(False) is None
    assert "its worker died every time" in queue.blame(suspect, BrokenExecutor())
    queue.landed(suspect)
    assert queue.next(False) is not None
    assert KILLS > DEATHS


# Processes


def double(number: int) -> int:
    return 2 * number


def end(number: int) -> int:
    os._exit(number)


def fail(text: str) -> None:
    raise ValueError(text)


def test_a_worker_that_dies_takes_along_only_its_own_work() -> None:
    with Processes(2) as pool:
        futures = [pool.submit(double, each) for each in range(20)]
        deadly = pool.submit(end, 7)
        more = [pool.submit(double, each) for each in range(20, 40)]
        assert [each.result(60) for each in futures + more] == [2 * each for each in range(40)]
        error = deadly.exception(60)
    assert isinstance(error, WorkerDiedError)
    assert error.exit_code == 7
    assert not error.is_killed


def test_what_work_raises_comes_back_in_words() -> None:
    with Processes(1) as pool:
        with pytest.raises(GenokuError, match="a worker failed: ValueError: no good"):
            pool.submit(fail, "no good").result(60)
        assert pool.submit(double, 2).result(60) == 4
        with pytest.raises(Exception, match="pickle"):
            pool.submit(lambda: 1).result(60)
        assert pool.submit(double, 3).result(60) == 6
    with pytest.raises(RuntimeError):
        pool.submit(double, 1)


def test_ending_the_workers_waits_for_nobody() -> None:
    pool = Processes(2)
    futures = [pool.submit(time.sleep, 100) for _ in range(5)]
    assert pool.submit(double, 1) is not None
    time.sleep(0.3)
    began = time.monotonic()
    pool.terminate()
    assert time.monotonic() - began < 20
    assert all(future.done() for future in futures)


def unsendable() -> object:
    return lambda: 1


class PickyError(GenokuError):
    def __init__(self, one: int, two: int) -> None:
        super().__init__(f"{one} and {two}")


def pick() -> None:
    raise PickyError(1, 2)


def test_what_cannot_be_sent_comes_back_in_words_and_its_worker_stays() -> None:
    with Processes(1) as pool:
        worker = pool.submit(os.getpid).result(60)
        with pytest.raises(GenokuError, match=r"a worker's result cannot be sent: .*pickle"):
            pool.submit(unsendable).result(60)
        with pytest.raises(GenokuError, match=r"^1 and 2$"):
            pool.submit(pick).result(60)
        assert pool.submit(os.getpid).result(60) == worker


def test_work_that_comes_while_workers_end_is_done_or_refused() -> None:
    for wait in range(20):
        pool = Processes(1)
        futures: list[Future[int]] = []

        def hand_in(pool: Processes = pool, futures: list[Future[int]] = futures) -> None:
            with suppress(RuntimeError):
                while True:
                    futures.append(pool.submit(double, 1))

        thread = threading.Thread(target=hand_in)
        thread.start()
        time.sleep(0.0005 * wait)
        pool.shutdown(wait=False, cancel_futures=True)
        thread.join()
        pool.shutdown()
        assert all(future.done() for future in futures)


# Studies


def test_a_study_is_run_once_and_what_is_there_is_not_run_again(tmp_path: Path) -> None:
    study, path = short_study(tmp_path, 3), tmp_path / "short.db"
    told: list[Progress] = []
    done = run_study(study, path, progress=told.append)
    assert done[:4] == (12, 12, done.solved, 0)
    assert told[0].done == 0
    assert told[-1].done == 12
    before = exported(path)
    stamp = [row.seconds for row in _rows(path)]
    again = run_study(study, path, jobs=2)
    assert again.done == 12
    assert again.workers == 0
    assert exported(path) == before
    assert [row.seconds for row in _rows(path)] == stamp


def _rows(path: Path) -> list[Row]:
    with Store.open(path) as store:
        return list(store.rows())


def test_a_study_that_has_grown_keeps_its_runs(tmp_path: Path) -> None:
    path = tmp_path / "short.db"
    run_study(short_study(tmp_path, 2), path)
    stamps = {row.key: row.seconds for row in _rows(path)}
    run_study(short_study(tmp_path, 4), path)
    rows = {row.key: row.seconds for row in _rows(path)}
    assert len(rows) == 16
    assert stamps.items() <= rows.items()


def test_any_executor_makes_the_same_runs(tmp_path: Path) -> None:
    study = short_study(tmp_path, 4)
    run_study(study, tmp_path / "here.db")
    with ThreadPoolExecutor(2) as threads:
        run_study(study, tmp_path / "threads.db", executor=threads)
    with ProcessPoolExecutor(2) as processes:
        run_study(study, tmp_path / "processes.db", executor=processes)
    assert exported(tmp_path / "threads.db") == exported(tmp_path / "here.db")
    assert exported(tmp_path / "processes.db") == exported(tmp_path / "here.db")


class Elsewhere(ThreadPoolExecutor):
    """Workers that have another genoku, as far as they can tell."""

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Any:
        text, *others = args
        facts = json.loads(text) | {"genoku": "0.0.1"}
        return super().submit(fn, json.dumps(facts), *others, **kwargs)


def test_workers_with_another_genoku_end_a_study_in_words(tmp_path: Path) -> None:
    study, path = short_study(tmp_path, 2), tmp_path / "short.db"
    with Elsewhere(1) as workers, pytest.raises(StudyError, match=r"got one of 0\.0\.1"):
        run_study(study, path, executor=workers)
    with Store.open(path) as store:
        assert not store.done()
        assert not store.failures()
    assert run_study(study, path).done == 8


def test_an_executor_that_breaks_keeps_what_was_done(tmp_path: Path) -> None:
    study, path = short_study(tmp_path, 2), tmp_path / "short.db"
    with ProcessPoolExecutor(1) as workers:
        with pytest.raises(BrokenExecutor):
            workers.submit(end, 1).result(60)
        with pytest.raises(GenokuError, match="no longer there"):
            run_study(study, path, executor=workers)
    assert run_study(study, path).done == 8


def test_a_second_driver_is_told_who_the_first_one_is(tmp_path: Path) -> None:
    study, path = short_study(tmp_path, 3), tmp_path / "short.db"
    seen: list[str] = []

    def try_as_well(_now: Progress) -> None:
        if not seen:
            assert is_claimed(path)
            with pytest.raises(StoreError) as refused:
                run_study(study, path)
            seen.append(str(refused.value))

    run_study(study, path, progress=try_as_well)
    assert seen == [f"{path}: process {os.getpid()} is running this study"]
    assert not is_claimed(path)
    assert not (tmp_path / "short.db.lock").exists()


def test_only_one_of_many_holds_a_claim(tmp_path: Path) -> None:
    path, held, most = tmp_path / "x.db", [0], [0]
    lock = threading.Lock()

    def hold() -> None:
        for _ in range(5):
            try:
                with claimed(path):
                    with lock:
                        held[0] += 1
                        most[0] = max(most[0], held[0])
                    time.sleep(0.001)
                    with lock:
                        held[0] -= 1
            except StoreError:
                continue

    threads = [threading.Thread(target=hold) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert most == [1]


def test_a_claim_left_behind_by_a_crash_is_in_nobodys_way(tmp_path: Path) -> None:
    path = tmp_path / "x.db"
    (tmp_path / "x.db.lock").touch()
    assert not is_claimed(path)
    with claimed(path):
        assert is_claimed(path)


GATE = threading.Event()


def waits(boards: Any, rate: float, problem: Any, rng: Any) -> Any:
    GATE.wait(60)
    return boards.copy()


def test_after_a_while_without_news_it_is_told_what_is_under_way(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("genoku.lab.runner.SILENCE", 0.6)
    waiting = arm("sundy", "waiting", settings={"mutation": "test_runner:waits"})
    study = Study("gate", (waiting,), (INSTANCE,), (3, 4, 5))
    seen: list[Progress] = []

    def watch(now: Progress) -> None:
        if now.silent:
            seen.append(now)
            GATE.set()

    with ThreadPoolExecutor(1) as pool:
        done = run_study(study, tmp_path / "gate.db", executor=pool, progress=watch)
    assert done.done == 3
    ((runs, seconds),) = seen[0].silent  # what waits for the worker is not under way
    assert list(runs) == [(0, 0, 3)]
    assert 0.1 < seconds < 60


def test_a_change_of_a_part_of_ones_own_is_told_as_long_as_older_runs_are_there(
    tmp_path: Path,
) -> None:
    mine = tmp_path / "changing_part.py"
    mine.write_text("def nothing(boards, rate, problem, rng):\n    return boards.copy()\n")
    part = {"use": "changing_part:nothing"}
    recipe = {**ARM.recipe, "mutation": part}
    own = Arm("own", recipe, "generations=2")
    study = Study("own", (own,), (INSTANCE,), (1, 2))
    path, told = tmp_path / "own.db", list[str]()

    def run(**options: Any) -> list[str]:
        told.clear()
        run_study(study, path, folder=str(tmp_path), warn=told.append, **options)
        return list(told)

    assert run(shard=Shard(1, 2)) == run() == run() == []
    mine.write_text(mine.read_text() + "# another\n")
    (said,) = run()
    assert said.startswith(f"{path}: changing_part.py has changed since the first runs were made")
    assert "stays (2); take another store" in said
    assert run() == [said]
    run_study(study, tmp_path / "new.db", folder=str(tmp_path), warn=told.append)
    assert told == [said]
    merge(tmp_path / "both.db", [path, tmp_path / "new.db"], warn=told.append)
    assert told[1:] == [
        f"{tmp_path / 'new.db'}: its runs were made with another changing_part.py than those of "
        f"{path}"
    ]


# Merging


def test_what_is_merged_twice_is_there_once_and_inputs_stay_as_they_are(tmp_path: Path) -> None:
    study = short_study(tmp_path, 3)
    one, two, out = tmp_path / "1.db", tmp_path / "2.db", tmp_path / "out.db"
    run_study(study, one, shard=Shard(1, 2))
    run_study(study, two, shard=Shard(2, 2))
    before = one.read_bytes(), two.read_bytes()
    assert merge(out, [one, one]) == (6, 6, 12, 0)
    assert merge(out, [one, two]) == (6, 12, 12, 0)
    assert merge(out, [two]) == (0, 12, 12, 0)
    assert (one.read_bytes(), two.read_bytes()) == before
    run_study(study, tmp_path / "whole.db")
    assert exported(out) == exported(tmp_path / "whole.db")


def test_stores_of_other_studies_are_not_merged(tmp_path: Path) -> None:
    run_study(short_study(tmp_path, 2), tmp_path / "1.db")
    run_study(short_study(tmp_path, 3), tmp_path / "2.db")
    run_study(short_study(tmp_path, 2, 13), tmp_path / "3.db")
    with pytest.raises(StoreError, match=r"2\.db: expected the study of .*1\.db.* seeds differ"):
        merge(tmp_path / "out.db", [tmp_path / "1.db", tmp_path / "2.db"])
    with pytest.raises(StoreError, match=r"3\.db: .*parts or budget differ"):
        merge(tmp_path / "out.db", [tmp_path / "1.db", tmp_path / "3.db"])
    with pytest.raises(StoreError, match="got itself"):
        merge(tmp_path / "1.db", [tmp_path / "1.db"])
    study = short_study(tmp_path, 2)
    for changed, said in (
        (replace(study, allow_conflicts=True), r"allow_conflicts differ \(False and True\)"),
        (replace(study, record=Record(every=7)), r"records differ \(.*every=7"),
    ):
        (tmp_path / "4.db").unlink(missing_ok=True)
        Store.create(tmp_path / "4.db", changed).close()
        with pytest.raises(StoreError, match=said):
            merge(tmp_path / "out.db", [tmp_path / "1.db", tmp_path / "4.db"])
    assert not (tmp_path / "out.db").exists()


def with_a_torn_history(data: bytes, history: bytes) -> bytes:
    place = data.index(history) + len(history) // 2
    return data[:place] + bytes([data[place] ^ 255]) + data[place + 1 :]


def with_a_lost_page(data: bytes, history: bytes) -> bytes:
    place = data.index(history) // 4096 * 4096
    return data[:place] + bytes(4096) + data[place + 4096 :]


def cut_short(data: bytes, history: bytes) -> bytes:
    return data[: len(data) // 2]


@pytest.mark.parametrize("damage", [with_a_torn_history, with_a_lost_page, cut_short])
def test_a_damaged_input_leaves_the_output_as_it_was(
    tmp_path: Path, damage: Callable[[bytes, bytes], bytes]
) -> None:
    study = short_study(tmp_path, 20)
    good, bad, out = tmp_path / "1.db", tmp_path / "2.db", tmp_path / "out.db"
    run_study(study, good, shard=Shard(1, 2))
    run_study(study, bad, shard=Shard(2, 2))
    merge(out, [good])
    before = exported(out)
    bad.write_bytes(damage(bad.read_bytes(), _rows(bad)[0].history))
    for target in (out, tmp_path / "new.db"):
        with pytest.raises(StoreError, match=r"2\.db: "):
            merge(target, [good, bad])
    assert exported(out) == before
    assert not (tmp_path / "new.db").exists()
