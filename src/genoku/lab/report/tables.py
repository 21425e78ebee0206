"""The tables of a report: success, effort, how close, and who is better."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from genoku.lab.page import Cell, Column, Details, Part, Table, literal
from genoku.lab.report.comparisons import Contrast, Overall, Pair, too_many
from genoku.lab.report.data import Gathered, Unit
from genoku.lab.statistics import (
    LEVEL,
    Interval,
    Proportion,
    describe,
    magnitude,
    p_text,
    running_time,
    share_text,
)
from genoku.lab.store import Results
from genoku.words import listed, percent, plural, rounded

FEW_ROWS, SHOWN_ROWS = 12, 36
MOST_ROWS = 600
SCALES = ((60.0, "min", 60.0), (1.0, "s", 1.0), (0.0, "ms", 0.001))


def success(gathered: Gathered) -> list[Part]:
    """Success and expected effort of every algorithm on every puzzle."""
    scale, unit = time_scale(gathered.results)
    moving = bool(gathered.results.moves.any())
    columns: list[str | Column] = [
        Column("solved", "runs"),
        Column("share solved", "% (95 % interval)"),
        Column("evaluations", "expected (95 % interval)", align="right"),
        *[Column("moves", "expected (95 % interval)", align="right")] * moving,
        Column("CPU time", f"expected {unit} (95 % interval)", align="right"),
    ]

    def expected(own: Results, efforts: NDArray[Any]) -> str:
        found = running_time(efforts, own.solved)
        return with_interval(found.value, found.interval)

    def cells(own: Results) -> list[Cell]:
        share = Proportion.of(own.solved)
        moves = expected(own, own.moves) if own.moves.any() else None
        return [
            f"{share.successes:,} of {share.runs:,}",
            share_text(share).replace(" %", ""),
            expected(own, own.evaluations),
            *[moves] * moving,
            expected(own, own.cpu_seconds / scale),
        ]

    caption = (
        "How often each algorithm solves, with Wilson intervals, and what a solution is expected "
        "to cost: all effort of all runs, unsolved ones included, divided by the number of "
        "solutions (ERT), with 95 % intervals. Where nothing was solved, a lower bound."
    )
    return _by_puzzle(gathered, columns, cells, caption)


def closeness(gathered: Gathered) -> list[Part]:
    """Medians and quartiles of where runs ended."""
    names = ["loss", "cost"]
    if not np.array_equal(gathered.results.score, gathered.results.cost):
        names.append("score")
    columns: list[str | Column] = [
        *(Column(name, "median (quartiles)", align="right") for name in names),
        Column("lowest cost", align="right"),
    ]

    def cells(own: Results) -> list[Cell]:
        told: list[Cell] = []
        for name in names:
            found = describe(np.asarray(getattr(own, name), np.float64))
            low, high = _short(found.lower_quartile), _short(found.upper_quartile)
            told.append(f"{_short(found.median)} ({low}–{high})")
        return [*told, int(own.cost.min())]

    caption = (
        "The best board of each run: its loss from 0 (solved) to 1, its cost, and its score, where "
        "the fitness function has a scale of its own."
    )
    if not gathered.one_fitness():
        caption += (
            " The algorithms have different fitness functions, so these numbers compare only runs "
            "of the same function."
        )
    return _by_puzzle(gathered, columns, cells, caption)


def _by_puzzle(
    gathered: Gathered,
    columns: list[str | Column],
    cells: Callable[[Results], list[Cell]],
    caption: str,
) -> list[Part]:
    """One table of all puzzles, or one for each, folded, where that would be long."""
    study = gathered.study
    several = len(study.instances) > 1
    made: dict[str, list[tuple[Cell, ...]]] = {}
    rows: list[tuple[Cell, ...]] = []
    for instance, puzzle in enumerate(study.instances):
        for arm, name in enumerate(gathered.names):
            own = gathered.cells.get((arm, instance))
            if own is not None:
                made.setdefault(literal(puzzle.name), []).append((literal(name), *cells(own)))
    for title, each in made.items():
        rows += [(title,), *each] if several else each
    heads = ("algorithm", *columns)
    table = Table(heads, tuple(rows), caption)
    if len(rows) <= SHOWN_ROWS:
        return [table]
    if not several:
        return [Details(f"All {len(rows)} algorithms", (table,))]
    together = [
        (literal(name), *cells(own))
        for arm, name in enumerate(gathered.names)
        if len(own := gathered.results.of(arm))
    ]
    over = f"{caption} All {len(made)} puzzles together; intervals are about these puzzles only."
    whole: Part = Table(heads, tuple(together), over)
    if len(together) > SHOWN_ROWS:
        whole = Details(f"All {len(together)} algorithms over all puzzles", (whole,))
    return [whole, Details(f"The same on each of the {len(made)} puzzles", (table,))]


def compared(gathered: Gathered, unit: Unit, found: list[Pair]) -> list[Part]:
    """Every pair on every puzzle, the surest first."""
    if not found:
        return [too_many(gathered)] if unit == gathered.primary and too_many(gathered) else []
    study = gathered.study
    several = len(study.instances) > 1
    ordered = sorted(found, key=lambda pair: (pair.corrected, pair.p, -abs(pair.a12 - 0.5)))
    rows = []
    for pair in ordered[:MOST_ROWS]:
        where = [literal(study.instances[pair.instance].name)] if several else []
        effect = f"{pair.effect:.2f}", magnitude(pair.effect)
        verdict = "yes" if pair.differs else "not decided"
        rows.append((*where, *_names(gathered, pair), *effect, *_chances(pair), verdict))
    heads = *["puzzle"] * several, "seems better", "than", "A12", "effect", "p"
    significant = Column("significant", f"at {100 * LEVEL:g} %")
    columns: tuple[str | Column, ...] = (*heads, Column("p", "after Holm"), significant)
    left_out = f" The surest {MOST_ROWS} of {len(found):,}." if len(found) > MOST_ROWS else ""
    table = Table(
        columns,
        tuple(rows),
        f"Pairs of algorithms at equal {unit}, by the Mann–Whitney U test with Holm's correction "
        f"over the {plural(len(found), 'comparison')} of this table. A12 is the chance that "
        f"a run of the first does better than one of the second, ties as halves.{left_out}",
    )
    if len(rows) <= FEW_ROWS:
        return [table]
    return [Details(f"All {len(found):,} comparisons at equal {unit}", (table,))]


def _names(gathered: Gathered, each: Pair | Overall) -> list[str]:
    """Who seems better, bold where that is sure on one puzzle, and than whom."""
    better, worse = (literal(gathered.names[arm]) for arm in (each.better, each.worse))
    return [f"**{better}**" if isinstance(each, Pair) and each.differs else better, worse]


def _chances(each: Pair | Overall) -> list[str]:
    return [p_text(p, bare=True) for p in (each.p, each.corrected)]


def over_puzzles(gathered: Gathered, found: list[Overall]) -> Part:
    """Wilcoxon's test of every pair."""
    ordered = sorted(found, key=lambda each: (each.corrected, each.p))
    rows: list[tuple[Cell, ...]] = [
        (*_names(gathered, each), each.ahead, each.behind, *_chances(each))
        for each in ordered[:MOST_ROWS]
    ]
    counts = Column("ahead", "puzzles"), Column("behind", "puzzles")
    columns = "seems better", "than", *counts, "p", Column("p", "after Holm")
    table = Table(
        columns,
        tuple(rows),
        "Pairs of algorithms over all puzzles: Wilcoxon's signed-rank test of A12 on each puzzle, "
        f"with Holm's correction over {plural(len(found), 'pair')}. The test weighs puzzles by "
        "how far apart the two are on them, so that who is ahead on fewer may still seem better.",
    )
    return table if len(rows) <= FEW_ROWS else Details(f"All {len(found):,} pairs", (table,))


