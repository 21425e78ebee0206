"""The process of a stage: acts take fair turns, and commands are obeyed between them.

Three threads share the work, so that nobody waits for another's step: the first obeys commands and
answers questions, the second makes the steps of whoever had the least time so far, and the third
prepares new acts, for which kernels may have to be compiled.

An act belongs to one thread at a time: to the third until it is ready, to the second while it is
`_busy`, and else to whoever has the lock. What comes for one in the middle of its turn waits in its
queue for the end of that, which is one step away; what comes for one that is not ready waits too,
but for what changes no run (`ANY_TIME`). Every thread tells of its progress in `_pulse`, which the
server watches from outside.
"""

from __future__ import annotations

import os
import threading
import time
import traceback
from collections.abc import Callable
from multiprocessing.connection import Connection
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any

from genoku.errors import GenokuError
from genoku.geometry import Geometry
from genoku.preset_library import preset
from genoku.warming import load_kernels_of
from genoku.web.limits import Limits
from genoku.web.stage.acts import Act, Asked
from genoku.web.stage.link import LISTENING, NOBODY, PREPARING, STEPPING
from genoku.web.stage.looks import text_of
from genoku.web.stage.saved import Folder, Saved
from genoku.workers import error_text, limit_memory

GOODBYE = 1.0  # seconds that the end of a stage waits for a step
PATIENCE = 1.0  # seconds after which an opening is answered, whether its act is ready or not
NAP = 60.0  # seconds without a look at whose turn it is, at most
IDLE = 0.5  # seconds without a session after which kernels are loaded for the first one
LIKELIEST = "champion"
COMPILING = "compiling kernels (once, some seconds)"
ANY_TIME = frozenset(("pause", "resume", "speed", "listen"))
"""What an act can be told before it is ready."""


def main(connection: Connection, pulse: Any, limits: Limits, folder: Path) -> None:
    """What a stage does until it is told to end, or its pipe does."""
    limit_memory(limits.memory)
    Stage(connection, pulse, limits, Folder(folder)).serve()


