"""Stages as processes: sessions take turns there, and outlive their death."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from sessions import PLAN, PUZZLE, assert_same, plain_run
from strategies import in_another_process

from genoku.errors import CheckpointError, GenokuError, PuzzleError, RecipeError
from genoku.web.limits import Limits
from genoku.web.sessions import Sessions
from genoku.web.stage import client, link
from genoku.web.stage.client import Stages

ENDLESS = {**PLAN, "until": "seconds=999"}
PATIENCE = 60.0  # seconds until a test gives up


class Theatre:
    """Stages with an event loop in a thread of its own, for tests that wait their turn."""

    def __init__(self, folder: Path, **limits: Any) -> None:
        self.frames: dict[str, dict[str, Any]] = {}
        self.lost: dict[str, str] = {}
        self.count = 0
        self.loop = asyncio.new_event_loop()
        threading.Thread(target=self.loop.run_forever, daemon=True).start()
        self.stages = Stages(
            Limits(**{"stages": 1, **limits}), folder, self._frame, self.lost.__setitem__
        )
        self.wait(self.stages.start())

    def _frame(self, name: str, text: str) -> None:
        self.frames[name] = json.loads(text)
        self.count += 1

    def wait(self, work: Any) -> Any:
        return asyncio.run_coroutine_threadsafe(work, self.loop).result(PATIENCE)

    def open(self, name: str, plan: dict[str, Any], kind: Any = "run") -> dict[str, Any]:
        facts: dict[str, Any] = self.wait(self.stages.open(name, kind, plan))
        return facts

    def ask(self, name: str, do: str, **arguments: Any) -> Any:
        answer = self.wait(self.stages.ask(name, do, **arguments))
        return answer if do == "result" else json.loads(answer)

    def close(self) -> None:
        pids = self.stages.pids
        self.wait(self.stages.stop())
        self.loop.call_soon_threadsafe(self.loop.stop)
        assert not [pid for pid in pids if Path(f"/proc/{pid}").exists()]

    def until(self, is_so: Callable[[], object]) -> None:
        end = time.monotonic() + PATIENCE
        while not is_so():
            assert time.monotonic() < end, "it did not happen"
            time.sleep(0.005)

    def comes_to(self, name: str, phase: str) -> dict[str, Any]:
        """The picture of a session in a phase, once there is one."""
        self.until(lambda: self.frames.get(name, {}).get("phase") == phase)
        return self.frames[name]

    def ended(self, name: str) -> dict[str, Any]:
        return self.comes_to(name, "ended")


@pytest.fixture(scope="module")
def theatre(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Theatre]:
    """One for all tests that leave it as it is."""
    opened = Theatre(tmp_path_factory.mktemp("sessions"))
    yield opened
    opened.close()


def test_the_server_loads_nothing_heavy_for_it() -> None:
    loaded = in_another_process("import genoku.web.stage.client, sys; print(*sys.modules)").split()
    assert not {"numba", "scipy", "numpy"} & set(loaded)


def test_a_run_on_a_stage_is_the_run_of_its_seed(theatre: Theatre) -> None:
    facts = theatre.open("same", {**PLAN, "paused": True})
    assert facts["title"] == "charles, changed, on charles-basic"
    assert theatre.comes_to("same", "paused")["look"]["step"] == 0
    assert theatre.ask("same", "step", steps=2)["look"]["step"] == 2
    assert theatre.ask("same", "speed", limit=500)["speed_limit"] == 500
    assert theatre.ask("same", "resume")["phase"] == "running"
    halted = theatre.ask("same", "pause")
    assert halted["phase"] in ("paused", "ended")
    assert theatre.ask("same", "pause")["look"] == halted["look"]
    theatre.ask("same", "speed", limit=None)
    theatre.ask("same", "resume")
    assert theatre.ended("same")["look"]["step"] == 60
    assert_same(theatre.ask("same", "result"), plain_run(PLAN))
    assert theatre.ask("same", "step")["phase"] == "ended"


def test_a_throttled_run_takes_its_time_and_others_do_not(theatre: Theatre) -> None:
    theatre.open("slow", {**PLAN, "speed": 0.001})
    theatre.open("quick", PLAN)
    theatre.ended("quick")
    assert theatre.ask("slow", "pause")["look"]["step"] <= 1
    assert theatre.ask("slow", "speed", limit=None)["speed_limit"] is None
    theatre.ask("slow", "resume")
    assert theatre.ended("slow")["look"]["step"] == 60


def test_pictures_come_while_somebody_listens(theatre: Theatre) -> None:
    theatre.open("watched", ENDLESS)
    theatre.comes_to("watched", "running")
    before = theatre.frames["watched"]["seq"]
    theatre.ask("watched", "curve")
    assert theatre.frames["watched"]["seq"] == before
    theatre.loop.call_soon_threadsafe(theatre.stages.watch, "watched", True)
    theatre.until(lambda: theatre.frames["watched"]["seq"] > before + 3)
    assert theatre.ask("watched", "population", first=0, count=2)["step"] > 0
    theatre.wait(theatre.stages.close("watched"))
    with pytest.raises(GenokuError, match="the session is gone"):
        theatre.ask("watched", "pause")


def test_a_race_on_a_stage_has_a_winner(theatre: Theatre) -> None:
    lanes = [{"preset": "champion"}, {"preset": "charles", "settings": {"population": 10}}]
    plan = {"puzzle": PUZZLE, "lanes": lanes, "until": "seconds=0.05", "seed": 1}
    facts = theatre.open("race", plan, "race")
    assert [each["name"] for each in facts["lanes"]] == ["champion", "charles, changed"]
    frame = theatre.ended("race")
    assert (frame["winner"], frame["by"]) == (0, "solution")
    with pytest.raises(GenokuError, match="a race cannot be asked to curve"):
        theatre.ask("race", "curve")


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
    theatre: Theatre, change: dict[str, Any], error: type[GenokuError]
) -> None:
    with pytest.raises(error):
        theatre.open("bad", {**PLAN, **change})
    with pytest.raises(GenokuError, match="the session is gone"):
        theatre.ask("bad", "pause")


def test_a_session_goes_on_after_the_server_was_started_again(tmp_path: Path) -> None:
    first = Theatre(tmp_path)
    first.open("left", {**ENDLESS, "until": PLAN["until"], "speed": 20})
    first.until(lambda: first.ask("left", "curve")["step"][-1] >= 3)
    first.close()
    second = Theatre(tmp_path)
    try:
        kept = second.stages.kept("left", "run")
        assert kept is not None
        assert kept["step"] >= 3
        assert second.stages.kept("left", "race") is None
        with pytest.raises(CheckpointError, match="expected a race that was saved"):
            second.wait(second.stages.restore("left", "race"))
        facts = second.wait(second.stages.restore("left", "run"))
        assert facts["seed"] == 7
        assert second.comes_to("left", "paused")["look"]["step"] == kept["step"]
        second.ask("left", "speed", limit=None)
        second.ask("left", "resume")
        second.ended("left")
        assert_same(second.ask("left", "result"), plain_run(PLAN))
    finally:
        second.close()


@pytest.mark.skipif(sys.platform == "win32", reason="processes there have no signals")
def test_sessions_outlive_the_death_of_their_stage(tmp_path: Path) -> None:
    theatre = Theatre(tmp_path)
    try:
        theatre.open("halted", {**PLAN, "paused": True})
        theatre.ask("halted", "step", steps=5)
        theatre.open("going", {**PLAN, "speed": 20})
        (pid,) = theatre.stages.pids
        os.kill(pid, signal.SIGKILL)
        theatre.until(lambda: theatre.stages.pids not in ([], [pid]))
        assert theatre.ask("halted", "population", first=0, count=1)["step"] == 5
        for name in ("halted", "going"):
            theatre.ask(name, "speed", limit=None)
            theatre.ask(name, "resume")
            theatre.ended(name)
            assert_same(theatre.ask(name, "result"), plain_run(PLAN))
        assert not theatre.lost
    finally:
        theatre.close()


@pytest.mark.skipif(sys.platform == "win32", reason="processes there have no signals")
def test_a_stage_that_is_frozen_is_replaced_and_nobody_is_blamed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(client, "FREEZE", 2.0)
    theatre = Theatre(tmp_path)
    try:
        theatre.open("halted", {**PLAN, "paused": True})
        assert theatre.ask("halted", "step", steps=5)["look"]["step"] == 5
        (pid,) = theatre.stages.pids
        os.kill(pid, signal.SIGSTOP)
        assert theatre.ask("halted", "population", first=0, count=1)["step"] == 5
        assert theatre.stages.pids != [pid]
        assert not theatre.lost
    finally:
        theatre.close()


def nobody_is_left_waiting(folder: Path) -> None:
    theatre = Theatre(folder)
    try:
        with pytest.raises(GenokuError, match="no process can be started to run it in"):
            theatre.open("patient", PLAN)
    finally:
        theatre.close()


def idle(*_started_with: Any) -> None:
    """A stage that is never ready."""
    time.sleep(999)


def test_a_stage_that_is_never_ready_is_replaced_and_then_given_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(link, "perform", idle)
    monkeypatch.setattr(client, "STARTING", 1.0)
    nobody_is_left_waiting(tmp_path)


def test_a_stage_that_cannot_be_heard_is_given_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def without_threads(*_: Any) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(link.Link, "_listen", without_threads)
    said: list[Any] = []
    before = set(threading.enumerate())
    monkeypatch.setattr(threading, "excepthook", lambda error: said.append(error.exc_type))
    nobody_is_left_waiting(tmp_path)
    for thread in set(threading.enumerate()) - before:
        thread.join(PATIENCE)
    assert set(said) == {RuntimeError}


def test_a_session_is_restored_once_for_all_who_ask(tmp_path: Path) -> None:
    async def main() -> None:
        sessions = Sessions(Limits(stages=1), tmp_path)
        await sessions.start()
        try:
            one = await sessions.open("run", {**PLAN, "paused": True})
            await one.ask("step", steps=3)
            leaving = asyncio.ensure_future(sessions._put_away(one))
            await asyncio.sleep(0)  # it is on its way to the disk
            asked = await asyncio.gather(*(sessions.restore(one.id, "run") for _ in range(3)))
            await leaving
            assert asked == [sessions.find(one.id, "run")] * 3
            assert json.loads(await asked[0].ask("population", first=0, count=1))["step"] == 3
        finally:
            await sessions.stop()

    asyncio.run(asyncio.wait_for(main(), PATIENCE))


def test_a_step_without_end_ends_its_run_and_no_other(tmp_path: Path) -> None:
    theatre = Theatre(tmp_path, step_seconds=1.0)
    try:
        theatre.open("well", {**PLAN, "paused": True})
        theatre.ask("well", "step", steps=4)
        hot = {"use": "annealing", "moves": 10**15, "temperature": {"use": "constant", "rate": 99}}
        theatre.open("endless", {"puzzle": PUZZLE, "seed": 1, "recipe": hot, "paused": True})
        stepping = asyncio.run_coroutine_threadsafe(
            theatre.stages.ask("endless", "step"), theatre.loop
        )
        assert theatre.ask("well", "population", first=0, count=1)["step"] == 4  # at once
        theatre.until(lambda: "endless" in theatre.lost)
        assert theatre.lost == {"endless": "one step of it took longer than 1 seconds"}
        with pytest.raises(GenokuError, match="took longer than"):
            stepping.result(PATIENCE)
        theatre.ask("well", "resume")
        theatre.ended("well")
        assert_same(theatre.ask("well", "result"), plain_run(PLAN))
    finally:
        theatre.close()


@pytest.mark.skipif(sys.platform != "linux", reason="memory is limited on Linux only")
def test_a_run_that_takes_all_memory_ends_and_no_other_does(tmp_path: Path) -> None:
    theatre = Theatre(tmp_path, memory=400_000_000, population_cells=10**12)
    try:
        theatre.open("well", {**PLAN, "paused": True})
        try:
            theatre.open("bomb", {**PLAN, "settings": {"population": 10_000_000}})
            said = " ".join(theatre.ended("bomb")["verdict"])
        except GenokuError as error:  # where it was quick enough
            said = str(error)
        assert said.startswith("There is not enough memory for it here")
        theatre.ask("well", "resume")
        assert theatre.ended("well")["look"]["step"] == 60
    finally:
        theatre.close()


def dies_of_slow_runs(*started_with: Any) -> None:
    """A stage with a fault outside every turn, where nobody is at work."""
    from genoku.web.stage import process

    whose_turn = process.Stage._next

    def next_or_die(stage: process.Stage) -> Any:
        if any(act.is_active and act.speed == 0.001 for act in stage._acts.values()):
            raise OverflowError("timestamp too large to convert")
        return whose_turn(stage)

    setattr(process.Stage, "_next", next_or_die)  # noqa: B010
    process.main(*started_with)


def test_a_session_that_killed_two_stages_is_ended_and_others_go_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(link, "perform", dies_of_slow_runs)
    theatre = Theatre(tmp_path)
    seen = set(theatre.stages.pids)
    try:
        theatre.open("well", {**PLAN, "paused": True})
        theatre.ask("well", "step", steps=4)
        theatre.open("deadly", {**PLAN, "paused": True, "speed": 0.001})
        seen |= set(theatre.stages.pids)
        resuming = asyncio.run_coroutine_threadsafe(
            theatre.stages.ask("deadly", "resume"), theatre.loop
        )

        def is_lost() -> object:
            seen.update(theatre.stages.pids)
            return theatre.lost

        theatre.until(is_lost)
        assert theatre.lost == {"deadly": client.TWICE}
        assert resuming.exception(PATIENCE) is None or "died" in str(resuming.exception())
        assert theatre.ask("well", "population", first=0, count=1)["step"] == 4
        seen |= set(theatre.stages.pids)
        assert len(seen) == 3, "two died, and the third serves"
        theatre.ask("well", "resume")
        theatre.ended("well")
        assert_same(theatre.ask("well", "result"), plain_run(PLAN))
    finally:
        theatre.close()
