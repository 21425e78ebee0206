"""What the API does not do, in words: every such answer is `{"detail": "one sentence"}`.

A person who came by a link reads the same sentence on a page.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from html import escape
from pathlib import Path
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import HTMLResponse, JSONResponse
from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.types import Receive, Scope, Send

from genoku.errors import GenokuError, InputError

SHOWN = 60  # characters of what came
OURS = {"Not Found": "nothing is here", "Method Not Allowed": "this cannot be asked here so"}
"""What is said in place of the framework's own words."""


class RefusedError(GenokuError):
    """A request that is not met, with its HTTP status and what else a program wants to know."""

    status = 422

    def __init__(self, said: str, /, **more: Any) -> None:
        super().__init__(said)
        self.more = more


class NotFoundError(RefusedError):
    """Nothing of that name is there."""

    status = 404


class ConflictError(RefusedError):
    """Not as things stand now."""

    status = 409


class TooManyError(RefusedError):
    """The server has as much to do as it takes on."""

    status = 429


class TookTooLongError(RefusedError):
    """A question that is not answered in the time there is for one; a limit as any other."""


PROBLEM = {
    "type": "object",
    "title": "Problem",
    "description": "Why a request was not met.",
    "properties": {
        "detail": {
            "type": "string",
            "description": "What was expected and what came, in one sentence.",
            "examples": ["expected a digit from 1 to 9 or a blank at r1c1, got '17'"],
        },
        "path": {"type": "string", "description": "The value at fault, where there is one."},
    },
    "required": ["detail"],
}
# Written out: a model would be described as of the type that a route gives when all is well.
_CONTENT = {"application/json": {"schema": PROBLEM}}

ANSWERS: dict[int | str, dict[str, Any]] = {
    "4XX": {
        "content": _CONTENT,
        "description": "Not met: 401 the token is missing, 403 another site asks, 404 not there, "
        "409 not as things stand, 413 too large, 422 bad data, or more than can be worked out in "
        "the time there is, 429 too many sessions or questions at a time.",
    },
    "5XX": {"content": _CONTENT, "description": "An error of the server itself."},
}
"""For the API's description: every route may answer so."""


PAGE = Path(__file__).with_name("refused.html").read_text("utf-8")


class Refusal(JSONResponse):
    """The answer to a request that is not met: JSON for programs, a page for who reads pages."""

    def __init__(self, said: str, status: int, more: Mapping[str, Any], headers: Any) -> None:
        super().__init__({"detail": said, **more}, status, headers)
        told = escape(f"{said[:1].upper()}{said[1:]}.")
        self._page = HTMLResponse(PAGE.format(status=status, said=told), status, headers)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if "text/html" in Headers(scope=scope).get("accept", ""):
            await self._page(scope, receive, send)
        else:
            await super().__call__(scope, receive, send)


def refusal(
    status: int, said: str, more: Mapping[str, Any] | None = None, headers: Any = None
) -> Refusal:
    """The answer to a request that is not met."""
    waits = {"Retry-After": "5"} if status == 429 else {}
    return Refusal(said, status, more or {}, {**waits, **(headers or {}), "Vary": "Accept"})


def words_for_errors(app: FastAPI) -> None:
    """Let every error of the app be answered in words."""

    @app.exception_handler(GenokuError)
    async def refused(_request: Request, error: GenokuError) -> Refusal:
        if isinstance(error, RefusedError):
            return refusal(error.status, str(error), error.more)
        more = {"path": error.joint.join(error.path)} if isinstance(error, InputError) else {}
        return refusal(422, str(error), more)

    @app.exception_handler(HTTPException)
    async def answered(_request: Request, error: HTTPException) -> Refusal:
        said = OURS.get(error.detail, error.detail)
        return refusal(error.status_code, said, headers=error.headers)

    @app.exception_handler(RequestValidationError)
    async def invalid(_request: Request, error: RequestValidationError) -> Refusal:
        first = error.errors()[0]
        return refusal(422, sentence(first), {"path": place_of(first)})


def place_of(error: Mapping[str, Any]) -> str:
    """The key of a request that an error of pydantic is about."""
    return ".".join(str(part) for part in error["loc"] if part not in ("body", "query", "path"))


def sentence(first: Mapping[str, Any]) -> str:
    """What is wrong with a request, by an error of pydantic, in words."""
    place = place_of(first)
    if first["type"] == "json_invalid":
        return f"expected JSON, got something else: {first['ctx']['error']}"
    if first["type"] == "missing":
        return f"{place or 'a JSON body'} is missing"
    said = str(first["msg"]).removeprefix("Value error, ")
    said = said.replace("Input should be ", "expected ")
    if first["type"] == "extra_forbidden":
        said = "expected no such key"
    return f"{place + ': ' if place else ''}{said}, got {shortened(first.get('input'))}"


def shortened(value: Any) -> str:
    """A value as it came, but not more than a line of it."""
    try:
        shown = repr(value)
    except (ValueError, RecursionError):  # an integer of a million digits, a list of lists of lists
        return f"a {type(value).__name__}"
    return shown if len(shown) <= SHOWN else f"{shown[: SHOWN - 1]}…"


def failed(request: str, error: BaseException) -> Refusal:
    """An error of ours: a line where the server was started, a calm word to who asked."""
    said = " ".join(str(error).split())
    print(f"genoku: {request}: {type(error).__name__}: {said}"[:500], file=sys.stderr, flush=True)
    return refusal(500, "something went wrong on the server; it has been noted there")
