"""What report 004 claims, counted out or measured."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from genoku.collection import bundled
from genoku.geometry import Geometry
from genoku.lab.page import Verdict
from genoku.lab.reproduce.claims import ALPHA, Claim, fact, median_interval, within
from genoku.lab.reproduce.places import known, ratio_interval
from genoku.lab.reproduce.sundy.copies import Copies, copies
from genoku.lab.reproduce.sundy.experiments import FEW, OWN, PUZZLES, VARIED, Measured
from genoku.lab.reproduce.sundy.swaps import met, pairs_of, random_boards, solved_board
from genoku.lab.reproduce.words import interval_words, short, spanned
from genoku.lab.results import COLUMNS, Results
from genoku.lab.statistics import Interval, Proportion, ert
from genoku.presets import preset
from genoku.recipe import build, with_value
from genoku.words import plural

if TYPE_CHECKING:
    from genoku.algorithms.genetic import Genetic

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
        different_parents(pools),
        *weighed(seen),
    ]


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


def different_parents(pools: Mapping[float, Copies]) -> Claim:
    medians = {rate: median_interval(found.same_mates[:, -1]) for rate, found in pools.items()}
    said = [
        f"{100 * np.median(pools[rate].same_mates[:, -1]):.0f} % at mutation {rate:g}"
        for rate in medians
    ]
    always = [within(interval, high=0.05) for interval in medians.values()]
    verdict: Verdict = "holds" if set(always) == {"holds"} else "undecided"
    return Claim(
        "Two different parents (different places of the pool, as we read it) ensure that a child "
        "is new.",
        "uniform crossover",
        "fails" if "fails" in always else verdict,
        "Different places of the pool can hold equal boards, whose child is one more copy. Pairs "
        f"of places with equal boards: {', '.join(said)} (we ask: less than 5 % in all).",
    )


def weighed(seen: Measured) -> list[Claim]:
    """Evaluations per solution with and without something, over puzzles that are solved at times.

    Intervals are as wide as Bonferroni asks for so many claims.
    """
    own, varied = (joined([seen.puzzles[name, puzzle] for puzzle in FEW]) for name in (OWN, VARIED))
    base, *others = (
        joined([seen.parts[name, puzzle] for puzzle in FEW])
        for name in ("up to 5", "up to 4", "exactly 5", "no rule", "penalty 0")
    )
    four, exactly, free, no_penalty = others
    compared = (
        (
            "Copies make it converge to a local optimum; without twins it would do better.",
            "selection, as implied",
            varied,
            own,
            "Without twins",
            "with them",
        ),
        (
            "The strict condition, 4 as in a solved grid, is too tight; slack to 5 is better.",
            "swap mutation",
            *(base, four, "Up to 5", "up to 4"),
        ),
        (
            "To the letter, exactly 5 times, the rule is no worse than up to 5 times, our reading.",
            "swap mutation, as implied",
            *(exactly, base, "Exactly 5", "up to 5"),
        ),
        (
            "The rule for swaps helps.",
            "swap mutation, as implied",
            *(base, free, "With it", "without"),
        ),
        (
            "The extra penalty of two for clashes with givens helps.",
            "fitness evaluation, as implied",
            *(base, no_penalty, "With it", "without"),
        ),
    )
    confidence = 1 - ALPHA / len(compared)
    return [
        _weighed(text, where, first, second, names, confidence)
        for text, where, first, second, *names in compared
    ]


def joined(parts: Sequence[Results]) -> Results:
    """Runs on several puzzles as one sample; their budgets are equal."""
    return Results(*(np.concatenate([getattr(each, name) for each in parts]) for name in COLUMNS))


def _weighed(
    text: str, where: str, first: Results, second: Results, names: list[str], confidence: float
) -> Claim:
    interval = ratio_interval(
        (second.evaluations, second.solved), (first.evaluations, first.solved), level=confidence
    )
    said = [
        f"{name}: {Proportion.of(runs.solved)} solved, "
        f"{short(ert(runs.evaluations, runs.solved))} evaluations per solution"
        for name, runs in zip(names, (first, second), strict=True)
    ]
    return Claim(
        text,
        where,
        within(interval, low=1.0),
        f"{said[0]}; {said[1]}: {spanned(interval)} times as many, interval of "
        f"{100 * confidence:g} %.",
    )
