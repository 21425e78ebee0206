"""When a run ends: limits joined by `or` and `and`, as text and as a frozen value.

>>> until = Until.parse("generations=500 or seconds=10 and stagnation=50")
>>> until.reached(Counters(steps=500))
'generations=500'
>>> until.reached(Counters(steps=60, seconds=11, stagnation=50))
'seconds=10 and stagnation=50'
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, NamedTuple

from genoku.errors import RecipeError

WORDS = {
    "generations": "steps",
    "steps": "steps",
    "evaluations": "evaluations",
    "moves": "moves",
    "seconds": "seconds",
    "cpu_seconds": "cpu_seconds",
    "stagnation": "stagnation",
    "cost": "cost",
}
"""What can be limited, and the counter it is about."""

CLOCKS = ("seconds", "cpu_seconds")
"""Wall time and processor time: limits that a machine decides, and no seed."""

LONGEST = 1000  # characters

LARGEST_SEED = 2**63 - 1
"""Of a run."""
BROWSER_SEED = 2**53 - 1
"""The largest that a browser's numbers hold exactly."""
LANES = 2, 4
"""The fewest and the most algorithms of a race."""

LIMIT = re.compile(r"([a-z_]+)\s*=\s*(-?\d+(?:_\d+)*(?:\.\d*)?(?:[eE][+-]?\d+)?|nan|inf)")


class Counters(NamedTuple):
    """How far a run has come."""

    steps: int = 0
    evaluations: int = 0
    moves: int = 0
    seconds: float = 0.0
    cpu_seconds: float = 0.0
    """Processor time of the thread that makes the steps."""
    stagnation: int = 0
    """Steps since the best cost became lower."""
    cost: int = 2**31
    """The lowest cost so far."""


PLACES = {word: Counters._fields.index(counter) for word, counter in WORDS.items()}


@dataclass(frozen=True)
class Limit:
    """One word and one number, such as `generations=500`; `cost=3` means 3 or less."""

    word: str
    bound: float

    def __post_init__(self) -> None:
        if self.word not in WORDS:
            raise RecipeError(f"expected one of {', '.join(WORDS)}, got {self.word!r}")
        if not (math.isfinite(self.bound) and self.bound >= 0):
            raise RecipeError(f"expected a number from 0 for {self.word}, got {self.bound}")

    def is_reached(self, counters: Counters) -> bool:
        value = counters[PLACES[self.word]]
        return value <= self.bound if self.word == "cost" else value >= self.bound

    def __str__(self) -> str:
        whole = self.bound == int(self.bound) and self.bound < 2**53
        return f"{self.word}={int(self.bound) if whole else self.bound}"


class Stop(StrEnum):
    """Why a run stopped, but for its limits."""

    SOLVED = "solved"
    NO_SOLUTION = "no solution"
    """It proved that there is none."""
    FAILED = "failed"
    """It cannot go on, and proved nothing."""
    TIME_LIMIT = "time limit"
    """A search of one step gave up, for lack of time."""
    STOPPED = "stopped"
    """A watcher or a user ended it."""
    INTERRUPTED = "interrupted"
    """By Ctrl-C."""
    NOT_SOLVED = "cost 0, but no solution"
    """Its fitness says that it is solved, and the puzzle does not."""


class LimitReached(str):
    """The limits that ended a run, all at once; as text, what `Until` has of them."""

    __slots__ = ("limits",)
    limits: tuple[Limit, ...]

    def __new__(cls, limits: tuple[Limit, ...]) -> LimitReached:
        reached = super().__new__(cls, " and ".join(map(str, limits)))
        reached.limits = limits
        return reached

    def __getnewargs__(self) -> tuple[Any, ...]:
        return (self.limits,)


StopReason = Stop | LimitReached
"""Why a run stopped; as text, what results, files and stores show."""


def parse_stop_reason(text: str) -> StopReason:
    """The reason that a file or a store holds as text."""
    if text in Stop.__members__.values():
        return Stop(text)
    (limits,) = Until.parse(text).ways
    return LimitReached(limits)


@dataclass(frozen=True)
class Until:
    """Ways to end a run: any of them ends it, once all limits of that way are reached."""

    ways: tuple[tuple[Limit, ...], ...] = ()

    @classmethod
    def parse(cls, text: str | Until) -> Until:
        """Read `generations=500 or seconds=10 and stagnation=50`; `and` binds tighter."""
        if isinstance(text, Until):
            return text
        if not isinstance(text, str):
            raise RecipeError(f"expected limits such as 'generations=500', got {text!r}")
        plain = " ".join(text.split())
        if len(plain) > LONGEST:
            raise RecipeError(
                f"expected limits of up to {LONGEST:,} characters, got {len(plain):,}"
            )
        if not plain:
            return cls()
        return cls(
            tuple(
                tuple(_limit(limit, plain) for limit in way.split(" and "))
                for way in plain.split(" or ")
            )
        )

    def reached(self, counters: Counters) -> LimitReached | None:
        """The way that has been reached, if one has."""
        for way in self.ways:
            for limit in way:
                if not limit.is_reached(counters):
                    break
            else:
                return LimitReached(way)
        return None

    def words(self) -> set[str]:
        """Everything it looks at."""
        return {limit.word for way in self.ways for limit in way}

    @property
    def is_timed(self) -> bool:
        """Whether a clock may end the run, so that it may end elsewhere on another machine."""
        return not self.words().isdisjoint(CLOCKS)

    def bound(self, word: str) -> float | None:
        """Where the run ends if nothing ends it before: the bound of a way that is this alone."""
        alone = [way[0].bound for way in self.ways if len(way) == 1 and way[0].word == word]
        return min(alone, default=None)

    @property
    def time_limit(self) -> float | None:
        """Seconds after which the run ends at the latest, by whichever clock; None if by none."""
        bounds = [self.bound(clock) for clock in CLOCKS]
        return min((bound for bound in bounds if bound is not None), default=None)

    def in_cpu_time(self) -> Until:
        """The same limits with all seconds in processor time, which is a race's only clock."""
        by_cpu = {"seconds": "cpu_seconds"}
        return Until(
            tuple(
                tuple(Limit(by_cpu.get(limit.word, limit.word), limit.bound) for limit in way)
                for way in self.ways
            )
        )

    def without(self, word: str) -> Until:
        """The other ways: those that are not a limit of this alone."""
        return Until(tuple(way for way in self.ways if [limit.word for limit in way] != [word]))

    def __or__(self, other: Until) -> Until:
        return Until(self.ways + other.ways)

    def __and__(self, other: Until) -> Until:
        return Until(tuple(one + two for one in self.ways for two in other.ways))

    def __str__(self) -> str:
        return " or ".join(" and ".join(map(str, way)) for way in self.ways)


def _limit(text: str, whole: str) -> Limit:
    match = LIMIT.fullmatch(text.strip())
    try:
        if match:
            return Limit(match[1], float(match[2].replace("_", "")))
    except ValueError as error:
        if isinstance(error, RecipeError):
            raise RecipeError(f"in {whole!r}: {error}") from None
    raise RecipeError(
        f"in {whole!r}: expected limits such as generations=500, joined by or and and, "
        f"got {text.strip()!r}"
    )
