"""Build the report of a study: summary, tables, figures, set-up, and how to reproduce it.

>>> from genoku.lab.store import Store
>>> with Store.open("study.db") as store:                                   # doctest: +SKIP
...     report(store).write_html("report.html")
"""

from __future__ import annotations

import math
import platform
import shlex
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from hashlib import blake2b
from importlib.metadata import PackageNotFoundError, version
from importlib.resources import files
from itertools import chain, combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from genoku.engine.race import no_search_text
from genoku.engine.result import errors_text
from genoku.errors import GenokuError
from genoku.evolve.recipe import as_toml
from genoku.lab import statistics
from genoku.lab.report import charts
from genoku.lab.report.data import (
    EFFORTS,
    MOST_CURVES,
    SHORTEST_BUDGET,
    Effort,
    MainEffect,
    OverallResult,
    PairwiseResult,
    Place,
    QuartileBand,
    ReportData,
    efforts_of,
    friedman_test,
    grid_settings,
    main_effects,
    overall_results,
    pairwise_results,
    read_report_data,
    sample_size_hint,
    too_many_pairs,
)
from genoku.lab.report.page import (
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
    slug,
)
from genoku.lab.statistics import LEVEL, Friedman, Proportion, p_text, share_text
from genoku.lab.store import Results, Store
from genoku.lab.study import Arm, Instance, Study, arm as arm_of, setting_text
from genoku.runtime.text import (
    format_count,
    format_percent,
    format_rounded,
    format_study_size,
    join_words,
)


def report(store: Store) -> Page:
    """Build the report of a study from its store, complete or not.

    Parameters
    ----------
    store
        An open store.

    Returns
    -------
    Page
        To be written as HTML or Markdown.
    """
    return build_page(read_report_data(store))


def build_page(data: ReportData) -> Page:
    """Build the report from data already read from a store."""
    study, effort = data.study, data.primary
    efforts = EFFORTS if effort == EFFORTS[0] else EFFORTS[::-1]
    found: dict[Effort, list[PairwiseResult]] = {
        each: pairwise_results(data, each) for each in efforts
    }
    ranked, over = friedman_test(data, effort), overall_results(data, found[effort])
    effects = main_effects(data)
    sections: dict[str, Iterable[Part]] = {"Summary": summary(data, found, ranked, over, effects)}
    if len(data.results):
        sections["Success and effort"] = *success_figure(data), *success_table(data)
        sections["Convergence and running time"] = *convergence(data), *running_times(data)
        final = errors_figure(data), errors_table(data), settings_maps(data), rates(data)
        sections["Final results"] = chain.from_iterable(final)
        if effects:
            sections["Main effects"] = (effects_table(data, effects),)
        if len(study.arms) > 1:
            tests = [comparison_table(data, each, found[each]) for each in efforts]
            # The tests over all puzzles, or the reason why there are none
            tests.append(ranked if isinstance(ranked, str) else rank_diagram(data, ranked))
            tests.append(over if isinstance(over, str) else overall_table(data, over))
            sections["Comparisons"] = filter(None, tests)
        sections["Boards"] = best_boards(data)
    sections["Set-up"] = setup(data)
    sections["Methods"] = methods()
    sections["How to reproduce"] = reproduction(data)
    size = format_study_size(len(study.arms), len(study.instances), len(study.seeds))
    name = f"Study **{literal(study.name)}**: " if study.question and study.name else ""
    return Page(
        literal(study.question or f"Study {study.name}"),
        f"{name}{size} = {format_count(len(study), 'run')}.",
        tuple(Section(title, tuple(parts)) for title, parts in sections.items()),
        f"Made by genoku {data.version}.",
    )


FEW_ROWS, SHOWN_ROWS, MOST_ROWS = 12, 36, 600


def fold_if_long(table: Table, title: str, most: int = FEW_ROWS) -> Part:
    """Fold a table that has more than `most` rows."""
    return table if len(table.rows) <= most else Details(title, (table,))


def success_table(data: ReportData) -> list[Part]:
    """Success and expected effort of every algorithm on every puzzle."""
    scale, seconds = time_scale(data.results)
    moving = bool(data.results.moves.any())
    columns: list[str | Column] = [
        Column("solved", "runs"),
        Column("share solved", "% (95 % interval)"),
        Column("evaluations", "expected (95 % interval)", align="right"),
        *[Column("moves", "expected (95 % interval)", align="right")] * moving,
        Column("CPU time", f"expected {seconds} (95 % interval)", align="right"),
    ]

    def running_time(own: Results, efforts: NDArray[Any]) -> str:
        found = statistics.running_time(efforts, own.solved)
        low, high = map(format_rounded, found.interval)
        value = format_rounded(found.value)
        return f"> {low}" if math.isinf(found.value) else f"{value} ({low}–{high})"

    def cells(own: Results) -> list[Cell]:
        share = Proportion.of(own.solved)
        moves = running_time(own, own.moves) if own.moves.any() else None
        return [
            f"{share.successes:,} of {share.runs:,}",
            share_text(share).replace(" %", ""),
            running_time(own, own.evaluations),
            *[moves] * moving,
            running_time(own, own.cpu_seconds / scale),
        ]

    caption = (
        "Share of runs solved, with Wilson's 95 % intervals, and expected running time (ERT): the "
        "total effort of all runs, solved or not, divided by the number of solved runs, with 95 % "
        "intervals. Where no run was solved, a lower bound is given."
    )
    return _by_puzzle(data, columns, cells, caption)


