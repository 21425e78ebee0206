"""What a request carries: read whole before anything is done with it, and never too much of it."""

from __future__ import annotations

import asyncio
import json
import math
from typing import Any

from starlette.types import Receive, Scope

from genoku.web.refusals import RefusedError

DEPTH = 64  # lists in lists
LARGEST = 2**63
SECONDS = 30.0  # in which a request must have come
PATIENCE = 10  # how many times too large one may be and still be read, so that its sender hears why


class TooLargeError(RefusedError):
    """More bytes than a request may have."""

    status = 413


class TooSlowError(RefusedError):
    """A request that did not come to its end."""

    status = 408


class ClientGoneError(Exception):
    """Who asked has gone, and nobody waits for an answer."""


async def read(scope: Scope, receive: Receive, limit: int) -> bytes:
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
