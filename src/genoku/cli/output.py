"""What the commands print and write: boards, tables, JSON, progress bars, files."""

from __future__ import annotations

import functools
import io
import json
import os
import shlex
import shutil
import sys
import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO, TypeVar

import click

from genoku.board import Board, Puzzle
from genoku.errors import FormatError, GenokuError
from genoku.words import listed

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

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
    scrolling = results_on_stdout and sys.stdout.isatty()
    if scrolling or not is_watched():
        yield from items
        return
    with bar(what, total, estimates=True) as (progress, task):
        yield from progress.track(items, total=total, task_id=task)


def is_watched() -> bool:
    """Whether a person looks at stderr, on a terminal that can draw a line anew."""
    return sys.stderr.isatty() and os.environ.get("TERM") not in ("dumb", "unknown")


@contextmanager
def bar(
    what: str,
    total: float | None = None,
    *,
    done: int = 0,
    units: str = "",
    counts: bool = True,
    estimates: bool = False,
) -> Iterator[tuple[Progress, TaskID]]:
    """A bar as long as this lasts, and its task, whose field `said` stands behind the numbers.

    `estimates` adds how long the rest will take, for those who do not say so themselves. Without
    `counts` there are no numbers, and it is drawn only when it is told to. Rich heeds NO_COLOR.
    """
    from rich import progress as rich
    from rich.console import Console

    columns = [
        rich.TextColumn("{task.description}", markup=False),
        rich.BarColumn(bar_width=24),
        *([rich.MofNCompleteColumn()] if counts else []),
        *([rich.TextColumn(units, markup=False)] if units else []),
        rich.TextColumn("{task.fields[said]}", markup=False),
        *([rich.TimeElapsedColumn()] if counts else []),
        *([rich.TimeRemainingColumn()] if estimates else []),
    ]
    console = Console(stderr=True)
    with rich.Progress(*columns, console=console, transient=True, auto_refresh=counts) as progress:
        yield progress, progress.add_task(what, total=total, completed=done, said="")


def waiting(text: str) -> AbstractContextManager[object]:
    """A word to a person who waits, as long as this lasts."""
    if not is_watched():
        return nullcontext()
    from rich.console import Console

    return Console(stderr=True).status(text)


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


def print_table(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """The rows under their heads: names on the left, numbers on the right of their columns."""
    head, *body = table_lines(columns, rows)
    click.echo(click.style(head, bold=True) if in_colour() else head)
    for line in body:
        click.echo(line)


def print_sentence(text: str) -> None:
    """A sentence, broken between words where a person reads it, and whole into pipes."""
    if sys.stdout.isatty():
        text = textwrap.fill(text, min(100, shutil.get_terminal_size().columns))
    click.echo(text)


def table_lines(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """The heads and the rows as lines of text; the first column is a name."""
    whole = [list(columns), *(list(row) for row in rows)]
    wide = [max(len(row[place]) for row in whole) for place in range(len(columns))]
    return [
        "  ".join(
            each.ljust(width) if place == 0 else each.rjust(width)
            for place, (each, width) in enumerate(zip(row, wide, strict=True))
        ).rstrip()
        for row in whole
    ]


Files = Mapping[str, str | Path | None]
"""By the options or arguments that name them; None where none was given."""

SUFFIXES = {
    ".csv": "CSV", ".db": "a store", ".gif": "GIF", ".htm": "HTML", ".html": "HTML",
    ".json": "JSON", ".jsonl": "JSON lines", ".md": "Markdown", ".parquet": "Parquet",
    ".pdf": "PDF", ".png": "PNG", ".svg": "SVG", ".toml": "TOML",
}  # fmt: skip
"""What genoku writes, by suffix; nothing else is written under such a name."""


def check_targets(
    named: Files, read: Files | None = None, kinds: Mapping[str, str] | None = None
) -> dict[str, str | Path]:
    """Refuse what cannot be written, would be written twice, or written over what is read.

    `kinds` says by option which of `SUFFIXES` a file will be, whatever its name. Returns the files
    that are to be written.
    """
    targets = {option: path for option, path in named.items() if path is not None}
    for option, path in targets.items():
        if reason := why_not_writable(path):
            raise GenokuError(f"{option} {path}: {reason}")
    refuse_clashes(targets, read)
    for option in targets.keys() & (kinds or {}).keys():
        kind_of(option, targets[option], SUFFIXES, (kinds or {})[option])
    return targets


def kind_of(
    option: str,
    path: str | Path,
    suffixes: Mapping[str, str],
    chosen: str | None = None,
    default: str | None = None,
) -> str:
    """What is to be written in a file: what was chosen, or else what its suffix says.

    A suffix that stands for anything else is refused, but that `.txt` is any text. `default` is
    for names without a suffix.
    """
    known = (each.lower() for each in reversed(Path(path).suffixes) if each.lower() != ".gz")
    suffix = next(known, "")
    said = suffixes.get(suffix, SUFFIXES.get(suffix))
    fits = said in (None, chosen) or suffix == ".txt"
    if chosen is None:
        chosen, fits = (suffixes.get(suffix) if suffix else default), True
    if chosen is None or not fits:
        fitting = [each for each, kind in suffixes.items() if chosen in (None, kind)]
        what = f" for {chosen}" if chosen else ""
        ends = listed(sorted(fitting), "or") or "another suffix"
        raise FormatError(f"{option} {path}: expected a name that ends in {ends}{what}")
    return chosen


def refuse_clashes(targets: Mapping[str, str | Path], read: Files | None = None) -> None:
    """Refuse what would be written twice, or written over what is read."""
    taken = {identity(path): option for option, path in (read or {}).items() if path}
    for option, path in targets.items():
        other = taken.setdefault(identity(path), option)
        if other != option and is_plain(path):
            raise GenokuError(
                f"expected a file of its own for each of {other} and {option}, got {path} for both"
            )


def why_not_writable(path: str | Path) -> str | None:
    """What keeps a file from being written, if anything does."""
    target = Path(path)
    folder = target.parent
    try:
        if str(path) == "-":
            return "expected a file"
        if target.is_dir():
            return "is a folder"
        if not folder.is_dir():
            return f"there is no folder {folder}"
        if not os.access(target if target.exists() else folder, os.W_OK):
            return "may not be written"
    except OSError as error:  # such as a name that is too long
        return error.strerror or str(error)
    return None


def identity(path: str | Path) -> tuple[Any, ...]:
    """The same for two names of one file, links included."""
    file = Path(path).resolve()
    if not file.exists():
        return (file,)
    status = file.stat()
    return (status.st_dev, status.st_ino) if status.st_ino else (file,)


def is_plain(path: str | Path) -> bool:
    """Whether it is a file of data, or none yet, and no device."""
    file = Path(path)
    return file.is_file() or not file.exists()
