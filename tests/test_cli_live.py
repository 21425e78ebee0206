"""Progress of a run in a terminal and in a pipe."""

from __future__ import annotations

import io
import json
import os
import time
from itertools import product
from typing import Any

import numpy as np
import pytest
from evolving import QUICK, at_a_terminal, views
from patience import PATIENCE
from rich.console import Console

from genoku.cli.live import (
    EIGHTHS,
    LINES_AFTER,
    MARK,
    RunDisplay,
    RunLines,
    histogram,
    pace_of,
    run_watchers,
    shows_board,
    small_map,
)
from genoku.engine.pace import seconds_until
from genoku.engine.result import TimeLeft, effort_text, share_done
from genoku.engine.run import Run, View, run
from genoku.evolve.algorithms import Annealing, Exact, Genetic, Restarts
from genoku.evolve.presets import preset as bundled_preset
from genoku.evolve.state import Algorithm, State
from genoku.evolve.stopping import Counters, Stop, Until
from genoku.puzzle.board import Puzzle
from genoku.puzzle.bundled_puzzles import bundled
from genoku.puzzle.geometry import Geometry
from genoku.runtime.text import format_compact, format_duration, format_limits

TERMINALS = list(product((20, 31, 57, 80, 140), (4, 5, 7, 12, 15, 18, 21, 22, 24, 30, 45)))
TITLE = "charles [changed] on a puzzle with a rather long name, seed 12345"
SEARCHES = {
    "population": Genetic(population=6),
    "one board": Annealing(moves=5),
    "one step": Exact(seconds=0.01),
    "restarts": Restarts(Genetic(population=6), after="stagnation=1"),
}


def lines_of(live: RunDisplay, width: int, height: int) -> list[str]:
    """What a terminal of that size shows."""
    console = Console(width=width, height=height, record=True, file=io.StringIO())
    console.print(live.picture(width, height))
    return console.export_text().splitlines()


def watched(algorithm: Algorithm, puzzle: Puzzle, steps: int, title: str = TITLE) -> RunDisplay:
    """A display that has seen every step of a run."""
    live = RunDisplay(algorithm, Until.parse("generations=40 or seconds=90"), title)
    for view in views(puzzle, algorithm, steps):
        live.sample_due = 0.0
        live(view)
    return live


@pytest.mark.parametrize(
    ("box", "search", "sizes"),
    [
        *(("3x3", search, TERMINALS) for search in SEARCHES),
        *((box, "population", TERMINALS[::4]) for box in ("2x2", "2x3", "4x4", "6x6")),
    ],
)
def test_the_picture_fits_any_board_into_any_terminal(
    box: str, search: str, sizes: list[tuple[int, int]]
) -> None:
    geometry = Geometry.parse(box)
    live = watched(SEARCHES[search], Puzzle(geometry, bytes(geometry.cells)), 3)
    for width, height in sizes:
        lines = lines_of(live, width, height)
        assert len(lines) <= height, (width, height)
        assert max(map(len, lines)) <= width, (width, height)
        assert lines[0].startswith(TITLE[: width - 1])


def test_what_is_shown_depends_on_the_terminal_and_on_the_search() -> None:
    puzzle = bundled()["poderosas-medium"].puzzle
    kinds = {name: watched(search, puzzle, 3) for name, search in SEARCHES.items()}
    shown = {
        (name, size): "\n".join(lines_of(live, *size))
        for name, live in kinds.items()
        for size in ((80, 24), (40, 16), (20, 4))
    }
    for (name, size), text in shown.items():
        is_large = size == (80, 24)
        has_several_boards = name in ("population", "restarts")
        assert ("errors left" in text) == (size != (20, 4))
        assert ("of the 6 boards" in text) == (is_large and has_several_boards)
        assert ("mean fitness" in text) == (size != (20, 4) and has_several_boards)
        assert ("┌───" in text) == is_large
        assert any("\u2800" < sign <= "\u28ff" for sign in text) or not is_large
    assert "temperature" in shown["one board", (80, 24)]
    assert "rate" not in shown["one step", (80, 24)]


@pytest.mark.parametrize(
    ("side", "size", "shows"), [(4, (80, 24), True), (25, (80, 24), False), (25, (140, 60), True)]
)
def test_the_display_knows_whether_it_shows_the_digits(
    side: int, size: tuple[int, int], shows: bool
) -> None:
    geometry = Geometry.of_side(side)
    live = watched(Genetic(population=4), Puzzle(geometry, bytes(geometry.cells)), 1)
    assert not shows_board([live])
    live.picture(*size)
    assert shows_board([live]) is shows


