"""What report 004 claims, counted out or measured."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from genoku.collection import bundled
from genoku.geometry import Geometry
from genoku.lab.page import Verdict
from genoku.lab.statistics import Interval, Runs, ert
from genoku.preset_library import preset
from genoku.recipe import build, with_value
from genoku.words import plural
from reproductions.old.claims import (
    ALPHA,
    Claim,
    across_readings,
    all_of,
    fact,
    median_interval,
    within,
)
from reproductions.old.places import known
from reproductions.old.ratios import Ratio, time_ratio
from reproductions.old.sundy.copies import Copies, copies, replaced_share
from reproductions.old.sundy.experiments import (
    AS_READ,
    FEW,
    OWN,
    PUZZLES,
    STRANGERS,
    VARIED,
    Measured,
)
from reproductions.old.sundy.swaps import met, pairs_of, random_boards, solved_board
from reproductions.old.words import interval_words

if TYPE_CHECKING:
    from genoku.algorithms.genetic import Genetic
    from genoku.lab.results import Results

NINE = Geometry.of_side(9)
MUTATION_RATES = (0.1, 0.5, 0.9)


def claims(seen: Measured, pools: Mapping[float, Copies]) -> list[Claim]:
    return [
        eighteen_constraints(),
        intrinsic(seen),
        zero_is_solved(seen),
        half_of_the_mask(),
        four_when_solved(),
        two_with_three_vectors(),
        pool_of_copies(pools),
        *weighed(seen),
    ]


def observations(seen: Measured, pools: Mapping[float, Copies]) -> list[Claim]:
    return [same_mates(pools), to_the_letter(seen)]


def figures(seen: Measured) -> dict[str, Any]:
    """Runs solved and evaluations per solution, by system and puzzle."""
    found: dict[str, Any] = {}
    for (name, puzzle), runs in seen.puzzles.items():
        found.setdefault(name, {})[puzzle] = {
            "solved": int(runs.solved.sum()),
            "runs": len(runs),
            "evaluations_per_solution": known(ert(runs.evaluations, runs.solved)),
        }
    return found


def pools_of_copies(runs: int) -> dict[float, Copies]:
    """Its mating pool on `charles-hard`, by the mutation probability that the user gives."""
    found = {}
    for rate in MUTATION_RATES:
        recipe = with_value(preset("sundy").recipe, "adaptation.rate", rate)
        algorithm = cast("Genetic", build(recipe))
        found[rate] = copies(algorithm, bundled()["charles-hard"].puzzle, runs)
    return found


def share_of_twins(runs: int) -> float:
    """How many children random boards replace on `charles-hard` where twins are not allowed."""
    algorithm = cast("Genetic", preset("sundy-varied").build())
    return replaced_share(algorithm, bundled()["charles-hard"].puzzle, runs)


def eighteen_constraints() -> Claim:
    lines = 2 * NINE.side
    return fact(
        "A solution must fulfil 18 equality constraints.",
        "fitness evaluation",
        holds=lines == 18,
        because=f"9 rows and 9 columns are {lines}; boxes and givens hold by construction.",
    )


def intrinsic(seen: Measured) -> Claim:
    """Looked up in the best board of every run."""
    boxes = seen.boards[:, NINE.units[2 * NINE.side :].astype(np.int64)]
    whole = bool((np.sort(boxes, axis=2) == np.arange(1, 10)).all())
    givens = np.array([bundled()[name].puzzle.board for name in PUZZLES])[seen.board_puzzles]
    kept = bool(((givens == 0) | (givens == seen.boards)).all())
    return fact(
        "Boxes and givens are satisfied intrinsically.",
        "fitness evaluation",
        holds=whole and kept,
        because=f"Checked in the best boards of {len(seen.boards)} runs: boxes "
        f"{'whole' if whole else 'not whole'}, givens {'in place' if kept else 'moved'}.",
    )


def zero_is_solved(seen: Measured) -> Claim:
    """By the puzzles' own verdict on every board, whatever the fitness says."""
    runs = [*seen.puzzles.values(), *seen.parts.values(), *seen.grid]
    zero, solved = (
        np.concatenate([each.cost == 0 for each in runs]),
        np.concatenate([each.solved for each in runs]),
    )
    return fact(
        "A fitness of 0 is a solution.",
        "fitness evaluation",
        holds=bool((zero == solved).all()),
        because=f"Of {len(zero)} runs {int(zero.sum())} end at 0 and {int(solved.sum())} with a "
        f"solution, {int((zero & solved).sum())} with both.",
    )


def half_of_the_mask() -> Claim:
    masks = np.array(list(product((0, 1), repeat=9)))
    taken = float(masks.sum(axis=1).mean())
    crossings = float(np.abs(np.diff(masks, axis=1)).sum(axis=1).mean())
    return fact(
        "The number of effective crossing points averages L/2.",
        "uniform crossover",
        holds=taken == 9 / 2,
        because=f"Over all {len(masks)} masks of L = 9, boxes taken from the first parent average "
        f"{taken:g}. Places where the mask changes from one parent to the other, which others "
        f"would call crossing points, average {crossings:g}.",
    )


def four_when_solved() -> Claim:
    found = [
        met(solved_board(bundled()[name].puzzle), NINE, pairs_of(NINE)).ravel() for name in PUZZLES
    ]
    counts = np.concatenate(found)
    return fact(
        "In a solved puzzle two digits appear in the two rows and columns 4 times.",
        "swap mutation",
        holds=bool((counts == 4).all()),
        because=f"Counted in {counts.size} pairs of cells of a box, in the solutions of "
        f"{len(PUZZLES)} puzzles: from {counts.min()} to {counts.max()}.",
    )


