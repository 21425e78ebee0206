"""The figures of a report."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from itertools import combinations
from typing import Any

import numpy as np

from genoku.lab.charts import (
    Boards,
    BoardView,
    Box,
    Boxes,
    Heat,
    Lines,
    Range,
    Ranges,
    Ranks,
    Series,
    numbers,
)
from genoku.lab.page import Details, Figure, Part
from genoku.lab.report.comparisons import Ranking, settings_of
from genoku.lab.report.data import CURVES, UNITS, Band, Gathered, Place, spent
from genoku.lab.report.tables import time_scale
from genoku.lab.statistics import LEVEL, Proportion, ecdf, p_text
from genoku.lab.study import setting_text
from genoku.words import plural, rounded

SHOWN, MOST_PANELS = 6, 12  # panels at once, and in all
MOST_MAPS = 6  # of two settings each


def _chosen_text(gathered: Gathered, arms: list[int]) -> str:
    count = len(gathered.study.arms)
    return "" if len(arms) == count else f" The {len(arms)} best of {count} algorithms."


def _panels(
    gathered: Gathered, draw: Callable[[int], Lines | Boxes | None], caption: str, more: str
) -> Iterator[Part]:
    """A panel for each puzzle: the first few at once, more of them folded."""
    charts = [draw(instance) for instance in range(min(len(gathered.study.instances), MOST_PANELS))]
    drawn = tuple(chart for chart in charts if chart is not None)
    if not drawn:
        return
    left_out = len(gathered.study.instances) - MOST_PANELS
    rest = f" {left_out} more puzzles are not drawn." if left_out > 0 else ""
    yield Figure(drawn[:SHOWN], caption + rest)
    if len(drawn) > SHOWN:
        yield Details(f"{more} on {len(drawn) - SHOWN} more puzzles", (Figure(drawn[SHOWN:]),))


def success(gathered: Gathered) -> Iterator[Part]:
    """The share solved: intervals on one puzzle, a map of algorithms and puzzles otherwise."""
    study = gathered.study
    if len(study.arms) < 2 and len(study.instances) < 2:
        return
    puzzles = tuple(each.name for each in study.instances)
    found = {place: Proportion.of(own.solved) for place, own in gathered.cells.items()}
    title, label = "Share of runs solved", "share of runs solved"
    if len(puzzles) == 1 or len(study.arms) == 1:
        ranges = tuple(
            Range(
                gathered.names[arm] if len(puzzles) == 1 else puzzles[at],
                each.share,
                *each.wilson(),
            )
            for (arm, at), each in found.items()
        )
        caption = "Dots are shares, bars Wilson's 95 % intervals."
        yield Figure(Ranges(title, label, ranges, x_limits=(0, 1)), caption)
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


def _map(names: tuple[Any, ...], values: list[list[float]], form: str, *, solved: bool) -> Heat:
    """A map by its title, labels and names; shares of solved runs from 0 to 1, or losses."""
    scale = 100 if solved else 1
    texts = [
        ["" if math.isnan(each) else form.format(scale * each) for each in row] for row in values
    ]
    what, low, high = ("share solved", 0.0, 1.0) if solved else ("mean loss", None, None)
    rows, cells = tuple(map(tuple, values)), tuple(map(tuple, texts))
    title, across, down, x_names, y_names = names
    return Heat(title, across, down, x_names, y_names, rows, what, cells, low, high)


def convergence(gathered: Gathered) -> Iterator[Part]:
    """The best loss so far over evaluations."""
    arms = gathered.leaders(CURVES)
    bands = gathered.curves
    if not bands:
        yield "The study does not record what convergence curves need (`evals`, `best`)."
        return
    ends = [band.x[-1] for band in bands.values()]
    log = max(ends) > 30 * min(ends)

    def draw(instance: int) -> Lines | None:
        series = _series(gathered, arms, bands, instance)
        several = "" if len(gathered.study.instances) > 1 else "Convergence on "
        title = several + gathered.study.instances[instance].name
        return (
            Lines(title, "evaluations", "best loss so far", series, log_x=log) if series else None
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
) -> tuple[Series, ...]:
    made = []
    for arm in arms:
        if (band := bands.get((arm, instance))) is not None:
            low, y, high = map(numbers, band.quartiles)
            name, colour = gathered.names[arm], gathered.colours[arm]
            made.append(Series(name, numbers(band.x), y, low, high, colour=colour))
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
            x, y = numbers(curve.x), numbers(curve.y)
            # A logarithmic axis has no 0; a curve begins where the first run of all ends.
            x = (start, *x[1:]) if x[0] == 0 else x
            colour = gathered.colours[arm]
            series.append(Series(gathered.names[arm], x, y, style="steps", colour=colour))
        names = f"by {unit}", label, "share of runs solved"
        panels.append(Lines(*names, tuple(series), log_x=True, y_limits=(0, top)))
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

    def draw(instance: int) -> Boxes | None:
        boxes = [
            Box.of(gathered.names[arm], gathered.cells[arm, instance].loss, gathered.colours[arm])
            for arm in arms
            if (arm, instance) in gathered.cells
        ]
        several = len(gathered.study.instances) > 1
        title = gathered.study.instances[instance].name if several else "Loss at the end of a run"
        return Boxes(title, "final loss", tuple(boxes)) if boxes else None

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
        Ranks(title, gathered.names, test.ranks, gap, ranking.cliques, gathered.colours),
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
) -> Heat:
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
        charts = []
        for instance, puzzle in enumerate(gathered.study.instances[:2]):
            series = _series(gathered, arms, gathered.rates, instance)
            if series:
                charts.append(Lines(f"{word.capitalize()} on {puzzle.name}", "step", word, series))
        if charts:
            yield Figure(
                tuple(charts),
                f"The {word} as the runs adapted it: median and quartiles of the runs that were "
                "still going on.",
            )


def boards(gathered: Gathered) -> Iterator[Part]:
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
        views.append(BoardView.of(caption, study.instances[instance].puzzle, board))
    if not views:
        return
    told = (
        "Givens are bold; colours are report 003's fitness map: how many of a cell's three units "
        "(row, column, box) are complete. Each is by the algorithm that solved most on that "
        "puzzle, or came closest; the tests say whether it is better than others."
    )
    yield Figure(Boards("The best board on each puzzle", tuple(views[:SHOWN])), told)
    if len(views) > SHOWN:
        rest = Figure(Boards("More boards", tuple(views[SHOWN:MOST_PANELS])), told)
        yield Details(f"Boards of {min(len(views), MOST_PANELS) - SHOWN} more puzzles", (rest,))
