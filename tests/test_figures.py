"""Pictures of runs: they show what happened, the same each time, and stay small."""

from __future__ import annotations

import io
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from PIL import Image
from strategies import in_another_process, pattern_grid

from genoku import bundled
from genoku.engine.history import History, Record
from genoku.engine.result import Result, errors_text, own_score_text
from genoku.engine.run import View, run
from genoku.errors import GenokuError
from genoku.evolve.algorithms import Annealing, Exact, Genetic, Islands, MinConflicts, Restarts
from genoku.evolve.encoding import PartialBoards, PermutedBoxes
from genoku.evolve.fitness import (
    MAP_COLOURS,
    Normalised,
    OpenCells,
    Repetitions,
    fitness_map,
    map_colours,
)
from genoku.evolve.problem import Problem
from genoku.evolve.state import as_search
from genoku.evolve.stopping import Counters
from genoku.present.figures import (
    CHANGED,
    FAINT,
    MAX_POINTS,
    OPEN,
    Film,
    Frame,
    board_png,
    drawing,
    history_figure,
    plot_history,
    write_gif,
)
from genoku.puzzle.board import Puzzle
from genoku.puzzle.geometry import Geometry
from genoku.puzzle.render import SHADE
from genoku.runtime.notebook import INK, SOFT

PUZZLE = Puzzle.parse(
    "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79"
)
ESCARGOT = bundled()["ai-escargot"].puzzle
SMALL = Genetic(population=20, fitness=Normalised())


@pytest.fixture(scope="module")
def film() -> Film:
    return Film()


@pytest.fixture(scope="module")
def result(film: Film) -> Result:
    record = Record(diversity_every=10)
    return run(PUZZLE, SMALL, seed=1, until="generations=30", watch=film, record=record)


@pytest.fixture(scope="module")
def alone() -> Result:
    """A search with one board, whose figure is the smallest."""
    return run(PUZZLE, Annealing(moves=100), until="steps=20")


@pytest.mark.parametrize("kind", ["svg", "png", "pdf"])
def test_the_same_run_is_drawn_as_the_same_bytes(kind: str, alone: Result, tmp_path: Path) -> None:
    paths = [tmp_path / f"{name}.{kind}" for name in "ab"]
    for path in paths:
        plot_history(alone, path)
    assert paths[0].read_bytes() == paths[1].read_bytes()
    assert paths[0].stat().st_size > 5000


def test_the_curves_are_the_scores_of_the_history(result: Result) -> None:
    scores, errors, diversity, rate = history_figure(result, title="a run").axes
    curves: dict[Any, Any] = {line.get_label(): line for line in scores.get_lines()}
    for name in ("best", "mean", "worst"):
        costs = np.asarray(result.history[name])
        assert np.allclose(curves[name].get_ydata(), 1 - costs / 243)
        assert curves[name].get_xdata().tolist() == result.history["gen"].tolist()
    assert scores.get_ylabel() == "fitness (normalised)\nhigher is better"
    left: dict[Any, Any] = {line.get_label(): line for line in errors.get_lines()}
    best = errors.get_lines()[0]
    assert np.array_equal(best.get_ydata(), result.history["errors"])
    assert left.keys().isdisjoint(("best", "mean", "worst"))  # one scale per axis
    assert (diversity.get_ylabel(), rate.get_ylabel()) == ("diversity", "rate")
    assert rate.get_xlabel() == "generation"


def test_a_board_alone_is_one_curve_and_has_no_diversity(alone: Result) -> None:
    top, temperature = history_figure(alone).axes
    assert len(top.get_lines()) == 3  # the best so far, the current board, the level of a solution
    assert "errors left" in top.get_ylabel()  # its costs are errors left
    assert (temperature.get_ylabel(), temperature.get_xlabel()) == ("temperature", "step")


def test_a_long_search_with_one_board_has_no_curve_called_best(alone: Result) -> None:
    rows = 5_000
    costs = np.arange(rows) % 7 + 1
    columns: dict[str, Any] = {"gen": np.arange(rows), "best_ever": np.ones(rows)}
    columns |= dict.fromkeys(("best", "mean", "worst"), costs)
    history = History(columns)
    top, *_ = history_figure(replace(alone, history=history)).axes
    assert {"best", "worst"}.isdisjoint(line.get_label() for line in top.get_lines())
    assert "current board" in history._repr_html_()
    assert ">worst<" not in history._repr_html_().partition("Columns")[0]


