"""What routes work with: one of each for a server; and how workers answer them."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any, TypeVar, get_type_hints

from fastapi import Depends, Request

from genoku.web.clerks import Clerks
from genoku.web.drivers import Drivers, Reproducing
from genoku.web.limits import Limits
from genoku.web.live.supervisor import Supervisor

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


Work = TypeVar("Work", bound=Callable[..., Any])


def call(name: str, *arguments: Any) -> Any:
    """Call a function of `genoku.web.handlers`, such as `studies.plan`, in a worker."""
    module, _, function = name.partition(".")
    return getattr(import_module(f"genoku.web.handlers.{module}"), function)(*arguments)


async def work(here: Services, name: str, *arguments: Any, **how: Any) -> Any:
    """What a function of `genoku.web.handlers` gives, worked out by a worker."""
    return await here.clerks.call(call, name, *arguments, **how)


def in_worker(register: Callable[..., Any], **how: Any) -> Callable[[Work], Work]:
    """Register a plain function as a route that a worker process answers.

    `register` is what a router's method gives, such as `router.post("/puzzles/check")`; `how` goes
    to the pool of workers. The function takes and returns data that can be pickled, and imports
    whatever is heavy itself: the server has to stay light.
    """

    def decorate(work: Work) -> Work:
        hints = get_type_hints(work, include_extras=True)
        names = [name for name in hints if name != "return"]

        async def endpoint(here: Here, **given: Any) -> Any:
            return await here.clerks.call(work, *(given[name] for name in names), **how)

        takes = inspect.signature(work).parameters.values()
        here = inspect.Parameter("here", inspect.Parameter.KEYWORD_ONLY, annotation=Here)
        endpoint.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
            [*(each.replace(annotation=hints[each.name]) for each in takes), here],
            return_annotation=hints["return"],
        )
        endpoint.__name__, endpoint.__doc__ = work.__name__, work.__doc__
        register(endpoint)
        return work

    return decorate
