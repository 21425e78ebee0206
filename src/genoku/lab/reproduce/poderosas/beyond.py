"""What report 000 could not see with one run of each model."""

from __future__ import annotations

import numpy as np

from genoku.lab.charts import Heat, Level, Lines, Ranks
from genoku.lab.page import Cell, Column, Figure, Notice, Section, Table
from genoku.lab.reproduce.bands import band
from genoku.lab.reproduce.poderosas.conclusions import ranked_models
from genoku.lab.reproduce.poderosas.experiments import (
    ALL_MODELS,
    BASE,
    EXPERIMENTS,
    GENERATIONS,
    LONG,
    ORDERS,
    PUZZLES,
    TOURNAMENTS,
    Measured,
    Model,
    name_of,
    of_selection,
)
from genoku.lab.reproduce.poderosas.printed import chance_of_all_rows
from genoku.lab.reproduce.poderosas.verdicts import samples_of
from genoku.lab.reproduce.words import p_words
from genoku.lab.statistics import Proportion, cliques, critical_difference, friedman
from genoku.words import plural


def winners_by_seed(runs: Measured, number: int, puzzle: str) -> dict[str, float]:
    """How many seeds each model would have won if each had run once; equal ones share a seed."""
    samples = samples_of(runs, number, puzzle)
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
            share = f"{100 * won[name] / runs.final.shape[2]:.0f} %"
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
                f"Winners with {plural(runs.final.shape[2], 'seed')}; models with equal fitness "
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
    whole = ranked_models(runs)
    tournaments = [runs.arms[name_of(model, BASE)] for model in TOURNAMENTS]
    means = runs.final[tournaments].mean(axis=2)
    few = friedman(means.T, lower_is_better=False)
    difference = critical_difference(len(TOURNAMENTS), len(PUZZLES))
    names = tuple(f"{model.crossover} + {model.mutation}" for model in TOURNAMENTS)
    ranks = Ranks(
        "Mean ranks of the nine tournament models over the puzzles",
        names,
        few.ranks,
        difference,
        tuple(cliques(few.ranks, difference)),
    )
    by_selection: tuple[tuple[Cell, ...], ...] = tuple(
        (
            selection,
            *(
                float(runs.mean_of(of_selection(selection), BASE, puzzle).mean())
                for puzzle in PUZZLES
            ),
        )
        for selection in ORDERS["selection"]
    )
    return Section(
        "Operator combinations",
        (
            f"Experiment 1's setting ({BASE}). Friedman's test of the 27 models over the three "
            f"printed puzzles: χ² = {whole.statistic:.1f}, {p_words(whole.p)}.",
            Table(
                ("selection", *(Column(puzzle, decimals=4) for puzzle in PUZZLES)),
                by_selection,
                "Mean fitness of the nine models of each selection. Rank is linear in the rank, "
                "which is our choice: the report does not say how it ranks.",
            ),
            Figure(
                tuple(_heat(runs, puzzle) for puzzle in PUZZLES),
                f"Mean fitness after {GENERATIONS} generations.",
            ),
            Figure(
                ranks,
                f"Crossover + swap. Friedman: {p_words(few.p)}. Models joined by a bar cannot be "
                f"told apart (Nemenyi, critical difference {difference:.2f}): four puzzles tell "
                "little, and two of them are nearly the same.",
            ),
        ),
    )


def longer_and_elite(runs: Measured, longer: Measured, elitism: Measured) -> Section:
    generations = np.arange(longer.curves.shape[-1]) * longer.every
    series = []
    for puzzle in PUZZLES:
        curves = np.concatenate([longer.curves_of(each, BASE, puzzle) for each in TOURNAMENTS])
        series.append(band(puzzle, curves, x=generations))
    rows = []
    for puzzle in PUZZLES:
        with_elite = elitism.mean_of(TOURNAMENTS, BASE, puzzle)
        without = runs.mean_of(TOURNAMENTS, BASE, puzzle)
        rows.append((puzzle, f"{without.mean():.4f}", f"{with_elite.mean():.4f}"))
    return Section(
        "Longer, and with an elite",
        (
            Figure(
                Lines(
                    f"Tournament models for {LONG:,} generations",
                    "generation",
                    "best fitness",
                    tuple(series),
                    levels=(Level(GENERATIONS, "the report's runs end", "x"),),
                ),
                f"Median and quartiles over nine models × {plural(longer.final.shape[2], 'seed')}.",
            ),
            Table(
                ("puzzle", "no elite", "one elite"),
                tuple(rows),
                f"Mean fitness of the nine tournament models after {GENERATIONS} generations.",
            ),
        ),
    )


def solved(runs: Measured) -> Section:
    rows = []
    for place, puzzle in enumerate(PUZZLES):
        seen = Proportion.of(runs.solved[:, place].ravel())
        low, high = seen.wilson()
        reached = float(runs.curves[:, place].max())
        rows.append((puzzle, str(seen), f"{low:.2g} to {high:.2g}", f"{reached:.4f}"))
    return Section(
        "Was anything solved?",
        (
            Table(
                ("puzzle", "solved", Column("95 % interval"), "highest fitness seen"),
                tuple(rows),
                f"All {len(runs.arms)} settings together.",
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
