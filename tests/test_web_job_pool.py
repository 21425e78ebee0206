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
from patience import PATIENCE

from genoku.errors import GenokuError
from genoku.runtime import workers
from genoku.runtime.workers import WorkerStartError
from genoku.web import job_pool
from genoku.web.http_errors import TookTooLongError
from genoku.web.job_pool import JobFailedError, JobPool
from genoku.web.limits import Limits


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


def with_job_pool(work: Any, **limits: int) -> Any:
    async def main() -> Any:
        jobs = JobPool(Limits(job_workers=1, **limits))
        try:
            return await work(jobs)
        finally:
            await jobs.stop()

    return asyncio.run(asyncio.wait_for(main(), PATIENCE))


def test_job_workers_answer_refuse_and_are_replaced() -> None:
    async def work(jobs: JobPool) -> None:
        first = await jobs.call(who)
        assert first != os.getpid()
        with pytest.raises(GenokuError):
            await jobs.call(refuse)
        assert await jobs.call(who) == first, "a refusal costs nobody the job"
        with pytest.raises(TookTooLongError):
            await jobs.call(nap, 60, seconds=0.2)
        second = await jobs.call(who)
        assert second != first
        with pytest.raises(JobFailedError):
            await jobs.call(stumble)
        with pytest.raises(GenokuError):
            await jobs.call(fall)
        third = await jobs.call(who)
        os.kill(third, signal.SIGKILL)  # while nothing is asked
        while third in [child.pid for child in active_children()]:
            await asyncio.sleep(0.01)
        assert await jobs.call(nap, 0.0) == "rested"

    with_job_pool(work)


def wait_for(signal: str) -> int:
    """A question that is not answered before a file is there."""
    while not Path(signal).exists():
        time.sleep(0.02)
    return os.getpid()


def test_a_quick_question_is_answered_while_more_slow_ones_than_workers_are_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(job_pool, "QUICK_SECONDS", 0.05)
    signal = tmp_path / "go"

    async def work(jobs: JobPool) -> None:
        slow = [asyncio.ensure_future(jobs.call(wait_for, str(signal))) for _ in range(3)]
        once = asyncio.ensure_future(jobs.call(wait_for, str(signal), once=True))
        # until one takes long, for which there is one more worker, and all others wait for its slot
        while len(jobs._slots._waiters or ()) != len(slow) or jobs.pool.size != 2:
            await asyncio.sleep(0.01)
        monkeypatch.setattr(job_pool, "QUICK_SECONDS", PATIENCE)
        assert [await jobs.call(nap, 0.0) for _ in range(3)] == ["rested"] * 3
        assert not any(each.done() for each in (*slow, once))
        assert jobs.pool.size == 2, "one more while one takes long, however many wait"
        signal.touch()
        assert all(await asyncio.gather(*slow, once))
        await jobs.call(who)
        while jobs.pool.size > 1 or len(jobs.pool.pids) > 1:
            await asyncio.sleep(0.01)
        assert await jobs.call(nap, 0.0) == "rested", "who is left answers"

    with_job_pool(work)


def never_ready(_: Any) -> None:
    time.sleep(999)


def test_a_job_worker_that_is_never_ready_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(job_pool, "_warm_up", never_ready)
    monkeypatch.setattr(workers, "START_SECONDS", 1.0)

    async def work(jobs: JobPool) -> None:
        with pytest.raises(WorkerStartError):
            await jobs.call(who)

    with_job_pool(work)


@pytest.mark.skipif(sys.platform != "linux", reason="memory is limited on Linux only")
def test_a_job_worker_has_limited_memory() -> None:
    async def work(jobs: JobPool) -> None:
        with pytest.raises(GenokuError):
            await jobs.call(feast, 2_000_000_000)
        assert await jobs.call(feast, 1000) == 1000

    with_job_pool(work, memory=1_500_000_000)
