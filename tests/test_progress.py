"""Progress on stderr: a bar where it can be drawn, and nothing of it elsewhere."""

from __future__ import annotations

import io
import sys

import pytest
from races import contenders

from genoku.cli.output import can_redraw, progress_bar, with_progress
from genoku.cli.race import _print_result
from genoku.cli.tune import trial_watcher
from genoku.lab.tune import TuningProgress


class Terminal(io.StringIO):
    """A stream that says it is one."""

    def isatty(self) -> bool:
        return True


def terminal_of(monkeypatch: pytest.MonkeyPatch, kind: str = "xterm-256color") -> Terminal:
    """Stderr as a terminal of that kind, and wide enough."""
    stream = Terminal()
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setenv("TERM", kind)
    monkeypatch.setenv("COLUMNS", "120")
    monkeypatch.delenv("NO_COLOR", raising=False)
    return stream


def items_shown() -> list[int]:
    return list(with_progress(range(3), "counting", 3, results_on_stdout=False))


def test_items_pass_under_a_bar_that_names_them(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = terminal_of(monkeypatch)
    assert can_redraw()
    assert items_shown() == [0, 1, 2]
    assert "counting" in terminal.getvalue()
    assert "3/3" in terminal.getvalue()
    assert "\x1b[38;" in terminal.getvalue()


def test_a_bar_without_colours_where_none_are_wanted(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = terminal_of(monkeypatch)
    monkeypatch.setenv("NO_COLOR", "1")
    assert items_shown() == [0, 1, 2]
    assert "3/3" in terminal.getvalue()
    assert "\x1b[38;" not in terminal.getvalue()


@pytest.mark.parametrize(("kind", "tabled"), [("xterm-256color", False), ("dumb", True)])
def test_a_race_that_was_not_drawn_is_told_in_a_table(
    monkeypatch: pytest.MonkeyPatch, kind: str, tabled: bool
) -> None:
    terminal = terminal_of(monkeypatch, kind)
    monkeypatch.setattr(sys, "stdout", terminal)
    _print_result(contenders("sundy", "tabu"))
    assert ("live race" in terminal.getvalue()) == tabled


@pytest.mark.parametrize("kind", ["dumb", "unknown"])
def test_a_terminal_that_cannot_draw_gets_no_bar(
    monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    terminal = terminal_of(monkeypatch, kind)
    assert not can_redraw()
    assert items_shown() == [0, 1, 2]
    assert terminal.getvalue() == ""


def test_into_a_file_there_is_no_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = io.StringIO()
    monkeypatch.setattr(sys, "stderr", stream)
    assert items_shown() == [0, 1, 2]
    assert stream.getvalue() == ""


def test_what_is_said_stands_behind_the_numbers_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = terminal_of(monkeypatch)
    with progress_bar("a [b]", 5, done=2, units="runs") as (progress, task):
        progress.update(task, completed=3, message="[red] name")
    shown = " ".join(terminal.getvalue().split())
    assert "a [b]" in shown
    assert "runs" in shown
    assert "[red] name" in shown


def test_trials_are_shown_with_the_best_and_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = terminal_of(monkeypatch)
    with trial_watcher(9, 12, before=2) as watch:
        watch(TuningProgress(4, 5, "", 0.5, -0.25))
    assert "4/9" in terminal.getvalue()
    assert "best -0.250" in terminal.getvalue()
