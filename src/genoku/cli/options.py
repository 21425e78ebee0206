"""Arguments and options that several commands share, and the puzzles and presets they name."""

from __future__ import annotations

import functools
import inspect
import itertools
import math
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import Field, dataclass, field, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from genoku import collection
from genoku.board import Puzzle
from genoku.cli import EXIT_INPUT, completion
from genoku.errors import FormatError, PuzzleError
from genoku.formats import FORMATS, Entry, read_puzzles
from genoku.geometry import Geometry
from genoku.notation import ALPHABETS, Alphabet
from genoku.stopping import WORDS, Until
from genoku.words import did_you_mean, plural

if TYPE_CHECKING:
    from genoku.preset_library import Preset
    from genoku.recipe import Trust

Command = TypeVar("Command", bound=Callable[..., Any])
Option = Callable[[Any], Any]

MOST_REPORTED = 20  # bad entries that are named one by one

PUZZLE = "PUZZLE is a board, the name of a bundled one, a file, or - for stdin."
LIMITS = f"""\
LIMITS are any of {", ".join(WORDS)}, each with
= and a number, joined by `or` and `and`: "generations=500 or seconds=10". Seconds are wall
time, cpu_seconds processor time; stagnation counts steps without a better board; cost=3 means 3 or
less."""
"""What `--help` says of arguments that several commands have."""
PER_RUN = "Seconds per run: short for --until seconds=S, beside other limits."
"""What --time-limit does where there is --until."""


def number_option(
    name: str,
    about: str,
    default: int | None = None,
    *,
    least: int | None = 1,
    most: int | None = None,
    show_default: str | None = None,
) -> Option:
    """An option with a whole number."""
    bounded = least is not None or most is not None
    return click.option(
        name,
        type=click.IntRange(least, most) if bounded else int,
        default=default,
        metavar="N",
        help=about,
        show_default=show_default,
    )


def file_option(
    *names: str, about: str, metavar: str = "FILE", show_default: str | None = None
) -> Option:
    """An option with the name of a file."""
    return click.option(
        *names,
        metavar=metavar,
        shell_complete=completion.files,
        help=about,
        show_default=show_default,
    )


def jobs_option(
    about: str = "Processes.", default: int | None = 1, show_default: str | None = None
) -> Option:
    return number_option("--jobs", about, default, show_default=show_default)


def seconds_checked(_context: Any, _parameter: Any, value: float | None) -> float | None:
    """What an option with seconds must be."""
    if value is not None and not value >= 0:  # not a number is not a limit either
        raise click.BadParameter(f"expected seconds from 0 on, got {value}")
    return value


TIME_LIMIT: dict[str, Any] = {"type": float, "callback": seconds_checked, "metavar": "S"}


def time_limit_option(default: float | None = None, about: str = PER_RUN) -> Option:
    """The option that bounds the work on each puzzle, or run."""
    return click.option("--time-limit", default=default, help=about, **TIME_LIMIT)


def output_option(about: str = "File to write; .gz is zipped.") -> Option:
    return click.option(
        "-o",
        "--output",
        type=click.Path(dir_okay=False),
        help=about,
        show_default="standard output",
    )


box_option = click.option("--box", metavar="RxC", help="Shape of the boxes, such as 2x3.")
json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON.")
jsonl_option = click.option("--jsonl", is_flag=True, help="Print one JSON line per puzzle.")
TRUST = "Import the parts that files name as module:name, which runs their code."
trust_option = click.option("--trust", is_flag=True, help=TRUST)


def declared(about: str, *flags: str, **facts: Any) -> Any:
    """A field that an option fills: `--its-name`, or flags, and what else Click shall know of it.

    One of a bool is a flag. See `option_group`.
    """
    return field(metadata={"flags": flags, "help": about, **facts})


def declared_number(
    about: str, default: int | None = None, *, least: int = 1, most: int | None = None, **facts: Any
) -> Any:
    """A field that an option with a whole number fills."""
    kind = click.IntRange(least, most)
    return declared(about, type=kind, default=default, metavar="N", **facts)


