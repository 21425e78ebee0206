"""Access checks, request bodies, and security headers.

The server is for users of this machine, but any page open in their browsers can send it requests;
therefore Host and Origin are checked. A token keeps out others on the network.
"""

from __future__ import annotations

import asyncio
import json
import math
from contextvars import ContextVar
from dataclasses import dataclass
from http.cookies import CookieError, SimpleCookie
from secrets import compare_digest
from typing import Any
from urllib.parse import parse_qs, unquote_to_bytes

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import ClientDisconnect
from starlette.responses import RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from genoku.web.http_errors import ErrorResponse, RefusedError, server_error

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; "
    "connect-src 'self'; font-src 'self'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'; frame-src 'self'"
)
# For standalone pages with inline scripts: they may load nothing, not even from this server.
PAGE_POLICY = (
    "sandbox allow-scripts; default-src 'none'; script-src 'unsafe-inline'; "
    "style-src 'unsafe-inline'; img-src data:; font-src data:"
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}
SAFE_METHODS = ("GET", "HEAD")
SAME_SITE = ("", "same-origin", "none")  # Sec-Fetch-Site: missing, our own page, typed by the user

MAX_DEPTH = 64  # of nested JSON
INTEGER_BOUND = 2**63
BODY_SECONDS = 30.0  # in which a request body must arrive
READ_FACTOR = 10  # times the limit: up to that a body is read, so that its sender gets the answer

# Set when the client of the current request has disconnected.
disconnected: ContextVar[asyncio.Event | None] = ContextVar("disconnected", default=None)


@dataclass(frozen=True)
class Rules:
    """What one server requires of requests."""

    hosts: frozenset[str] | None = None  # accepted Host headers; None, with a token, accepts any
    token: str = ""
    cookie: str = "genoku"  # of the token; servers on one host share cookies: it names the port
    body: int = 2_000_000  # bytes of a request, at most


class SecurityMiddleware:
    """ASGI middleware: checks requests, reads their bodies, and adds headers to answers."""

    def __init__(self, app: ASGIApp, rules: Rules) -> None:
        self.app, self.rules = app, rules

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
        elif scope["type"] == "http":
            await self._answer(scope, receive, send)

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        begun = False

        async def out(message: Message) -> None:
            nonlocal begun
            if message["type"] == "http.response.start":
                begun = True
                _add_headers(MutableHeaders(raw=message["headers"]), scope["path"])
            await send(message)

        try:
            answer = self._refuse(scope)
            body = b"" if answer else await read_body(scope, receive, self.rules.body)
        except RefusedError as error:
            answer = ErrorResponse(error.status, str(error), headers={"Connection": "close"})
            body = b""
        except ClientDisconnect:
            return
        if answer is not None:
            await answer(scope, receive, out)
            return
        left = asyncio.Event()
        disconnected.set(left)
        watch = asyncio.ensure_future(_watch_disconnect(receive, left))
        try:
            await self.app(scope, _replay(body, left), out)
        except asyncio.CancelledError:
            if not left.is_set():  # otherwise the job was cancelled because its client left
                raise
        except Exception as error:
            if not begun and not left.is_set():
                name = f"{scope['method']} {scope['path'][:80]}"
                await server_error(name, error)(scope, receive, out)
        finally:
            watch.cancel()

    def _refuse(self, scope: Scope) -> Response | None:
        """Return the refusal or redirect for a request that may not pass; None for others."""
        rules, headers = self.rules, dict(Headers(scope=scope).items())
        host = headers.get("host", "").lower()
        if rules.hosts is not None and host not in rules.hosts:
            return ErrorResponse(403, "expected the server's own address in the Host header")
        if is_cross_site(scope, headers, host):
            return ErrorResponse(403, "requests from other sites are refused")
        if "\0" in scope["path"] or b"\0" in unquote_to_bytes(scope["query_string"]):
            return ErrorResponse(422, "expected an address without null characters")
        if not rules.token:
            return None
        query = parse_qs(scope["query_string"].decode("latin-1"))
        if scope["path"] == "/" and "token" in query:
            return self._let_in(query["token"][0])
        if _is_static(scope["path"]) or _equal_tokens(self._token_of(headers), rules.token):
            return None
        said = "this server requires a token: open the link that genoku serve printed"
        return ErrorResponse(401, said, headers={"WWW-Authenticate": "Bearer"})

    def _let_in(self, token: str) -> Response:
        """Replace the token in the address, where others could see it, by a cookie."""
        if not _equal_tokens(token, self.rules.token):
            return ErrorResponse(401, "wrong token: open the link that genoku serve printed")
        answer = RedirectResponse("/", 303)
        answer.set_cookie(self.rules.cookie, token, httponly=True, samesite="strict")
        return answer

    def _token_of(self, headers: dict[str, str]) -> str:
        """Return the token of a request: from the header (programs) or the cookie (browsers)."""
        kind, _, token = headers.get("authorization", "").partition(" ")
        if kind.lower() == "bearer":
            return token.strip()
        try:
            found = SimpleCookie(headers.get("cookie", "")).get(self.rules.cookie)
        except CookieError:
            return ""
        return found.value if found else ""


