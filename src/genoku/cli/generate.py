"""`genoku generate`: generate puzzles, as text or as sheets to print."""

from __future__ import annotations

import secrets
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from genoku.cli import EXIT_INTERRUPTED
from genoku.cli.options import (
    INTEGER,
    PUZZLE_NAME,
    PuzzleInput,
    add_options,
    command,
    option,
    option_field,
    output_option,
    whole_number,
)
from genoku.cli.output import (
    announce_and_load_kernels,
    board_text,
    check_output_files,
    file_format,
    say,
    utf8_stdout,
    with_progress,
)
from genoku.errors import ImpossibleError
from genoku.puzzle.board import Board, Puzzle
from genoku.puzzle.formats import FORMATS, SUFFIXES, Entry, save_puzzles, write_puzzles
from genoku.puzzle.geometry import SYMMETRIES, Geometry, Symmetry
from genoku.puzzle.pdf import MAX_PER_PAGE, PAPERS, Paper, check_letters, write_pdf
from genoku.runtime.signals import catch_interrupts
from genoku.runtime.text import format_count
from genoku.techniques import LEVELS, Level

if TYPE_CHECKING:
    from genoku.generator import GeneratedPuzzle, PuzzleRequest

BARE = ("line", "numbers", "sdm", "ss", "grid")  # formats that hold nothing but boards
GIVENS, PDF = "Givens", "PDF"


@dataclass(frozen=True)
class SheetOptions:
    """The options of PDF sheets."""

    per_page: int = option_field(
        "Boards per page.", **whole_number(4, most=MAX_PER_PAGE), group=PDF
    )
    paper: Paper = option_field("Paper size.", type=click.Choice(PAPERS), default="a4", group=PDF)
    title: str = option_field("Heading of the pages.", default="", show_default=False, group=PDF)

    def __post_init__(self) -> None:
        check_letters(self.title)  # fail before the work

    def write(
        self,
        target: str,
        puzzles: Sequence[Puzzle],
        solutions: Sequence[Board | None],
        level: str = "",
    ) -> None:
        """Write the numbered puzzles, with their solutions at the back."""
        captions = [
            " · ".join(filter(None, [f"No. {i}", level, format_count(puzzle.givens, "given")]))
            for i, puzzle in enumerate(puzzles, start=1)
        ]
        write_pdf(target, puzzles, solutions=solutions, captions=captions, **asdict(self))
        say(f"wrote {format_count(len(puzzles), 'puzzle')} to {target}")


@dataclass(frozen=True)
class GenerateOptions:
    """The options of new puzzles."""

    size: str = option_field("Side of the board, or box shape.", default="9", metavar="N|RxC")
    level: Level | None = option_field(
        "Difficulty for a person.", type=click.Choice(LEVELS), show_default="any"
    )
    symmetry: Symmetry = option_field(
        "Symmetry of the pattern of givens.", type=click.Choice(SYMMETRIES), default="none"
    )
    count: int = option_field("Number of puzzles.", **whole_number(1))
    seed: int | None = option_field(
        "Random seed; the same seed gives the same puzzles.", **INTEGER, show_default="random"
    )
    first: int = option_field(
        "Index of the first puzzle in the seed's sequence.", **whole_number(0, least=0)
    )
    jobs: int = option_field("Processes.", **whole_number(1))
    givens: int | None = option_field(
        "Exact number of givens.", **INTEGER, show_default="minimal", group=GIVENS
    )
    minimal: bool = option_field(
        "No redundant givens. This is the default, except with --level.", group=GIVENS
    )
    share: str | None = option_field(
        "Share of givens, such as 0.45 or 45%; cells are blanked at random, and there may be "
        "several solutions.",
        metavar="S",
        group=GIVENS,
    )
    mask: str | None = option_field(
        "Put givens in the filled cells of this board, name or file.", **PUZZLE_NAME, group=GIVENS
    )

    def specification(self) -> PuzzleRequest:
        from genoku.generator import PuzzleRequest

        geometry = Geometry.parse(self.size)
        if self.minimal and (self.givens is not None or self.share is not None or self.mask):
            raise click.UsageError("expected --minimal without --givens, --share or --mask")
        mask = None
        if self.mask is not None:
            mask = PuzzleInput(self.mask, geometry.box).only().puzzle.digits
        share = None if self.share is None else _share(self.share)
        same = {name: getattr(self, name) for name in ("givens", "symmetry", "level", "minimal")}
        return PuzzleRequest(geometry, share=share, mask=mask, **same)


