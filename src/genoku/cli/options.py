"""Options that several commands share, help pages with groups of options, and puzzle input."""

from __future__ import annotations

import functools
import inspect
import itertools
import math
import re
import secrets
import shlex
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from genoku.cli import EXIT_INPUT, completion
from genoku.cli.main import DocumentedCommand
from genoku.errors import AmbiguousPuzzleError, FormatError, PuzzleError, UnknownPuzzleError
from genoku.evolve.stopping import WORDS, Until
from genoku.puzzle.board import Puzzle
from genoku.puzzle.bundled_puzzles import bundled
from genoku.puzzle.formats import FORMATS, Entry, read_puzzles
from genoku.puzzle.geometry import Geometry
from genoku.puzzle.notation import ALPHABETS, Alphabet
from genoku.puzzle.resolve import resolve
from genoku.runtime.text import format_count, join_words

if TYPE_CHECKING:
    from genoku.evolve.presets import Preset
    from genoku.evolve.recipe import Trust

Command = TypeVar("Command", bound=Callable[..., Any])
Option = Callable[[Any], Any]

MAX_REPORTED = 20  # bad entries that are reported one by one
WORDS_GIVEN = "genoku.words"  # the key of a command's words in its context
INPUT = "Input"  # the group of the options of `PuzzleInput`

PUZZLE = """\
PUZZLE is a board, a file, - for standard input, or a name: of a bundled puzzle, here or in its
report (very_hard), "empty 16", random or "random seed=7"."""
LIMITS = f"""\
LIMITS are {join_words(WORDS, "or")},
each with = and a number, joined by `or` and `and`: "generations=500 or seconds=10". Seconds are
wall time, cpu_seconds processor time; stagnation is the number of steps without a better board;
cost=3 stops at a cost of 3 or less."""


class GroupedOption(click.Option):
    """An option that is listed under the heading `group` on the help page."""

    def __init__(self, *declarations: Any, group: str = "Options", **settings: Any) -> None:
        super().__init__(*declarations, **settings)
        self.group = group

    def get_help_extra(self, ctx: click.Context) -> Any:
        """Omit ranges, which errors give, and Click's parentheses around default texts."""
        extra: dict[str, Any] = {**super().get_help_extra(ctx)}
        extra.pop("range", None)
        if isinstance(self.show_default, str):
            extra["default"] = self.show_default
        return extra


