"""The champion's time by the side of a board and the share of its givens.

    python3 run.py bench givens [--figure scaling.svg] [--quick] [--jobs N] [--json FILE]
                                 [--sides 9 16 …] [--percents 20 25 …] [--boards 11] [--limit 10]

Boards are fresh: complete grids found by random search and blanked at random, so that most have
several solutions with few givens, and one with many; the hard ones are in between. CPU time on one
core, warm, one run per board; every solution is verified. The figure shows medians, and below them
the shares solved; it requires matplotlib.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from benchmarks.measuring import SEED, machine_text
from benchmarks.racing import (
    Outcome,
    Summary,
    Task,
    as_json,
    fresh_boards,
    race,
    seconds_text,
    write_json,
)
from benchmarks.results import print_table
from genoku.evolve.presets import preset
from genoku.present.figures import drawing, picture_format, require_lab
from genoku.puzzle.geometry import Geometry
from genoku.runtime.notebook import INK, SOFT

if TYPE_CHECKING:
    from matplotlib.axes import Axes

GEOMETRIES = {
    geometry.side: geometry
    for geometry in (
        Geometry(*box)
        for box in ((2, 2), (2, 3), (3, 3), (3, 4), (4, 4), (4, 5), (5, 5), (5, 6), (6, 6))
    )
}
PERCENTS = tuple(range(20, 75, 5))

MARKERS = "osD^vPX*p"
COLOURS = (
    *("#999933", "#aa4499", "#44aa99", "#ddcc77", "#882255", "#88ccee"),
    *("#117733", "#cc6677", "#332288"),
)
"""Paul Tol's muted colours, which the colour-blind tell apart; the clearest for the largest."""


class Size(NamedTuple):
    """How much to measure."""

    boards: int
    limit: float


FULL, QUICK = Size(11, 10.0), Size(3, 0.5)

Points = dict[int, dict[int, Summary]]
"""What was found, by side and per cent of givens."""


def measure(sides: Sequence[int], percents: Sequence[int], size: Size, jobs: int) -> list[Outcome]:
    champion = preset("champion").build()
    tasks = []
    for side in sides:
        print(f"making {GEOMETRIES[side]} boards", file=sys.stderr, flush=True)
        for percent in percents:
            for number, puzzle in enumerate(fresh_boards(GEOMETRIES[side], percent, size.boards)):
                row = f"{side} {percent}"
                tasks.append(Task(row, champion, puzzle, str(number), SEED, size.limit))
    return race(tasks, jobs)


def points_of(outcomes: Sequence[Outcome]) -> Points:
    rows: dict[str, list[Outcome]] = {}
    for outcome in outcomes:
        rows.setdefault(outcome.row, []).append(outcome)
    points: Points = {}
    for row, runs in rows.items():
        side, percent = map(int, row.split())
        points.setdefault(side, {})[percent] = Summary.of(runs)
    return points


def cell_text(found: Summary, limit: float) -> str:
    """Format the median, and the share solved if not all are."""
    median = seconds_text(found.median) if found.median < limit else f"> {limit:g} s"
    return median if found.solved == found.runs else f"{median} ({found.share:.0f} %)"


# The figure


