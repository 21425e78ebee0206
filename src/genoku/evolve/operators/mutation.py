"""Mutation: small random changes of boards.

A board mutates with probability `rate`, which belongs to the adaptation, and then as many times as
the operator's `repeats` say. Most operators move digits among the blanks of one random unit. Units
with too few blanks are not drawn (except by `SkippingSwap`); if no unit is left, nothing changes.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache, reduce
from typing import Any, ClassVar, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from genoku.errors import RecipeError, require_at_least, require_between, require_choices
from genoku.evolve.encoding import MANY, Boards, Encoding
from genoku.evolve.fitness import Fitness
from genoku.evolve.problem import Problem, first_misfit_reason
from genoku.runtime.jit import inline, kernel
from genoku.runtime.random import Stream, below, integers, uniform, uniforms

Unit = Literal["row", "column", "box", "any"]

Times = NDArray[np.int64]  #: The number of times for every board; read-only, as calls may share it


class Repeats(Protocol):
    """Draws how many times a mutation is applied to each of `count` boards."""

    def __call__(self, count: int, problem: Problem, rng: Stream) -> Times: ...


@dataclass(frozen=True)
class Fixed:
    """Apply a mutation the same number of `times` to every board: once (report 000) or more."""

    times: int = 1

    def __post_init__(self) -> None:
        require_at_least(self, times=1)

    def __call__(self, count: int, problem: Problem, rng: Stream) -> Times:
        return constant_times(count, self.times)


@dataclass(frozen=True)
class Between:
    """Apply a mutation a random number of times, uniformly from `least` to `most`."""

    least: int = 1
    most: int = 5

    def __post_init__(self) -> None:
        require_at_least(self, least=0, most=self.least)

    def __call__(self, count: int, problem: Problem, rng: Stream) -> Times:
        return integers(rng, self.most - self.least + 1, count) + self.least


@dataclass(frozen=True)
class Binomial:
    """Apply a mutation a binomial number of times, possibly none (report 002).

    The number is that of successes in `trials` with probability `p`. With `trials=0` there is one
    trial for every unit (27: the report's swaps) or every blank (its uniform mutation), as `of`
    says. The report's code never draws the highest number; its text and genoku do.
    """

    p: float = 0.01
    trials: int = 0
    of: Literal["units", "blanks"] = "units"

    def __post_init__(self) -> None:
        require_between(self, 0, 1, "p")
        require_at_least(self, trials=0)
        require_choices(self)

    def __call__(self, count: int, problem: Problem, rng: Stream) -> Times:
        counted = 3 * problem.puzzle.side if self.of == "units" else len(problem.space.genes)
        table = binomial_cdf(self.trials or counted, self.p)
        # report 002, get_count; the last entry is 1 except for rounding, so it is left out
        return np.searchsorted(table[:-1], uniforms(rng, count), side="right")


REPEATS: tuple[type[Repeats], ...] = (Fixed, Between, Binomial)


@lru_cache(maxsize=64)
def constant_times(count: int, times: int) -> Times:
    """An array that calls share: creating it would take a sixth of a mutation's time."""
    return np.full(count, times, np.int64)


@lru_cache(maxsize=64)
def binomial_cdf(trials: int, p: float) -> NDArray[np.float64]:
    """The probability of at most k successes, for k from 0 to `trials`."""
    one_trial = np.array([1 - p, p])
    return reduce(np.convolve, [one_trial] * trials, np.ones(1)).cumsum()


class Mutation(Protocol):
    """Makes new boards, each changed with probability `rate`."""

    def __call__(self, boards: Boards, rate: float, problem: Problem, rng: Stream) -> Boards: ...


@dataclass(frozen=True)
class WithinUnit:
    """A mutation that moves digits among the blanks of one random unit."""

    unit: Unit = "row"

    def __post_init__(self) -> None:
        require_choices(self)

    def fits(self, encoding: Encoding, fitness: Fitness) -> str | None:
        if encoding.legal:
            return "a digit that moves may conflict with a given"
        if encoding.keeps in ("none", self.unit):
            return None
        where = "any unit" if self.unit == "any" else f"a {self.unit}"
        return f"moving digits within {where} would break the {MANY[encoding.keeps]} it keeps whole"


@dataclass(frozen=True)
class Swap(WithinUnit):
    """Swap two blanks of a random row, column or box (reports 000 and 002).

    `unit` says which kind; `any` first draws a kind, all equally likely, and then a unit of it
    (report 002's `swap`). `repeats` says how often a mutated board is changed. With
    `distinct=False` the same blank may be drawn twice, which changes nothing, as in report 002's
    code. Report 000 does not say what happens in a unit with fewer than two blanks: here such a
    unit is never drawn; `SkippingSwap` is the other reading.
    """

    repeats: Repeats = Fixed()
    distinct: bool = True

    skips: ClassVar[bool] = False
    """Whether a unit with too few blanks may be drawn; then nothing is swapped."""

    def __call__(self, boards: Boards, rate: float, problem: Problem, rng: Stream) -> Boards:
        apart = 1 if self.distinct else 0
        units = problem.space.swappable(self.unit, 0 if self.skips else 1 + apart)
        times = self.repeats(len(boards), problem, rng)
        return swap_blanks(boards, rate, times, apart, *units, rng)


@dataclass(frozen=True)
class SkippingSwap(Swap):
    """Draw any row, column or box, and swap two of its blanks if it has two (report 000).

    The other reading of the report's swap: its Figure 4 draws the row first, and a board whose unit
    has fewer than two blanks stays unchanged. On a puzzle with few blanks most mutations change
    nothing. `unit`, `repeats` and `distinct` are those of `Swap`.
    """

    skips: ClassVar[bool] = True


@dataclass(frozen=True)
class RuledSwap(WithinUnit):
    """Swap blanks of a random box 1 to 5 times, if their digits are rare there (report 004).

    `least` to `most` swaps of two different blanks are tried, all in one `unit`. A swap is made if
    its two digits appear at most `limit` times where they would go: each in the row and the column
    of the other, counted before the swap. The report's text asks for exactly 5 times (`exactly`),
    which would hardly change a good board: on a solved one the number is always 4. A refused swap
    counts as tried, which the report does not say.
    """

    unit: Unit = "box"
    least: int = 1
    most: int = 5
    limit: int = 5
    exactly: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        require_at_least(self, least=0, most=self.least, limit=0)

    def __call__(self, boards: Boards, rate: float, problem: Problem, rng: Stream) -> Boards:
        units = problem.space.swappable(self.unit)
        rule = self.least, self.most, self.limit, self.exactly
        return swap_blanks_by_rule(boards, rate, *rule, *units, rng)


@dataclass(frozen=True)
class Reset:
    """Give one random blank another of its digits (report 001; report 002's uniform mutation).

    Report 001 does not say what happens to a blank with a single legal digit: here it is never
    drawn. With `different=False`, any blank may be drawn and any of its digits, including the
    present one. `repeats` says how often a mutated board is changed.
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
        return reset_blanks(
            boards, rate, times, self.different, space.groups, space.digits, space.choices, rng
        )


@dataclass(frozen=True)
class Rearrangement(WithinUnit):
    """A mutation that reorders the blanks of a unit."""

    whole: ClassVar[bool] = False  # whether all blanks of the unit are reordered, or a random span
    at_random: ClassVar[bool] = True  #: Whether they are shuffled or reversed

    def __call__(self, boards: Boards, rate: float, problem: Problem, rng: Stream) -> Boards:
        units = problem.space.swappable(self.unit)
        return rearrange(boards, rate, self.whole, self.at_random, *units, rng)


@dataclass(frozen=True)
class Shuffle(Rearrangement):
    """Shuffle all blanks of a random box, row or column (report 003).

    `unit` says which kind; `any` draws among all three.
    """

    unit: Unit = "box"
    whole: ClassVar[bool] = True


@dataclass(frozen=True)
class Inversion(Rearrangement):
    """Reverse the blanks between two random places of a unit, both included.

    Proposed by report 000. The `unit` is a random row, column or box; `any` draws among all three
    kinds.
    """

    at_random: ClassVar[bool] = False


@dataclass(frozen=True)
class Scramble(Rearrangement):
    """Shuffle the blanks between two random places of a unit, both included.

    Proposed by report 000. The `unit` is a random row, column or box; `any` draws among all three
    kinds.
    """


@dataclass(frozen=True)
class OneOf:
    """Change every mutated board with one of several mutations, drawn at random.

    The adaptation's rate says which boards mutate; the one of the `parts` that is drawn is applied
    with rate 1.
    """

    parts: tuple[Mutation, ...] = (Swap(), Inversion(), Scramble())

    def __post_init__(self) -> None:
        if not self.parts:
            raise RecipeError("expected one or more mutations, got none", path=("parts",))

    def fits(self, encoding: Encoding, fitness: Fitness) -> str | None:
        return first_misfit_reason(self.parts, encoding, fitness)

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


@inline
def draw_mutants(count: int, rate: float, rng: Any) -> NDArray[np.int64]:
    """The indices of the boards that mutate, each of `count` with probability `rate`."""
    places = np.empty(count, np.int64)
    found = 0
    for i in range(count):  # without a branch: a mispredicted one costs as much as a swap
        places[found] = i
        found += uniform(rng) < rate
    return places[:found]


@inline
def random_unit(starts: NDArray[np.int64], rng: Any) -> Any:
    """Draw a kind of unit, then a unit of that kind."""
    kind = 0
    if len(starts) > 2:
        kind = below(rng, len(starts) - 1)
    return starts[kind] + below(rng, starts[kind + 1] - starts[kind])


@inline
def random_pair(size: Any, apart: Any, rng: Any) -> Any:
    """Draw two places of `size`: different ones, or, if `apart` is 0, any two."""
    one, two = below(rng, size), below(rng, size - apart)
    return one, two + (two >= one) * apart


@kernel
def swap_blanks(
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
    for i in draw_mutants(len(boards), rate, rng):
        for _ in range(times[i]):
            unit = random_unit(starts, rng)
            if sizes[unit] <= apart:
                continue
            one, two = random_pair(sizes[unit], apart, rng)
            here, there = cells[unit, one], cells[unit, two]
            changed[i, here], changed[i, there] = changed[i, there], changed[i, here]
    return changed


@kernel
def swap_blanks_by_rule(
    boards: Boards,
    rate: float,
    least: int,
    most: int,
    limit: int,
    exactly: bool,
    cells: NDArray[np.int64],
    sizes: NDArray[np.int64],
    starts: NDArray[np.int64],
    rng: Any,
) -> Boards:
    changed = boards.copy()
    if len(cells) == 0:
        return changed
    for i in draw_mutants(len(boards), rate, rng):
        unit = random_unit(starts, rng)
        for _ in range(least + below(rng, most - least + 1)):
            one, two = random_pair(sizes[unit], 1, rng)
            here, there = cells[unit, one], cells[unit, two]
            met = appearances(changed, i, here, there, cells.shape[1])
            if met == limit or (met < limit and not exactly):
                changed[i, here], changed[i, there] = changed[i, there], changed[i, here]
    return changed


@inline
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
def reset_blanks(
    boards: Boards,
    rate: float,
    times: Times,
    different: bool,
    groups: NDArray[np.int64],
    digits: NDArray[np.uint8],
    choices: NDArray[np.int64],
    rng: Any,
) -> Boards:
    """Reset random blanks; every group is one blank, with its digits in ascending order."""
    changed = boards.copy()
    least = 1 if different else 0  # the number of digits not to be drawn: the present one
    drawable = np.empty(len(groups), np.int64)
    count = 0
    for group in range(len(groups)):
        if choices[group] > least:
            drawable[count] = group
            count += 1
    if count == 0:
        return changed
    for i in draw_mutants(len(boards), rate, rng):
        for _ in range(times[i]):
            group = drawable[below(rng, count)]
            cell = groups[group, 0]
            choice = below(rng, choices[group] - least)
            if different and digits[group, choice] >= changed[i, cell]:
                choice += 1
            changed[i, cell] = digits[group, choice]
    return changed


@kernel
def rearrange(
    boards: Boards,
    rate: float,
    whole: bool,
    at_random: bool,
    cells: NDArray[np.int64],
    sizes: NDArray[np.int64],
    starts: NDArray[np.int64],
    rng: Any,
) -> Boards:
    """Shuffle or reverse the blanks of a unit, or of a random span of it."""
    changed = boards.copy()
    if len(cells) == 0:
        return changed
    for i in draw_mutants(len(boards), rate, rng):
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