@command()
@add_options("options", GenerateOptions)
@output_option()
@option(
    "--to",
    type=click.Choice(list(FORMATS)),
    help="Format; csv, tsv, json and jsonl include solution, seed and level.",
    show_default="by suffix, else line",
)
@option(
    "--pdf", type=click.Path(dir_okay=False), help="Write sheets to print, solutions at the end."
)
@add_options("sheets", SheetOptions)
def generate(
    options: GenerateOptions,
    output: str | None,
    to: str | None,
    pdf: str | None,
    sheets: SheetOptions,
) -> int:
    """Generate puzzles with exactly one solution.

    Examples:
      genoku generate                                   a minimal 9×9 puzzle
      genoku generate --level hard --symmetry rotation180 --count 6 --pdf sheet.pdf
      genoku generate --size 16 --givens 110
      genoku generate --size 25 --share 45% --count 100 -o benchmark.jsonl
      genoku generate --count 100000 --jobs 2 --seed 1 -o many.txt.gz
    """
    from genoku.generator import generate_many

    level, count, first, seed = options.level, options.count, options.first, options.seed
    wanted = options.specification()
    check_output_files({"-o": output, "--pdf": pdf}, kinds={"--pdf": "PDF"})
    if output is not None:
        to = file_format("-o", output, SUFFIXES, to)
    if seed is None:
        seed = secrets.randbelow(2**32)
        say(f"seed {seed}")
    announce_and_load_kernels()
    stream = with_progress(
        generate_many(wanted, count, seed, jobs=options.jobs, first=first),
        "generating",
        count,
        results_on_stdout=output is None and pdf is None,
    )
    made = Interruptible(stream)
    results: Iterable[GeneratedPuzzle] = made
    if pdf is not None:
        results = list(made)
        if results or not made.interrupted:
            target = str(_partial(Path(pdf))) if made.interrupted else pdf
            puzzles = [one.puzzle for one in results]
            sheets.write(target, puzzles, [one.solution.board for one in results], level or "")
    if output is not None and to is not None:
        _save(_entries(results, to, level), made, output, to)
    elif to is not None:
        write_puzzles(_entries(results, to, level), utf8_stdout(), to)
    elif pdf is None:
        for one in results:
            if count == 1 and sys.stdout.isatty():
                click.echo(board_text(one.puzzle))
            click.echo(one.puzzle.line)
    if made.interrupted:
        done = first + made.done
        say(f"interrupted; resume with --seed {seed} --first {done} --count {first + count - done}")
        return EXIT_INTERRUPTED
    return 0


@dataclass
class Interruptible:
    """A stream of puzzles that Ctrl-C ends without an error, so that finished ones are kept."""

    stream: Iterator[GeneratedPuzzle]
    done: int = 0
    interrupted: bool = False

    def __iter__(self) -> Iterator[GeneratedPuzzle]:
        with catch_interrupts() as caught:
            for made in self.stream:
                self.done += 1
                yield made
        self.interrupted = bool(caught)


def _share(text: str) -> float:
    try:
        return float(text[:-1]) / 100 if text.endswith("%") else float(text)
    except ValueError:
        raise ImpossibleError(f"expected a share such as 0.45 or 45%, got {text!r}") from None


def _entries(
    made: Iterable[GeneratedPuzzle], format_name: str, level: Level | None
) -> Iterator[Entry]:
    """Yield entries, with solution, seed and level if the format has fields for them."""
    for one in made:
        if format_name in BARE:
            yield Entry(one.puzzle)
            continue
        fields = {"seed": str(one.seed), "index": str(one.index), "verdict": one.verdict}
        if level is not None:
            fields["level"] = level
        yield Entry(one.puzzle, solution=one.solution.digits, fields=fields)


def _save(entries: Iterator[Entry], made: Interruptible, output: str, format_name: str) -> None:
    """Write the file once all puzzles are generated; after Ctrl-C, a partial file beside it."""
    target = Path(output).resolve()
    if target.exists() and not target.is_file():  # a device or a pipe
        save_puzzles(entries, target, format_name)
        return
    partial = _partial(target)
    written = save_puzzles(entries, partial, format_name)
    if not made.interrupted:
        partial.replace(target)
        say(f"wrote {format_count(written, 'puzzle')} to {output}")
    elif written:
        say(f"wrote {format_count(written, 'puzzle')} to {partial.name}")
    else:
        partial.unlink()


def _partial(target: Path) -> Path:
    """`many.partial.txt.gz` for `many.txt.gz`."""
    stem, dot, suffix = target.name.partition(".")
    return target.with_name(f"{stem}.partial{dot}{suffix}")