def two_with_three_vectors() -> Claim:
    """Each digit stands in the line that both cells share: it cannot be fewer than 2."""
    pairs = pairs_of(NINE)
    counts = met(random_boards(bundled()["charles-hard"].puzzle, 2000), NINE, pairs)
    three, four = int(counts[:, pairs.aligned].min()), int(counts[:, ~pairs.aligned].min())
    return fact(
        "Before an optimal swap the digits appear 0 times, or 2 times with three vectors.",
        "swap mutation",
        holds=(four, three) == (0, 2),
        because=f"The fewest in {counts.size:,} swaps on random boards: {four} with four vectors, "
        f"{three} with three, since two cells of a line have both digits in it.",
    )


def pool_of_copies(pools: Mapping[float, Copies]) -> Claim:
    """It could be the case: a setting in which it is so proves it."""
    medians = {rate: median_interval(found.largest[:, -1]) for rate, found in pools.items()}
    verdicts: list[Verdict] = [within(interval, low=0.5) for interval in medians.values()]
    said = [
        f"{100 * np.median(pools[rate].largest[:, -1]):.0f} % "
        f"({interval_words(Interval(100 * low, 100 * high), '.0f')}) at mutation {rate:g}, "
        f"generation {pools[rate].generations[-1]}"
        for rate, (low, high) in medians.items()
    ]
    some = next(iter(pools.values()))
    return Claim(
        "The mating pool can be filled with copies of one strong parent.",
        "selection",
        some_case(verdicts),
        f"Share of the pool that the most frequent board has, on `charles-hard`, medians of "
        f"{plural(len(some.largest), 'run')}, as far as all of them went: {'; '.join(said)} (we "
        "ask: more than half in some setting).",
    )


def some_case(verdicts: Sequence[Verdict]) -> Verdict:
    """A claim that something can be: one case proves it, and it fails only if all do."""
    if "holds" in verdicts:
        return "holds"
    return "fails" if set(verdicts) == {"fails"} else "undecided"


def same_mates(pools: Mapping[float, Copies]) -> Claim:
    """Of our reading: the report may mean different boards, and then has none of these."""
    medians = {rate: median_interval(found.same_mates[:, -1]) for rate, found in pools.items()}
    said = [
        f"{100 * np.median(pools[rate].same_mates[:, -1]):.0f} % at mutation {rate:g}"
        for rate in medians
    ]
    return Claim(
        "Two parents from different places of the pool are often the same board, whose child is "
        "one more copy.",
        'uniform crossover, "two different parents" read as different places',
        some_case([within(interval, low=0.05) for interval in medians.values()]),
        f"Pairs of places with equal boards: {', '.join(said)} (we ask: more than 5 % in some "
        "setting).",
    )


def to_the_letter(seen: Measured) -> Claim:
    return Weighed(seen.parts, 0.95)(
        "To the letter, exactly 5 times, the rule for swaps is worse than up to 5 times.",
        "swap mutation",
        AS_READ,
        "exactly 5",
    )


@dataclass(frozen=True)
class Weighed:
    """The claim that one system costs fewer evaluations per solution than another.

    Over puzzles that are solved at times, each a stratum of its own.
    """

    runs: Mapping[tuple[str, str], Results]
    confidence: float

    def __call__(self, text: str, where: str, better: str, worse: str) -> Claim:
        ratio = self.ratio(worse, better)
        said = [f"{name}, solved {', '.join(self.shares(name))}" for name in (better, worse)]
        return Claim(
            text,
            where,
            ratio.above_one,
            f"{'; '.join(said)} ({', '.join(map(short_name, FEW))}). Evaluations per solution, the "
            f"second by the first, geometric mean over the puzzles: {ratio}, interval of "
            f"{100 * self.confidence:.4g} %.",
        )

    def ratio(self, one: str, two: str) -> Ratio:
        pairs = [(self._runs(one, puzzle), self._runs(two, puzzle)) for puzzle in FEW]
        return time_ratio(*pairs, level=self.confidence)

    def shares(self, name: str) -> list[str]:
        """How many runs were solved, puzzle by puzzle."""
        found = [self.runs[name, puzzle].solved for puzzle in FEW]
        return [f"{int(solved.sum())} of {len(solved)}" for solved in found]

    def _runs(self, name: str, puzzle: str) -> Runs:
        runs = self.runs[name, puzzle]
        return runs.evaluations, runs.solved


def short_name(puzzle: str) -> str:
    return puzzle.removeprefix("charles-")


def weighed(seen: Measured) -> list[Claim]:
    """What its parts bring. Intervals are as wide as Bonferroni asks for six comparisons."""
    confidence = 1 - ALPHA / 6
    systems, parts = Weighed(seen.puzzles, confidence), Weighed(seen.parts, confidence)
    copies_hurt = (
        "Copies make it converge to a local optimum; without twins it would do better.",
        "selection, as implied",
    )
    rule_helps = "The rule for swaps helps.", "swap mutation, as implied"
    return [
        # random boards come in for twins: so it must also beat as many that come in for others
        all_of(
            *copies_hurt,
            [systems(*copies_hurt, VARIED, other) for other in (OWN, STRANGERS)],
        ),
        parts(
            "The strict condition, 4 as in a solved grid, is too tight; slack to 5 is better.",
            "swap mutation",
            AS_READ,
            "up to 4",
        ),
        across_readings(
            *rule_helps,
            {
                "up to 5 times": parts(*rule_helps, AS_READ, "no rule"),
                "exactly 5 times": parts(*rule_helps, "exactly 5", "no rule"),
            },
        ),
        parts(
            "The extra penalty of two for clashes with givens helps.",
            "fitness evaluation, as implied",
            AS_READ,
            "penalty 0",
        ),
    ]
