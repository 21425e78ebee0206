"""What the commands are given: a puzzle, a name, a file or `-`, and how to read it."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar, cast

import click

from genoku import collection
from genoku.board import Puzzle
from genoku.errors import FormatError, PuzzleError
from genoku.formats import FORMATS, Entry, read_puzzles
from genoku.notation import ALPHABETS, Alphabet

Command = TypeVar("Command", bound=Callable[..., Any])


@dataclass
class Reading:
    """How the source is to be read, and how many bad entries it had."""

    source: str
    box: str | None
    alphabet: Alphabet
    format: str | None
    strict: bool
    bad: int = 0

    @property
    def shown(self) -> str:
        return "standard input" if self.source == "-" else self.source

    def where(self, entry: Entry) -> str:
        """The place of an entry, to name it in a message."""
        return f"{self.shown}:{entry.line}" if entry.line else entry.name or self.shown

    def entries(self) -> Iterator[Entry]:
        """The puzzles of the source; a bad one is reported on stderr and counted."""
        source = self.source
        if source == "-" or _is_file(source):
            found = False
            on_error = None if self.strict else self._report
            for entry in read_puzzles(
                source, format=self.format, box=self.box, alphabet=self.alphabet, on_error=on_error
            ):
                found = True
                yield entry
            if not found and not self.bad:
                raise FormatError(f"{self.shown}: expected puzzles, got none")
        elif source in collection.bundled():
            yield Entry(collection.bundled()[source].puzzle, name=source)
        else:
            yield Entry(self._parsed(source))

    def one_or_many(self) -> tuple[Entry | None, Iterator[Entry]]:
        """A lone entry if there is just one, and all of them."""
        entries = self.entries()
        first = list(itertools.islice(entries, 2))
        everything = itertools.chain(first, entries)
        return (first[0] if len(first) == 1 and not self.bad else None), everything

    def only(self) -> Entry:
        """The one puzzle that the command works on."""
        lone, _ = self.one_or_many()
        if lone is None:
            raise FormatError(f"{self.shown}: expected one puzzle, got several")
        return lone

    def _parsed(self, text: str) -> Puzzle:
        try:
            return Puzzle.parse(text, box=self.box, alphabet=self.alphabet)
        except PuzzleError as error:
            if len(text) >= 16 and not Path(text).suffix.lstrip(".").isalpha():
                raise
            near = collection.similar(text)
            hint = f" (did you mean {' or '.join(near)}?)" if near else ""
            raise PuzzleError(
                f"{text!r} is no file, no bundled puzzle{hint} and no board: {error}"
            ) from None

    def _report(self, error: FormatError) -> None:
        self.bad += 1
        click.echo(f"genoku: {error}", err=True)


def _is_file(source: str) -> bool:
    try:
        return Path(source).exists()
    except (OSError, ValueError):  # a pasted board may be no legal file name
        return False


def _complete(_context: Any, _parameter: Any, typed: str) -> list[Any]:
    from click.shell_completion import CompletionItem

    names = [name for name in collection.bundled() if name.startswith(typed)]
    return [*(CompletionItem(name) for name in names), CompletionItem(typed, type="file")]


def reads_puzzles(default: str | None = None) -> Callable[[Command], Command]:
    """Give a command its PUZZLE argument and the options that say how to read it.

    The command receives them as one `Reading`.
    """

    def decorate(function: Command) -> Command:
        @functools.wraps(function)
        def call(
            source: str,
            box: str | None,
            alphabet: Alphabet,
            format_: str | None,
            strict: bool,
            **options: Any,
        ) -> Any:
            return function(Reading(source, box, alphabet, format_, strict), **options)

        for option in reversed(
            [
                click.argument(
                    "source",
                    metavar="[PUZZLE]" if default else "PUZZLE",
                    required=default is None,
                    default=default,
                    shell_complete=_complete,
                ),
                click.option("--box", metavar="RxC", help="Shape of the boxes, such as 2x3."),
                click.option(
                    "--alphabet",
                    type=click.Choice(ALPHABETS),
                    default="auto",
                    help="Which digits letters stand for: 1-9A-Z, 0-9A-Z or A-Z.",
                ),
                click.option(
                    "--format",
                    "format_",
                    type=click.Choice(list(FORMATS)),
                    help="Format of a file, where its content does not tell.",
                ),
                click.option("--strict", is_flag=True, help="Stop at the first bad line."),
            ]
        ):
            call = option(call)
        return cast("Command", call)

    return decorate