def declared_file(about: str, *flags: str, metavar: str = "FILE", **facts: Any) -> Any:
    """A field that an option with the name of a file fills."""
    return declared(about, *flags, metavar=metavar, shell_complete=completion.files, **facts)


def _option_of(known: Field[Any]) -> Option:
    facts = dict(known.metadata)
    flags = facts.pop("flags") or (f"--{known.name.replace('_', '-')}",)
    if known.type == "bool":
        facts["is_flag"] = True
    return click.option(*flags, known.name, **facts)


def option_group(
    name: str, kind: type, options: Sequence[Option] = ()
) -> Callable[[Command], Command]:
    """Give a command options that it receives as one value: those that are fields of `kind`.

    They are listed here, or declared with the fields.
    """
    known = {each.name: each for each in fields(kind)}
    every = options or [_option_of(each) for each in known.values()]

    def decorate(function: Command) -> Any:
        @functools.wraps(function)
        def call(**given: Any) -> Any:
            own = {each: given.pop(each) for each in known.keys() & given.keys()}
            return function(**{name: kind(**own)}, **given)

        for option in reversed(every):
            option(call)
        return call

    return decorate


@dataclass
class Reading:
    """How the source is to be read, and how many bad entries it had."""

    source: str
    box: str | None = None
    alphabet: Alphabet = "auto"
    format: str | None = None
    strict: bool = True
    bad: int = 0
    reported: int = 0

    @property
    def shown(self) -> str:
        return "standard input" if self.source == "-" else self.source

    def where(self, entry: Entry) -> str:
        """The place of an entry, to name it in a message."""
        return f"{self.shown}:{entry.line}" if entry.line else entry.name or self.shown

    def entries(self) -> Iterator[Entry]:
        """The puzzles of the source; a bad one is reported on stderr and counted."""
        source = self.source
        if source == "-" or is_there(source):
            found = False
            on_error = None if self.strict else self.report
            for entry in read_puzzles(
                source, format=self.format, box=self.box, alphabet=self.alphabet, on_error=on_error
            ):
                found = True
                yield entry
            if not found and not self.bad:
                raise FormatError(f"{self.shown}: expected puzzles, got none")
        elif source in collection.bundled():
            puzzle = collection.bundled()[source].puzzle
            yield Entry(Puzzle.parse(puzzle, box=self.box), name=source)
        else:
            yield Entry(self._parse(source))

    def one_or_many(self) -> tuple[Entry | None, Iterator[Entry]]:
        """A lone entry if there is just one, and all of them."""
        entries = self.entries()
        first = list(itertools.islice(entries, 2))
        everything = itertools.chain(first, entries)
        return (first[0] if len(first) == 1 and not self.bad else None), everything

    def only(self) -> Entry:
        """The one puzzle that the command works on."""
        self.strict = True  # what is wrong with it is all there is to say
        lone, _ = self.one_or_many()
        if lone is None:
            raise FormatError(f"{self.shown}: expected one puzzle, got several")
        return lone

    def _parse(self, text: str) -> Puzzle:
        try:
            return Puzzle.parse(text, box=self.box, alphabet=self.alphabet)
        except PuzzleError:
            name = Path(text)
            if name.suffix[1:].isalpha() and ".." not in name.name:
                raise PuzzleError(f"{text}: there is no such file") from None
            hint = did_you_mean(text, collection.bundled())
            if not hint and not re.fullmatch(r"[a-z][a-z\d]*(-[a-z\d]+)*|[\w.~-]*/.*", text, re.I):
                raise  # as what it is: a board that is not sound
            raise PuzzleError(f"there is no file and no bundled puzzle {text!r}{hint}") from None

    def report(self, error: FormatError) -> None:
        """Count a bad entry, and name the first ones: a wrong file may have millions."""
        self.bad += 1
        if self.reported < MOST_REPORTED:
            click.echo(f"genoku: {error}", err=True)
        self.reported += 1

    def refuse(self, entry: Entry, reason: str) -> None:
        """Report an entry that cannot be worked on; raise at once where reading is strict."""
        refused = FormatError(f"{self.where(entry)}: {reason}")
        if self.strict:
            raise refused
        self.report(refused)

    def exit_code(self, otherwise: int = 0) -> int:
        """The exit code of a command that has read all entries, once all are accounted for."""
        if (more := self.reported - MOST_REPORTED) > 0:
            click.echo(f"genoku: and {plural(more, 'message')} more like these", err=True)
        return EXIT_INPUT if self.bad else otherwise


