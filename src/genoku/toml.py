"""TOML from outside: within bounds, and refused in words whatever it holds.

Python's own reader recurses into what is nested, needs minutes for a key of 20,000 parts, and
reads hexadecimal numbers of any length.
"""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

LARGEST = 1_000_000  # bytes
DEPTH = 64  # tables and lists in each other, and parts of a key
BITS = 63

_ASIDE = re.compile(
    r'"{3}(?:[^"\\]|\\.|"(?!""))*+"{3,5}'  # texts of several lines
    r"|'{3}(?:[^']|'(?!''))*+'{3,5}"
    r'|"(?:[^"\\\n]|\\.)*+"'
    r"|'[^'\n]*+'"
    r"|#[^\n]*+",
    re.DOTALL,
)
_PART = r"(?:[\w-]++|'')"
_LONG_KEY = re.compile(rf"(?<![\w'.-]){_PART}(?:[ \t]*+\.[ \t]*+{_PART}){{{DEPTH},}}")
_LONG_NUMBER = re.compile(r"[0-9_]{1000}")


def read_toml(path: str | Path) -> dict[str, Any]:
    """The table of a TOML file; TOMLDecodeError for what is none, or is beyond all bounds."""
    with Path(path).open("rb") as file:
        data = file.read(LARGEST + 1)
    try:
        return parse_toml(data.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        if len(data) > LARGEST:
            raise tomllib.TOMLDecodeError(_TOO_LONG) from None
        raise tomllib.TOMLDecodeError(str(error)) from None


_TOO_LONG = f"expected up to {LARGEST:,} bytes, got more"


def parse_toml(text: str) -> dict[str, Any]:
    """The table of a TOML text; TOMLDecodeError for what is none, or is beyond all bounds."""
    if len(text) > LARGEST or len(text.encode("utf-8", "replace")) > LARGEST:
        raise tomllib.TOMLDecodeError(_TOO_LONG)
    bare = _ASIDE.sub(lambda found: "''" + "\n" * found[0].count("\n"), text)
    if (found := _LONG_KEY.search(bare)) is not None:
        raise tomllib.TOMLDecodeError(f"a key of more than {DEPTH} parts{_line(bare, found)}")
    try:
        table = tomllib.loads(text)
    except RecursionError:
        raise tomllib.TOMLDecodeError(f"more than {DEPTH} levels of lists and tables") from None
    except tomllib.TOMLDecodeError:
        raise
    except ValueError:  # of int(), which says how Python could be told to read it
        found = _LONG_NUMBER.search(bare)
        said = f"a whole number of more than {BITS} bits{_line(bare, found)}"
        raise tomllib.TOMLDecodeError(said) from None
    _check(table)
    return table


def _line(text: str, found: re.Match[str] | None) -> str:
    return "" if found is None else f" (at line {text.count(chr(10), 0, found.start()) + 1})"


def _check(table: dict[str, Any]) -> None:
    """Raise if something lies too deep, or is a number that nothing else here can hold."""
    level: list[tuple[str, Any]] = list(table.items())
    for _ in range(DEPTH):
        below: list[tuple[str, Any]] = []
        for path, value in level:
            if isinstance(value, dict):
                below += [(f"{path}.{key}", each) for key, each in value.items()]
            elif isinstance(value, list):
                below += [(f"{path}[{place}]", each) for place, each in enumerate(value)]
            elif isinstance(value, int) and value.bit_length() > BITS:
                raise tomllib.TOMLDecodeError(f"{path}: a whole number of more than {BITS} bits")
        if not below:
            return
        level = below
    raise tomllib.TOMLDecodeError(f"more than {DEPTH} levels of lists and tables")