def test_a_long_history_is_drawn_with_few_points_and_all_its_extremes(result: Result) -> None:
    rows = 50_000
    columns: dict[str, Any] = {"gen": np.arange(rows)}
    columns |= {name: np.full(rows, 50) for name in ("best", "mean", "worst")}
    columns["best"][31_415], columns["worst"][27_182] = 3, 200
    top, *_ = history_figure(replace(result, history=History(columns))).axes
    curves: dict[Any, Any] = {line.get_label(): line for line in top.get_lines()}
    assert len(curves["best"].get_ydata()) <= MAX_POINTS
    assert curves["best"].get_ydata().max() == 1 - 3 / 243
    assert curves["worst"].get_ydata().min() == 1 - 200 / 243
    assert np.allclose(curves["mean"].get_ydata(), 1 - 50 / 243)


def test_a_plot_names_what_its_history_lacks(result: Result) -> None:
    poor = History({"gen": np.arange(3), "best": np.arange(3)})
    with pytest.raises(GenokuError, match="mean, worst"):
        history_figure(replace(result, history=poor))


@pytest.mark.parametrize("name", ["run", "run.gif", "run.svg.gz"])
def test_curves_are_drawn_to_known_formats_only(name: str, result: Result, tmp_path: Path) -> None:
    with pytest.raises(GenokuError, match=r"\.svg, \.png"):
        plot_history(result, tmp_path / name)


def seen(problem: Problem, board: Any, step: int) -> View:
    """What a watcher sees of a population of one."""
    state: Any = SMALL.start(problem, np.array([1, 2], np.uint64))
    state = state._replace(step=step, boards=board[None].copy(), costs=np.array([step], np.int32))
    return View(problem, state, board, step, 0, Counters(step))


PROBLEM = Problem.of(PUZZLE, PermutedBoxes(), Normalised())


@given(steps=st.integers(1, 500), frames=st.integers(2, 40), first=st.integers(0, 1000))
@settings(max_examples=25)
def test_a_film_keeps_evenly_spaced_frames_and_never_too_many(
    steps: int, frames: int, first: int
) -> None:
    film, view = Film(frames), seen(PROBLEM, PUZZLE.board, 0)
    for step in range(first, first + steps):
        film(view._replace(state=view.state._replace(step=step)))
        assert len(film.frames) <= frames
    kept = [frame.step for frame in film.frames]
    assert kept[0] == first
    assert set(np.diff(kept[1:])) <= {film.every}
    assert film.every & (film.every - 1) == 0


def frames_of(path: Path) -> list[Any]:
    with Image.open(path) as picture:
        count = getattr(picture, "n_frames", 1)
        taken = []
        for place in range(count):
            picture.seek(place)
            taken.append(np.asarray(picture.convert("RGB")).astype(int))
    return taken


def test_a_film_is_written_with_all_its_frames_and_ends_with_the_best(
    film: Film, result: Result, tmp_path: Path
) -> None:
    one, two = tmp_path / "one.gif", tmp_path / "two.gif"
    film.write(result, one)
    film.write(result, two)
    assert one.read_bytes() == two.read_bytes()
    last = film.frames[-1]
    extra = 0 if np.array_equal(last.board, result.board) else 1
    with Image.open(one) as picture:
        assert getattr(picture, "n_frames", 1) == len(film.frames) + extra
        assert picture.info["loop"] == 0


def colour(name: str) -> Any:
    return np.array([int(name[at : at + 2], 16) for at in (1, 3, 5)])


