"""What routes work with: one of each for a server."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from fastapi import Depends, Request

from genoku.web.limits import Limits

if TYPE_CHECKING:
    from genoku.web.clerks import Clerks
    from genoku.web.drivers import Drivers
    from genoku.web.reports.reproducing import Reproducing
    from genoku.web.sessions import Sessions

GOODBYE = 1.8  # seconds


@dataclass
class Services:
    """Made when the server starts, ended when it stops."""

    limits: Limits
    folder: Path
    """Where studies and checkpoints are kept."""
    clerks: Clerks
    sessions: Sessions
    drivers: Drivers
    reproducing: Reproducing

    @classmethod
    def open(cls, limits: Limits, folder: Path) -> Services:
        """The services of a server that keeps its things in a folder."""
        from genoku.web.clerks import Clerks
        from genoku.web.drivers import Drivers
        from genoku.web.reports.reproducing import Reproducing
        from genoku.web.sessions import Sessions

        for name in ("studies", "sessions"):
            (folder / name).mkdir(parents=True, exist_ok=True)
        sessions = Sessions(limits, folder / "sessions")
        drivers, reproducing = Drivers(limits, folder), Reproducing(folder)
        return cls(limits, folder, Clerks(limits), sessions, drivers, reproducing)

    async def start(self) -> None:
        self.clerks.start()
        await self.sessions.start()

    async def stop(self) -> None:
        """End everything at once. Studies may want longer: they end with us, and lose nothing."""
        ends = (self.clerks.stop(), self.sessions.stop(), self.drivers.close())
        with suppress(TimeoutError):
            async with asyncio.timeout(GOODBYE):
                await asyncio.gather(*ends)


async def services(request: Request) -> Services:
    """The services of the server that a request came to."""
    found: Services = request.app.state.services
    return found


Here = Annotated[Services, Depends(services)]
"""A route's parameter: `here: Here`, then `await here.clerks.call(...)`."""
