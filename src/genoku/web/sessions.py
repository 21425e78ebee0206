"""The book of sessions: live runs and races, who listens to them, and when they end."""

from __future__ import annotations

import asyncio
import json
import secrets
import time
from collections.abc import AsyncIterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from genoku.errors import GenokuError
from genoku.web.limits import Limits
from genoku.web.refusals import NotFoundError, TookTooLongError, TooManyError
from genoku.web.stage.client import StageFailedError, Stages
from genoku.web.stage.saved import Kind
from genoku.words import plural

HEARTBEAT = 15.0  # seconds between words on a silent stream
SWEEP = 60.0  # seconds between looks at what is on disk
REMEMBERED = 1000  # reasons why sessions ended


class Session:
    """A live run or race."""

    def __init__(self, identity: str, kind: Kind, stages: Stages, patience: float) -> None:
        self.id = identity
        self.kind: Kind = kind
        self.facts: dict[str, Any] = {}
        """What it is about, which does not change; empty until it is open."""
        self.frame = ""
        """How it stands: the newest frame, as JSON."""
        self.is_open = True
        self.heard = time.monotonic()
        """When somebody last showed interest."""
        self.listeners: set[asyncio.Event] = set()
        self.opening: asyncio.Future[Session] | None = None
        """Done once it is open."""
        self._stages, self._patience = stages, patience

    async def ask(self, do: str, **arguments: Any) -> Any:
        """Have its stage do something between two turns, and give what comes of it."""
        self.heard = time.monotonic()
        try:
            async with asyncio.timeout(self._patience):
                return await self._stages.ask(self.id, do, **arguments)
        except TimeoutError:
            said = f"the {self.kind} has not answered in {self._patience:g} seconds; ask again"
            raise TookTooLongError(said) from None

    def take(self, frame: str) -> None:
        """Note a new frame; whoever has not sent the one before skips it."""
        self.frame = frame
        self.wake()

    def wake(self) -> None:
        for news in self.listeners:
            news.set()

    def body(self) -> str:
        """The session as an answer of the API, as JSON; its frame is passed on as it came."""
        facts = json.dumps({"id": self.id, "kind": self.kind, **self.facts}, ensure_ascii=False)
        return f'{facts[:-1]}, "frame": {self.frame}}}'


