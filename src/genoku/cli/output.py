"""Output of commands: boards, tables, JSON, messages, progress bars, and checks of files."""

from __future__ import annotations

import functools
import io
import itertools
import json
import os
import shlex
import shutil
import sys
import textwrap
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO, TypeVar, cast

import click

from genoku.errors import FormatError, GenokuError
from genoku.puzzle.board import Board, Puzzle
from genoku.puzzle.formats import binary_writer, text_writer
from genoku.runtime.text import format_count, join_words

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

    from genoku.puzzle.render import Style

TEXT_WIDTH = 96  # columns of descriptions
BOARD_STYLES = {
    ".txt": "text", ".svg": "svg", ".html": "html", ".htm": "html", ".png": "png", ".pdf": "pdf"
}  # fmt: skip  # of pictures of boards, by the suffix of their files

Item = TypeVar("Item")
Answer = TypeVar("Answer")


def board_text(puzzle: Puzzle, board: Board | None = None, **options: Any) -> str:
    """Render a board, in colour on a terminal."""
    return puzzle.picture(board, style="ansi" if uses_colour() else "text", **options)


def write_board(
    target: str,
    style: str,
    puzzle: Puzzle,
    board: Board | None = None,
    *,
    caption: str = "",
    colours: Sequence[str | None] | None = None,
    **options: Any,
) -> None:
    """Write a picture of a board in the style of `BOARD_STYLES`."""
    if style == "pdf":
        from genoku.puzzle.pdf import write_pdf

        write_pdf(
            target,
            [puzzle],
            boards=[puzzle.board if board is None else board],
            captions=[caption],
            colours=None if colours is None else [colours],
            **options,
        )
    elif style == "png":
        from genoku.present.figures import board_png

        digits = puzzle.digits if board is None else board.tolist()
        picture = board_png(puzzle, digits, colours, caption=caption, **options)
        with binary_writer(target) as file:
            file.write(picture)
    else:
        drawn = puzzle.picture(
            board, style=cast("Style", style), caption=caption, colours=colours, **options
        )
        with text_writer(target) as stream:
            stream.write(drawn + "\n")


def uses_colour() -> bool:
    """Whether stdout is a terminal with colours."""
    return sys.stdout.isatty() and not is_colourless()


def is_colourless() -> bool:
    """Whether colours are turned off."""
    return bool(os.environ.get("NO_COLOR")) or os.environ.get("TERM") == "dumb"


def say(text: str) -> None:
    """Print a message on stderr."""
    click.echo(text, err=True)


def resume_command(name: str) -> str:
    """The command that resumes an interrupted one: itself again."""
    if sys.argv[1:2] == [name]:
        return shlex.join(["genoku", *sys.argv[1:]])
    return "the same command"


