"""The worker process: sessions take fair turns, and commands are obeyed between them.

Three threads share the work, so that nobody waits for another's step: the first obeys commands and
answers questions, the second makes the steps of whoever had the least time so far, and the third
prepares new sessions, for which kernels may have to be compiled.

A session belongs to one thread at a time: to the third until it is ready, to the second while it is
`_busy`, and else to whoever has the lock. What comes for one in the middle of its turn waits in its
queue for the end of that, which is one step away; what comes for one that is not ready waits too,
but for what changes no run (`ANY_TIME`). Every thread tells of its progress in `_pulse`, which the
server watches from outside.
"""

from __future__ import annotations

import os
import pickle
import threading
import time
import traceback
from collections.abc import Callable
from contextlib import suppress
from multiprocessing.connection import Connection
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any

from genoku.engine.run import load_kernels_of
from genoku.errors import GenokuError
from genoku.geometry import Geometry
from genoku.preset_library import preset
from genoku.web.limits import Limits
from genoku.web.live.channel import LISTENING, NOBODY, PREPARING, STEPPING, LiveWorkerError
from genoku.web.live.plan import Folder, Saved
from genoku.web.live.session import Command, LiveSession
from genoku.workers import error_text, limit_memory

GOODBYE = 1.0  # seconds that the end of a worker waits for a step
PATIENCE = 1.0  # seconds after which an opening is answered, whether its session is ready or not
NAP = 60.0  # seconds without a look at whose turn it is, at most
IDLE = 0.5  # seconds without a session after which kernels are loaded for the first one
LIKELIEST = "champion"
COMPILING = "compiling kernels (once, some seconds)"
ANY_TIME = frozenset(("pause", "resume", "limit_speed", "listen"))
"""What a session can be told before it is ready."""


def main(connection: Connection, pulse: Any, limits: Limits, folder: Path) -> None:
    """Serve sessions until told to end, or until the pipe ends."""
    limit_memory(limits.memory)
    LiveWorker(connection, pulse, limits, Folder(folder)).serve()


