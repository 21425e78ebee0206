"""Figures of two benchmarks beside each other: how far they are apart."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from genoku.errors import GenokuError

NOISE = 1.5
"""Within this factor, up or down, figures of the same machine count as the same."""


@dataclass(frozen=True)
class Former:
    """What is read of a file that `python3 run.py bench --json` printed."""

    facts: Mapping[str, str]
    quick: bool
    figures: Mapping[str, float]


@dataclass(frozen=True)
class Change:
    """A figure then and now.

    >>> Change("engines.two-points.genoku.speed", old=4.0, new=8.0).ratio
    2.0
    """

    key: str
    old: float
    new: float

    @property
    def ratio(self) -> float | None:
        """New by old; there is none where the old is 0 and the new is not."""
        if self.old == self.new:
            return 1.0
        return self.new / self.old if self.old else None

    @property
    def is_far(self) -> bool:
        """Whether it is beyond what noise explains."""
        ratio = self.ratio
        return ratio is None or not 1 / NOISE <= ratio <= NOISE


def former(path: Path) -> Former:
    """A former benchmark's figures."""
    expected = "expected what `python3 run.py bench --json` printed"
    try:
        told = json.loads(path.read_text("utf-8"))
    except OSError as error:
        raise GenokuError(f"{path}: {error.strerror}") from error
    except ValueError as error:
        raise GenokuError(f"{path}: {expected}, got no JSON: {error}") from error
    figures = told.get("figures") if isinstance(told, dict) else None
    if not isinstance(figures, dict) or not all(map(_is_number, figures.values())):
        raise GenokuError(f"{path}: {expected}, got no figures")
    facts = told.get("facts")
    known = {str(key): str(fact) for key, fact in facts.items()} if isinstance(facts, dict) else {}
    return Former(known, bool(told.get("quick")), figures)


def changes(old: Mapping[str, float], new: Mapping[str, float]) -> list[Change]:
    """Every figure that both have, in the order of the new."""
    return [Change(key, old[key], value) for key, value in new.items() if key in old]


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
