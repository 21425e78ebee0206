"""The live sessions of a server: their listeners, their workers, and their end.

If a worker dies, another one resumes its sessions from their checkpoints and receives their pending
commands. A session whose step takes too long, or whose workers die twice in a row, is ended.
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
from genoku.runtime.text import format_count
from genoku.runtime.workers import START_SECONDS, cores
from genoku.web.http_errors import NotFoundError, TookTooLongError, TooManyError
from genoku.web.limits import Limits
from genoku.web.live.channel import PREPARING, STEPPING, Channel, Frames, LiveWorkerError
from genoku.web.live.plan import Kind, RacePlan, RunPlan, SavedSession, SessionFolder
from genoku.web.live.snapshot import Phase, SessionAnswer, Snapshot

KEEP_ALIVE_SECONDS = 15.0  # between comments on a silent stream
SWEEP_SECONDS = 60.0  # between clean-ups of saved sessions
MAX_REASONS = 1000  # why sessions ended
PREPARE_SECONDS = 60.0  # without a heartbeat
WATCH_SECONDS = 0.5  # between checks of heartbeats
FREEZE_SECONDS = 60.0  # after which a worker that does not read messages is killed
SHUTDOWN_SECONDS = 1.7  # for workers to save their sessions
MAX_FAILED_STARTS = 3  # deaths in a row of workers that were not ready
SUSPECT_SECONDS = 60.0  # after which a worker's death is no longer held against a session

DIED_TWICE = (
    f"it was ended because two of its worker processes died within {SUSPECT_SECONDS:g} seconds; "
    "the machine may be short of memory"
)


@dataclass(eq=False)
class SessionHandle:
    """A live run or race, as seen by the server."""

    id: str
    slot: int  # its number in the heartbeats of its worker
    saved: SavedSession  # what another worker needs to resume it
    channel: Channel
    facts: SessionAnswer | None = None  # None until it is open
    frame: Snapshot | None = None  # the newest snapshot
    phase: Phase = "waiting"
    is_open: bool = True
    last_used: float = field(default_factory=time.monotonic)  # by a request or a listener
    listeners: set[asyncio.Event] = field(default_factory=set[asyncio.Event])
    opening: asyncio.Future[SessionHandle] | None = None  # done once it is open
    closing: asyncio.Future[Any] | None = None  # done once it is saved; None if it is not closed
    suspected_at: float = -SUSPECT_SECONDS  # when a worker last died that it may have killed

    def wake(self) -> None:
        for news in self.listeners:
            news.set()

    def answer(self) -> SessionAnswer:
        assert self.facts is not None, "`find` returns only open sessions"
        assert self.frame is not None
        return replace(self.facts, frame=self.frame)


class PendingCommand(NamedTuple):
    """A command that a worker has not answered yet."""

    future: asyncio.Future[Any]
    name: str
    do: str
    arguments: dict[str, Any]


class Supervisor:
    """All sessions and their workers; used in the server's main thread only."""

    def __init__(self, limits: Limits, folder: Path) -> None:
        self._limits, self.folder = limits, SessionFolder(folder)
        self._sessions: dict[str, SessionHandle] = {}  # sessions that are open or being saved
        self._reasons: dict[str, str] = {}
        self._channels: list[Channel] = []
        self._pending: dict[int, PendingCommand] = {}
        self._numbers = count(1)
        self._blamed: dict[Channel, tuple[int, str]] = {}
        self._deaths = 0  # in a row, of workers that were not ready yet
        self._is_ending = False
        self._tasks: list[asyncio.Task[None]] = []

    def __len__(self) -> int:
        return len(self.open_sessions)

    @property
    def open_sessions(self) -> list[SessionHandle]:
        return [each for each in self._sessions.values() if each.is_open]

    @property
    def listeners(self) -> int:
        """Number of open streams."""
        return sum(len(session.listeners) for session in self._sessions.values())

    @property
    def pids(self) -> list[int]:
        """The process ids of the workers."""
        return [each.pid for each in self._channels if each.pid is not None]

    async def start(self) -> None:
        """Start all workers in the background; saved sessions are not resumed by themselves."""
        self._channels = [self._channel() for _ in range(self._limits.live_workers or cores())]
        loops = self._watch_heartbeats(), self._clean_up()
        self._tasks = [asyncio.ensure_future(each) for each in loops]

    async def stop(self) -> None:
        """Save all sessions, and end all workers."""
        self.close_streams()
        for task in self._tasks:
            task.cancel()
        for channel in self._channels:
            channel.send((0, "end", "", {}))
        loop = asyncio.get_running_loop()
        end = loop.time() + SHUTDOWN_SECONDS
        while loop.time() < end and not all(each.ended.is_set() for each in self._channels):
            await asyncio.sleep(0.02)
        for channel in self._channels:
            channel.kill()
        await asyncio.gather(*(asyncio.to_thread(each.ended.wait, 2.0) for each in self._channels))
        for pending in list(self._pending.values()):
            if not pending.future.done():
                pending.future.set_exception(GenokuError("the server is stopping"))

    def close_streams(self) -> None:
        """End all streams without an event, as the sessions can be resumed."""
        self._is_ending = True
        for session in self._sessions.values():
            session.wake()

    # Called by routes

    async def open(self, plan: RunPlan | RacePlan) -> SessionHandle:
        """Start a session; TooManyError at the limit of sessions."""
        return await self._open_session(secrets.token_urlsafe(12), SavedSession.of(plan))

    async def restore(self, identity: str, kind: Kind) -> SessionHandle:
        """Open a saved session, paused; return it as it is if it is live."""
        while (session := self._sessions.get(identity)) is not None:
            if session.closing is not None:
                await asyncio.wait((session.closing,))  # it is being saved
                await asyncio.sleep(0)
                continue
            assert session.opening is not None
            await asyncio.shield(session.opening)  # another request may be opening it
            return self.find(identity, kind)
        saved = self.folder.read(identity)
        if saved is None or saved.kind != kind:
            raise self._missing(identity, kind)
        phase = "ended" if saved.phase == "ended" else "paused"
        return await self._open_session(identity, saved.model_copy(update={"phase": phase}))

    def find(self, identity: str, kind: Kind) -> SessionHandle:
        """Return a live session; the NotFoundError of others says whether they can be resumed."""
        session = self._sessions.get(identity)
        is_there = session is not None and session.is_open and session.facts is not None
        if session is None or not is_there or session.saved.kind != kind:
            raise self._missing(identity, kind)
        session.last_used = time.monotonic()
        return session

    async def ask(self, session: SessionHandle, do: str, **arguments: Any) -> Any:
        """Call a method of a session in its worker, between two turns, and return the result."""
        session.last_used = time.monotonic()
        if self._sessions.get(session.id) is not session:
            raise GenokuError("the session is gone")
        patience = self._limits.answer_seconds + self._limits.step_seconds
        try:
            async with asyncio.timeout(patience):
                return await self._send(session, do, arguments)
        except TimeoutError:
            said = f"the {session.saved.kind} did not answer within {patience:g} seconds; try again"
            raise TookTooLongError(said) from None

    async def close(self, identity: str) -> None:
        """End a session and remove its files."""
        session = self._sessions.get(identity)
        if session is not None:
            await self._save(session, "it was closed")
        self.folder.forget(identity)

    async def events(self, session: SessionHandle) -> AsyncIterator[str]:
        """Yield snapshots as server-sent events; a slow client gets only the newest."""
        news = asyncio.Event()
        news.set()
        session.listeners.add(news)
        self._watch(session)
        try:
            while not self._is_ending:
                try:
                    async with asyncio.timeout(KEEP_ALIVE_SECONDS):
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
            session.last_used = time.monotonic()
            if session.is_open and not session.listeners:
                self._watch(session)

    def _watch(self, session: SessionHandle) -> None:
        """Tell the worker whether the session has listeners, and thus needs regular snapshots."""
        session.channel.send((0, "listen", session.id, {"on": bool(session.listeners)}))

    def _missing(self, identity: str, kind: Kind) -> NotFoundError:
        """Return the error for a session that is not live, with its state if it can be resumed."""
        saved, why = self.folder.read(identity), self._reasons.get(identity, "")
        said = f"this {kind} is not live{': ' + why if why else ''}"
        if saved is None or saved.kind != kind:
            return NotFoundError(said, resumable=False)
        is_over = saved.phase == "ended" and saved.ended != "error"
        kept = {**saved.model_dump(include={"step", "errors", "title"}), "ended": is_over}
        return NotFoundError(f"{said}; it can be resumed", resumable=True, **kept)

    # Opening and closing

    async def _open_session(self, identity: str, saved: SavedSession) -> SessionHandle:
        most = self._limits.sessions
        if len(self) >= most:
            raise TooManyError(
                f"the server already runs {format_count(most, 'session')}, its limit; "
                "try again when one has ended"
            )
        if not self._channels:
            self._channels.append(self._channel())
        session = SessionHandle(identity, next(self._numbers), saved, self._least_loaded())
        self._sessions[identity] = session
        # If the client disconnects now, the session stays registered and is cleaned up later.
        session.opening = asyncio.ensure_future(
            self._finish_opening(session, self._send_opening(session))
        )
        return await asyncio.shield(session.opening)

    def _send_opening(self, session: SessionHandle) -> asyncio.Future[SessionAnswer]:
        return self._send(session, "open", {"slot": session.slot, "saved": session.saved})

    async def _finish_opening(
        self, session: SessionHandle, opening: asyncio.Future[SessionAnswer]
    ) -> SessionHandle:
        try:
            facts = await opening
        except BaseException:
            self._drop(session)
            session.channel.send((0, "close", session.id, {}))
            raise
        session.facts, session.frame = facts, session.frame or facts.frame
        self._reasons.pop(session.id, None)
        session.last_used = time.monotonic()
        return session

    async def _save(self, session: SessionHandle, why: str) -> None:
        """Have a session saved and closed by its worker."""
        if session.closing is None:
            self._hide(session, why)
            session.closing = self._send(session, "close", {})
            session.closing.add_done_callback(lambda _: self._drop(session))
        await asyncio.shield(session.closing)

    def _drop(self, session: SessionHandle) -> None:
        if self._sessions.get(session.id) is session:  # not one that was restored since
            del self._sessions[session.id]

    def _hide(self, session: SessionHandle, why: str) -> None:
        """Close a session to requests, and notify its listeners."""
        while len(self._reasons) >= MAX_REASONS:
            del self._reasons[next(iter(self._reasons))]
        self._reasons[session.id] = why
        session.is_open = False
        session.wake()

    async def _clean_up(self) -> None:
        """Regularly unload sessions without listeners, and remove old saved ones."""
        limits, swept = self._limits, -SWEEP_SECONDS
        while True:
            now = time.monotonic()
            if now - swept >= SWEEP_SECONDS:
                swept, live = now, set(self._sessions)
                await asyncio.to_thread(self.folder.sweep, limits.kept, limits.kept_bytes, live)
            for session in self.open_sessions:
                is_idle = session.facts is not None and not session.listeners
                if is_idle and now - session.last_used > limits.grace:
                    await self._unload(session)
            await asyncio.sleep(min(1.0, limits.grace / 4))

    async def _unload(self, session: SessionHandle) -> None:
        with suppress(GenokuError, LiveWorkerError):  # then its last checkpoint counts
            await self._save(session, "it had no listeners")

    # Workers

    def _channel(self) -> Channel:
        return Channel(self._limits, self.folder.path, self._receive, self._replace_worker)

    def _least_loaded(self) -> Channel:
        """Return the worker with the fewest active sessions, then the fewest in all."""

        def load(channel: Channel) -> tuple[int, int]:
            own = [each for each in self._sessions.values() if each.channel is channel]
            return sum(each.phase in ("waiting", "running") for each in own), len(own)

        return min(self._channels, key=load)

    def _send(
        self, session: SessionHandle, do: str, arguments: dict[str, Any]
    ) -> asyncio.Future[Any]:
        """Send a command to a session's worker, and return the future of its answer."""
        ticket, future = next(self._numbers), asyncio.get_running_loop().create_future()
        self._pending[ticket] = PendingCommand(future, session.id, do, arguments)
        future.add_done_callback(lambda _: self._pending.pop(ticket, None))
        session.channel.send((ticket, do, session.id, arguments))
        return future

    def _receive(self, channel: Channel, frames: Frames, answers: list[tuple[Any, ...]]) -> None:
        """Receive messages of a worker: first the snapshots, which answers may refer to."""
        for name, frame in frames.items():
            session = self._sessions.get(name)
            if session is not None and session.channel is channel:
                session.phase, session.frame = frame.phase, frame
                session.wake()
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

    async def _watch_heartbeats(self) -> None:
        """Kill workers that are stuck in a step, and note whose step it was.

        Only time that this process has seen pass counts, in case all processes were suspended, as
        by Ctrl-Z, or this one got no CPU time.
        """
        loop, period = asyncio.get_running_loop(), min(WATCH_SECONDS, self._limits.step_seconds / 4)
        while True:
            before = loop.time()
            await asyncio.sleep(period)
            passed = min(loop.time() - before, 2 * period)
            for channel in self._channels:
                channel.sample_heartbeats(passed)
                guilty = self._stuck_session(channel)
                if channel.is_frozen(FREEZE_SECONDS if channel.is_ready else START_SECONDS):
                    channel.kill()
                elif guilty is not None and channel not in self._blamed:
                    self._blamed[channel] = guilty
                    channel.kill()

    def _stuck_session(self, channel: Channel) -> tuple[int, str] | None:
        """Return the slot of a session that blocks its worker, and the reason to end it."""
        slot = channel.stuck_slot(PREPARING, PREPARE_SECONDS)
        if slot is not None:
            return slot, f"its preparation took longer than {PREPARE_SECONDS:g} seconds"
        most = self._limits.step_seconds
        slot = channel.stuck_slot(STEPPING, most)
        return None if slot is None else (slot, f"one step took longer than {most:g} seconds")

    def _replace_worker(self, channel: Channel) -> None:
        """Replace a dead worker, and move its sessions to others, except the one that killed it."""
        if self._is_ending or channel not in self._channels:
            return
        self._channels.remove(channel)
        self._deaths += not channel.is_ready
        blamed, reason = self._blamed.pop(channel, (None, ""))
        # A worker that was not ready had not begun with any session.
        suspects = self._suspects(channel) if blamed is None and channel.is_ready else set[int]()
        if self._deaths < MAX_FAILED_STARTS:
            self._channels.append(self._channel())
        for session in [each for each in self._sessions.values() if each.channel is channel]:
            before = session.suspected_at
            if session.slot in suspects:
                session.suspected_at = time.monotonic()
            if session.slot == blamed:
                self._fail(session, reason)
            elif before < session.suspected_at < before + SUSPECT_SECONDS:
                self._fail(session, DIED_TWICE)
            elif not self._channels:
                self._fail(session, "no worker process can be started; is memory short?")
            else:
                self._move(session)

    def _suspects(self, channel: Channel) -> set[int]:
        """Return the slots of sessions that a worker was working on, or else of its active ones."""
        asked = {pending.name for pending in self._pending.values()}
        return channel.busy_slots() or {
            each.slot
            for each in self._sessions.values()
            if each.channel is channel
            and (each.phase in ("waiting", "running") or each.id in asked)
        }

    def _fail(self, session: SessionHandle, reason: str) -> None:
        self._drop(session)
        for pending in list(self._pending.values()):
            if pending.name == session.id and not pending.future.done():
                pending.future.set_exception(GenokuError(reason))
        if session.is_open:
            self._hide(session, reason)

    def _move(self, session: SessionHandle) -> None:
        """Resume a session in another worker, from its checkpoint or start; resend its commands."""
        session.channel, session.phase = self._least_loaded(), "waiting"
        session.saved = self.folder.read(session.id) or session.saved
        asked = [each for each in self._pending.items() if each[1].name == session.id]
        if not any(pending.do == "open" for _, pending in asked):
            opening = self._send_opening(session)
            opening.add_done_callback(lambda done: self._finish_move(session, done))
        for ticket, pending in asked:
            session.channel.send((ticket, pending.do, session.id, pending.arguments))
        if session.listeners:
            self._watch(session)

    def _finish_move(self, session: SessionHandle, opening: asyncio.Future[Any]) -> None:
        error = None if opening.cancelled() else opening.exception()
        if error is not None and self._sessions.get(session.id) is session:
            self._fail(session, str(error))
