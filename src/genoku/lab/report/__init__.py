"""The report of a study: question, answer, tables, figures, set-up, and how to run it again.

>>> from genoku.lab.store import Store
>>> with Store.open("study.db") as store:                                   # doctest: +SKIP
...     report(store).write_html("report.html")
"""

from __future__ import annotations

import math
import platform
import re
import shlex
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from hashlib import blake2b
from importlib.metadata import PackageNotFoundError, version
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from genoku.engine.race import unsearched
from genoku.errors import GenokuError
from genoku.lab import charts
from genoku.lab.page import (
    Cell,
    Code,
    Column,
    Details,
    Figure,
    Notice,
    Page,
    Part,
    Section,
    Table,
    literal,
)
from genoku.lab.report.data import (
    CURVES,
    SHORTEST,
    UNITS,
    Band,
    Contrast,
    Gathered,
    Overall,
    Pair,
    Place,
    Ranking,
    Unit,
    contrasts,
    could_differ,
    gather,
    hint_for,
    overall,
    pairs,
    ranking,
    settings_of,
    spent,
    too_many,
)
from genoku.lab.statistics import (
    LEVEL,
    Interval,
    Proportion,
    describe,
    ecdf,
    ert,
    magnitude,
    p_text,
    running_time,
    share_text,
)
from genoku.lab.store import Results, Store
from genoku.lab.study import Arm, Instance, Study, setting_text
from genoku.lab.study import arm as arm_of
from genoku.recipe import as_toml
from genoku.words import listed, percent, plural, rounded, runs_of

__all__ = ["report"]


def report(store: Store) -> Page:
    """The report of what is in a store, complete or not."""
    gathered = gather(store)
    study, unit = gathered.study, gathered.primary
    units = UNITS if unit == UNITS[0] else UNITS[::-1]
    found: dict[Unit, list[Pair]] = {each: pairs(gathered, each) for each in units}
    ranked, over = ranking(gathered, unit), overall(gathered, found[unit])
    effects = contrasts(gathered)
    sections: dict[str, Iterable[Part]] = {
        "Summary": summary(gathered, found, ranked, over, effects)
    }
    if len(gathered.results):
        sections["Success and effort"] = *success_figure(gathered), *success_table(gathered)
        sections["How runs proceed"] = *convergence(gathered), *running_times(gathered)
        sections["Where runs end"] = (
            *final_losses(gathered),
            *closeness(gathered),
            *settings_maps(gathered),
            *rates(gathered),
        )
        if effects:
            sections["Main effects"] = (effects_table(gathered, effects),)
        if len(study.arms) > 1:
            tests = [part for each in units for part in compared(gathered, each, found[each])]
            # What the tests over all puzzles say, or why they say nothing.
            tests.append(ranked if isinstance(ranked, str) else ranks(gathered, ranked))
            tests.append(over if isinstance(over, str) else over_puzzles(gathered, over))
            sections["Comparisons"] = filter(None, tests)
        sections["Boards"] = best_boards(gathered)
    sections["Set-up"] = setup(gathered)
    sections["Methods"] = methods()
    sections["How to reproduce"] = again(gathered)
    made_of = runs_of(len(study.arms), len(study.instances), len(study.seeds))
    named = f"Study **{literal(study.name)}**: " if study.question and study.name else ""
    return Page(
        literal(study.question or f"Study {study.name}"),
        f"{named}{made_of} = {plural(len(study), 'run')}.",
        tuple(Section(title, tuple(parts)) for title, parts in sections.items()),
        f"Made by genoku {gathered.version}.",
    )


FEW_ROWS, SHOWN_ROWS = 12, 36
MOST_ROWS = 600
SCALES = ((60.0, "min", 60.0), (1.0, "s", 1.0), (0.0, "ms", 0.001))


def folded(table: Table, title: str, most: int = FEW_ROWS) -> Part:
    """A table as it is or, with more rows than `most`, below a title that opens it."""
    return table if len(table.rows) <= most else Details(title, (table,))


def success_table(gathered: Gathered) -> list[Part]:
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
    if len(rows) <= SHOWN_ROWS or not several:
        return [folded(table, f"All {len(rows)} algorithms", SHOWN_ROWS)]
    together = [
        (literal(name), *cells(own))
        for arm, name in enumerate(gathered.names)
        if len(own := gathered.results.of(arm))
    ]
    over = f"{caption} All {len(made)} puzzles together; intervals are about these puzzles only."
    whole = Table(heads, tuple(together), over)
    title = f"All {len(together)} algorithms over all puzzles"
    return [
        folded(whole, title, SHOWN_ROWS),
        Details(f"The same on each of the {len(made)} puzzles", (table,)),
    ]


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
    return [folded(table, f"All {len(found):,} comparisons at equal {unit}")]


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
    return folded(table, f"All {len(found):,} pairs")


def effects_table(gathered: Gathered, found: list[Contrast]) -> Part:
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
    return folded(made, f"All {len(rows)} comparisons")


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