def errors_table(data: ReportData) -> list[Part]:
    """Median and quartiles of errors left and of the algorithm's own score."""
    results, names = data.results, [facts.fitness_name for facts in data.arms]
    short = [name.partition("(")[0] for name in names]
    if len(set(short)) == len(set(names)):
        names = short
    is_other = results.score != results.errors  # on another scale than errors left
    scales = {names[arm] for arm in np.unique(results.arm[is_other]).tolist()}
    is_single = len(scales) == 1
    heading = f"score ({literal(*scales)})" if is_single else "score (fitness function)"
    columns: list[str | Column] = [
        Column("errors left", "median (quartiles)", align="right"),
        Column("fewest errors", align="right"),
        *[Column(heading, "median (quartiles)", align="right")] * bool(scales),
    ]

    def format_value(value: float) -> str:
        return f"{value:.3g}" if abs(value) < 1000 else f"{value:,.0f}"

    def quartiles(values: NDArray[Any]) -> str:
        found = statistics.describe(values)
        low, high = map(format_value, found.quartiles)
        return f"{format_value(found.median)} ({low}–{high})"

    def cells(own: Results) -> list[Cell]:
        scale = names[int(own.arm[0])]
        suffix = "" if is_single else f" ({literal(scale)})"
        score = f"{quartiles(own.score)}{suffix}" if scale in scales else None
        return [quartiles(own.errors), int(own.errors.min()), *[score] * bool(scales)]

    caption = (
        "Errors left on the best board of each run: the digits missing from its units, summed over "
        "all units; 0 is solved."
    )
    if scales:
        caption += " Scores are on the scale of the algorithm's own fitness function."
    return _by_puzzle(data, columns, cells, caption)


def _by_puzzle(
    data: ReportData,
    columns: list[str | Column],
    cells: Callable[[Results], list[Cell]],
    caption: str,
) -> list[Part]:
    """One table for all puzzles, or a summary and a folded table if it would be long."""
    heads = ("algorithm", *columns)
    names = list(enumerate(map(literal, data.names)))
    several = len(data.study.instances) > 1
    rows: list[tuple[Cell, ...]] = []
    for instance, puzzle in enumerate(data.study.instances):
        places = [(name, (arm, instance)) for arm, name in names if (arm, instance) in data.cells]
        rows += [(literal(puzzle.name),)] * (several and bool(places))
        rows += [(name, *cells(data.cells[place])) for name, place in places]
    table = Table(heads, tuple(rows), caption)
    if len(rows) <= SHOWN_ROWS or not several:
        return [fold_if_long(table, f"All {len(rows)} algorithms", SHOWN_ROWS)]
    puzzles = len({instance for _, instance in data.cells})
    together = [(name, *cells(own)) for arm, name in names if len(own := data.results.of(arm))]
    over = f"{caption} All {puzzles} puzzles together; intervals hold for these puzzles only."
    whole = Table(heads, tuple(together), over)
    return [
        fold_if_long(whole, f"All {len(together)} algorithms over all puzzles", SHOWN_ROWS),
        Details(f"Each of the {puzzles} puzzles", (table,)),
    ]


def comparison_table(data: ReportData, effort: Effort, found: list[PairwiseResult]) -> Part:
    """All pairwise comparisons on single puzzles, ordered by p."""
    if not found:
        return too_many_pairs(data) if effort == data.primary else ""
    study = data.study
    several = len(study.instances) > 1
    ordered = sorted(found, key=lambda pair: (pair.corrected, pair.p, -abs(pair.a12 - 0.5)))
    rows = []
    for pair in ordered[:MOST_ROWS]:
        where = [literal(study.instances[pair.instance].name)] * several
        effect = f"{pair.effect:.2f}", statistics.magnitude(pair.effect)
        verdict = "yes" if pair.differs else "no"
        rows.append((*where, *_names_and_p(data, pair, *effect), verdict))
    columns: tuple[str | Column, ...] = (
        *("puzzle",) * several,
        *("seems better", "than", "A12", "effect", "p", Column("p", "after Holm")),
        Column("significant", f"at {100 * LEVEL:g} %"),
    )
    left_out = ""
    if len(found) > MOST_ROWS:
        left_out = f" Only the {MOST_ROWS} with the lowest p are shown."
    caption = (
        f"Pairwise comparisons at equal {effort}: Mann–Whitney U test with Holm's correction over "
        f"the {format_count(len(found), 'comparison')} of this table. A12 is the probability that "
        "a run of the first algorithm is better than one of the second, ties counting half."
        f"{left_out}"
    )
    table = Table(columns, tuple(rows), caption)
    return fold_if_long(table, f"All {len(found):,} comparisons at equal {effort}")


def _names_and_p(
    data: ReportData, each: PairwiseResult | OverallResult, *between: Cell
) -> list[Cell]:
    """Both names, the better one first and bold if significant, other cells, and both p."""
    better, worse = (literal(data.names[arm]) for arm in (each.better, each.worse))
    if isinstance(each, PairwiseResult) and each.differs:
        better = f"**{better}**"
    return [better, worse, *between, *(p_text(p, bare=True) for p in (each.p, each.corrected))]