class LiveWorker:
    """The sessions of a process, and whose turn it is."""

    def __init__(self, connection: Connection, pulse: Any, limits: Limits, folder: Folder) -> None:
        self._connection, self._pulse = connection, pulse
        self._limits, self._folder = limits, folder
        self._sessions: dict[str, LiveSession] = {}
        self._lock = threading.Condition()
        self._busy: LiveSession | None = None
        self._is_ending = False
        self._opening: dict[str, tuple[int, float]] = {}
        """Tickets of those who wait for a session to be ready, and since when."""
        self._unprepared: SimpleQueue[LiveSession] = SimpleQueue()
        self._preparing: LiveSession | None = None

    def serve(self) -> None:
        """The first thread: obey what comes through the pipe."""
        _listen_for_compilers(self._compiling, self._moved_on)
        for work in (self._play, self._prepare):
            threading.Thread(target=_to_the_end, args=(work,), daemon=True).start()
        self._beat(LISTENING)
        self._send("ready")
        while not self._is_ending:
            self._beat(LISTENING)
            try:
                has_come = self._connection.poll(PATIENCE / 4)
                message = self._connection.recv() if has_come else None
            except (EOFError, OSError):  # the server is gone
                break
            with self._lock:
                if message is not None:
                    self._receive(*message)
                self._answer_the_patient()
                self._lock.notify_all()
        self._end()

    def _end(self) -> None:
        """Save everything, but wait for no long step; then be gone, whatever threads are at."""
        with self._lock:
            self._is_ending = True
            last = self._busy
            for session in self._sessions.values():
                if session is not last and session.phase == "running":
                    session.save()
            if self._lock.wait_for(lambda: self._busy is None, GOODBYE) and last is not None:
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
                self._obey(self._sessions[name], Command(ticket, do, arguments))
        except Exception as error:
            self._answer(ticket, error)

    def _open(self, ticket: int, name: str, slot: int, saved: Saved) -> None:
        if name in self._sessions:
            raise GenokuError(f"there is a session {name} already")
        session = LiveSession(name, slot, saved, self._folder, self._limits)
        self._sessions[name] = session
        self._opening[name] = ticket, time.monotonic()
        self._unprepared.put(session)

    def _close(self, ticket: int, name: str) -> None:
        """Let a session go; what is on disk of it stays. Nobody is left waiting for it."""
        session = self._sessions.get(name)
        if session is not None and session is self._busy:
            session.queue.append(Command(ticket, "close", {}))
            return
        self._opening.pop(name, None)
        if session is not None:
            if session.phase == "running":
                session.save()
            del self._sessions[name]
            self._answer_who_waits(session)
            self._serve_queue(session)  # who are told that it is gone
        self._answer(ticket, None)

    def _obey(self, session: LiveSession, command: Command) -> None:
        ticket, do, arguments = command
        if session is self._busy or not (session.is_ready or do in ANY_TIME):
            session.queue.append(command)
            return
        before = session.phase
        if do in ("resume", "step"):
            self._catch_up(session)
        value = getattr(session, do)(**arguments)
        if value is None:
            session.waiting.append(ticket)
        else:
            if do != "step":
                self._answer_who_waits(session)
            self._answer(ticket, value)
        self._show(session)
        if session.phase != before and session.phase in ("paused", "ended"):
            session.save()
        elif do in ("resume", "limit_speed"):
            session.write_note()

    def _catch_up(self, session: LiveSession) -> None:
        """Who comes back from a pause has no claim on the time that others had meanwhile."""
        others = [
            each.had for each in self._sessions.values() if each.is_active and each is not session
        ]
        session.had = max(session.had, min(others, default=0.0))

    def _play(self) -> None:
        """The second thread: turns."""
        while True:
            with self._lock:
                session = self._next()
                self._busy, among = session, self._active()
            self._beat(STEPPING, session)
            session.play(lambda: self._beat(STEPPING), among)
            self._pulse[STEPPING] = NOBODY
            with self._lock:
                self._beat(STEPPING, session)  # what comes after its turn is its doing too
                self._busy = None
                self._after(session)
                self._pulse[STEPPING] = NOBODY
                self._lock.notify_all()

    def _active(self) -> int:
        """How many want turns; one at least."""
        return max(1, sum(session.is_active for session in self._sessions.values()))

    def _next(self) -> LiveSession:
        """Whose turn it is: waits until it is somebody's."""
        while True:
            now = time.monotonic()
            everybody = [] if self._is_ending else self._sessions.values()
            active = [each for each in everybody if each.is_active]
            due = [each for each in active if each.halted or not each.speed or each.step_due <= now]
            if due:
                return min(due, key=lambda each: (not each.is_pressing, each.had))
            soonest = min((each.step_due for each in active), default=None)
            self._lock.wait(None if soonest is None else min(max(0.0, soonest - now), NAP))

    def _after(self, session: LiveSession) -> None:
        """What has waited for the end of a turn."""
        if not session.steps or session.ended:
            self._answer_who_waits(session)
        self._serve_queue(session)
        if session.name in self._sessions:
            self._show(session)

    def _serve_queue(self, session: LiveSession) -> None:
        queue, session.queue = session.queue, []
        for ticket, do, arguments in queue:
            self._receive(ticket, do, session.name, arguments)

    def _answer_who_waits(self, session: LiveSession) -> None:
        waiting, session.waiting = session.waiting, []
        for ticket in waiting:
            self._answer(ticket, session.snapshot())

    def _prepare(self) -> None:
        """The third thread: new sessions."""
        try:
            session = self._unprepared.get(timeout=IDLE)
        except Empty:
            load_kernels_of(preset(LIKELIEST).build(), Geometry(3, 3))
            session = self._unprepared.get()
        while True:
            if self._sessions.get(session.name) is session:  # it may have been closed meanwhile
                self._make_ready(session)
            session = self._unprepared.get()

    def _make_ready(self, session: LiveSession) -> None:
        self._preparing = session
        self._beat(PREPARING, session)
        session.prepare(lambda: self._beat(PREPARING))
        self._pulse[PREPARING] = NOBODY
        with self._lock:
            self._beat(PREPARING, session)
            self._preparing = None
            if self._sessions.get(session.name) is session:
                session.begin()
                self._welcome(session)
            self._pulse[PREPARING] = NOBODY
            self._lock.notify_all()

    def _welcome(self, session: LiveSession) -> None:
        """It is ready; or it failed, which is told to who opened it if they still wait."""
        ticket, _ = self._opening.pop(session.name, (None, 0.0))
        if ticket is not None and session.ended == "error":
            self._sessions.pop(session.name, None)
            self._answer(ticket, GenokuError(" ".join(session.snapshot().verdict)))
            return
        self._catch_up(session)
        self._show(session)
        if ticket is not None:
            self._answer(ticket, session.facts())
        self._serve_queue(session)

    def _answer_the_patient(self) -> None:
        """Who has waited long for a session to be ready is told that it will be."""
        now = time.monotonic()
        for name, (ticket, since) in list(self._opening.items()):
            if now - since >= PATIENCE and name in self._sessions:
                del self._opening[name]
                self._show(self._sessions[name])
                self._answer(ticket, self._sessions[name].facts())

    def _compiling(self) -> None:
        """Say that kernels are being compiled, where that keeps somebody waiting.

        Never waits for the lock: whoever has it may be waiting for the compiler.
        """
        self._moved_on()
        session = self._preparing
        if session is None or session.shown == ("waiting", COMPILING):
            return
        if self._lock.acquire(blocking=False):
            try:
                session.note = COMPILING
                self._show(session)
            finally:
                self._lock.release()

    def _show(self, session: LiveSession) -> None:
        """Send a snapshot, if one is due."""
        snapshot = session.due_snapshot(self._active())
        if snapshot is not None:
            self._send("frame", session.name, snapshot)

    def _answer(self, ticket: int, value: Any) -> None:
        """Send what came of a command."""
        self._send("answer", ticket, _portable(value) if isinstance(value, Exception) else value)

    def _send(self, *message: Any) -> None:
        with self._lock:
            try:
                self._connection.send(message)
            except OSError:  # the server is gone, which the first thread will see
                self._is_ending = True

    def _beat(self, place: int, session: LiveSession | None = None) -> None:
        """Note that a step begins now, so that one without end is seen, and whose it is."""
        self._pulse[place + 1] += 1
        if session is not None:
            self._pulse[place] = session.slot

    def _moved_on(self) -> None:
        """Whoever waits for the compiler, which works for one at a time, is not at fault."""
        self._beat(STEPPING)
        self._beat(PREPARING)


def _portable(error: Exception) -> Exception:
    """An error for the pipe; one that is none of ours, or would not survive it, as its text."""
    kind = GenokuError if isinstance(error, GenokuError) else LiveWorkerError
    with suppress(Exception):
        if kind is GenokuError and type(pickle.loads(pickle.dumps(error))) is type(error):
            return error
    return kind(error_text(error))


def _to_the_end(work: Callable[[], None]) -> None:
    """A thread that dies takes the worker along: the server sees that, and starts another."""
    try:
        work()
    except BaseException:
        traceback.print_exc()
        os._exit(1)


def _listen_for_compilers(on_start: Callable[[], None], on_end: Callable[[], None]) -> None:
    from numba.core import event

    class Listener(event.Listener):
        def on_start(self, event: Any) -> None:
            on_start()

        def on_end(self, event: Any) -> None:
            on_end()

    register: Any = event.register
    register("numba:compile", Listener())
