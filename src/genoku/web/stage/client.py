"""All stages of a server: sessions find their place on one, and outlive its death.

`ask` gives text that is JSON already, so that the server passes it on as it came: the frame after
"pause", "resume", "step", "stop" and "speed"; `frames.Curve` for "curve", and so on. "result" alone
gives plain data, see `LiveRun.result`.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple

from genoku import errors
from genoku.errors import CheckpointError, GenokuError
from genoku.web.frames import Phase
from genoku.web.limits import Limits
from genoku.web.stage.link import PREPARING, STEPPING, Frames, Link
from genoku.web.stage.saved import Folder, Kind, Saved
from genoku.workers import STARTING

PREPARE_SECONDS = 60.0  # without a sign of the compiler
LOOK = 0.5  # seconds between looks at the pulse of stages
FREEZE = 15.0  # seconds after which a stage that does not even listen is taken for dead
GOODBYE = 1.7  # seconds for stages to save what they have
STARTS = 3  # how often in a row a stage may die before it is ready
FORGIVEN = 60.0  # seconds after which the death of a stage is held against nobody

TWICE = (
    f"two processes that it ran in died within {FORGIVEN:g} seconds, so it was ended: "
    "is memory short?"
)

OnFrame = Callable[[str, str], None]
OnLost = Callable[[str, str], object]


class StageFailedError(Exception):
    """An error of ours in a stage."""


@dataclass
class Place:
    """Where a session is, and what another stage needs to know to go on with it."""

    link: Link
    slot: int
    saved: Saved
    phase: Phase = "waiting"
    is_watched: bool = False
    left: asyncio.Future[Any] | None = None
    """Its end, once it is being closed."""
    struck: float = -FORGIVEN
    """When a stage last died that it may have been the death of."""


class Pending(NamedTuple):
    """A question on its way."""

    future: asyncio.Future[Any]
    name: str
    do: str
    arguments: dict[str, Any]


class Stages:
    """Processes in which sessions take turns; used from the server's own thread alone."""

    def __init__(self, limits: Limits, folder: Path, on_frame: OnFrame, on_lost: OnLost) -> None:
        self._limits, self._folder = limits, Folder(folder)
        self._on_frame, self._on_lost = on_frame, on_lost
        self._links: list[Link] = []
        self._places: dict[str, Place] = {}
        self._pending: dict[int, Pending] = {}
        self._numbers = count(1)
        self._blamed: dict[Link, tuple[int, str]] = {}
        self._deaths = 0
        """In a row, of stages that were not ready yet."""
        self._is_ending = False
        self._watchdog: asyncio.Task[None] | None = None

    @property
    def pids(self) -> list[int]:
        """The processes there are."""
        return [link.pid for link in self._links if link.pid is not None]

    async def start(self) -> None:
        """Start all stages in the background; sessions may be opened at once."""
        self._links = [self._linked() for _ in range(self._limits.stage_count)]
        self._watchdog = asyncio.ensure_future(self._watch_the_clock())

    async def stop(self) -> None:
        """Let every session be saved, and every process end."""
        self._is_ending = True
        if self._watchdog is not None:
            self._watchdog.cancel()
        for link in self._links:
            link.send((0, "end", "", {}))
        loop = asyncio.get_running_loop()
        end = loop.time() + GOODBYE
        while loop.time() < end and not all(link.ended.is_set() for link in self._links):
            await asyncio.sleep(0.02)
        for link in self._links:
            link.kill()
        await asyncio.gather(*(asyncio.to_thread(each.ended.wait, 2.0) for each in self._links))
        for pending in list(self._pending.values()):
            if not pending.future.done():
                pending.future.set_exception(GenokuError("the server is being stopped"))

    async def open(self, name: str, kind: Kind, plan: dict[str, Any]) -> dict[str, Any]:
        """Begin a session; what it is about, once it is ready or is known to take a while."""
        phase = "paused" if plan.get("paused") else "running"
        return await self._opened(name, _begun(kind, plan, phase))

    async def restore(self, name: str, kind: Kind) -> dict[str, Any]:
        """Bring a session back as it was when it was last saved; it halts until asked."""
        place = self._places.get(name)
        if place is not None and place.left is not None:  # it is being saved at this moment
            await asyncio.wait((place.left,))
        saved = self._folder.read(name)
        if saved is None or saved["kind"] != kind:
            raise CheckpointError(f"expected a {kind} that was saved, got none by that id")
        phase = "ended" if saved["phase"] == "ended" else "paused"
        return await self._opened(name, {**saved, "phase": phase})

    async def ask(self, name: str, do: str, /, **arguments: Any) -> Any:
        """Have a session's stage do something between two turns, and give what comes of it."""
        if name not in self._places:
            raise GenokuError("the session is gone")
        return await self._sent(name, do, arguments)

    async def close(self, name: str) -> None:
        """Save a session, and let it go."""
        place = self._places.get(name)
        if place is not None and place.left is None:
            place.left = self._sent(name, "close", {})
            place.left.add_done_callback(lambda _: self._left(name, place))
        if place is not None and place.left is not None:
            await asyncio.shield(place.left)

    def _left(self, name: str, place: Place) -> None:
        if self._places.get(name) is place:  # and not one that was restored since
            del self._places[name]

    def watch(self, name: str, on: bool) -> None:
        """Say whether somebody listens: only then are pictures made."""
        place = self._places.get(name)
        if place is not None:
            place.is_watched = on
            place.link.send((0, "listen", name, {"on": on}))

    def kept(self, name: str, kind: Kind) -> dict[str, Any] | None:
        """How a session stood that can be restored: its step, its title, whether it is over."""
        saved = self._folder.read(name)
        if saved is None or saved["kind"] != kind:
            return None
        is_over = saved["phase"] == "ended" and saved["ended"] != "error"
        return {"step": saved["step"], "title": saved["title"], "ended": is_over}

    def forget(self, name: str) -> None:
        """Remove what is on disk of a session."""
        self._folder.forget(name)

    def sweep(self) -> None:
        """Remove what nobody has come back to for long, or is too much."""
        limits = self._limits
        self._folder.sweep(limits.kept, limits.kept_bytes, set(self._places))

    def _linked(self) -> Link:
        return Link(self._limits, self._folder.path, self._take, self._bury)

    async def _opened(self, name: str, saved: Saved) -> dict[str, Any]:
        if name in self._places:
            raise GenokuError(f"there is a session {name} already")
        if not self._links:
            self._links.append(self._linked())
        slot = next(self._numbers)
        self._places[name] = Place(self._freest(), slot, saved)
        try:
            facts: dict[str, Any] = await self._sent(name, "open", {"slot": slot, "saved": saved})
        except BaseException:
            place = self._places.pop(name, None)
            if place is not None:  # whoever asked has gone, and nobody else knows of it
                place.link.send((0, "close", name, {}))
            raise
        return facts

    def _freest(self) -> Link:
        """The stage with the fewest sessions that want turns, then the fewest at all."""
        places = list(self._places.values())

        def load(link: Link) -> tuple[int, int]:
            own = [each for each in places if each.link is link]
            return sum(each.phase in ("waiting", "running") for each in own), len(own)

        return min(self._links, key=load)

    def _sent(self, name: str, do: str, arguments: dict[str, Any]) -> asyncio.Future[Any]:
        """The answer to a question that is on its way now."""
        ticket, future = next(self._numbers), asyncio.get_running_loop().create_future()
        self._pending[ticket] = Pending(future, name, do, arguments)
        future.add_done_callback(lambda _: self._pending.pop(ticket, None))
        self._places[name].link.send((ticket, do, name, arguments))
        return future

    def _take(self, link: Link, frames: Frames, answers: list[tuple[Any, ...]]) -> None:
        """What a stage says. Pictures come first: who asked finds the one after it took effect."""
        for name, (text, phase) in frames.items():
            place = self._places.get(name)
            if place is not None and place.link is link:
                place.phase = phase
                self._on_frame(name, text)
        for kind, *message in answers:
            if kind == "ready":
                link.is_ready, self._deaths = True, 0
            else:
                self._answer(*message)

    def _answer(self, ticket: int, is_well: bool, value: Any) -> None:
        pending = self._pending.get(ticket)
        if pending is None or pending.future.done():
            return
        if is_well:
            pending.future.set_result(value)
        else:
            pending.future.set_exception(_error(*value))

    async def _watch_the_clock(self) -> None:
        """Kill a stage that does not come out of a step, and know whose step it was.

        Time counts as it is seen to pass here: if all of us stood still, as by Ctrl-Z, or this
        process had no turn itself, nobody took long.
        """
        loop, period = asyncio.get_running_loop(), min(LOOK, self._limits.step_seconds / 4)
        while True:
            before = loop.time()
            await asyncio.sleep(period)
            passed = min(loop.time() - before, 2 * period)
            for link in self._links:
                link.take_pulse(passed)
                guilty = self._guilty(link)
                if link.is_frozen(FREEZE if link.is_ready else STARTING):  # which is nobody's fault
                    link.kill()
                elif guilty is not None and link not in self._blamed:
                    self._blamed[link] = guilty
                    link.kill()

    def _guilty(self, link: Link) -> tuple[int, str] | None:
        """The slot of a session that holds its stage up, and what there is to say about it."""
        slot = link.stuck(PREPARING, PREPARE_SECONDS)
        if slot is not None:
            return slot, f"getting it ready took longer than {PREPARE_SECONDS:g} seconds"
        most = self._limits.step_seconds
        slot = link.stuck(STEPPING, most)
        return None if slot is None else (slot, f"one step of it took longer than {most:g} seconds")

    def _bury(self, link: Link) -> None:
        """A stage is dead: others go on with its sessions, but for whoever was its death."""
        if self._is_ending or link not in self._links:
            return
        self._links.remove(link)
        self._deaths += not link.is_ready
        blamed, reason = self._blamed.pop(link, (None, ""))
        # Before it is ready, a stage has been at nobody.
        suspects = self._suspects(link) if blamed is None and link.is_ready else set[int]()
        if self._deaths < STARTS:
            self._links.append(self._linked())
        for name, place in list(self._places.items()):
            if place.link is not link:
                continue
            before = place.struck
            if place.slot in suspects:
                place.struck = time.monotonic()
            if place.slot == blamed:
                self._lose(name, reason)
            elif before < place.struck < before + FORGIVEN:
                self._lose(name, TWICE)
            elif not self._links:
                self._lose(name, "no process can be started to run it in: is memory short?")
            else:
                self._move(name, place)

    def _suspects(self, link: Link) -> set[int]:
        """The slots of those who may have been a stage's death.

        Whoever it was at; if it was at nobody, all that went on there or were asked something.
        """
        asked = {pending.name for pending in self._pending.values()}
        return link.at_work() or {
            place.slot
            for name, place in self._places.items()
            if place.link is link and (place.phase in ("waiting", "running") or name in asked)
        }

    def _lose(self, name: str, reason: str) -> None:
        del self._places[name]
        for pending in self._pending.values():
            if pending.name == name and not pending.future.done():
                pending.future.set_exception(GenokuError(reason))
        self._on_lost(name, reason)

    def _move(self, name: str, place: Place) -> None:
        """Go on with a session elsewhere: from its checkpoint, or its start where there is none.

        What was on its way when its stage died is sent again, after the opening.
        """
        place.link, place.phase = self._freest(), "waiting"
        place.saved = self._folder.read(name) or place.saved
        asked = [each for each in self._pending.items() if each[1].name == name]
        if not any(pending.do == "open" for _, pending in asked):
            opening = self._sent(name, "open", {"slot": place.slot, "saved": place.saved})
            opening.add_done_callback(lambda done: self._moved(name, done))
        for ticket, pending in asked:
            place.link.send((ticket, pending.do, name, pending.arguments))
        if place.is_watched:
            self.watch(name, True)

    def _moved(self, name: str, opening: asyncio.Future[Any]) -> None:
        error = None if opening.cancelled() else opening.exception()
        if error is not None and name in self._places:
            self._lose(name, str(error))


def _begun(kind: Kind, plan: dict[str, Any], phase: str) -> Saved:
    """A session before its first step."""
    return Saved(
        kind=kind, plan=plan, phase=phase, speed=plan.get("speed"), ended="", step=0, title=""
    )


def _error(kind: str, said: str) -> Exception:
    """An error of a stage as it was raised there."""
    known = getattr(errors, kind, None)
    if isinstance(known, type) and issubclass(known, GenokuError):
        return known(said)
    return StageFailedError(said)