def overall_table(data: ReportData, found: list[OverallResult]) -> Part:
    """Wilcoxon's test of all pairs, ordered by p."""
    ordered = sorted(found, key=lambda each: (each.corrected, each.p))
    rows = [
        tuple(_names_and_p(data, each, each.ahead, each.behind)) for each in ordered[:MOST_ROWS]
    ]
    counts = Column("ahead", "puzzles"), Column("behind", "puzzles")
    table = Table(
        ("seems better", "than", *counts, "p", Column("p", "after Holm")),
        tuple(rows),
        "Pairwise comparisons over all puzzles: Wilcoxon's signed-rank test of A12 on each puzzle, "
        f"with Holm's correction over {format_count(len(found), 'pair')}. The test weights puzzles "
        "by the size of the difference, so an algorithm that is ahead on fewer puzzles may still "
        "seem better.",
    )
    return fold_if_long(table, f"All {len(found):,} pairs")


def effects_table(data: ReportData, found: list[MainEffect]) -> Part:
    """All comparisons of two values of a setting, ordered by p."""
    has_reversals = any(each.reversals for each in found)
    rows = []
    for each in sorted(found, key=lambda each: (each.corrected, each.p)):
        low, high = each.effect.interval
        better, worse = map(literal, each.values)
        reversals = "; ".join(
            f"{turn.key} = {turn.value} (A12 = {turn.a12:.2f}, {p_text(turn.p)})"
            for turn in each.reversals
        )
        rows.append(
            (
                literal(each.key),
                f"**{better}**" if each.differs else better,
                worse,
                join_words(format_percent(share.share) for share in each.shares),
                f"{each.effect.a12:.2f} ({low:.2f}–{high:.2f})",
                p_text(each.corrected, bare=True),
                *[literal(reversals) or None] * has_reversals,
            )
        )
    columns: tuple[str | Column, ...] = (
        *(Column(head, align="left") for head in ("setting", "seems better", "than")),
        Column("solved", "% of each", align="right"),
        Column("A12", "95 % interval"),
        Column("p", "after Holm"),
        *[Column("reversed", "with", align="left")] * has_reversals,
    )
    more = (
        " The last column lists values of other settings with which the second value seems better; "
        "its p-values are corrected within each row."
    )
    caption = (
        f"Main effects at equal {data.primary}: two values of a setting are compared where all "
        "other settings and the puzzle are the same, and these strata are combined (van Elteren's "
        "test; A12 is the weighted mean). Holm's correction over the "
        f"{format_count(len(found), 'comparison')} of this table; bold is significant at "
        f"{100 * LEVEL:g} %.{more * has_reversals}"
    )
    return fold_if_long(Table(columns, tuple(rows), caption), f"All {len(rows)} comparisons")


def time_scale(results: Results) -> tuple[float, str]:
    """Choose a unit of time for the runs: its length in seconds, and its name."""
    usual = float(np.median(results.cpu_seconds))
    return (60.0, "min") if usual >= 120 else (1.0, "s") if usual >= 2 else (0.001, "ms")


SHOWN, MOST_PANELS = 6, 12  # panels that are not folded, and in all
MOST_MAPS = 6


def _selection_text(data: ReportData, arms: list[int]) -> str:
    count = len(data.study.arms)
    return "" if len(arms) == count else f" The best {len(arms)} of {count} algorithms are shown."


def _panels(
    data: ReportData,
    title: str,
    draw: Callable[[str, int], charts.LineChart | charts.BoxPlot | None],
    caption: str,
) -> Iterator[Part]:
    """Draw a panel for each puzzle; all but the first few are folded.

    `title` is that of a single panel; several are named after their puzzles. `draw` takes a title
    and the index of a puzzle.
    """
    names = [each.name for each in data.study.instances]
    titles = names[:MOST_PANELS] if len(names) > 1 else [title]
    panels = tuple(chart for at, each in enumerate(titles) if (chart := draw(each, at)))
    if not panels:
        return
    left_out = len(names) - MOST_PANELS
    if left_out > 0:
        caption += f" {format_count(left_out, 'more puzzle')} not shown."
    yield Figure(panels[:SHOWN], caption)
    if rest := panels[SHOWN:]:
        yield Details(f"The same on {format_count(len(rest), 'more puzzle')}", (Figure(rest),))


def success_figure(data: ReportData) -> Iterator[Part]:
    """The share solved: intervals if there is one puzzle or algorithm, else a heat map."""
    arms, puzzles = data.names, tuple(each.name for each in data.study.instances)
    if len(arms) < 2 and len(puzzles) < 2:
        return
    found = {place: Proportion.of(own.solved) for place, own in data.cells.items()}
    title, label = "Share of runs solved", "share of runs solved"
    if len(puzzles) == 1 or len(arms) == 1:
        marks = tuple(
            charts.IntervalMark(
                arms[arm] if len(puzzles) == 1 else puzzles[at], each.share, *each.wilson()
            )
            for (arm, at), each in found.items()
        )
        caption = "Dots are shares; bars are Wilson's 95 % intervals."
        yield Figure(charts.IntervalChart(title, label, marks, x_limits=(0, 1)), caption)
    elif len(puzzles) <= 30 and len(arms) <= 60:
        none = Proportion(0, 0)
        shares = [
            [found.get((arm, at), none).share for at in range(len(puzzles))]
            for arm in range(len(arms))
        ]
        names = title, "puzzle", "algorithm", puzzles, arms
        yield Figure(
            _heat_map(names, shares, "{:.0f}", solved=True),
            "Percentage of runs solved by each algorithm on each puzzle. Darker is better; the "
            "table gives intervals.",
        )