def reads_puzzles(default: str | None = None) -> Callable[[Command], Command]:
    """Give a command its PUZZLE argument, and the options that say how to read it, as `reading`."""
    # To Click even None is a default, and what has one is not required.
    given: dict[str, Any] = {"default": default} if default else {"required": True}
    options: list[Option] = [
        click.argument(
            "source",
            metavar="[PUZZLE]" if default else "PUZZLE",
            **given,
            shell_complete=completion.puzzles,
        ),
        box_option,
        click.option(
            "--alphabet",
            type=click.Choice(ALPHABETS),
            default="auto",
            help="How large boards are written: one 1-9A-Z, zero 0-9A-Z, letters A-Z.",
        ),
        click.option(
            "--format",
            type=click.Choice(list(FORMATS)),
            help="Format of a file, where its content does not tell.",
        ),
        click.option("--strict", is_flag=True, help="Stop at the first bad puzzle."),
    ]

    def decorate(function: Command) -> Command:
        command = option_group("reading", Reading, options)(function)
        if not default:
            command.__doc__ = f"{inspect.getdoc(function)}\n\n{PUZZLE}"
        return command

    return decorate


def one_json_or_lines(lone: Entry | None, *, as_json: bool, jsonl: bool) -> Entry | None:
    """The lone entry, unless a line for each of many is asked for."""
    if as_json and jsonl:
        raise click.UsageError("expected one of --json and --jsonl")
    if as_json and lone is None:
        raise click.UsageError("expected one puzzle with --json; --jsonl is for many")
    return None if jsonl else lone


def entries_of(sources: Sequence[str], box: str | None = None) -> list[Entry]:
    """All puzzles of names, boards and files."""
    return [entry for source in sources for entry in Reading(source, box).entries()]


def random_entry(seed: int, box: str | None) -> Entry:
    """A new puzzle by that seed, of 9×9 or with those boxes."""
    from genoku.generator import Wanted, generate

    wanted = None if box is None else Wanted(Geometry.parse(box))
    return Entry(generate(wanted, seed).puzzle, name="random")


def is_there(source: str) -> bool:
    """Whether a source is a file, or a folder, and no board or name."""
    try:
        return bool(source) and Path(source).exists()  # an empty path is the folder we are in
    except (OSError, ValueError):  # a pasted board may be no legal file name
        return False


def found_preset(name: str) -> Preset:
    """The preset of that name, or the recipe of a file whose name ends in .toml."""
    from genoku.preset_library import from_file, preset

    return from_file(name) if name.endswith(".toml") else preset(name)


def limited(until: str, seconds: float | None) -> Until:
    """The limits in words, and `--time-limit`."""
    parsed = Until.parse(until)
    if seconds is None or math.isinf(seconds):
        return parsed
    return parsed | Until.parse(f"seconds={seconds}")


def trusted(trust: bool, settings: Iterable[str] = ()) -> Trust:
    """Whose code may be imported: anybody's, or that of modules which the command line names.

    Such modules are looked for in the current folder too.
    """
    if not (trust or settings):
        return False
    from genoku.preset_library import with_own_parts
    from genoku.recipe.building import modules_named

    found = trust or modules_named(settings)
    if found:
        with_own_parts()
    return found
