"""Charts: every kind is drawn by both renderers, whatever numbers it holds."""

from __future__ import annotations

import json
import math
import xml.etree.ElementTree as ET
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from genoku.board import Puzzle
from genoku.lab.charts import (
    MOST_DOTS,
    MOST_POINTS,
    PALETTE,
    Boards,
    BoardView,
    Box,
    Boxes,
    Chart,
    Cloud,
    Heat,
    Level,
    Lines,
    Range,
    Ranges,
    Ranks,
    Scatter,
    Series,
    Style,
    colour_of,
    dots,
    shown,
)
from genoku.lab.drawing import svg
from genoku.lab.interactive import figure, figure_json, templates
from genoku.lab.rankdiagram import rank_diagram

PUZZLE = Puzzle.parse("12..|..1.|.1..|..2.".replace("|", ""))
NASTY = '</script><b>"$&_{'

SAMPLES: dict[str, Chart] = {
    "lines": Lines(
        "Convergence",
        "evaluations",
        "loss",
        (
            Series("a", (1, 2, 3), (3, 2, 1), (2, 1, 0.5), (4, 3, 2)),
            Series(NASTY, (1, 2, 3), (0.1, 0.2, 0.9), style="steps"),
            Series("dots", (1, 2), (1, 2), style="points"),
            Series("dashes", (1, 2), (1, 2), style="dashed"),
        ),
        log_x=True,
        levels=(Level(0.5, "published"), Level(2, NASTY, of="x")),
        y_limits=(0, 4),
    ),
    "boxes": Boxes("Loss", "loss", (Box.of("a", range(30)), Box.of(NASTY, [1, 1, 1, 90]))),
    "ranges": Ranges(
        "Success",
        "share",
        (Range("a", 0.5, 0.4, 0.6, "measured"), Range("a", 0.7, series="published")),
        levels=(Level(0.5, "half", of="x"),),
        x_limits=(0, 1),
    ),
    "heat": Heat("Grid", "x", "y", ("1", "2", NASTY), ("a", "b"), ((1, 2, 3), (4, math.nan, 6))),
    "ranks": Ranks("Ranks", ("a", "b", NASTY), (1.2, 1.9, 2.9), 0.8, ((0, 1),)),
    "scatter": Scatter("Cloud", "x", "y", (Cloud("a", (1, 2), (2, 1)),), diagonal=True),
    "boards": Boards(
        "Boards", (BoardView.of(NASTY, PUZZLE, PUZZLE.board), BoardView.of("", PUZZLE))
    ),
}

ANY = st.floats(-1e300, 1e300) | st.sampled_from((math.nan, math.inf, -math.inf, 0.0))
SOME = st.lists(ANY, max_size=6)
FLAGS = st.booleans()


@st.composite
def series(draw: st.DrawFn) -> Series:
    rows = draw(st.lists(st.tuples(ANY, ANY, ANY, ANY), max_size=5))
    x, y, low, high = ([row[i] for row in rows] for i in range(4))
    style: Style = draw(st.sampled_from(("line", "steps", "dashed", "points")))
    made = Series("s", tuple(x), tuple(y), style=style)
    return replace(made, low=tuple(low), high=tuple(high)) if draw(FLAGS) else made


@st.composite
def charts(draw: st.DrawFn) -> Chart:
    log_x, log_y = draw(FLAGS), draw(FLAGS)
    levels = tuple(Level(value, "level", of="x") for value in draw(st.lists(ANY, max_size=2)))
    kind = draw(st.sampled_from(("lines", "boxes", "ranges", "heat", "ranks", "scatter")))
    if kind == "lines":
        return Lines(
            "", "x", "y", tuple(draw(st.lists(series(), max_size=2))), log_x, log_y, levels
        )
    if kind == "boxes":
        return Boxes("", "x", tuple(Box.of("b", each) for each in draw(st.lists(SOME, max_size=3))))
    if kind == "ranges":
        rows = draw(st.lists(st.tuples(ANY, ANY, ANY), max_size=3))
        return Ranges("", "x", tuple(Range("r", *row) for row in rows), log_x, levels)
    if kind == "heat":
        values = draw(st.lists(st.tuples(ANY, ANY), max_size=3))
        rows_named = tuple(str(row) for row in range(len(values)))
        return Heat("", "x", "y", ("0", "1"), rows_named, tuple(values))
    if kind == "ranks":
        ranks = tuple(draw(SOME))
        names = tuple(str(place) for place in range(len(ranks)))
        return Ranks("", names, ranks, draw(ANY), (tuple(range(len(ranks))),))
    pairs = draw(st.lists(st.tuples(ANY, ANY), max_size=4))
    cloud = Cloud("c", tuple(x for x, _ in pairs), tuple(y for _, y in pairs))
    return Scatter("", "x", "y", (cloud,), log_x, log_y, draw(FLAGS), levels)