@pytest.mark.parametrize("box", ["2x2", "2x3", "3x3", "4x4", "6x6"])
def test_frames_show_the_map_and_what_changed(box: str, tmp_path: Path) -> None:
    geometry = Geometry.parse(box)
    solved = pattern_grid(geometry)
    problem = Problem.of(
        Puzzle(geometry, solved.digits[:4] + bytes(geometry.cells - 4)),
        PermutedBoxes(),
        Normalised(),
    )
    before = solved.board.copy()
    before[-2:] = before[-2:][::-1]
    path = tmp_path / "run.gif"
    write_gif(path, [Frame(1, before, 9), Frame(2, solved.board, 0)], problem)
    pictures = frames_of(path)
    size = (pictures[0].shape[1] - 24) // geometry.side

    def ground(picture: Any, cell: int) -> Any:
        row, column = divmod(cell, geometry.side)
        return picture[12 + row * size + size - 5, 12 + column * size + size // 2]

    for board, picture in zip((before, solved.board), pictures, strict=True):
        points = fitness_map(board, geometry).tolist()
        for cell in range(geometry.cells - 2):
            assert np.abs(ground(picture, cell) - colour(MAP_COLOURS[points[cell]])).max() < 40

    def rings(picture: Any) -> int:
        return int((np.abs(picture - colour(CHANGED)).max(axis=2) < 16).sum())

    assert rings(pictures[0]) == 0
    assert rings(pictures[1]) > 2 * size


def test_every_cell_has_the_colour_of_its_complete_units() -> None:
    solved = pattern_grid(PUZZLE.geometry)
    assert set(map_colours(solved.board, PUZZLE.geometry)) == {MAP_COLOURS[3]}
    for colour, digit in zip(
        map_colours(PUZZLE.board, PUZZLE.geometry), PUZZLE.digits, strict=True
    ):
        assert colour == (MAP_COLOURS[0] if digit else None)  # an open cell is no mistake


def test_a_film_shows_open_cells_without_a_colour(tmp_path: Path) -> None:
    problem = Problem.of(PUZZLE, PartialBoards(), OpenCells())
    solved = run(PUZZLE, Exact()).board
    half = np.where(np.arange(81) < 40, solved, problem.puzzle.board)
    path = tmp_path / "run.gif"
    frames = [Frame(0, PUZZLE.board, 51), Frame(1, half, 26), Frame(2, PUZZLE.board, 51)]
    write_gif(path, [*frames, Frame(3, solved, 0)], problem, "step")
    for frame, picture in zip(frames, frames_of(path), strict=False):
        size = (picture.shape[1] - 24) // 9
        for cell in np.flatnonzero(frame.board == 0).tolist():
            row, column = divmod(cell, 9)
            ground = picture[12 + row * size + size // 2, 12 + column * size + size // 2]
            assert np.abs(ground - colour(OPEN)).max() < 16


def test_a_film_without_frames_is_refused(tmp_path: Path) -> None:
    problem = Problem.of(PUZZLE, PartialBoards(), OpenCells())
    with pytest.raises(GenokuError, match="frame"):
        write_gif(tmp_path / "run.gif", [], problem)


def test_the_figure_marks_restarts_and_states_what_the_run_reached() -> None:
    search = Restarts(Genetic(population=6), after="stagnation=2")
    result = run(Puzzle(PUZZLE.geometry, bytes(81)), search, until="generations=30")
    figure = history_figure(result)
    marks: Any = next(each for each in figure.axes[0].collections if each.get_label() == "restarts")
    segments = marks.get_segments()
    assert [start[0] for start, _ in segments] == list(result.history.restarts)
    assert result.fitness_scale is not None
    ends = result.fitness_scale.statement(result.cost, result.mean_fitness)
    assert ends in figure.get_suptitle()


def test_a_film_keeps_ids_means_and_restarts_and_can_be_plain(tmp_path: Path) -> None:
    search = Restarts(Genetic(population=6), after="stagnation=2")
    film = Film()
    seen_ids: list[int] = []

    def look(view: View) -> None:
        seen_ids.append(int(view.state.ids[view.state.costs.argmin()]))

    result = run(PUZZLE, search, until="generations=8", watch=[film, look])
    assert [frame.board_id for frame in film.frames] == seen_ids
    assert film.frames[-1].restarts == result.state.memory["restarts"]
    assert film.frames[-1].mean == result.mean_fitness
    film.write(result, tmp_path / "map.gif")
    film.write(result, tmp_path / "plain.gif", None)
    coloured, plain = (frames_of(tmp_path / f"{name}.gif")[-1] for name in ("map", "plain"))
    assert coloured.shape[0] > plain.shape[0]  # the key of the colours
    size = (plain.shape[1] - 24) // 9
    for cell, digit in enumerate(PUZZLE.digits):
        row, column = divmod(cell, 9)
        ground = plain[12 + row * size + size - 5, 12 + column * size + size // 2]
        assert np.abs(ground - colour(SHADE if digit else "#ffffff")).max() < 8


@pytest.mark.parametrize("box", ["2x2", "3x3", "6x6"])
def test_a_caption_stands_below_a_board(box: str) -> None:
    geometry = Geometry.parse(box)
    puzzle = Puzzle(geometry, bytes(geometry.cells))
    one, two = (
        np.asarray(Image.open(io.BytesIO(board_png(puzzle, puzzle.digits, caption=caption))))
        for caption in ("", "ID 262301 · Fitness 180")
    )
    assert one.shape[1] == two.shape[1]
    assert np.array_equal(two[: len(one)], one)
    assert (two[len(one) :] < 128).any()


def test_open_cells_are_counted_in_words_and_made_up_rates_are_not_drawn() -> None:
    problem = Problem.of(PUZZLE, PartialBoards(), OpenCells())
    assert [own_score_text(problem, cost) for cost in (12, 1)] == ["12 cells open", "1 cell open"]
    assert own_score_text(PROBLEM, 0) == "fitness 1.0000 (normalised)"
    assert own_score_text(Problem.of(PUZZLE, PermutedBoxes(), Repetitions()), 3) == ""
    assert [errors_text(errors) for errors in (12, 1)] == ["12 errors left", "1 error left"]
    for algorithm in (Exact(), Restarts(Exact(), "steps=5"), Islands(Exact(), 2)):
        labels = [axes.get_ylabel() for axes in history_figure(run(ESCARGOT, algorithm)).axes]
        assert labels[:2] == ["open cells\nlower is better", "errors left\n(best board so far)"]
        assert "rate" not in labels


def test_steps_and_rates_are_called_what_they_are() -> None:
    assert [
        as_search(each).step_name for each in (Genetic(), Restarts(), Islands(), Annealing())
    ] == [
        "generation",
        "generation",
        "step",
        "step",
    ]
    assert [
        as_search(each).rate_name for each in (Genetic(), Islands(Annealing()), MinConflicts())
    ] == [
        "rate",
        "temperature",
        "chance",
    ]


def test_drawing_leaves_pyplot_and_its_global_state_alone(
    film: Film, result: Result, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import matplotlib as mpl

    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)  # so that importing it fails
    monkeypatch.delattr(mpl, "pyplot", raising=False)
    before = mpl.rcParams.copy()
    plot_history(result, tmp_path / "run.svg")
    film.write(result, tmp_path / "run.gif")
    assert mpl.rcParams.copy() == before  # reading some of the original looks for pyplot


@pytest.mark.release
def test_a_process_that_draws_never_imports_pyplot(tmp_path: Path) -> None:
    program = f"""
import sys
from genoku import Puzzle
from genoku.evolve.algorithms import Genetic
from genoku.present.figures import Film, plot_history
from genoku.engine.run import run
assert "matplotlib" not in sys.modules
film = Film()
result = run(Puzzle.parse("." * 16), Genetic(population=4), until="generations=2", watch=film)
plot_history(result, {str(tmp_path / "run.svg")!r})
film.write(result, {str(tmp_path / "run.gif")!r})
print("matplotlib.pyplot" in sys.modules)
"""
    assert in_another_process(program) == "False"


def test_what_is_missing_is_named_with_the_command_that_installs_it(
    result: Result, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)  # as if it were not there
    with pytest.raises(GenokuError, match=r'pip install "genoku\[lab\]"'):
        plot_history(result, tmp_path / "run.svg")
    with pytest.raises(GenokuError, match=r"genoku\[lab\]"):
        Film().write(result, tmp_path / "run.gif")


def test_the_axis_of_steps_has_whole_numbers_only() -> None:
    for steps in (0, 1, 3, 1000):
        result = run(Puzzle.parse("." * 81), Genetic(population=4), until=f"steps={steps}")
        figure = history_figure(result)
        low, high = figure.axes[-1].get_xlim()
        ticks = [tick for tick in figure.axes[-1].get_xticks() if low <= tick <= high]
        assert ticks
        assert all(float(tick).is_integer() for tick in ticks)


def test_the_style_of_figures_has_the_colours_that_pages_replace() -> None:
    from matplotlib import colors, rcParams

    with drawing():
        drawn = rcParams["axes.labelcolor"], rcParams["axes.edgecolor"], rcParams["grid.color"]
        assert [colors.to_hex(colour) for colour in drawn] == [INK, SOFT, FAINT]