def utf8_stdout() -> TextIO:
    """Standard output in UTF-8, whatever the locale, for file formats."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8", errors="strict", newline="\n")
    return sys.stdout


def print_json(value: Any, *, compact: bool = False) -> None:
    click.echo(json.dumps(value, ensure_ascii=False, indent=None if compact else 2))


def report_conflicts(puzzle: Puzzle) -> bool:
    """Print all conflicts among the givens on stderr; return whether there are any."""
    conflicts = puzzle.conflicts()
    if conflicts:
        count = format_count(len(conflicts), "conflict")
        say(f"genoku: {count} among the givens, so there is no solution:")
        for conflict in conflicts:
            say(f"  {conflict}")
    return bool(conflicts)


def with_progress(
    items: Iterable[Item], what: str, total: int | None = None, *, results_on_stdout: bool = True
) -> Iterator[Item]:
    """Yield the items, with a progress bar on stderr unless results scroll on the terminal."""
    scrolling = results_on_stdout and sys.stdout.isatty()
    if scrolling or not can_redraw():
        yield from items
        return
    with progress_bar(what, total, estimates=True) as (progress, task):
        yield from progress.track(items, total=total, task_id=task)


def in_batches(
    work: Callable[[list[Item]], list[Answer]],
    items: Iterator[Item],
    size: int,
    jobs: int,
    what: str,
) -> Iterator[Answer]:
    """Process items in batches, in several processes, and yield the answers in order."""
    from genoku.runtime.workers import make_batches, map_in_order

    answers = itertools.chain.from_iterable(map_in_order(work, make_batches(items, size), jobs))
    return with_progress(answers, what)


def can_redraw() -> bool:
    """Whether stderr is a terminal that can redraw lines."""
    return sys.stderr.isatty() and os.environ.get("TERM") not in ("dumb", "unknown")


@contextmanager
def progress_bar(
    what: str,
    total: float | None = None,
    *,
    done: int = 0,
    units: str = "",
    counts: bool = True,
    estimates: bool = False,
) -> Iterator[tuple[Progress, TaskID]]:
    """A progress bar and its task, whose field `message` is shown after the numbers.

    Without `counts` there are no numbers, and only updates with `refresh` redraw the bar.
    """
    from rich import progress as rich
    from rich.console import Console

    columns = [
        rich.TextColumn("{task.description}", markup=False),
        rich.BarColumn(bar_width=24),
        *([rich.MofNCompleteColumn()] if counts else []),
        *([rich.TextColumn(units, markup=False)] if units else []),
        rich.TextColumn("{task.fields[message]}", markup=False),
        *([rich.TimeElapsedColumn()] if counts else []),
        *([rich.TimeRemainingColumn()] if estimates else []),
    ]
    console = Console(stderr=True)
    with rich.Progress(*columns, console=console, transient=True, auto_refresh=counts) as progress:
        yield progress, progress.add_task(what, total=total, completed=done, message="")


def status_message(text: str) -> AbstractContextManager[object]:
    """Show a message on a terminal while the context lasts."""
    if not can_redraw():
        return nullcontext()
    from rich.console import Console

    return Console(stderr=True).status(text)


def announce_and_load_kernels() -> None:
    """Load the compiled kernels, so that compilation is not timed."""
    with announcing_compilation():
        load_kernels()


@contextmanager
def announcing_compilation() -> Iterator[None]:
    """Print a message if kernels are compiled in this context."""
    from numba.core import event

    from genoku.runtime.jit import CompileListener

    text = "compiling kernels (once, takes a few seconds) ..."
    announce = functools.cache(lambda: say(text))  # only once
    with event.install_listener("numba:compile", CompileListener(announce, lambda: None)):
        yield


@functools.cache
def load_kernels() -> None:
    """Load the exact solver's kernels, once per process."""
    from genoku.exact import oracle

    oracle.solve(Puzzle.parse("." * 16))


def print_title(text: str) -> None:
    """Print a line, in bold type on a terminal with colours."""
    click.echo(click.style(text, bold=True) if uses_colour() else text)