SHOWN, MOST_PANELS = 6, 12  # panels at once, and in all
MOST_MAPS = 6  # of two settings each


def _chosen_text(gathered: Gathered, arms: list[int]) -> str:
    count = len(gathered.study.arms)
    return "" if len(arms) == count else f" The {len(arms)} best of {count} algorithms."


def _panels(
    gathered: Gathered,
    draw: Callable[[int], charts.Lines | charts.Boxes | None],
    caption: str,
    more: str,
) -> Iterator[Part]:
    """A panel for each puzzle: the first few at once, more of them folded."""
    panels = [draw(instance) for instance in range(min(len(gathered.study.instances), MOST_PANELS))]
    drawn = tuple(chart for chart in panels if chart is not None)
    if not drawn:
        return
    left_out = len(gathered.study.instances) - MOST_PANELS
    rest = f" {left_out} more puzzles are not drawn." if left_out > 0 else ""
    yield Figure(drawn[:SHOWN], caption + rest)
    if len(drawn) > SHOWN:
        yield Details(f"{more} on {len(drawn) - SHOWN} more puzzles", (Figure(drawn[SHOWN:]),))


def success_figure(gathered: Gathered) -> Iterator[Part]:
    """The share solved: intervals on one puzzle, a map of algorithms and puzzles otherwise."""
    study = gathered.study
    if len(study.arms) < 2 and len(study.instances) < 2:
        return
    puzzles = tuple(each.name for each in study.instances)
    found = {place: Proportion.of(own.solved) for place, own in gathered.cells.items()}
    title, label = "Share of runs solved", "share of runs solved"
    if len(puzzles) == 1 or len(study.arms) == 1:
        ranges = tuple(
            charts.Range(
                gathered.names[arm] if len(puzzles) == 1 else puzzles[at],
                each.share,
                *each.wilson(),
            )
            for (arm, at), each in found.items()
        )
        caption = "Dots are shares, bars Wilson's 95 % intervals."
        yield Figure(charts.Ranges(title, label, ranges, x_limits=(0, 1)), caption)
    elif len(puzzles) <= 30 and len(study.arms) <= 60:
        none = Proportion(0, 0)
        shares = [
            [found.get((arm, at), none).share for at in range(len(puzzles))]
            for arm in range(len(study.arms))
        ]
        names = title, "puzzle", "algorithm", puzzles, gathered.names
        yield Figure(
            _map(names, shares, "{:.0f}", solved=True),
            "Per cent of the runs of each algorithm on each puzzle. Darker is better; intervals "
            "are in the table.",
        )


def _map(
    names: tuple[Any, ...], values: list[list[float]], form: str, *, solved: bool
) -> charts.Heat:
    """A map by its title, labels and names; shares of solved runs from 0 to 1, or losses."""
    scale = 100 if solved else 1
    texts = [
        ["" if math.isnan(each) else form.format(scale * each) for each in row] for row in values
    ]
    what, low, high = ("share solved", 0.0, 1.0) if solved else ("mean loss", None, None)
    rows, cells = tuple(map(tuple, values)), tuple(map(tuple, texts))
    title, across, down, x_names, y_names = names
    return charts.Heat(title, across, down, x_names, y_names, rows, what, cells, low, high)


def convergence(gathered: Gathered) -> Iterator[Part]:
    """The best loss so far over evaluations."""
    arms = gathered.leaders(CURVES)
    bands = gathered.curves
    if not bands:
        yield "The study does not record what convergence curves need (`evals`, `best`)."
        return
    ends = [band.x[-1] for band in bands.values()]
    log = max(ends) > 30 * min(ends)

    def draw(instance: int) -> charts.Lines | None:
        series = _series(gathered, arms, bands, instance)
        several = "" if len(gathered.study.instances) > 1 else "Convergence on "
        title = several + gathered.study.instances[instance].name
        return (
            charts.Lines(title, "evaluations", "best loss so far", series, log_x=log)
            if series
            else None
        )

    most = max(band.histories for band in bands.values())
    sampled = ""
    if most < max(map(len, gathered.cells.values())):
        sampled = f" Of each algorithm and puzzle {plural(most, 'run')} spread over the seeds."
    mixed = ""
    if not gathered.one_fitness():
        mixed = (
            " Losses of different fitness functions are not the same thing: compare curves of one "
            "function only."
        )
    caption = (
        f"Median of the best loss so far over {_runs_text(gathered)} each; the band lies between "
        "the quartiles. 0 is solved; runs that ended keep their last value."
        f"{sampled}{_chosen_text(gathered, arms)}{mixed}"
    )
    yield from _panels(gathered, draw, caption, "Convergence")


def _series(
    gathered: Gathered, arms: list[int], bands: Mapping[Place, Band], instance: int
) -> tuple[charts.Series, ...]:
    made = []
    for arm in arms:
        if (band := bands.get((arm, instance))) is not None:
            low, y, high = map(charts.numbers, band.quartiles)
            name, colour = gathered.names[arm], gathered.colours[arm]
            made.append(charts.Series(name, charts.numbers(band.x), y, low, high, colour=colour))
    return tuple(made)


