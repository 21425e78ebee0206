"""What the commands print: boards in colour where they can be seen, JSON, progress, summaries."""

from __future__ import annotations

import functools
import io
import json
import os
import shlex
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any, TextIO, TypeVar

import click

from genoku.board import Board, Puzzle

Item = TypeVar("Item")


def board_text(puzzle: Puzzle, board: Board | None = None, **options: Any) -> str:
    """The board as the terminal can show it: coloured, or plain into pipes and files."""
    return puzzle.picture(board, style="ansi" if in_colour() else "text", **options)


def in_colour() -> bool:
    """Whether results go to a terminal that shows colours and bold letters."""
    return sys.stdout.isatty() and not is_colourless()


def is_colourless() -> bool:
    """Whether a person, or their terminal, has no use for colours."""
    return bool(os.environ.get("NO_COLOR")) or os.environ.get("TERM") == "dumb"


def say(text: str) -> None:
    """A word to the person, kept out of the results."""
    click.echo(text, err=True)


def same_command(name: str) -> str:
    """What goes on with an interrupted command: as it was typed, where it was."""
    if sys.argv[1:2] == [name]:
        return shlex.join(["genoku", *sys.argv[1:]])
    return "the same command"


def results_stream() -> TextIO:
    """Standard output for a file format: UTF-8 whatever the terminal speaks."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8", errors="strict", newline="\n")
    return sys.stdout


def print_json(value: Any, *, compact: bool = False) -> None:
    click.echo(json.dumps(value, ensure_ascii=False, indent=None if compact else 2))


def refuse_conflicts(puzzle: Puzzle) -> bool:
    """Name every clash among the givens on stderr; whether there was one."""
    conflicts = puzzle.conflicts()
    if conflicts:
        some = "a clash" if len(conflicts) == 1 else f"{len(conflicts)} clashes"
        say(f"genoku: {some} among the givens, so there is no solution:")
        for conflict in conflicts:
            say(f"  {conflict}")
    return bool(conflicts)


def with_progress(
    items: Iterable[Item], what: str, total: int | None = None, *, results_on_stdout: bool = True
) -> Iterator[Item]:
    """Pass the items on, with a progress bar on stderr where a person looks at it.

    Results that scroll by on the same terminal are progress enough.
    """
    from genoku.cli.progress import bar, is_watched

    scrolling = results_on_stdout and sys.stdout.isatty()
    if scrolling or not is_watched():
        yield from items
        return
    with bar(what, total, estimates=True) as (progress, task):
        yield from progress.track(items, total=total, task_id=task)


def ready_kernels() -> None:
    """Load the compiled kernels before anything is timed; say so where they must be compiled."""
    with compiling_announced():
        load_kernels()


@contextmanager
def compiling_announced() -> Iterator[None]:
    """Say so when something must be compiled, once."""
    from numba.core import event

    class Listener(event.Listener):
        said = False

        def on_start(self, event: Any) -> None:
            if not self.said:
                say("compiling kernels (once, some seconds) ...")
            self.said = True

        def on_end(self, event: Any) -> None:
            pass

    with event.install_listener("numba:compile", Listener()):
        yield


@functools.cache
def load_kernels() -> None:
    """Solve something small, once in every process."""
    from genoku import exact

    exact.solve(Puzzle.parse("." * 16))