class Sessions:
    """All sessions of a server."""

    def __init__(self, limits: Limits, folder: Path) -> None:
        self._limits, self._folder = limits, folder
        self._book: dict[str, Session] = {}
        self._reasons: dict[str, str] = {}
        self._is_ending = False
        self._keeper: asyncio.Task[None] | None = None
        self._stages: Stages | None = None

    def __len__(self) -> int:
        return len(self._book)

    @property
    def listeners(self) -> int:
        """Streams that are open."""
        return sum(len(session.listeners) for session in self._book.values())

    async def start(self) -> None:
        """Begin; nothing that ran before is run by itself."""
        self._stages = Stages(self._limits, self._folder, self._on_frame, self._leave)
        await self._stages.start()
        self._keeper = asyncio.ensure_future(self._keep_house())

    async def stop(self) -> None:
        """End; what is on its way can be resumed."""
        self.hang_up()
        if self._keeper is not None:
            self._keeper.cancel()
        if self._stages is not None:
            await self._stages.stop()

    def hang_up(self) -> None:
        """End all streams without a word, as the server ends: sessions have not."""
        self._is_ending = True
        for session in self._book.values():
            session.wake()

    async def open(self, kind: Kind, plan: dict[str, Any]) -> Session:
        """Start a session, unless there are as many as there may be."""
        return await self._opened(secrets.token_urlsafe(12), kind, plan)

    async def restore(self, identity: str, kind: Kind) -> Session:
        """Bring back a session as it was when it was last put on disk; it halts until asked."""
        session = self._book.get(identity)
        if session is not None and session.opening is not None:
            await asyncio.shield(session.opening)  # for somebody else, perhaps at this moment
            return self.find(identity, kind)
        if self._kept(identity, kind) is None:
            raise self._missing(identity, kind)
        return await self._opened(identity, kind, None)

    async def _opened(self, identity: str, kind: Kind, plan: dict[str, Any] | None) -> Session:
        most = self._limits.sessions
        if len(self._book) >= most:
            raise TooManyError(
                f"the server runs {plural(most, 'session')} already, which is as many as it may; "
                "try again when one has ended"
            )
        patience = self._limits.answer_seconds + self._limits.step_seconds
        session = Session(identity, kind, self._running(), patience)
        self._book[identity] = session
        # Whoever asked may go while it is being opened: it is in the book then, and ends in time.
        session.opening = asyncio.ensure_future(self._begun(session, plan))
        return await asyncio.shield(session.opening)

    async def _begun(self, session: Session, plan: dict[str, Any] | None) -> Session:
        stages = self._running()
        try:
            if plan is None:
                session.facts = await stages.restore(session.id, session.kind)
            else:
                session.facts = await stages.open(session.id, session.kind, plan)
        except BaseException:
            self._book.pop(session.id, None)
            raise
        self._reasons.pop(session.id, None)
        session.heard = time.monotonic()
        return session

    def find(self, identity: str, kind: Kind) -> Session:
        """A session that is live; else an error that says whether it can be resumed."""
        session = self._book.get(identity)
        if session is None or session.kind != kind or not session.facts:
            raise self._missing(identity, kind)
        session.heard = time.monotonic()
        return session

    async def close(self, identity: str) -> None:
        """End a session for good."""
        session = self._leave(identity, "it was closed")
        if session is not None:
            await self._running().close(identity)
        self._running().forget(identity)

    async def events(self, session: Session) -> AsyncIterator[str]:
        """What happens in a session, as server-sent events: each time the newest frame only."""
        news = asyncio.Event()
        news.set()
        session.listeners.add(news)
        self._running().watch(session.id, True)
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
                    yield f"data: {session.frame}\n\n"
        finally:
            session.listeners.discard(news)
            session.heard = time.monotonic()
            if not session.listeners and session.is_open:
                self._running().watch(session.id, False)

    def _running(self) -> Stages:
        if self._stages is None:
            raise GenokuError("the server is not ready yet")
        return self._stages

    def _missing(self, identity: str, kind: Kind) -> NotFoundError:
        kept = self._kept(identity, kind)
        why = self._reasons.get(identity, "")
        said = f"this {kind} is not live{': ' + why if why else ''}"
        if kept is None:
            return NotFoundError(said, resumable=False)
        return NotFoundError(f"{said}; it can be resumed", resumable=True, **kept)

    def _kept(self, identity: str, kind: Kind) -> dict[str, Any] | None:
        """How a session on disk stood."""
        return self._running().kept(identity, kind)

    def _leave(self, identity: str, why: str) -> Session | None:
        """Take a session out of the book, and let its listeners know."""
        session = self._book.pop(identity, None)
        if session is not None:
            while len(self._reasons) >= REMEMBERED:
                del self._reasons[next(iter(self._reasons))]
            self._reasons[identity] = why
            session.is_open = False
            session.wake()
        return session

    def _on_frame(self, identity: str, frame: str) -> None:
        session = self._book.get(identity)
        if session is not None:
            session.take(frame)

    async def _keep_house(self) -> None:
        """Put on disk what nobody listens to, and clear away what nobody has come back for."""
        swept = -SWEEP
        while True:
            now = time.monotonic()
            if now - swept >= SWEEP:
                swept = now
                await asyncio.to_thread(self._running().sweep)
            for session in list(self._book.values()):
                is_idle = session.facts and not session.listeners
                if is_idle and now - session.heard > self._limits.grace:
                    await self._put_away(session)
            await asyncio.sleep(min(1.0, self._limits.grace / 4))

    async def _put_away(self, session: Session) -> None:
        self._leave(session.id, "nobody was listening any more")
        with suppress(GenokuError, StageFailedError):  # then it is as it was last on disk
            await self._running().close(session.id)
