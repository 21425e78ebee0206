"""A stage as the server sees it: a process, the pipe to it, and what its pulse says.

Light: the server imports this, and nothing that a stage itself needs.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from contextlib import ExitStack, suppress
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path
from queue import SimpleQueue
from typing import Any

from genoku.web.children import keep_interrupts_from_children
from genoku.web.frames import Phase
from genoku.web.limits import Limits

PLACES: tuple[int, int, int] = 0, 2, 4
STEPPING, PREPARING, LISTENING = PLACES
"""Where the pulse of a thread stands: the slot of the act it is at, then its beats so far."""

NOBODY = -1.0

Frames = dict[str, tuple[str, Phase]]
"""The newest picture of every session as text, and its phase."""


def perform(connection: Connection, pulse: Any, limits: Limits, folder: Path) -> None:
    """The process of a stage."""
    from genoku.web.stage.process import main

    main(connection, pulse, limits, folder)


class Link:
    """A stage's process with two threads of ours: one listens to it, one talks to it.

    So the server's own thread never waits for a pipe, and a stage that is being started, or is in
    the middle of something, has its commands kept for it.
    """

    def __init__(
        self,
        limits: Limits,
        folder: Path,
        on_news: Callable[[Link, Frames, list[tuple[Any, ...]]], None],
        on_death: Callable[[Link], None],
    ) -> None:
        self._context = get_context("spawn")
        self.pulse = self._context.RawArray("d", [NOBODY, 0.0] * len(PLACES))
        self._started_with = limits, folder
        self._on_news, self._on_death = on_news, on_death
        self._loop = asyncio.get_running_loop()
        self._outbox: SimpleQueue[tuple[Any, ...] | None] = SimpleQueue()
        self._lock = threading.Lock()
        self._frames: Frames = {}
        self._answers: list[tuple[Any, ...]] = []
        self._is_called = False
        self._is_killed = False
        self._beats = dict.fromkeys(PLACES, ((NOBODY, 0.0), 0.0))
        """The pulse as it was last taken, and for how many seconds it has been so."""
        self._process: Any = None
        self.is_ready = False
        self.is_dead = threading.Event()
        threading.Thread(target=self._live, name="stage", daemon=True).start()

    @property
    def pid(self) -> int | None:
        return self._process.pid if self._process is not None else None

    def send(self, *message: Any) -> None:
        self._outbox.put(message)

    def kill(self) -> None:
        """End the process, whatever it is at."""
        self._is_killed = True
        with suppress(Exception):  # not started yet, or gone already
            self._process.kill()

    def take_pulse(self, seconds: float) -> None:
        """See whether its threads have moved on, so many seconds after the last time."""
        for place, (last, still) in self._beats.items():
            beat = self.pulse[place], self.pulse[place + 1]
            self._beats[place] = beat, still + seconds if beat == last else 0.0

    def stuck(self, place: int, seconds: float) -> int | None:
        """The slot of an act that has been at one step for longer than so many seconds."""
        (slot, _), still = self._beats[place]
        return int(slot) if slot != NOBODY and still > seconds else None

    def is_frozen(self, seconds: float) -> bool:
        """Whether it has not even listened for so long."""
        return self._beats[LISTENING][1] > seconds

    def at_work(self) -> set[int]:
        """The slots of those that were at something when it was last heard of."""
        return {int(self.pulse[each]) for each in (STEPPING, PREPARING)} - {int(NOBODY)}

    def _live(self) -> None:
        """The thread that listens, from the start of the process to its end."""
        try:
            with suppress(OSError, EOFError):
                self._listen()
        finally:  # whatever it was, nobody waits for it any more
            self._outbox.put(None)
            if self._process is not None and self._process.pid is not None:
                self._process.join(1.0)
                self._process.kill()
                self._process.join()
            self.is_dead.set()
            self._call(self._on_death, self)

    def _listen(self) -> None:
        keep_interrupts_from_children()
        with ExitStack() as stack:
            ours: tuple[Any, Any] = self._context.Pipe()
            connection, theirs = ours
            stack.callback(connection.close)
            self._process = self._context.Process(
                target=perform, args=(theirs, self.pulse, *self._started_with), daemon=True
            )
            self._process.start()
            theirs.close()
            if self._is_killed:
                self._process.kill()
            threading.Thread(target=self._talk, args=(connection,), daemon=True).start()
            while True:
                self._hear(connection.recv())

    def _talk(self, connection: Connection) -> None:
        """The thread that talks."""
        with suppress(OSError):  # nobody is there to hear it, which the other thread sees
            while (message := self._outbox.get()) is not None:
                connection.send(message)

    def _hear(self, message: tuple[Any, ...]) -> None:
        """Keep a message for the server's thread; of pictures only the newest."""
        with self._lock:
            if message[0] == "frame":
                self._frames[message[1]] = message[2:]
            else:
                self._answers.append(message)
            if self._is_called:
                return
            self._is_called = True
        self._call(self._tell)

    def _tell(self) -> None:
        with self._lock:
            frames, self._frames = self._frames, {}
            answers, self._answers = self._answers, []
            self._is_called = False
        self._on_news(self, frames, answers)

    def _call(self, function: Callable[..., None], *arguments: Any) -> None:
        with suppress(RuntimeError):  # the server's loop has ended
            self._loop.call_soon_threadsafe(function, *arguments)
