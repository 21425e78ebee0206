"""`genoku generate`: new puzzles, as lines, in any format, or as sheets to print."""

from __future__ import annotations

import secrets
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from genoku.cli.completers import puzzles
from genoku.cli.exits import EXIT_INTERRUPTED
from genoku.cli.inputs import Reading, jobs_option
from genoku.cli.output import board_text, ready_kernels, results_stream, say, with_progress
from genoku.cli.sheets import Sheets, sheet_options
from genoku.cli.targets import check_targets, kind_of
from genoku.errors import ImpossibleError
from genoku.formats import FORMATS, SUFFIXES, Entry, save_puzzles, write_puzzles
from genoku.geometry import Geometry
from genoku.interrupts import is_interrupt
from genoku.symmetry import SYMMETRIES, Symmetry
from genoku.techniques import LEVELS, Level
from genoku.words import plural

if TYPE_CHECKING:
    from genoku.generator import Made

BARE = ("line", "numbers", "sdm", "ss", "grid")


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
@click.option("--size", default="9", metavar="N|RxC", help="Side, or box shape.")
@click.option(
    "--givens", type=int, metavar="N", help="Exactly so many givens.", show_default="minimal"
)
@click.option(
    "--minimal",
    is_flag=True,
    help="No given can be left out: the default, but that --level may put some back.",
)
@click.option("--share", metavar="S", help="Blank at random to a share of givens: 0.45 or 45%.")
@click.option(
    "--mask",
    metavar="PUZZLE",
    shell_complete=puzzles,
    help="A board, its name or its file, whose filled cells are to be given.",
)
@click.option(
    "--symmetry",
    type=click.Choice(SYMMETRIES),
    default="none",
    help="Of the pattern of givens.",
)
@click.option(
    "--level", type=click.Choice(LEVELS), help="How hard for a person.", show_default="any"
)
@click.option(
    "--count",
    type=click.IntRange(min=1),
    default=1,
    metavar="N",
    help="How many puzzles.",
)
@click.option(
    "--seed",
    type=int,
    metavar="N",
    help="The same seed gives the same puzzles.",
    show_default="drawn",
)
@click.option(
    "--first",
    type=click.IntRange(min=0),
    default=0,
    metavar="N",
    help="Number of the first puzzle of the seed.",
)
@jobs_option("Processes.")
@click.option(
    "-o",
    "--output",
    type=click.Path(dir_okay=False),
    help="File to write; .gz is zipped.",
    show_default="standard output",
)
@click.option(
    "--to",
    type=click.Choice(list(FORMATS)),
    help="Format; csv, tsv, json and jsonl carry solution, seed and --level.",
    show_default="by suffix, or line",
)
@click.option("--pdf", type=click.Path(dir_okay=False), help="Printable sheets, solutions last.")
@sheet_options
def generate(
    size: str,
    givens: int | None,
    minimal: bool,
    share: str | None,
    mask: str | None,
    symmetry: Symmetry,
    level: Level | None,
    count: int,
    seed: int | None,
    first: int,
    jobs: int,
    output: str | None,
    to: str | None,
    pdf: str | None,
    sheets: Sheets,
) -> int:
    """Make new puzzles with one solution (or, with --share, as it comes)."""
    from genoku.generator import Wanted, generate_many

    geometry = Geometry.parse(size)
    if minimal and (givens is not None or share is not None or mask):
        raise click.UsageError("expected --minimal without --givens, --share and --mask")
    wanted = Wanted(
        geometry,
        givens=givens,
        symmetry=symmetry,
        level=level,
        minimal=minimal,
        share=None if share is None else _share(share),
        mask=None if mask is None else _mask(mask, geometry),
    )
    to_stdout = output in (None, "-")
    named = {"-o": None if to_stdout else output, "--pdf": pdf}
    written = {option: path for option, path in named.items() if path is not None}
    check_targets(written, kinds={"--pdf": "PDF"})
    if "-o" in written:
        to = kind_of("-o", written["-o"], SUFFIXES, to)
    if seed is None:
        seed = secrets.randbelow(2**32)
        say(f"seed {seed}")
    ready_kernels()
    stream = with_progress(
        generate_many(wanted, count, seed, jobs=jobs, first=first),
        "making",
        count,
        results_on_stdout=to_stdout and pdf is None,
    )
    made = Interruptible(stream)
    results: Iterable[Made] = made
    if pdf is not None:
        results = list(made)
        if results or not made.interrupted:
            target = str(_partial(Path(pdf))) if made.interrupted else pdf
            puzzles = [one.puzzle for one in results]
            sheets.write(target, puzzles, [one.solution.board for one in results], level or "")
    if output is not None and not to_stdout:
        entries = _entries(results, to or "line", level)
        _save(entries, made, output, to or "line")
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


class Interruptible:
    """A stream that Ctrl-C ends rather than breaks, so that what is made is kept."""

    def __init__(self, stream: Iterator[Made]) -> None:
        self.done = 0
        self.interrupted = False
        self._stream = stream

    def __iter__(self) -> Iterator[Made]:
        try:
            for made in self._stream:
                self.done += 1
                yield made
        except (KeyboardInterrupt, SystemError) as error:
            if not is_interrupt(error):
                raise
            self.interrupted = True


def _share(text: str) -> float:
    try:
        return float(text[:-1]) / 100 if text.endswith("%") else float(text)
    except ValueError:
        raise ImpossibleError(f"expected a share such as 0.45 or 45%, got {text!r}") from None


def _mask(source: str, geometry: Geometry) -> bytes:
    """The digits of a board: which cells it fills is what counts."""
    return Reading(source, geometry.box, "auto", None, strict=True).only().puzzle.digits


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
