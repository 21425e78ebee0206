"""An act: a live run or race on a stage, with its pace, its pictures and its checkpoints."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any, NamedTuple, Protocol

from genoku.errors import GenokuError
from genoku.web.frames import Phase
from genoku.web.limits import MOST_STEPS, Limits
from genoku.web.stage.looks import text_of
from genoku.web.stage.plans import planned_race, planned_run, speed_of
from genoku.web.stage.races import LiveRace
from genoku.web.stage.runs import LiveRun
from genoku.web.stage.saved import Folder, Kind, Saved

TURN = 0.015  # seconds of steps at a time, at most
SHORTEST_TURN = 0.003
ROUND = 0.1  # seconds in which everybody has a turn, if that is possible
LAG = 0.25  # seconds of steps that a throttled run may be behind and still catch up
SAVE_EVERY = 3.0  # seconds between checkpoints
SAVE_SHARE = 0.02  # of a run's time that they may take
FRAME_SHARE = 0.05  # of a run's time that pictures may take
TURN_STEPS = 1_000_000  # of a turn, where nobody holds it back

Beat = Callable[[], None]
"""Called before every step, so that one that never ends is seen."""


class Live(Protocol):
    """What takes turns."""

    ended: str

    @property
    def step(self) -> int: ...

    def facts(self) -> dict[str, Any]: ...

    def prepare(self, folder: Folder, name: str, beat: Beat) -> None: ...

    def turn(
        self, seconds: float, most: int, beat: Beat, is_wanted: Callable[[], object]
    ) -> int: ...

    def stop(self) -> None: ...

    def fail(self, reason: str) -> None: ...

    def frame(self, stands: bool) -> dict[str, Any]: ...

    def save(self, folder: Folder, name: str) -> None: ...

    def answer(self, do: str, arguments: dict[str, Any]) -> Any: ...


class Asked(NamedTuple):
    """A command and the number under which it is answered."""

    ticket: int
    do: str
    arguments: dict[str, Any]


class Act:
    """A session on a stage. It belongs to one thread at a time, as `process.py` says."""

    def __init__(self, name: str, slot: int, saved: Saved, folder: Folder, limits: Limits) -> None:
        self.name, self.slot = name, slot
        self.kind: Kind = saved["kind"]
        self.plan, self.folder, self.limits = saved["plan"], folder, limits
        self.live: Live
        if self.kind == "run":
            self.live = LiveRun(planned_run(self.plan, limits))
        else:
            self.live = LiveRace(planned_race(self.plan, limits))
        self._title: str = self.live.facts()["title"]
        self.speed = speed_of(saved["speed"])
        self.halted = saved["phase"] in ("paused", "ended")
        self._before = saved
        self.is_ready = False
        self.note = ""
        self.listened = False
        self.queue: list[Asked] = []
        """Commands that came while a turn was on."""
        self.waiting: list[int] = []
        """Tickets of those who wait for steps to be made."""
        self.steps = 0
        """That were asked for one by one."""
        self.is_pressing = False
        self.had = 0.0
        """Processor time, by which turns are fair."""
        self.step_due = 0.0
        self.frame_due = 0.0
        self.shown: tuple[Phase, str] | None = None
        """The phase and note of the last picture."""
        self._step_shown = -1
        self._seq = int(time.time() * 1000)
        self._noted: Saved | None = None
        self._save_due = time.monotonic() + SAVE_EVERY
        self._save_after = 0.0  # of processor time had

    @property
    def phase(self) -> Phase:
        if self.live.ended == "error" or (self.is_ready and self.live.ended):
            return "ended"
        if not self.is_ready:
            return "waiting"
        return "paused" if self.halted else "running"

    @property
    def is_active(self) -> bool:
        """Whether it wants turns."""
        return self.is_ready and not self.live.ended and (not self.halted or self.steps > 0)

    def prepare(self, beat: Beat) -> None:
        """All that takes long before the first step; a failure is the end of it."""
        with self._failing():
            self.live.prepare(self.folder, self.name, beat)
            if self._before["ended"] == "stopped":
                self.live.stop()

    def begin(self) -> None:
        """Be ready for turns."""
        self.is_ready, self.note, self.step_due = True, "", time.monotonic()
        if self.live.ended != "error":
            self.write_note()

    def play(self, beat: Beat, among: int = 1) -> None:
        """Have a turn, a shorter one where as many others want theirs."""
        began, most = time.thread_time(), self.steps if self.halted else self._steps_due()
        with self._failing():
            made = self.live.turn(
                min(TURN, max(SHORTEST_TURN, ROUND / among)), most, beat, self._is_wanted
            )
            self.steps = max(0, self.steps - made)
            if self.speed is not None:
                self.step_due += made / self.speed
        self.is_pressing = False
        self.had += time.thread_time() - began
        is_time = time.monotonic() >= self._save_due and self.had >= self._save_after
        if self.live.ended or is_time or (self.halted and not self.steps):
            self.save()

    def _is_wanted(self) -> object:
        return self.queue

    def _steps_due(self) -> int:
        """How many steps a run may make now; many where nobody holds it back."""
        if self.speed is None:
            return TURN_STEPS
        now = time.monotonic()
        self.step_due = max(self.step_due, now - LAG)
        return max(1, math.floor((now - self.step_due) * self.speed) + 1)

    @contextmanager
    def _failing(self) -> Iterator[None]:
        """Whatever a run raises ends that run, and nothing else."""
        try:
            yield
        except MemoryError as error:
            self.live.fail(f"There is not enough memory for it here{_said(error)}.")
        except GenokuError as error:
            self.live.fail(str(error))
        except Exception as error:
            self.live.fail(f"It failed: {type(error).__name__}{_said(error)}.")

    def serve(self, do: str, arguments: dict[str, Any]) -> Any:
        """Obey a command, or answer a question; None is an answer that waits for steps."""
        live = self.live
        if do == "pause":
            self.halted, self.steps = True, 0
        elif do == "resume":
            self.halted, self.steps, self.step_due = False, 0, time.monotonic()
        elif do == "step":
            count = arguments.get("steps", 1)
            if not 1 <= count <= MOST_STEPS:
                raise GenokuError(f"expected 1 to {MOST_STEPS:,} steps, got {count}")
            self.halted, self.is_pressing = True, True
            if not live.ended:
                self.steps += count
                return None
        elif do == "stop":
            live.stop()
        elif do == "speed":
            self.speed, self.step_due = speed_of(arguments["limit"]), time.monotonic()
        elif do == "listen":
            self.listened, self.frame_due = bool(arguments["on"]), time.monotonic()
        else:
            return live.answer(do, arguments)
        return self.frame()

    def frame(self) -> dict[str, Any]:
        """A picture of it."""
        self._seq += 1
        held = {"speed_limit": self.speed} if self.kind == "run" else {}
        live = self.live.frame(self.phase != "running")
        return {"seq": self._seq, "phase": self.phase, **held, **live, "note": self.note}

    def picture(self, among: int) -> tuple[str, Phase] | None:
        """A picture that is due, as text, where as many others want turns; or None."""
        now, began = time.monotonic(), time.thread_time()
        phase = self.phase
        # Where a run halts is always shown: no later picture would.
        halts = phase == "paused" and not self.steps and self.live.step != self._step_shown
        is_news = self.shown != (phase, self.note) or halts
        if not is_news and not (self.listened and now >= self.frame_due):
            return None
        try:
            text = text_of(self.frame())
        except MemoryError:  # there may be more another time
            self.frame_due = now + 1.0
            return None
        self.shown = phase, self.note
        self._step_shown = self.live.step
        # With many others a run has little time, of which pictures may take only a share.
        cost = (time.thread_time() - began) * among / FRAME_SHARE
        # Pictures come after turns: one that came late lets the next come early, so that there are
        # as many in a second as there may be.
        period = 1 / self.limits.frames
        self.frame_due = max(max(self.frame_due, now - period) + period, now + cost)
        return text, phase

    def save(self) -> None:
        """Write the checkpoint and what goes with it; a full disk ends nothing."""
        began = time.thread_time()
        try:
            if self.live.ended != "error":
                self.folder.path.mkdir(parents=True, exist_ok=True)
                self.live.save(self.folder, self.name)
            self.note = ""
        except (OSError, GenokuError, MemoryError) as error:
            self.note = f"nothing can be saved: {getattr(error, 'strerror', None) or error}"
        self.write_note()
        self._save_due = time.monotonic() + SAVE_EVERY
        self._save_after = self.had + (time.thread_time() - began) / SAVE_SHARE

    def write_note(self) -> None:
        """Keep how it stands, where that is news; until it is ready, it stands as it did before."""
        note: Saved = {**self._before, "speed": self.speed, "title": self._title}
        note["step"] = max(note["step"], self.live.step)
        if self.is_ready:
            note["phase"], note["ended"] = self.phase, self.live.ended
        elif note["phase"] != "ended":
            note["phase"] = "paused" if self.halted else "running"
        if note != self._noted:
            with suppress(OSError):  # which the checkpoint's note tells of
                self.folder.write(self.name, note)
                self._noted = note


def _said(error: BaseException) -> str:
    first = str(error).strip().partition("\n")[0]
    return f": {first}" if first else ""