def effects(gathered: Gathered, found: list[Contrast]) -> Part:
    """All comparisons of settings."""
    turning = any(each.turned for each in found)
    rows = []
    for each in sorted(found, key=lambda each: (each.corrected, each.p)):
        low, high = each.effect.interval
        names = [literal(value) for value in each.values]
        if each.differs:
            names[0] = f"**{names[0]}**"
        turned = "; ".join(
            f"{turn.key} = {turn.value} (A12 = {turn.a12:.2f}, {p_text(turn.p)})"
            for turn in each.turned
        )
        solved = listed(percent(share.share) for share in each.shares)
        found_effect = (
            f"{each.effect.a12:.2f} ({low:.2f}–{high:.2f})",
            p_text(each.corrected, bare=True),
        )
        last = [literal(turned) or None] * turning
        rows.append((literal(each.key), *names, solved, *found_effect, *last))
    columns: tuple[str | Column, ...] = (
        *(Column(head, align="left") for head in ("setting", "seems better", "than")),
        Column("solved", "% of each", align="right"),
        Column("A12", "95 % interval"),
        Column("p", "after Holm"),
        *[Column("the other way round", "with", align="left")] * turning,
    )
    more = (
        " The last column names values of other settings with which the second seems better; its p "
        "are corrected within a row."
    )
    made = Table(
        columns,
        tuple(rows),
        f"Two values of a setting at equal {gathered.primary}: runs are compared where all other "
        "settings and the puzzle are the same, and what these strata say is taken together (van "
        "Elteren's test; A12 is their mean). Corrected after Holm over the "
        f"{plural(len(found), 'comparison')} of this table; bold is significant at "
        f"{100 * LEVEL:g} %.{more if turning else ''}",
    )
    return made if len(rows) <= FEW_ROWS else Details(f"All {len(rows)} comparisons", (made,))


def with_interval(value: float, interval: Interval) -> str:
    """A value with its interval; one that is infinite has a lower end only."""
    if math.isinf(value):
        return f"> {rounded(interval.low)}"
    return f"{rounded(value)} ({rounded(interval.low)}–{rounded(interval.high)})"


def _short(value: float) -> str:
    return f"{value:.3g}" if abs(value) < 1000 else f"{value:,.0f}"


def time_scale(results: Results) -> tuple[float, str]:
    """Seconds in the unit that suits the runs, and its name."""
    usual = float(np.median(results.cpu_seconds)) if len(results) else 1.0
    for least, unit, scale in SCALES:
        if usual >= 2 * least:
            return scale, unit
    return 1.0, "s"
