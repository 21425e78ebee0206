"""Report 004's page: what it never measured."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from genoku.collection import bundled
from genoku.lab.charts import Heat, Level, Lines, Range, Ranges, Ranks
from genoku.lab.page import Cell, Column, Figure, Part, Section, Table
from genoku.lab.results import Results
from genoku.lab.statistics import (
    Proportion,
    cliques,
    critical_difference,
    friedman,
    running_time,
)
from genoku.preset_library import preset
from reproductions.old.bands import band
from reproductions.old.ratios import RULE
from reproductions.old.sundy.copies import Copies
from reproductions.old.sundy.experiments import (
    AS_READ,
    CROSSOVERS,
    FEW,
    GRID,
    MUTATIONS,
    PARTS,
    POOLS,
    POPULATIONS,
    PUZZLES,
    RIVALS,
    SYSTEMS,
    Measured,
)
from reproductions.old.sundy.swaps import met, pairs_of, random_boards, solved_board
from reproductions.old.sundy.verdicts import NINE, Weighed, short_name
from reproductions.old.words import p_words, spanned


def sections(seen: Measured, pools: Mapping[float, Copies], replaced: float) -> tuple[Section, ...]:
    """The page; `replaced` is the share of children that are twins where none are allowed."""
    return (
        Section("What the report did", (ABOUT, _left_open())),
        Section("What it solves", tuple(_solves(seen))),
        Section("Copies in the mating pool", tuple(_copies(seen, pools, replaced))),
        Section("The rule for swaps, and the penalty", tuple(_parts(seen))),
        Section("What the user is asked for", tuple(_grid(seen))),
        Section("Among the other reports", tuple(_rivals(seen))),
    )


ABOUT = """
Jonathen Sundy describes a solver in Java: boxes keep their givens and hold every digit once, the
fitness counts digits missing in rows and columns with an extra penalty for clashes with givens,
parents come from a mating pool filled by binary tournaments, children from a uniform crossover of
boxes, and mutation swaps digits within a box if a rule allows it. The report has no results, no
parameter values and no comparison: **everything measured here is new**, and nothing of it can
agree or disagree with a published number. What it says about counts can be counted out.
"""


def _left_open() -> str:
    items = "\n".join(f"- {each}" for each in preset("sundy").left_open)
    return f"What it left open, and what we chose:\n\n{items}"


def _solves(seen: Measured) -> list[Part]:
    rows: list[tuple[Cell, ...]] = []
    ranges: list[Range] = []
    for puzzle in PUZZLES:
        for place, name in enumerate(SYSTEMS):
            runs = seen.puzzles[name, puzzle]
            rows.append((short_name(puzzle), name, *_summary(runs)))
            share = Proportion.of(runs.solved)
            low, high = (100 * each for each in share.wilson())
            ranges.append(Range(puzzle, 100 * share.share, low, high, name, place))
    return [
        f"Each run may spend {seen.budget}. Evaluations per solution are those of all runs by the "
        "number of solved ones: what it costs to begin anew until one is solved.",
        Table(
            (
                "puzzle",
                "system",
                "solved",
                Column("interval", "95 %"),
                Column("evaluations", "per solution"),
                Column("interval", "95 %"),
                Column("fitness", "median"),
            ),
            tuple(rows),
            "The report's system (`sundy`), with twins replaced by random boards (`sundy-varied`), "
            "and with as many children replaced whoever they are. The puzzles are report 002's: "
            "`charles-hard` and so on.",
        ),
        Figure(
            Ranges("Runs solved", "% solved", tuple(ranges), x_limits=(0.0, 100.0)),
            "Shares of runs solved, with Wilson's intervals.",
        ),
    ]


def _summary(runs: Results) -> tuple[Cell, ...]:
    time = running_time(runs.evaluations, runs.solved)
    low, high = (100 * each for each in time.success.wilson())
    return (
        f"{time.success.successes} of {time.success.runs}",
        f"{low:.0f} to {high:.0f} %",
        time.value,
        spanned(time.interval),
        float(np.median(runs.cost)),
    )


def _copies(seen: Measured, pools: Mapping[float, Copies], replaced: float) -> list[Part]:
    series = []
    for place, (rate, found) in enumerate(pools.items()):
        series.append(band(f"mutation {rate:g}", found.largest, place, x=found.generations))
    varied = []
    for place, (name, (generations, values)) in enumerate(seen.diversity.items()):
        varied.append(band(name, values, place + 3, x=generations))
    return [
        'The author warns that "the mating pool is filled with the same strong parent". We fill a '
        "pool at several generations of seeded runs on `charles-hard` and count.",
        "Without twins two things change: copies go, and random boards come in for them, "
        f"{100 * replaced:.1f} % of the children. The control, `sundy, strangers`, has a tenth of "
        "the children replaced by random boards whoever they are, so that copies stay. Copies are "
        "what hurts if no twins do better than that, too.",
        Figure(
            (
                Lines(
                    "Most frequent board",
                    "generation",
                    "share of the pool",
                    tuple(series),
                    y_limits=(0.0, 1.0),
                ),
                Lines("Diversity", "generation", "diversity of the population", tuple(varied)),
            ),
            "Left: the share of the mating pool that the most frequent board has, by the mutation "
            "probability, medians and quartiles. Right: the mean share of blanks in which two "
            "boards of the population differ, as it comes, with twins replaced, and with any "
            "children replaced. A curve ends where the first of its runs does.",
        ),
    ]


def _parts(seen: Measured) -> list[Part]:
    rows: list[tuple[Cell, ...]] = []
    ranges: list[Range] = []
    weighed = Weighed(seen.parts, 0.95)
    for name in PARTS:
        times = [
            running_time(runs.evaluations, runs.solved).value
            for runs in (seen.parts[name, puzzle] for puzzle in FEW)
        ]
        ratio = weighed.ratio(name, AS_READ)
        rows.append((name, *weighed.shares(name), *times, "" if name == AS_READ else str(ratio)))
        if name != AS_READ:
            ranges.append(Range(name, ratio.value, *ratio.interval))
    return [
        _allowed(),
        Table(
            (
                "variant",
                *(Column("solved", short_name(puzzle)) for puzzle in FEW),
                *(Column("evaluations", f"per solution, {short_name(puzzle)}") for puzzle in FEW),
                Column("by the first", "mean ratio, 95 %"),
            ),
            tuple(rows),
            "One thing changed at a time. The first row is the report as we read it: up to 5, with "
            "a penalty of 2. The mean ratio is the geometric mean over the puzzles of evaluations "
            "per solution by those of the first row.",
        ),
        RULE,
        Figure(
            Ranges(
                "Evaluations per solution, by those of the report as read",
                "ratio, geometric mean over three puzzles",
                tuple(ranges),
                log_x=True,
                levels=(Level(1.0, "as read", "x"),),
            ),
            "To the right of 1 a variant costs more than the report as we read it. Intervals of "
            "95 %, each puzzle a stratum of its own.",
        ),
        "Two choices of ours that the report does not mention are among them: our tournaments may "
        "draw one board twice, and the five best boards are kept, which is elitism.",
    ]


def _allowed() -> Table:
    """How many swaps of blanks each reading of the rule allows."""
    puzzle = bundled()["charles-hard"].puzzle
    pairs = pairs_of(NINE, puzzle.board == 0)
    random, solved = (
        met(boards, NINE, pairs) for boards in (random_boards(puzzle, 2000), solved_board(puzzle))
    )
    allowed = {
        f"up to {limit}": [counts <= limit for counts in (random, solved)] for limit in (5, 4, 3)
    }
    allowed["exactly 5"] = [counts == 5 for counts in (random, solved)]
    return Table(
        ("rule", Column("random boards", "%", decimals=0), Column("solved", "%", decimals=0)),
        tuple(
            (name, *(100 * float(flags.mean()) for flags in both)) for name, both in allowed.items()
        ),
        "Swaps that each reading of the rule allows on `charles-hard`, of boards at random and of "
        "its solution: exactly 5 stops all movement near a solution.",
    )


def _grid(seen: Measured) -> list[Part]:
    charts = []
    for pool in POOLS:
        values, texts = [], []
        for population in POPULATIONS:
            found = [
                Proportion.of(seen.grid[GRID.index((population, pool, crossover, mutation))].solved)
                for crossover in CROSSOVERS
                for mutation in MUTATIONS
            ]
            values.append(tuple(100 * each.share for each in found))
            texts.append(tuple(f"{each.successes} of {each.runs}" for each in found))
        charts.append(
            Heat(
                f"Mating pool of {pool or 'the population'}",
                "crossover / mutation",
                "population",
                tuple(f"{one:g} / {two:g}" for one in CROSSOVERS for two in MUTATIONS),
                tuple(map(str, POPULATIONS)),
                tuple(values),
                "% solved",
                tuple(texts),
                low=0.0,
                high=100.0,
            )
        )
    every = [Proportion.of(each.solved) for each in seen.grid]
    best = max(range(len(GRID)), key=lambda place: every[place].share)
    low, high = every[best].wilson()
    population, pool, crossover, mutation = GRID[best]
    return [
        f"All {len(GRID)} combinations on `charles-basic`, {seen.budget} a run. The highest share "
        f"has population {population}, a pool of {pool or 'as many'}, crossover {crossover:g} and "
        f"mutation {mutation:g}: {every[best]}, interval {100 * low:.0f} to {100 * high:.0f} %. "
        "The best of many looks better than it is, so this is a hint, not a finding.",
        *(Figure(chart, "Runs solved, by what the report leaves to its user.") for chart in charts),
    ]


def _rivals(seen: Measured) -> list[Part]:
    names = tuple(RIVALS)
    table = np.array(
        [[seen.conflicts[name, puzzle].mean() for name in names] for puzzle in PUZZLES]
    )
    rows: list[tuple[Cell, ...]] = []
    for name in names:
        solved = np.concatenate([seen.rivals[name, puzzle].solved for puzzle in PUZZLES])
        means = table[:, names.index(name)]
        rows.append((name, str(Proportion.of(solved)), *(float(each) for each in means)))
    ranked = friedman(table)
    difference = critical_difference(len(names), len(PUZZLES))
    return [
        "The genetic algorithms of all five reports, as their presets have them, on equal "
        f"budgets ({seen.budget}). Each has a fitness of its own, so their best boards are "
        "compared by one count: digits that stand again in a row, column or box.",
        Table(
            (
                "preset",
                "solved",
                *(Column(short_name(puzzle), decimals=1) for puzzle in PUZZLES),
            ),
            tuple(rows),
            "Mean number of conflicts left in the best board.",
        ),
        Figure(
            Ranks(
                "Mean ranks over six puzzles",
                names,
                ranked.ranks,
                difference,
                tuple(cliques(ranked.ranks, difference)),
            ),
            "Mean ranks by conflicts left, 1 is best; a bar joins what Nemenyi's critical "
            f"difference does not part (Friedman {p_words(ranked.p)}, six puzzles).",
        ),
    ]
