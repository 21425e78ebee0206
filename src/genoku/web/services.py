"""The services that routes use, and the decorator for routes that a job worker answers."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any, TypeVar

from fastapi import Depends, Request

from genoku.web.job_pool import JobPool
from genoku.web.limits import Limits
from genoku.web.live.supervisor import Supervisor
from genoku.web.study_processes import ReproductionProcess, StudyProcesses

SHUTDOWN_SECONDS = 1.8


class Services:
    """One of each for a server: job pool, live sessions, studies and reproductions."""

    def __init__(self, limits: Limits, folder: Path) -> None:
        self.limits = limits
        self.folder = folder  # of studies, sessions and reproductions
        studies, sessions = folder / "studies", folder / "sessions"
        for each in (studies, sessions):
            each.mkdir(parents=True, exist_ok=True)
        self.jobs = JobPool(limits)
        self.sessions = Supervisor(limits, sessions)
        self.studies = StudyProcesses(limits, studies)
        self.reproductions = ReproductionProcess(folder)

    async def start(self) -> None:
        await self.sessions.start()
        self.studies.resume()

    async def stop(self) -> None:
        """Stop everything at the same time; a study that takes longer is killed with the server."""
        ends = self.jobs.stop(), self.sessions.stop(), self.studies.close()
        with suppress(TimeoutError):
            async with asyncio.timeout(SHUTDOWN_SECONDS):
                await asyncio.gather(*ends, self.reproductions.stop())


async def get_services(request: Request) -> Services:
    found: Services = request.app.state.services
    return found


AppServices = Annotated[Services, Depends(get_services)]  # a parameter of routes
Function = TypeVar("Function", bound=Callable[..., Any])


def call_handler(name: str, *arguments: Any) -> Any:
    """Call a function of `genoku.web.handlers`, such as `studies.plan`, in a worker."""
    module, _, function = name.partition(".")
    return getattr(import_module(f"genoku.web.handlers.{module}"), function)(*arguments)


async def run_handler(services: Services, name: str, *arguments: Any, **how: Any) -> Any:
    """Call a function of `genoku.web.handlers` in a job worker; `how` goes to `JobPool.call`."""
    return await services.jobs.call(call_handler, name, *arguments, **how)


def in_worker(register: Callable[..., Any], **how: Any) -> Callable[[Function], Function]:
    """Register a plain function as a route that a worker process answers.

    `register` is a decorator such as `router.post("/puzzles/check")`; `how` goes to `JobPool.call`.
    The function imports heavy modules itself, so that the server process stays small.
    """

    def decorate(function: Function) -> Function:
        async def endpoint(*, services: AppServices, **given: Any) -> Any:
            return await services.jobs.call(partial(function, **given), **how)

        # FastAPI reads the parameters of a request from the signature of a route.
        own = inspect.signature(function, eval_str=True)
        services = inspect.signature(endpoint, eval_str=True).parameters["services"]
        route: Any = endpoint
        route.__signature__ = own.replace(parameters=[*own.parameters.values(), services])
        route.__name__, route.__doc__ = function.__name__, function.__doc__
        register(route)
        return function

    return decorate