def _heat_map(
    names: tuple[str, str, str, tuple[str, ...], tuple[str, ...]],
    values: list[list[float]],
    form: str,
    *,
    solved: bool,
) -> charts.HeatMap:
    """Draw shares of solved runs from 0 to 1, or mean errors left."""
    scale = 100 if solved else 1
    texts = tuple(
        tuple("" if math.isnan(each) else form.format(scale * each) for each in row)
        for row in values
    )
    what, low, high = ("share solved", 0.0, 1.0) if solved else ("mean errors left", None, None)
    return charts.HeatMap(*names, tuple(map(tuple, values)), what, texts, low, high)


def convergence(data: ReportData) -> Iterator[Part]:
    """Errors left on the best board so far, over evaluations."""
    arms, bands = data.leaders(MOST_CURVES), data.curves
    if not bands:
        yield "Convergence curves require that a study records `evals` and `errors`."
        return
    ends = [band.x[-1] for band in bands.values()]
    log = max(ends) > 30 * min(ends)

    def draw(title: str, instance: int) -> charts.LineChart | None:
        series = _series(data, arms, bands, instance)
        chart = charts.LineChart(title, "evaluations", data.quality, series, log_x=log)
        return chart if series else None

    most = max(band.histories for band in bands.values())
    sizes = sorted(map(len, data.cells.values()))
    runs = format_count(sizes[0], "run")
    if sizes[0] < sizes[-1]:
        runs = f"{sizes[0]:,} to {sizes[-1]:,} runs"
    sampled = f", of which {most:,} are drawn" if most < sizes[-1] else ""
    caption = (
        f"{data.quality.capitalize()} on the best board so far: median over {runs} of each "
        f"algorithm{sampled}; the band lies between the quartiles. 0 is solved; runs that have "
        f"ended keep their last value.{_selection_text(data, arms)}"
    )
    title = f"Convergence on {data.study.instances[0].name}"
    yield from _panels(data, title, draw, caption)


def _series(
    data: ReportData, arms: list[int], bands: Mapping[Place, QuartileBand], instance: int
) -> tuple[charts.Series, ...]:
    made = []
    for arm in arms:
        if (band := bands.get((arm, instance))) is not None:
            low, y, high = map(charts.numbers, band.quartiles)
            name, colour = data.names[arm], data.colours[arm]
            made.append(charts.Series(name, charts.numbers(band.x), y, low, high, colour=colour))
    return tuple(made)


def running_times(data: ReportData) -> Iterator[Part]:
    """The share of runs solved within each effort."""
    results = data.results
    if not results.solved.any():
        yield "No run was solved, so there are no running times."
        return
    runs = {arm: own for arm in data.leaders(MOST_CURVES) if len(own := results.of(arm))}
    scale, seconds = time_scale(results)
    panels = []
    highest = max(float(own.solved.mean()) for own in runs.values())
    top = min(1.0, 1.1 * highest)  # so that curves of few solutions fill their panels
    for effort in EFFORTS:
        per, label = (scale, f"{effort} ({seconds})") if effort == "CPU time" else (1.0, effort)
        series = []
        ends = efforts_of(results, effort) / per
        start = float(ends[ends > 0].min()) if (ends > 0).any() else 1.0
        for arm, own in runs.items():
            curve = statistics.ecdf(efforts_of(own, effort) / per, own.solved)
            x, y = charts.numbers(curve.x), charts.numbers(curve.y)
            # A logarithmic axis has no 0: curves start where the first run ends.
            x = (start, *x[1:]) if x[0] == 0 else x
            colour = data.colours[arm]
            series.append(charts.Series(data.names[arm], x, y, style="steps", colour=colour))
        names = f"by {effort}", label, "share of runs solved"
        panels.append(charts.LineChart(*names, tuple(series), log_x=True, y_limits=(0, top)))
    puzzles = len(data.study.instances)
    over = "" if puzzles == 1 else f" over all {puzzles} puzzles"
    yield Figure(
        tuple(panels),
        f"Running time: the share of all runs{over} that are solved within a given effort. "
        "A curve that ends below 1 leaves runs unsolved."
        f"{_selection_text(data, list(runs))}",
    )


def errors_figure(data: ReportData) -> Iterator[Part]:
    """Box plots of the errors left at the end of the runs."""
    if data.results.solved.all():
        return
    arms = data.leaders(20)

    def draw(title: str, instance: int) -> charts.BoxPlot | None:
        boxes = tuple(
            charts.Box.of(data.names[arm], own.errors, data.colours[arm])
            for arm in arms
            if (own := data.cells.get((arm, instance))) is not None
        )
        return charts.BoxPlot(title, "errors left", boxes) if boxes else None

    caption = (
        "Errors left on the best board of each run; 0 is solved. Boxes span the quartiles with a "
        "line at the median, whiskers reach to the last run within 1.5 interquartile ranges, and "
        f"circles lie beyond.{_selection_text(data, arms)}"
    )
    yield from _panels(data, "Errors left at the end of a run", draw, caption)