def _runs_text(gathered: Gathered) -> str:
    sizes = sorted({len(own) for own in gathered.cells.values()})
    if len(sizes) == 1:
        return plural(sizes[0], "run")
    return f"{sizes[0]:,} to {sizes[-1]:,} runs"


def running_times(gathered: Gathered) -> Iterator[Part]:
    """The share of runs that are solved within each effort."""
    if not gathered.results.solved.any():
        yield "No run was solved, so there is no running time to show."
        return
    ran = set(gathered.results.arm.tolist())
    arms = [arm for arm in gathered.leaders(CURVES) if arm in ran]
    scale, seconds = time_scale(gathered.results)
    panels = []
    highest = max(float(gathered.results.of(arm).solved.mean()) for arm in arms)
    top = min(1.0, 1.1 * highest)  # a curve of few solutions fills its panel too
    for unit in UNITS:
        per, label = (scale, f"{unit} ({seconds})") if unit == "CPU time" else (1.0, unit)
        series = []
        ends = spent(gathered.results, unit) / per
        start = float(ends[ends > 0].min()) if (ends > 0).any() else 1.0
        for arm in arms:
            own = gathered.results.of(arm)
            curve = ecdf(spent(own, unit) / per, own.solved)
            x, y = charts.numbers(curve.x), charts.numbers(curve.y)
            # A logarithmic axis has no 0; a curve begins where the first run of all ends.
            x = (start, *x[1:]) if x[0] == 0 else x
            colour = gathered.colours[arm]
            series.append(charts.Series(gathered.names[arm], x, y, style="steps", colour=colour))
        names = f"by {unit}", label, "share of runs solved"
        panels.append(charts.Lines(*names, tuple(series), log_x=True, y_limits=(0, top)))
    puzzles = len(gathered.study.instances)
    over = "" if puzzles == 1 else f" over all {puzzles} puzzles"
    yield Figure(
        tuple(panels),
        f"Running time: the share of all runs{over} that are solved within an effort. Unsolved "
        f"runs count among all, so a curve that ends below 1 has left some unsolved."
        f"{_chosen_text(gathered, arms)}",
    )


def final_losses(gathered: Gathered) -> Iterator[Part]:
    """Box plots of where runs ended."""
    if gathered.results.solved.all():
        return
    arms = gathered.leaders(20)

    def draw(instance: int) -> charts.Boxes | None:
        boxes = [
            charts.Box.of(
                gathered.names[arm], gathered.cells[arm, instance].loss, gathered.colours[arm]
            )
            for arm in arms
            if (arm, instance) in gathered.cells
        ]
        several = len(gathered.study.instances) > 1
        title = gathered.study.instances[instance].name if several else "Loss at the end of a run"
        return charts.Boxes(title, "final loss", tuple(boxes)) if boxes else None

    caption = (
        "Loss of the best board of each run, 0 is solved. Boxes from quartile to quartile, a line "
        "at the median, whiskers to the last run within 1.5 interquartile ranges, circles beyond."
        f"{_chosen_text(gathered, arms)}"
    )
    yield from _panels(gathered, draw, caption, "Final losses")


def ranks(gathered: Gathered, ranking: Ranking) -> Part:
    """The critical-difference diagram."""
    test = ranking.test
    more = ""
    if not gathered.one_fitness():
        more = (
            " The algorithms have different fitness functions, so they are ranked by solving alone."
        )
    if test.p >= LEVEL:
        more += (
            f" Friedman's test finds no significant difference ({p_text(test.p)}), so even those "
            "that no bar joins may be equal."
        )
    title, gap = "Mean ranks over the puzzles", ranking.critical_difference
    return Figure(
        charts.Ranks(title, gathered.names, test.ranks, gap, ranking.cliques, gathered.colours),
        f"Mean rank over {test.puzzles} puzzles at equal {gathered.primary}, 1 is best. Thick bars "
        f"join algorithms that Nemenyi's test cannot tell apart at the 5 % level.{more}",
    )


def settings_maps(gathered: Gathered) -> Iterator[Part]:
    """How settings of a grid go together, two at a time."""
    arms = gathered.study.arms
    values = settings_of(gathered)
    keys = list(values)
    pairs = list(combinations(keys, 2))[:MOST_MAPS]
    own = [place for place, arm in enumerate(arms) if len(set(arm.settings) & set(keys)) > 1]
    solved = bool(gathered.results.solved[np.isin(gathered.results.arm, own)].any())
    if not own or (not solved and not gathered.one_fitness(*own)):
        return
    maps = [_settings_map(gathered, *pair, values, solved) for pair in pairs]
    if not maps:
        return
    what = "Share of runs solved" if solved else "Mean loss at the end of a run (0 is solved)"
    others = " and other settings" if len(keys) > 2 else ""
    over = "all puzzles" if len(gathered.study.instances) > 1 else "all runs"
    yield Figure(
        tuple(maps),
        f"{what} by two settings of the grid, over {over}{others}. Whether neighbours differ "
        "is for the tests to say.",
    )


