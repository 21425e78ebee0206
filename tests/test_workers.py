"""Worker processes that may die, and what they hand back."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from patience import PATIENCE
from short_studies import end

from genoku.errors import GenokuError
from genoku.runtime import workers
from genoku.runtime.workers import WorkerDiedError, WorkerPool, WorkerStartError, map_in_order


def until(is_so: Callable[[], object]) -> None:
    end = time.monotonic() + PATIENCE
    while not is_so():
        assert time.monotonic() < end
        time.sleep(0.02)


def is_running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except OSError:
        return False
    return True


def double(number: int) -> int:
    return 2 * number


def fail(text: str) -> None:
    raise ValueError(text)


def test_a_worker_that_dies_takes_along_only_its_own_work() -> None:
    with WorkerPool(2) as pool:
        futures = [pool.submit(double, each) for each in range(20)]
        deadly = pool.submit(end, 7)
        more = [pool.submit(double, each) for each in range(20, 40)]
        assert [each.result(PATIENCE) for each in futures + more] == [
            2 * each for each in range(40)
        ]
        error = deadly.exception(PATIENCE)
    assert isinstance(error, WorkerDiedError)
    assert error.exit_code == 7
    assert not error.is_killed


def test_what_work_raises_is_raised_here() -> None:
    with WorkerPool(1) as pool:
        error = pool.submit(fail, "no good").exception(PATIENCE)
        assert isinstance(error, ValueError)
        assert error.args == ("no good",)
        assert "in fail" in str(error.__cause__), "with the lines it went through"
        assert isinstance(pool.submit(sys.exit, 3).exception(PATIENCE), GenokuError)
        assert pool.submit(double, 2).result(PATIENCE) == 4
        with pytest.raises((pickle.PicklingError, AttributeError)):
            pool.submit(lambda: 1).result(PATIENCE)
        assert pool.submit(double, 3).result(PATIENCE) == 6
    with pytest.raises(RuntimeError):
        pool.submit(double, 1)


def test_ending_the_workers_waits_for_nobody() -> None:
    pool = WorkerPool(2)
    futures = [pool.submit(time.sleep, 10 * PATIENCE) for _ in range(5)]
    assert pool.submit(double, 1) is not None
    futures[0].started.result(PATIENCE)
    pool.terminate()
    assert all(future.done() for future in futures)


class Loading:
    """What a worker must do before it is ready."""

    def __init__(self, function: Callable[[int], Any], argument: int) -> None:
        self.call = function, (argument,)

    def __call__(self) -> None: ...

    def __reduce__(self) -> tuple[Callable[[int], Any], tuple[int]]:
        return self.call


def test_workers_that_never_get_ready_are_given_up(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with WorkerPool(1, Loading(end, 3)) as pool:
        assert isinstance(pool.submit(double, 1).exception(PATIENCE), WorkerStartError)
    monkeypatch.setattr(workers, "START_SECONDS", 0.5)
    with WorkerPool(1, Loading(time.sleep, 100)) as pool:
        assert isinstance(pool.submit(double, 1).exception(PATIENCE), WorkerStartError)


def unsendable() -> object:
    return lambda: 1


class PickyError(GenokuError):
    def __init__(self, one: int, two: int) -> None:
        super().__init__(f"{one} and {two}")


def pick() -> None:
    raise PickyError(1, 2)


def test_what_cannot_be_sent_comes_back_in_words_and_its_worker_stays() -> None:
    with WorkerPool(1) as pool:
        worker = pool.submit(os.getpid).result(PATIENCE)
        with pytest.raises(GenokuError):
            pool.submit(unsendable).result(PATIENCE)
        with pytest.raises(GenokuError, match=r"^1 and 2$"):
            pool.submit(pick).result(PATIENCE)
        assert pool.submit(os.getpid).result(PATIENCE) == worker


def test_work_that_comes_while_workers_end_is_done_or_refused() -> None:
    for wait in range(0, 20, 3):
        pool = WorkerPool(1)
        futures: list[Future[int]] = []

        def hand_in(pool: WorkerPool = pool, futures: list[Future[int]] = futures) -> None:
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


def test_a_call_can_be_given_up_before_it_begins_and_in_the_middle() -> None:
    with WorkerPool(1) as pool:
        first = pool.submit(os.getpid).result(PATIENCE)
        slow, waiting = pool.submit(time.sleep, 100), pool.submit(double, 1)
        slow.started.result(PATIENCE)
        waiting.kill()
        assert waiting.cancelled()
        slow.kill()
        assert isinstance(slow.exception(PATIENCE), WorkerDiedError)
        slow.kill()  # which hurts nobody any more
        assert pool.submit(os.getpid).result(PATIENCE) != first


def test_a_pool_becomes_larger_and_smaller() -> None:
    with WorkerPool(1, eager=True) as pool:
        pool.resize(2)
        slow = pool.submit(time.sleep, 100)
        assert pool.submit(double, 2).result(PATIENCE) == 4
        assert len(pool.pids) == 2
        pool.resize(1)
        slow.kill()
        until(lambda: len(pool.pids) == 1)
        assert pool.submit(double, 3).result(PATIENCE) == 6


def test_a_worker_that_dies_over_work_in_order_is_an_error_of_ours() -> None:
    with pytest.raises(GenokuError):
        list(map_in_order(end, [7], jobs=2))


ENDLESS = """
import sys, time
from genoku.runtime.workers import WorkerPool
if __name__ == "__main__":
    pool = WorkerPool(2)
    for _ in range(3):
        pool.submit(time.sleep, 100)
    while len(pool.pids) < 2:
        time.sleep(0.01)
    print(*pool.pids)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="processes are asked after by a signal")
def test_python_ends_at_once_with_workers_at_work_and_leaves_nobody(tmp_path: Path) -> None:
    script = tmp_path / "endless.py"
    script.write_text(ENDLESS, encoding="utf-8")
    ended = subprocess.run(
        [sys.executable, script], capture_output=True, timeout=PATIENCE, check=True
    )
    pids = [int(pid) for pid in ended.stdout.split()]
    assert len(pids) == 2
    until(lambda: not any(is_running(pid) for pid in pids))
