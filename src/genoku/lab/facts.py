"""Tables as TOML reads them, looked at key by key: each is what was expected, or said to be not."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, TypeGuard

from genoku.errors import GenokuError, StudyError
from genoku.words import did_you_mean


@contextmanager
def at(where: str) -> Iterator[None]:
    """Put the place in front of what is wrong there."""
    try:
        yield
    except GenokuError as error:
        raise StudyError(f"{where}: {error}" if where else str(error)) from error


def refuse_unknown(facts: Mapping[str, Any], known: tuple[str, ...]) -> None:
    for key in facts:
        if key not in known:
            hint = did_you_mean(key, known, 1)
            raise StudyError(f"expected keys among {', '.join(known)}, got {key!r}{hint}")


def listed(facts: Mapping[str, Any], key: str) -> list[Any]:
    value = facts[key]
    found = value if isinstance(value, list) else [value]
    if not found:
        raise StudyError(f"{key}: expected one or more, got none")
    return found


def table(facts: Mapping[str, Any], key: str) -> dict[str, Any]:
    """A table with dotted keys flat: `selection.size`; a part, which says what to `use`, stays."""
    value = facts.get(key, {})
    if not isinstance(value, Mapping):
        raise StudyError(f"{key}: expected a table such as {{ population = 100 }}, got {value!r}")
    return dict(_flat(value))


def _flat(nested: Mapping[str, Any], path: str = "") -> Iterator[tuple[str, Any]]:
    for key, value in nested.items():
        if isinstance(value, Mapping) and "use" not in value:
            yield from _flat(value, f"{path}{key}.")
        else:
            yield f"{path}{key}", value


def text(facts: Mapping[str, Any], key: str, default: str) -> str:
    value = facts.get(key, default)
    if not isinstance(value, str):
        raise StudyError(f"{key}: expected text, got {value!r}")
    return value


def truth(facts: Mapping[str, Any], key: str) -> bool:
    value = facts.get(key, False)
    if not isinstance(value, bool):
        raise StudyError(f"{key}: expected true or false, got {value!r}")
    return value


def number(facts: Mapping[str, Any], key: str, default: int | None) -> int | None:
    value = facts.get(key, default)
    if value is not None and not (is_whole(value) and value >= 0):
        raise StudyError(f"{key}: expected a whole number from 0, got {value!r}")
    return None if value is None else int(value)


def is_whole(value: Any) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool)