def _settings_map(
    gathered: Gathered, across: str, down: str, values: dict[str, list[str]], solved: bool
) -> charts.Heat:
    results = gathered.results
    column = results.solved.astype(np.float64) if solved else results.loss
    places: dict[tuple[str, str], list[int]] = {}
    for place, arm in enumerate(gathered.study.arms):
        if across in arm.settings and down in arm.settings:
            key = setting_text(arm.settings[down]), setting_text(arm.settings[across])
            places.setdefault(key, []).append(place)
    means = []
    for y in values[down]:
        chosen = [np.isin(results.arm, places.get((y, x), [])) for x in values[across]]
        means.append([float(column[each].mean()) if each.any() else math.nan for each in chosen])
    names = f"{down} and {across}", across, down, tuple(values[across]), tuple(values[down])
    return _map(names, means, "{:.0f} %" if solved else "{:.3f}", solved=solved)


def rates(gathered: Gathered) -> Iterator[Part]:
    """How rates changed, where they did."""
    words = {gathered.arms[arm].rate_word for arm, _ in gathered.rates}
    for word in sorted(words):
        arms = [arm for arm in gathered.leaders(CURVES) if gathered.arms[arm].rate_word == word]
        panels = []
        for instance, puzzle in enumerate(gathered.study.instances[:2]):
            series = _series(gathered, arms, gathered.rates, instance)
            if series:
                panels.append(
                    charts.Lines(f"{word.capitalize()} on {puzzle.name}", "step", word, series)
                )
        if panels:
            yield Figure(
                tuple(panels),
                f"The {word} as the runs adapted it: median and quartiles of the runs that were "
                "still going on.",
            )


def best_boards(gathered: Gathered) -> Iterator[Part]:
    """The best board on each puzzle."""
    study, results = gathered.study, gathered.results
    views = []
    for instance, (row, board) in sorted(gathered.boards.items()):
        arm = gathered.names[int(results.arm[row])]
        seed, needed = int(results.seed[row]), rounded(float(results.evaluations[row]))
        verdict = (
            f"solved with {needed} evaluations"
            if results.solved[row]
            else f"not solved, loss {results.loss[row]:.3g}"
        )
        caption = f"{study.instances[instance].name}: {arm}, seed {seed}, {verdict}"
        views.append(charts.BoardView.of(caption, study.instances[instance].puzzle, board))
    if not views:
        return
    told = (
        "Givens are bold; colours are report 003's fitness map: how many of a cell's three units "
        "(row, column, box) are complete. Each is by the algorithm that solved most on that "
        "puzzle, or came closest; the tests say whether it is better than others."
    )
    yield Figure(charts.Boards("The best board on each puzzle", tuple(views[:SHOWN])), told)
    if len(views) > SHOWN:
        rest = Figure(charts.Boards("More boards", tuple(views[SHOWN:MOST_PANELS])), told)
        yield Details(f"Boards of {min(len(views), MOST_PANELS) - SHOWN} more puzzles", (rest,))


PACKAGES = ("NumPy", "Numba", "SciPy")


def setup(gathered: Gathered) -> tuple[Part, ...]:
    """Algorithms, puzzles, seeds and versions."""
    study = gathered.study
    recorded = ", ".join(f"`{field}`" for field in study.record.fields)
    every = "step" if study.record.every == 1 else f"{study.record.every} steps"
    return (
        f"{plural(len(study.arms), 'algorithm')} on {plural(len(study.instances), 'puzzle')} with "
        f"{plural(len(study.seeds), 'seed')} each: {plural(len(study), 'run')} planned, "
        f"{len(gathered.results):,} there. A run has one algorithm, puzzle and seed, and the same "
        "three give the same run on any machine. Of every run a row of numbers was kept every "
        f"{every}: {recorded}.",
        folded(_arms(gathered), f"All {len(study.arms)} algorithms"),
        Details(
            "Complete recipes, with everything left to defaults",
            tuple(part for each in study.arms for part in _recipe(each)),
        ),
        folded(_puzzles(study), f"All {len(study.instances)} puzzles"),
        Details(
            "The puzzles as lines",
            (Code("\n".join(f"{each.name}  {each.puzzle.line}" for each in study.instances)),),
        ),
        Details(f"Seeds: {study.seeds_text}", (", ".join(map(str, study.seeds)) + ".",)),
        _versions(gathered),
    )


def _arms(gathered: Gathered) -> Table:
    study = gathered.study
    short = gathered.names != tuple(each.name for each in study.arms)
    keys = list(dict.fromkeys(key for each in study.arms for key in each.settings))
    rows = []
    for label, each in zip(gathered.names, study.arms, strict=True):
        values = [
            literal(setting_text(each.settings[key])) if key in each.settings else None
            for key in keys
        ]
        full = [literal(each.name)] if short else []
        rows.append((literal(label), *full, *values, f"`{each.until}`"))
    heads = [Column(literal(key), align="left") for key in keys]
    columns: tuple[str | Column, ...] = ("algorithm", *["in full"] * short, *heads, "budget")
    return Table(columns, tuple(rows), "The algorithms, what a grid set, and when a run ends.")