def draw(points: Points, limit: float, path: Path, about: str) -> None:
    """Draw medians on a logarithmic scale above shares solved, one curve per side."""
    from matplotlib.figure import Figure

    with drawing():
        figure = Figure(figsize=(7.6, 5.6), layout="constrained")
        above, below = figure.subplots(2, 1, sharex=True, height_ratios=[3.4, 1.0])
        for place, (side, found) in enumerate(points.items()):
            colour = COLOURS[(len(COLOURS) - len(points) + place) % len(COLOURS)]
            look = {"color": colour, "marker": MARKERS[place % len(MARKERS)]}
            draw_medians(above, found, f"{side}×{side}", look, limit)
            below.plot(list(found), [each.share for each in found.values()], markersize=3.5, **look)
        above.axhline(limit, color=SOFT, linewidth=1.0, linestyle="--")
        above.annotate(
            f"limit: {limit:g} s",
            (1.0, limit),
            xycoords=("axes fraction", "data"),
            xytext=(0, 3),
            textcoords="offset points",
            ha="right",
            fontsize=8,
            color=SOFT,
        )
        above.plot([], [], color=SOFT, marker="o", markerfacecolor="white", label="some unsolved")
        above.plot([], [], color=SOFT, marker="x", linestyle="", label="most unsolved")
        above.set_yscale("log")
        above.set_ylim(top=3 * limit)
        above.yaxis.set_major_formatter(lambda value, _: seconds_text(value))
        above.set_ylabel("median CPU time")
        below.set_ylabel("solved")
        below.set_ylim(-6, 106)
        below.set_yticks([0, 50, 100], ["0 %", "50 %", "100 %"])
        below.set_xlabel("share of givens")
        below.xaxis.set_major_formatter(lambda value, _: f"{value:g} %")
        figure.suptitle(f"champion: time by side and givens\n{about}", fontsize=10.5, color=INK)
        handles, labels = above.get_legend_handles_labels()
        order = [*reversed(range(len(points))), -2, -1]  # the sides as their curves lie
        figure.legend(
            [handles[i] for i in order],
            [labels[i] for i in order],
            loc="outside right upper",
            frameon=False,
            fontsize=8.5,
        )
        undated = {"svg": {"Date": None}, "png": {"Software": None}, "pdf": {"CreationDate": None}}
        kind = picture_format(path)
        figure.savefig(path, format=kind, metadata=undated[kind])


def draw_medians(
    axes: Axes, found: dict[int, Summary], label: str, look: dict[str, Any], limit: float
) -> None:
    """Draw a curve: hollow if some boards are unsolved, a cross at the limit if most are."""
    percents = list(found)
    medians = [min(each.median, limit) for each in found.values()]
    axes.plot(percents, medians, label=label, markersize=5, **look)
    for percent, each in found.items():
        if each.median >= limit:
            axes.plot(percent, limit, "o", color="white", markersize=7, zorder=3)
            axes.plot(percent, limit, "x", color=look["color"], markersize=6, zorder=4)
        elif each.solved < each.runs:
            axes.plot(percent, each.median, markersize=5, markerfacecolor="white", zorder=4, **look)


def main() -> None:
    parser = argparse.ArgumentParser(description="Measure how the champion scales.")
    parser.add_argument("--figure", type=Path, metavar="FILE", help=".svg, .png or .pdf")
    parser.add_argument("--quick", action="store_true", help="a minute or two, rougher figures")
    parser.add_argument("--sides", type=int, nargs="+", choices=GEOMETRIES, default=[*GEOMETRIES])
    parser.add_argument("--percents", type=int, nargs="+", default=[*PERCENTS])
    parser.add_argument("--boards", type=int, help="of each side and share")
    parser.add_argument("--limit", type=float, help="CPU seconds of a run")
    parser.add_argument("--jobs", type=int, default=1, help="processes that runs are spread over")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write every run there")
    options = parser.parse_args()
    if options.figure:
        require_lab()
        picture_format(options.figure)
    size = QUICK if options.quick else FULL
    size = Size(options.boards or size.boards, options.limit or size.limit)
    print(f"{machine_text()}; {options.jobs} jobs")
    about = f"{size.boards} fresh boards at every point, {size.limit:g} CPU s limit"
    print(f"champion, {about}, seed {SEED}: medians, and the share solved where it is not all")
    outcomes = measure(options.sides, options.percents, size, options.jobs)
    points = points_of(outcomes)
    print_table(
        ("givens", *(f"{side}×{side}" for side in points)),
        [
            [f"{percent} %", *(cell_text(points[side][percent], size.limit) for side in points)]
            for percent in options.percents
        ],
    )
    if options.figure:
        draw(points, size.limit, options.figure, about)
    write_json(options.json, vars(options), {"runs": as_json(outcomes)})
