"""`genoku generate`: new puzzles, as lines, in any format, or as sheets to print."""

from __future__ import annotations

import secrets
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from genoku.board import Board, Puzzle
from genoku.cli import EXIT_INTERRUPTED, completion
from genoku.cli.options import (
    Reading,
    declared,
    declared_number,
    option_group,
    output_option,
)
from genoku.cli.output import (
    board_text,
    check_targets,
    kind_of,
    ready_kernels,
    results_stream,
    say,
    with_progress,
)
from genoku.errors import ImpossibleError
from genoku.failures import catching_interrupts
from genoku.formats import FORMATS, SUFFIXES, Entry, save_puzzles, write_puzzles
from genoku.geometry import SYMMETRIES, Geometry, Symmetry
from genoku.sheet import MAX_PER_PAGE, PAPERS, Paper, check_letters, write_pdf
from genoku.techniques import LEVELS, Level
from genoku.words import plural

if TYPE_CHECKING:
    from genoku.generator import Made, Wanted

BARE = ("line", "numbers", "sdm", "ss", "grid")


@dataclass(frozen=True)
class Sheets:
    """How sheets are to look."""

    per_page: int = declared_number("Boards on a page of a PDF.", 4, most=MAX_PER_PAGE)
    paper: Paper = declared("Of a PDF.", type=click.Choice(PAPERS), default="a4")
    title: str = declared("Heading of a PDF.", default="", show_default=False)

    def __post_init__(self) -> None:
        check_letters(self.title)  # before minutes of work

    def write(
        self,
        target: str,
        puzzles: Sequence[Puzzle],
        solutions: Sequence[Board | None],
        level: str = "",
    ) -> None:
        """Write the puzzles, numbered, and their solutions at the back."""
        captions = [
            " · ".join(filter(None, [f"No. {i}", level, plural(puzzle.givens, "given")]))
            for i, puzzle in enumerate(puzzles, start=1)
        ]
        write_pdf(
            target,
            puzzles,
            solutions=solutions,
            per_page=self.per_page,
            paper=self.paper,
            title=self.title,
            captions=captions,
        )
        say(f"wrote {plural(len(puzzles), 'puzzle')} to {target}")


@dataclass(frozen=True)
class MakeOptions:
    """What is asked of new puzzles: every field with its option."""

    size: str = declared("Side, or box shape.", default="9", metavar="N|RxC")
    givens: int | None = declared(
        "Exact number of givens.", type=int, metavar="N", show_default="minimal"
    )
    minimal: bool = declared(
        "No given can be left out: the default, but that --level may put some back."
    )
    share: str | None = declared("Blank at random to a share of givens: 0.45 or 45%.", metavar="S")
    mask: str | None = declared(
        "A board, its name or its file, whose filled cells are to be given.",
        metavar="PUZZLE",
        shell_complete=completion.puzzles,
    )
    symmetry: Symmetry = declared(
        "Of the pattern of givens.", type=click.Choice(SYMMETRIES), default="none"
    )
    level: Level | None = declared(
        "How hard for a person.", type=click.Choice(LEVELS), show_default="any"
    )
    count: int = declared_number("How many puzzles.", 1)
    seed: int | None = declared(
        "The same seed gives the same puzzles.", type=int, metavar="N", show_default="drawn"
    )
    first: int = declared_number("Number of the first puzzle of the seed.", 0, least=0)
    jobs: int = declared_number("Processes.", 1)

    def wanted(self) -> Wanted:
        """What to generate."""
        from genoku.generator import Wanted

        geometry = Geometry.parse(self.size)
        if self.minimal and (self.givens is not None or self.share is not None or self.mask):
            raise click.UsageError("expected --minimal without --givens, --share and --mask")
        return Wanted(
            geometry,
            givens=self.givens,
            symmetry=self.symmetry,
            level=self.level,
            minimal=self.minimal,
            share=None if self.share is None else _share(self.share),
            mask=None if self.mask is None else _mask(self.mask, geometry),
        )


