"""What notebooks show: well formed, safe, small, in the notebook's own colours, and true."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import is_dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from runs import SMALL
from shown_values import (
    EASY,
    FOREIGN,
    every_value,
    of_the_core,
    tiny_result,
    tree,
    words,
)
from stores import TINY, filled, small

from genoku import History, Puzzle, bundled, preset, run
from genoku.evolve.algorithms import Annealing, Restarts
from genoku.evolve.fitness import MAP_COLOURS
from genoku.evolve.problem import Problem
from genoku.evolve.stopping import Stop
from genoku.exact.oracle import Solution, solve
from genoku.generator import GeneratedPuzzle
from genoku.lab.store import Store
from genoku.lab.study import Instance, Study, arm
from genoku.puzzle.board import Board
from genoku.puzzle.geometry import Geometry
from genoku.runtime import notebook
from genoku.runtime.notebook import CURVES
from genoku.techniques import SolvePath, Step, hint, solve_path, solve_steps
from genoku.techniques.grid import LOOKS


def test_every_display_is_well_formed_safe_and_takes_the_notebooks_colours(tmp_path: Path) -> None:
    for value in every_value(tmp_path):
        html = value._repr_html_()
        root = tree(html)  # as XML, which is stricter than HTML
        tags = {element.tag.rpartition("}")[2] for element in root.iter()}
        assert not tags & {"script", "style", "iframe", "img", "link", "a", "foreignObject"}
        for element in root.iter():
            for name, content in element.attrib.items():
                assert name not in ("id", "class", "href", "src"), name
                assert not name.startswith("on")
                assert not re.search(r"url\(|javascript|(?<!-)color\s*:", content), content


def test_text_holds_nothing_that_xml_cannot() -> None:
    everything = "".join(map(chr, range(0x110000)))
    shown = tree(f"<p>{notebook.escape_text(everything)}</p>").text or ""
    assert shown == notebook.replace_unprintable(everything).replace("\r", "\n")
    assert len(shown) == len(everything)


def test_foreign_words_stand_there_letter_by_letter(tmp_path: Path) -> None:
    shown = notebook.replace_unprintable(FOREIGN)
    told = " ".join(words(value._repr_html_()) for value in every_value(tmp_path))
    assert told.count(" ".join(shown.split())) > 12


def test_displays_are_small_on_the_largest_boards() -> None:
    puzzle = bundled()["36x36-60-percent"].puzzle
    result = run(puzzle, preset("champion").build(), seed=1, until="steps=1")
    path, step = solve_path(puzzle), hint(puzzle)
    solution = Puzzle(puzzle.geometry, result.board.tobytes())
    made = GeneratedPuzzle(puzzle, solution, "unique", 1, 2)
    for value in (result, path, step, made, Solution(result.board, "solved", 3, puzzle)):
        assert value is not None
        assert len(value._repr_html_().encode()) < 100_000


def test_long_histories_and_long_lists_stay_small() -> None:
    rows = np.arange(100_000)
    history = History(dict.fromkeys(("gen", "best", "mean", "worst"), rows))
    assert len(history._repr_html_()) < 30_000
    arms = tuple(replace(arm(SMALL, f"a{i}"), until=f"generations={i + 1}") for i in range(300))
    study = Study("many", arms, (Instance("tiny", TINY),), (0,))
    assert "260" in words(study._repr_html_())
    assert len(study._repr_html_()) < 40_000


def test_the_notebook_itself_takes_them_and_the_repr_stays(tmp_path: Path) -> None:
    formatters = pytest.importorskip("IPython.core.formatters")
    for value in every_value(tmp_path):
        bundle, _ = formatters.DisplayFormatter().format(value)
        assert bundle["text/html"] == value._repr_html_()
        assert "<div" not in bundle["text/plain"]
    assert repr(bundled()) == repr(dict(bundled()))
    found = hint(EASY)
    assert found is not None
    assert "puzzle=" not in repr(found)


def grounds(html: str) -> set[str]:
    return set(re.findall(r'<path fill="(#\w+)"', html))


def test_a_result_says_what_came_of_it_and_shows_how() -> None:
    result = tiny_result()
    html = result._repr_html_()
    told = words(html)
    assert told.startswith("Solved") == result.solved
    assert f"seed {result.seed}" in told
    assert f"generations {result.steps}" in told
    assert f"evaluations {result.evaluations:,}" in told
    assert 'use = "genetic"' in told
    assert "0 1 2 3" in told
    assert grounds(html) <= set(MAP_COLOURS)
    strokes = [colour for colour in CURVES.values() if f'stroke="{colour}"' in html]
    assert strokes == list(CURVES.values())


def test_an_unsolved_result_does_not_look_solved() -> None:
    puzzle = bundled()["ai-escargot"].puzzle
    result = run(puzzle, SMALL, seed=1, until="generations=2")
    assert not words(result._repr_html_()).startswith("Solved")
    assert len(grounds(result._repr_html_())) > 1
    never = replace(result, board=puzzle.board, stop_reason=Stop.NO_SOLUTION)
    assert "no solution" in words(never._repr_html_())


def test_what_a_wrapper_runs_is_named() -> None:
    result = run(TINY, Restarts(Annealing(), "stagnation=3"), seed=1, until="generations=1")
    assert "restarts of annealing" in words(result._repr_html_())


def test_a_result_of_parts_without_a_name_is_shown_without_its_recipe() -> None:
    def nothing(boards: Any, rate: float, problem: Problem, rng: Any) -> Any:
        return boards.copy()

    result = run(TINY, replace(SMALL, mutation=nothing), seed=1, until="generations=1")
    assert "nothing" in words(result._repr_html_())


def test_a_lone_board_has_one_curve() -> None:
    result = run(TINY, Annealing(moves=3), seed=1, until="generations=4")
    html = result._repr_html_()
    assert html.count(f'stroke="{CURVES["best"]}"') == 1
    assert CURVES["worst"] not in html


def test_a_hint_is_drawn_on_its_board() -> None:
    puzzle = bundled()["charles-very-hard"].puzzle
    seen = {step.technique: (board, step) for board, step in solve_steps(puzzle)}
    board, step = seen["X-wing"]
    html = step._repr_html_()
    assert step.puzzle == board
    assert words(html).startswith("X-wing: ")
    assert grounds(html) >= {LOOKS["the pattern"], LOOKS["its units"], LOOKS["what is struck"]}
    crossed = [g for g in tree(html).iter() if g.get("text-decoration") == "line-through"]
    assert sum(len(list(group)) for group in crossed) == len(step.eliminations)
    _, single = seen["hidden single in box"]
    assert LOOKS["what follows"] in grounds(single._repr_html_())


def test_a_step_without_its_board_says_itself_in_words() -> None:
    step = solve_path(EASY).steps[0]
    assert step.puzzle is None
    assert "<svg" not in step._repr_html_()
    assert words(step._repr_html_()) == str(step)


def test_steps_are_equal_wherever_they_were_found() -> None:
    found = hint(EASY)
    assert isinstance(found, Step)
    assert found == replace(found, puzzle=None, candidates=())
    assert hash(found) == hash(replace(found, puzzle=None, candidates=()))


def test_a_path_that_is_stuck_says_so() -> None:
    stuck = solve_path(bundled()["ai-escargot"].puzzle)
    assert words(stuck._repr_html_()).startswith("Stuck with ")
    solved = solve_path(EASY)
    assert isinstance(solved, SolvePath)
    assert words(solved._repr_html_()).startswith(f"Solved after {len(solved.steps)} step")


def test_an_unsolved_board_of_the_oracle_shows_the_puzzle() -> None:
    clash = Puzzle.parse("11..............")
    html = solve(clash)._repr_html_()
    assert words(html).startswith("No solution")
    assert "<svg" in html


def test_a_store_shows_how_far_it_is_and_what_was_solved(tmp_path: Path) -> None:
    study = small()
    store = filled(tmp_path / "small.db", study)
    results = store.results()
    told = words(store._repr_html_())
    assert f"{len(results)} of {len(study)} runs done" in told
    own = results.of(0)
    assert f"{study.arms[0].name} {len(own)} {own.solved.sum()}" in told
    store.close()
    assert store.study.name in words(store._repr_html_())


def test_no_runs_are_shown_as_none(tmp_path: Path) -> None:
    with Store.create(tmp_path / "none.db", small()) as store:
        assert "0 of 12" in words(store._repr_html_())


def test_a_chart_leaves_out_what_is_no_number() -> None:
    nan, inf = math.nan, math.inf
    line = notebook.Line("a", "#123456", [0, 1, 2, 3], [5, nan, inf, 7])
    (path,) = re.findall(
        r'd="(M[^"]*)" fill="none" stroke="#123456"', notebook.chart([line], "", "")
    )
    assert path.count("L") == 1
    assert notebook.chart([line._replace(y=[nan] * 4)], "", "") == ""
    assert notebook.chart([], "x", "y") == ""


def test_the_first_curve_of_a_chart_is_drawn_last_and_named_first() -> None:
    lines = [notebook.Line(name, colour, [0, 1], [0, 1]) for name, colour in CURVES.items()]
    chart = notebook.chart(lines, "x", "y")
    assert re.findall(r'stroke="(#\w+)"', chart) == list(CURVES.values())[::-1]
    assert re.findall(r'rx="2" fill="(#\w+)"', chart) == list(CURVES.values())


def test_curves_stay_inside_their_chart() -> None:
    for values in ([5.0], [3.0, 3.0], [-1e9, 1e9], [0.0, 1e-9, 0.5]):
        line = notebook.Line("a", "#123456", range(len(values)), values)
        chart = notebook.chart([line], "x", "y")
        (path,) = re.findall(r'd="M([^"]*)" fill="none" stroke="#123456"', chart)
        for place in path.split("L"):
            x, y = map(float, place.split())
            assert 0 <= x <= 360
            assert 0 <= y <= 190


@pytest.mark.parametrize("rows", [1, 2, 179, 180, 181, 1000])
def test_a_sketch_keeps_the_extremes_and_the_mean(rows: int) -> None:
    rng = np.random.default_rng(rows)
    columns = {name: rng.normal(size=rows) for name in ("best", "mean", "worst", "rate")}
    history = History({"gen": np.arange(rows), **columns})
    few = history.downsample(180)
    assert few.rows == min(rows, 180)
    assert few["best"].min() == history["best"].min()
    assert few["worst"].max() == history["worst"].max()
    sizes = np.diff(np.append(few["gen"], rows))
    assert np.average(few["mean"], weights=sizes) == pytest.approx(history["mean"].mean())
    assert set(few["rate"]) <= set(history["rate"])


def test_an_empty_history_shows_itself() -> None:
    assert "0 rows" in words(History({})._repr_html_())
    assert "0 rows" in words(History({"gen": np.empty(0, np.int64)})._repr_html_())


def test_boards_are_drawn_as_they_are() -> None:
    """The colours of a picture: no given is lost in the runs of equal colour."""
    geometry = Geometry(2, 3)
    board: Board = np.array([cell % 6 + 1 for cell in range(36)], np.uint8)
    puzzle = Puzzle(geometry, bytes(board))
    colours = [("#112233", "#445566", None)[cell * 7 % 3] for cell in range(36)]
    svg = puzzle.picture(style="svg", colours=colours)
    painted = {
        colour: sum(int(wide) // 40 for wide in re.findall(r"h(\d+)v40", paths))
        for colour, paths in re.findall(r'<path fill="(#\w+)" d="([^"]*)"', svg)
    }
    assert painted["#112233"] == colours.count("#112233")
    assert painted["#445566"] == colours.count("#445566")


def test_every_display_of_a_value_is_its_own() -> None:
    """No class inherits a display that knows nothing of it."""
    for value in of_the_core():
        owner = next(c for c in type(value).__mro__ if "_repr_html_" in vars(c))
        assert owner is type(value)
        assert is_dataclass(value) or isinstance(value, Mapping | tuple)


def test_restarts_are_few_strokes_however_many_they_are() -> None:
    rows = np.arange(1000)
    columns: dict[str, Any] = {}
    for name in ("gen", "best", "mean", "worst", "best_ever"):
        columns[name] = rows
    once = History(columns, [500])._repr_html_()
    many = History(columns, list(range(1, 1000)))._repr_html_()
    assert "restarts" in once
    assert "restarts" not in History(columns)._repr_html_().partition("Columns")[0]
    (stroke,) = re.findall(r'<path d="((?:M\d+ \d+v-8)+)"', once)
    (strokes,) = re.findall(r'<path d="((?:M\d+ \d+v-8)+)"', many)
    assert stroke.count("M") == 1
    assert 100 < strokes.count("M") < 400
