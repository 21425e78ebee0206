"""Who may ask, how much at a time, and what a browser may do with the answers.

The server is for the people at this machine, but every page that their browsers have open can send
it requests: therefore Host and Origin are checked. With a token, strangers on the network are
refused as well.
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

from starlette.datastructures import MutableHeaders
from starlette.responses import RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from genoku.web.refusals import RefusedError, failed, refusal

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; "
    "connect-src 'self'; font-src 'self'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'; frame-src 'self'"
)
PAGE_POLICY = (
    "sandbox allow-scripts; default-src 'none'; script-src 'unsafe-inline'; "
    "style-src 'unsafe-inline'; img-src data:; font-src data:"
)
"""A page of its own, with scripts inside it: it may reach nothing, not even us."""
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}
SAFE = ("GET", "HEAD")
OWN = ("", "same-origin", "none")  # Sec-Fetch-Site: not said, our page, a person

DEPTH = 64  # lists in lists
LARGEST = 2**63
SECONDS = 30.0  # in which a request must have come
PATIENCE = 10  # how many times too large one may be and still be read, so that its sender hears why

gone: ContextVar[asyncio.Event | None] = ContextVar("gone", default=None)
"""Set once whoever asked what is being answered has gone."""


@dataclass(frozen=True)
class Rules:
    """What one server asks of requests."""

    hosts: frozenset[str] | None = None
    """Names it answers to, as in a Host header; None is any, where a token protects it."""
    token: str = ""
    cookie: str = "genoku"
    """Its name. Servers on one machine share their cookies, so it should name the port."""
    body: int = 2_000_000
    """Bytes of a request."""


class Guard:
    """Stands before the app."""

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
                _protect(MutableHeaders(raw=message["headers"]), scope["path"])
            await send(message)

        try:
            answer = self._refused(scope)
            body = b"" if answer else await read_body(scope, receive, self.rules.body)
        except RefusedError as error:
            answer = refusal(error.status, str(error), headers={"Connection": "close"})
            body = b""
        except ClientGoneError:
            return
        if answer is not None:
            await answer(scope, receive, out)
            return
        left = asyncio.Event()
        gone.set(left)
        watch = asyncio.ensure_future(_noticed(receive, left))
        try:
            await self.app(scope, _replayed(body, left), out)
        except asyncio.CancelledError:
            if not left.is_set():  # otherwise a clerk has stopped working for who has gone
                raise
        except Exception as error:
            if begun or left.is_set():
                return
            await failed(f"{scope['method']} {scope['path'][:80]}", error)(scope, receive, out)
        finally:
            watch.cancel()

    def _refused(self, scope: Scope) -> Response | None:
        """The answer to those who may not ask, or who must come another way."""
        rules = self.rules
        headers = {
            name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]
        }
        host = headers.get("host", "").lower()
        if rules.hosts is not None and host not in rules.hosts:
            return refusal(403, "this server answers under its own address only")
        if foreign(scope, headers, host):
            return refusal(403, "this server answers its own pages only, not those of other sites")
        if "\0" in scope["path"] or b"\0" in unquote_to_bytes(scope["query_string"]):
            return refusal(422, "expected an address, got a null character in it")
        if not rules.token:
            return None
        query = parse_qs(scope["query_string"].decode("latin-1"))
        if scope["path"] == "/" and "token" in query:
            return self._let_in(query["token"][0])
        if _is_page(scope["path"]) or _same(self._shown(headers), rules.token):
            return None
        said = "this server needs its token: open the link that genoku serve printed"
        return refusal(401, said, headers={"WWW-Authenticate": "Bearer"})

    def _let_in(self, token: str) -> Response:
        """Take the token from the address, where it could be seen, and leave a cookie instead."""
        if not _same(token, self.rules.token):
            return refusal(401, "this is not the server's token: open the link that it printed")
        answer = RedirectResponse("/", 303)
        answer.set_cookie(self.rules.cookie, token, httponly=True, samesite="strict")
        return answer

    def _shown(self, headers: dict[str, str]) -> str:
        """The token that a request brings: programs in a header, browsers in a cookie."""
        kind, _, token = headers.get("authorization", "").partition(" ")
        if kind.lower() == "bearer":
            return token.strip()
        try:
            found = SimpleCookie(headers.get("cookie", "")).get(self.rules.cookie)
        except CookieError:
            return ""
        return found.value if found else ""


def foreign(scope: Scope, headers: dict[str, str], host: str) -> bool:
    """Whether another site's page sent this, other than by a link to ours."""
    origin = headers.get("origin")
    if origin is not None and origin.lower() != f"{scope.get('scheme', 'http')}://{host}":
        return True
    if headers.get("sec-fetch-site", "") in OWN:
        return False
    is_visit = scope["method"] in SAFE and headers.get("sec-fetch-mode") == "navigate"
    return not (is_visit and scope["path"] == "/")


