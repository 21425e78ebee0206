"""The figures of a report."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from itertools import combinations

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
from genoku.lab.report.data import CURVES, UNITS, Band, Gathered, spent
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
    if len(study.instances) == 1 or len(study.arms) == 1:
        ranges = []
        for (arm, instance), own in gathered.cells.items():
            share = Proportion.of(own.solved)
            one_puzzle = len(study.instances) == 1
            name = gathered.names[arm] if one_puzzle else study.instances[instance].name
            ranges.append(Range(name, share.share, *share.wilson()))
        yield Figure(
            Ranges("Share of runs solved", "share of runs solved", tuple(ranges), x_limits=(0, 1)),
            "Dots are shares, bars Wilson's 95 % intervals.",
        )
        return
    if len(study.instances) > 30 or len(study.arms) > 60:
        return
    values, texts = [], []
    for arm in range(len(study.arms)):
        row = [gathered.cells.get((arm, each)) for each in range(len(study.instances))]
        shares = [math.nan if each is None else float(each.solved.mean()) for each in row]
        values.append(tuple(shares))
        texts.append(tuple("" if math.isnan(share) else f"{100 * share:.0f}" for share in shares))
    yield Figure(
        Heat(
            "Share of runs solved",
            "puzzle",
            "algorithm",
            tuple(each.name for each in study.instances),
            gathered.names,
            tuple(values),
            "share solved",
            tuple(texts),
            0.0,
            1.0,
        ),
        "Per cent of the runs of each algorithm on each puzzle. Darker is better; intervals are "
        "in the table.",
    )


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
        series = [
            _series(gathered, arm, bands[arm, instance]) for arm in arms if (arm, instance) in bands
        ]
        if not series:
            return None
        title = f"Convergence on {gathered.study.instances[instance].name}"
        if len(gathered.study.instances) > 1:
            title = gathered.study.instances[instance].name
        return Lines(title, "evaluations", "best loss so far", tuple(series), log_x=log)

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


def _series(gathered: Gathered, arm: int, band: Band) -> Series:
    x, y, low, high = (numbers(each) for each in (band.x, band.median, band.lower, band.upper))
    return Series(gathered.names[arm], x, y, low, high, colour=gathered.colours[arm])


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
        panels.append(
            Lines(
                f"by {unit}",
                label,
                "share of runs solved",
                tuple(series),
                log_x=True,
                y_limits=(0, top),
            )
        )
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


def rank_picture(gathered: Gathered, ranking: Ranking) -> Part:
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
    return Figure(
        Ranks(
            "Mean ranks over the puzzles",
            gathered.names,
            test.ranks,
            ranking.critical_difference,
            ranking.cliques,
            gathered.colours,
        ),
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
    rows, texts = [], []
    for y in values[down]:
        means = []
        for x in values[across]:
            chosen = np.isin(results.arm, places.get((y, x), []))
            means.append(float(column[chosen].mean()) if chosen.any() else math.nan)
        rows.append(tuple(means))
        texts.append(tuple(_cell(mean, solved) for mean in means))
    return Heat(
        f"{down} and {across}",
        across,
        down,
        tuple(values[across]),
        tuple(values[down]),
        tuple(rows),
        "share solved" if solved else "mean loss",
        tuple(texts),
        0.0 if solved else None,
        1.0 if solved else None,
    )


def _cell(mean: float, solved: bool) -> str:
    if math.isnan(mean):
        return ""
    return f"{100 * mean:.0f} %" if solved else f"{mean:.3f}"


def rates(gathered: Gathered) -> Iterator[Part]:
    """How rates changed, where they did."""
    words = {gathered.arms[arm].rate_word for arm, _ in gathered.rates}
    for word in sorted(words):
        arms = [arm for arm in gathered.leaders(CURVES) if gathered.arms[arm].rate_word == word]
        charts = []
        for instance, puzzle in enumerate(gathered.study.instances[:2]):
            series = tuple(
                _series(gathered, arm, gathered.rates[arm, instance])
                for arm in arms
                if (arm, instance) in gathered.rates
            )
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