@pytest.mark.parametrize(("box", "signs"), [("3x3", "123456789"), ("6x6", "0123")])
def test_a_board_without_colours_still_shows_its_cells(
    box: str, signs: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    geometry = Geometry.parse(box)
    (view, *_) = views(Puzzle(geometry, bytes(geometry.cells)), Genetic(population=6), 1)
    rows = small_map(geometry, view.best_board).plain.splitlines()
    assert [len(row) for row in rows] == [geometry.side] * geometry.side
    assert set("".join(rows)) <= set(signs)
    assert "".join(rows) == str(Puzzle(geometry, view.best_board.tobytes())) or box == "6x6"
    monkeypatch.delenv("NO_COLOR")
    assert "▀" in small_map(geometry, view.best_board).plain


@pytest.mark.parametrize("search", SEARCHES)
def test_the_curves_are_the_lowest_and_the_mean_cost_of_every_step(search: str) -> None:
    algorithm, puzzle = SEARCHES[search], Puzzle(Geometry(3, 3), bytes(81))
    expected = [
        (view.state.step, view.state.costs.min(), view.state.costs.mean())
        for view in views(puzzle, algorithm, 20)
    ]
    assert watched(algorithm, puzzle, 20).points == expected


@pytest.mark.parametrize(("width", "height"), [(20, 2), (78, 4), (100, 4)])
def test_a_histogram_has_a_bar_for_every_cost_and_only_there(width: int, height: int) -> None:
    costs = np.array([0, 0, 8, 40, 40, 40, 40, 90])
    lines = [line.plain for line in histogram(costs, 90.0, width, height)]
    assert [len(line) for line in lines] == [width] * height
    tall = [sum(EIGHTHS.index(sign) for sign in column) for column in zip(*lines, strict=True)]
    places = np.array([place for place, bar in enumerate(tall) if bar])
    assert (places[0], places[-1]) == (0, width - 1)
    assert max(tall) == 8 * height
    bars = 1 + np.count_nonzero(np.diff(places) > 1)
    assert bars == len(set(costs.tolist()))


def test_a_histogram_of_boards_that_are_all_solved_is_one_bar() -> None:
    (line,) = histogram(np.zeros(5), 0.0, 10, 1)
    assert set(line.plain) == {"█"}


def test_the_share_that_is_done_is_reckoned_by_the_limit_that_comes_first() -> None:
    until = Until.parse("generations=100 or seconds=40 or cost=0 and stagnation=5")
    assert share_done(until, Counters(steps=50, seconds=10)) == 0.5
    assert share_done(until, Counters(steps=0, seconds=30)) == 0.75
    assert share_done(Until.parse("cost=3"), Counters(steps=5)) is None


def test_in_a_pipe_there_are_lines_and_only_after_a_while(
    capsys: pytest.CaptureFixture[str],
) -> None:
    algorithm, until = Genetic(population=6), Until.parse("generations=4")
    with run_watchers(algorithm, until, "a run", live=False) as watchers:
        assert watchers == []
    with run_watchers(algorithm, until, "a run", live=True) as (watcher,):
        for view in views(Puzzle.parse("." * 16), algorithm, 4):
            seconds = LINES_AFTER * view.state.step / 4
            watcher(view._replace(counters=view.counters._replace(seconds=seconds)))
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("generation 4, ")


@pytest.mark.parametrize(
    ("steps", "seconds"), [(0, 0.0), (132, 6.5), (2_000, 18.6), (600_000, 47.0)]
)
def test_a_watched_run_begins_slowly_and_then_goes_ever_faster(steps: int, seconds: float) -> None:
    assert seconds_until(steps) == pytest.approx(seconds, abs=0.1)
    speed = 1 / (seconds_until(steps + 1) - seconds_until(steps))
    assert speed == pytest.approx(10 + (steps + 0.5) / 5, rel=0.001)


def test_a_speed_is_constant_and_the_fastest_has_no_pace() -> None:
    pace = pace_of(2.0)
    assert pace is not None
    assert [pace(steps) for steps in (0, 1, 10)] == [0.0, 0.5, 5.0]
    assert pace_of(None) is seconds_until
    assert pace_of(float("inf")) is None


def test_a_live_view_shows_no_step_before_its_time(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]
    monkeypatch.setattr(time, "perf_counter", lambda: now[0])
    monkeypatch.setattr(time, "sleep", lambda seconds: now.__setitem__(0, now[0] + seconds))
    algorithm = Genetic(population=6)
    live = RunDisplay(algorithm, Until.parse("generations=4"), "a run", pace_of(2.0))
    for view in views(Puzzle.parse("." * 16), algorithm, 3):
        live(view)
        assert now[0] == view.state.step / 2


def test_the_time_of_watchers_is_not_the_runs_and_that_of_recording_is(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now = [0.0]

    def spend(seconds: float) -> None:
        now[0] += seconds

    recorded = Run.record

    def record(one: Run, state: State) -> None:
        spend(1.0)
        recorded(one, state)

    monkeypatch.setattr(time, "perf_counter", lambda: now[0])
    monkeypatch.setattr(Run, "record", record)
    puzzle = bundled()["poderosas-medium"].puzzle
    for watchers in ([], [lambda _view: spend(100.0)]):
        result = run(puzzle, Genetic(population=6), until="steps=3", watch=watchers)
        assert (result.steps, result.seconds) == (3, 4.0)

    def interrupt(view: View) -> None:
        spend(100.0)
        if view.state.step == 2:
            raise KeyboardInterrupt

    result = run(puzzle, Genetic(population=6), until="steps=3", watch=interrupt)
    assert (result.steps, result.seconds, result.stop_reason) == (2, 3.0, Stop.INTERRUPTED)


WATCHED = ("evolve", *QUICK, "--until", "seconds=0.3", "--speed", "max")
BARS = ("solve", *QUICK, "--until", "seconds=1.5")


@pytest.mark.skipif(os.name == "nt", reason="needs a pseudo-terminal")
@pytest.mark.parametrize(
    ("words", "into"), [(WATCHED, "pipe"), (WATCHED, "terminal"), (BARS, "pipe")]
)
def test_a_terminal_gets_the_live_view_or_a_bar_and_is_left_clean(
    words: tuple[str, ...], into: str
) -> None:
    with at_a_terminal(*words, stdout=into == "terminal") as (running, pieces):
        text = "".join(pieces)
        board, _ = running.communicate(timeout=PATIENCE)
    assert running.returncode == 1
    if into == "pipe":
        assert "\x1b" not in board
        assert Puzzle.parse(board).is_full
    assert ("errors left" if words == WATCHED else "━") in text
    assert text.index("\x1b[") < text.index("No solution found")
    assert text.rindex("\x1b[?25h") > text.rindex("\x1b[?25l")  # the cursor is back
    if words == WATCHED:  # the last picture was drawn whole after the last erasing, and stays
        drawn, _, summary = text.partition("No solution found")
        assert drawn.rindex("\x1b[2K") < drawn.rindex("errors left")
        assert summary.count("\n") == 3  # its board is not printed again


@pytest.mark.parametrize(
    ("exact", "said"),
    [
        ("seconds=2.52599139700033", "seconds=2.526"),
        ("generations=500 or seconds=0.000123456", "generations=500 or seconds=0.000123"),
        ("cost=3 and seconds=1234567.0004", "cost=3 and seconds=1234567"),
        ("seconds=60", "seconds=60"),
        ("failed", "failed"),
    ],
)
def test_limits_are_said_without_needless_digits(exact: str, said: str) -> None:
    assert format_limits(exact) == said


def test_one_is_no_plural() -> None:
    assert effort_text(Counters(evaluations=1)) == "1 evaluation"
    assert effort_text(Counters(evaluations=2)) == "2 evaluations"
    assert effort_text(Counters(evaluations=1, moves=1200)) == "1,200 moves"


def test_time_left_is_reckoned_from_the_steps_after_the_first() -> None:
    clock = TimeLeft(Until.parse("generations=100 or seconds=1000 or moves=5 or cost=0"))
    for counters in (Counters(), Counters(steps=1, seconds=9.5)):  # the compiler took its time
        clock.observe(counters)
        assert clock.text(counters) == ""
    assert clock.text(Counters(steps=9, seconds=9.6)) == ""
    assert clock.text(Counters(steps=21, seconds=11.5)) == "7.9 s left"
    assert clock.text(Counters(steps=100, seconds=11.5)) == ""
    assert clock.seconds_left(Counters(steps=2, seconds=509.5)) == pytest.approx(490, abs=1)
    by_time = TimeLeft(Until.parse("seconds=40"))
    assert by_time.text(Counters(seconds=10)) == "30 s left"
    assert TimeLeft(Until.parse("cost=3")).text(Counters(steps=5, seconds=9)) == ""


def test_the_first_plain_line_promises_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    algorithm = Genetic(population=6)
    first, *others = views(Puzzle.parse("." * 16), algorithm, 3)
    lines = RunLines(algorithm, Until.parse("generations=1000"))
    for view, seconds in zip((first, *others), (4.0, 8.0, 12.0, 20.0), strict=True):
        lines(view._replace(counters=view.counters._replace(seconds=seconds)))
    said = capsys.readouterr().err.splitlines()
    assert [line.endswith(" left") for line in said] == [False, False, True, True]


def test_a_time_is_never_sixty_seconds_beside_its_minutes() -> None:
    told = [format_duration(seconds) for seconds in (0.0004, 1.25, 100, 119.4, 119.7, 3599.6)]
    assert " | ".join(told) == "0.4 ms | 1.25 s | 1 min 40 s | 1 min 59 s | 2 min 0 s | 60 min 0 s"


@pytest.mark.parametrize(
    ("number", "said"),
    [(0, "0"), (950, "950"), (9_999, "9,999"), (12_345, "12.3 k"), (999_999, "1 M"), (4e9, "4 G")],
)
def test_large_numbers_are_said_in_short(number: float, said: str) -> None:
    assert format_compact(number) == said


def test_a_bundled_puzzle_can_be_given_to_any_preset(genoku: Any) -> None:
    record = json.loads(genoku("solve", "charles-easy", *QUICK, "--until", "steps=1", "--json").out)
    assert record["puzzle"] == str(bundled()["charles-easy"].puzzle)
    assert record["name"] == "charles-easy"


def test_the_picture_states_the_fitness_as_its_report_does() -> None:
    """Report 003 rises to 243: the best, the mean, the caption of the best board, the ends."""
    simon = bundled_preset("simon")
    live = watched(simon.build(), simon.puzzle, 30)
    assert live.last is not None
    view = live.last
    scores = 243 - view.state.costs
    shown = "\n".join(lines_of(live, 120, 30))
    assert f"{scores.max()} of 243" in shown
    assert f"{scores.mean():.1f}" in shown
    assert f"ID {view.best_id} · Fitness {243 - view.best_cost}" in shown
    assert shown.index("81 ") < shown.index("243 solved")  # it rises to the right


def test_partial_boards_show_open_cells_and_single_boards_the_current_one() -> None:
    puzzle = bundled()["poderosas-medium"].puzzle
    partial = "\n".join(lines_of(watched(Exact(), puzzle, 3), 100, 30))
    assert "open cells" in partial
    assert "fitness" not in partial
    assert " · " not in partial
    single = watched(Annealing(moves=5), puzzle, 5)
    assert single.last is not None
    shown = "\n".join(lines_of(single, 100, 30))
    assert f"{single.last.state.costs[0]} (repetitions)" in shown
    assert "mean" not in shown


def test_restarts_are_marked_below_the_curves() -> None:
    live = watched(SEARCHES["restarts"], Puzzle(Geometry(3, 3), bytes(81)), 30)
    assert live.last is not None
    assert len(live.starts) == live.last.state.memory["restarts"]
    axes = [line.split() for line in lines_of(live, 120, 30) if line.split()[:1] == ["0"]]
    (marks,) = [words[1:-1] for words in axes if words[-1] == "30"]
    assert marks == [MARK] * len(live.starts)
    once = watched(SEARCHES["population"], Puzzle(Geometry(3, 3), bytes(81)), 30)
    assert MARK not in "".join(lines_of(once, 120, 30))


@pytest.mark.parametrize("size", [(100, 30), (57, 14), (45, 12)])
def test_a_plain_board_has_the_same_digits_without_the_map(size: tuple[int, int]) -> None:
    puzzle = bundled()["poderosas-medium"].puzzle
    codes = []
    for coloured in (True, False):
        live = RunDisplay(Genetic(population=6), Until.parse(""), "a run", coloured=coloured)
        (view,) = views(puzzle, Genetic(population=6), 0)
        live(view)
        console = Console(
            width=size[0], height=size[1], force_terminal=True, color_system="truecolor",
            file=io.StringIO(), legacy_windows=False,
        )  # fmt: skip
        with console.capture() as captured:
            console.print(live.picture(*size))
        codes.append(captured.get())
    assert "48;2;" in codes[0]
    assert "48;2;" not in codes[1]


def test_lines_in_a_pipe_state_best_and_mean(capsys: pytest.CaptureFixture[str]) -> None:
    simon = bundled_preset("simon")
    lines = RunLines(simon.build(), Until.parse(""))
    *_, view = views(simon.puzzle, simon.build(), 3)
    lines(view._replace(counters=view.counters._replace(seconds=LINES_AFTER)))
    scores = 243 - view.state.costs
    assert f"fitness {scores.max()} of 243, mean {scores.mean():.1f}" in capsys.readouterr().err