def rank_diagram(data: ReportData, test: Friedman) -> Part:
    """The critical-difference diagram."""
    gap = statistics.critical_difference(len(test.ranks), test.puzzles)
    more = ""
    if test.p >= LEVEL:
        more = (
            f" Friedman's test finds no significant difference ({p_text(test.p)}), so algorithms "
            "that no bar connects may still be equal."
        )
    names = "Mean ranks over the puzzles", data.names
    return Figure(
        charts.RankDiagram(
            *names, test.ranks, gap, tuple(statistics.cliques(test.ranks, gap)), data.colours
        ),
        f"Mean rank over {test.puzzles} puzzles at equal {data.primary}; 1 is best. Thick bars "
        f"connect algorithms that do not differ significantly (Nemenyi's test, 5 %).{more}",
    )


def settings_maps(data: ReportData) -> Iterator[Part]:
    """Heat maps of the settings of a grid, two at a time."""
    arms = data.study.arms
    values = grid_settings(data)
    own = [place for place, arm in enumerate(arms) if len(arm.settings.keys() & values) > 1]
    solved = bool(data.results.solved[np.isin(data.results.arm, own)].any())
    if not own:
        return
    pairs = list(combinations(values, 2))[:MOST_MAPS]
    maps = [_settings_map(data, *pair, values, solved) for pair in pairs]
    what = "Share of runs solved" if solved else "Mean errors left at the end of a run"
    others = " and other settings" if len(values) > 2 else ""
    over = "all puzzles" if len(data.study.instances) > 1 else "all runs"
    yield Figure(
        tuple(maps),
        f"{what} by two settings of the grid, over {over}{others}. The tests show which "
        "differences are significant.",
    )


def _settings_map(
    data: ReportData, across: str, down: str, values: dict[str, list[str]], solved: bool
) -> charts.HeatMap:
    results = data.results
    column = results.solved if solved else results.errors
    places: dict[tuple[str, str], list[int]] = {}
    for place, arm in enumerate(data.study.arms):
        if across in arm.settings and down in arm.settings:
            key = setting_text(arm.settings[down]), setting_text(arm.settings[across])
            places.setdefault(key, []).append(place)
    means = []
    for y in values[down]:
        chosen = [np.isin(results.arm, places.get((y, x), [])) for x in values[across]]
        means.append([float(column[each].mean()) if each.any() else math.nan for each in chosen])
    names = f"{down} and {across}", across, down, tuple(values[across]), tuple(values[down])
    return _heat_map(names, means, "{:.0f} %" if solved else "{:.1f}", solved=solved)


def rates(data: ReportData) -> Iterator[Part]:
    """Adapted rates over steps."""
    for word in sorted({data.arms[arm].rate_word for arm, _ in data.rates}):
        arms = [arm for arm in data.leaders(MOST_CURVES) if data.arms[arm].rate_word == word]
        panels = tuple(
            charts.LineChart(f"{word.capitalize()} on {puzzle.name}", "step", word, series)
            for instance, puzzle in enumerate(data.study.instances[:2])
            if (series := _series(data, arms, data.rates, instance))
        )
        if panels:
            yield Figure(
                panels, f"The {word} of runs that have not ended yet: median and quartiles."
            )


def best_boards(data: ReportData) -> Iterator[Part]:
    """The best board on each puzzle."""
    study, results = data.study, data.results
    views = []
    for instance, (row, board) in sorted(data.boards.items())[:MOST_PANELS]:
        verdict = f"not solved, {errors_text(int(results.errors[row]))}"
        if results.solved[row]:
            verdict = f"solved with {format_rounded(float(results.evaluations[row]))} evaluations"
        arm, (name, puzzle) = data.names[results.arm[row]], study.instances[instance]
        caption = f"{name}: {arm}, seed {results.seed[row]}, {verdict}"
        views.append(charts.BoardPicture(caption, puzzle, board))
    if not views:
        return
    caption = (
        "Givens are bold. Colours are report 003's fitness map: the number of complete units among "
        "a cell's row, column and box. Each board is the best run of the algorithm that solved "
        "most runs of the puzzle, or came closest."
    )
    yield Figure(
        charts.BoardGallery("The best board on each puzzle", tuple(views[:SHOWN])), caption
    )
    if rest := tuple(views[SHOWN:]):
        boards = Figure(charts.BoardGallery("More boards", rest), caption)
        yield Details(f"Boards of {format_count(len(rest), 'more puzzle')}", (boards,))


def setup(data: ReportData) -> tuple[Part, ...]:
    """Algorithms, puzzles, seeds and versions."""
    study = data.study
    recorded = ", ".join(f"`{field}`" for field in study.record.fields)
    every = "step" if study.record.every == 1 else f"{study.record.every} steps"
    recipes: list[Part] = []
    for arm in study.arms:
        recipes.append(f"**{literal(arm.name)}** until `{arm.until}`")
        recipes.append(Code(as_toml(dict(arm.recipe)), "toml"))
    lines = "\n".join(f"{each.name}  {each.puzzle.line}" for each in study.instances)
    columns = ("puzzle", "board", Column("givens", "cells"), Column("blanks", "cells"))
    puzzles = tuple(
        (literal(name), str(each.geometry), each.givens, each.digits.count(0))
        for name, each in study.instances
    )
    return (
        f"{study.size_text}, of which {len(data.results):,} are stored. A run is one algorithm on "
        "one puzzle with one seed; unless its time is limited, it is the same on any machine. "
        f"Recorded every {every}: {recorded}.",
        fold_if_long(_arms(data), f"All {len(study.arms)} algorithms"),
        Details("Complete recipes, including defaults", tuple(recipes)),
        fold_if_long(
            Table(columns, puzzles, "The puzzles."), f"All {len(study.instances)} puzzles"
        ),
        Details("The puzzles as lines", (Code(lines),)),
        Details(f"Seeds: {study.seeds_text}", (", ".join(map(str, study.seeds)) + ".",)),
        _versions(data),
    )


