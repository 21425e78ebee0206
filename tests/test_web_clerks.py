"""Clerks: they answer, refuse, and are replaced when they fall."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import time
from multiprocessing import active_children
from pathlib import Path
from typing import Any

import pytest

from genoku import workers
from genoku.errors import GenokuError
from genoku.web import clerks as clerks_module
from genoku.web.clerks import Clerks, JobFailedError
from genoku.web.limits import Limits
from genoku.web.refusals import TookTooLongError
from genoku.workers import WorkerStartError

PATIENCE = 60.0  # seconds until a test gives up


def nap(seconds: float) -> str:
    time.sleep(seconds)
    return "rested"


def refuse() -> None:
    raise GenokuError("no, because")


def stumble() -> None:
    raise ValueError("an error of ours")


def fall() -> None:
    os._exit(3)


def feast(size: int) -> int:
    return len(bytearray(size))


def who() -> int:
    return os.getpid()


def with_clerks(work: Any, **limits: int) -> Any:
    async def main() -> Any:
        clerks = Clerks(Limits(clerks=1, **limits))
        clerks.start()
        try:
            return await work(clerks)
        finally:
            await clerks.stop()

    return asyncio.run(asyncio.wait_for(main(), PATIENCE))


def test_clerks_answer_refuse_and_are_replaced() -> None:
    async def work(clerks: Clerks) -> None:
        first = await clerks.call(who)
        assert first != os.getpid()
        with pytest.raises(GenokuError):
            await clerks.call(refuse)
        assert await clerks.call(who) == first, "a refusal costs nobody the job"
        with pytest.raises(TookTooLongError):
            await clerks.call(nap, 60, seconds=0.2)
        second = await clerks.call(who)
        assert second != first
        with pytest.raises(JobFailedError):
            await clerks.call(stumble)
        with pytest.raises(GenokuError):
            await clerks.call(fall)
        third = await clerks.call(who)
        os.kill(third, signal.SIGKILL)  # while nothing is asked
        while third in [child.pid for child in active_children()]:
            await asyncio.sleep(0.01)
        assert await clerks.call(nap, 0.0) == "rested"

    with_clerks(work)


def wait_for(signal: str) -> int:
    """A question that is not answered before a file is there."""
    while not Path(signal).exists():
        time.sleep(0.02)
    return os.getpid()


def test_a_quick_question_is_answered_while_more_slow_ones_than_clerks_are_not(
    tmp_path: Path,
) -> None:
    signal = tmp_path / "go"

    async def work(clerks: Clerks) -> None:
        slow = [asyncio.ensure_future(clerks.call(wait_for, str(signal))) for _ in range(3)]
        once = asyncio.ensure_future(clerks.call(wait_for, str(signal), once=True))
        while clerks.waiting != len(slow):  # one is at work, and all others need its leave
            await asyncio.sleep(0.01)
        assert [await clerks.call(nap, 0.0) for _ in range(3)] == ["rested"] * 3
        assert not any(each.done() for each in (*slow, once))
        assert clerks.pool is not None
        assert clerks.pool.size == 2, "one more while one takes long, however many wait"
        signal.touch()
        assert all(await asyncio.gather(*slow, once))
        await clerks.call(who)
        while clerks.pool.size > 1 or len(clerks.pool.pids) > 1:
            await asyncio.sleep(0.01)
        assert await clerks.call(nap, 0.0) == "rested", "who is left answers"

    with_clerks(work)


def never_ready(_: Any) -> None:
    time.sleep(999)


def test_a_clerk_that_is_never_ready_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clerks_module, "_begin", never_ready)
    monkeypatch.setattr(workers, "STARTING", 1.0)

    async def work(clerks: Clerks) -> None:
        with pytest.raises(WorkerStartError):
            await clerks.call(who)

    with_clerks(work)


@pytest.mark.skipif(sys.platform != "linux", reason="memory is limited on Linux only")
def test_a_clerk_has_only_so_much_memory() -> None:
    async def work(clerks: Clerks) -> None:
        with pytest.raises(GenokuError):
            await clerks.call(feast, 2_000_000_000)
        assert await clerks.call(feast, 1000) == 1000

    with_clerks(work, memory=1_500_000_000)
