"""Progress of a run in a terminal and in a pipe."""

from __future__ import annotations

import io
import json
import os
import subprocess
import time
from typing import Any

import pytest
from evolving import QUICK, process, views
from patience import PATIENCE
from rich.console import Console

from genoku.cli.live import RunDisplay, pace_of, run_watchers, small_map
from genoku.engine.result import share_done
from genoku.engine.run import Run, run
from genoku.evolve.algorithms import Annealing, Exact, Genetic
from genoku.evolve.state import State
from genoku.evolve.stopping import Counters, Until
from genoku.puzzle.board import Puzzle
from genoku.puzzle.bundled_puzzles import bundled
from genoku.puzzle.geometry import Geometry
from genoku.runtime.text import format_compact

TERMINALS = [(100, 40), (60, 20), (40, 12), (12, 4)]


@pytest.mark.parametrize(
    ("box", "size"),
    [
        ("2x3", TERMINALS[0]),
        *(("3x3", each) for each in TERMINALS),
        *(("6x6", each) for each in TERMINALS[::3]),
    ],
)
def test_the_live_view_fits_any_board_into_any_terminal(box: str, size: tuple[int, int]) -> None:
    geometry = Geometry.parse(box)
    until = Until.parse("generations=4 or seconds=90")
    for algorithm in (Genetic(population=6), Annealing(moves=5), Exact(seconds=0.01)):
        live = RunDisplay(algorithm, until, "a [run]")
        console = Console(width=size[0], height=size[1], record=True, file=io.StringIO())
        for view in views(Puzzle(geometry, bytes(geometry.cells)), algorithm, 3):
            live.sample_due = 0.0
            live(view)
            console.print(live.picture(*size))
        text = console.export_text()
        assert max(map(len, text.splitlines())) <= size[0]
        if size[0] >= 60:
            assert "a [run]" in text
            assert "errors left" in text
            assert isinstance(algorithm, Exact) == ("open cells" in text)
            assert isinstance(algorithm, Exact) != any(word in text for word in ("rate", "temper"))


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


def test_the_curve_called_best_never_rises_where_one_board_wanders() -> None:
    algorithm = Annealing(moves=30)
    live = RunDisplay(algorithm, Until.parse("steps=40"), "a run")
    for view in views(Puzzle(Geometry(3, 3), bytes(81)), algorithm, 40):
        live.sample_due = 0.0
        live(view)
    _, best, now = zip(*live.points, strict=True)
    assert sorted(best, reverse=True) == list(best)
    assert sorted(now, reverse=True) != list(now)


def test_the_share_that_is_done_is_reckoned_by_the_limit_that_comes_first() -> None:
    until = Until.parse("generations=100 or seconds=40 or cost=0 and stagnation=5")
    assert share_done(until, Counters(steps=50, seconds=10)) == 0.5
    assert share_done(until, Counters(steps=0, seconds=30)) == 0.75
    assert share_done(Until.parse("cost=3"), Counters(steps=5)) is None


def test_nobody_watches_in_a_pipe_unless_asked_and_then_in_plain_lines(
    capsys: pytest.CaptureFixture[str],
) -> None:
    algorithm, until = Genetic(population=6), Until.parse("generations=4")
    with run_watchers(algorithm, until, "a run", live=False) as watchers:
        assert watchers == []
    with run_watchers(algorithm, until, "a run", live=True) as watchers:
        run(Puzzle.parse("." * 16), algorithm, until="generations=4", watch=watchers)
    said = capsys.readouterr().err.splitlines()
    assert len(said) == 1
    assert said[0].startswith("generation 0, ")


@pytest.mark.parametrize(("speed", "seconds"), [(2.0, 5.0), (1e9, 0.0), (None, 0.9)])
def test_a_pace_gives_every_step_its_time(speed: float | None, seconds: float) -> None:
    pace = pace_of(speed)
    assert pace(0) == 0
    assert pace(10) == pytest.approx(seconds, abs=0.01)
    assert all(pace(steps) < pace(steps + 1) for steps in range(100))


def test_without_a_speed_short_runs_can_be_followed_and_long_ones_end() -> None:
    pace = pace_of(None)
    assert pace(150) > 3
    assert pace(1_000_000) < 20


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


@pytest.mark.skipif(os.name == "nt", reason="needs a pseudo-terminal")
@pytest.mark.parametrize("words", [("--watch",), ()])
def test_a_terminal_gets_the_live_view_or_a_bar_and_is_left_clean(words: tuple[str, ...]) -> None:
    import pty

    ours, theirs = pty.openpty()
    budget = "seconds=0.3" if words else "seconds=1.5"
    running = process(
        *("solve", *QUICK, "--until", budget, *words),
        stdout=subprocess.PIPE,
        stderr=theirs,
        env={**os.environ, "TERM": "xterm-256color", "COLUMNS": "100", "LINES": "30"},
    )
    os.close(theirs)
    shown_text = b""
    while True:
        try:
            piece = os.read(ours, 65536)
        except OSError:  # the other end is closed
            break
        if not piece:
            break
        shown_text += piece
    assert running.stdout is not None
    board = running.stdout.read()
    assert running.wait(timeout=PATIENCE) == 1
    assert "\x1b" not in board
    text = shown_text.decode()
    assert ("errors left" if words else "━") in text
    assert text.index("\x1b[") < text.index("No solution found")
    assert text.rindex("\x1b[?25h") > text.rindex("\x1b[?25l")  # the cursor is back
    if words:  # the last picture was drawn whole after the last erasing, and stays
        drawn, _, _summary = text.partition("No solution found")
        assert drawn.rindex("\x1b[2K") < drawn.rindex("errors left")
    os.close(ours)


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