def print_table(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print a table: the first column aligned left, all others right."""
    head, *body = table_lines(columns, rows)
    print_title(head)
    for line in body:
        click.echo(line)


def print_sentence(text: str) -> None:
    """Print a sentence, wrapped on a terminal."""
    if sys.stdout.isatty():
        text = textwrap.fill(text, min(100, shutil.get_terminal_size().columns))
    click.echo(text)


def table_lines(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """The lines of `print_table`."""
    whole = [list(columns), *(list(row) for row in rows)]
    wide = [max(len(row[place]) for row in whole) for place in range(len(columns))]
    return [
        "  ".join(
            each.ljust(width) if place == 0 else each.rjust(width)
            for place, (each, width) in enumerate(zip(row, wide, strict=True))
        ).rstrip()
        for row in whole
    ]


def print_groups(rows: Sequence[tuple[str, str, str, Sequence[tuple[str, str]]]]) -> None:
    """Print names with descriptions, and more lines in the same column, under group headings."""
    wide = max(len(name) for _, name, _, _ in rows)
    heading = ""
    for group, name, about, more in rows:
        if group != heading:
            click.echo(("\n" if heading else "") + group)
            heading = group
        click.echo(wrap_text(f"  {name:<{wide}}  ", about))
        for start, text in more:
            click.echo(wrap_text(f"{'':{wide + 4}}{start}", text))


def wrap_text(start: str, text: str) -> str:
    """Wrap text to the right of `start`, so that all lines begin in the same column."""
    indent = " " * len(start)
    return textwrap.fill(text, TEXT_WIDTH, initial_indent=start, subsequent_indent=indent)


Files = Mapping[str, str | Path | None]  # by the options that name them; None if not given

SUFFIXES = {  # what genoku writes; other content is refused under these names
    ".csv": "CSV", ".db": "a store", ".gif": "GIF", ".htm": "HTML", ".html": "HTML",
    ".json": "JSON", ".jsonl": "JSON lines", ".md": "Markdown", ".parquet": "Parquet",
    ".pdf": "PDF", ".png": "PNG", ".svg": "SVG", ".toml": "TOML",
}  # fmt: skip


def check_output_files(
    written: Files, read: Files | None = None, kinds: Mapping[str, str] | None = None
) -> dict[str, str | Path]:
    """Check that output files are writable, distinct, no inputs and of their `kinds`."""
    targets = {option: path for option, path in written.items() if path is not None}
    for option, path in targets.items():
        if reason := unwritable_reason(path):
            raise GenokuError(f"{option} {path}: {reason}")
    check_distinct_files(targets, read)
    for option in targets.keys() & (kinds or {}).keys():
        file_format(option, targets[option], SUFFIXES, (kinds or {})[option])
    return targets


def file_format(
    option: str,
    path: str | Path,
    suffixes: Mapping[str, str],
    chosen: str | None = None,
    default: str | None = None,
) -> str:
    """The chosen format of a file, which its suffix must fit, or the one its suffix implies."""
    known = (each.lower() for each in reversed(Path(path).suffixes) if each.lower() != ".gz")
    suffix = next(known, "")
    implied = suffixes.get(suffix, SUFFIXES.get(suffix))
    fits = implied in (None, chosen) or suffix == ".txt"
    if chosen is None:
        chosen, fits = (suffixes.get(suffix) if suffix else default), True
    if chosen is None or not fits:
        fitting = [each for each, kind in suffixes.items() if chosen in (None, kind)]
        what = f" for {chosen}" if chosen else ""
        ends = join_words(sorted(fitting), "or") or "another suffix"
        raise FormatError(f"{option} {path}: expected a file name that ends in {ends}{what}")
    return chosen


def check_distinct_files(targets: Mapping[str, str | Path], read: Files | None = None) -> None:
    """Raise if a file would be written twice, or both read and written."""
    taken = {file_identity(path): option for option, path in (read or {}).items() if path}
    for option, path in targets.items():
        other = taken.setdefault(file_identity(path), option)
        if other != option and is_regular_file(path):
            raise GenokuError(
                f"expected different files for {other} and {option}, got {path} for both"
            )


def unwritable_reason(path: str | Path) -> str | None:
    """Why a file cannot be written; None if it can."""
    target = Path(path)
    folder = target.parent
    try:
        if str(path) == "-":
            return "expected a file"
        if target.is_dir():
            return "is a folder"
        if not folder.is_dir():
            return f"no such folder: {folder}"
        if not os.access(target if target.exists() else folder, os.W_OK):
            return "not writable"
    except OSError as error:  # such as a name that is too long
        return error.strerror or str(error)
    return None


def file_identity(path: str | Path) -> tuple[Any, ...]:
    """A key that is equal for two names of one file, including links."""
    file = Path(path).resolve()
    if not file.exists():
        return (file,)
    status = file.stat()
    return (status.st_dev, status.st_ino) if status.st_ino else (file,)


def is_regular_file(path: str | Path) -> bool:
    """Whether a path is not a device, pipe or folder."""
    file = Path(path)
    return file.is_file() or not file.exists()