def _puzzles(study: Study) -> Table:
    rows: list[tuple[Cell, ...]] = [
        (
            literal(name),
            str(puzzle.geometry).replace("x", "×"),
            puzzle.givens,
            puzzle.geometry.cells - puzzle.givens,
        )
        for name, puzzle in study.instances
    ]
    columns = ("puzzle", "board", Column("givens", "cells"), Column("blanks", "cells"))
    return Table(columns, tuple(rows), "The puzzles.")


def _recipe(each: Arm) -> tuple[Part, ...]:
    return (
        f"**{literal(each.name)}** until `{each.until}`",
        Code(as_toml(dict(each.recipe)), "toml"),
    )


def _versions(gathered: Gathered) -> Table:
    found = {"Python": platform.python_version()}
    for name in PACKAGES:
        with suppress(PackageNotFoundError):
            found[name] = version(name)
    digest = blake2b(gathered.study.text().encode(), digest_size=16).hexdigest()
    rows: list[tuple[Cell, ...]] = [
        ("genoku, which made the runs", gathered.version),
        *((f"{name}, which made this report", number) for name, number in found.items()),
        ("the study, as a hash", f"`{digest}`"),
    ]
    return Table(("what", Column("version", align="left")), tuple(rows), "Versions.")


def methods() -> tuple[Part, ...]:
    """How numbers were come by."""
    return (
        "**What counts as better.** A run is better than another if it is solved with less effort; "
        "an unsolved run is worse than any solved one; of two unsolved ones the lower loss is "
        "better, if both have the same fitness function, else they are equal. This is the order of "
        "trial-based dominance (Price, Kumar and Suganthan 2023), and all tests are by rank.",
        "**Unsolved runs.** They count with the effort they spent in expected running times (ERT), "
        "and as unsolved in shares and curves. Nothing is left out or filled in.",
        "**Equal effort.** On each puzzle all runs are held to one budget: the least that any "
        "unsolved run had spent when a limit stopped it, so that nobody gains by running longer. "
        "This is done once in evaluations, once in CPU time. A solution found later counts as "
        "none. Runs that gave up by themselves, or for stagnation, set no budget: they are "
        "unsolved at any. Where no limit stopped a run, all count as they ended. Within a run, "
        "evaluations are taken to be spread evenly over its CPU time; where the budget is less "
        f"than {1000 * SHORTEST:g} ms, how a run starts would decide, and unsolved runs are equal. "
        "CPU times are those of the machines that made the runs.",
        "**Evaluations** are not the same work everywhere: a whole board for genetic algorithms, "
        "one move for annealing, a digit tried for min-conflicts, a decision for exact search. "
        "Across kinds of algorithms CPU time is the fairer measure.",
        "**Tests.** Mann–Whitney's U test for two algorithms on a puzzle (seeds are independent), "
        "van Elteren's, which adds these up over puzzles and settings, for two values of a setting "
        "of a grid, Wilcoxon's signed-rank test over puzzles, Friedman's test with Nemenyi's for "
        "three or more algorithms over three or more puzzles, by the mean rank of an algorithm's "
        "runs among all on a puzzle; two-sided, at 5 %, corrected after Holm within each table. "
        "Effects are Vargha and Delaney's A12: negligible below 0.56, small from there, medium "
        "from 0.64, large from 0.71.",
    )


def again(gathered: Gathered) -> tuple[Part, ...]:
    """The commands that give the same runs."""
    study = gathered.study
    first, instance = study.arms[0], study.instances[0]
    lines = ["genoku study run STUDY.toml", "genoku report STUDY.db -o report.html"]
    return (
        "With the study's file, or with the store, which holds the whole study:",
        Code("\n".join(lines), "sh"),
        "One run of it again, here the first; the recipe is the one listed above, saved as a file "
        "unless it is a preset as it comes:",
        Code(replay(study, first, instance, study.seeds[0]), "sh"),
    )


def replay(study: Study, of: Arm, instance: Instance, seed: int) -> str:
    """The command that makes one run of a study again."""
    how = f"--preset {shlex.quote(of.name)}" if _is_preset(of) else f"--recipe {_file(of)}"
    clashing = " --allow-conflicts" if study.allow_conflicts else ""
    return (
        f"genoku solve {shlex.quote(instance.puzzle.line)} {how} --until {shlex.quote(of.until)} "
        f"--seed {seed}{clashing}"
    )


def _is_preset(of: Arm) -> bool:
    try:
        return arm_of(of.name, until=of.until).digest == of.digest
    except GenokuError:
        return False


def _file(of: Arm) -> str:
    words = re.sub(r"[^A-Za-z0-9]+", "-", of.name).strip("-")[:40].lower()
    return f"{words or 'recipe'}.toml"


