"""All live sessions of a server: who listens to them, which worker runs them, when they end.

Sessions outlive the death of their worker: another one resumes them from their checkpoints, and
sends on what they were asked. What takes too long, or kills two workers in a row, is ended.
"""

from __future__ import annotations

import asyncio
import json
import secrets
import time
from collections.abc import AsyncIterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple

from pydantic_core import to_json

from genoku.errors import GenokuError
from genoku.web.limits import Limits
from genoku.web.live.channel import PREPARING, STEPPING, Channel, Frames, LiveWorkerError
from genoku.web.live.plan import Folder, Kind, RacePlan, RunPlan, Saved
from genoku.web.live.snapshot import Facts, Phase, Snapshot
from genoku.web.refusals import NotFoundError, TookTooLongError, TooManyError
from genoku.words import plural
from genoku.workers import STARTING

HEARTBEAT = 15.0  # seconds between words on a silent stream
SWEEP = 60.0  # seconds between looks at what is on disk
REMEMBERED = 1000  # reasons why sessions ended
PREPARE_SECONDS = 60.0  # without a sign of the compiler
LOOK = 0.5  # seconds between looks at the pulse of workers
FREEZE = 15.0  # seconds after which a worker that does not even listen is taken for dead
GOODBYE = 1.7  # seconds for workers to save what they have
STARTS = 3  # how often in a row a worker may die before it is ready
FORGIVEN = 60.0  # seconds after which the death of a worker is held against nobody

TWICE = (
    f"two processes that it ran in died within {FORGIVEN:g} seconds, so it was ended: "
    "is memory short?"
)


@dataclass(eq=False)
class Session:
    """A live run or race, as the server knows it."""

    id: str
    slot: int
    """Its number in the pulse of its worker."""
    saved: Saved
    """What another worker needs to know to resume it."""
    channel: Channel
    facts: Facts | None = None
    """What it is about; None until it is open."""
    frame: Snapshot | None = None
    """How it stands: the newest snapshot."""
    phase: Phase = "waiting"
    is_open: bool = True
    heard: float = field(default_factory=time.monotonic)
    """When somebody last showed interest."""
    listeners: set[asyncio.Event] = field(default_factory=set[asyncio.Event])
    opening: asyncio.Future[Session] | None = None
    """Done once it is open."""
    leaving: asyncio.Future[Any] | None = None
    """Done once it is saved, where it is being closed."""
    struck: float = -FORGIVEN
    """When a worker last died that it may have been the death of."""

    def take(self, frame: Any) -> None:
        """Note a new snapshot; whoever has not sent the one before skips it."""
        self.frame = frame
        self.wake()

    def wake(self) -> None:
        for news in self.listeners:
            news.set()

    def body(self) -> Facts:
        """What it is about, and how it stands now."""
        assert self.facts is not None, "`find` gives only those that are open"
        assert self.frame is not None
        return replace(self.facts, frame=self.frame)


class Pending(NamedTuple):
    """A command on its way."""

    future: asyncio.Future[Any]
    name: str
    do: str
    arguments: dict[str, Any]


