"""The server's side of a live worker process: its messages and its heartbeats.

The server imports this module, so it imports nothing heavy.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from genoku.runtime.workers import Actor, limit_memory
from genoku.web.limits import Limits
from genoku.web.live.plan import SessionFolder
from genoku.web.live.snapshot import Snapshot

# Where the heartbeat of a thread is: the slot of its current session, then a counter.
THREADS: tuple[int, int, int] = 0, 2, 4
STEPPING, PREPARING, LISTENING = THREADS
NO_SESSION = -1.0

Frames = dict[str, Snapshot]  # the newest snapshot of every session


class LiveWorkerError(Exception):
    """A bug in a live worker."""


def run_worker(connection: Connection, heartbeats: Any, limits: Limits, folder: Path) -> None:
    """Execute sessions in a worker process until the server ends it or the pipe is closed."""
    from genoku.web.live.worker import LiveWorker

    limit_memory(limits.memory)
    LiveWorker(connection, heartbeats, limits, SessionFolder(folder)).serve()


class Channel(Actor):
    """A worker process whose messages reach the server's thread; only the newest snapshots do."""

    def __init__(
        self,
        limits: Limits,
        folder: Path,
        on_news: Callable[[Channel, Frames, list[tuple[Any, ...]]], None],
        on_death: Callable[[Channel], None],
    ) -> None:
        self.heartbeats = get_context("spawn").RawArray("d", [NO_SESSION, 0.0] * len(THREADS))
        self._on_news = on_news
        self._news = threading.Lock()
        self._frames: Frames = {}
        self._answers: list[tuple[Any, ...]] = []
        self._is_called = False
        # By thread: the last heartbeat, and for how many seconds it has not changed.
        self._observed = dict.fromkeys(THREADS, ((NO_SESSION, 0.0), 0.0))
        self.is_ready = False
        super().__init__(
            run_worker,
            self.heartbeats,
            limits,
            folder,
            on_message=self._store,
            on_end=lambda: on_death(self),
            name="live",
        )

    def sample_heartbeats(self, seconds: float) -> None:
        """Check whether its threads have advanced, given the seconds since the last call."""
        for place, (last, still) in self._observed.items():
            beat = self.heartbeats[place], self.heartbeats[place + 1]
            self._observed[place] = beat, still + seconds if beat == last else 0.0

    def stuck_slot(self, place: int, seconds: float) -> int | None:
        """Return the slot of a session that a thread has worked on for too long without a beat."""
        (slot, _), still = self._observed[place]
        return int(slot) if slot != NO_SESSION and still > seconds else None

    def is_frozen(self, seconds: float) -> bool:
        """Whether it has not read its messages for that long."""
        return self._observed[LISTENING][1] > seconds

    def busy_slots(self) -> set[int]:
        """Return the slots of the sessions that its threads were working on."""
        return {int(self.heartbeats[each]) for each in (STEPPING, PREPARING)} - {int(NO_SESSION)}

    def _store(self, message: tuple[Any, ...]) -> None:
        """Store a message for the server's thread, which is called once for all stored ones."""
        with self._news:
            if message[0] == "frame":
                _, name, snapshot = message
                self._frames[name] = snapshot
            else:
                self._answers.append(message)
            if self._is_called:
                return
            self._is_called = True
        self.call_in_loop(self._deliver)

    def _deliver(self) -> None:
        with self._news:
            frames, self._frames = self._frames, {}
            answers, self._answers = self._answers, []
            self._is_called = False
        self._on_news(self, frames, answers)
