"""Every comparison of report 002, what chance does to five runs, and what was solved."""

from __future__ import annotations

from itertools import combinations

from genoku.lab.page import Column, Notice, Section, Table
from genoku.lab.statistics import a12, runs_for_a12, smallest_p, student
from reproductions.old.charles.experiments import (
    CODED,
    EXPERIMENTS,
    VALUES,
    VERSIONS,
    WORDS,
    Measured,
    Setting,
    Value,
)
from reproductions.old.charles.recommendations import contrasts
from reproductions.old.charles.verdicts import DIFFERENCES
from reproductions.old.claims import ALPHA, compare

MOST = 10_000
"""Runs on each side beyond which nobody would look for a difference."""


def pairs() -> list[tuple[Value, Value]]:
    """What can be compared: values of an experiment, and the selections of experiment 1.

    Unique and repetitions are the same runs, and the loss of unique² has another scale.
    """
    found = [pair for each in EXPERIMENTS for pair in combinations(each.values, 2)]
    of_fitness = [value for value in VALUES if value.experiment.startswith("1.")]
    found = [*combinations(of_fitness, 2), *found]
    return [
        (one, two)
        for one, two in found
        if one.setting.fitness == two.setting.fitness and one.setting != two.setting
    ]


def comparisons(runs: Measured) -> Section:
    compared = pairs()
    levels = {_key(each.better, each.worse): each.level for each in DIFFERENCES}
    asked = contrasts(runs, CODED)
    tested = {
        frozenset((pair.better.same, pair.worse.same)): found.p
        for pair, found in zip(asked, compare(list(asked.values())), strict=True)
        if found.outcome != "too few"
    }
    rows = []
    for one, two in compared:
        first, second = (runs.of(value.setting, CODED).losses for value in (one, two))
        effect = a12(first, second)
        needed = runs_for_a12(effect.a12)
        level = levels.get(_key(one, two))
        p = tested.get(frozenset((one.setting.same, two.setting.same)))
        few = smallest_p(len(first), len(second)) >= ALPHA
        rows.append(
            (
                *_named(one, two),
                _p(student(one.moments, two.moments).p),
                f"{100 * level:g} %" if level else "",
                "–" if p is None else _p(p),
                "–" if few else f"{effect.a12:.2f}",
                "–" if few or needed is None or needed > MOST else f"{needed:,}",
            )
        )
    return Section(
        "Every comparison within the 21 experiments",
        (
            "The report's t-tests recomputed from what it printed, beside the levels at which it "
            "calls differences significant, and the same comparisons on our runs (as coded). Our "
            f"p-values are those of the claims above, corrected for all {len(asked)} at once; a "
            "comparison that no claim rests on has none. A12 is how likely a run of the first has "
            "the lower loss. The last column says how many runs on each side would show such an "
            "A12 four times out of five: five runs show large differences only.",
            Table(
                (
                    Column("experiment", align="left"),
                    "compared",
                    Column("published", "Student's p"),
                    Column("said", "significant at"),
                    Column("ours, Mann–Whitney", f"p, Holm over {len(asked)}"),
                    Column("A12"),
                    Column("runs needed", "each side"),
                ),
                tuple(rows),
                "Unique and repetitions are not compared, being the same runs, nor unique with "
                "unique², whose loss has another scale.",
            ),
        ),
    )


def _key(one: Value, two: Value) -> frozenset[tuple[str, str]]:
    """Two published values in any order."""
    return frozenset((each.experiment, each.label) for each in (one, two))


def _named(one: Value, two: Value) -> tuple[str, str]:
    if one.experiment == two.experiment:
        return one.experiment, f"{one.label} – {two.label}"
    words = [WORDS.get(value.setting.selection, value.setting.selection) for value in (one, two)]
    return f"{one.experiment}, {two.experiment}", f"{one.label}: {words[0]} – {words[1]}"


def _p(p: float) -> str:
    return "< 0.001" if p < 0.001 else f"{p:.3f}"


def same_algorithm() -> Section:
    groups: dict[Setting, list[Value]] = {}
    for value in VALUES:
        groups.setdefault(value.setting.same, []).append(value)
    rows = []
    for setting, values in groups.items():
        if len(values) < 2:
            continue
        words = [setting.fitness, setting.selection, setting.crossover, setting.mutation]
        smallest = min(student(one.moments, two.moments).p for one, two in combinations(values, 2))
        rows.append(
            (
                ", ".join(WORDS.get(word, word) for word in words),
                ", ".join(f"{each.experiment}: {each.moments.mean:.3f}" for each in values),
                f"{smallest:.3f}",
            )
        )
    return Section(
        "What chance does to five runs",
        (
            "The report measured some algorithms more than once, unique and repetitions being "
            "one. How far these means lie apart is chance, and a measure of what differences "
            "mean elsewhere.",
            Table(
                (
                    "algorithm",
                    Column("published means", align="left"),
                    Column("smallest p", "of two of them, Student"),
                ),
                tuple(rows),
                "Published means of the same algorithm on the hard puzzle.",
            ),
            Notice(
                "Experiment 6.1.2 says that elitism worsens tournament selection (0.033 without). "
                "Without it the same algorithm had 0.049 in experiment 3.1.1, as with elitism."
            ),
        ),
    )


def solved(runs: Measured) -> Section:
    rows: list[tuple[str, ...]] = []
    once: dict[Setting, Value] = {}
    for value in VALUES:
        once.setdefault(value.setting.same, value)
    for value in once.values():
        counts = [runs.of(value.setting, version).solved for version in VERSIONS]
        if any(each.any() for each in counts):
            shares = tuple(f"{int(each.sum())} of {len(each)}" for each in counts)
            puzzle = WORDS.get(value.setting.puzzle, value.setting.puzzle)
            rows.append((puzzle, f"{value.experiment} {value.label}", *shares))
    table = Table(
        (
            "puzzle",
            Column("setting", align="left"),
            *(f"solved, {version}" for version in VERSIONS),
        ),
        tuple(rows),
        "Settings of which a run was solved; all others solved none.",
    )
    return Section(
        "Was anything solved?",
        (
            "No curve in the report's charts reaches 0. Of our runs "
            + ("some do:" if rows else "none does, either."),
            *((table,) if rows else ()),
        ),
    )
