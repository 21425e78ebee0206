"""A live worker process: its sessions take fair turns, and commands are executed between them.

Three threads share the work, so that nothing waits for a long step: the first executes commands,
the second runs the steps of the session that has had the least CPU time, and the third prepares
new sessions, which may need to compile kernels.

A session belongs to one thread at a time: to the third until it is ready, to the second while it is
`_busy`, otherwise to the thread that holds the lock. Commands for it wait in its queue until the
end of its turn, or until it is ready. Every thread counts its progress in `_heartbeats`, which the
server watches.
"""

from __future__ import annotations

import os
import pickle
import threading
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from multiprocessing.connection import Connection
from queue import Empty, SimpleQueue
from typing import Any

from numba.core import event

from genoku.engine.run import warm_up
from genoku.errors import GenokuError
from genoku.evolve.presets import preset
from genoku.puzzle.geometry import Geometry
from genoku.runtime.jit import CompileListener
from genoku.runtime.workers import error_text
from genoku.web.limits import Limits
from genoku.web.live.channel import LISTENING, NO_SESSION, PREPARING, STEPPING, LiveWorkerError
from genoku.web.live.plan import SavedSession, SessionFolder
from genoku.web.live.session import Command, LiveSession

SHUTDOWN_SECONDS = 1.0  # for the current step
OPENING_SECONDS = 1.0  # after which an opening is answered even if it is not ready
MAX_WAIT = 60.0  # seconds between two checks for due sessions
IDLE_SECONDS = 0.5  # without a session, after which the default preset's kernels are loaded
DEFAULT_PRESET = "champion"
COMPILING = "compiling kernels (only once, takes some seconds)"
ALLOWED_BEFORE_READY = ("pause", "resume", "limit_speed", "listen")  # commands for a session