MOST_NAMED = 6
MOST_LEADING = 3
UNKNOWN = "some losses are not known, as histories do not tell or runs are too short for a clock"


def summary(
    gathered: Gathered,
    found: dict[Unit, list[Pair]],
    ranking: Ranking | str,
    over_puzzles: list[Overall] | str,
    effects: list[Contrast],
) -> tuple[Part, ...]:
    """What was found, sentence by sentence: of all puzzles first, then of each."""
    parts: list[Part] = [*incomplete(gathered)]
    if not len(gathered.results):
        return (*parts, "There are no runs yet, so nothing can be said.")
    parts.append("\n".join(_successes(gathered)))
    if gathered.names != tuple(arm.name for arm in gathered.study.arms):
        keys = dict.fromkeys(key for arm in gathered.study.arms for key in arm.settings)
        words = listed([f"`{key}`" for key in keys])
        parts.append(f"Points of a grid are named by what they set: {words}.")
    if len(gathered.study.arms) == 1:
        parts.append("There is one algorithm only, so nothing is compared.")
        return tuple(parts)
    parts += answers(gathered, effects)
    parts += _over_puzzles(gathered, ranking, over_puzzles)
    parts += _differences(gathered, found[gathered.primary])
    parts += _otherwise(gathered, found)
    parts += _caveats(gathered)
    return tuple(parts)


def incomplete(gathered: Gathered) -> Iterator[Notice]:
    """What is missing, if anything is."""
    planned, there = len(gathered.study), len(gathered.results)
    if there < planned:
        share = percent(there / planned)
        yield Notice(
            f"**{there:,} of {planned:,} planned runs are in the store** ({share} %). This page is "
            "about those; algorithms may have different numbers of runs."
        )
    if failed := len(gathered.failures):
        first = gathered.failures[0]
        were = "run came" if failed == 1 else "runs came"
        yield Notice(
            f"**{failed:,} {were} to nothing** and count nowhere on this page. The first: "
            f"{gathered.bold(first.arm)} on {gathered.italic(first.instance)}, seed {first.seed}: "
            f"`{first.message.splitlines()[0].replace('`', chr(39)) if first.message else ''}`"
        )


def _successes(gathered: Gathered) -> Iterator[str]:
    """Who solved how much, best first; the extremes if there are many."""
    study = gathered.study
    told = []
    for arm in range(len(study.arms)):
        own = gathered.results.of(arm)
        if len(own):
            success = Proportion.of(own.solved)
            expected = ert(spent(own, gathered.primary), own.solved)
            told.append((-success.share, expected, arm, success))
    told.sort(key=lambda item: item[:3])
    solved = sum(success.successes for *_, success in told)
    runs = sum(success.runs for *_, success in told)
    if not solved:
        yield (
            f"None of the {runs:,} runs was solved." if runs > 1 else "The only run was not solved."
        )
        return
    if solved == runs and runs > 1:
        yield f"All {runs:,} runs were solved.\n"
    shown = told if len(told) <= MOST_NAMED else told[: MOST_NAMED - 1]
    for _, expected, arm, success in shown:
        share = share_text(success) if len(study.instances) == 1 else f"{percent(success.share)} %"
        interval = ", 95 % interval in brackets" if len(study.instances) == 1 else ""
        one = f"- {gathered.bold(arm)} solved {success.successes:,} of "
        one += f"{plural(success.runs, 'run')}: {share}{interval if arm == shown[0][2] else ''}"
        if math.isfinite(expected) and len(study.instances) == 1:
            effort = f"{rounded(expected)} evaluations"
            if gathered.primary == "CPU time":
                effort = f"{rounded(1000 * expected)} ms of CPU time"
            one += f"; {effort} are expected until a solution"
        yield one + "."
    if rest := told[len(shown) :]:
        most = rest[0][-1]
        up_to = f"up to {percent(most.share)} % each" if most.successes else "none"
        yield f"- The other {len(rest)} algorithms solved {up_to}."


def _differences(gathered: Gathered, found: list[Pair]) -> Iterator[Part]:
    """What the tests on single puzzles say, at equal effort by the study's measure."""
    if not found:
        yield too_many(gathered) or "No two algorithms have runs on the same puzzle yet."
        return
    sure = [pair for pair in found if pair.differs]
    tests = plural(len(found), "comparison")
    if not sure:
        yield from _nothing_found(gathered, found)
        return
    if len(sure) <= MOST_NAMED:
        sentences = [f"- {_sentence(gathered, pair)}" for pair in sure]
        rest = len(found) - len(sure)
        if rest:
            others = "comparison" if rest == 1 else f"{rest:,} comparisons"
            sentences.append(
                f"- The other {others} cannot be decided with these runs, which does not mean that "
                "there is no difference."
            )
        corrected = f", after Holm's correction for {tests}" if len(found) > 1 else ""
        yield f"At equal {gathered.primary}{corrected}:\n\n" + "\n".join(sentences)
        return
    better = Counter(pair.better for pair in sure)
    worse = Counter(pair.worse for pair in sure)
    yield (
        f"At equal {gathered.primary} {len(sure):,} of {tests} between two algorithms on one "
        f"puzzle are significant after Holm's correction; most often better: "
        f"{_most(gathered, better)}; most often worse: {_most(gathered, worse)}. "
        f"The other {len(found) - len(sure):,} cannot be decided with these runs."
    )


