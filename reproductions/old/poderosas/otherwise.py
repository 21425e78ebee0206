"""Report 000 read in other ways, with the elite it wished for, and with other operators."""

from __future__ import annotations

import numpy as np

from genoku.lab.page import Cell, Column, Section, Table
from genoku.lab.statistics import a12
from genoku.words import plural
from reproductions.old.poderosas.experiments import (
    BASE,
    EXPERIMENTS,
    GENERATIONS,
    INVERTED,
    ORDERS,
    PERMUTED,
    PUZZLES,
    RANKS,
    SWAPS,
    TOURNAMENTS,
    Reading,
    of_selection,
)
from reproductions.old.poderosas.measured import Measured


def swaps(runs: Measured) -> Section:
    rows: list[tuple[Cell, ...]] = []
    for experiment in EXPERIMENTS:
        for swap in SWAPS:
            read, setting = runs.under(Reading(swap)), experiment.setting
            ranges = [read.swing(each, setting, "easy") for each in TOURNAMENTS]
            rows.append(
                (
                    experiment.number,
                    f"{setting.rate:g}",
                    swap,
                    f"{read.mean_of(TOURNAMENTS, setting, 'easy').mean():.4f}",
                    f"{100 * read.alternating(TOURNAMENTS, setting, 'easy').mean():.0f} %",
                    f"{np.median(ranges):.4f}",
                )
            )
    return Section(
        "Two readings of the swap",
        (
            "A row of the easy puzzle has two blanks at most, and most have fewer. Figure 4 draws "
            "the row first and then swaps two of its blanks; of a row without two the text says "
            "nothing. Either another one is drawn (*redraw*, as in our preset), or nothing happens "
            "(*skip*). On the other puzzles every unit has two blanks, and both are the same.",
            Table(
                (
                    "experiment",
                    "rate",
                    "short units",
                    Column("mean fitness", "nine tournament models"),
                    Column("runs that swing", "between two values until the end"),
                    Column("range after the peak", "median"),
                ),
                tuple(rows),
                f"The easy puzzle, generation {GENERATIONS}. Of its own curves the report says "
                "“minimal fluctuations”.",
            ),
        ),
    )


def ranks(runs: Measured) -> Section:
    rows: list[tuple[Cell, ...]] = []
    for experiment in (EXPERIMENTS[0], EXPERIMENTS[3]):
        for selection, rank in _selections():
            read, of = runs.under(Reading(rank=rank)), of_selection(selection)
            means = [float(read.mean_of(of, experiment.setting, each).mean()) for each in PUZZLES]
            name = f"{rank} rank" if selection == "rank" else selection
            rows.append((f"{experiment.setting.rate:g}", name, *means))
    return Section(
        "Three readings of rank",
        (
            "“Rank-Based selection ranks individuals and assigns selection probabilities "
            "accordingly”: with which steps is not said. Three ways span what it may have been: "
            "*linear*, as in report 002; *flat*, the exponential ranking of Eiben and Smith's "
            "textbook, which in a population of 500 prefers nobody but to the worst few; and "
            "*steep*, which draws the best five times as often as the average.",
            Table(
                ("rate", "selection", *(Column(puzzle, decimals=4) for puzzle in PUZZLES)),
                tuple(rows),
                f"Mean fitness of the nine models of each selection after {GENERATIONS} "
                "generations, experiments 1 and 4.",
            ),
        ),
    )


def _selections() -> list[tuple[str, str]]:
    """With every reading of rank."""
    plain = [(each, RANKS[0]) for each in ORDERS["selection"] if each != "rank"]
    return plain + [("rank", rank) for rank in RANKS]


def elites(runs: Measured) -> Section:
    rows: list[tuple[Cell, ...]] = []
    for selection, rank in _selections():
        for swap in SWAPS:
            read, of = runs.under(Reading(swap, rank)), of_selection(selection)
            name = f"{rank} rank" if selection == "rank" else selection
            for puzzle in PUZZLES if swap == SWAPS[0] else PUZZLES[:1]:
                one, none = read.mean_of(of, BASE, puzzle, elites=1), read.mean_of(of, BASE, puzzle)
                effect = a12(one, none, lower_is_better=False)
                on = f"{puzzle}, {swap}" if puzzle == "easy" else puzzle
                gain = f"{one.mean() - none.mean():+.4f}".replace("-", "−")
                rows.append(
                    (name, on, f"{none.mean():.4f}", f"{one.mean():.4f}", gain, f"{effect.a12:.2f}")
                )
    return Section(
        "With an elite",
        (
            Table(
                (
                    "selection",
                    "puzzle",
                    "no elite",
                    "one elite",
                    "difference",
                    Column("A12", "with an elite against without"),
                ),
                tuple(rows),
                f"Mean fitness of the nine models of each selection after {GENERATIONS} "
                "generations (experiment 1). The best of the last population is compared: an elite "
                "also keeps what would have been lost.",
            ),
        ),
    )


def wished(runs: Measured, wishes: Measured) -> Section:
    rows: list[tuple[Cell, ...]] = []
    solvable = PUZZLES[1:]
    for each in (*INVERTED, *PERMUTED):
        finals = [wishes.curves[str(each), puzzle][:, -1] for puzzle in solvable]
        solved = sum(int(wishes.solved[str(each), puzzle].sum()) for puzzle in solvable)
        rows.append((str(each), *(f"{values.mean():.4f}" for values in finals), solved))
    swap = [float(runs.mean_of(TOURNAMENTS, BASE, puzzle).mean()) for puzzle in solvable]
    seeds = len(next(iter(wishes.solved.values())))
    return Section(
        "The operators it wishes for",
        (
            "Section 9 names partially matched crossover (PMX) and inversion. Inversion takes the "
            "place of the swap in the nine tournament models (with the swap their means are "
            f"{', '.join(f'{each:.4f}' for each in swap)}). PMX crosses permutations, which the "
            "report's boards are not: it is tried where every row, or every column, holds all "
            "digits, against the crossover of the report that keeps them. On the easy puzzle no "
            "unit has three blanks, so that an inversion is a swap.",
            Table(
                ("encoding, crossover, mutation", *solvable, Column("solved", "on all three")),
                tuple(rows),
                f"Mean fitness after {GENERATIONS} generations, population {BASE.population}, "
                f"tournament {BASE.tournament}, rate {BASE.rate:g}, {plural(seeds, 'seed')}.",
            ),
        ),
    )
