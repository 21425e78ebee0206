"""Small random changes. The rate belongs to the adaptation; an operator applies it once per board.

A board mutates with probability `rate`, and then as many times as the operator's `repeats` say.
Most operators move digits among the blanks of one random unit. Units with too few blanks for that
are not drawn (but by `SkippingSwap`), and where no unit is left, or no blank, nothing changes.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache, reduce
from typing import Any, ClassVar, Literal, Protocol, get_args

import numpy as np
from numpy.typing import NDArray

from genoku.encoding import MANY, Boards, Encoding
from genoku.errors import RecipeError
from genoku.fitness import Fitness
from genoku.jit import inlined, kernel
from genoku.problem import Problem, first_misfit
from genoku.stream import Stream, below, integers, uniform, uniforms

Unit = Literal["row", "column", "box", "any"]

Times = NDArray[np.int64]
"""How many times, for every board; to be read only, since boards may share it."""


class Repeats(Protocol):
    """How many times the operator is applied to each of `count` boards."""

    def __call__(self, count: int, problem: Problem, rng: Stream) -> Times: ...


@dataclass(frozen=True)
class Fixed:
    """The same number of `times` for every board: once (report 000) or more."""

    times: int = 1

    def __post_init__(self) -> None:
        if self.times < 1:
            raise RecipeError(f"expected 1 time or more, got times {self.times}")

    def __call__(self, count: int, problem: Problem, rng: Stream) -> Times:
        return all_alike(count, self.times)


@dataclass(frozen=True)
class Between:
    """A random number of times, each from `least` to `most` equally likely."""

    least: int = 1
    most: int = 5

    def __post_init__(self) -> None:
        if not 0 <= self.least <= self.most:
            raise RecipeError(
                "expected at least 0 times and at most no fewer, "
                f"got least {self.least} and most {self.most}"
            )

    def __call__(self, count: int, problem: Problem, rng: Stream) -> Times:
        return integers(rng, self.most - self.least + 1, count) + self.least


@dataclass(frozen=True)
class Binomial:
    """As many times as `trials` of chance `p` succeed, perhaps none (report 002).

    With `trials=0` there is one for every unit (27: the report's swaps) or for every blank (its
    uniform mutation), as `of` says. The report's text has 0 to n successes, its code leaves n out:
    we do not.
    """

    p: float = 0.01
    trials: int = 0
    of: Literal["units", "blanks"] = "units"

    def __post_init__(self) -> None:
        if not 0 <= self.p <= 1:
            raise RecipeError(f"expected a chance from 0 to 1, got p {self.p}")
        if self.trials < 0:
            raise RecipeError(f"expected 0 trials or more, got trials {self.trials}")
        if self.of not in ("units", "blanks"):
            raise RecipeError(f"expected trials of units or blanks, got {self.of!r}")

    def __call__(self, count: int, problem: Problem, rng: Stream) -> Times:
        counted = 3 * problem.puzzle.side if self.of == "units" else len(problem.space.genes)
        table = successes_up_to(self.trials or counted, self.p)
        # report 002, get_count; the last entry is 1 but for rounding, and no draw goes beyond it
        return np.searchsorted(table[:-1], uniforms(rng, count), side="right")


REPEATS: tuple[type[Repeats], ...] = (Fixed, Between, Binomial)


@lru_cache(maxsize=64)
def all_alike(count: int, times: int) -> Times:
    """One array for all calls: making it anew would cost a sixth of a mutation."""
    return np.full(count, times, np.int64)


@lru_cache(maxsize=64)
def successes_up_to(trials: int, p: float) -> NDArray[np.float64]:
    """For k from 0 to `trials`, the chance of at most k successes."""
    one_trial = np.array([1 - p, p])
    return reduce(np.convolve, [one_trial] * trials, np.ones(1)).cumsum()


class Mutation(Protocol):
    """New boards, each changed with probability `rate`."""

    def __call__(self, boards: Boards, rate: float, problem: Problem, rng: Stream) -> Boards: ...


@dataclass(frozen=True)
class WithinUnit:
    """What moves digits among the blanks of one random unit."""

    unit: Unit = "row"

    def __post_init__(self) -> None:
        if self.unit not in get_args(Unit):
            raise RecipeError(f"expected the unit row, column, box or any, got {self.unit!r}")

    def fits(self, encoding: Encoding, fitness: Fitness) -> str | None:
        if encoding.legal:
            return "a digit that moves may clash with a given at its new place"
        if encoding.keeps in ("none", self.unit):
            return None
        where = "any unit" if self.unit == "any" else f"a {self.unit}"
        return f"moving digits within {where} would break the {MANY[encoding.keeps]} it keeps whole"


@dataclass(frozen=True)
class Swap(WithinUnit):
    """Exchange two blanks of a random row, column or box (reports 000 and 002).

    `unit` says which; `any` draws rows, columns or boxes first, with equal chance, and then one of
    them: report 002's `swap`. A board that mutates is changed as often as `repeats` says. The
    report's code may draw the same blank twice and then changes nothing: `distinct=False`.
    Report 000 leaves open what happens in a unit with one blank or none: here only the others are
    drawn, and `SkippingSwap` is the other reading.
    """

    unit: Unit = "row"
    repeats: Repeats = Fixed()
    distinct: bool = True

    skips: ClassVar[bool] = False
    """Whether a unit with too few blanks may be drawn, in which case nothing is swapped."""

    def __call__(self, boards: Boards, rate: float, problem: Problem, rng: Stream) -> Boards:
        apart = 1 if self.distinct else 0
        units = problem.space.swappable(self.unit, 0 if self.skips else 1 + apart)
        times = self.repeats(len(boards), problem, rng)
        return swaps(boards, rate, times, apart, *units, rng)


@dataclass(frozen=True)
class SkippingSwap(Swap):
    """Draw any row, column or box, and exchange two of its blanks if it has two (report 000).

    The other reading of the report's swap, whose Figure 4 draws the row first: a board whose unit
    has one blank or none stays as it is. On a puzzle with few blanks most mutations change nothing.
    `unit`, `repeats` and `distinct` are those of `Swap`.
    """

    skips: ClassVar[bool] = True


@dataclass(frozen=True)
class RuledSwap(WithinUnit):
    """Exchange blanks of a random box 1 to 5 times, if they are rare where they go (report 004).

    A sequence of `least` to `most` swaps of two different blanks, all in one `unit`. Each is made
    if its two digits appear at most `limit` times where they would go: the first in the row and the
    column of the second, and the other way round, counted before the swap. The report's words ask
    for exactly 5 times (`exactly`), which would hardly change a good board: a solved one has 4
    everywhere. A refused swap uses up its turn, which the report leaves open.
    """

    unit: Unit = "box"
    least: int = 1
    most: int = 5
    limit: int = 5
    exactly: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0 <= self.least <= self.most:
            raise RecipeError(
                "expected at least 0 swaps and at most no fewer, "
                f"got least {self.least} and most {self.most}"
            )
        if self.limit < 0:
            raise RecipeError(f"expected a limit of 0 or more, got limit {self.limit}")

    def __call__(self, boards: Boards, rate: float, problem: Problem, rng: Stream) -> Boards:
        units = problem.space.swappable(self.unit)
        rule = self.least, self.most, self.limit, self.exactly
        return ruled_swaps(boards, rate, *rule, *units, problem.puzzle.side, rng)


@dataclass(frozen=True)
class Reset:
    """Give one random blank another of its digits (report 001; report 002's uniform mutation).

    Report 001 leaves open what happens to a blank with a single legal digit: we draw among the
    others. `different=False` draws among all blanks, and any of their digits, the present one too.
    A board that mutates is changed as often as `repeats` says.
    """

    repeats: Repeats = Fixed()
    different: bool = True

    def fits(self, encoding: Encoding, fitness: Fitness) -> str | None:
        if encoding.keeps == "none":
            return None
        return f"a new digit would break the {MANY[encoding.keeps]} it keeps whole"

    def __call__(self, boards: Boards, rate: float, problem: Problem, rng: Stream) -> Boards:
        space = problem.space
        times = self.repeats(len(boards), problem, rng)
        return resets(
            boards, rate, times, self.different, space.groups, space.digits, space.choices, rng
        )


@dataclass(frozen=True)
class Shuffle(WithinUnit):
    """Bring all blanks of a random box, row or column into a fresh random order (report 003).

    `unit` says which; `any` draws among all three kinds.
    """

    unit: Unit = "box"

    def __call__(self, boards: Boards, rate: float, problem: Problem, rng: Stream) -> Boards:
        return rearranged(boards, rate, True, True, *problem.space.swappable(self.unit), rng)


@dataclass(frozen=True)
class Inversion(WithinUnit):
    """Reverse the blanks between two random places of a unit, both included (report 000's wish).

    The `unit` is a random row, column or box; `any` draws among all three kinds.
    """

    unit: Unit = "row"

    def __call__(self, boards: Boards, rate: float, problem: Problem, rng: Stream) -> Boards:
        return rearranged(boards, rate, False, False, *problem.space.swappable(self.unit), rng)


@dataclass(frozen=True)
class Scramble(WithinUnit):
    """Shuffle the blanks between two random places of a unit, both included (report 000's wish).

    The `unit` is a random row, column or box; `any` draws among all three kinds.
    """

    unit: Unit = "row"

    def __call__(self, boards: Boards, rate: float, problem: Problem, rng: Stream) -> Boards:
        return rearranged(boards, rate, False, True, *problem.space.swappable(self.unit), rng)


@dataclass(frozen=True)
class OneOf:
    """Change every board that mutates with one of several mutations, drawn at random.

    The rate is the adaptation's: the one of the `parts` that is drawn always changes its boards.
    """

    parts: tuple[Mutation, ...] = (Swap(), Inversion(), Scramble())

    def __post_init__(self) -> None:
        if not self.parts:
            raise RecipeError("expected one mutation or more to draw from, got none")

    def fits(self, encoding: Encoding, fitness: Fitness) -> str | None:
        return first_misfit(self.parts, encoding, fitness)

    def __call__(self, boards: Boards, rate: float, problem: Problem, rng: Stream) -> Boards:
        changed = boards.copy()
        places = np.flatnonzero(uniforms(rng, len(boards)) < rate)
        drawn = integers(rng, len(self.parts), len(places))
        for number, part in enumerate(self.parts):
            its_own = places[drawn == number]
            if len(its_own) > 0:
                changed[its_own] = part(boards[its_own], 1.0, problem, rng)
        return changed


MUTATIONS: tuple[type[Mutation], ...] = (
    Swap,
    SkippingSwap,
    RuledSwap,
    Reset,
    Shuffle,
    Inversion,
    Scramble,
    OneOf,
)


@inlined
def mutating(count: int, rate: float, rng: Any) -> NDArray[np.int64]:
    """The places of the boards that mutate, each of `count` with probability `rate`."""
    places = np.empty(count, np.int64)
    found = 0
    for i in range(count):  # without a branch, which at random is as dear as a swap
        places[found] = i
        found += uniform(rng) < rate
    return places[:found]


@inlined
def random_unit(starts: NDArray[np.int64], rng: Any) -> Any:
    """A unit of a kind that is drawn first."""
    kind = 0
    if len(starts) > 2:
        kind = below(rng, len(starts) - 1)
    return starts[kind] + below(rng, starts[kind + 1] - starts[kind])


@inlined
def random_pair(size: Any, apart: Any, rng: Any) -> Any:
    """Two places among `size`: different ones, or, 0 apart, perhaps the same."""
    one, two = below(rng, size), below(rng, size - apart)
    return one, two + (two >= one) * apart


@kernel
def swaps(
    boards: Boards,
    rate: float,
    times: Times,
    apart: int,
    cells: NDArray[np.int64],
    sizes: NDArray[np.int64],
    starts: NDArray[np.int64],
    rng: Any,
) -> Boards:
    changed = boards.copy()
    if len(cells) == 0:
        return changed
    for i in mutating(len(boards), rate, rng):
        for _ in range(times[i]):
            unit = random_unit(starts, rng)
            if sizes[unit] <= apart:
                continue
            one, two = random_pair(sizes[unit], apart, rng)
            here, there = cells[unit, one], cells[unit, two]
            changed[i, here], changed[i, there] = changed[i, there], changed[i, here]
    return changed


@kernel
def ruled_swaps(
    boards: Boards,
    rate: float,
    least: int,
    most: int,
    limit: int,
    exactly: bool,
    cells: NDArray[np.int64],
    sizes: NDArray[np.int64],
    starts: NDArray[np.int64],
    side: int,
    rng: Any,
) -> Boards:
    changed = boards.copy()
    if len(cells) == 0:
        return changed
    for i in mutating(len(boards), rate, rng):
        unit = random_unit(starts, rng)
        for _ in range(least + below(rng, most - least + 1)):
            one, two = random_pair(sizes[unit], 1, rng)
            here, there = cells[unit, one], cells[unit, two]
            met = appearances(changed, i, here, there, side)
            if met == limit or (met < limit and not exactly):
                changed[i, here], changed[i, there] = changed[i, there], changed[i, here]
    return changed


@inlined
def appearances(boards: Boards, board: int, here: Any, there: Any, side: int) -> Any:
    """How often the digits of two cells appear in the row and column of the other (report 004)."""
    found = 0
    for _ in range(2):
        column = there % side
        start = there - column
        digit = boards[board, here]
        for place in range(side):
            found += boards[board, start + place] == digit
            found += boards[board, place * side + column] == digit
        here, there = there, here
    return found


@kernel
def resets(
    boards: Boards,
    rate: float,
    times: Times,
    different: bool,
    groups: NDArray[np.int64],
    digits: NDArray[np.uint8],
    choices: NDArray[np.int64],
    rng: Any,
) -> Boards:
    """Every group is one blank here; its digits are in ascending order."""
    changed = boards.copy()
    least = 1 if different else 0  # digits not to be drawn: the one a blank has
    drawable = np.empty(len(groups), np.int64)
    count = 0
    for group in range(len(groups)):
        if choices[group] > least:
            drawable[count] = group
            count += 1
    if count == 0:
        return changed
    for i in mutating(len(boards), rate, rng):
        for _ in range(times[i]):
            group = drawable[below(rng, count)]
            cell = groups[group, 0]
            choice = below(rng, choices[group] - least)
            if different and digits[group, choice] >= changed[i, cell]:
                choice += 1
            changed[i, cell] = digits[group, choice]
    return changed


@kernel
def rearranged(
    boards: Boards,
    rate: float,
    whole: bool,
    at_random: bool,
    cells: NDArray[np.int64],
    sizes: NDArray[np.int64],
    starts: NDArray[np.int64],
    rng: Any,
) -> Boards:
    """The blanks of a unit, or of a random stretch of it, at random or in reverse order."""
    changed = boards.copy()
    if len(cells) == 0:
        return changed
    for i in mutating(len(boards), rate, rng):
        unit = random_unit(starts, rng)
        first, last = np.int64(0), sizes[unit] - 1
        if not whole:
            one, two = random_pair(sizes[unit], 1, rng)
            first, last = min(one, two), max(one, two)
        while first < last:
            other = first
            if at_random:
                other += below(rng, last - first + 1)
            here, there = cells[unit, other], cells[unit, last]
            changed[i, here], changed[i, there] = changed[i, there], changed[i, here]
            last -= 1
            if not at_random:
                first += 1
    return changed