def _most(gathered: Gathered, times: Counter[int]) -> str:
    """Whom most comparisons name; how many, where they are many."""
    ((_, most),) = times.most_common(1)
    arms = sorted(arm for arm, count in times.items() if count == most)
    if len(arms) > MOST_LEADING:
        return f"{len(arms)} algorithms, in {most:,} each"
    each = " each" if len(arms) > 1 else ""
    return f"{listed([gathered.bold(arm) for arm in arms])} in {most:,}{each}"


def _sentence(gathered: Gathered, pair: Pair) -> str:
    instances = gathered.study.instances
    where = f"On {gathered.italic(pair.instance)} " if len(instances) > 1 else ""
    better, worse = (gathered.bold(arm) for arm in (pair.better, pair.worse))
    return (
        f"{where}{better} does better than {worse}: {p_text(pair.corrected)}, "
        f"A12 = {pair.effect:.2f} ({magnitude(pair.effect)})."
    )


def _nothing_found(gathered: Gathered, found: list[Pair]) -> Iterator[Part]:
    most = max(max(pair.sizes) for pair in found)
    closest = max(found, key=lambda pair: (abs(pair.a12 - 0.5), -pair.p))
    instances = gathered.study.instances
    if closest.a12 == 0.5:
        same = gathered.one_fitness() and gathered.knows_losses(gathered.primary)
        what = "what counts here" if same else "solving, and losses where these can be compared"
        yield (
            f"At equal {gathered.primary} no algorithm does better than another: by {what}, their "
            "runs are alike."
        )
        return
    each = f"With {plural(most, 'run')} of each algorithm"
    each = f"On single puzzles, w{each[1:]}," if len(instances) > 1 else each
    if could_differ(found):
        said = f"{each} no difference is significant at equal {gathered.primary}"
    else:
        said = f"{each} nothing can be told apart, however large the difference"
    if len(found) > 1:
        said += f" (Holm's correction for {len(found):,} comparisons)"
    pair = f"{gathered.bold(closest.first)} and {gathered.bold(closest.second)}"
    if len(instances) > 1:
        pair += f" on {gathered.italic(closest.instance)}"
    hinted = hint_for(gathered, gathered.primary, closest, len(found))
    yield (
        f"{said}. That is no proof that there is none. The largest difference seen is between "
        f"{pair}: {hinted[0].lower()}{hinted[1:]}"
    )


def answers(gathered: Gathered, found: list[Contrast]) -> Iterator[Part]:
    """What each setting does, in plain words."""
    if not found:
        return
    puzzles = len(gathered.study.instances)
    spans = ["all combinations of the other settings"] * (len({each.key for each in found}) > 1)
    spans += [f"{puzzles} puzzles"] * (puzzles > 1)
    over = f" over {listed(spans)}" if spans else ""
    corrected = f", after Holm's correction for {len(found)} comparisons" if len(found) > 1 else ""
    test = f"van Elteren's test{corrected}"
    lead = f"What the settings do at equal {gathered.primary}{over} ({test}):\n\n"
    chosen = found if len(found) <= MOST_NAMED else [each for each in found if each.differs]
    lines = [f"- {_contrast(each)}" for each in chosen[:MOST_NAMED]]
    if len(lines) < len(found):
        lines.append(f"- All {len(found)} comparisons stand below, under *Main effects*.")
    yield lead + "\n".join(lines)


def _contrast(each: Contrast) -> str:
    first, second = (f"**{literal(value)}**" for value in each.values)
    one, two = (f"{percent(share.share)} %" for share in each.shares)
    low, high = each.effect.interval
    rarer = each.differs and each.shares[0].share < each.shares[1].share
    figures = (
        f"{p_text(each.corrected)}, A12 = {each.effect.a12:.2f} ({low:.2f}–{high:.2f}, "
        f"{magnitude(each.effect.a12)}); solved {one} and {two}"
        f"{', less often but sooner' if rarer else ''}"
    )
    said = f"`{each.key}`: {first} does better than {second} ({figures})."
    if not each.differs:
        said = (
            f"`{each.key}`: {first} and {second} cannot be told apart ({figures}), which is no "
            "proof that they are alike."
        )
    sure = [turn for turn in each.turned if turn.p < LEVEL]
    if sure:
        where = [f"`{turn.key}` = {turn.value} ({p_text(turn.p)})" for turn in sure]
        return f"{said} It depends: with {listed(where)} {second} does better."
    if each.turned and each.differs:
        where = [f"`{turn.key}` = {turn.value}" for turn in each.turned]
        return f"{said} With {listed(where)} {second} seems better, which these runs do not prove."
    return said


