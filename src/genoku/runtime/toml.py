"""Read untrusted TOML within limits.

Python's own parser recurses into nested values, takes minutes for a key of 20,000 parts, and
accepts hexadecimal numbers of any length.
"""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

LARGEST = 1_000_000  # bytes
DEPTH = 64  # nested tables and lists, and parts of a key
BITS = 63

_STRING_OR_COMMENT = re.compile(
    r'"{3}(?:[^"\\]|\\.|"(?!""))*+"{3,5}'  # multi-line strings
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
    """Return the table of a TOML file; TOMLDecodeError if it is invalid or exceeds the limits."""
    with Path(path).open("rb") as file:
        data = file.read(LARGEST + 1)
    try:
        return parse_toml(data.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        reason = _TOO_LONG if len(data) > LARGEST else str(error)
        raise tomllib.TOMLDecodeError(reason) from None


_TOO_LONG = f"expected up to {LARGEST:,} bytes, got more"


def parse_toml(text: str) -> dict[str, Any]:
    """Return the table of a TOML text; TOMLDecodeError if it is invalid or exceeds the limits."""
    if len(text) > LARGEST or len(text.encode("utf-8", "replace")) > LARGEST:
        raise tomllib.TOMLDecodeError(_TOO_LONG)
    bare = _STRING_OR_COMMENT.sub(lambda found: "''" + "\n" * found[0].count("\n"), text)
    if (found := _LONG_KEY.search(bare)) is not None:
        raise tomllib.TOMLDecodeError(f"a key of more than {DEPTH} parts{_line(bare, found)}")
    try:
        table = tomllib.loads(text)
    except RecursionError:
        raise tomllib.TOMLDecodeError(f"more than {DEPTH} levels of lists and tables") from None
    except tomllib.TOMLDecodeError:
        raise
    except ValueError:  # from int(), whose message is about Python's own limit
        found = _LONG_NUMBER.search(bare)
        reason = f"a whole number of more than {BITS} bits{_line(bare, found)}"
        raise tomllib.TOMLDecodeError(reason) from None
    _check(table)
    return table


def _line(text: str, found: re.Match[str] | None) -> str:
    return "" if found is None else f" (at line {text.count(chr(10), 0, found.start()) + 1})"


def _check(table: dict[str, Any]) -> None:
    """Raise TOMLDecodeError for values nested too deeply and numbers that are too large."""
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