class Stage:
    """The acts of a process, and whose turn it is."""

    def __init__(self, connection: Connection, pulse: Any, limits: Limits, folder: Folder) -> None:
        self._connection, self._pulse = connection, pulse
        self._limits, self._folder = limits, folder
        self._acts: dict[str, Act] = {}
        self._lock = threading.Condition()
        self._busy: Act | None = None
        self._is_ending = False
        self._opening: dict[str, tuple[int, float]] = {}
        """Tickets of those who wait for an act to be ready, and since when."""
        self._unprepared: SimpleQueue[Act] = SimpleQueue()
        self._preparing: Act | None = None

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
            for act in self._acts.values():
                if act is not last and act.phase == "running":
                    act.save()
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
            elif name not in self._acts:
                raise GenokuError("the session is gone")
            else:
                self._obey(self._acts[name], Asked(ticket, do, arguments))
        except Exception as error:
            self._refuse(ticket, error)

    def _open(self, ticket: int, name: str, slot: int, saved: Saved) -> None:
        if name in self._acts:
            raise GenokuError(f"there is a session {name} already")
        act = Act(name, slot, saved, self._folder, self._limits)
        self._acts[name] = act
        self._opening[name] = ticket, time.monotonic()
        self._unprepared.put(act)

    def _close(self, ticket: int, name: str) -> None:
        """Let an act go; what is on disk of it stays. Nobody is left waiting for it."""
        act = self._acts.get(name)
        if act is not None and act is self._busy:
            act.queue.append(Asked(ticket, "close", {}))
            return
        self._opening.pop(name, None)
        if act is not None:
            if act.phase == "running":
                act.save()
            del self._acts[name]
            self._answer_who_waits(act)
            self._serve_queue(act)  # who are told that it is gone
        self._send("answer", ticket, True, None)

    def _obey(self, act: Act, asked: Asked) -> None:
        if act is self._busy or not (act.is_ready or asked.do in ANY_TIME):
            act.queue.append(asked)
            return
        before = act.phase
        if asked.do == "resume":
            self._catch_up(act)
        value = act.serve(asked.do, asked.arguments)
        if value is None:
            self._catch_up(act)
            act.waiting.append(asked.ticket)
        else:
            if asked.do != "step":
                self._answer_who_waits(act)
            told = value if asked.do == "result" else text_of(value)
            self._send("answer", asked.ticket, True, told)
        self._show(act)
        if act.phase != before and act.phase in ("paused", "ended"):
            act.save()
        elif asked.do in ("resume", "speed"):
            act.write_note()

    def _catch_up(self, act: Act) -> None:
        """Who comes back from a pause has no claim on the time that others had meanwhile."""
        others = [each.had for each in self._acts.values() if each.is_active and each is not act]
        act.had = max(act.had, min(others, default=0.0))

    def _play(self) -> None:
        """The second thread: turns."""
        while True:
            with self._lock:
                act = self._next()
                self._busy, among = act, self._active()
            self._beat(STEPPING, act)
            act.play(lambda: self._beat(STEPPING), among)
            self._pulse[STEPPING] = NOBODY
            with self._lock:
                self._beat(STEPPING, act)  # what comes after its turn is its doing too
                self._busy = None
                self._after(act)
                self._pulse[STEPPING] = NOBODY
                self._lock.notify_all()

    def _active(self) -> int:
        """How many want turns; one at least."""
        return max(1, sum(act.is_active for act in self._acts.values()))

    def _next(self) -> Act:
        """Whose turn it is: waits until it is somebody's."""
        while True:
            now = time.monotonic()
            active = (
                [] if self._is_ending else [act for act in self._acts.values() if act.is_active]
            )
            due = [act for act in active if act.halted or not act.speed or act.step_due <= now]
            if due:
                return min(due, key=lambda act: (not act.is_pressing, act.had))
            soonest = min((act.step_due for act in active), default=None)
            self._lock.wait(None if soonest is None else min(max(0.0, soonest - now), NAP))

    def _after(self, act: Act) -> None:
        """What has waited for the end of a turn."""
        if not act.steps or act.live.ended:
            self._answer_who_waits(act)
        self._serve_queue(act)
        if act.name in self._acts:
            self._show(act)

    def _serve_queue(self, act: Act) -> None:
        queue, act.queue = act.queue, []
        for asked in queue:
            self._receive(asked.ticket, asked.do, act.name, asked.arguments)

    def _answer_who_waits(self, act: Act) -> None:
        waiting, act.waiting = act.waiting, []
        for ticket in waiting:
            self._send("answer", ticket, True, text_of(act.frame()))

    def _prepare(self) -> None:
        """The third thread: new acts."""
        try:
            act = self._unprepared.get(timeout=IDLE)
        except Empty:
            load_kernels_of(preset(LIKELIEST).build(), Geometry(3, 3))
            act = self._unprepared.get()
        while True:
            if self._acts.get(act.name) is act:  # it may have been closed meanwhile
                self._make_ready(act)
            act = self._unprepared.get()

    def _make_ready(self, act: Act) -> None:
        self._preparing = act
        self._beat(PREPARING, act)
        act.prepare(lambda: self._beat(PREPARING))
        self._pulse[PREPARING] = NOBODY
        with self._lock:
            self._beat(PREPARING, act)
            self._preparing = None
            if self._acts.get(act.name) is act:
                act.begin()
                self._welcome(act)
            self._pulse[PREPARING] = NOBODY
            self._lock.notify_all()

    def _welcome(self, act: Act) -> None:
        """An act is ready; or it failed, which is told to who opened it if they still wait."""
        ticket, _ = self._opening.pop(act.name, (None, 0.0))
        if ticket is not None and act.live.ended == "error":
            self._acts.pop(act.name, None)
            self._refuse(ticket, GenokuError(" ".join(act.frame()["verdict"])))
            return
        self._catch_up(act)
        self._show(act)
        if ticket is not None:
            self._send("answer", ticket, True, act.live.facts())
        self._serve_queue(act)

    def _answer_the_patient(self) -> None:
        """Who has waited long for an act to be ready is told that it will be."""
        now = time.monotonic()
        for name, (ticket, since) in list(self._opening.items()):
            if now - since >= PATIENCE and name in self._acts:
                del self._opening[name]
                self._show(self._acts[name])
                self._send("answer", ticket, True, self._acts[name].live.facts())

    def _compiling(self) -> None:
        """Say that kernels are being compiled, where that keeps somebody waiting.

        Never waits for the lock: whoever has it may be waiting for the compiler.
        """
        self._moved_on()
        act = self._preparing
        if act is None or act.shown == ("waiting", COMPILING):
            return
        if self._lock.acquire(blocking=False):
            try:
                act.note = COMPILING
                self._show(act)
            finally:
                self._lock.release()

    def _show(self, act: Act) -> None:
        """Send a picture, if one is due."""
        picture = act.picture(self._active())
        if picture is not None:
            self._send("frame", act.name, *picture)

    def _refuse(self, ticket: int, error: Exception) -> None:
        self._send("answer", ticket, False, (type(error).__name__, error_text(error)))

    def _send(self, *message: Any) -> None:
        with self._lock:
            try:
                self._connection.send(message)
            except OSError:  # the server is gone, which the first thread will see
                self._is_ending = True

    def _beat(self, place: int, act: Act | None = None) -> None:
        """Note that a step begins now, so that one without end is seen, and whose it is."""
        self._pulse[place + 1] += 1
        if act is not None:
            self._pulse[place] = act.slot

    def _moved_on(self) -> None:
        """Whoever waits for the compiler, which works for one at a time, is not at fault."""
        self._beat(STEPPING)
        self._beat(PREPARING)


def _to_the_end(work: Callable[[], None]) -> None:
    """A thread that dies takes the stage along: the server sees that, and starts another."""
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