def _arms(data: ReportData) -> Table:
    arms = data.study.arms
    short = data.names != tuple(each.name for each in arms)
    keys = list(dict.fromkeys(key for each in arms for key in each.settings))
    rows = []
    for label, each in zip(data.names, arms, strict=True):
        texts = {key: literal(setting_text(value)) for key, value in each.settings.items()}
        full = [literal(each.name)] * short
        rows.append((literal(label), *full, *map(texts.get, keys), f"`{each.until}`"))
    heads = [Column(literal(key), align="left") for key in keys]
    columns: tuple[str | Column, ...] = ("algorithm", *["full name"] * short, *heads, "budget")
    return Table(columns, tuple(rows), "The algorithms, their grid settings, and their budgets.")


def _versions(data: ReportData) -> Table:
    found = {"Python": platform.python_version()}
    for name in ("NumPy", "Numba", "SciPy"):
        with suppress(PackageNotFoundError):
            found[name] = version(name)
    digest = blake2b(data.study.text().encode(), digest_size=16).hexdigest()
    rows = (
        ("genoku (runs)", data.version),
        *((f"{name} (this report)", number) for name, number in found.items()),
        ("hash of the study", f"`{digest}`"),
    )
    return Table(("software", Column("version", align="left")), rows, "Versions.")


def methods() -> list[str]:
    """How runs are ranked, cut and tested, in paragraphs."""
    text = (files("genoku.lab.report") / "methods.md").read_text(encoding="utf-8")
    return text.format(shortest=f"{1000 * SHORTEST_BUDGET:g}").strip().split("\n\n")


def reproduction(data: ReportData) -> tuple[Part, ...]:
    """The commands that repeat the runs."""
    study = data.study
    first = study.arms[0], study.instances[0], study.seeds[0]
    return (
        "Run the study file, or resume the store, which contains the complete study:",
        Code("genoku study run STUDY.toml\ngenoku report STUDY.db -o report.html", "sh"),
        "Repeat a single run, here the first. Unless its recipe is a preset, save it from the list "
        "above to a file:",
        Code(evolve_command(study, *first), "sh"),
    )


def evolve_command(study: Study, of: Arm, instance: Instance, seed: int) -> str:
    """Return the command that repeats one run of a study."""
    how = f"--recipe {slug(of.name)[:40] or 'recipe'}.toml"
    with suppress(GenokuError):
        if arm_of(of.name, until=of.until).digest == of.digest:
            how = f"--preset {shlex.quote(of.name)}"
    clashing = " --allow-conflicts" if study.allow_conflicts else ""
    return (
        f"genoku evolve {shlex.quote(instance.puzzle.line)} {how} --until {shlex.quote(of.until)} "
        f"--seed {seed}{clashing}"
    )


MOST_NAMED = 6


def summary(
    data: ReportData,
    found: Mapping[Effort, list[PairwiseResult]],
    test: Friedman | str,
    overall: list[OverallResult] | str,
    effects: list[MainEffect],
) -> tuple[Part, ...]:
    """The findings in sentences: over all puzzles first, then on single ones."""
    parts: list[Part] = [*missing_runs(data)]
    if not len(data.results):
        return (*parts, "There are no runs yet.")
    arms = data.study.arms
    parts.append("\n".join(_successes(data)))
    if data.names != tuple(arm.name for arm in arms):
        keys = dict.fromkeys(f"`{key}`" for arm in arms for key in arm.settings)
        parts.append(f"Points of a grid are named by their settings: {join_words(keys)}.")
    if len(arms) == 1:
        return (*parts, "There is only one algorithm, so there are no comparisons.")
    return (
        *parts,
        *main_effect_list(data, effects),
        *_over_puzzles(data, test, overall),
        *_differences(data, found[data.primary]),
        *_other_effort(data, found),
        *_caveats(data),
    )


def missing_runs(data: ReportData) -> Iterator[Notice]:
    """Notices about missing and failed runs."""
    planned, stored = len(data.study), len(data.results)
    if stored < planned:
        share = format_percent(stored / planned)
        yield Notice(
            f"**{stored:,} of {planned:,} planned runs are complete** ({share} %). This report "
            "covers only those; algorithms may have different numbers of runs."
        )
    if failed := len(data.failures):
        first = data.failures[0]
        yield Notice(
            f"**{format_count(failed, 'run')} failed** and are excluded from this report. First: "
            f"{data.bold(first.arm)} on {data.italic(first.instance)}, seed {first.seed}: "
            f"`{first.message.splitlines()[0].replace('`', chr(39)) if first.message else ''}`"
        )