def _is_page(path: str) -> bool:
    """Whether this is the page itself or what it loads, in which nothing is anybody's own."""
    return path == "/" or path.startswith("/static/")


def _same(one: str, other: str) -> bool:
    return compare_digest(one.encode("utf-8", "replace"), other.encode())


def _protect(headers: MutableHeaders, path: str) -> None:
    """Add what is said with every answer; what a route says itself stands."""
    for name, value in HEADERS.items():
        headers.setdefault(name, value)
    framed = "frame-ancestors 'self'" in headers["Content-Security-Policy"]
    headers.setdefault("X-Frame-Options", "SAMEORIGIN" if framed else "DENY")
    headers.setdefault("Cache-Control", "no-cache" if _is_page(path) else "no-store")


def _replayed(body: bytes, left: asyncio.Event) -> Receive:
    """Hand on a body that was read already, and after it the news that the client has gone."""
    messages: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def receive() -> Message:
        if messages:
            return messages.pop()
        await left.wait()
        return {"type": "http.disconnect"}

    return receive


async def _noticed(receive: Receive, left: asyncio.Event) -> None:
    """Wait until the client goes."""
    while (await receive())["type"] != "http.disconnect":
        pass
    left.set()


# Bodies: read whole before anything is done with them, and never too much of them


class TooLargeError(RefusedError):
    """More bytes than a request may have."""

    status = 413


class TooSlowError(RefusedError):
    """A request that did not come to its end."""

    status = 408


class ClientGoneError(Exception):
    """Who asked has gone, and nobody waits for an answer."""


async def read_body(scope: Scope, receive: Receive, limit: int) -> bytes:
    """The body of a request, counted as it comes: what a header says of its length may be a lie."""
    headers: dict[bytes, bytes] = dict(scope["headers"])
    said = headers.get(b"content-length", b"0")
    size = int(said[:18]) if said.isdigit() else 0
    is_too_large, more = size > limit, size <= PATIENCE * limit
    body, size = bytearray(), 0
    try:
        async with asyncio.timeout(SECONDS):
            while more and size <= PATIENCE * limit:
                message = await receive()
                if message["type"] == "http.disconnect":
                    raise ClientGoneError
                more = message.get("more_body", False)
                size += len(message.get("body", b""))
                is_too_large = is_too_large or size > limit
                if not is_too_large:
                    body += message.get("body", b"")
    except TimeoutError:
        raise TooSlowError(f"the request did not come to its end in {SECONDS:g} seconds") from None
    if is_too_large:
        raise TooLargeError(f"expected a request of at most {limit:,} bytes, got a larger one")
    if body and b"json" in headers.get(b"content-type", b"").lower():
        refuse_what_is_no_data(bytes(body))
    return bytes(body)


def refuse_what_is_no_data(body: bytes) -> None:
    """Raise unless this is JSON whose numbers are numbers and whose text is text.

    Python's own reader takes NaN, numbers of any size and halves of characters for granted, which
    could not be sent back.
    """
    try:
        data = json.loads(
            body, parse_constant=_no_constant, parse_float=_a_float, parse_int=_an_integer
        )
    except RecursionError:
        raise RefusedError(f"expected JSON of at most {DEPTH} levels, got more") from None
    except UnicodeDecodeError:
        raise RefusedError("expected JSON in UTF-8, got other bytes") from None
    except json.JSONDecodeError as error:
        raise RefusedError(f"expected JSON, got something else: {error}") from None
    _check(data)


def _check(data: Any) -> None:
    level = [data]
    for _ in range(DEPTH):
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
    raise RefusedError(f"expected JSON of at most {DEPTH} levels, got more")


def _check_text(text: str) -> None:
    if "\0" in text:
        raise RefusedError("expected text, got a null character in it")
    try:
        text.encode()
    except UnicodeEncodeError:
        raise RefusedError("expected text, got half of a character in it") from None


def _no_constant(name: str) -> None:
    raise RefusedError(f"expected a number, got {name}")


def _a_float(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise RefusedError("expected a number, got one that is too large")
    return number


def _an_integer(text: str) -> int:
    if len(text) > 20 or not -LARGEST <= int(text) < LARGEST:
        raise RefusedError("expected a whole number below 2^63, got a larger one")
    return int(text)
