"""`genoku convert`: convert puzzles to other file formats, or to PDF sheets."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import islice

import click

from genoku.cli.generate import SheetOptions
from genoku.cli.options import (
    PuzzleInput,
    add_options,
    command,
    option,
    output_option,
    puzzle_argument,
)
from genoku.cli.output import (
    announce_and_load_kernels,
    file_format,
    say,
    utf8_stdout,
    with_progress,
)
from genoku.puzzle.board import Board
from genoku.puzzle.formats import FORMATS, SUFFIXES, Entry, save_puzzles, write_puzzles
from genoku.puzzle.notation import ALPHABETS, Alphabet
from genoku.runtime.text import format_count

SOLVE_SECONDS = 20.0


FORMAT_LINES = "\n".join(f"  {name:<12} {known.about}" for name, known in FORMATS.items())


@command(epilog=f"Formats:\n{FORMAT_LINES}")
@output_option()
@option(
    "--to",
    type=click.Choice([*FORMATS, "pdf"]),
    help="Format to write.",
    show_default="by suffix, else line",
)
@option(
    "--to-alphabet",
    type=click.Choice([name for name in ALPHABETS if name != "auto"]),
    default="one",
    help="Digits of large boards in the output.",
)
@option("--dedupe", is_flag=True, help="Omit puzzles that are isomorphs of earlier ones.")
@option("--canonical", is_flag=True, help="Write every puzzle in its canonical form.")
@puzzle_argument()
@add_options("sheets", SheetOptions)
def convert(
    puzzles: PuzzleInput,
    output: str | None,
    to: str | None,
    to_alphabet: Alphabet,
    dedupe: bool,
    canonical: bool,
    sheets: SheetOptions,
) -> int:
    """Convert a puzzle or a file of puzzles to another format, or to PDF sheets.

    Examples:
      genoku convert puzzles.csv --to sdm -o puzzles.sdm
      genoku convert mixed.txt.gz --dedupe --to line > unique.txt
      genoku convert mine.txt -o sheet.pdf --per-page 6      sheets to print, solutions last
    """
    if output is not None:
        to = file_format("-o", output, {**SUFFIXES, ".pdf": "pdf"}, to)
    elif to == "pdf":
        raise click.UsageError("--to pdf requires -o")
    entries: Iterable[Entry] = puzzles.entries()
    if dedupe:
        entries = _without_isomorphs(entries)
    if canonical:
        from genoku.puzzle.isomorph import canonical as canonical_form

        entries = (
            replace(each, puzzle=canonical_form(each.puzzle), solution=None) for each in entries
        )
    if output is not None and to == "pdf":
        _print_sheets(list(entries), output, sheets)
    elif output is None:
        write_puzzles(entries, utf8_stdout(), to or "line", alphabet=to_alphabet)
    else:
        rows = with_progress(entries, "converting", results_on_stdout=False)
        written = save_puzzles(rows, output, to, alphabet=to_alphabet)
        say(f"wrote {format_count(written, 'puzzle')} to {output}")
    return puzzles.exit_code()


def _print_sheets(entries: list[Entry], target: str, sheets: SheetOptions) -> None:
    """Write sheets, with the solution of every puzzle that has exactly one."""
    from genoku.exact import oracle

    announce_and_load_kernels()
    solutions: list[Board | None] = []
    for entry in entries:
        found = list(islice(oracle.solutions(entry.puzzle, time_limit=SOLVE_SECONDS), 2))
        solutions.append(found[0] if len(found) == 1 else None)
    sheets.write(target, [entry.puzzle for entry in entries], solutions)
    if without := sum(board is None for board in solutions):
        say(f"{format_count(without, 'puzzle')} without a unique solution: no solution printed")


def _without_isomorphs(entries: Iterable[Entry]) -> Iterator[Entry]:
    import hashlib

    from genoku.puzzle.isomorph import canonical

    seen: set[bytes] = set()
    omitted = 0
    for entry in entries:
        form = canonical(entry.puzzle)
        # Digests instead of boards, to fit millions in memory
        key = hashlib.blake2b(repr(form).encode(), digest_size=16).digest()
        if key in seen:
            omitted += 1
            continue
        seen.add(key)
        yield entry
    say(f"omitted {format_count(omitted, 'isomorph')}")