class LiveWorker:
    """The sessions of a worker process, and its three threads."""

    def __init__(
        self, connection: Connection, heartbeats: Any, limits: Limits, folder: SessionFolder
    ) -> None:
        self._connection, self._heartbeats = connection, heartbeats
        self._limits, self._folder = limits, folder
        self._sessions: dict[str, LiveSession] = {}
        self._lock = threading.Condition()
        self._busy: LiveSession | None = None
        self._is_ending = False
        # Tickets of openings that are not answered yet, and when they came.
        self._opening: dict[str, tuple[int, float]] = {}
        self._unprepared: SimpleQueue[LiveSession] = SimpleQueue()
        self._preparing: LiveSession | None = None

    def serve(self) -> None:
        """Execute the commands that come through the pipe: the first thread."""
        register: Any = event.register
        register("numba:compile", CompileListener(self._report_compiling, self._beat_all))
        for work in (self._run_turns, self._prepare):
            threading.Thread(target=_exit_on_error, args=(work,), daemon=True).start()
        self._beat(LISTENING)
        self._send("ready")
        while not self._is_ending:
            self._beat(LISTENING)
            try:
                has_come = self._connection.poll(OPENING_SECONDS / 4)
                message = self._connection.recv() if has_come else None
            except (EOFError, OSError):  # the server is gone
                break
            with self._lock:
                if message is not None:
                    self._receive(*message)
                self._answer_slow_openings()
                self._lock.notify_all()
        self._end()

    def _end(self) -> None:
        """Save all sessions, without waiting for a long step; then exit, with all threads."""
        with self._lock:
            self._is_ending = True
            last = self._busy
            for session in self._sessions.values():
                if session is not last and session.phase == "running":
                    session.save()
            if self._lock.wait_for(lambda: not self._busy, SHUTDOWN_SECONDS) and last is not None:
                last.save()
        os._exit(0)

    def _receive(self, ticket: int, do: str, name: str, arguments: dict[str, Any]) -> None:
        try:
            if do == "end":
                self._is_ending = True
            elif do == "open":
                self._open(ticket, name, **arguments)
            elif do == "close":
                self._close(ticket, name)
            elif name not in self._sessions:
                raise GenokuError("the session is gone")
            else:
                self._execute(self._sessions[name], Command(ticket, do, arguments))
        except Exception as error:
            self._answer(ticket, error)

    def _open(self, ticket: int, name: str, slot: int, saved: SavedSession) -> None:
        if name in self._sessions:
            raise GenokuError(f"there is a session {name} already")
        session = LiveSession(name, slot, saved, self._folder, self._limits)
        self._sessions[name] = session
        self._opening[name] = ticket, time.monotonic()
        self._unprepared.put(session)

    def _close(self, ticket: int, name: str) -> None:
        """Save and drop a session, and answer its waiting commands; its files stay."""
        session = self._sessions.get(name)
        if session is not None and session is self._busy:
            session.queue.append(Command(ticket, "close", {}))
            return
        self._opening.pop(name, None)
        if session is not None:
            if session.phase == "running":
                session.save()
            del self._sessions[name]
            self._answer_waiting(session)
            self._serve_queue(session)  # they get the answer that it is gone
        self._answer(ticket, None)

    def _execute(self, session: LiveSession, command: Command) -> None:
        ticket, do, arguments = command
        if session is self._busy or not (session.is_ready or do in ALLOWED_BEFORE_READY):
            session.queue.append(command)
            return
        before = session.phase
        if do in ("resume", "step"):
            self._forfeit_missed_turns(session)
        value = getattr(session, do)(**arguments)
        if value is None:
            session.waiting.append(ticket)
        else:
            if do != "step":
                self._answer_waiting(session)
            self._answer(ticket, value)
        self._show(session)
        if session.phase != before and session.phase in ("paused", "ended"):
            session.save()
        elif do in ("resume", "limit_speed"):
            session.write_state()

    def _forfeit_missed_turns(self, session: LiveSession) -> None:
        """Count a resumed session as having had the CPU time of the others."""
        active = [each for each in self._sessions.values() if each.is_active]
        least = min((each.cpu_seconds for each in active if each is not session), default=0.0)
        session.cpu_seconds = max(session.cpu_seconds, least)

    def _run_turns(self) -> None:
        """Let sessions take turns: the second thread."""
        while True:
            with self._lock:
                session = self._next()
                self._busy, among = session, self._active()
            with self._working_on(session, STEPPING):
                session.take_turn(lambda: self._beat(STEPPING), among)
            with self._lock, self._working_on(session, STEPPING):  # its queue counts as its work
                self._busy = None
                if not session.steps or session.ended:
                    self._answer_waiting(session)
                self._serve_queue(session)
                if session.name in self._sessions:
                    self._show(session)
                self._lock.notify_all()

    def _active(self) -> int:
        """Return the number of sessions that take turns, at least 1."""
        return max(1, sum(session.is_active for session in self._sessions.values()))

    def _next(self) -> LiveSession:
        """Wait until a session is due, and return it."""
        while True:
            now = time.monotonic()
            sessions = [] if self._is_ending else self._sessions.values()
            active = [each for each in sessions if each.is_active]
            due = [each for each in active if each.halted or not each.speed or each.step_due <= now]
            if due:
                return min(due, key=lambda each: (not each.is_urgent, each.cpu_seconds))
            soonest = min((each.step_due for each in active), default=None)
            self._lock.wait(None if soonest is None else min(max(0.0, soonest - now), MAX_WAIT))

    def _serve_queue(self, session: LiveSession) -> None:
        queue, session.queue = session.queue, []
        for ticket, do, arguments in queue:
            self._receive(ticket, do, session.name, arguments)

    def _answer_waiting(self, session: LiveSession) -> None:
        waiting, session.waiting = session.waiting, []
        for ticket in waiting:
            self._answer(ticket, session.snapshot())

    def _prepare(self) -> None:
        """Prepare new sessions: the third thread."""
        try:
            session = self._unprepared.get(timeout=IDLE_SECONDS)
        except Empty:
            warm_up(preset(DEFAULT_PRESET).build(), Geometry(3, 3))
            session = self._unprepared.get()
        while True:
            if self._sessions.get(session.name) is session:  # unless it was closed meanwhile
                self._prepare_session(session)
            session = self._unprepared.get()

    def _prepare_session(self, session: LiveSession) -> None:
        self._preparing = session
        with self._working_on(session, PREPARING):
            session.prepare(lambda: self._beat(PREPARING))
        with self._lock, self._working_on(session, PREPARING):
            self._preparing = None
            if self._sessions.get(session.name) is session:
                session.mark_ready()
                self._announce_ready(session)
            self._lock.notify_all()

    def _announce_ready(self, session: LiveSession) -> None:
        """Answer the opening of a session that is ready, or that failed to start."""
        ticket, _ = self._opening.pop(session.name, (None, 0.0))
        if ticket is not None and session.ended == "error":
            self._sessions.pop(session.name, None)
            self._answer(ticket, GenokuError(" ".join(session.snapshot().verdict)))
            return
        self._forfeit_missed_turns(session)
        self._show(session)
        if ticket is not None:
            self._answer(ticket, session.facts())
        self._serve_queue(session)

    def _answer_slow_openings(self) -> None:
        """Answer openings that have waited long, though their sessions are not ready."""
        now = time.monotonic()
        for name, (ticket, since) in list(self._opening.items()):
            if now - since >= OPENING_SECONDS and name in self._sessions:
                del self._opening[name]
                self._show(self._sessions[name])
                self._answer(ticket, self._sessions[name].facts())

    def _report_compiling(self) -> None:
        """Show that kernels are being compiled for the session that is being prepared."""
        self._beat_all()
        session = self._preparing
        if session is None or session.last_sent == ("waiting", COMPILING):
            return
        if self._lock.acquire(blocking=False):  # its holder may be waiting for the compiler
            try:
                session.note = COMPILING
                self._show(session)
            finally:
                self._lock.release()

    def _show(self, session: LiveSession) -> None:
        snapshot = session.snapshot_if_due(self._active())
        if snapshot is not None:
            self._send("frame", session.name, snapshot)

    def _answer(self, ticket: int, value: Any) -> None:
        self._send("answer", ticket, _picklable(value) if isinstance(value, Exception) else value)

    def _send(self, *message: Any) -> None:
        with self._lock:
            try:
                self._connection.send(message)
            except OSError:  # the server is gone; the first thread will notice
                self._is_ending = True

    @contextmanager
    def _working_on(self, session: LiveSession, place: int) -> Iterator[None]:
        """Show the server which session a thread works on."""
        self._beat(place)
        self._heartbeats[place] = session.slot
        yield
        self._heartbeats[place] = NO_SESSION

    def _beat(self, place: int) -> None:
        """Count a step that begins now, so that the server notices one that never ends."""
        self._heartbeats[place + 1] += 1

    def _beat_all(self) -> None:
        """Count progress of both threads: waiting for the compiler is not a stuck step."""
        self._beat(STEPPING)
        self._beat(PREPARING)


def _picklable(error: Exception) -> Exception:
    """Return an error that can be pickled; others are replaced by one with the same text."""
    kind = GenokuError if isinstance(error, GenokuError) else LiveWorkerError
    with suppress(Exception):
        if kind is GenokuError and type(pickle.loads(pickle.dumps(error))) is type(error):
            return error
    return kind(error_text(error))


def _exit_on_error(work: Callable[[], None]) -> None:
    """Run a thread; if it fails, exit the process, which the server then replaces."""
    try:
        work()
    except BaseException:
        traceback.print_exc()
        os._exit(1)