def _successes(data: ReportData) -> Iterator[str]:
    """The share that each algorithm solved, the best first, and the rest in one sentence."""
    if not data.results.solved.any():
        yield f"None of {format_count(len(data.results), 'run')} was solved."
        return
    is_alone = len(data.study.instances) == 1
    scale, unit = (1000, "ms of CPU time") if data.primary == "CPU time" else (1, "evaluations")
    rows = []
    for arm in range(len(data.study.arms)):
        own = data.results.of(arm)
        if len(own):
            expected = statistics.ert(efforts_of(own, data.primary), own.solved)
            rows.append((-float(own.solved.mean()), expected, arm, Proportion.of(own.solved)))
    rows.sort(key=lambda row: row[:3])
    first = rows if len(rows) <= MOST_NAMED else rows[: MOST_NAMED - 1]
    for place, (_, expected, arm, success) in enumerate(first):
        share = share_text(success) if is_alone else f"{format_percent(success.share)} %"
        share += ", 95 % interval in brackets" * (is_alone and not place)
        if math.isfinite(expected) and is_alone:
            share += f"; expected running time {format_rounded(scale * expected)} {unit}"
        count = f"{success.successes:,} of {format_count(success.runs, 'run')}"
        yield f"- {data.bold(arm)} solved {count}: {share}."
    if rest := rows[len(first) :]:
        most = rest[0][-1]
        up_to = f"up to {format_percent(most.share)} % each" if most.successes else "none"
        yield f"- The other {len(rest)} algorithms solved {up_to}."


def _differences(data: ReportData, found: list[PairwiseResult]) -> Iterator[Part]:
    """The tests on single puzzles, at equal primary effort."""
    sure = [pair for pair in found if pair.differs]
    rest = len(found) - len(sure)
    if not found:
        yield too_many_pairs(data) or "No two algorithms have runs on the same puzzle yet."
    elif not sure:
        yield _no_difference(data, found)
    elif len(sure) <= MOST_NAMED:
        sentences = [pairwise_sentence(data, pair) for pair in sure]
        if rest:
            sentences.append(
                f"{format_count(rest, 'comparison')} showed no significant difference, which does "
                "not prove that there is none."
            )
        lead = f"At equal {data.primary}{_holm_text(found)}:\n\n"
        yield lead + "\n".join(f"- {each}" for each in sentences)
    else:
        better, worse = (
            join_words(f"{data.bold(arm)} ({count:,})" for arm, count in times.most_common(3))
            for times in (Counter(p.better for p in sure), Counter(p.worse for p in sure))
        )
        yield (
            f"At equal {data.primary}, {len(sure):,} of {len(found):,} pairwise comparisons on "
            f"single puzzles are significant after Holm's correction. Most often better: {better}; "
            f"most often worse: {worse}. The other {rest:,} are not significant."
        )


def _holm_text(found: Sequence[object], what: str = "comparisons") -> str:
    """Name Holm's correction, if there is more than one test."""
    return f", after Holm's correction for {len(found):,} {what}" if len(found) > 1 else ""


def pairwise_sentence(data: ReportData, pair: PairwiseResult) -> str:
    """State that one algorithm does better than another on a puzzle, as Markdown."""
    where = f"On {data.italic(pair.instance)}, " * (len(data.study.instances) > 1)
    better, worse = (data.bold(arm) for arm in (pair.better, pair.worse))
    return (
        f"{where}{better} does better than {worse}: {p_text(pair.corrected)}, "
        f"A12 = {pair.effect:.2f} ({statistics.magnitude(pair.effect)})."
    )


def _no_difference(data: ReportData, found: list[PairwiseResult]) -> str:
    """State that no difference is significant, and how many runs the largest might require."""
    several = len(data.study.instances) > 1
    runs = format_count(max(max(pair.sizes) for pair in found), "run")
    said = (
        f"{'On single puzzles, with' if several else 'With'} {runs} of each algorithm, no "
        f"difference is significant at equal {data.primary}{_holm_text(found)}, which does not "
        "prove that there is none."
    )
    closest = max(found, key=lambda pair: (abs(pair.a12 - 0.5), -pair.p))
    if closest.a12 == 0.5:
        return said
    both = f"{data.bold(closest.first)} and {data.bold(closest.second)}"
    where = f" on {data.italic(closest.instance)}" * several
    hint = sample_size_hint(data, data.primary, closest, len(found))
    hint = hint[0].lower() + hint[1:]
    return f"{said} The largest observed difference is between {both}{where}: {hint}"


def main_effect_list(data: ReportData, found: list[MainEffect]) -> Iterator[Part]:
    """The effect of each setting."""
    if not found:
        return
    puzzles = len(data.study.instances)
    spans = ["all combinations of the other settings"] * (len({each.key for each in found}) > 1)
    spans += [f"{puzzles} puzzles"] * (puzzles > 1)
    over = f" over {join_words(spans)}" if spans else ""
    test = f"van Elteren's test{_holm_text(found)}"
    chosen = found if len(found) <= MOST_NAMED else [each for each in found if each.differs]
    lines = [_main_effect_sentence(each) for each in chosen[:MOST_NAMED]]
    if len(lines) < len(found):
        lines.append(f"All {len(found)} comparisons are listed under *Main effects*.")
    lead = f"Effects of the settings at equal {data.primary}{over} ({test}):\n\n"
    yield lead + "\n".join(f"- {each}" for each in lines)


