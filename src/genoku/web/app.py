"""The app: the API's routes, the page, and what guards them."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from fastapi import FastAPI
from fastapi.responses import FileResponse
from fastapi.routing import APIRoute
from fastapi.staticfiles import StaticFiles

from genoku import __version__
from genoku.web.guard import Guard, Rules
from genoku.web.limits import Limits
from genoku.web.refusals import ANSWERS, words_for_errors
from genoku.web.routes import boards, files, lessons, live, recipes, reports, status, studies
from genoku.web.services import Services

STATIC = Path(__file__).parent / "static"
ROUTERS = (
    boards.router,
    recipes.router,
    live.runs,
    files.router,
    live.races,
    studies.router,
    reports.router,
    lessons.router,
    status.router,
)

DESCRIPTION = """
Everything that the pages of genoku do is done through these addresses, so that programs can do it
too. Requests and answers are JSON. What is refused is answered with `{"detail": "…"}`, in which one
sentence says what was expected and what came.

A **run** or a **race** is a session: it is started, watched as a stream of server-sent events, and
controlled. A session that nobody listens to is put on disk after a while and can be restored.
A **study** is many runs, kept in a store of its own.
"""
TAGS = [
    {"name": "boards", "description": "Puzzles: read, check, rate, explain and make them."},
    {"name": "recipes", "description": "Algorithms as data: presets, parts, and what fits."},
    {"name": "runs", "description": "One algorithm on one puzzle, live."},
    {"name": "races", "description": "Two to four algorithms on the same puzzle, live."},
    {"name": "studies", "description": "Many seeded runs, their results and reports."},
    {"name": "reports", "description": "The five reports and what became of their claims."},
    {"name": "lessons", "description": "Operators at work, step by step."},
    {"name": "status", "description": "The server itself."},
]


def create_app(folder: Path, limits: Limits | None = None, rules: Rules | None = None) -> FastAPI:
    """The app of one server, which keeps studies and sessions in a folder."""
    limits = limits or Limits()

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        here = Services(limits, folder)
        app.state.services = here
        await here.start()
        try:
            yield
        finally:
            await here.stop()

    app = FastAPI(
        title="genoku",
        version=__version__,
        summary="An evolution lab for Sudoku",
        description=DESCRIPTION,
        openapi_tags=TAGS,
        docs_url=None,
        redoc_url=None,
        lifespan=lifespan,
        responses=ANSWERS,
        generate_unique_id_function=_name_of,
    )
    words_for_errors(app)
    app.add_middleware(Guard, rules=rules or Rules(body=limits.body))
    for router in ROUTERS:
        app.include_router(router)
    app.mount("/static", StaticFiles(directory=STATIC), "static")

    @app.get("/", include_in_schema=False)
    def page() -> FileResponse:
        return FileResponse(STATIC / "index.html")

    return app


def _name_of(route: APIRoute) -> str:
    """A route's name in the API's description: `runs_control`."""
    return f"{route.tags[0]}_{route.name}" if route.tags else route.name
