"""Worker processes that may die, and what they hand back."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from typing import Any

import pytest
from short_studies import end

from genoku.errors import GenokuError
from genoku.lab import processes
from genoku.lab.processes import Processes, WorkerDiedError

UNSENDABLE = "pickle|local object"
"""What Python says of a function that cannot be sent, before 3.13 and from then on."""


def double(number: int) -> int:
    return 2 * number


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
        with pytest.raises(Exception, match=UNSENDABLE):
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


class Loading:
    """What a worker must do before it is ready."""

    def __init__(self, function: Callable[[int], Any], argument: int) -> None:
        self.call = function, (argument,)

    def __call__(self) -> None: ...

    def __reduce__(self) -> tuple[Callable[[int], Any], tuple[int]]:
        return self.call


def test_workers_that_never_get_ready_are_given_up_in_words(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with Processes(1, Loading(end, 3)) as pool:
        assert "before they are ready (exit code 3)" in str(pool.submit(double, 1).exception(60))
    monkeypatch.setattr(processes, "STARTING", 0.5)
    with Processes(1, Loading(time.sleep, 100)) as pool:
        assert "is not ready after" in str(pool.submit(double, 1).exception(60))


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
        with pytest.raises(
            GenokuError, match=r"a worker's result cannot be sent: .*(pickle|local object)"
        ):
            pool.submit(unsendable).result(60)
        with pytest.raises(GenokuError, match=r"^1 and 2$"):
            pool.submit(pick).result(60)
        assert pool.submit(os.getpid).result(60) == worker


def test_work_that_comes_while_workers_end_is_done_or_refused() -> None:
    for wait in range(0, 20, 3):
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