class GroupedCommand(DocumentedCommand):
    """A command whose help page lists its options in groups, those without a group first."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        ctx.meta[WORDS_GIVEN] = tuple(args)
        return super().parse_args(ctx, args)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        groups: dict[str, list[tuple[str, str]]] = {"Options": []}
        for each in self.get_params(ctx):
            record = each.get_help_record(ctx)
            if record and isinstance(each, click.Option):
                groups.setdefault(getattr(each, "group", "Options"), []).append(record)
        if INPUT in groups:
            groups[INPUT] = groups.pop(INPUT)  # last
        for title, records in groups.items():
            with formatter.section(title):
                formatter.write_dl(records)


def command(**settings: Any) -> Callable[[Any], click.Command]:
    """Decorate a function as a command."""
    return click.command(cls=GroupedCommand, **settings)


def option(*flags: str, **settings: Any) -> Option:
    """Give a command an option; `settings` go to Click, except `group`."""
    return click.option(*flags, cls=GroupedOption, **settings)


def whole_number(
    default: int | None = None, *, least: int = 1, most: int | None = None
) -> dict[str, Any]:
    """Settings of an option that takes an integer."""
    return {"type": click.IntRange(least, most), "default": default, "metavar": "N"}


def file_name(metavar: str) -> dict[str, Any]:
    """Settings of an option that takes a file name."""
    return {"metavar": metavar, "shell_complete": completion.files}


def check_seconds(_context: Any, _parameter: Any, value: float | None) -> float | None:
    if value is not None and not value >= 0:  # also refuses NaN
        raise click.BadParameter(f"expected 0 or more seconds, got {value}")
    return value


TIME_LIMIT: dict[str, Any] = {"type": float, "callback": check_seconds, "metavar": "S"}
COLOURS: dict[str, Any] = {
    "type": click.Choice(("map", "plain")),
    "help": "Colours of the board: report 003's fitness map, by complete units, or plain.",
}
INTEGER: dict[str, Any] = {"type": int, "metavar": "N"}
PUZZLE_NAME: dict[str, Any] = {"metavar": "PUZZLE", "shell_complete": completion.puzzles}


def output_option(about: str = "File to write; compressed if it ends in .gz.") -> Option:
    """Give a command `-o`; None is standard output."""
    return option(
        "-o",
        "--output",
        type=click.Path(dir_okay=False),
        callback=lambda _context, _parameter, path: None if path == "-" else path,
        help=about,
        show_default="standard output",
    )


json_option = option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
JSONL = "Print one line of JSON per puzzle."
jsonl_option = option("--jsonl", is_flag=True, help=JSONL)
BOX = "Shape of the boxes, such as 2x3."
ALLOW_CONFLICTS = "Run even if givens are in conflict."
TRUST = "Allow files to import your own parts (module:name), which runs their code."
trust_option = option("--trust", is_flag=True, help=TRUST)


def option_field(about: str, *flags: str, **settings: Any) -> Any:
    """A dataclass field that `add_options` fills from an option: `--its-name`, or `flags`.

    `settings` go to Click, except `group`, the heading on the help page.
    """
    metadata = {"flags": flags, "help": about, **settings}
    return field(default=settings.get("default"), metadata=metadata)


def file_field(about: str, *flags: str, metavar: str = "FILE", **settings: Any) -> Any:
    """An `option_field` that takes a file name."""
    return option_field(about, *flags, **file_name(metavar), **settings)


def time_limit_field() -> Any:
    """The `--time-limit` of a run."""
    about = "Time limit of a run in seconds; adds seconds=S to the other limits."
    return option_field(about, **TIME_LIMIT)


def add_options(name: str, kind: type) -> Callable[[Command], Command]:
    """Give a command an option for every `option_field` of `kind`, and pass it a `kind`."""
    known = {each.name: each for each in fields(kind)}

    def decorate(function: Command) -> Any:
        @functools.wraps(function)
        def call(**given: Any) -> Any:
            own = {each: given.pop(each) for each in known.keys() & given.keys()}
            return function(**{name: kind(**own)}, **given)

        for each in reversed(known.values()):
            if settings := dict(each.metadata):
                flags = settings.pop("flags") or (f"--{each.name.replace('_', '-')}",)
                if each.type == "bool":
                    settings["is_flag"] = True
                option(*flags, each.name, **settings)(call)
        return call

    return decorate


@dataclass
class PuzzleInput:
    """Reads the puzzles of a board, name, file or standard input, and counts bad entries."""

    source: str
    box: str | None = option_field(BOX, metavar="RxC", group=INPUT)
    alphabet: Alphabet = option_field(
        "Digits of large boards: 1-9A-Z (one), 0-9A-Z (zero) or A-Z (letters).",
        type=click.Choice(ALPHABETS),
        default="auto",
        group=INPUT,
    )
    format: str | None = option_field(
        "File format.", type=click.Choice(list(FORMATS)), group=INPUT, show_default="detected"
    )
    strict: bool = option_field("Stop at the first bad puzzle.", group=INPUT)
    random_seed: int | None = None  # of `random`; by default a new one, which is printed
    bad: int = 0
    reported: int = 0

    @property
    def source_name(self) -> str:
        return "standard input" if self.source == "-" else self.source

    def where(self, entry: Entry) -> str:
        """The place of an entry, for messages."""
        return f"{self.source_name}:{entry.line}" if entry.line else entry.name or self.source_name

    def entries(self) -> Iterator[Entry]:
        """Yield the puzzles of the source; report bad ones on stderr and count them."""
        source = self.source
        if source == "-" or path_exists(source):
            found = False
            on_error = None if self.strict else self.report
            for entry in read_puzzles(
                source, format=self.format, box=self.box, alphabet=self.alphabet, on_error=on_error
            ):
                found = True
                yield entry
            if not found and not self.bad:
                raise FormatError(f"{self.source_name}: expected puzzles, got none")
        else:
            yield self._resolve(source)

    def one_or_many(
        self, *, as_json: bool = False, jsonl: bool = False, made: Entry | None = None
    ) -> tuple[Entry | None, Iterator[Entry]]:
        """The single entry (`made`, if given), or None for several or with `--jsonl`; and all."""
        entries = self.entries() if made is None else iter((made,))
        first = list(itertools.islice(entries, 2))
        lone = first[0] if len(first) == 1 and not self.bad else None
        if as_json and jsonl:
            raise click.UsageError("expected only one of --json and --jsonl")
        if as_json and lone is None:
            raise click.UsageError("expected one puzzle with --json; use --jsonl for several")
        return (None if jsonl else lone), itertools.chain(first, entries)

    def only(self) -> Entry:
        """The only puzzle of the source."""
        self.strict = True
        lone, _ = self.one_or_many()
        if lone is None:
            raise FormatError(f"{self.source_name}: expected one puzzle, got several")
        return lone

    def _resolve(self, text: str) -> Entry:
        """The puzzle of a text that is no file."""
        try:
            return resolve(
                text,
                box=self.box,
                alphabet=self.alphabet,
                generate=self._generate,
                seed=secrets.randbelow(2**32) if self.random_seed is None else self.random_seed,
                or_file=True,
            )
        except AmbiguousPuzzleError as error:
            raise PuzzleError(list_puzzles(error)) from None
        except UnknownPuzzleError as error:
            if meaning := meaning_of(text):
                reason = f"no file and no bundled puzzle named {text!r}"
                raise UnknownPuzzleError(f"{reason}; it means {meaning}") from None
            raise error

    def _generate(self, geometry: Geometry, seed: int) -> Puzzle:
        from genoku.generator import random_puzzle

        if self.random_seed is None and "=" not in self.source:
            repeat = same_command(self.source, f"{self.source} seed={seed}")
            click.echo(f"random seed={seed}; for the same puzzle again: {repeat}", err=True)
        return random_puzzle(geometry, seed)

    def report(self, error: FormatError) -> None:
        """Count a bad entry; print only the first ones, since a wrong file may have millions."""
        self.bad += 1
        if self.reported < MAX_REPORTED:
            click.echo(f"genoku: {error}", err=True)
        self.reported += 1

    def refuse(self, entry: Entry, reason: str) -> None:
        """Report an entry that cannot be processed; raise if reading is strict."""
        refused = FormatError(f"{self.where(entry)}: {reason}")
        if self.strict:
            raise refused
        self.report(refused)

    def exit_code(self, otherwise: int = 0) -> int:
        """The exit code of a command that has read all entries."""
        if (more := self.reported - MAX_REPORTED) > 0:
            click.echo(f"genoku: and {format_count(more, 'message')} more like these", err=True)
        return EXIT_INPUT if self.bad else otherwise


def list_puzzles(error: AmbiguousPuzzleError) -> str:
    """Say which puzzles a name may mean, each with the command that chooses it."""
    lines = [f"{error.name!r} is the name of several puzzles; choose one:"]
    for name in error.alternatives:
        each = bundled()[name]
        about = "; ".join(filter(None, (each.source, each.note)))
        lines += [f"  {same_command(error.name, name)}", f"      {about}"]
    return "\n".join(lines)


def meaning_of(text: str) -> str:
    """What a text that names no puzzle means here, with a command; empty if it means nothing."""
    from genoku.cli.terms import target_text
    from genoku.evolve.terms import find

    found = find(text)
    if not found:
        return ""
    runs = [each for each in found if each.kind == "preset"]
    if runs:
        return f"{target_text(runs[0])}: genoku evolve --preset {runs[0].name}"
    if found[0].kind == "puzzle":
        return f"{target_text(found[0])}: {same_command(text, found[0].name)}"
    return f"{target_text(found[0])}: {shlex.join(['genoku', 'operators', text])}"


def same_command(word: str, instead: str) -> str:
    """The command that was given, with another word in place of one."""
    context = click.get_current_context()
    words: Sequence[str] = context.meta.get(WORDS_GIVEN, (word,))
    changed = [
        instead if each == word else re.sub(f"={re.escape(word)}$", f"={instead}", each)
        for each in words
    ]
    return f"{context.command_path} {shlex.join(changed)}"


def puzzle_argument(default: str | None = None) -> Callable[[Command], Command]:
    """Give a command its PUZZLE argument and the options of `PuzzleInput`, as `puzzles`."""
    # Click takes even None as a default, and an argument with a default is not required.
    given: dict[str, Any] = {"default": default} if default else {"required": True}
    metavar = "[PUZZLE]" if default else "PUZZLE"

    def decorate(function: Command) -> Command:
        call = add_options("puzzles", PuzzleInput)(function)
        if not default:
            about = inspect.getdoc(function) or ""
            call.__doc__ = about.replace("\n\nExamples:", f"\n\n{PUZZLE}\n\nExamples:", 1)
        click.argument("source", metavar=metavar, shell_complete=completion.puzzles, **given)(call)
        return call

    return decorate


def read_entries(sources: Sequence[str], box: str | None = None, *, seed: int) -> list[Entry]:
    """Read the puzzles of names, boards and files; the seed is that of `random`."""
    return [
        entry
        for source in sources
        for entry in PuzzleInput(source, box, strict=True, random_seed=seed).entries()
    ]


def random_entry(seed: int, box: str | None) -> Entry:
    """Generate a puzzle, 9×9 unless `box` is given."""
    return PuzzleInput("random", box, random_seed=seed).only()


def path_exists(source: str) -> bool:
    """Whether a source is a file or folder, not a board or name."""
    try:
        return bool(source) and Path(source).exists()  # an empty path is the current folder
    except (OSError, ValueError):  # a pasted board may not be a legal file name
        return False


def load_preset(name: str) -> Preset:
    """Load a preset by name, or a recipe from a .toml file."""
    from genoku.evolve.presets import preset, preset_from_file

    return preset_from_file(name) if name.endswith(".toml") else preset(name)


def combine_limits(until: str | None, seconds: float | None, default: str = "") -> Until:
    """Combine the limits of `--until` and `--time-limit`; the default if neither is given."""
    if until is None:
        until = default if seconds is None else ""
    parsed = Until.parse(until)
    if seconds is None or math.isinf(seconds):
        return parsed
    return parsed | Until.parse(f"seconds={seconds}")


def trusted_modules(trust: bool, settings: Iterable[str] = ()) -> Trust:
    """The modules that may be imported: any with `--trust`, else those that `settings` name."""
    if not (trust or settings):
        return False
    from genoku.evolve.presets import allow_local_modules
    from genoku.evolve.recipe import modules_in_settings

    found = trust or modules_in_settings(settings)
    if found:
        allow_local_modules()  # in the current folder
    return found
