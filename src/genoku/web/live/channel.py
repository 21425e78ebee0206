"""A worker process of live sessions as the server sees it: its messages, and its pulse.

Light: the server imports this, and nothing that a worker itself needs.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from genoku.web.limits import Limits
from genoku.web.live.snapshot import Snapshot
from genoku.workers import Actor

PLACES: tuple[int, int, int] = 0, 2, 4
STEPPING, PREPARING, LISTENING = PLACES
"""Where the pulse of a thread is: the slot of the session it is at, then its beats so far."""
NOBODY = -1.0

Frames = dict[str, Snapshot]
"""The newest snapshot of every session."""


class LiveWorkerError(Exception):
    """An error of ours in a worker."""


def work(connection: Connection, pulse: Any, limits: Limits, folder: Path) -> None:
    """The worker process."""
    from genoku.web.live.worker import main

    main(connection, pulse, limits, folder)


class Channel(Actor):
    """A worker process whose news reach the server's thread: of snapshots only the newest."""

    def __init__(
        self,
        limits: Limits,
        folder: Path,
        on_news: Callable[[Channel, Frames, list[tuple[Any, ...]]], None],
        on_death: Callable[[Channel], None],
    ) -> None:
        self.pulse = get_context("spawn").RawArray("d", [NOBODY, 0.0] * len(PLACES))
        self._on_news = on_news
        self._news = threading.Lock()
        self._frames: Frames = {}
        self._answers: list[tuple[Any, ...]] = []
        self._is_called = False
        self._beats = dict.fromkeys(PLACES, ((NOBODY, 0.0), 0.0))
        """The pulse as it was last taken, and for how many seconds it has been so."""
        self.is_ready = False
        super().__init__(
            work,
            self.pulse,
            limits,
            folder,
            loop=asyncio.get_running_loop(),
            on_message=self._hear,
            on_end=lambda: on_death(self),
            name="live",
        )

    def take_pulse(self, seconds: float) -> None:
        """See whether its threads have moved on, so many seconds after the last time."""
        for place, (last, still) in self._beats.items():
            beat = self.pulse[place], self.pulse[place + 1]
            self._beats[place] = beat, still + seconds if beat == last else 0.0

    def stuck(self, place: int, seconds: float) -> int | None:
        """The slot of a session that has been at one step for longer than so many seconds."""
        (slot, _), still = self._beats[place]
        return int(slot) if slot != NOBODY and still > seconds else None

    def is_frozen(self, seconds: float) -> bool:
        """Whether it has not even listened for so long."""
        return self._beats[LISTENING][1] > seconds

    def at_work(self) -> set[int]:
        """The slots of those that were at something when it was last heard of."""
        return {int(self.pulse[each]) for each in (STEPPING, PREPARING)} - {int(NOBODY)}

    def _hear(self, message: tuple[Any, ...]) -> None:
        """Keep a message for the server's thread, which is called once for all there are."""
        with self._news:
            if message[0] == "frame":
                _, name, snapshot = message
                self._frames[name] = snapshot
            else:
                self._answers.append(message)
            if self._is_called:
                return
            self._is_called = True
        self.call_in_loop(self._tell)

    def _tell(self) -> None:
        with self._news:
            frames, self._frames = self._frames, {}
            answers, self._answers = self._answers, []
            self._is_called = False
        self._on_news(self, frames, answers)