class Supervisor:
    """The sessions and the workers they take turns in; used from the server's own thread alone."""

    def __init__(self, limits: Limits, folder: Path) -> None:
        self._limits, self.folder = limits, Folder(folder)
        self._sessions: dict[str, Session] = {}
        """Those that are open, and those that are being saved."""
        self._reasons: dict[str, str] = {}
        self._channels: list[Channel] = []
        self._pending: dict[int, Pending] = {}
        self._numbers = count(1)
        self._blamed: dict[Channel, tuple[int, str]] = {}
        self._deaths = 0
        """In a row, of workers that were not ready yet."""
        self._is_ending = False
        self._tasks: list[asyncio.Task[None]] = []

    def __len__(self) -> int:
        return len(self.open_sessions)

    @property
    def open_sessions(self) -> list[Session]:
        return [each for each in self._sessions.values() if each.is_open]

    @property
    def listeners(self) -> int:
        """Streams that are open."""
        return sum(len(session.listeners) for session in self._sessions.values())

    @property
    def pids(self) -> list[int]:
        """The processes there are."""
        return [each.pid for each in self._channels if each.pid is not None]

    async def start(self) -> None:
        """Start all workers in the background; nothing that ran before is run by itself."""
        self._channels = [self._channel() for _ in range(self._limits.stage_count)]
        loops = self._watch_the_pulse(), self._keep_house()
        self._tasks = [asyncio.ensure_future(each) for each in loops]

    async def stop(self) -> None:
        """Let every session be saved, and every process end."""
        self.hang_up()
        for task in self._tasks:
            task.cancel()
        for channel in self._channels:
            channel.send((0, "end", "", {}))
        loop = asyncio.get_running_loop()
        end = loop.time() + GOODBYE
        while loop.time() < end and not all(each.ended.is_set() for each in self._channels):
            await asyncio.sleep(0.02)
        for channel in self._channels:
            channel.kill()
        await asyncio.gather(*(asyncio.to_thread(each.ended.wait, 2.0) for each in self._channels))
        for pending in list(self._pending.values()):
            if not pending.future.done():
                pending.future.set_exception(GenokuError("the server is being stopped"))

    def hang_up(self) -> None:
        """End all streams without a word, as the server ends: sessions have not."""
        self._is_ending = True
        for session in self._sessions.values():
            session.wake()

    # What routes ask for

    async def open(self, plan: RunPlan | RacePlan) -> Session:
        """Start a session, unless there are as many as there may be."""
        return await self._opened(secrets.token_urlsafe(12), Saved.of(plan))

    async def restore(self, identity: str, kind: Kind) -> Session:
        """Bring back a session as it was when it was last put on disk; it halts until asked."""
        while (session := self._sessions.get(identity)) is not None:
            if session.leaving is not None:
                await asyncio.wait((session.leaving,))  # it is being saved at this moment
                await asyncio.sleep(0)
                continue
            assert session.opening is not None
            await asyncio.shield(session.opening)  # for somebody else, perhaps at this moment
            return self.find(identity, kind)
        saved = self.folder.read(identity)
        if saved is None or saved.kind != kind:
            raise self._missing(identity, kind)
        phase = "ended" if saved.phase == "ended" else "paused"
        return await self._opened(identity, saved.model_copy(update={"phase": phase}))

    def find(self, identity: str, kind: Kind) -> Session:
        """A session that is live; else an error that says whether it can be resumed."""
        session = self._sessions.get(identity)
        is_there = session is not None and session.is_open and session.facts is not None
        if session is None or not is_there or session.saved.kind != kind:
            raise self._missing(identity, kind)
        session.heard = time.monotonic()
        return session

    async def ask(self, session: Session, do: str, **arguments: Any) -> Any:
        """Have a session's worker call a method of it between two turns; what comes of it."""
        session.heard = time.monotonic()
        if self._sessions.get(session.id) is not session:
            raise GenokuError("the session is gone")
        patience = self._limits.answer_seconds + self._limits.step_seconds
        try:
            async with asyncio.timeout(patience):
                return await self._sent(session, do, arguments)
        except TimeoutError:
            said = f"the {session.saved.kind} has not answered in {patience:g} seconds; ask again"
            raise TookTooLongError(said) from None

    async def close(self, identity: str) -> None:
        """End a session for good."""
        session = self._sessions.get(identity)
        if session is not None:
            await self._save(session, "it was closed")
        self.folder.forget(identity)

    async def events(self, session: Session) -> AsyncIterator[str]:
        """What happens in a session, as server-sent events: each time the newest snapshot only."""
        news = asyncio.Event()
        news.set()
        session.listeners.add(news)
        self._watch(session)
        try:
            while not self._is_ending:
                try:
                    async with asyncio.timeout(HEARTBEAT):
                        await news.wait()
                except TimeoutError:
                    yield ": still here\n\n"
                    continue
                news.clear()
                if not session.is_open:
                    yield f"event: gone\ndata: {json.dumps(self._reasons.get(session.id, ''))}\n\n"
                    return
                if not self._is_ending:
                    yield f"data: {to_json(session.frame).decode()}\n\n"
        finally:
            session.listeners.discard(news)
            session.heard = time.monotonic()
            if session.is_open and not session.listeners:
                self._watch(session)

    def _watch(self, session: Session) -> None:
        """Say whether somebody listens: only then are snapshots made regularly."""
        session.channel.send((0, "listen", session.id, {"on": bool(session.listeners)}))

    def _missing(self, identity: str, kind: Kind) -> NotFoundError:
        """Why a session is not there, and how it stood if it can be resumed."""
        saved, why = self.folder.read(identity), self._reasons.get(identity, "")
        said = f"this {kind} is not live{': ' + why if why else ''}"
        if saved is None or saved.kind != kind:
            return NotFoundError(said, resumable=False)
        is_over = saved.phase == "ended" and saved.ended != "error"
        kept = {"step": saved.step, "title": saved.title, "ended": is_over}
        return NotFoundError(f"{said}; it can be resumed", resumable=True, **kept)

    # Coming and going

    async def _opened(self, identity: str, saved: Saved) -> Session:
        most = self._limits.sessions
        if len(self) >= most:
            raise TooManyError(
                f"the server runs {plural(most, 'session')} already, which is as many as it may; "
                "try again when one has ended"
            )
        if not self._channels:
            self._channels.append(self._channel())
        session = Session(identity, next(self._numbers), saved, self._freest())
        self._sessions[identity] = session
        # Whoever asked may go while it is being opened: it is in the book then, and ends in time.
        opening = self._sent(session, "open", self._opening(session))
        session.opening = asyncio.ensure_future(self._begun(session, opening))
        return await asyncio.shield(session.opening)

    async def _begun(self, session: Session, opening: asyncio.Future[Facts]) -> Session:
        try:
            facts = await opening
        except BaseException:
            self._drop(session)
            session.channel.send((0, "close", session.id, {}))
            raise
        session.facts, session.frame = facts, session.frame or facts.frame
        self._reasons.pop(session.id, None)
        session.heard = time.monotonic()
        return session

    def _opening(self, session: Session) -> dict[str, Any]:
        return {"slot": session.slot, "saved": session.saved}

    async def _save(self, session: Session, why: str) -> None:
        """Have a session saved, and let it go."""
        if session.leaving is None:
            self._hide(session, why)
            session.leaving = self._sent(session, "close", {})
            session.leaving.add_done_callback(lambda _: self._drop(session))
        await asyncio.shield(session.leaving)

    def _drop(self, session: Session) -> None:
        if self._sessions.get(session.id) is session:  # and not one that was restored since
            del self._sessions[session.id]

    def _hide(self, session: Session, why: str) -> None:
        """Show a session to nobody any more, and let its listeners know."""
        while len(self._reasons) >= REMEMBERED:
            del self._reasons[next(iter(self._reasons))]
        self._reasons[session.id] = why
        session.is_open = False
        session.wake()

    async def _keep_house(self) -> None:
        """Put on disk what nobody listens to, and clear away what nobody has come back for."""
        limits, swept = self._limits, -SWEEP
        while True:
            now = time.monotonic()
            if now - swept >= SWEEP:
                swept, live = now, set(self._sessions)
                await asyncio.to_thread(self.folder.sweep, limits.kept, limits.kept_bytes, live)
            for session in self.open_sessions:
                is_idle = session.facts is not None and not session.listeners
                if is_idle and now - session.heard > limits.grace:
                    await self._put_away(session)
            await asyncio.sleep(min(1.0, limits.grace / 4))

    async def _put_away(self, session: Session) -> None:
        with suppress(GenokuError, LiveWorkerError):  # then it is as it was last on disk
            await self._save(session, "nobody was listening any more")

    # Workers

    def _channel(self) -> Channel:
        return Channel(self._limits, self.folder.path, self._take, self._bury)

    def _freest(self) -> Channel:
        """The worker with the fewest sessions that want turns, then the fewest at all."""

        def load(channel: Channel) -> tuple[int, int]:
            own = [each for each in self._sessions.values() if each.channel is channel]
            return sum(each.phase in ("waiting", "running") for each in own), len(own)

        return min(self._channels, key=load)

    def _sent(self, session: Session, do: str, arguments: dict[str, Any]) -> asyncio.Future[Any]:
        """The answer to a command that is on its way now."""
        ticket, future = next(self._numbers), asyncio.get_running_loop().create_future()
        self._pending[ticket] = Pending(future, session.id, do, arguments)
        future.add_done_callback(lambda _: self._pending.pop(ticket, None))
        session.channel.send((ticket, do, session.id, arguments))
        return future

    def _take(self, channel: Channel, frames: Frames, answers: list[tuple[Any, ...]]) -> None:
        """What a worker says. Snapshots come first: who asked finds that after it took effect."""
        for name, frame in frames.items():
            session = self._sessions.get(name)
            if session is not None and session.channel is channel:
                session.phase = frame.phase
                session.take(frame)
        for kind, *message in answers:
            if kind == "ready":
                channel.is_ready, self._deaths = True, 0
            else:
                self._answer(*message)

    def _answer(self, ticket: int, value: Any) -> None:
        pending = self._pending.get(ticket)
        if pending is None or pending.future.done():
            return
        if isinstance(value, Exception):
            pending.future.set_exception(value)
        else:
            pending.future.set_result(value)

    async def _watch_the_pulse(self) -> None:
        """Kill a worker that does not come out of a step, and know whose step it was.

        Time counts as it is seen to pass here: if all of us stood still, as by Ctrl-Z, or this
        process had no turn itself, nobody took long.
        """
        loop, period = asyncio.get_running_loop(), min(LOOK, self._limits.step_seconds / 4)
        while True:
            before = loop.time()
            await asyncio.sleep(period)
            passed = min(loop.time() - before, 2 * period)
            for channel in self._channels:
                channel.take_pulse(passed)
                guilty = self._guilty(channel)
                if channel.is_frozen(FREEZE if channel.is_ready else STARTING):  # nobody's fault
                    channel.kill()
                elif guilty is not None and channel not in self._blamed:
                    self._blamed[channel] = guilty
                    channel.kill()

    def _guilty(self, channel: Channel) -> tuple[int, str] | None:
        """The slot of a session that holds its worker up, and what there is to say about it."""
        slot = channel.stuck(PREPARING, PREPARE_SECONDS)
        if slot is not None:
            return slot, f"getting it ready took longer than {PREPARE_SECONDS:g} seconds"
        most = self._limits.step_seconds
        slot = channel.stuck(STEPPING, most)
        return None if slot is None else (slot, f"one step of it took longer than {most:g} seconds")

    def _bury(self, channel: Channel) -> None:
        """A worker is dead: others resume its sessions, but for whoever was its death."""
        if self._is_ending or channel not in self._channels:
            return
        self._channels.remove(channel)
        self._deaths += not channel.is_ready
        blamed, reason = self._blamed.pop(channel, (None, ""))
        # Before it is ready, a worker has been at nobody.
        suspects = self._suspects(channel) if blamed is None and channel.is_ready else set[int]()
        if self._deaths < STARTS:
            self._channels.append(self._channel())
        for session in [each for each in self._sessions.values() if each.channel is channel]:
            before = session.struck
            if session.slot in suspects:
                session.struck = time.monotonic()
            if session.slot == blamed:
                self._lose(session, reason)
            elif before < session.struck < before + FORGIVEN:
                self._lose(session, TWICE)
            elif not self._channels:
                self._lose(session, "no process can be started to run it in: is memory short?")
            else:
                self._move(session)

    def _suspects(self, channel: Channel) -> set[int]:
        """The slots of those who may have been a worker's death.

        Whoever it was at; if it was at nobody, all that went on there or were asked something.
        """
        asked = {pending.name for pending in self._pending.values()}
        return channel.at_work() or {
            each.slot
            for each in self._sessions.values()
            if each.channel is channel
            and (each.phase in ("waiting", "running") or each.id in asked)
        }

    def _lose(self, session: Session, reason: str) -> None:
        self._drop(session)
        for pending in list(self._pending.values()):
            if pending.name == session.id and not pending.future.done():
                pending.future.set_exception(GenokuError(reason))
        if session.is_open:
            self._hide(session, reason)

    def _move(self, session: Session) -> None:
        """Resume a session elsewhere: from its checkpoint, or its start where there is none.

        What was on its way when its worker died is sent again, after the opening.
        """
        session.channel, session.phase = self._freest(), "waiting"
        session.saved = self.folder.read(session.id) or session.saved
        asked = [each for each in self._pending.items() if each[1].name == session.id]
        if not any(pending.do == "open" for _, pending in asked):
            opening = self._sent(session, "open", self._opening(session))
            opening.add_done_callback(lambda done: self._moved(session, done))
        for ticket, pending in asked:
            session.channel.send((ticket, pending.do, session.id, pending.arguments))
        if session.listeners:
            self._watch(session)

    def _moved(self, session: Session, opening: asyncio.Future[Any]) -> None:
        error = None if opening.cancelled() else opening.exception()
        if error is not None and self._sessions.get(session.id) is session:
            self._lose(session, str(error))
