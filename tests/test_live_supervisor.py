"""Live sessions in worker processes: they take turns there, and outlive their death."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from patience import PATIENCE
from sessions import PLAN, PUZZLE, assert_same, changed, plain_run, race
from strategies import in_another_process

from genoku.errors import GenokuError, PuzzleError, RecipeError
from genoku.runtime import workers
from genoku.web.http_errors import NotFoundError
from genoku.web.limits import Limits
from genoku.web.live import channel, supervisor
from genoku.web.live.plan import LaneRequest, RacePlan, RunPlan
from genoku.web.live.snapshot import SessionAnswer, Snapshot
from genoku.web.live.supervisor import SessionHandle, Supervisor

ENDLESS = changed(PLAN, until="seconds=999")
HALTED = changed(PLAN, paused=True)
signals = pytest.mark.skipif(sys.platform == "win32", reason="processes there have no signals")


class Live:
    """A supervisor with an event loop in a thread of its own, for tests that wait their turn."""

    def __init__(self, folder: Path, **limits: Any) -> None:
        self.loop = asyncio.new_event_loop()
        self.thread = threading.Thread(target=self.loop.run_forever, daemon=True)
        self.thread.start()
        self.supervisor = Supervisor(Limits(**{"live_workers": 1, **limits}), folder)
        self.wait(self.supervisor.start())

    def later(self, work: Any) -> Any:
        return asyncio.run_coroutine_threadsafe(work, self.loop)

    def wait(self, work: Any) -> Any:
        return self.later(work).result(PATIENCE)

    def open(self, plan: RunPlan | RacePlan) -> SessionHandle:
        session: SessionHandle = self.wait(self.supervisor.open(plan))
        return session

    def ask(self, session: SessionHandle, do: str, **arguments: Any) -> Any:
        return self.wait(self.supervisor.ask(session, do, **arguments))

    def reason(self, session: SessionHandle) -> str:
        """Why a session is not live any more."""
        return self.supervisor._reasons.get(session.id, "")

    def finish(self, session: SessionHandle, plan: RunPlan = PLAN) -> None:
        """Let a run go on to its end, which is that of its seed."""
        self.ask(session, "limit_speed", speed=None)
        self.ask(session, "resume")
        self.comes_to(session, "ended")
        assert_same(self.ask(session, "result"), plain_run(plan))

    def close(self) -> None:
        pids = self.supervisor.pids
        self.wait(self.supervisor.stop())
        self.loop.call_soon_threadsafe(self.loop.stop)
        self.thread.join(PATIENCE)
        self.loop.close()
        assert not [pid for pid in pids if Path(f"/proc/{pid}").exists()]

    def until(self, is_so: Callable[[], object]) -> None:
        end = time.monotonic() + PATIENCE
        while not is_so():
            assert time.monotonic() < end, "it did not happen"
            time.sleep(0.005)

    def comes_to(self, session: SessionHandle, phase: str) -> Snapshot:
        """The snapshot of a session in a phase, once there is one."""
        self.until(lambda: session.frame is not None and session.frame.phase == phase)
        assert session.frame is not None
        return session.frame


@pytest.fixture(scope="module")
def live(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Live]:
    """One for all tests that leave it as it is."""
    opened = Live(tmp_path_factory.mktemp("sessions"))
    yield opened
    opened.close()


@pytest.fixture
def own(tmp_path: Path) -> Iterator[Callable[..., Live]]:
    """Makes one for a test of its own."""
    made: list[Live] = []

    def make(**limits: Any) -> Live:
        made.append(Live(tmp_path, **limits))
        return made[-1]

    yield make
    for each in made:
        each.close()


def test_the_server_loads_nothing_heavy_for_it() -> None:
    program = "import genoku.web.live.supervisor, sys; print(*sys.modules)"
    assert not {"numba", "scipy", "numpy"} & set(in_another_process(program).split())


def test_a_run_in_a_worker_is_the_run_of_its_seed(live: Live) -> None:
    run = live.open(HALTED)
    assert run.facts is not None
    assert run.facts.lanes[0].name == "charles, changed"
    assert live.comes_to(run, "paused").lanes[0].step == 0
    assert live.ask(run, "step", steps=2).lanes[0].step == 2
    assert live.ask(run, "limit_speed", speed=500.0).speed_limit == 500
    assert live.ask(run, "resume").phase == "running"
    halted = live.ask(run, "pause")
    assert halted.phase in ("paused", "ended")
    assert live.ask(run, "pause").lanes == halted.lanes
    live.finish(run)
    assert live.ask(run, "step").phase == "ended"


def test_a_throttled_run_takes_its_time_and_others_do_not(live: Live) -> None:
    slow, quick = live.open(changed(PLAN, speed=0.001)), live.open(PLAN)
    live.comes_to(quick, "ended")
    assert live.ask(slow, "pause").lanes[0].step <= 1
    live.finish(slow)


def test_snapshots_come_while_somebody_listens(live: Live) -> None:
    run = live.open(ENDLESS)
    before = live.comes_to(run, "running").seq
    live.ask(run, "curve")
    assert run.frame is not None
    assert run.frame.seq == before
    live.ask(run, "listen", on=True)
    live.until(lambda: run.frame is not None and run.frame.seq > before + 3)
    assert live.ask(run, "population", first=0, count=2).step > 0
    live.wait(live.supervisor.close(run.id))
    with pytest.raises(GenokuError):
        live.ask(run, "pause")


def test_a_race_in_a_worker_has_a_winner(live: Live) -> None:
    lanes = (
        LaneRequest(preset="champion"),
        LaneRequest(preset="charles", settings={"population": 10}),
    )
    session = live.open(race(*lanes, until="seconds=0.05", seed=1))
    assert isinstance(session.facts, SessionAnswer)
    assert [each.name for each in session.facts.lanes] == ["champion", "charles, changed"]
    frame = live.comes_to(session, "ended")
    assert (frame.winner, frame.by) == (0, "solution")
    with pytest.raises(GenokuError):
        live.ask(session, "curve")


@pytest.mark.parametrize(
    ("change", "error"),
    [
        ({"puzzle": "?"}, PuzzleError),
        ({"preset": "nobody"}, RecipeError),
        ({"settings": {"population": 10**12}}, RecipeError),
        ({"puzzle": "11" + "." * 79}, PuzzleError),
    ],
)
def test_what_cannot_be_run_is_refused_by_its_own_error(
    live: Live, change: dict[str, Any], error: type[GenokuError]
) -> None:
    before = len(live.supervisor)
    with pytest.raises(error):
        live.open(changed(PLAN, **change))
    assert len(live.supervisor) == before


def test_a_session_is_resumed_after_the_server_was_started_again(tmp_path: Path) -> None:
    first = Live(tmp_path)
    left = first.open(changed(PLAN, speed=20.0))
    first.until(lambda: first.ask(left, "curve").step[-1] >= 3)
    first.close()
    second = Live(tmp_path)
    try:
        with pytest.raises(NotFoundError) as missing:
            second.supervisor.find(left.id, "run")
        assert missing.value.more["resumable"]
        assert missing.value.more["step"] >= 3
        with pytest.raises(NotFoundError) as missing_race:
            second.wait(second.supervisor.restore(left.id, "race"))
        assert not missing_race.value.more["resumable"]
        back = second.wait(second.supervisor.restore(left.id, "run"))
        assert back.facts.seed == 7
        assert second.comes_to(back, "paused").lanes[0].step == missing.value.more["step"]
        second.finish(back)
    finally:
        second.close()


@signals
def test_sessions_outlive_the_death_of_their_worker(own: Callable[..., Live]) -> None:
    live = own()
    halted = live.open(HALTED)
    live.ask(halted, "step", steps=5)
    going = live.open(changed(PLAN, speed=20.0))
    (pid,) = live.supervisor.pids
    os.kill(pid, signal.SIGKILL)
    live.until(lambda: live.supervisor.pids not in ([], [pid]))
    assert live.ask(halted, "population", first=0, count=1).step == 5
    for session in (halted, going):
        live.finish(session)
        assert not live.reason(session)


@signals
def test_a_worker_that_is_frozen_is_replaced_and_nobody_is_blamed(
    own: Callable[..., Live], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(supervisor, "FREEZE_SECONDS", 2.0)
    live = own()
    halted = live.open(HALTED)
    assert live.ask(halted, "step", steps=5).lanes[0].step == 5
    (pid,) = live.supervisor.pids
    os.kill(pid, signal.SIGSTOP)
    assert live.ask(halted, "population", first=0, count=1).step == 5
    assert live.supervisor.pids != [pid]
    assert not live.reason(halted)


def idle(*_started_with: Any) -> None:
    """A worker that is never ready."""
    time.sleep(999)


def test_a_worker_that_is_never_ready_is_replaced_and_then_given_up(
    own: Callable[..., Live], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(channel, "run_worker", idle)
    monkeypatch.setattr(supervisor, "START_SECONDS", 1.0)
    with pytest.raises(GenokuError):
        own().open(PLAN)


def test_a_worker_that_cannot_be_heard_is_given_up(
    own: Callable[..., Live], monkeypatch: pytest.MonkeyPatch
) -> None:
    def without_threads(*_: Any) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(workers.Actor, "_receive_messages", without_threads)
    said: list[Any] = []
    monkeypatch.setattr(threading, "excepthook", lambda error: said.append(error.exc_type))
    live = own()
    with pytest.raises(GenokuError):
        live.open(PLAN)
    live.until(lambda: len(said) >= supervisor.MAX_FAILED_STARTS)
    assert set(said) == {RuntimeError}


def test_a_session_is_restored_once_for_all_who_ask(tmp_path: Path) -> None:
    async def main() -> None:
        sessions = Supervisor(Limits(live_workers=1), tmp_path)
        await sessions.start()
        try:
            one = await sessions.open(HALTED)
            await sessions.ask(one, "step", steps=3)
            closing = asyncio.ensure_future(sessions._unload(one))
            await asyncio.sleep(0)  # it is on its way to the disk
            asked = await asyncio.gather(*(sessions.restore(one.id, "run") for _ in range(3)))
            await closing
            assert asked == [sessions.find(one.id, "run")] * 3
            assert (await sessions.ask(asked[0], "population", first=0, count=1)).step == 3
        finally:
            await sessions.stop()

    asyncio.run(asyncio.wait_for(main(), PATIENCE))


def test_a_step_without_end_ends_its_run_and_no_other(own: Callable[..., Live]) -> None:
    live = own(step_seconds=1.0)
    well = live.open(HALTED)
    live.ask(well, "step", steps=4)
    hot = {"use": "annealing", "moves": 10**15, "temperature": {"use": "constant", "rate": 99}}
    endless = live.open(RunPlan(puzzle=PUZZLE, seed=1, recipe=hot, paused=True))
    stepping = live.later(live.supervisor.ask(endless, "step"))
    assert live.ask(well, "population", first=0, count=1).step == 4  # at once
    live.until(lambda: not endless.is_open)
    assert live.reason(endless)
    with pytest.raises(GenokuError):
        stepping.result(PATIENCE)
    live.finish(well)


@pytest.mark.skipif(sys.platform != "linux", reason="memory is limited on Linux only")
def test_a_run_that_takes_all_memory_ends_and_no_other_does(own: Callable[..., Live]) -> None:
    live = own(memory=400_000_000, population_cells=10**12)
    well = live.open(HALTED)
    try:
        bomb = live.open(changed(PLAN, settings={"population": 10_000_000}))
        said = " ".join(live.comes_to(bomb, "ended").verdict)
    except GenokuError as error:  # where it was quick enough
        said = str(error)
    assert "memory" in said
    live.ask(well, "resume")
    assert live.comes_to(well, "ended").lanes[0].step == 60


def dies_of_slow_runs(*started_with: Any) -> None:
    """A worker with a fault outside every turn, where nobody is at work."""
    from genoku.web.live import worker

    whose_turn = worker.LiveWorker._next

    def next_or_die(live_worker: worker.LiveWorker) -> Any:
        if any(each.is_active and each.speed == 0.001 for each in live_worker._sessions.values()):
            raise OverflowError("timestamp too large to convert")
        return whose_turn(live_worker)

    setattr(worker.LiveWorker, "_next", next_or_die)  # noqa: B010
    channel.run_worker(*started_with)


def test_a_session_that_killed_two_workers_is_ended_and_others_go_on(
    own: Callable[..., Live], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(channel, "run_worker", dies_of_slow_runs)
    live = own()
    seen = set(live.supervisor.pids)
    well = live.open(HALTED)
    live.ask(well, "step", steps=4)
    deadly = live.open(changed(PLAN, paused=True, speed=0.001))
    seen |= set(live.supervisor.pids)
    resuming = live.later(live.supervisor.ask(deadly, "resume"))

    def is_lost() -> object:
        seen.update(live.supervisor.pids)
        return not deadly.is_open

    live.until(is_lost)
    assert live.reason(deadly) == supervisor.DIED_TWICE
    assert resuming.exception(PATIENCE) is None or "died" in str(resuming.exception())
    assert live.ask(well, "population", first=0, count=1).step == 4
    seen |= set(live.supervisor.pids)
    assert len(seen) == 3, "two died, and the third serves"
    live.finish(well)