def is_cross_site(scope: Scope, headers: dict[str, str], host: str) -> bool:
    """Whether a page of another site sent this; a plain link to our page does not count."""
    origin = headers.get("origin")
    if origin is not None and origin.lower() != f"{scope.get('scheme', 'http')}://{host}":
        return True
    if headers.get("sec-fetch-site", "") in SAME_SITE:
        return False
    is_visit = scope["method"] in SAFE_METHODS and headers.get("sec-fetch-mode") == "navigate"
    return not (is_visit and scope["path"] == "/")


def _is_static(path: str) -> bool:
    """Whether a path is the page or one of its files, which hold no user data."""
    return path == "/" or path.startswith("/static/")


def _equal_tokens(one: str, other: str) -> bool:
    return compare_digest(one.encode("utf-8", "replace"), other.encode())


def _add_headers(headers: MutableHeaders, path: str) -> None:
    """Add the headers of every answer, unless the route has set them."""
    for name, value in HEADERS.items():
        headers.setdefault(name, value)
    framed = "frame-ancestors 'self'" in headers["Content-Security-Policy"]
    headers.setdefault("X-Frame-Options", "SAMEORIGIN" if framed else "DENY")
    headers.setdefault("Cache-Control", "no-cache" if _is_static(path) else "no-store")


def _replay(body: bytes, left: asyncio.Event) -> Receive:
    """Return a `receive` that gives a body already read, then waits for the disconnect."""
    messages: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def receive() -> Message:
        if messages:
            return messages.pop()
        await left.wait()
        return {"type": "http.disconnect"}

    return receive


async def _watch_disconnect(receive: Receive, left: asyncio.Event) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
    left.set()


# Bodies: read as a whole, up to a limit


async def read_body(scope: Scope, receive: Receive, limit: int) -> bytes:
    """Read the body of a request; its size is counted, as its Content-Length may be wrong."""
    headers: dict[bytes, bytes] = dict(scope["headers"])
    length = headers.get(b"content-length", b"0")
    size = int(length[:18]) if length.isdigit() else 0
    is_too_large, more = size > limit, size <= READ_FACTOR * limit
    body, size = bytearray(), 0
    try:
        async with asyncio.timeout(BODY_SECONDS):
            while more and size <= READ_FACTOR * limit:
                message = await receive()
                if message["type"] == "http.disconnect":
                    raise ClientDisconnect
                more = message.get("more_body", False)
                size += len(message.get("body", b""))
                is_too_large = is_too_large or size > limit
                if not is_too_large:
                    body += message.get("body", b"")
    except TimeoutError:
        said = f"the request was not complete after {BODY_SECONDS:g} seconds"
        raise RefusedError(said, status=408) from None
    if is_too_large:
        said = f"expected a request of at most {limit:,} bytes, got a larger one"
        raise RefusedError(said, status=413)
    if body and b"json" in headers.get(b"content-type", b"").lower():
        check_json(bytes(body))
    return bytes(body)


def check_json(body: bytes) -> None:
    """Raise RefusedError unless this is JSON in UTF-8 without NaN, huge numbers and surrogates."""
    try:
        data = json.loads(
            body, parse_constant=_parse_constant, parse_float=_parse_float, parse_int=_parse_int
        )
    except RecursionError:
        raise RefusedError(f"expected JSON of at most {MAX_DEPTH} levels, got more") from None
    except UnicodeDecodeError:
        raise RefusedError("expected JSON in UTF-8, got other bytes") from None
    except json.JSONDecodeError as error:
        raise RefusedError(f"expected JSON, got something else: {error}") from None
    _check_values(data)


def _check_values(data: Any) -> None:
    level = [data]
    for _ in range(MAX_DEPTH):
        below: list[Any] = []
        for each in level:
            if isinstance(each, str):
                _check_text(each)
            elif isinstance(each, list):
                below += each
            elif isinstance(each, dict):
                below += [*each, *each.values()]
        if not below:
            return
        level = below
    raise RefusedError(f"expected JSON of at most {MAX_DEPTH} levels, got more")


def _check_text(text: str) -> None:
    if "\0" in text:
        raise RefusedError("expected text without null characters")
    try:
        text.encode()
    except UnicodeEncodeError:
        raise RefusedError("expected text, got a lone surrogate in it") from None


def _parse_constant(name: str) -> None:
    raise RefusedError(f"expected a number, got {name}")


def _parse_float(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise RefusedError("expected a number in the range of a float, got a larger one")
    return number


def _parse_int(text: str) -> int:
    if len(text) > 20 or not -INTEGER_BOUND <= int(text) < INTEGER_BOUND:
        raise RefusedError("expected a whole number below 2^63, got a larger one")
    return int(text)