def _main_effect_sentence(each: MainEffect) -> str:
    first, second = (f"**{literal(value)}**" for value in each.values)
    one, two = (f"{format_percent(share.share)} %" for share in each.shares)
    low, high = each.effect.interval
    rarer = each.differs and each.shares[0].share < each.shares[1].share
    figures = (
        f"{p_text(each.corrected)}, A12 = {each.effect.a12:.2f} ({low:.2f}–{high:.2f}, "
        f"{statistics.magnitude(each.effect.a12)}); solved {one} and {two}"
        f"{', less often but sooner' if rarer else ''}"
    )
    said = f"`{each.key}`: {first} does better than {second} ({figures})."
    if not each.differs:
        said = (
            f"`{each.key}`: {first} and {second} do not differ significantly ({figures}), which "
            "does not prove that they are equal."
        )
    sure = [turn for turn in each.reversals if turn.p < LEVEL]
    if sure:
        where = [f"`{turn.key}` = {turn.value} ({p_text(turn.p)})" for turn in sure]
        return f"{said} This is reversed with {join_words(where)}, where {second} does better."
    if each.reversals and each.differs:
        where = [f"`{turn.key}` = {turn.value}" for turn in each.reversals]
        return f"{said} With {join_words(where)}, {second} seems better, but not significantly."
    return said


def _over_puzzles(
    data: ReportData, test: Friedman | str, overall: list[OverallResult] | str
) -> Iterator[Part]:
    """The tests over all puzzles."""
    over = f"Over {len(data.study.instances)} puzzles"
    if isinstance(test, Friedman) and test.p >= LEVEL:
        yield f"{over}, the algorithms do not differ significantly (Friedman, {p_text(test.p)})."
    elif isinstance(test, Friedman):
        best, *others = sorted(range(len(test.ranks)), key=lambda arm: test.ranks[arm])
        far = test.ranks[best] + statistics.critical_difference(len(test.ranks), test.puzzles)
        same = [data.bold(arm) for arm in others if test.ranks[arm] < far]
        worse = [data.bold(arm) for arm in others if test.ranks[arm] >= far]
        more = [f"{len(same) - MOST_NAMED} more"] * (len(same) > MOST_NAMED)
        names = join_words(same[:MOST_NAMED] + more) if worse else "any other"
        rest = worse[0] if len(worse) == 1 else f"the other {len(worse)}"
        said = [f"does not differ significantly from {names}"] * bool(same)
        said += [f"is better than {rest}"] * bool(worse)
        yield (
            f"{over}, the algorithms differ (Friedman, {p_text(test.p)}). {data.bold(best)} has "
            f"the best mean rank, {test.ranks[best]:.2f}; it {', and '.join(said)} (Nemenyi, 5 %)."
        )
    elif isinstance(overall, list):
        corrected = _holm_text(overall, "pairs")
        sure = [each for each in overall if each.corrected < LEVEL]
        for each in sure:
            yield (
                f"{over}, {data.bold(each.better)} does better than "
                f"{data.bold(each.worse)} (Wilcoxon, {p_text(each.corrected)}{corrected}): it "
                f"is ahead on {each.ahead} and behind on {each.behind}."
            )
        if overall and not sure:
            least = f"{p_text(min(each.corrected for each in overall))}{corrected}"
            yield f"{over}, no two algorithms differ significantly (Wilcoxon, {least})."


def _other_effort(data: ReportData, found: Mapping[Effort, list[PairwiseResult]]) -> Iterator[Part]:
    """Whether the other measure of effort leads to other conclusions."""
    effort = EFFORTS[1 - EFFORTS.index(data.primary)]
    before, now = (
        {(p.first, p.second, p.instance): p for p in found[each] if p.differs}
        for each in (data.primary, effort)
    )
    reversed_ = [p for key, p in now.items() if key in before and before[key].better != p.better]
    if now.keys() != before.keys():
        count = f"{len(now):,} of {format_count(len(found[effort]), 'comparison')}"
        is_are = "is" if len(now) == 1 else "are"
        yield f"At equal {effort}, {count if now else 'none'} {is_are} significant."
        yield from _unknown_quality(data, effort)
    elif now and not reversed_:
        yield f"At equal {effort}, the same comparisons are significant."
    if reversed_:
        more = f" The same holds for {len(reversed_) - 1} more." if len(reversed_) > 1 else ""
        yield (
            f"At equal {effort}, a result at equal {data.primary} is reversed: "
            f"{pairwise_sentence(data, reversed_[0])}{more}"
        )


def _unknown_quality(data: ReportData, effort: Effort) -> Iterator[Part]:
    if not data.knows_quality(effort):
        yield (
            f"At equal {effort}, {data.quality} at the budget cannot be determined for some runs: "
            "it was not recorded, or the runs are too short to time. Where this is so, only solved "
            "runs count."
        )


def _caveats(data: ReportData) -> Iterator[Part]:
    for instance in range(len(data.study.instances)):
        arms = [arm for arm, place in sorted(data.solved_without_search) if place == instance]
        if arms:
            where = f"On {data.italic(instance)}: " if len(data.study.instances) > 1 else ""
            yield where + no_search_text([data.bold(arm) for arm in arms])
    kinds = sorted({facts.kind for facts in data.arms})
    if len(kinds) > 1:
        yield (
            f"The algorithms are of different kinds ({join_words(kinds)}), whose evaluations are "
            "different amounts of work. They are compared by CPU time, as measured on the machines "
            "that made the runs."
        )
    yield from _unknown_quality(data, data.primary)
