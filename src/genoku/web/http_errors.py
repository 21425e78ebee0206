"""Errors as HTTP answers: JSON with a sentence in `detail`, or a page for browsers."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from html import escape
from pathlib import Path
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import HTMLResponse, JSONResponse, Response
from pydantic import BaseModel, Field
from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.types import Receive, Scope, Send

from genoku.errors import GenokuError, InputError

MAX_SHOWN = 60  # characters of a wrong value
FRAMEWORK_MESSAGES = {"Not Found": "no such address", "Method Not Allowed": "wrong HTTP method"}


class RefusedError(GenokuError):
    """A request that is refused, with its HTTP status and more fields for the answer."""

    status = 422

    def __init__(self, said: str, /, *, status: int | None = None, **more: Any) -> None:
        super().__init__(said)
        self.status, self.more = status or self.status, more


class NotFoundError(RefusedError):
    """There is nothing of that name."""

    status = 404


class ConflictError(RefusedError):
    """The current state does not allow it."""

    status = 409


class TooManyError(RefusedError):
    """The server has reached a limit on simultaneous work."""

    status = 429


class TookTooLongError(RefusedError):
    """A request took longer than it may."""


class ErrorAnswer(BaseModel):
    """Why a request was refused."""

    detail: str = Field(
        description="One sentence: what was expected, and what came.",
        examples=["expected a digit from 1 to 9 or a blank at r1c1, got '17'"],
    )
    path: str = Field("", description="The value at fault, where there is one.")


# As a schema: FastAPI would give a model the media type of the route's successful answer.
_CONTENT = {"application/json": {"schema": ErrorAnswer.model_json_schema()}}

# The error answers of every route, for the OpenAPI description.
ERROR_RESPONSES: dict[int | str, dict[str, Any]] = {
    "4XX": {
        "content": _CONTENT,
        "description": "Refused: 401 token missing, 403 request from another site, 404 not found, "
        "409 conflict with the current state, 413 too large, 422 invalid data or time limit "
        "exceeded, 429 too many sessions or requests at the same time.",
    },
    "5XX": {"content": _CONTENT, "description": "A bug in the server."},
}


def file_route(description: str, *media: str) -> dict[str, Any]:
    """Return the options of a route that answers with a file, for the OpenAPI description."""
    schema = {"schema": {"type": "string", "format": "binary"}}
    answer = {"description": description, "content": dict.fromkeys(media, schema)}
    return {"response_class": Response, "responses": {200: answer}}


PAGE = Path(__file__).with_name("refused.html").read_text("utf-8")


class ErrorResponse(JSONResponse):
    """The answer to a refused request: JSON for programs, a page for browsers."""

    def __init__(
        self, status: int, said: str, more: Mapping[str, Any] | None = None, headers: Any = None
    ) -> None:
        waits = {"Retry-After": "5"} if status == 429 else {}
        headers = {**waits, **(headers or {}), "Vary": "Accept"}
        super().__init__({"detail": said, **(more or {})}, status, headers)
        told = escape(f"{said[:1].upper()}{said[1:]}.")
        self._page = HTMLResponse(PAGE.format(status=status, said=told), status, headers)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if "text/html" in Headers(scope=scope).get("accept", ""):
            await self._page(scope, receive, send)
        else:
            await super().__call__(scope, receive, send)


def install_error_handlers(app: FastAPI) -> None:
    """Answer every error of the app with an `ErrorResponse`."""

    @app.exception_handler(GenokuError)
    async def answer_refusal(_request: Request, error: GenokuError) -> ErrorResponse:
        if isinstance(error, RefusedError):
            return ErrorResponse(error.status, str(error), error.more)
        path = error.path_separator.join(error.path) if isinstance(error, InputError) else None
        return ErrorResponse(422, str(error), {} if path is None else {"path": path})

    @app.exception_handler(HTTPException)
    async def answer_http_error(_request: Request, error: HTTPException) -> ErrorResponse:
        said = FRAMEWORK_MESSAGES.get(error.detail, error.detail)
        return ErrorResponse(error.status_code, said, headers=error.headers)

    @app.exception_handler(RequestValidationError)
    async def answer_invalid_request(
        _request: Request, error: RequestValidationError
    ) -> ErrorResponse:
        first = error.errors()[0]
        return ErrorResponse(422, error_sentence(first), {"path": field_path(first)})


def field_path(error: Mapping[str, Any]) -> str:
    """Return the path of the request field that a pydantic error is about."""
    return ".".join(str(part) for part in error["loc"] if part not in ("body", "query", "path"))


def error_sentence(first: Mapping[str, Any]) -> str:
    """Describe a pydantic error in one sentence."""
    place = field_path(first)
    if first["type"] == "json_invalid":
        return f"expected JSON, got something else: {first['ctx']['error']}"
    if first["type"] == "missing":
        return f"{place or 'a JSON body'} is missing"
    said = str(first["msg"]).removeprefix("Value error, ")
    said = said.replace("Input should be ", "expected ")
    if first["type"] == "extra_forbidden":
        said = "unknown key"
    return f"{place + ': ' if place else ''}{said}, got {shorten(first.get('input'))}"


def shorten(value: Any) -> str:
    """Return the repr of a value, cut to one line."""
    try:
        shown = repr(value)
    except (ValueError, RecursionError):  # an integer of a million digits, a list of lists of lists
        return f"a {type(value).__name__}"
    return shown if len(shown) <= MAX_SHOWN else f"{shown[: MAX_SHOWN - 1]}…"


def server_error(request: str, error: BaseException) -> ErrorResponse:
    """Log a bug to stderr, and return the answer to the client."""
    said = " ".join(str(error).split())
    print(f"genoku: {request}: {type(error).__name__}: {said}"[:500], file=sys.stderr, flush=True)
    return ErrorResponse(500, "internal error; details are in the server's terminal")
