"""Budgets: limits joined by `or` and `and`, as text and as a frozen value.

>>> until = Until.parse("generations=500 or seconds=10 and stagnation=50")
>>> until.first_reached(Counters(steps=500))
'generations=500'
>>> until.first_reached(Counters(steps=60, seconds=11, stagnation=50))
'seconds=10 and stagnation=50'
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, NamedTuple

from genoku.errors import RecipeError

CLOCKS = ("seconds", "cpu_seconds")  # limits that depend on the machine, not on the seed
LONGEST = 1000  # characters
LARGEST_SEED = 2**63 - 1  # the largest random seed of a run
BROWSER_SEED = 2**53 - 1  # the largest random seed that a browser's numbers hold exactly
LANES = 2, 4  # the fewest and the most algorithms of a race

LIMIT = re.compile(r"([a-z_]+)\s*=\s*(-?\d+(?:_\d+)*(?:\.\d*)?(?:[eE][+-]?\d+)?|nan|inf)")


class Counters(NamedTuple):
    """The counters of a run that limits refer to."""

    steps: int = 0
    evaluations: int = 0
    moves: int = 0
    seconds: float = 0.0
    cpu_seconds: float = 0.0  #: CPU time of the thread that makes the steps
    stagnation: int = 0  #: Steps since the best cost fell
    cost: int = 2**31  #: The lowest cost so far


def time_left(left: float, done: float, seconds: float) -> float:
    """Seconds for the work left at the current pace; infinite while nothing is done."""
    return left * seconds / done if done else math.inf


WORDS = {"generations": "steps", **{counter: counter for counter in Counters._fields}}
"""The words of limits, and the counter that each limits."""

PLACES = {word: Counters._fields.index(counter) for word, counter in WORDS.items()}


@dataclass(frozen=True)
class Limit:
    """A word and a number, such as `generations=500`; `cost=3` means 3 or less."""

    word: str
    bound: float

    def __post_init__(self) -> None:
        if self.word not in WORDS:
            raise RecipeError(f"expected one of {', '.join(WORDS)}, got {self.word!r}")
        if not (math.isfinite(self.bound) and self.bound >= 0):
            raise RecipeError(f"expected 0 or more for {self.word}, got {self.bound}")

    def is_reached(self, counters: Counters) -> bool:
        """Whether a run with these counters has reached the limit."""
        value = counters[PLACES[self.word]]
        return value <= self.bound if self.word == "cost" else value >= self.bound

    def __str__(self) -> str:
        whole = self.bound == int(self.bound) and self.bound < 2**53
        return f"{self.word}={int(self.bound) if whole else self.bound}"


class Stop(StrEnum):
    """Why a run stopped, other than by its limits."""

    SOLVED = "solved"
    NO_SOLUTION = "no solution"  #: It proved that the puzzle has no solution
    FAILED = "failed"  #: It cannot continue, and proved nothing
    TIME_LIMIT = "time limit"  #: A search of one step ran out of time
    STOPPED = "stopped"  #: A callback or a user stopped it
    INTERRUPTED = "interrupted"  #: By Ctrl-C
    NOT_SOLVED = "cost 0, but no solution"  #: A wrong fitness took it for solved


class LimitReached(str):
    """The limits that ended a run; as text, the way of `Until` that they form."""

    __slots__ = ("limits",)
    limits: tuple[Limit, ...]

    def __new__(cls, limits: tuple[Limit, ...]) -> LimitReached:
        reached = super().__new__(cls, " and ".join(map(str, limits)))
        reached.limits = limits
        return reached

    def __getnewargs__(self) -> tuple[Any, ...]:
        return (self.limits,)


StopReason = Stop | LimitReached  #: As text, the value in results, files and stores


@dataclass(frozen=True)
class Until:
    """The limits of a run: it ends when all limits of any of the `ways` are reached."""

    ways: tuple[tuple[Limit, ...], ...] = ()

    @classmethod
    def parse(cls, text: str | Until) -> Until:
        """Parse `generations=500 or seconds=10 and stagnation=50`; `and` binds more tightly.

        Raises
        ------
        RecipeError
            If the text is not a list of limits.
        """
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

    def first_reached(self, counters: Counters) -> LimitReached | None:
        """Return the limits of the first way that is reached, or None."""
        for way in self.ways:
            for limit in way:
                if not limit.is_reached(counters):
                    break
            else:
                return LimitReached(way)
        return None

    def words(self) -> set[str]:
        """Return the words of all limits."""
        return {limit.word for way in self.ways for limit in way}

    @property
    def is_timed(self) -> bool:
        """Whether a clock may end the run, so that results depend on the machine."""
        return not self.words().isdisjoint(CLOCKS)

    def bound(self, word: str) -> float | None:
        """Return the bound of this limit where it ends a run alone, or None."""
        alone = [way[0].bound for way in self.ways if len(way) == 1 and way[0].word == word]
        return min(alone, default=None)

    @property
    def time_limit(self) -> float | None:
        """The seconds after which the run ends at the latest, by either clock, or None."""
        bounds = [self.bound(clock) for clock in CLOCKS]
        return min((bound for bound in bounds if bound is not None), default=None)

    def in_cpu_time(self) -> Until:
        """Return the limits with all seconds as CPU time, the clock of races."""
        by_cpu = {"seconds": "cpu_seconds"}
        return Until(
            tuple(
                tuple(Limit(by_cpu.get(limit.word, limit.word), limit.bound) for limit in way)
                for way in self.ways
            )
        )

    def without(self, word: str) -> Until:
        """Return the limits without the ways that consist of this word alone."""
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
