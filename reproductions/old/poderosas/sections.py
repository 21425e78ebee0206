"""The page about report 000: what it did, its figures again, and what many seeds show."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from genoku.collection import bundled
from genoku.lab.charts import Boards, BoardView, Chart, Level, Lines, Numbers, Series, numbers
from genoku.lab.page import Cell, Details, Figure, Part, Section, Table
from genoku.preset_library import preset
from genoku.words import plural
from reproductions.old.poderosas.beyond import combinations, longer_runs, one_run, solved
from reproductions.old.poderosas.experiments import (
    EXPERIMENTS,
    GENERATIONS,
    ORDERS,
    PUZZLES,
    READABLE,
    Experiment,
    Reading,
)
from reproductions.old.poderosas.measured import Measured
from reproductions.old.poderosas.otherwise import elites, ranks, swaps, wished
from reproductions.old.poderosas.printed import ceiling, printed_fitness

SHOWN = np.unique(np.concatenate([np.arange(0, 30, 2), np.arange(30, GENERATIONS + 1, 4)]))
"""The generations that a curve is drawn through, all even: see `_alternating`."""


def sections(runs: Measured, longer: Measured, wishes: Measured) -> tuple[Section, ...]:
    return (
        _what_it_did(),
        _set_up(runs),
        *(_experiment(each, runs) for each in EXPERIMENTS),
        swaps(runs),
        ranks(runs),
        one_run(runs),
        combinations(runs),
        elites(runs),
        longer_runs(longer),
        wished(runs, wishes),
        solved(runs),
    )


def _what_it_did() -> Section:
    rows = tuple(
        (
            each.number,
            each.setting.population,
            each.setting.tournament,
            f"{each.setting.rate:g}",
            len(each.models),
            ", ".join(map(str, each.figures.values())),
        )
        for each in EXPERIMENTS
    )
    return Section(
        "What the report did",
        (
            "It asked which selection (roulette wheel, tournament, rank), crossover (row, single "
            "column, single point) and mutation (swap in a row, column or block) solve Sudoku "
            "best, and with which numbers. A genetic algorithm without elitism ran "
            f"{GENERATIONS} generations, **once** for each of the 27 combinations, on three "
            "puzzles. The results are line charts of the best fitness by generation; no table "
            "was printed, and no run with a fitness of 1 is reported.",
            Table(
                ("experiment", "population", "tournament", "mutation rate", "models", "figures"),
                rows,
                "Its four experiments. Experiment 3's heading repeats a tournament of 100; its "
                "text and figures say 250. Experiment 4 names a model 19, so that it had all 27. "
                "Figure 9 is cited but not there.",
            ),
        ),
    )


def _set_up(runs: Measured) -> Section:
    seeds, fewer = runs.seeds, runs.under(Reading("skip")).seeds
    known = preset("poderosas")
    grids = [bundled()[f"poderosas-{name}"] for name in PUZZLES]
    boards = Boards(
        "The puzzles of report 000",
        tuple(
            BoardView.of(f"{name}: fitness {printed_fitness(name):.4f} as it stands", each.puzzle)
            for name, each in zip(PUZZLES, grids, strict=True)
        ),
    )
    choices = "\n".join(f"- {each}" for each in (*known.left_open, *known.differs))
    return Section(
        "Set-up, and what had to be chosen",
        (
            f"Every combination runs with {plural(seeds, 'seed')} here, and with "
            f"{plural(fewer, 'seed')} under other readings and with an elite. Fitness is the "
            "report's: 1 − C/243 with C the repetitions in rows, columns and blocks. Shown is the "
            "best of the population, generation by generation, and judged is the best of the "
            "**last** population, as in the report; without elitism it can be lower than what was "
            "there before (`genoku solve` reports the best ever). “Converged”, “barely changed”, "
            "“approximately” and “minimal fluctuations” are held to differences of "
            f"{READABLE:g}, about what its charts let a reader see.",
            "The report's notebook is not known. What its text leaves open, and what we chose; "
            "two of these choices decide verdicts, so that they are tried in other ways too, and a "
            "verdict that depends on one is undecided:",
            choices,
            Figure(
                boards,
                "The easy puzzle contradicts itself: no board passes a fitness of "
                f"{ceiling('easy'):.5f}. The difficult one lacks a given, in print or in the text "
                f"that we have, and has {grids[2].solutions:,} solutions; difficult-21 is what its "
                "printed fitness fits.",
            ),
        ),
    )


def _curve(curves: NDArray[np.float64], rows: NDArray[np.int64]) -> Numbers:
    return numbers(np.median(curves[:, rows], axis=0))


def _lines(experiment: Experiment, puzzle: str, runs: Measured) -> Lines:
    many = len({each.selection for each in experiment.models}) > 1
    series = []
    for number, model in enumerate(experiment.models, start=1):
        place = ORDERS["selection" if many else "crossover"].index(
            model.selection if many else model.crossover
        )
        group = model.selection if many else f"{str(model).split(', ')[1]} crossover"
        y = _curve(runs.curves_of(model, experiment.setting, puzzle), SHOWN)
        series.append(
            Series(f"model {number}: {model}", numbers(SHOWN), y, colour=place, group=group)
        )
    levels = (Level(ceiling(puzzle), "ceiling"),) if ceiling(puzzle) < 1 else ()
    figure = experiment.figures.get(puzzle.removesuffix("-21"), 0)
    own = " (21 givens)" if puzzle == "difficult-21" else ""
    return Lines(
        f"Figure {figure} again: {puzzle.removesuffix('-21')} puzzle{own}",
        "generation",
        "best fitness",
        tuple(series),
        levels=levels,
    )


def _experiment(experiment: Experiment, runs: Measured) -> Section:
    charts: tuple[Chart, ...] = tuple(_lines(experiment, puzzle, runs) for puzzle in PUZZLES)
    rows: list[tuple[Cell, ...]] = []
    for number, model in enumerate(experiment.models, start=1):
        cells = [runs.finals(model, experiment.setting, puzzle) for puzzle in PUZZLES]
        rows.append((number, str(model), *map(_shown, cells)))
    leaders = []
    for puzzle in PUZZLES:
        samples = {
            model: runs.finals(model, experiment.setting, puzzle) for model in experiment.models
        }
        best = max(samples, key=lambda model: float(samples[model].mean()))
        level = sum(_close(samples[best], each) for each in samples.values()) - 1
        others = f", {level} {'other' if level == 1 else 'others'} within 0.001" if level else ""
        leaders.append(f"{puzzle}: {best} ({samples[best].mean():.4f}{others})")
    parts: tuple[Part, ...] = (
        f"{str(experiment.setting).capitalize()}. Highest mean fitness after {GENERATIONS} "
        f"generations: {'; '.join(leaders)}.{_alternating(experiment, runs)}",
        Figure(
            charts,
            f"Best fitness of the population by generation, the median of "
            f"{plural(runs.seeds, 'seed')}, a line per model, as in the report's figures "
            f"{', '.join(map(str, experiment.figures.values()))}. The scales differ.",
        ),
        Details(
            "All models",
            (
                Table(
                    ("model", "selection, crossover, mutation", *PUZZLES),
                    tuple(rows),
                    f"Fitness after {GENERATIONS} generations, mean ± standard deviation of "
                    f"{plural(runs.seeds, 'seed')}.",
                ),
            ),
        ),
    )
    return Section(f"Experiment {experiment.number}", parts)


def _alternating(experiment: Experiment, runs: Measured) -> str:
    """Where every child is mutated, a population of equals may swing between two boards."""
    chosen = tuple(each for each in experiment.models if each.selection == "tournament")
    swings = runs.alternating(chosen, experiment.setting, "easy")
    if not swings.any():
        return ""
    return (
        f" In {100 * swings.mean():.0f} % of the tournament runs on the easy puzzle the best "
        "fitness swings between two values from one generation to the next until the end, as a "
        "population of equal boards does when every child is mutated. Curves are drawn through "
        "even generations."
    )


def _shown(values: NDArray[np.float64]) -> str:
    """Mean and standard deviation, which a single run does not have."""
    deviation = f" ± {values.std(ddof=1):.4f}" if len(values) > 1 else ""
    return f"{values.mean():.4f}{deviation}"


def _close(best: NDArray[np.float64], other: NDArray[np.float64]) -> bool:
    return bool(best.mean() - other.mean() <= 0.001)
