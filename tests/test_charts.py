"""Charts: every kind is drawn, whatever numbers it holds, and gives its numbers as a table."""

from __future__ import annotations

import math
import xml.etree.ElementTree as ET
from dataclasses import replace
from io import BytesIO
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import example, given, settings, strategies as st
from rich.cells import cell_len

from genoku.lab.report.charts import (
    DASHES,
    MOST_DOTS,
    MOST_POINTS,
    PALETTE,
    BoardGallery,
    BoardPicture,
    Box,
    BoxPlot,
    Chart,
    HeatMap,
    IntervalChart,
    IntervalMark,
    LineChart,
    Plot,
    RankDiagram,
    ReferenceLine,
    Series,
    Style,
    colour_of,
    draw,
    draw_panels,
    pad_limits,
    share_limits,
    shorten,
    spread_apart,
    svg,
    wrap_name,
)
from genoku.present.figures import drawing, save
from genoku.puzzle.board import Puzzle

PUZZLE = Puzzle.parse("12..|..1.|.1..|..2.".replace("|", ""))
NASTY = '</script><b>"$&_{'

SAMPLES: dict[str, Chart] = {
    "lines": LineChart(
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
        levels=(ReferenceLine(0.5, "published"), ReferenceLine(2, NASTY, of="x")),
        y_limits=(0, 4),
    ),
    "boxes": BoxPlot("Loss", "loss", (Box.of("a", range(30)), Box.of(NASTY, [1, 1, 1, 90]))),
    "ranges": IntervalChart(
        "Success",
        "share",
        (IntervalMark("a", 0.5, 0.4, 0.6, "measured"), IntervalMark("a", 0.7, series="published")),
        levels=(ReferenceLine(0.5, "half", of="x"),),
        x_limits=(0, 1),
    ),
    "heat": HeatMap("Grid", "x", "y", ("1", "2", NASTY), ("a", "b"), ((1, 2, 3), (4, math.nan, 6))),
    "ranks": RankDiagram("Ranks", ("a", "b", NASTY), (1.2, 1.9, 2.9), 0.8, ((0, 1),)),
    "boards": BoardGallery(
        "Boards", (BoardPicture(NASTY, PUZZLE, PUZZLE.digits), BoardPicture("", PUZZLE))
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
    log_x = draw(FLAGS)
    levels = tuple(
        ReferenceLine(value, "level", of="x") for value in draw(st.lists(ANY, max_size=2))
    )
    kind = draw(st.sampled_from(("lines", "boxes", "ranges", "heat", "ranks")))
    if kind == "lines":
        return LineChart("", "x", "y", tuple(draw(st.lists(series(), max_size=2))), log_x, levels)
    if kind == "boxes":
        return BoxPlot(
            "", "x", tuple(Box.of("b", each) for each in draw(st.lists(SOME, max_size=3)))
        )
    if kind == "ranges":
        rows = draw(st.lists(st.tuples(ANY, ANY, ANY), max_size=3))
        return IntervalChart("", "x", tuple(IntervalMark("r", *row) for row in rows), log_x, levels)
    if kind == "heat":
        values = draw(st.lists(st.tuples(ANY, ANY), max_size=3))
        rows_named = tuple(str(row) for row in range(len(values)))
        return HeatMap("", "x", "y", ("0", "1"), rows_named, tuple(values))
    ranks = tuple(draw(SOME))
    names = tuple(str(place) for place in range(len(ranks)))
    return RankDiagram("", names, ranks, draw(ANY), (tuple(range(len(ranks))),))


FAR = LineChart(
    "",
    "x",
    "y",
    (Series("s", (0, 1), (0, 0)),),
    log_x=True,
    levels=(ReferenceLine(1e262, "level", of="x"),),
)
"""The axis of its logarithms ends beyond the largest float."""


def words_of(drawn: str) -> list[str]:
    """The texts of a drawing."""
    return ["".join(each.itertext()) for each in ET.fromstring(drawn).iter() if each.text]


def check_drawn(chart: Chart) -> str:
    """It is SVG, and its table has as many cells in a row as headings, or one."""
    drawn = svg(chart)
    assert ET.fromstring(drawn).tag == "{http://www.w3.org/2000/svg}svg"
    if not isinstance(chart, BoardGallery):
        heads, rows = chart.table()
        assert {len(row) for row in rows} <= {1, len(heads)}
    return drawn


@pytest.mark.parametrize("kind", SAMPLES)
def test_every_kind_of_chart_is_drawn_and_always_the_same(kind: str) -> None:
    drawn = check_drawn(SAMPLES[kind])
    assert drawn == svg(SAMPLES[kind])


@pytest.mark.filterwarnings("ignore::RuntimeWarning", "ignore::UserWarning")
@settings(max_examples=10, deadline=None)
@given(charts())
@example(FAR)
def test_gaps_and_infinities_anywhere_do_no_harm(chart: Chart) -> None:
    check_drawn(chart)


def named(name: str) -> list[Plot]:
    """A chart of every kind in which a name stands wherever one can."""
    return [
        LineChart(
            name, name, name, (Series(name, (1, 2), (1, 2)),), levels=(ReferenceLine(1, name),)
        ),
        BoxPlot(name, name, (Box.of(name, (1, 2)), Box.of("b", (1,)))),
        IntervalChart(
            name, name, (IntervalMark(name, 1, 0, 2, name), IntervalMark("b", 1, series="other"))
        ),
        HeatMap(name, name, name, (name, "b"), (name,), ((1, 2),), name),
        RankDiagram(name, (name, "b", "c"), (1, 2, 3), 0.5),
    ]


complains_as_error = pytest.mark.filterwarnings(
    "error",
    "ignore::pytest.PytestUnraisableExceptionWarning",  # of what other tests have left
)
LONG = {"a word": "x" * 200, "words": "some words " * 20, "wide": "日本語の名前" * 30}
ODD = ("日本 0.123456 font-family: x; b", f"_$x_1${NASTY}", "$x_1$")


@complains_as_error
@pytest.mark.parametrize("kind", LONG)
def test_long_names_leave_room_for_the_chart_and_make_no_drawing_complain(kind: str) -> None:
    for chart in named(LONG[kind]):
        file = BytesIO()
        with drawing():
            figure = draw(chart, 3.6)
            save(figure, file, "svg", chart.title)
        size = figure.axes[0].get_position()
        assert min(size.width, size.height) > 0.2, type(chart)
        ET.fromstring(file.getvalue())


@complains_as_error
@pytest.mark.parametrize("name", ODD)
def test_odd_text_stays_text_and_makes_no_drawing_complain(name: str) -> None:
    for chart in named(name):
        title, *texts = words_of(svg(chart))
        assert title == name
        assert any(name in text.replace("\xa0", " ") for text in texts), type(chart)


@complains_as_error
def test_what_cannot_be_printed_makes_no_drawing_complain() -> None:
    for chart in named("日本 😀 \x07\x00 é"):
        ET.fromstring(svg(chart, 3.6))


@given(st.text(), st.integers(8, 60))
def test_a_shortened_name_keeps_both_ends(name: str, most: int) -> None:
    short, whole = shorten(name, most), " ".join(name.split())
    assert cell_len(short) <= most
    if short != whole:
        head, tail = short[: short.index("…")], short[short.rindex("…") + 1 :]
        assert whole.startswith(head)
        assert whole.endswith(tail)
    lines = wrap_name(name, most)
    assert 1 <= len(lines) <= 3


@pytest.mark.parametrize(
    ("values", "log", "ends"),
    [
        ((4000,), True, (4000 / 10**0.5, 4000 * 10**0.5)),
        ((3990, 4010), False, None),
        ((1, 100), True, None),
        ((0, math.nan), True, None),
        ((4000, 4000), False, (2000, 6000)),
        ((0,), False, (-0.5, 0.5)),
        ((), False, None),
    ],
)
def test_a_lone_value_has_room_for_ticks(
    values: tuple[float, ...], log: bool, ends: tuple[float, float] | None
) -> None:
    assert pad_limits(values, log) == (None if ends is None else pytest.approx(ends))


def test_a_lone_solved_run_has_ticks() -> None:
    lone = LineChart("", "x", "y", (Series("s", (3990, 4000), (0, 1), style="steps"),), log_x=True)
    assert {"2,000", "10,000"} <= set(words_of(svg(lone)))


def test_logarithmic_axes_have_powers_of_ten() -> None:
    wide = LineChart("", "x", "y", (Series("s", (0.01, 1000), (0, 1)),), log_x=True)
    assert {"10⁻²", "10³"} <= set(words_of(svg(wide)))


def test_a_long_legend_has_room_of_its_own() -> None:
    kinds = [f"a series with a long name, number {place}" for place in range(8)]
    few, many = (
        LineChart("", "x", "y", tuple(Series(kind, (1, 2), (1, 2)) for kind in kinds[:count]))
        for count in (2, 8)
    )
    with drawing():
        assert draw(many).get_figheight() > draw(few).get_figheight() + 0.4


def test_cells_too_narrow_for_their_numbers_are_but_coloured() -> None:
    def map_of(count: int) -> HeatMap:
        names = tuple(f"{place}" for place in range(count))
        return HeatMap(
            "", "x", "y", names, ("a",), (tuple(range(count)),), texts=(("0.123",) * count,)
        )

    assert "0.123" in words_of(svg(map_of(4), 3.6))
    assert "0.123" not in words_of(svg(map_of(30), 3.6))


def test_a_chart_is_the_same_whatever_holds_its_numbers() -> None:
    assert Series("s", (1.0, 2.0), (3.0, 4.0)) == Series("s", np.array([1, 2]), [3, 4])  # pyright: ignore[reportArgumentType]


def test_columns_of_different_lengths_are_refused() -> None:
    with pytest.raises(ValueError, match="one length"):
        Series("s", (1,), (1, 2))
    with pytest.raises(ValueError, match="one length"):
        Series("s", (1,), (1,), low=(1,))
    with pytest.raises(ValueError, match="2 rows"):
        HeatMap("", "", "", ("1",), ("1", "2"), ((1,), (1, 2)))
    with pytest.raises(ValueError, match="1 ranks"):
        RankDiagram("", ("a",), (), 1.0)


@given(st.lists(st.floats(0, 1e6), min_size=1, max_size=60))
def test_a_box_holds_its_sample(values: list[float]) -> None:
    box = Box.of("b", [*values, math.nan, math.inf])
    assert box.count == len(values)
    assert list(box.five) == sorted(box.five)
    lowest, highest = min(*box.five, *box.beyond), max(*box.five, *box.beyond)
    assert lowest == pytest.approx(min(values))
    assert highest == pytest.approx(max(values))


def test_long_curves_are_thinned_but_keep_their_ends() -> None:
    x = np.arange(1.0, 100_001)
    for log in (False, True):
        thin, y = Series("s", x, 1 / x).points(log_x=log)  # pyright: ignore[reportArgumentType]
        assert len(thin) <= MOST_POINTS + 2
        assert (thin[0], thin[-1]) == (1.0, 100_000.0)
        assert set(y) <= set((1 / x).tolist())
    dots = Series("s", x, x, style="points")  # pyright: ignore[reportArgumentType]
    assert len(dots.points()[0]) <= MOST_DOTS


def test_what_a_logarithm_cannot_show_is_left_out() -> None:
    assert Series("s", (0, 1, 10), (0, 1, 2)).points(log_x=True)[0].tolist() == [1.0, 10.0]


@given(st.lists(st.floats(-1, 2), max_size=12).map(sorted), st.floats(0.01, 0.3))
def test_names_at_the_ends_of_curves_keep_their_order_and_distance(
    wished: list[float], gap: float
) -> None:
    places = spread_apart(wished, gap)
    assert all(after - before >= gap - 1e-9 for before, after in pairwise(places))
    if all(after - before >= gap for before, after in pairwise(wished)):
        assert places == pytest.approx(wished)
    assert sum(places) == pytest.approx(sum(wished))


def test_charts_side_by_side_have_the_limits_of_all() -> None:
    low, high = (
        LineChart(name, "x", "y", (Series(name, (0, 1), y),))
        for name, y in (("low", (0, 1)), ("high", (4, 10)))
    )
    one, two = share_limits((low, high))
    assert one.y_limits == two.y_limits
    assert one.y_limits is not None
    least, most = one.y_limits
    assert least < 0
    assert most > 10
    with drawing():
        figure = draw_panels((one, two))
    assert [axes.get_ylim() for axes in figure.axes] == [one.y_limits, two.y_limits]


def test_a_curve_has_its_own_dashes_and_a_name_at_its_end() -> None:
    named = Series("a", (0, 1), (0, 1), colour=1, dashes=2, end="17")
    chart = LineChart("", "x", "y", (named,))
    assert chart.look(0) == (colour_of(1, 0), DASHES[2])
    assert ">17<" in svg(chart)


def test_a_colour_belongs_to_a_place() -> None:
    assert colour_of(3, 0) == PALETTE[3]
    assert colour_of(None, len(PALETTE) + 1) == PALETTE[1]


def test_the_best_rank_stands_first_in_a_rank_diagram() -> None:
    chart = RankDiagram("", ("slow", "quick", "middle"), (2.8, 1.1, 2.1), 0.5)
    assert chart.table()[1] == [("quick", 1.1), ("middle", 2.1), ("slow", 2.8)]
    texts = [text.replace("\xa0", " ").strip() for text in words_of(svg(chart))]
    assert {"quick  1.10", "middle  2.10", "2.80  slow"} <= set(texts)


def test_a_table_tells_curves_with_their_bands() -> None:
    chart = SAMPLES["lines"]
    assert isinstance(chart, LineChart)
    heads, rows = chart.table()
    assert heads == ("evaluations", "loss", "from", "to")
    assert rows[:2] == [("a",), (1.0, 3.0, 2.0, 4.0)]
