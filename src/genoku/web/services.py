"""What routes work with: one of each for a server."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from pathlib import Path
from typing import Annotated

from fastapi import Depends, Request

from genoku.web.clerks import Clerks
from genoku.web.drivers import Drivers
from genoku.web.limits import Limits
from genoku.web.live.supervisor import Supervisor
from genoku.web.reports import Reproducing

GOODBYE = 1.8  # seconds


class Services:
    """Made when the server starts, ended when it stops."""

    def __init__(self, limits: Limits, folder: Path) -> None:
        self.limits = limits
        self.folder = folder
        """Where studies, sessions and reproductions are kept."""
        studies, sessions = folder / "studies", folder / "sessions"
        for each in (studies, sessions):
            each.mkdir(parents=True, exist_ok=True)
        self.clerks = Clerks(limits)
        self.sessions = Supervisor(limits, sessions)
        self.drivers = Drivers(limits, studies)
        self.reproducing = Reproducing(folder)

    async def start(self) -> None:
        self.clerks.start()
        await self.sessions.start()
        self.drivers.resume()

    async def stop(self) -> None:
        """End everything at once. Studies may want longer: they end with us, and lose nothing."""
        ends = (
            self.clerks.stop(),
            self.sessions.stop(),
            self.drivers.close(),
            self.reproducing.stop(),
        )
        with suppress(TimeoutError):
            async with asyncio.timeout(GOODBYE):
                await asyncio.gather(*ends)


async def services(request: Request) -> Services:
    """The services of the server that a request came to."""
    found: Services = request.app.state.services
    return found


Here = Annotated[Services, Depends(services)]
"""A route's parameter: `here: Here`, then `await here.clerks.call(...)`."""