@click.command(
    epilog="""\b
Examples:
  genoku generate                                   a minimal 9×9 puzzle
  genoku generate --level hard --symmetry rotation180 --count 6 --pdf sheet.pdf
  genoku generate --size 16 --givens 110
  genoku generate --size 25 --share 45% --count 100 -o benchmark.jsonl
  genoku generate --count 100000 --jobs 2 --seed 1 -o many.txt.gz
""",
)
@option_group("asked", MakeOptions)
@output_option()
@click.option(
    "--to",
    type=click.Choice(list(FORMATS)),
    help="Format; csv, tsv, json and jsonl carry solution, seed and --level.",
    show_default="by suffix, or line",
)
@click.option("--pdf", type=click.Path(dir_okay=False), help="Printable sheets, solutions last.")
@option_group("sheets", Sheets)
def generate(
    asked: MakeOptions, output: str | None, to: str | None, pdf: str | None, sheets: Sheets
) -> int:
    """Make new puzzles with one solution (or, with --share, as it comes)."""
    from genoku.generator import generate_many

    wanted, level, count, first = asked.wanted(), asked.level, asked.count, asked.first
    output = None if output == "-" else output
    check_targets({"-o": output, "--pdf": pdf}, kinds={"--pdf": "PDF"})
    if output is not None:
        to = kind_of("-o", output, SUFFIXES, to)
    seed = asked.seed
    if seed is None:
        seed = secrets.randbelow(2**32)
        say(f"seed {seed}")
    ready_kernels()
    stream = with_progress(
        generate_many(wanted, count, seed, jobs=asked.jobs, first=first),
        "making",
        count,
        results_on_stdout=output is None and pdf is None,
    )
    made = Interruptible(stream)
    results: Iterable[Made] = made
    if pdf is not None:
        results = list(made)
        if results or not made.interrupted:
            target = str(_partial(Path(pdf))) if made.interrupted else pdf
            puzzles = [one.puzzle for one in results]
            sheets.write(target, puzzles, [one.solution.board for one in results], level or "")
    if output is not None and to is not None:
        _save(_entries(results, to, level), made, output, to)
    elif to is not None:
        write_puzzles(_entries(results, to, level), results_stream(), to)
    elif pdf is None:
        for one in results:
            if count == 1 and sys.stdout.isatty():
                click.echo(board_text(one.puzzle))
            click.echo(one.puzzle.line)
    if made.interrupted:
        done = first + made.done
        say(f"interrupted; go on with --seed {seed} --first {done} --count {first + count - done}")
        return EXIT_INTERRUPTED
    return 0


@dataclass
class Interruptible:
    """A stream that Ctrl-C ends rather than breaks, so that what is made is kept."""

    stream: Iterator[Made]
    done: int = 0
    interrupted: bool = False

    def __iter__(self) -> Iterator[Made]:
        with catching_interrupts() as caught:
            for made in self.stream:
                self.done += 1
                yield made
        self.interrupted = bool(caught)


def _share(text: str) -> float:
    try:
        return float(text[:-1]) / 100 if text.endswith("%") else float(text)
    except ValueError:
        raise ImpossibleError(f"expected a share such as 0.45 or 45%, got {text!r}") from None


def _mask(source: str, geometry: Geometry) -> bytes:
    """The digits of a board: which cells it fills is what counts."""
    return Reading(source, geometry.box).only().puzzle.digits


def _entries(made: Iterable[Made], format_name: str, level: Level | None) -> Iterator[Entry]:
    """A puzzle alone where people read it; solution, seed and level where programs do."""
    for one in made:
        if format_name in BARE:
            yield Entry(one.puzzle)
            continue
        fields = {"seed": str(one.seed), "index": str(one.index), "verdict": one.verdict}
        if level is not None:
            fields["level"] = level
        yield Entry(one.puzzle, solution=one.solution.digits, fields=fields)


def _save(entries: Iterator[Entry], made: Interruptible, output: str, format_name: str) -> None:
    """Write the file when all is made; after Ctrl-C, what is made goes beside it."""
    target = Path(output).resolve()
    if target.exists() and not target.is_file():  # a device or a pipe
        save_puzzles(entries, target, format_name)
        return
    partial = _partial(target)
    written = save_puzzles(entries, partial, format_name)
    if not made.interrupted:
        partial.replace(target)
        say(f"wrote {plural(written, 'puzzle')} to {output}")
    elif written:
        say(f"wrote {plural(written, 'puzzle')} to {partial.name}")
    else:
        partial.unlink()


def _partial(target: Path) -> Path:
    """`many.partial.txt.gz` for `many.txt.gz`."""
    stem, dot, suffix = target.name.partition(".")
    return target.with_name(f"{stem}.partial{dot}{suffix}")
