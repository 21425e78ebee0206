"""Whether what was tuned is really better: on puzzles and seeds that the search never met.

The best of many trials looks better than it is, because luck chose it too. So it meets the recipe
it comes from once more, in pairs: the same fresh puzzle and seed for both.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from genoku.board import Puzzle
from genoku.generator import Wanted, generate
from genoku.interrupts import check
from genoku.isomorph import shuffled
from genoku.lab.statistics import (
    LEVEL,
    Comparison,
    Effect,
    Proportion,
    a12,
    p_text,
    runs_for_a12,
    wilcoxon,
)
from genoku.lab.tune.objective import Instance, Outcome, Task, measured
from genoku.recipe import Trust
from genoku.workers import batched, spread, workers

FRESH = 1_000_000
"""From here on puzzles and seeds are kept for validation."""


def instances_of(
    puzzles: Sequence[Puzzle] | Wanted, count: int, seed: int, *, fresh: bool = False
) -> tuple[Instance, ...]:
    """So many puzzles, each with a seed of its own.

    Generated ones as wanted, or those given in turn; `fresh` ones are others of the same kind:
    generated from other streams, or isomorphs of those given.
    """
    first = seed + (FRESH if fresh else 0)
    if isinstance(puzzles, Wanted):
        start = FRESH if fresh else 0
        chosen = [generate(puzzles, seed, start + place).puzzle for place in range(count)]
    else:
        chosen = [puzzles[place % len(puzzles)] for place in range(count)]
        if fresh:
            chosen = [shuffled(each, first + place) for place, each in enumerate(chosen)]
    return tuple(
        Instance(str(puzzle), puzzle.geometry.box, first + place)
        for place, puzzle in enumerate(chosen)
    )


class Validation(NamedTuple):
    """The runs of both recipes, in pairs."""

    before: tuple[Outcome, ...]
    after: tuple[Outcome, ...]
    isomorphs: bool = False
    """Whether the puzzles are those tuned on in other guises, rather than others of their kind."""

    @property
    def puzzles(self) -> str:
        """What they are, in words."""
        return "isomorphs of the puzzles it was tuned on" if self.isomorphs else "fresh puzzles"

    @property
    def reach(self) -> str:
        """How far a verdict goes, to stand behind it."""
        return "; nothing is said of others" if self.isomorphs else ""

    @property
    def test(self) -> Comparison:
        """Wilcoxon's signed ranks of what the paired runs are worth."""
        return wilcoxon(*self._values())

    @property
    def effect(self) -> Effect:
        """How often a tuned run is worth more than one of the other."""
        before, after = self._values()
        return a12(after, before)

    @property
    def solved(self) -> tuple[Proportion, Proportion]:
        before, after = (
            Proportion.of([run.solved for run in runs]) for runs in (self.before, self.after)
        )
        return before, after

    @property
    def unsearched(self) -> tuple[int, int]:
        """How many puzzles rules alone solved, before and after, so that no search was needed."""
        before, after = (
            sum(not run.searched for run in runs) for runs in (self.before, self.after)
        )
        return before, after

    @property
    def verdict(self) -> str:
        """`better`, `worse` or `open`: what the test allows to say of the tuned recipe."""
        test = self.test
        if test.p >= LEVEL:
            return "open"
        ranks = (test.differing or 0) * ((test.differing or 0) + 1) / 2
        return "better" if test.statistic > ranks / 2 else "worse"

    def sentence(self) -> str:
        """The verdict in words, with the figures it stands on."""
        before, after = self.unsearched
        if not before + after:
            return self._judged()
        return (
            f"{self._judged()} Rules such as singles solved {before} of {len(self.before)} puzzles "
            f"before tuning and {after} after it, without a search: these say nothing of it."
        )

    def _judged(self) -> str:
        test, effect, runs = self.test, self.effect, len(self.before)
        figures = f"Wilcoxon signed-rank test, {p_text(test.p)}; A12 = {effect.a12:.2f}"
        where = f"on {runs} {self.puzzles}"
        if self.verdict != "open":
            shown = f"The tuned recipe is {self.verdict} {where}"
            return f"{shown} ({figures}, {effect.magnitude}){self.reach}."
        if test.note:
            return f"Not shown to be better: {where} both did exactly the same{self.reach}."
        needed = runs_for_a12(effect.a12)  # of unpaired ranks, so that pairs may need fewer
        more = ""
        if effect.a12 > 0.5 and needed is not None and needed > runs:
            more = f" If the difference is as seen, --validate {needed} (roughly) may show it."
        return f"Not shown to be better {where} ({figures}){self.reach}.{more}"

    def _values(self) -> tuple[list[float], list[float]]:
        return [run.value for run in self.before], [run.value for run in self.after]


def validations(
    before: dict[str, Any],
    after: dict[str, Any],
    until: str,
    instances: Sequence[Instance],
    jobs: int = 1,
    *,
    isomorphs: bool = False,
    trust: Trust = False,
) -> Iterator[Validation]:
    """Run both recipes on every instance; all pairs so far after every few, the last has all."""
    pairs: list[tuple[Outcome, Outcome]] = []
    with workers(jobs):
        for some in batched(instances, jobs):
            check()
            tasks = [
                Task(recipe, until, each, trust) for each in some for recipe in (before, after)
            ]
            outcomes = spread(measured, tasks)
            pairs += zip(outcomes[::2], outcomes[1::2], strict=True)
            first, second = zip(*pairs, strict=True)
            yield Validation(tuple(first), tuple(second), isomorphs)