def _over_puzzles(
    gathered: Gathered, ranking: Ranking | str, over_puzzles: list[Overall] | str
) -> Iterator[Part]:
    """What the tests over all puzzles say."""
    arms = gathered.study.arms
    if isinstance(ranking, Ranking):
        test = ranking.test
        order = sorted(range(len(arms)), key=lambda arm: test.ranks[arm])
        best = order[0]
        over = f"Over {test.puzzles} puzzles"
        if test.p >= LEVEL:
            yield f"{over} the algorithms do not differ significantly (Friedman, {p_text(test.p)})."
            return
        same = [
            arm
            for arm in order[1:]
            if test.ranks[arm] - test.ranks[best] < ranking.critical_difference
        ]
        told = (
            f"{over} the algorithms differ (Friedman, {p_text(test.p)}). "
            f"{gathered.bold(best)} has the best mean rank, {test.ranks[best]:.2f}"
        )
        if not same:
            yield f"{told}, and is better than every other (Nemenyi, 5 %)."
        elif len(same) == len(order) - 1:
            yield f"{told}, but cannot be told apart from any other (Nemenyi, 5 %)."
        else:
            names = [gathered.bold(arm) for arm in same[:MOST_NAMED]]
            if len(same) > MOST_NAMED:
                names.append(f"{len(same) - MOST_NAMED} more")
            others = [gathered.bold(arm) for arm in order[1:] if arm not in same]
            rest = others[0] if len(others) == 1 else f"the other {len(others)}"
            yield (
                f"{told}; it cannot be told apart from {listed(names)}, and is better than {rest} "
                "(Nemenyi, 5 %)."
            )
    elif isinstance(over_puzzles, list):
        tests = len(over_puzzles)
        corrected = f", after Holm's correction for {tests} pairs" if tests > 1 else ""
        sure = [each for each in over_puzzles if each.corrected < LEVEL]
        for each in sure:
            yield (
                f"Over the puzzles, {gathered.bold(each.better)} does better than "
                f"{gathered.bold(each.worse)} (Wilcoxon, {p_text(each.corrected)}"
                f"{corrected}): it is ahead on {each.ahead} of {len(gathered.study.instances)}, "
                f"and behind on {each.behind}."
            )
        if over_puzzles and not sure:
            least = min(each.corrected for each in over_puzzles)
            yield (
                f"Over the {len(gathered.study.instances)} puzzles no two algorithms differ "
                f"significantly (Wilcoxon, {p_text(least)}{corrected})."
            )


def _otherwise(gathered: Gathered, found: dict[Unit, list[Pair]]) -> Iterator[Part]:
    """Whether the other measure of effort tells another story."""
    unit: Unit = "CPU time" if gathered.primary == "evaluations" else "evaluations"
    pairs = found[unit]
    if not pairs:
        return
    before = {
        (p.first, p.second, p.instance): p.better for p in found[gathered.primary] if p.differs
    }
    now = {(p.first, p.second, p.instance): p.better for p in pairs if p.differs}
    why = "" if gathered.knows_losses(unit) else f"; {UNKNOWN}, so solving alone counts"
    turned = [key for key, better in now.items() if before.get(key, better) != better]
    if turned:
        first, second, instance = turned[0]
        tell = "tells" if unit == "CPU time" else "tell"
        better, worse = now[turned[0]], first if now[turned[0]] == second else second
        more = f", and so in {len(turned) - 1} more" if len(turned) > 1 else ""
        yield (
            f"Equal {unit} {tell} another story: there {gathered.bold(better)} does "
            f"better than {gathered.bold(worse)} on "
            f"{gathered.italic(instance)}{more}."
        )
    elif now == before:
        if now:
            yield f"At equal {unit} the same comparisons are significant."
    elif now:
        yield (
            f"At equal {unit} {len(now):,} of {plural(len(pairs), 'comparison')} "
            f"{'is' if len(now) == 1 else 'are'} significant, none the other way round{why}."
        )
    else:
        yield f"At equal {unit} no comparison is significant{why}."


def _caveats(gathered: Gathered) -> Iterator[Part]:
    for instance in range(len(gathered.study.instances)):
        arms = [arm for arm, place in sorted(gathered.unsearched) if place == instance]
        if arms:
            where = f"On {gathered.italic(instance)}: " if len(gathered.study.instances) > 1 else ""
            yield where + unsearched([gathered.bold(arm) for arm in arms])
    kinds = sorted({facts.kind for facts in gathered.arms})
    if len(kinds) > 1:
        yield (
            f"The algorithms are of different kinds ({listed(kinds)}), for which an evaluation is "
            "not the same work: CPU time is the measure here, on the machines that made the runs."
        )
    if not gathered.one_fitness():
        functions = listed([literal(each) for each in gathered.fitness_names()])
        yield (
            f"The algorithms have different fitness functions ({functions}), whose losses "
            "do not mean the same. Where two differ in it they are compared by solving alone."
        )
    if not gathered.knows_losses(gathered.primary):
        yield f"At equal {gathered.primary} {UNKNOWN}, so there they are compared by solving alone."