def check_drawn(chart: Chart) -> str:
    """It is SVG, and a figure that plotly's own validation takes."""
    import plotly.graph_objects as go

    drawn = svg(chart)
    assert ET.fromstring(drawn).tag == "{http://www.w3.org/2000/svg}svg"
    text = figure_json(chart)
    if text is not None:
        told = json.loads(text)
        go.Figure(told)
        assert told["data"] or told["layout"]["annotations"][0]["text"] == "nothing to draw"
    return drawn


@pytest.mark.parametrize("kind", SAMPLES)
def test_every_kind_of_chart_is_drawn_by_both_renderers(kind: str) -> None:
    drawn = check_drawn(SAMPLES[kind])
    assert drawn == svg(SAMPLES[kind])
    assert (figure(SAMPLES[kind]) is None) == (kind == "boards")


@pytest.mark.filterwarnings("ignore::RuntimeWarning", "ignore::UserWarning")
@settings(max_examples=20, deadline=None)
@given(charts())
def test_gaps_and_infinities_anywhere_do_no_harm(chart: Chart) -> None:
    check_drawn(chart)


def test_a_name_cannot_break_out_of_the_page() -> None:
    for kind, chart in SAMPLES.items():
        assert "<b>" not in svg(chart), kind
        assert "<" not in (figure_json(chart) or ""), kind


def test_a_chart_is_the_same_whatever_holds_its_numbers() -> None:
    assert Series("s", (1.0, 2.0), (3.0, 4.0)) == Series("s", np.array([1, 2]), [3, 4])  # type: ignore[arg-type]


def test_columns_of_different_lengths_are_refused() -> None:
    with pytest.raises(ValueError, match="one length"):
        Series("s", (1,), (1, 2))
    with pytest.raises(ValueError, match="one length"):
        Series("s", (1,), (1,), low=(1,))
    with pytest.raises(ValueError, match="one length"):
        Cloud("c", (1,), ())
    with pytest.raises(ValueError, match="2 rows of 1"):
        Heat("", "", "", ("1",), ("1", "2"), ((1,), (1, 2)))
    with pytest.raises(ValueError, match="1 ranks"):
        Ranks("", ("a",), (), 1.0)


@given(st.lists(st.floats(0, 1e6), min_size=1, max_size=60))
def test_a_box_holds_its_sample(values: list[float]) -> None:
    box = Box.of("b", [*values, math.nan, math.inf])
    assert box.count == len(values)
    assert box.low <= box.lower <= box.median <= box.upper <= box.high
    lowest, highest = min((box.low, *box.beyond)), max((box.high, *box.beyond))
    assert lowest == pytest.approx(min(values))
    assert highest == pytest.approx(max(values))


def test_long_curves_are_thinned_but_keep_their_ends() -> None:
    x = np.arange(1.0, 100_001)
    for log in (False, True):
        thin = shown(Series("s", x, 1 / x), log_x=log)  # type: ignore[arg-type]
        assert len(thin.x) <= MOST_POINTS + 2
        assert (thin.x[0], thin.x[-1]) == (1.0, 100_000.0)
        assert set(thin.y) <= set((1 / x).tolist())
    assert len(dots(Cloud("c", x, x)).x) <= MOST_DOTS  # type: ignore[arg-type]


def test_what_a_logarithm_cannot_show_is_left_out() -> None:
    assert shown(Series("s", (0, 1, 10), (0, 1, 2)), log_x=True).x == (1.0, 10.0)
    assert shown(Series("s", (0, 1, 10), (0, -1, 2)), log_y=True).x == (10.0,)


def test_a_colour_belongs_to_a_place() -> None:
    assert colour_of(3, 0) == PALETTE[3]
    assert colour_of(None, len(PALETTE) + 1) == PALETTE[1]


def test_the_best_rank_stands_first_in_a_rank_diagram() -> None:
    diagram = rank_diagram(Ranks("", ("slow", "quick", "middle"), (2.8, 1.1, 2.1), 0.5))
    names = [label.text.split()[0] for label in diagram.labels if label.side == "left"]
    assert names == ["quick", "middle"]
    assert any("critical difference 0.50" in label.text for label in diagram.labels)


def test_light_and_dark_pages_have_their_own_colours() -> None:
    light, dark = json.loads(templates()).values()
    assert light["layout"]["font"]["color"] != dark["layout"]["font"]["color"]
