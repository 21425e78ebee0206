"""What report 000 could not see with one run of each model."""

from __future__ import annotations

import numpy as np

from genoku.lab.charts import Heat, Level, Lines, Ranks
from genoku.lab.page import Column, Figure, Notice, Section, Table
from genoku.lab.statistics import Proportion, cliques, critical_difference
from genoku.words import plural
from reproductions.old.bands import band
from reproductions.old.poderosas.conclusions import ranked_models
from reproductions.old.poderosas.experiments import (
    ALL_MODELS,
    BASE,
    EXPERIMENTS,
    GENERATIONS,
    LONG,
    ORDERS,
    PRINTED,
    PUZZLES,
    TOURNAMENTS,
    Model,
)
from reproductions.old.poderosas.measured import Measured
from reproductions.old.poderosas.printed import chance_of_all_rows
from reproductions.old.poderosas.verdicts import samples_of


def winners_by_seed(runs: Measured, number: int, puzzle: str) -> dict[str, float]:
    """How many seeds each model would have won if each had run once; equal ones share a seed."""
    samples = samples_of(runs, puzzle, number)
    table = np.array(list(samples.values()))
    first = table == table.max(axis=0)
    shares = (first / first.sum(axis=0)).sum(axis=1)
    return {name: float(share) for name, share in zip(samples, shares, strict=True) if share}


def one_run(runs: Measured) -> Section:
    rows = []
    for experiment in EXPERIMENTS:
        for puzzle in PUZZLES:
            won = winners_by_seed(runs, experiment.number, puzzle)
            name = max(won, key=lambda each: won[each])
            share = f"{100 * won[name] / runs.seeds:.0f} %"
            rows.append((experiment.number, puzzle, len(won), name, share))
    return Section(
        "What one run of each model can tell",
        (
            "The report ran every model once and named the best. Each of our seeds is such an "
            "experiment: with another seed another model might have won.",
            Table(
                (
                    "experiment",
                    "puzzle",
                    Column("different winners", "over the seeds"),
                    "most frequent winner",
                    Column("its share", "of the seeds"),
                ),
                tuple(rows),
                f"Winners with {plural(runs.seeds, 'seed')}; models with equal fitness "
                "share a win.",
            ),
        ),
    )


def _heat(runs: Measured, puzzle: str) -> Heat:
    lines = tuple(dict.fromkeys(model[:2] for model in ALL_MODELS))
    values = tuple(
        tuple(
            float(runs.finals(Model(*line, mutation), BASE, puzzle).mean())
            for mutation in ORDERS["mutation"]
        )
        for line in lines
    )
    return Heat(
        f"Mean fitness of the 27 combinations: {puzzle}",
        "swap in a",
        "",
        tuple(ORDERS["mutation"]),
        tuple(f"{selection}, {crossover}" for selection, crossover in lines),
        values,
        "fitness",
        tuple(tuple(f"{each:.3f}" for each in row) for row in values),
    )


def combinations(runs: Measured) -> Section:
    tests = {puzzle: ranked_models(runs, puzzle) for puzzle in PRINTED}
    difference = critical_difference(len(TOURNAMENTS), runs.seeds)
    names = tuple(f"{model.crossover} + {model.mutation}" for model in TOURNAMENTS)
    charts = tuple(
        Ranks(
            f"Mean ranks of the nine tournament models: {puzzle}",
            names,
            test.ranks,
            difference,
            tuple(cliques(test.ranks, difference)),
        )
        for puzzle, test in tests.items()
    )
    return Section(
        "Operator combinations",
        (
            Figure(
                tuple(_heat(runs, puzzle) for puzzle in PUZZLES),
                f"Mean fitness after {GENERATIONS} generations, experiment 1 ({BASE}).",
            ),
            Figure(
                charts,
                f"Crossover + swap, ranked within each of {plural(runs.seeds, 'seed')}: with one "
                "seed all models start from one population. Models joined by a bar cannot be told "
                f"apart on that puzzle (Nemenyi, critical difference {difference:.2f}); of other "
                "puzzles it says nothing.",
            ),
        ),
    )


def longer_runs(longer: Measured) -> Section:
    curves = {
        puzzle: np.concatenate([longer.curves_of(each, BASE, puzzle) for each in TOURNAMENTS])
        for puzzle in PUZZLES
    }
    generations = np.arange(curves["easy"].shape[1]) * longer.every
    return Section(
        "For longer",
        (
            Figure(
                Lines(
                    f"Tournament models for {LONG:,} generations",
                    "generation",
                    "best fitness",
                    tuple(band(name, each, x=generations) for name, each in curves.items()),
                    levels=(Level(GENERATIONS, "the report's runs end", "x"),),
                ),
                f"Median and quartiles over nine models × {plural(longer.seeds, 'seed')}.",
            ),
        ),
    )


def solved(runs: Measured) -> Section:
    rows = []
    for puzzle in PUZZLES:
        flags, curves = (
            [values for (_, on), values in found.items() if on == puzzle]
            for found in (runs.solved, runs.curves)
        )
        seen = Proportion.of(np.concatenate(flags))
        low, high = seen.wilson()
        reached = max(float(each.max()) for each in curves)
        rows.append((puzzle, str(seen), f"{low:.2g} to {high:.2g}", f"{reached:.4f}"))
    return Section(
        "Was anything solved?",
        (
            Table(
                ("puzzle", "solved", Column("95 % interval"), "highest fitness seen"),
                tuple(rows),
                "All settings together, under all readings, with an elite and without.",
            ),
            "A swap in a row never changes which digits the row holds, and row crossover passes "
            "rows on whole. With these two, the digits of every row must be there in the first "
            "population: for the medium puzzle and a population of 500 the chance of that is "
            f"{chance_of_all_rows():.4f}.",
            Notice(
                "None of this is a limit of the puzzles: `genoku solve poderosas-difficult-21` "
                "solves the difficult one in a few milliseconds, by another algorithm."
            ),
        ),
    )
